//! Atomic ops and histograms, implemented by routines on blocks in scratch.

use cranelift_codegen::ir::{InstBuilder, Value};
use trident_ir::dtype::Class;
use trident_ir::op::words::{AtomicOp, MemoryOrder};
use trident_ir::{DType, Op, OpKind as K, ops};
use trident_runtime::Checks;
use trident_tile_analysis::{Elem, NodeId, index_bits};

use super::node::{Kind, Register};
use super::{Emitter, Result, malformed, refused, view};
use crate::abi::{self, FULL};
use crate::routine::{Rmw, Routine};

/// Nanoseconds that a poll without a timeout waits before it looks whether the launch is to stop.
const WAIT: i64 = 10_000_000;

impl<'m> Emitter<'m, '_> {
    /// The address of the block's elements, or null if there is no block.
    fn address_or_null(&mut self, node: Option<NodeId>, dims: &[usize]) -> Result<Value> {
        match node {
            Some(node) => self.address(node, dims),
            None => Ok(self.int(0)),
        }
    }

    /// Checks the accesses of an atomic op, if accesses are checked.
    fn check_atomic(
        &mut self,
        op: &Op,
        ptr: NodeId,
        mask: Option<NodeId>,
        dims: &[usize],
        bytes: usize,
        writes: bool,
    ) -> Result<()> {
        if self.checking.checks == Checks::None {
            return Ok(());
        }
        let order = ops::Ordered::of(op).map_or(MemoryOrder::AcqRel, |op| op.order());
        let (acquire, release) = match order {
            MemoryOrder::Relaxed => (false, false),
            MemoryOrder::Acquire => (true, false),
            MemoryOrder::Release => (false, true),
            MemoryOrder::AcqRel => (true, true),
        };
        let flag = |on: bool, bit: u64| if on { bit } else { 0 };
        let kind = abi::Kind::ATOMIC
            | flag(acquire, abi::Kind::ACQUIRE)
            | flag(release, abi::Kind::RELEASE)
            | flag(writes, abi::Kind::WRITES);
        let site = self.site(op);
        self.sweep(dims, &[], |e, index| {
            let address = e.eval(ptr, index)?;
            let mask = mask.map(|m| e.eval(m, index)).transpose()?;
            e.checked(address, bytes, kind, mask, site);
            Ok(())
        })
    }

    pub(super) fn atomic(&mut self, op: &'m Op) -> Result<()> {
        let (ptr, dims) = self.tile(op, PTR)?;
        let Elem::Ptr(dtype) = self.nodes[ptr].elem else {
            return Err(malformed(op, "needs pointers"));
        };
        let elem = Elem::Data(dtype);
        let bytes = elem.size() as u8;
        let (value, mask) = match op.kind {
            K::AtomicRmw => {
                let at = ops::AtomicRmw::AT;
                (self.optional(op, at.value)?, self.optional(op, at.mask)?)
            }
            K::AtomicStore => {
                let at = ops::AtomicStore::AT;
                (self.optional(op, at.value)?, self.optional(op, at.mask)?)
            }
            K::AtomicLoad => (None, self.optional(op, ops::AtomicLoad::AT.mask)?),
            K::AtomicCas => (self.optional(op, ops::AtomicCas::AT.expected)?, None),
            _ => (self.optional(op, ops::AtomicPoll::AT.expected)?, None),
        };
        let writes = !matches!(op.kind, K::AtomicLoad | K::AtomicPoll);
        let addresses = self.address(ptr, &dims)?;
        let values = self.address_or_null(value, &dims)?;
        let mask_at = self.address_or_null(mask, &dims)?;
        self.check_atomic(op, ptr, mask, &dims, elem.size(), writes)?;
        let n = self.int(1 << index_bits(&dims));
        let result = if op.kind == K::AtomicPoll { Elem::Data(DType::Bool) } else { elem };
        let former = match op.defined().next() {
            Some(_) => self.reserve(result.size() << index_bits(&dims)),
            None if op.kind == K::AtomicPoll => self.reserve(1 << index_bits(&dims)),
            None if op.kind == K::AtomicLoad => return Ok(()),
            None => self.int(0),
        };
        match op.kind {
            K::AtomicRmw => {
                let routine = rmw(op, view(op, ops::AtomicRmw::of)?.op(), dtype)?;
                self.call_routine(op, routine, &[former, addresses, values, mask_at, n])?;
            }
            K::AtomicCas => {
                let (new, _) = self.tile(op, ops::AtomicCas::AT.value)?;
                let new = self.address(new, &dims)?;
                let args = [former, addresses, values, new, mask_at, n];
                self.call_routine(op, Routine::AtomicCas { bytes }, &args)?;
            }
            K::AtomicLoad => {
                let args = [former, addresses, mask_at, n];
                self.call_routine(op, Routine::AtomicLoad { bytes }, &args)?;
            }
            K::AtomicStore => {
                let args = [addresses, values, mask_at, n];
                self.call_routine(op, Routine::AtomicStore { bytes }, &args)?;
            }
            _ => {
                // If programs run one after another, a missing value will never arrive.
                let waits_long = view(op, ops::AtomicPoll::of)?.timeout().is_none();
                let alone = self.checking.checks == Checks::All && waits_long;
                let bits = index_bits(&dims);
                let seen = self.node(Kind::Buffer(former), result, bits, 1, 0);
                let (again, done) = (self.b.create_block(), self.b.create_block());
                self.b.ins().jump(again, &[]);
                self.b.switch_to_block(again);
                let timeout = match waits_long {
                    false => self.scalar(op, ops::AtomicPoll::AT.timeout)?.0,
                    true => self.int(if alone { 0 } else { WAIT }),
                };
                let args = [former, addresses, values, timeout, n];
                self.call_routine(op, Routine::AtomicPoll { bytes }, &args)?;
                if alone || !waits_long {
                    self.b.ins().jump(done, &[]);
                } else {
                    // A wait without end can be stopped.
                    let all = self.all(seen, &dims)?;
                    let wait = self.b.create_block();
                    self.b.ins().brif(all, done, &[], wait, &[]);
                    self.b.switch_to_block(wait);
                    self.spend(FULL);
                    self.b.ins().jump(again, &[]);
                }
                self.b.switch_to_block(done);
                if alone {
                    let word = Elem::Data(of_class(Class::UInt, dtype).unwrap_or(dtype));
                    let expected = self.node(Kind::Buffer(values), word, bits, 1, 0);
                    self.check_seen(op, &dims, (seen, expected))?;
                }
            }
        }
        if op.defined().next().is_some() {
            let node = self.node(Kind::Buffer(former), result, index_bits(&dims), 1, 0);
            self.give_block(op, 0, node, dims)?;
        }
        Ok(())
    }

    /// Op `descriptor_reduce`, given the pointers and mask of the block.
    pub(super) fn reduce_block(
        &mut self,
        op: &'m Op,
        dims: &[usize],
        (ptr, value, mask): (NodeId, NodeId, NodeId),
        dtype: DType,
    ) -> Result<()> {
        let routine = rmw(op, view(op, ops::DescriptorReduce::of)?.op().into(), dtype)?;
        let addresses = self.address(ptr, dims)?;
        let values = self.address(value, dims)?;
        let mask_at = self.address(mask, dims)?;
        self.check_atomic(op, ptr, Some(mask), dims, dtype.size(), true)?;
        let (none, n) = (self.int(0), self.int(1 << index_bits(dims)));
        self.call_routine(op, routine, &[none, addresses, values, mask_at, n])
    }

    pub(super) fn histogram(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::Histogram::AT;
        let (x, dims) = self.tile(op, at.x)?;
        let mask = self.optional(op, at.mask)?;
        let (elem, bins) = self.result(op, 0)?;
        let dtype = self.nodes[x].elem.dtype();
        let bits = index_bits(&bins);
        let out = self.reserve(elem.size() << bits);
        let zero = self.zero(elem.clif());
        let zero = self.uniform(zero, elem, bits);
        self.fill(&bins, &[(zero, out)])?;
        let data = self.address(x, &dims)?;
        let mask = self.address_or_null(mask, &dims)?;
        let (count, n) = (self.int(1 << bits), self.int(1 << index_bits(&dims)));
        self.call_routine(op, Routine::Histogram { dtype }, &[out, count, data, mask, n])?;
        let node = self.node(Kind::Buffer(out), elem, bits, 1, 0);
        self.give_block(op, 0, node, bins)
    }
}

/// The place of the pointers among the operands of all atomic ops.
const PTR: usize = ops::AtomicRmw::AT.ptr;
const _: () = assert!(PTR == ops::AtomicCas::AT.ptr && PTR == ops::AtomicPoll::AT.ptr);
const _: () = assert!(PTR == ops::AtomicLoad::AT.ptr && PTR == ops::AtomicStore::AT.ptr);

/// The type of this class with as many bits.
fn of_class(class: Class, dtype: DType) -> Option<DType> {
    DType::ALL.iter().copied().find(|d| d.class() == class && d.bits() == dtype.bits())
}

/// The routine for an atomic op. Where only bits matter, signed integers, unsigned integers and floats share
/// routines.
fn rmw(op: &Op, change: AtomicOp, dtype: DType) -> Result<Routine> {
    let (rmw, bits_only) = match change {
        AtomicOp::Add | AtomicOp::FAdd => (Rmw::Add, false),
        AtomicOp::And => (Rmw::And, true),
        AtomicOp::Or => (Rmw::Or, true),
        AtomicOp::Xor => (Rmw::Xor, true),
        AtomicOp::Max | AtomicOp::UMax => (Rmw::Max, false),
        AtomicOp::Min | AtomicOp::UMin => (Rmw::Min, false),
        AtomicOp::Exchange => (Rmw::Exchange, true),
    };
    let (signed, unsigned) = (of_class(Class::Int, dtype), of_class(Class::UInt, dtype));
    let candidates = match change {
        AtomicOp::UMax | AtomicOp::UMin => vec![unsigned],
        AtomicOp::Add if dtype.is_int() => vec![Some(dtype), signed, unsigned],
        _ if bits_only => vec![Some(dtype), signed, unsigned],
        _ => vec![Some(dtype)],
    };
    let routines =
        candidates.into_iter().flatten().map(|dtype| Routine::AtomicRmw { op: rmw, dtype });
    let mut found = routines.filter(|r| r.slot().is_some());
    found.next().ok_or_else(|| refused(op, format!("there is no atomic `{change}` of {dtype}")))
}
