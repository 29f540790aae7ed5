//! Elementwise ops.

mod float;
mod integer;

use super::libm;
use super::machine::{Site, Values};
use super::number::{Rounding, cast};
use super::value::Block;
use crate::{DType, Op, OpKind};
use OpKind as K;
use float::on_floats;
use integer::on_integers;

pub(super) fn run(site: &Site<'_>) -> Values {
    let op = site.op;
    let one = |block: Block| Ok(vec![block.into()]);
    match op.kind {
        K::Where => return one(select(site.block(0)?, site.block(1)?, site.block(2)?)),
        K::Clip => return clip(site),
        K::Libm => return one(libm::run(op, &site.blocks()?)?),
        _ => {}
    }
    let operands = site.blocks()?;
    let Some(first) = operands.first() else {
        return site.block(0).map(|_| vec![]).map_err(Into::into);
    };
    let from = first.dtype;
    let to = match op.kind {
        K::Cast | K::BitCast => op.dtype("to").unwrap_or(from),
        K::IsNaN
        | K::IsInf
        | K::Equal
        | K::Greater
        | K::GreaterOrEqual
        | K::Less
        | K::LessOrEqual => DType::Bool,
        _ => from,
    };
    let element = |i: usize| -> u64 {
        let bits: Vec<u64> = operands.iter().map(|b| b.bits[i]).collect();
        match op.kind {
            K::Cast => {
                let rounding = match op.str("rounding") {
                    Some("rtz") => Rounding::Truncate,
                    _ => Rounding::Nearest,
                };
                cast(from, to, bits[0], rounding, op.flag("saturate"))
            }
            K::BitCast => bits[0],
            _ if from.is_float() => on_floats(op, from, &bits),
            _ => on_integers(op, from, &bits),
        }
    };
    one(Block::new(to, &first.dims, (0..first.bits.len()).map(element).collect()))
}

fn select(condition: &Block, x: &Block, y: &Block) -> Block {
    let holds = |i: usize| condition.bits[if condition.dims.is_empty() { 0 } else { i }] != 0;
    let bits = (0..x.bits.len()).map(|i| if holds(i) { x.bits[i] } else { y.bits[i] }).collect();
    Block::new(x.dtype, &x.dims, bits)
}

/// min(max(x, lo), hi) by the rules of `max` and `min`, with bounds that may be left out.
fn clip(site: &Site<'_>) -> Values {
    let x = site.block(0)?;
    let bound = |kind: OpKind, i: usize, x: u64| match site.optional(i) {
        Some(bound) => {
            let op = Op::new(kind, vec![], vec![]);
            let pair = [x, bound.first()];
            if x_is_float(site) {
                on_floats(&op, bound.dtype, &pair)
            } else {
                on_integers(&op, bound.dtype, &pair)
            }
        }
        None => x,
    };
    let bits = x.bits.iter().map(|&bits| bound(K::Min, 2, bound(K::Max, 1, bits))).collect();
    Ok(vec![Block::new(x.dtype, &x.dims, bits).into()])
}

fn x_is_float(site: &Site<'_>) -> bool {
    site.optional(0).is_some_and(|b| b.dtype.is_float())
}
