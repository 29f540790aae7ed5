//! Pooling: each element of the result folds a window of the operand.

use trident_ir::geometry::{self, window_sizes, windows};
use trident_ir::{DType, OpKind as K, ops};

use super::conv::{Axis, reach};
use super::site::{Site, unsupported};
use super::space::signed;
use super::writer::Fold;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::MaxPool::KIND, pool),
    entry(ops::AveragePool::KIND, pool),
    entry(ops::LpPool::KIND, pool),
];

// All have operand and result where `max_pool` has them.
const _: () = assert!(ops::MaxPool::AT.x == ops::AveragePool::AT.x);
const _: () = assert!(ops::MaxPool::AT.x == ops::LpPool::AT.x);
const _: () = assert!(ops::MaxPool::AT.y == ops::AveragePool::AT.y);
const _: () = assert!(ops::MaxPool::AT.y == ops::LpPool::AT.y);

/// Elements that one program computes.
const BLOCK: usize = 256;

fn axes(site: &Site<'_>) -> Result<Vec<(Axis, usize)>> {
    let window = site.view(ops::Window::of)?;
    let x = site.dims(ops::MaxPool::AT.x)?;
    let spatial =
        x.get(2..).ok_or_else(|| unsupported("its input has no batch and channel axis"))?;
    let kernel = window.kernel_shape().unwrap_or_default();
    let kernel = window_sizes("kernel_shape", kernel, spatial.len())?;
    let found = windows(
        spatial,
        &kernel,
        window.strides(),
        site.view(ops::Dilated::of)?.dilations(),
        window.pads(),
        site.view(ops::AutoPadded::of)?.auto_pad(),
        site.view(ops::Rounded::of)?.ceil_mode(),
    )?;
    let axis = |(window, &len): (&geometry::Window, &usize)| {
        let axis = Axis {
            taps: window.kernel,
            stride: window.stride,
            dilation: window.dilation,
            before: window.before as i64,
            len,
            out: window.out,
        };
        (axis, window.after)
    };
    Ok(found.iter().zip(spatial).map(axis).collect())
}

fn pool(site: &mut Site<'_>) -> Result<()> {
    let (op, dtype) = (site.op, site.dtype(ops::MaxPool::AT.x)?);
    let kind = op.kind;
    if kind != K::MaxPool && !dtype.is_float() || !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("pooling elements of {dtype} is not supported")));
    }
    // The norm of `lp_pool`.
    let power = ops::LpPool::of(op).map_or(0, |op| op.p());
    if kind == K::LpPool && power < 1 {
        return Err(unsupported(format!("a norm of power {power} is not supported")));
    }
    let windows = axes(site)?;
    let (x_dims, dims) = (site.dims(ops::MaxPool::AT.x)?, site.result_dims(ops::MaxPool::AT.y)?);
    let axes: Vec<Axis> = windows.iter().map(|(axis, _)| *axis).collect();
    let taps: Vec<usize> = axes.iter().map(|axis| axis.taps).collect();
    let plane: usize = x_dims[2..].iter().product();
    let len: usize = dims.iter().product();
    let mut space = vec![dims[0] * dims[1]];
    space.extend(&dims[2..]);

    let mut w = site.writer(len.max(x_dims.iter().product()));
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let indices = w.unravel(linear, &space)?;
    let (channel, places) = indices.split_first().ok_or_else(|| unsupported("lacks axes"))?;
    let size = w.size(plane)?;
    let start = w.mul(*channel, size)?;
    let base = w.array(Arg::Operand(ops::MaxPool::AT.x), dtype)?;
    let strides = signed(&geometry::strides(&x_dims[2..]));
    let wide = if dtype.is_float() { DType::F32 } else { dtype };
    let wants_index = kind == K::MaxPool && site.wants(ops::MaxPool::AT.indices);
    let by_columns = ops::MaxPool::of(op).is_some_and(|op| op.storage_order() == 1);
    let counts_border = ops::AveragePool::of(op).is_some_and(|op| op.count_include_pad());
    let fold = if kind == K::MaxPool { Fold::Max } else { Fold::Sum };
    let neutral = w.neutral(fold, wide)?;
    let none = w.spread(neutral, &[BLOCK])?;
    let mut init = vec![none];
    if wants_index || kind == K::AveragePool {
        let first = w.literal(w.index_type(), if wants_index { -1 } else { 0 })?;
        init.push(w.spread(first, &[BLOCK])?);
    }
    let window = w.size(taps.iter().product::<usize>())?;
    let found = w.repeat(window, 1, &init, |w, tap, sums| {
        let tap = w.unravel(tap, &taps)?;
        let (mut inside, mut offset, mut counted) = (mask, start, mask);
        let mut place_of = vec![];
        for (((axis, after), &stride), (&place, &tap)) in
            windows.iter().zip(&strides).zip(places.iter().zip(&tap))
        {
            let (at, valid) = reach(w, axis, place, tap, false)?;
            inside = w.and(inside, valid)?;
            if let Some(part) = w.offset(&[at], &[stride], 0)? {
                offset = w.add(offset, part)?;
            }
            if counts_border {
                let end = w.size(axis.len + after)?;
                let below = w.less(at, end)?;
                counted = w.and(counted, below)?;
            }
            place_of.push(at);
        }
        let x = w.load(base, offset, Some(inside), None)?;
        let x = w.cast(x, wide)?;
        match kind {
            K::MaxPool if wants_index => {
                let (more, index) = (w.op(K::Greater, &[x, sums[0]])?, sums[1]);
                // The first element inside is the greatest so far, even if it is not greater than the least number.
                let zero = w.int(0)?;
                let none = w.less(index, zero)?;
                let mut better = w.op(K::Or, &[more, none])?;
                if dtype.is_float() {
                    let (replaced, number) =
                        (w.op(K::IsNaN, &[sums[0]])?, w.op(K::Equal, &[x, x])?);
                    let replaced = w.and(replaced, number)?;
                    better = w.op(K::Or, &[better, replaced])?;
                }
                let better = w.and(better, inside)?;
                let at = if by_columns {
                    let mut strides = vec![1isize; axes.len()];
                    for i in 1..axes.len() {
                        strides[i] = strides[i - 1] * axes[i - 1].len as isize;
                    }
                    let own = w.offset(&place_of, &strides, 0)?;
                    match own {
                        Some(own) => w.add(start, own)?,
                        None => start,
                    }
                } else {
                    offset
                };
                Ok(vec![w.select(better, x, sums[0])?, w.select(better, at, index)?])
            }
            K::AveragePool => {
                let x = w.select(inside, x, neutral)?;
                let (zero, one) = (w.int(0)?, w.int(1)?);
                let counted = if counts_border { counted } else { inside };
                let count = w.select(counted, one, zero)?;
                Ok(vec![w.add(sums[0], x)?, w.add(sums[1], count)?])
            }
            _ => {
                let x = match (kind, power) {
                    (K::LpPool, 1) => w.op(K::Abs, &[x])?,
                    (K::LpPool, 2) => w.mul(x, x)?,
                    (K::LpPool, _) => {
                        let (x, p) = (w.op(K::Abs, &[x])?, w.float(wide, power as f64)?);
                        w.op(K::Pow, &[x, p])?
                    }
                    _ => x,
                };
                let x = w.select(inside, x, neutral)?;
                let sum = match kind {
                    // A NaN is passed over.
                    K::MaxPool if dtype.is_float() => w.op(K::MaxNum, &[sums[0], x])?,
                    _ => w.folded(fold, sums[0], x)?,
                };
                Ok(vec![sum])
            }
        }
    })?;
    let value = match kind {
        K::AveragePool => {
            let count = w.cast(found[1], wide)?;
            w.div(found[0], count)?
        }
        K::LpPool if power == 2 => w.op(K::Sqrt, &[found[0]])?,
        K::LpPool if power > 2 => {
            let inverse = w.float(wide, 1.0 / power as f64)?;
            w.op(K::Pow, &[found[0], inverse])?
        }
        K::MaxPool if dtype.is_float() => {
            let nothing = w.op(K::IsNaN, &[found[0]])?;
            let none = w.spread(neutral, &[BLOCK])?;
            w.select(nothing, none, found[0])?
        }
        _ => found[0],
    };
    let value = w.cast(value, dtype)?;
    let to = w.array(Arg::Result(ops::MaxPool::AT.y), dtype)?;
    w.store(to, linear, value, mask)?;
    if wants_index {
        let to = w.array(Arg::Result(ops::MaxPool::AT.indices), DType::I64)?;
        let index = w.cast(found[1], DType::I64)?;
        w.store(to, linear, index, mask)?;
    }
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}
