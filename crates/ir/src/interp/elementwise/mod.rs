//! Elementwise ops.

mod float;
mod integer;

use super::error::Trap;
use super::libm;
use super::machine::{Site, Values};
use super::number::{cast, from_float, from_int};
use super::value::Block;
use crate::decompose::{Decomposition, DecompositionStep};
use crate::op::{Rule, view};
use crate::{DType, Op, OpKind, ops};
use OpKind as K;
use float::on_floats;
use integer::on_integers;

pub(super) fn run(site: &Site<'_>) -> Values {
    let operands: Vec<Option<&Block>> =
        (0..site.op.inputs.len()).map(|i| site.optional(i)).collect();
    Ok(vec![evaluate(site.op, &operands)?.into()])
}

/// The op on blocks of equal dimensions; a scalar stands for a block of it.
fn evaluate(op: &Op, operands: &[Option<&Block>]) -> Result<Block, Trap> {
    let first = operands.first().copied().flatten().ok_or(Trap::Unknown)?;
    // Composites of floats are computed in f64 and rounded once.
    if let Some(decomposition) = op.decompose(first.dtype, DType::F64) {
        return composite(&decomposition, operands);
    }
    let operands: Vec<&Block> = operands.iter().copied().flatten().collect();
    let shaped = operands.iter().copied().find(|b| !b.dims.is_empty()).unwrap_or(first);
    let len = shaped.bits.len();
    let at = |block: &Block, i: usize| block.bits[if block.dims.is_empty() { 0 } else { i }];
    let bits = |i: usize| -> Vec<u64> { operands.iter().map(|b| at(b, i)).collect() };
    let from = first.dtype;
    let to = match op.decl().result(0).map(|r| r.rule) {
        Some(Rule::Is(dtype)) => dtype,
        Some(Rule::Attr(name)) => view::set_or_declared(op, name).unwrap_or(from),
        Some(Rule::Element(of)) => operands.get(of).map_or(from, |b| b.dtype),
        _ => from,
    };
    let element = |i: usize| -> Result<u64, Trap> {
        let bits = bits(i);
        Ok(match op.kind {
            K::Where => bits[if bits[0] != 0 { 1 } else { 2 }],
            K::Cast if from == to => bits[0],
            K::Cast => {
                let op = ops::Cast::of(op).ok_or(Trap::Unknown)?;
                cast(from, to, bits[0], op.rounding(), op.saturate())
            }
            K::BitCast => bits[0],
            K::Libm => {
                let types: Vec<DType> = operands.iter().map(|b| b.dtype).collect();
                libm::element(op, &types, &bits, to)?
            }
            _ if from.is_float() => on_floats(op, from, &bits)?,
            _ => on_integers(op, from, &bits)?,
        })
    };
    Ok(Block::new(to, &shaped.dims, (0..len).map(element).collect::<Result<_, _>>()?))
}

fn no_meaning(op: &Op, dtype: DType) -> Trap {
    Trap::NoMeaning { op: op.decl().name, dtype }
}

/// A composite, by its definition.
fn composite(decomposition: &Decomposition, operands: &[Option<&Block>]) -> Result<Block, Trap> {
    let mut values: Vec<Block> = vec![];
    for (step, dtype) in &decomposition.steps {
        values.push(match step {
            DecompositionStep::Operand(i) => {
                operands.get(*i).copied().flatten().ok_or(Trap::Unknown)?.clone()
            }
            DecompositionStep::Constant(number) if dtype.is_float() => {
                Block::one(*dtype, from_float(*dtype, *number))
            }
            DecompositionStep::Constant(number) => {
                Block::one(*dtype, from_int(*dtype, *number as i128))
            }
            DecompositionStep::Primitive(op, args) => {
                let args: Vec<Option<&Block>> = args.iter().map(|&id| values.get(id)).collect();
                evaluate(op, &args)?
            }
        });
    }
    values.pop().ok_or(Trap::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_meaning_is_named() {
        let ones = |dtype| Block::one(dtype, from_int(DType::I32, 1));
        let (floats, ints) = (ones(DType::F32), ones(DType::I32));
        for (kind, operands, message) in [
            (K::IsNaN, vec![&ints], "`is_nan` has no meaning for i32"),
            (K::Pow, vec![&ints; 2], "`pow` has no meaning for i32"),
            (K::BitwiseNot, vec![&floats], "`bitwise_not` has no meaning for f32"),
            (K::MulHigh, vec![&floats; 2], "`mul_high` has no meaning for f32"),
        ] {
            let op = Op::new(kind, vec![], vec![]);
            let operands: Vec<Option<&Block>> = operands.into_iter().map(Some).collect();
            assert_eq!(
                evaluate(&op, &operands).unwrap_err().to_string(),
                format!("{message}: add it to `interp/elementwise`")
            );
        }
    }
}
