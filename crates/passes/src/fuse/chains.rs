//! Chains of elementwise ops as one op with a region of scalars.

use crate::rewrite::{Change, Rewriter, operand, placed, result};
use std::collections::HashMap;
use trident_ir::op::Group;
use trident_ir::{Block, DType, Op, OpKind as K, Type, ValueId, ops};

/// The most operands of a fused op: each is an array that a kernel binds.
const MOST: usize = 12;

/// Fuses an elementwise op with a producer that has no other use and the same shape.
pub(super) fn chain(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Fused && !fuses(cx, op) {
        return None;
    }
    let out = result(op)?;
    let first = op.used().find_map(|v| {
        let producer = cx.producer(v)?;
        let fits = (producer.kind == K::Fused || fuses(cx, producer))
            && cx.single(v)
            && !cx.is_result(v)
            && cx.same_shape(v, out);
        fits.then(|| producer.clone())
    })?;
    let link = result(&first)?;
    let mut region = Region::default();
    let made = region.add(cx, &first)?;
    region.known.insert(link, made);
    let last = region.add(cx, op)?;
    if region.operands.len() > MOST {
        return None;
    }
    let Region { operands, block, .. } = region;
    let regions = vec![Block { results: vec![last], ..block }];
    let fused = placed(op, ops::Fused::new(&operands).into_op());
    Some(Change::Op(Op { regions, ..fused }))
}

/// Whether level tile means the same by an op, on types that every device computes.
fn fuses(cx: &Rewriter<'_>, op: &Op) -> bool {
    let native = |v: ValueId| {
        cx.dtype(v).is_some_and(|dtype| match dtype {
            DType::F64 => false,
            dtype if dtype.is_float() => dtype.bits() >= 16,
            dtype => dtype == DType::Bool || dtype.is_int() && dtype.bits() >= 8,
        })
    };
    let (Some(out), Some(first)) = (result(op), operand(op)) else { return false };
    if op.decl().group != Group::Elementwise || !op.used().chain([out]).all(native) {
        return false;
    }
    let is_float = |v: ValueId| cx.dtype(v).is_some_and(DType::is_float);
    match op.kind {
        // Conversions of numbers out of range differ, and so do shifts by too many bits.
        K::Cast => !is_float(first) || is_float(out),
        K::BitShift | K::Libm => false,
        K::Pow => op.used().all(|v| cx.dtype(v) == cx.dtype(first)) && is_float(first),
        _ => true,
    }
}

/// The region under construction.
#[derive(Default)]
struct Region {
    /// Operands of the fused op, each with its parameter.
    operands: Vec<ValueId>,
    block: Block,
    /// The values that stand for values from outside.
    known: HashMap<ValueId, ValueId>,
}

impl Region {
    /// Appends an op, or the ops of a fused one. Returns the value that replaces its result.
    fn add(&mut self, cx: &mut Rewriter<'_>, op: &Op) -> Option<ValueId> {
        let out = result(op)?;
        // Without it, the result has the same shape.
        let spare = op.used().any(|v| cx.constant(v).is_none() && cx.same_shape(v, out));
        let mut inputs = vec![];
        for input in &op.inputs {
            inputs.push(match input {
                None => None,
                Some(v) => Some(self.value(cx, *v, spare)?),
            });
        }
        let [body] = &op.regions[..] else {
            let scalar = cx.func.ty(out).with_shape(Some(vec![]));
            let out = cx.value("e", scalar);
            let own = Op { inputs, outputs: vec![Some(out)], ..op.clone() };
            self.block.ops.push(own);
            return Some(out);
        };
        let mut renamed: HashMap<ValueId, ValueId> =
            body.params.iter().copied().zip(inputs.into_iter().flatten()).collect();
        for inner in &body.ops {
            let out = result(inner)?;
            let fresh = cx.value("e", cx.func.ty(out).clone());
            let inputs = inner.inputs.iter().map(|v| v.and_then(|v| renamed.get(&v).copied()));
            let inputs = inputs.collect();
            self.block.ops.push(Op { inputs, outputs: vec![Some(fresh)], ..inner.clone() });
            renamed.insert(out, fresh);
        }
        renamed.get(body.results.first()?).copied()
    }

    /// The parameter for a value from outside, or its number if it is constant and the shape does not depend on it.
    fn value(&mut self, cx: &mut Rewriter<'_>, v: ValueId, spare: bool) -> Option<ValueId> {
        if let Some(known) = self.known.get(&v) {
            return Some(*known);
        }
        let number = cx.constant(v).filter(|t| spare && t.len() == 1);
        if let Some(number) = number.and_then(|t| t.with_dims(vec![])) {
            let out = cx.value("k", number.ty());
            let constant = ops::Constant::new().value(number).into_op();
            self.block.ops.push(Op { outputs: vec![Some(out)], ..constant });
            return Some(out);
        }
        let ty = Type::fixed(cx.dtype(v)?, &[]);
        let param = cx.value("x", ty);
        self.operands.push(v);
        self.block.params.push(param);
        self.known.insert(v, param);
        Some(param)
    }
}
