//! Tests that memory accesses stay inside the memory that the launch's arguments point to.
//!
//! The table of a launch records the memory of each parameter, and the compiler knows which parameters a pointer may
//! come from. An address is inside if its distance from the base, as an unsigned number, is less than the length; a sum
//! that wrapped around is far from the base. One comparison tests an element, and the first and last byte a row. An
//! access that appears to be outside is passed to [`Context::check`](Context), which knows all the memory of the launch
//! and reports errors.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use trident_ir::{Func, Type};
use trident_runtime::Checks;
use trident_tile_analysis::{Elem, Span, Touch, start};

use super::{Context, Emitter, Result};
use crate::abi::{self, Bound};

/// Maximum number of parameters that the code compares one pointer with.
const CANDIDATES: usize = 8;

/// The memory of a parameter, in registers.
#[derive(Clone, Copy)]
pub(super) struct Range {
    base: Value,
    readable: Value,
    writable: Value,
}

impl Emitter<'_, '_> {
    /// Whether the code tests bounds.
    pub(super) fn bounded(&self) -> bool {
        self.checking.checks == Checks::Bounds
    }

    /// Loads the memory range of each pointer parameter of the entry.
    pub(super) fn ranges(&mut self, entry: &Func) {
        if !self.bounded() {
            return;
        }
        let flags = MemFlagsData::trusted().with_readonly();
        let at = offset_of!(Context<'_>, bounds) as i32;
        let table = self.b.ins().load(types::I64, flags, self.program.context, at);
        for (i, &id) in entry.body.params.iter().enumerate() {
            let pointer = matches!(entry.ty(id), Type::Pointer(_) | Type::Descriptor(_));
            let range = pointer.then(|| {
                let mut word = |offset: usize| {
                    let at = (i * size_of::<Bound>() + offset) as i32;
                    self.b.ins().load(types::I64, flags, table, at)
                };
                Range {
                    base: word(offset_of!(Bound, base)),
                    readable: word(offset_of!(Bound, readable)),
                    writable: word(offset_of!(Bound, writable)),
                }
            });
            self.checking.ranges.push(range);
        }
    }

    /// Base and length of each memory range that the site's pointers may point into.
    fn candidates(&self, touch: Touch) -> Vec<(Value, Value)> {
        let Some(site) = self.output.emitted.sites.get(touch.site as usize) else { return vec![] };
        let origin = &site.origin;
        let all =
            self.checking.ranges.iter().enumerate().filter_map(|(i, r)| Some((i as u32, (*r)?)));
        all.filter(|(i, _)| origin.open || origin.params.contains(i))
            .map(|(_, r)| (r.base, if touch.writes { r.writable } else { r.readable }))
            .take(CANDIDATES)
            .collect()
    }

    /// Whether `holds` is true of the base and length of any of these ranges.
    fn any(
        &mut self,
        touch: Touch,
        mut holds: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let mut found = None;
        for (base, length) in self.candidates(touch) {
            let one = holds(self, base, length);
            found = Some(found.map_or(one, |other| self.b.ins().bor(other, one)));
        }
        found.unwrap_or_else(|| self.b.ins().iconst(types::I8, 0))
    }

    /// Whether an element of `bytes` bytes is inside.
    fn holds_element(&mut self, touch: Touch, address: Value, bytes: usize) -> Value {
        self.any(touch, |e, base, length| {
            let offset = e.b.ins().isub(address, base);
            // Valid offsets of the element's first byte.
            let rest = e.int(bytes as i64 - 1);
            let most = e.b.ins().umax(length, rest);
            let places = e.b.ins().isub(most, rest);
            e.b.ins().icmp(IntCC::UnsignedLessThan, offset, places)
        })
    }

    /// Whether `bytes` bytes from the address on are inside; `bytes` is far below 2^63.
    fn holds_bytes(&mut self, touch: Touch, address: Value, bytes: Value) -> Value {
        self.any(touch, |e, base, length| {
            let offset = e.b.ins().isub(address, base);
            let last = e.b.ins().isub(length, bytes);
            let begins = e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, offset, last);
            let fits = e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, length, bytes);
            e.b.ins().band(begins, fits)
        })
    }

    /// Whether all memory is inside, from `low` to the end of an element of `bytes` bytes at `low + span`; `span` must
    /// be exact.
    pub(super) fn holds_span(
        &mut self,
        touch: Touch,
        low: Value,
        span: Value,
        bytes: usize,
    ) -> Value {
        let bytes = self.b.ins().iadd_imm_s(span, bytes as i64);
        self.holds_bytes(touch, low, bytes)
    }

    /// Whether `count` elements of a row, beginning with number `from`, are inside.
    pub(super) fn holds_span_of(
        &mut self,
        span: &Span,
        from: Value,
        count: Value,
    ) -> Result<Value> {
        let size = match self.nodes[span.ptr].elem {
            Elem::Ptr(to) => to.size(),
            Elem::Data(dtype) => dtype.size(),
        };
        let first = self.eval(span.ptr, &start(&span.index))?;
        let shift = i64::from(size.trailing_zeros());
        let ahead = self.b.ins().ishl_imm_u(from, shift);
        let first = self.b.ins().iadd(first, ahead);
        let bytes = self.b.ins().ishl_imm_u(count, shift);
        Ok(self.holds_bytes(span.touch, first, bytes))
    }

    /// In a launch with checks, stops the program if the access to an element is invalid.
    pub(super) fn checked(
        &mut self,
        address: Value,
        bytes: usize,
        kind: u64,
        mask: Option<Value>,
        site: u64,
    ) {
        match self.checking.checks {
            Checks::None => {}
            Checks::All => self.ask(address, bytes, kind, mask, site),
            Checks::Bounds => {
                let atomic = kind & abi::Kind::ATOMIC != 0;
                let writes = if atomic { abi::Kind::WRITES } else { abi::Kind::WRITE };
                let touch = Touch { site, writes: kind & writes != 0 };
                let mut fine = self.holds_element(touch, address, bytes);
                if atomic && bytes > 1 {
                    let low = self.b.ins().band_imm_s(address, bytes as i64 - 1);
                    let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
                    fine = self.b.ins().band(fine, aligned);
                }
                if let Some(mask) = mask {
                    let off = self.b.ins().icmp_imm_s(IntCC::Equal, mask, 0);
                    fine = self.b.ins().bor(fine, off);
                }
                let (doubt, go_on) = (self.b.create_block(), self.b.create_block());
                self.b.set_cold_block(doubt);
                self.b.ins().brif(fine, go_on, &[], doubt, &[]);
                self.b.switch_to_block(doubt);
                self.ask(address, bytes, kind, None, site);
                self.b.ins().jump(go_on, &[]);
                self.b.switch_to_block(go_on);
            }
        }
    }

    /// Calls the launch's check of an access; stops the program if the access is invalid.
    fn ask(&mut self, address: Value, bytes: usize, kind: u64, mask: Option<Value>, site: u64) {
        let flags = MemFlagsData::trusted().with_readonly();
        let at = offset_of!(Context<'_>, check) as i32;
        let function = self.b.ins().load(types::I64, flags, self.program.context, at);
        let (site, bytes, kind) =
            (self.int(site as i64), self.int(bytes as i64), self.int(kind as i64));
        let mask = match mask {
            Some(mask) => self.b.ins().uextend(types::I64, mask),
            None => self.int(1),
        };
        let args = [self.program.context, self.program.number, site, address, bytes, kind, mask];
        if let Some(status) = self.call_address(function, &args, true) {
            self.stop_if(status);
        }
    }
}
