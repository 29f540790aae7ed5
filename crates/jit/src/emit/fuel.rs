//! Polls by which a launch can be stopped while it runs.
//!
//! Each thread has fuel, in units of about one operation on an element. Programs and iterations of loops spend an
//! estimate of their work, and a thread without fuel asks the launch whether it is to stop. An iteration costs a load,
//! a subtraction, a store and a branch; neither a clock nor another thread is needed. The launch itself subtracts the
//! work outside of loops, so programs without loops contain no poll.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use trident_ir::{Block, Func, Module, Op, OpKind as K, ValueId, ops};

use super::{Context, Emitter};
use crate::abi::{FUEL, FULL};

/// Calls nested deeper than this count as one operation each.
const DEPTH: usize = 8;

impl Emitter<'_, '_> {
    /// Spends fuel for these blocks of the current function.
    pub(super) fn spend_on(&mut self, blocks: &[&Block]) {
        let func = self.calls.func();
        let work = blocks.iter().map(|block| work(self.calls.module, func, block, DEPTH));
        let units = work.fold(1, i64::saturating_add).min(FULL);
        self.spend(units);
    }

    /// Spends fuel, and returns from the entry if the launch is to stop.
    pub(super) fn spend(&mut self, units: i64) {
        let flags = MemFlagsData::trusted();
        let fuel = self.b.ins().load(types::I64, flags, self.program.scratch, FUEL as i32);
        let left = self.b.ins().iadd_imm_s(fuel, -units);
        self.b.ins().store(flags, left, self.program.scratch, FUEL as i32);
        let empty = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, left, 0);
        let (ask, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(ask);
        self.b.ins().brif(empty, ask, &[], go_on, &[]);
        self.b.switch_to_block(ask);
        let at = offset_of!(Context<'_>, refuel) as i32;
        let readonly = MemFlagsData::trusted().with_readonly();
        let refuel = self.b.ins().load(types::I64, readonly, self.program.context, at);
        if let Some(status) =
            self.call_address(refuel, &[self.program.context, self.program.scratch], true)
        {
            self.stop_if(status);
        }
        self.b.ins().jump(go_on, &[]);
        self.b.switch_to_block(go_on);
    }
}

/// Estimates the operations of a program outside of its loops; at least 1.
pub(super) fn program(module: &Module, entry: &Func) -> i64 {
    work(module, entry, &entry.body, DEPTH).clamp(1, FULL)
}

/// Estimates the operations of a block. Loops inside of it spend their own fuel.
fn work(module: &Module, func: &Func, block: &Block, depth: usize) -> i64 {
    let ops = block.ops.iter().map(|op| op_work(module, func, op, depth));
    ops.fold(0, i64::saturating_add)
}

fn op_work(module: &Module, func: &Func, op: &Op, depth: usize) -> i64 {
    let count = |id: &ValueId| {
        let dims = func.ty(*id).dims().unwrap_or_default();
        dims.iter().fold(1i64, |n, &d| n.saturating_mul(d as i64))
    };
    let inputs: Vec<i64> = op.inputs.iter().flatten().map(count).collect();
    let results = op.defined().map(|id| count(&id));
    let elements = inputs.iter().copied().chain(results).max().unwrap_or(1);
    let nested = |depth| {
        let regions = op.regions.iter().map(|region| work(module, func, region, depth));
        regions.fold(1, i64::saturating_add)
    };
    match op.kind {
        K::For | K::While => 1,
        K::If => nested(depth),
        K::Call => {
            let name = ops::Call::of(op).map(|call| call.callee()).filter(|_| depth > 0);
            let callee = module.funcs.iter().find(|f| Some(f.name.as_str()) == name);
            callee.map_or(1, |callee| work(module, callee, &callee.body, depth - 1))
        }
        K::Dot | K::DotScaled => {
            // √(mk · kn · mn) = mkn.
            let product = inputs.iter().take(3).map(|&n| n as f64).product::<f64>();
            product.sqrt() as i64
        }
        _ => {
            let each = i64::from(op.decl().cost.max(1)).saturating_mul(nested(depth));
            elements.saturating_mul(each)
        }
    }
}
