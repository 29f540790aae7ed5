//! Convolutions as products. Rows are output channels of a group, columns are positions of the images, and sums run
//! over the channels and taps of the kernel.

use trident_ir::geometry::{self, conv_dims, transposed_conv};
use trident_ir::op::Activation;
use trident_ir::{OpKind as K, ValueId, ops};

use super::product::{Depth, Epilogue, Factor, Tile, accumulator};
use super::quant::{Along, Quantised};
use super::site::{Site, unsupported};
use super::space::signed;
use super::winograd;
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::Conv::KIND, conv),
    entry(ops::FusedConv::KIND, conv),
    entry(ops::ConvInteger::KIND, conv),
    entry(ops::QLinearConv::KIND, conv),
    entry(ops::ConvTranspose::KIND, conv_transpose),
];

// Their images are where those of `conv` are.
const _: () = assert!(ops::Conv::AT.x == ops::ConvInteger::AT.x);
const _: () = assert!(ops::Conv::AT.x == ops::QLinearConv::AT.x);
const _: () = assert!(ops::Conv::AT.x == ops::ConvTranspose::AT.x);
const _: () = assert!(ops::Conv::AT.b == ops::FusedConv::AT.b);
const _: () = assert!(ops::Conv::AT.b == ops::ConvTranspose::AT.b);

/// How taps reach elements along an axis: at place·stride + tap·dilation − before; transposed, at
/// (place + before − tap·dilation)/stride.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) taps: usize,
    pub(super) stride: usize,
    pub(super) dilation: usize,
    pub(super) before: i64,
    /// Length of the operand.
    pub(super) len: usize,
    /// Length of the result.
    pub(super) out: usize,
}

/// The element that a tap of a place reads along an axis, and whether it is inside of the operand.
pub(super) fn reach(
    w: &mut Writer,
    axis: &Axis,
    place: ValueId,
    tap: ValueId,
    transposed: bool,
) -> Result<(ValueId, ValueId)> {
    let scaled = |w: &mut Writer, x: ValueId, by: usize| match by {
        1 => Ok(x),
        by => {
            let by = w.size(by)?;
            w.mul(x, by)
        }
    };
    let along = scaled(w, tap, axis.dilation)?;
    let (at, mut inside) = if transposed {
        let start = if axis.before == 0 {
            place
        } else {
            let before = w.size(axis.before)?;
            w.add(place, before)?
        };
        let at = w.sub(start, along)?;
        let zero = w.int(0)?;
        let below = w.less(at, zero)?;
        let inside = w.op(K::Not, &[below])?;
        if axis.stride == 1 {
            (at, inside)
        } else {
            let stride = w.size(axis.stride)?;
            let (quotient, rest) = w.divide(at, stride)?;
            let exact = w.op(K::Equal, &[rest, zero])?;
            (quotient, w.and(inside, exact)?)
        }
    } else {
        let start = scaled(w, place, axis.stride)?;
        let mut at = w.add(start, along)?;
        if axis.before != 0 {
            let before = w.size(axis.before)?;
            at = w.sub(at, before)?;
        }
        let zero = w.int(0)?;
        let below = w.less(at, zero)?;
        (at, w.op(K::Not, &[below])?)
    };
    let len = w.size(axis.len)?;
    let before_end = w.less(at, len)?;
    inside = w.and(inside, before_end)?;
    Ok((at, inside))
}

/// A convolution or transposed convolution, whichever way its op is written.
pub(super) struct Conv {
    pub(super) images: usize,
    pub(super) groups: usize,
    /// Channels of a group, of the operand and of the result.
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) axes: Vec<Axis>,
    pub(super) transposed: bool,
}

fn plain(site: &Site<'_>, weights: usize) -> Result<Conv> {
    let window = site.view(ops::Window::of)?;
    let group = site.view(ops::Grouped::of)?.group();
    let (x, w) = (site.dims(ops::Conv::AT.x)?, site.dims(weights)?);
    let (_, windows) = conv_dims(
        x,
        w,
        group,
        window.kernel_shape(),
        window.strides(),
        site.view(ops::Dilated::of)?.dilations(),
        window.pads(),
        site.view(ops::AutoPadded::of)?.auto_pad(),
    )?;
    let axis = |(window, &len): (&geometry::Window, &usize)| Axis {
        taps: window.kernel,
        stride: window.stride,
        dilation: window.dilation,
        before: window.before as i64,
        len,
        out: window.out,
    };
    let axes = windows.iter().zip(&x[2..]).map(axis).collect();
    let groups = group as usize;
    let (inputs, outputs) = (x[1] / groups, w[0] / groups);
    Ok(Conv { images: x[0], groups, inputs, outputs, axes, transposed: false })
}

fn transposed(site: &Site<'_>, weights: usize) -> Result<Conv> {
    let op = site.view(ops::ConvTranspose::of)?;
    let (x, w) = (site.dims(ops::ConvTranspose::AT.x)?, site.dims(weights)?);
    let group = op.group();
    let found = transposed_conv(
        x,
        w,
        group,
        op.kernel_shape(),
        op.strides(),
        op.dilations(),
        op.pads(),
        op.output_padding(),
        op.output_shape(),
        op.auto_pad(),
    )?;
    let axis = |(axis, &len): (&geometry::TransposedAxis, &usize)| Axis {
        taps: axis.kernel,
        stride: axis.stride,
        dilation: axis.dilation,
        before: axis.before,
        len,
        out: axis.out,
    };
    let axes = found.axes.iter().zip(&x[2..]).map(axis).collect();
    let groups = group as usize;
    Ok(Conv { images: x[0], groups, inputs: x[1] / groups, outputs: w[1], axes, transposed: true })
}

fn conv(site: &mut Site<'_>) -> Result<()> {
    write(site, plain)
}

fn conv_transpose(site: &mut Site<'_>) -> Result<()> {
    write(site, transposed)
}

fn write(site: &mut Site<'_>, geometry: fn(&Site<'_>, usize) -> Result<Conv>) -> Result<()> {
    let dtype = site.dtype(ops::Conv::AT.x)?;
    let activation = ops::Activated::of(site.op).map_or(Activation::None, Activation::of);
    let quantised = Quantised::of(site)?;
    if quantised.is_none() && !dtype.is_float() {
        return Err(unsupported(format!("convolution of {dtype} is not supported")));
    }
    let weights_at = quantised.map_or(ops::Conv::AT.w, |op| op.b);
    let conv = geometry(site, weights_at)?;
    if quantised.is_none()
        && let Some(form) = winograd::choose(site, &conv)?
    {
        return winograd::write(site, &conv, form, activation);
    }
    let Conv { images, groups, inputs, outputs, axes, .. } = &conv;
    let taps: Vec<usize> = axes.iter().map(|axis| axis.taps).collect();
    let out: Vec<usize> = axes.iter().map(|axis| axis.out).collect();
    let lengths: Vec<usize> = axes.iter().map(|axis| axis.len).collect();
    let (window, area): (usize, usize) = (taps.iter().product(), out.iter().product());
    let plane: usize = lengths.iter().product();
    let places = images * area;
    let longest =
        [site.dims(ops::Conv::AT.x)?, site.dims(weights_at)?, site.result_dims(ops::Conv::AT.y)?];
    let longest = longest.map(|d| d.iter().product::<usize>()).into_iter().max();

    let wide = accumulator(dtype);
    let tile = Tile::of(*outputs, places, wide).on(site.target(), dtype);
    let mut w = site.writer(longest.unwrap_or(0));
    let (rows, columns) = (w.size(*outputs)?, w.size(places)?);
    let depth = w.size(inputs * window)?;
    let (row, row_valid) = w.span(1, tile.m, rows)?;
    let (column, column_valid) = w.span(0, tile.n, columns)?;
    let (row, row_valid) = (w.expand(row, 1)?, w.expand(row_valid, 1)?);
    let (column, column_valid) = (w.expand(column, 0)?, w.expand(column_valid, 0)?);
    let group = if *groups > 1 { Some(w.program(2)?) } else { None };
    // Image and place in it of each column.
    let mut of = vec![*images];
    of.extend(&out);
    let at = w.unravel(column, &of)?;
    let (image, at) = at.split_first().ok_or_else(|| unsupported("lacks axes"))?;

    let weights = w.array(Arg::Operand(weights_at), site.dtype(weights_at)?)?;
    let x = w.array(Arg::Operand(ops::Conv::AT.x), dtype)?;
    let mut dims = vec![*inputs];
    dims.extend(&taps);
    // Channel of the whole image: that of the group from its first on.
    let channel = |w: &mut Writer, own: ValueId, count: usize| match group {
        None => Ok(own),
        Some(group) => {
            let count = w.size(count)?;
            let first = w.mul(group, count)?;
            w.add(first, own)
        }
    };
    let output = channel(&mut w, row, *outputs)?;
    // Parameters of quantised images and, for each output channel, weights.
    let along = [
        Along { count: 1, at: column, valid: column_valid },
        Along { count: groups * outputs, at: output, valid: row_valid },
    ];
    let zeros = match &quantised {
        Some(op) => op.zeros(&mut w, site, along[0], along[1])?,
        None => [None, None],
    };
    let [x, weights] =
        [Factor { base: x, zero: zeros[0] }, Factor { base: weights, zero: zeros[1] }];
    let weight = |w: &mut Writer, Depth { k, valid, .. }: Depth| -> Result<ValueId> {
        let offset = if conv.transposed {
            // [inputs, outputs, taps] of each group.
            let size = w.size(window)?;
            let (input, tap) = w.divide(k, size)?;
            let input = channel(w, input, *inputs)?;
            let line = w.mul(input, rows)?;
            let line = w.add(line, row)?;
            let line = w.mul(line, size)?;
            w.add(line, tap)?
        } else {
            let line = w.mul(output, depth)?;
            w.add(line, k)?
        };
        let mask = w.and(row_valid, valid)?;
        weights.load(w, offset, mask)
    };
    let pixel = |w: &mut Writer, Depth { k, valid, .. }: Depth| -> Result<ValueId> {
        let tap = w.unravel(k, &dims)?;
        let mut mask = w.and(valid, column_valid)?;
        let channel = channel(w, tap[0], *inputs)?;
        let strides = signed(&geometry::strides(&lengths));
        let all = w.size(groups * inputs * plane)?;
        let mut offset = w.mul(*image, all)?;
        let size = w.size(plane)?;
        let start = w.mul(channel, size)?;
        offset = w.add(offset, start)?;
        for ((axis, stride), (&place, &tap)) in
            axes.iter().zip(strides).zip(at.iter().zip(&tap[1..]))
        {
            let (at, inside) = reach(w, axis, place, tap, conv.transposed)?;
            mask = w.and(mask, inside)?;
            if let Some(part) = w.offset(&[at], &[stride], 0)? {
                offset = w.add(offset, part)?;
            }
        }
        x.load(w, offset, mask)
    };
    let mut sum = w.product(tile, depth, wide, weight, pixel)?;

    let mask = w.and(row_valid, column_valid)?;
    let bias = match &quantised {
        Some(op) => op.bias,
        None => Some(ops::Conv::AT.b),
    };
    if let Some(i) = bias.filter(|&i| site.has(i)) {
        let bias = w.array(Arg::Operand(i), site.dtype(i)?)?;
        let bias = w.load_or_zero(bias, output, row_valid)?;
        let bias = w.cast(bias, wide)?;
        sum = w.add(sum, bias)?;
    }
    // [image, output, place]
    let size = w.size(area)?;
    let (image, place) = w.divide(column, size)?;
    let all = w.size(groups * outputs)?;
    let line = w.mul(image, all)?;
    let line = w.add(line, output)?;
    let line = w.mul(line, size)?;
    let offset = w.add(line, place)?;
    match &quantised {
        Some(op) => op.finish(&mut w, site, sum, along, offset, mask)?,
        None => Epilogue::of(site, &mut w, activation)?.store(&mut w, sum, offset, mask)?,
    }
    site.step(w, [places.div_ceil(tile.n), outputs.div_ceil(tile.m), *groups])
}
