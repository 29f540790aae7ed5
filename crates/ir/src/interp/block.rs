//! Ops that make and rearrange blocks, and pointer arithmetic.

use super::error::Trap;
use super::machine::{Site, Values};
use super::number::{int, poison};
use super::value::Block;
use crate::{DType, OpKind, Type, ops};
use OpKind as K;

pub(super) fn run(site: &Site<'_>) -> Values {
    let op = site.op;
    let dims = site.result_dims(0);
    let results = match op.kind {
        K::Arange => {
            let start = ops::Arange::of(op).ok_or(Trap::Unknown)?.start();
            let n = dims.iter().product::<usize>() as i64;
            let bits = (start..start + n).map(|i| u64::from(i as i32 as u32)).collect();
            vec![Block::new(DType::I32, &dims, bits)]
        }
        K::Poison => vec![arbitrary(site.result(0), &dims)],
        K::Splat => {
            let x = site.block(0)?;
            vec![Block::new(x.dtype, &dims, vec![x.first(); dims.iter().product()])]
        }
        K::Unsplat | K::ExpandDims | K::View => vec![site.block(0)?.reshaped(&dims)],
        K::Hint | K::PtrCast => vec![site.block(0)?.clone()],
        K::IntToPtr => vec![Block { dtype: DType::U64, ..site.block(0)?.clone() }],
        K::PtrToInt => vec![Block { dtype: DType::I64, ..site.block(0)?.clone() }],
        K::Broadcast => {
            let x = site.block(0)?;
            let stretched = |place: Vec<usize>| -> Vec<usize> {
                place.iter().zip(&x.dims[..]).map(|(&p, &n)| if n == 1 { 0 } else { p }).collect()
            };
            vec![gathered(x, &dims, |place| Ok(stretched(place)))?]
        }
        K::Permute => {
            let order = ops::Permute::of(op).ok_or(Trap::Unknown)?.order();
            // Axis i of the result is axis order[i] of the operand.
            let source = |place: Vec<usize>| {
                let mut from = vec![0; place.len()];
                for (&axis, &p) in order.iter().zip(&place) {
                    from[axis as usize] = p;
                }
                Ok(from)
            };
            vec![gathered(site.block(0)?, &dims, source)?]
        }
        K::Cat => {
            let (a, b) = (site.block(0)?, site.block(1)?);
            vec![Block::new(a.dtype, &dims, [&a.bits[..], &b.bits].concat())]
        }
        K::Join => {
            let (a, b) = (site.block(0)?, site.block(1)?);
            let pairs = a.bits.iter().zip(&b.bits[..]).flat_map(|(&a, &b)| [a, b]);
            vec![Block::new(a.dtype, &dims, pairs.collect())]
        }
        K::Unjoin => {
            let x = site.block(0)?;
            let dims = &x.dims[..x.dims.len() - 1];
            let half = |i: usize| {
                Block::new(x.dtype, dims, x.bits.iter().skip(i).step_by(2).copied().collect())
            };
            vec![half(0), half(1)]
        }
        K::TakeAlongAxis => {
            let (x, indices) = (site.block(0)?, site.block(1)?);
            let axis = ops::TakeAlongAxis::of(op).ok_or(Trap::Unknown)?.axis() as usize;
            let source = |mut place: Vec<usize>| {
                let index = int(indices.dtype, indices.bits[offset(&indices.dims, &place)]);
                let length = x.dims[axis];
                let inside = usize::try_from(index).ok().filter(|&i| i < length);
                place[axis] = inside.ok_or(Trap::Index { index, length })?;
                Ok(place)
            };
            vec![gathered(x, &indices.dims, source)?]
        }
        K::Histogram => {
            let (x, mask) = (site.block(0)?, site.optional(1));
            let mut counts = vec![0u64; dims.iter().product()];
            for (i, &bits) in x.bits.iter().enumerate() {
                let counted = mask.is_none_or(|mask| mask.bits[i] != 0);
                let bin = usize::try_from(int(x.dtype, bits)).ok().filter(|_| counted);
                if let Some(count) = bin.and_then(|bin| counts.get_mut(bin)) {
                    *count += 1;
                }
            }
            vec![Block::new(DType::I32, &dims, counts)]
        }
        K::Vector => {
            let elements = site.blocks()?;
            let dtype = elements.first().ok_or(Trap::Unknown)?.dtype;
            vec![Block::new(dtype, &dims, elements.iter().map(|x| x.first()).collect())]
        }
        K::Extract => {
            let x = site.block(0)?;
            vec![Block::one(x.dtype, *x.bits.get(place(op)?).ok_or(Trap::Unknown)?)]
        }
        K::Insert => {
            let (x, element) = (site.block(0)?, site.block(1)?);
            let mut bits = x.bits.to_vec();
            *bits.get_mut(place(op)?).ok_or(Trap::Unknown)? = element.first();
            vec![Block::new(x.dtype, &x.dims, bits)]
        }
        K::PtrAdd => {
            let (ptr, by) = (site.block(0)?, site.block(1)?);
            let size = pointee(site.func.ty(op.inputs[0].ok_or(Trap::Unknown)?)).size() as u64;
            let moved = |(&p, &n): (&u64, &u64)| {
                p.wrapping_add((int(by.dtype, n) as u64).wrapping_mul(size))
            };
            vec![Block::new(
                DType::U64,
                &ptr.dims,
                ptr.bits.iter().zip(&by.bits[..]).map(moved).collect(),
            )]
        }
        _ => return Err(Trap::Unknown.into()),
    };
    Ok(results.into_iter().map(Into::into).collect())
}

/// The place in a vector that the op names.
fn place(op: &crate::Op) -> Result<usize, Trap> {
    let extracted = ops::Extract::of(op).map(|op| op.at());
    let at = extracted.or_else(|| ops::Insert::of(op).map(|op| op.at()));
    at.and_then(|at| usize::try_from(at).ok()).ok_or(Trap::Unknown)
}

/// The element type that pointers of the type point to.
pub(super) fn pointee(ty: &Type) -> DType {
    match ty {
        Type::Pointer(p) => p.to,
        _ => DType::U8,
    }
}

/// A block of arbitrary elements.
fn arbitrary(ty: Option<&Type>, dims: &[usize]) -> Block {
    let dtype = ty.and_then(Type::dtype).unwrap_or(DType::U64);
    Block::new(dtype, dims, vec![poison(dtype); dims.iter().product()])
}

/// The block whose element at each place is that of `x` at `source(place)`.
fn gathered(
    x: &Block,
    dims: &[usize],
    source: impl Fn(Vec<usize>) -> Result<Vec<usize>, Trap>,
) -> Result<Block, Trap> {
    let element = |place| source(place).map(|from| x.bits[offset(&x.dims, &from)]);
    Ok(Block::new(x.dtype, dims, places(dims).map(element).collect::<Result<_, _>>()?))
}

/// Every place of a block, in row-major order.
pub(super) fn places(dims: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (0..dims.iter().product()).map(move |mut at: usize| {
        let mut place = vec![0; dims.len()];
        for (p, &n) in place.iter_mut().zip(dims).rev() {
            (*p, at) = (at % n, at / n);
        }
        place
    })
}

/// Which element of a row-major block stands at a place.
pub(super) fn offset(dims: &[usize], place: &[usize]) -> usize {
    dims.iter().zip(place).fold(0, |at, (&n, &p)| at * n + p)
}
