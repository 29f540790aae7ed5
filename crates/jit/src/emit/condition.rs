//! Conditions on values: a launch stops at the first that does not hold.
//!
//! Assertions and the steps of loops are tested by every launch, the other conditions by checked launches only.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use trident_ir::tile::Origin;
use trident_ir::{DType, Op, ops};
use trident_runtime::Checks;
use trident_tile_analysis::{Index, NodeId, counter, index_bits};

use super::{Condition, Context, Emitter, Result, view};

/// The place of the condition among the operands of `assert` and `assume`.
const CONDITION: usize = ops::Assert::AT.condition;
const _: () = assert!(CONDITION == ops::Assume::AT.condition);

impl<'m> Emitter<'m, '_> {
    /// Requires all elements of the op's condition to be true.
    pub(super) fn condition(&mut self, op: &'m Op, condition: Condition) -> Result<()> {
        let (truth, dims) = self.tile(op, CONDITION)?;
        let all = self.all(truth, &dims)?;
        let none = self.int(0);
        self.require(op, condition, all, none);
        Ok(())
    }

    /// Whether all elements of a block of truth values are true.
    pub(super) fn all(&mut self, truth: NodeId, dims: &[usize]) -> Result<Value> {
        let yes = self.b.ins().iconst(types::I8, 1);
        let bits = index_bits(dims);
        let all = self.repeat(bits, &[yes], |e, var, all| {
            let place = counter(var, bits).collect();
            let holds = e.eval(truth, &place)?;
            Ok(vec![e.b.ins().band(all[0], holds)])
        })?;
        Ok(all[0])
    }

    /// Requires the step of a loop to be positive, unless it is known to be.
    pub(super) fn check_step(&mut self, op: &Op, step: Value, dtype: DType) {
        let unused = 64 - dtype.bits() as u32;
        let known = self.nodes.constant(step).map(|bits| (bits << unused) as i64 >> unused);
        if known.is_some_and(|step| step > 0) {
            return;
        }
        let step = self.wide(step, dtype);
        let positive = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, step, 0);
        self.require(op, Condition::Step, positive, step);
    }

    /// In checked launches, requires the indices of a gather to be inside of its axis; `from` is the shape of the
    /// block that it takes elements of.
    pub(super) fn check_indices(&mut self, op: &'m Op, from: &[usize]) -> Result<()> {
        if self.checking.checks == Checks::None {
            return Ok(());
        }
        let axis = usize::try_from(view(op, ops::TakeAlongAxis::of)?.axis()).ok();
        let length = axis.and_then(|axis| from.get(axis)).copied().unwrap_or(0);
        let (indices, dims) = self.tile(op, ops::TakeAlongAxis::AT.indices)?;
        let dtype = self.nodes[indices].elem.dtype();
        let (all, first) = self.each(&dims, |e, place| {
            let index = e.eval(indices, place)?;
            let index = e.wide(index, dtype);
            let inside = e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, length as i64);
            Ok((inside, index))
        })?;
        self.require(op, Condition::Index(length), all, first);
        Ok(())
    }

    /// Requires that a poll has seen each of the expected values, whose bits are unsigned integers.
    pub(super) fn check_seen(
        &mut self,
        op: &Op,
        dims: &[usize],
        (seen, expected): (NodeId, NodeId),
    ) -> Result<()> {
        let dtype = self.nodes[expected].elem.dtype();
        let (all, first) = self.each(dims, |e, place| {
            let (seen, expected) = (e.eval(seen, place)?, e.eval(expected, place)?);
            Ok((seen, e.wide(expected, dtype)))
        })?;
        self.require(op, Condition::Wait, all, first);
        Ok(())
    }

    /// Whether `test` holds at every place of a block, and the value of 64 bits that it gives at the first place where it does
    /// not.
    fn each(
        &mut self,
        dims: &[usize],
        test: impl FnOnce(&mut Self, &Index) -> Result<(Value, Value)>,
    ) -> Result<(Value, Value)> {
        let (yes, none) = (self.b.ins().iconst(types::I8, 1), self.int(0));
        let bits = index_bits(dims);
        let found = self.repeat(bits, &[yes, none], |e, var, before| {
            let place: Index = counter(var, bits).collect();
            let (holds, value) = test(e, &place)?;
            let first = e.b.ins().select(before[0], value, before[1]);
            Ok(vec![e.b.ins().band(before[0], holds), first])
        })?;
        Ok((found[0], found[1]))
    }

    /// Stops the launch with a value of 64 bits to report, unless the condition holds.
    fn require(&mut self, op: &Op, condition: Condition, holds: Value, value: Value) {
        let site = self.output.site(op, condition, Origin::default());
        let (fail, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(fail);
        self.b.ins().brif(holds, go_on, &[], fail, &[]);
        self.b.switch_to_block(fail);
        let flags = MemFlagsData::trusted().with_readonly();
        let at = offset_of!(Context<'_>, fail) as i32;
        let function = self.b.ins().load(types::I64, flags, self.program.context, at);
        let site = self.int(site as i64);
        self.call_address(
            function,
            &[self.program.context, self.program.number, site, value],
            false,
        );
        self.stop();
        self.b.switch_to_block(go_on);
    }
}
