//! The cost of evaluating an element of a block.

use trident_ir::op::Group;
use trident_ir::{Block, Func, Op, OpKind, ValueId, ops};

use super::materialise::is_lazy;

/// A block that costs more than this is materialised if several roots need it.
const EXPENSIVE: u32 = 6;

/// Instructions per element of a load of contiguous elements, which vectors perform.
const NEAR: u32 = 2;

/// Estimates, propagated from operands to results.
pub(super) struct Costs<'a> {
    func: &'a Func,
    costs: Vec<u32>,
    /// Strides of integers and pointers along the last axis, in elements, if 0 or 1.
    strides: Vec<Option<u8>>,
    /// Whether evaluating the value touches memory.
    loads: Vec<bool>,
}

impl<'a> Costs<'a> {
    pub(super) fn of(func: &'a Func) -> Self {
        let n = func.values.len();
        let mut found =
            Costs { func, costs: vec![0; n], strides: vec![None; n], loads: vec![false; n] };
        found.block(&func.body);
        found
    }

    /// Whether recomputing the block costs more than reading it from memory.
    pub(super) fn is_expensive(&self, id: ValueId) -> bool {
        self.of_value(id) > EXPENSIVE
    }

    /// Approximate number of instructions for one element.
    pub(super) fn of_value(&self, id: ValueId) -> u32 {
        self.costs.get(id.index()).copied().unwrap_or(0)
    }

    /// Whether evaluating the block touches memory.
    pub(super) fn touches_memory(&self, id: ValueId) -> bool {
        self.loads.get(id.index()).copied().unwrap_or(false)
    }

    fn stride(&self, id: ValueId) -> Option<u8> {
        let scalar = self.func.ty(id).dims().is_some_and(|d| d.is_empty());
        if scalar { Some(0) } else { self.strides.get(id.index()).copied().flatten() }
    }

    fn stride_of(&self, op: &Op) -> Option<u8> {
        use OpKind as K;
        let of = |i: usize| self.stride(op.input(i)?);
        match op.kind {
            K::Splat => Some(0),
            K::Constant => ops::Constant::of(op).filter(|op| op.value().is_splat()).map(|_| 0),
            K::Arange => Some(1),
            K::ExpandDims => {
                let op = ops::ExpandDims::of(op)?;
                let rank = self.func.ty(op.y()?).dims()?.len();
                let last = op.axis() as usize + 1 == rank;
                if last { Some(0) } else { self.stride(op.x()) }
            }
            K::Broadcast | K::Hint | K::Identity | K::PtrCast | K::Cast => of(0),
            K::Add | K::PtrAdd => match (of(0)?, of(1)?) {
                (a, b) if a + b <= 1 => Some(a + b),
                _ => None,
            },
            K::Sub if of(1)? == 0 => of(0),
            _ if op.decl().group == Group::Elementwise => {
                (0..op.inputs.len()).all(|i| of(i) == Some(0)).then_some(0)
            }
            _ => None,
        }
    }

    fn cost_of(&self, op: &Op) -> u32 {
        match op.kind {
            OpKind::Load if op.input(ops::Load::AT.ptr).and_then(|p| self.stride(p)).is_some() => {
                NEAR
            }
            _ => op.decl().cost,
        }
    }

    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            // A splat's operand is in a register; pointers and masks of contiguous loads are checked once for many
            // elements.
            let apart = !is_lazy(op) || op.kind == OpKind::Splat;
            let near = op.kind == OpKind::Load && self.cost_of(op) == NEAR;
            let operands = if apart || near {
                0
            } else {
                op.used().map(|v| self.costs.get(v.index()).copied().unwrap_or(0)).sum::<u32>()
            };
            let cost = match is_lazy(op) {
                true => operands.saturating_add(self.cost_of(op)).min(10_000),
                false => 1,
            };
            let stride = self.stride_of(op);
            let loaded = |v: ValueId| self.loads.get(v.index()).copied().unwrap_or(false);
            let loads = !apart && (op.kind == OpKind::Load || op.used().any(loaded));
            let known = self.costs.len();
            for i in op.defined().map(|out| out.index()).filter(|&i| i < known) {
                (self.costs[i], self.strides[i], self.loads[i]) = (cost, stride, loads);
            }
            // Pointers that a loop carries mostly keep the stride they start with.
            if op.kind == OpKind::For
                && let Some(region) = op.regions.first()
            {
                let carried = op.inputs.iter().rev().zip(region.params.iter().rev());
                for (init, &param) in carried {
                    let stride = init.as_ref().and_then(|&id| self.stride(id));
                    if let Some(slot) = self.strides.get_mut(param.index()) {
                        *slot = stride;
                    }
                }
            }
            op.regions.iter().for_each(|region| self.block(region));
        }
    }
}
