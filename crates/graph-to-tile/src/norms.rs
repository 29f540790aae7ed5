//! Norms: elements less their mean, by their deviation.

use trident_ir::{DType, OpKind as K, ValueId, counted, geometry, ops};

use super::elementwise::map;
use super::rows::{Place, Rows, Shape, float};
use super::site::{Site, unsupported};
use super::space::View;
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::LayerNormalization::KIND, layer_norm),
    entry(ops::RMSNormalization::KIND, rms_norm),
    entry(ops::SkipLayerNormalization::KIND, skip_layer_norm),
    entry(ops::InstanceNormalization::KIND, instance_norm),
    entry(ops::GroupNormalization::KIND, group_norm),
    entry(ops::BatchNormalization::KIND, batch_norm),
    entry(ops::LpNormalization::KIND, lp_norm),
    entry(ops::Hardmax::KIND, hardmax),
    entry(ops::MeanVarianceNormalization::KIND, mean_variance),
    entry(ops::LRN::KIND, lrn),
];

/// 1/√(variance + epsilon) and the mean of rows whose elements `of` gives.
fn moments(
    w: &mut Writer,
    rows: &Rows,
    epsilon: f32,
    of: impl Fn(&mut Writer, &Place) -> Result<ValueId>,
) -> Result<(ValueId, ValueId)> {
    let count = rows.count(w)?;
    let sum = rows.fold(w, Fold::Sum, &of)?;
    let mean = w.div(sum, count)?;
    let squares = rows.fold(w, Fold::Sum, |w, place| {
        let x = of(w, place)?;
        let x = w.sub(x, mean)?;
        w.mul(x, x)
    })?;
    let variance = w.div(squares, count)?;
    Ok((mean, inverse(w, variance, epsilon)?))
}

/// 1/√(x + epsilon).
fn inverse(w: &mut Writer, x: ValueId, epsilon: f32) -> Result<ValueId> {
    let epsilon = w.float(DType::F32, epsilon.into())?;
    let sum = w.add(x, epsilon)?;
    let root = w.op(K::Sqrt, &[sum])?;
    let one = w.float(DType::F32, 1.0)?;
    w.div(one, root)
}

fn layer_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::LayerNormalization::of)?;
    let dtype = site.dtype(ops::LayerNormalization::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::LayerNormalization::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let shape = Shape::from(dims, axis);
    for i in [ops::LayerNormalization::AT.scale, ops::LayerNormalization::AT.b] {
        if site.has(i) && site.dims(i)?.iter().product::<usize>() != shape.columns {
            return Err(unsupported("a scale or bias that broadcasts is not supported"));
        }
    }
    let epsilon = op.epsilon();
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::LayerNormalization::AT.x), dtype)?,
        w.array(Arg::Result(ops::LayerNormalization::AT.y), dtype)?,
    );
    let scale = w.array(Arg::Operand(ops::LayerNormalization::AT.scale), dtype)?;
    let bias = if site.has(ops::LayerNormalization::AT.b) {
        Some(w.array(Arg::Operand(ops::LayerNormalization::AT.b), dtype)?)
    } else {
        None
    };
    let rows = Rows::new(&mut w, &shape)?;
    let (mean, inverse) = moments(&mut w, &rows, epsilon, |w, place| place.of(w, x))?;
    let statistics = [
        (ops::LayerNormalization::AT.mean, mean),
        (ops::LayerNormalization::AT.inv_std_dev, inverse),
    ];
    for (i, value) in statistics {
        if site.wants(i) {
            let dtype = site.result_dtype(i)?;
            let to = w.array(Arg::Result(i), dtype)?;
            rows.store(&mut w, to, dtype, value)?;
        }
    }
    rows.each(&mut w, y, dtype, |w, place| {
        let x = place.of(w, x)?;
        let x = w.sub(x, mean)?;
        let x = w.mul(x, inverse)?;
        let scale = place.column_of(w, scale)?;
        let y = w.mul(x, scale)?;
        match bias {
            Some(bias) => {
                let bias = place.column_of(w, bias)?;
                w.add(y, bias)
            }
            None => Ok(y),
        }
    })?;
    site.step(w, rows.grid())
}

/// x/√(mean(x²) + epsilon)·scale over the axes from `axis` on.
fn rms_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::RMSNormalization::of)?;
    let (dtype, to) =
        (site.dtype(ops::RMSNormalization::AT.x)?, site.result_dtype(ops::RMSNormalization::AT.y)?);
    float(dtype)?;
    let scale_type = site.dtype(ops::RMSNormalization::AT.scale)?;
    let dims = site.dims(ops::RMSNormalization::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let shape = Shape::from(dims, axis);
    if site.dims(ops::RMSNormalization::AT.scale)?.iter().product::<usize>() != shape.columns {
        return Err(unsupported("a scale that broadcasts is not supported"));
    }
    let epsilon = op.epsilon();
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::RMSNormalization::AT.x), dtype)?,
        w.array(Arg::Result(ops::RMSNormalization::AT.y), to)?,
    );
    let scale = w.array(Arg::Operand(ops::RMSNormalization::AT.scale), scale_type)?;
    let rows = Rows::new(&mut w, &shape)?;
    let squares = rows.fold(&mut w, Fold::Sum, |w, place| {
        let x = place.of(w, x)?;
        w.mul(x, x)
    })?;
    let count = rows.count(&mut w)?;
    let mean = w.div(squares, count)?;
    let inverse = inverse(&mut w, mean, epsilon)?;
    rows.each(&mut w, y, to, |w, place| {
        let x = place.of(w, x)?;
        let x = w.mul(x, inverse)?;
        let scale = place.column_of(w, scale)?;
        w.mul(x, scale)
    })?;
    site.step(w, rows.grid())
}

/// Layer normalisation over the last axis of x + skip + bias.
fn skip_layer_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::SkipLayerNormalization::of)?;
    let dtype = site.dtype(ops::SkipLayerNormalization::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::SkipLayerNormalization::AT.x)?;
    let last = dims
        .len()
        .checked_sub(1)
        .ok_or_else(|| unsupported("its input is a scalar, which has no last axis"))?;
    if site.dims(ops::SkipLayerNormalization::AT.skip)? != dims {
        return Err(unsupported("a skip input that broadcasts is not supported"));
    }
    let shape = Shape::along(dims, last);
    let epsilon = op.epsilon();
    let mut w = site.writer(dims.iter().product());
    let (x, skip) = (
        w.array(Arg::Operand(ops::SkipLayerNormalization::AT.x), dtype)?,
        w.array(Arg::Operand(ops::SkipLayerNormalization::AT.skip), dtype)?,
    );
    let y = w.array(Arg::Result(ops::SkipLayerNormalization::AT.y), dtype)?;
    let scale = w.array(Arg::Operand(ops::SkipLayerNormalization::AT.scale), dtype)?;
    let mut optional = |i: usize| match site.has(i) {
        true => w.array(Arg::Operand(i), dtype).map(Some),
        false => Ok(None),
    };
    let (beta, bias) = (
        optional(ops::SkipLayerNormalization::AT.b)?,
        optional(ops::SkipLayerNormalization::AT.bias)?,
    );
    let rows = Rows::new(&mut w, &shape)?;
    let sum = |w: &mut Writer, place: &Place| {
        let (x, skip) = (place.of(w, x)?, place.of(w, skip)?);
        let sum = w.add(x, skip)?;
        match bias {
            Some(bias) => {
                let bias = place.column_of(w, bias)?;
                w.add(sum, bias)
            }
            None => Ok(sum),
        }
    };
    let (mean, inverse) = moments(&mut w, &rows, epsilon, sum)?;
    if site.wants(ops::SkipLayerNormalization::AT.sum) {
        let to = w.array(Arg::Result(ops::SkipLayerNormalization::AT.sum), dtype)?;
        rows.each(&mut w, to, dtype, sum)?;
    }
    rows.each(&mut w, y, dtype, |w, place| {
        let x = sum(w, place)?;
        let x = w.sub(x, mean)?;
        let x = w.mul(x, inverse)?;
        let scale = place.column_of(w, scale)?;
        let y = w.mul(x, scale)?;
        match beta {
            Some(beta) => {
                let beta = place.column_of(w, beta)?;
                w.add(y, beta)
            }
            None => Ok(y),
        }
    })?;
    site.step(w, rows.grid())
}

/// Instance normalisation: each channel is a group.
fn instance_norm(site: &mut Site<'_>) -> Result<()> {
    let epsilon = site.view(ops::InstanceNormalization::of)?.epsilon();
    by_group(site, None, epsilon)
}

/// Group normalisation.
fn group_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::GroupNormalization::of)?;
    by_group(site, Some(op.num_groups().max(1) as usize), op.epsilon())
}

// Both have their operands at the same places.
const _: () = assert!(ops::InstanceNormalization::AT.x == ops::GroupNormalization::AT.x);
const _: () = assert!(ops::InstanceNormalization::AT.scale == ops::GroupNormalization::AT.scale);
const _: () = assert!(ops::InstanceNormalization::AT.b == ops::GroupNormalization::AT.bias);

/// Normalises the channels of each group, one channel if `groups` is `None`. Rows are the channels of a group, with an element of
/// scale and bias for each channel.
fn by_group(site: &mut Site<'_>, groups: Option<usize>, epsilon: f32) -> Result<()> {
    let dtype = site.dtype(ops::InstanceNormalization::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::InstanceNormalization::AT.x)?;
    let [batch, channels, ref plane @ ..] = *dims else {
        return Err(unsupported("its input has no batch and channel axis"));
    };
    let groups = groups.unwrap_or(channels);
    let plane: usize = plane.iter().product();
    let own = channels / groups.max(1);
    if own * groups != channels
        || site.dims(ops::InstanceNormalization::AT.scale)? != [channels]
        || site.dims(ops::InstanceNormalization::AT.b)? != [channels]
    {
        return Err(geometry::GeometryError::Invalid(format!(
            "{} with a scale of dimensions {:?} cannot be divided into {}",
            counted(channels, "channel"),
            site.dims(ops::InstanceNormalization::AT.scale)?,
            counted(groups, "group")
        ))
        .into());
    }
    let shape = Shape { outer: batch * groups, columns: own * plane, inner: 1 };
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::InstanceNormalization::AT.x), dtype)?,
        w.array(Arg::Result(ops::InstanceNormalization::AT.y), dtype)?,
    );
    let (scale, bias) = (
        w.array(Arg::Operand(ops::InstanceNormalization::AT.scale), dtype)?,
        w.array(Arg::Operand(ops::InstanceNormalization::AT.b), dtype)?,
    );
    let rows = Rows::new(&mut w, &shape)?;
    let (mean, inverse) = moments(&mut w, &rows, epsilon, |w, place| place.of(w, x))?;
    let (count, first, plane) = (w.size(groups)?, w.size(own)?, w.size(plane)?);
    let (_, group) = w.divide(rows.row, count)?;
    let first = w.mul(group, first)?;
    rows.each(&mut w, y, dtype, |w, place| {
        let (channel, _) = w.divide(place.column, plane)?;
        let channel = w.add(first, channel)?;
        let x = place.of(w, x)?;
        let x = w.sub(x, mean)?;
        let x = w.mul(x, inverse)?;
        let (scale, bias) = (place.at(w, scale, channel)?, place.at(w, bias, channel)?);
        let y = w.mul(x, scale)?;
        w.add(y, bias)
    })?;
    site.step(w, rows.grid())
}

/// (x − mean)/√(variance + epsilon)·scale + b per channel, with statistics that are given.
fn batch_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::BatchNormalization::of)?;
    let dtype = site.dtype(ops::BatchNormalization::AT.x)?;
    float(dtype)?;
    if op.training_mode() {
        return Err(unsupported("training mode is not supported"));
    }
    let at = ops::BatchNormalization::AT;
    let by_channel = [at.scale, at.b, at.mean, at.var];
    let types = by_channel.map(|i| site.dtype(i)).into_iter().collect::<Result<Vec<_>>>()?;
    let dims = site.dims(ops::BatchNormalization::AT.x)?;
    let channels = dims.get(1).copied().unwrap_or(1);
    let mut of_channel = vec![1; dims.len()];
    of_channel.get_mut(1).into_iter().for_each(|n| *n = channels);
    let mut inputs = vec![View::dense(Arg::Operand(ops::BatchNormalization::AT.x), dtype, dims)];
    for (i, dtype) in by_channel.into_iter().zip(types) {
        inputs.push(View::broadcast(Arg::Operand(i), dtype, &of_channel, dims));
    }
    let epsilon = op.epsilon();
    let output = View::dense(Arg::Result(ops::BatchNormalization::AT.y), dtype, dims);
    map(site, dims, inputs, output, |w, xs| {
        let xs = xs.iter().map(|&x| w.cast(x, DType::F32)).collect::<Result<Vec<_>>>()?;
        let [x, scale, bias, mean, variance] = xs[..] else {
            return Err(unsupported("lacks an operand"));
        };
        let inverse = inverse(w, variance, epsilon)?;
        let factor = w.mul(scale, inverse)?;
        let x = w.sub(x, mean)?;
        let y = w.mul(x, factor)?;
        w.add(y, bias)
    })
}

/// Elements divided by the norm of their row; where that is 0, so is the result.
fn lp_norm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::LpNormalization::of)?;
    let dtype = site.dtype(ops::LpNormalization::AT.x)?;
    float(dtype)?;
    let power = op.p();
    let dims = site.dims(ops::LpNormalization::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::LpNormalization::AT.x), dtype)?,
        w.array(Arg::Result(ops::LpNormalization::AT.y), dtype)?,
    );
    let rows = Rows::new(&mut w, &Shape::along(dims, axis))?;
    let sum = rows.fold(&mut w, Fold::Sum, |w, place| {
        let x = place.of(w, x)?;
        if power == 1 { w.op(K::Abs, &[x]) } else { w.mul(x, x) }
    })?;
    let norm = if power == 1 { sum } else { w.op(K::Sqrt, &[sum])? };
    let zero = w.float(DType::F32, 0.0)?;
    let none = w.op(K::Equal, &[norm, zero])?;
    rows.each(&mut w, y, dtype, |w, place| {
        let x = place.of(w, x)?;
        let quotient = w.div(x, norm)?;
        w.select(none, zero, quotient)
    })?;
    site.step(w, rows.grid())
}

/// 1 at the first greatest element along the axis, else 0.
fn hardmax(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::Hardmax::of)?;
    let dtype = site.dtype(ops::Hardmax::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::Hardmax::AT.x)?;
    let axis = geometry::axis(op.axis(), dims.len())?;
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::Hardmax::AT.x), dtype)?,
        w.array(Arg::Result(ops::Hardmax::AT.y), dtype)?,
    );
    let rows = Rows::new(&mut w, &Shape::along(dims, axis))?;
    let most = rows.fold(&mut w, Fold::Max, |w, place| place.of(w, x))?;
    let (none, zero) = (w.float(DType::F32, f64::INFINITY)?, w.float(DType::F32, 0.0)?);
    let one = w.float(DType::F32, 1.0)?;
    // Columns as floats are exact up to 2^24.
    if dims[axis] > 1 << 24 {
        return Err(unsupported("its rows are too long"));
    }
    let first = rows.fold(&mut w, Fold::Min, |w, place| {
        let x = place.of(w, x)?;
        let greatest = w.op(K::Equal, &[x, most])?;
        let column = w.cast(place.column, DType::F32)?;
        w.select(greatest, column, none)
    })?;
    rows.each(&mut w, y, dtype, |w, place| {
        let column = w.cast(place.column, DType::F32)?;
        let hot = w.op(K::Equal, &[column, first])?;
        w.select(hot, one, zero)
    })?;
    site.step(w, rows.grid())
}

/// (x − mean)/deviation over axes, which are brought to the end if they are not there.
fn mean_variance(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::MeanVarianceNormalization::of)?;
    let dtype = site.dtype(ops::MeanVarianceNormalization::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::MeanVarianceNormalization::AT.x)?;
    let named = op.axes().unwrap_or(&[0, 2, 3]);
    let axes = geometry::axes(named, dims.len())?;
    let order: Vec<usize> =
        (0..dims.len()).filter(|axis| !axes.contains(axis)).chain(axes.iter().copied()).collect();
    let moved = geometry::transpose(dims, &order);
    let len = dims.iter().product();
    let before = site.scratch(DType::F32, len);
    let after = site.scratch(DType::F32, len);
    let own = super::space::signed(&geometry::strides(dims));
    let strides: Vec<isize> = order.iter().map(|&axis| own[axis]).collect();
    let view = |array, dtype| View { array, dtype, start: 0, strides: strides.clone() };
    let gathered = View::dense(before, DType::F32, &moved);
    map(
        site,
        &moved,
        vec![view(Arg::Operand(ops::MeanVarianceNormalization::AT.x), dtype)],
        gathered,
        |_, xs| Ok(xs[0]),
    )?;
    let mut w = site.writer(len);
    let (x, y) = (w.array(before, DType::F32)?, w.array(after, DType::F32)?);
    let shape = Shape::from(&moved, dims.len() - axes.len());
    let rows = Rows::new(&mut w, &shape)?;
    let (mean, inverse) = moments(&mut w, &rows, 1e-9, |w, place| place.of(w, x))?;
    rows.each(&mut w, y, DType::F32, |w, place| {
        let x = place.of(w, x)?;
        let x = w.sub(x, mean)?;
        w.mul(x, inverse)
    })?;
    site.step(w, rows.grid())?;
    let from = View::dense(after, DType::F32, &moved);
    map(
        site,
        &moved,
        vec![from],
        view(Arg::Result(ops::MeanVarianceNormalization::AT.y), dtype),
        |w, xs| w.cast(xs[0], dtype),
    )
}

/// x/(bias + alpha/size·Σx²)^beta, the sum over neighbouring channels.
fn lrn(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::LRN::of)?;
    let dtype = site.dtype(ops::LRN::AT.x)?;
    float(dtype)?;
    let size = usize::try_from(op.size()).ok().filter(|&n| n > 0);
    let size = size.ok_or_else(|| unsupported("attribute `size` must be at least 1"))?;
    let (alpha, beta) = (f64::from(op.alpha()), f64::from(op.beta()));
    let bias = f64::from(op.bias());
    let dims = site.dims(ops::LRN::AT.x)?;
    let [batch, channels, ref plane @ ..] = *dims else {
        return Err(unsupported("its input has no batch and channel axis"));
    };
    let plane: usize = plane.iter().product();
    let len = batch * channels * plane;
    let block = 256;
    let mut w = site.writer(len);
    let n = w.size(len)?;
    let (linear, mask) = w.span(0, block, n)?;
    let place = w.unravel(linear, &[batch, channels, plane])?;
    let base = w.array(Arg::Operand(ops::LRN::AT.x), dtype)?;
    let (zero, before) = (w.float(DType::F32, 0.0)?, w.size((size - 1) / 2)?);
    let none = w.spread(zero, &[block])?;
    let (count, all, stride) = (w.size(size)?, w.size(channels)?, w.size(plane)?);
    let sums = w.repeat(count, 1, &[none], |w, i, sums| {
        let distance = w.sub(i, before)?;
        let channel = w.add(place[1], distance)?;
        let first = w.int(0)?;
        let (below, under) = (w.less(channel, first)?, w.less(channel, all)?);
        let inside = w.op(K::Not, &[below])?;
        let inside = w.and(inside, under)?;
        let inside = w.and(inside, mask)?;
        let along = w.mul(distance, stride)?;
        let at = w.add(linear, along)?;
        let x = w.load_or_zero(base, at, inside)?;
        let x = w.cast(x, DType::F32)?;
        let square = w.mul(x, x)?;
        Ok(vec![w.add(sums[0], square)?])
    })?;
    let x = w.load(base, linear, Some(mask), None)?;
    let x = w.cast(x, DType::F32)?;
    let factor = w.float(DType::F32, alpha / size as f64)?;
    let sum = w.mul(sums[0], factor)?;
    let bias = w.float(DType::F32, bias)?;
    let sum = w.add(sum, bias)?;
    let beta = w.float(DType::F32, beta)?;
    let power = w.op(K::Pow, &[sum, beta])?;
    let y = w.div(x, power)?;
    let y = w.cast(y, dtype)?;
    let to = w.array(Arg::Result(ops::LRN::AT.y), dtype)?;
    w.store(to, linear, y, mask)?;
    site.step(w, [len.div_ceil(block), 1, 1])
}
