//! How loops carry blocks from one iteration to the next.

use trident_ir::dtype::Class;
use trident_ir::literal::LiteralData;
use trident_ir::op::Group;
use trident_ir::{Block, DType, Func, Op, OpKind as K, ValueId, ops};

/// How a loop carries a block.
#[derive(Clone, Copy, Debug)]
pub enum Carried<'m> {
    /// It never changes.
    Same,
    /// Its first elements plus one integer: the sum of what this op has added to all of them so far.
    Offset {
        /// The op.
        add: &'m Op,
        /// The type of the integer.
        dtype: DType,
    },
    /// In one buffer, to which this product is added in place.
    Sum(&'m Op),
    /// In two buffers: each iteration reads one and writes the other.
    Buffers,
}

impl<'m> Carried<'m> {
    /// How the region of a loop carries the block that enters an iteration as `param` and leaves it as `next`.
    /// `is_uniform` says whether all elements of a value from outside the region are the same.
    pub fn of(
        func: &Func,
        region: &'m Block,
        param: ValueId,
        next: ValueId,
        is_uniform: &dyn Fn(ValueId) -> bool,
    ) -> Carried<'m> {
        if param == next {
            return Carried::Same;
        }
        let Some(op) = maker(region, next) else { return Carried::Buffers };
        if let Some(dtype) = addend(func, region, op, param, is_uniform) {
            return Carried::Offset { add: op, dtype };
        }
        let sum = match op.kind {
            K::Dot => ops::Dot::of(op).map(|dot| dot.c()),
            K::DotScaled => ops::DotScaled::of(op).map(|dot| dot.c()),
            _ => None,
        };
        match sum {
            Some(sum) if comes_of(region, param, sum) => Carried::Sum(op),
            _ => Carried::Buffers,
        }
    }
}

/// The type of the integer that an op adds to all elements of `param`; `None` if it does not add one.
fn addend(
    func: &Func,
    region: &Block,
    add: &Op,
    param: ValueId,
    is_uniform: &dyn Fn(ValueId) -> bool,
) -> Option<DType> {
    let by = match add.kind {
        K::PtrAdd => ops::PtrAdd::of(add).filter(|add| add.ptr() == param)?.offset(),
        K::Add => match ops::Add::of(add)? {
            add if add.a() == param => add.b(),
            add if add.b() == param => add.a(),
            _ => return None,
        },
        _ => return None,
    };
    let dtype = func.ty(by).dtype()?;
    let uniform = match maker(region, by) {
        Some(op) => op.kind == K::Splat || op.kind == K::Constant && splat_bits(op).is_some(),
        None => is_uniform(by),
    };
    let integer = matches!(dtype.class(), Class::Int | Class::UInt);
    (integer && uniform && by != param).then_some(dtype)
}

/// Whether the value is `param` after elementwise ops alone, through values with no other use.
fn comes_of(region: &Block, param: ValueId, id: ValueId) -> bool {
    let mut below = vec![id];
    while let Some(id) = below.pop() {
        if uses(region, id) != 1 {
            continue;
        }
        if id == param {
            return true;
        }
        if let Some(op) = maker(region, id).filter(|op| op.decl().group == Group::Elementwise) {
            below.extend(op.used());
        }
    }
    false
}

fn maker(region: &Block, id: ValueId) -> Option<&Op> {
    region.ops.iter().find(|op| op.defined().any(|out| out == id))
}

/// Number of uses of the value in the block and the blocks nested in it.
fn uses(block: &Block, id: ValueId) -> usize {
    let of = |op: &Op| -> usize {
        op.used().filter(|&v| v == id).count()
            + op.regions.iter().map(|r| uses(r, id)).sum::<usize>()
    };
    block.results.iter().filter(|&&v| v == id).count() + block.ops.iter().map(of).sum::<usize>()
}

/// The bits of each element of a constant, if all are the same.
pub(super) fn splat_bits(op: &Op) -> Option<u64> {
    let literal = ops::Constant::of(op)?.value();
    let LiteralData::Bytes(data) = literal.data() else { return None };
    let first = data.get(..literal.dtype().size()).filter(|_| literal.is_splat())?;
    Some(first.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}
