//! Maps: every element of the result comes from one element of each operand.

use std::collections::HashMap;
use trident_ir::dtype::Class;
use trident_ir::op::Group;
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, Op, OpKind as K, ValueId, ops};

use super::moves::stored;
use super::site::{FIRST, Site, unsupported};
use super::space::{View, merge};
use super::writer::Writer;
use super::{Arg, Entry, Result, Target, entry};

pub(super) const LOWERINGS: &[Entry] =
    &[entry(ops::Cast::KIND, cast), entry(ops::Fused::KIND, fused)];

/// Elements of this size that one program computes.
fn block(target: &Target, size: usize) -> usize {
    (target.block * (target.vector / size.max(1)).clamp(1, 4)).next_power_of_two()
}

/// Writes `f` of the inputs' elements to every place of the output, over a space with these axes.
pub(super) fn map(
    site: &mut Site<'_>,
    dims: &[usize],
    inputs: Vec<View>,
    output: View,
    f: impl FnOnce(&mut Writer, &[ValueId]) -> Result<ValueId>,
) -> Result<()> {
    let mut views = inputs;
    views.push(output);
    let dims = merge(dims, &mut views);
    let Some(output) = views.pop() else { return Ok(()) };
    let len: usize = dims.iter().product();
    let reach = views.iter().chain([&output]).map(|view| reach(view, &dims)).max();
    let mut w = site.writer(reach.unwrap_or(0).max(len));
    let block = block(site.target(), output.dtype.size());
    let n = w.extent(len)?;
    let (at, mask) = w.span(0, block, n)?;
    let indices = w.unravel(at, &dims)?;
    let elements =
        views.iter().map(|view| w.read(view, &indices, mask)).collect::<Result<Vec<_>>>()?;
    let value = f(&mut w, &elements)?;
    let value = w.cast(value, output.dtype)?;
    let base = w.array(output.array, output.dtype)?;
    let offset = match w.offset(&indices, &output.strides, output.start)? {
        Some(offset) => offset,
        None => w.int(0)?,
    };
    let offset = w.spread(offset, &[block])?;
    w.store(base, offset, value, mask)?;
    site.step(w, [len.div_ceil(block), 1, 1])
}

/// One more than the greatest offset of a view over a space.
fn reach(view: &View, dims: &[usize]) -> usize {
    let far = dims.iter().zip(&view.strides);
    far.fold(view.start.unsigned_abs(), |sum, (&n, stride)| {
        sum.saturating_add(n.saturating_mul(stride.unsigned_abs()))
    })
}

/// An elementwise op.
pub(super) fn elementwise(site: &mut Site<'_>) -> Result<()> {
    let op = site.op;
    let to = site.result_dtype(FIRST)?;
    let present: Vec<usize> = (0..site.operands()).filter(|&i| site.has(i)).collect();
    let dtypes = present.iter().map(|&i| site.dtype(i)).collect::<Result<Vec<_>>>()?;
    if op.kind == K::Pow && !dtypes[0].is_float() {
        return Err(unsupported(format!("powers of {} are not supported", dtypes[0])));
    }
    debug_assert_eq!(op.decl().group, Group::Elementwise);
    let dims = site.result_dims(FIRST)?;
    let mut inputs = vec![];
    for (&i, &dtype) in present.iter().zip(&dtypes) {
        inputs.push(View::broadcast(Arg::Operand(i), dtype, site.dims(i)?, dims));
    }
    let output = View::dense(Arg::Result(FIRST), to, dims);
    map(site, dims, inputs, output, |w, xs| {
        let mut given = xs.iter().copied();
        let all: Vec<_> = op.inputs.iter().map(|i| i.and_then(|_| given.next())).collect();
        compute(w, op, &all)
    })
}

/// A chain of elementwise ops.
fn fused(site: &mut Site<'_>) -> Result<()> {
    let op = site.op;
    let to = site.result_dtype(ops::Fused::AT.y)?;
    let [body] = &op.regions[..] else { return Err(unsupported("has no region")) };
    let dtypes = (0..site.operands()).map(|i| site.dtype(i)).collect::<Result<Vec<_>>>()?;
    let dims = site.result_dims(ops::Fused::AT.y)?;
    let mut inputs = vec![];
    for (i, dtype) in dtypes.into_iter().enumerate() {
        inputs.push(View::broadcast(Arg::Operand(i), dtype, site.dims(i)?, dims));
    }
    let output = View::dense(Arg::Result(ops::Fused::AT.y), to, dims);
    map(site, dims, inputs, output, |w, xs| {
        let mut known: HashMap<ValueId, ValueId> =
            body.params.iter().copied().zip(xs.iter().copied()).collect();
        for op in &body.ops {
            let value = match ops::Constant::of(op) {
                Some(constant) => w.constant(constant.value()),
                None => {
                    let xs: Vec<_> =
                        op.inputs.iter().map(|x| x.and_then(|x| known.get(&x).copied())).collect();
                    compute(w, op, &xs)?
                }
            };
            known.extend(op.output(0).map(|out| (out, value)));
        }
        let result = body.results.first().and_then(|result| known.get(result));
        result.copied().ok_or_else(|| unsupported("its subgraph gives nothing"))
    })
}

/// An elementwise op on elements, as it is meant at level graph.
fn compute(w: &mut Writer, op: &Op, operands: &[Option<ValueId>]) -> Result<ValueId> {
    let xs: Vec<ValueId> = operands.iter().copied().flatten().collect();
    let Some(&first) = xs.first() else { return Err(unsupported("lacks an operand")) };
    match op.kind {
        // Its bounds are scalars.
        K::Clip => w.again(op, operands),
        K::Pow => {
            let exponent = w.cast(xs[1], w.dtype(first))?;
            w.spread_again(op, &[first, exponent])
        }
        K::BitShift => {
            // By as many bits as there are, or more, everything is shifted out.
            let to = w.dtype(first);
            let shifted = w.spread_again(op, &xs)?;
            let (bits, zero) = (w.literal(to, to.bits() as i64)?, w.literal(to, 0)?);
            let (under, over) = (w.less(xs[1], zero)?, w.op(K::GreaterOrEqual, &[xs[1], bits])?);
            let all = w.op(K::Or, &[under, over])?;
            let is_signed = to.class() == Class::Int;
            let rest = if is_signed
                && ops::BitShift::of(op).is_some_and(|op| op.direction() == ShiftDirection::Right)
            {
                let (negative, ones) = (w.less(xs[0], zero)?, w.literal(to, -1)?);
                w.select(negative, ones, zero)?
            } else {
                zero
            };
            w.select(all, rest, shifted)
        }
        _ => w.spread_again(op, &xs),
    }
}

/// `cast`, where level tile means the same.
fn cast(site: &mut Site<'_>) -> Result<()> {
    let (from, to) = (site.dtype(ops::Cast::AT.x)?, site.result_dtype(ops::Cast::AT.y)?);
    let narrow = |dtype: DType| dtype.is_float() && dtype.bits() < 16;
    if narrow(from) || narrow(to) {
        return Err(unsupported(format!("a conversion from {from} to {to} is not supported")));
    }
    if from == to {
        site.alias(ops::Cast::AT.y, ops::Cast::AT.x);
        return Ok(());
    }
    let dims = site.result_dims(ops::Cast::AT.y)?;
    let input = View::dense(Arg::Operand(ops::Cast::AT.x), stored(from), dims);
    let output = View::dense(Arg::Result(ops::Cast::AT.y), stored(to), dims);
    map(site, dims, vec![input], output, |w, xs| {
        let short = to.is_int() && to.bits() < 8;
        if !(from.is_float() && to.is_int() || short) {
            return w.cast(xs[0], to);
        }
        // By way of the integers that hold what the standard's reference converts to.
        let wide = if to.bits() == 64 || to == DType::U32 { DType::I64 } else { DType::I32 };
        let wide = if to == DType::U64 { to } else { wide };
        let mut whole = w.cast(xs[0], wide)?;
        if short {
            // The low bits; the highest of them is the sign.
            let (sign, low) = (1 << (to.bits() - 1), (1 << to.bits()) - 1);
            let low = w.literal(wide, low)?;
            whole = w.op(K::BitwiseAnd, &[whole, low])?;
            if to.class() == Class::Int {
                let sign = w.literal(wide, sign)?;
                whole = w.op(K::BitwiseXor, &[whole, sign])?;
                whole = w.sub(whole, sign)?;
            }
        }
        w.cast(whole, stored(to))
    })
}
