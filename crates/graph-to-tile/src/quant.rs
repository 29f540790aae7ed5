//! Quantised tensors: an element q stands for (q − zero point)·scale.

use trident_ir::dtype::Class;
use trident_ir::geometry::{self, GeometryError};
use trident_ir::{DType, OpKind as K, ValueId, counted, ops};

use super::moves::stored;
use super::rows::float;
use super::site::{FIRST, Site, unsupported};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::QuantizeLinear::KIND, quantize),
    entry(ops::DequantizeLinear::KIND, dequantize),
    entry(ops::DynamicQuantizeLinear::KIND, dynamic_quantize),
];

/// Elements that one program computes.
const BLOCK: usize = 1024;

/// Elements that one program takes when it looks for the range of a tensor.
const STRETCH: usize = 16 * BLOCK;

/// The limits of a quantised type.
fn limits(dtype: DType) -> Result<(i64, i64)> {
    let bits = match dtype {
        DType::I16 | DType::I8 | DType::I4 | DType::I2 => dtype.bits() - 1,
        DType::U16 | DType::U8 | DType::U4 | DType::U2 => dtype.bits(),
        other => {
            return Err(unsupported(format!(
                "quantised elements of type {other} are not supported"
            )));
        }
    };
    let least = if dtype.class() == Class::Int { -(1 << bits) } else { 0 };
    Ok((least, (1 << bits) - 1))
}

/// The places of operands and result of `quantize_linear`; `dequantize_linear` has the same.
const AT: ops::QuantizeLinearAt = ops::QuantizeLinear::AT;
const _: () = assert!(AT.x == ops::DequantizeLinear::AT.x);
const _: () = assert!(AT.y_scale == ops::DequantizeLinear::AT.x_scale);
const _: () = assert!(AT.y_zero_point == ops::DequantizeLinear::AT.x_zero_point);
const _: () = assert!(AT.y == ops::DequantizeLinear::AT.y);

/// The axis that has several scales, and the number of elements along it that share a scale; 0 means all, or one if
/// there are several scales.
#[derive(Clone, Copy)]
struct Blocks {
    axis: i64,
    size: i64,
}

/// Which scale belongs to which element.
enum Scales {
    Tensor,
    /// Dimensions before the axis, of it and after it; the number of elements along it that share a scale, and its
    /// number of scales.
    Axis {
        space: [usize; 3],
        each: usize,
        count: usize,
        blocks: bool,
    },
}

impl Scales {
    fn of(site: &Site<'_>, blocks: Blocks) -> Result<Scales> {
        let block = usize::try_from(blocks.size);
        let block = block.map_err(|_| unsupported("attribute `block_size` is negative"))?;
        let (x, scale) = (site.dims(AT.x)?, site.dims(AT.y_scale)?);
        let found = if scale.iter().product::<usize>() == 1 && block == 0 {
            Scales::Tensor
        } else {
            let axis = geometry::axis(blocks.axis, x.len())?;
            let space =
                [x[..axis].iter().product(), x[axis], x[axis + 1..].iter().product::<usize>()];
            let count = if block == 0 { x[axis] } else { x[axis].div_ceil(block) };
            let mut blocks = x.to_vec();
            blocks[axis] = count;
            let fits = if block == 0 { *scale == [count] } else { *scale == *blocks };
            if !fits {
                let text =
                    format!("a scale of dimensions {scale:?} does not fit an input of {x:?}");
                return Err(GeometryError::Invalid(text).into());
            }
            Scales::Axis { space, each: block.max(1), count, blocks: block != 0 }
        };
        if site.has(AT.y_zero_point) {
            let zero = site.dims(AT.y_zero_point)?;
            if zero.iter().product::<usize>() != scale.iter().product() {
                let text =
                    format!("a zero point of dimensions {zero:?} and a scale of {scale:?} differ");
                return Err(GeometryError::Invalid(text).into());
            }
        }
        Ok(found)
    }

    /// Offset of the scale of each element; `None` if all have the same.
    fn offset(&self, w: &mut Writer, linear: ValueId) -> Result<Option<ValueId>> {
        let Scales::Axis { space, each, count, blocks } = self else { return Ok(None) };
        let place = w.unravel(linear, space)?;
        if !blocks {
            return Ok(Some(place[1]));
        }
        let each = w.size(*each)?;
        let (block, _) = w.divide(place[1], each)?;
        w.offset(
            &[place[0], block, place[2]],
            &[(count * space[2]) as isize, space[2] as isize, 1],
            0,
        )
    }
}

/// The element of a parameter for each place: the first, or those at the offsets.
fn parameter(
    w: &mut Writer,
    site: &Site<'_>,
    i: usize,
    at: Option<ValueId>,
    mask: ValueId,
) -> Result<ValueId> {
    let base = w.array(Arg::Operand(i), stored(site.dtype(i)?))?;
    match at {
        None => w.first(base),
        Some(at) => w.load_or_zero(base, at, mask),
    }
}

/// round(x) + zero, within the limits of a type, as that type. NaN becomes the lower limit.
fn quantised(w: &mut Writer, x: ValueId, zero: Option<ValueId>, to: DType) -> Result<ValueId> {
    let (least, most) = limits(to)?;
    let mut x = w.op(K::Round, &[x])?;
    if let Some(zero) = zero {
        let zero = w.cast(zero, DType::F32)?;
        x = w.add(x, zero)?;
    }
    let least = w.float(DType::F32, least as f64)?;
    let above = w.op(K::GreaterOrEqual, &[x, least])?;
    let x = w.select(above, x, least)?;
    let most = w.float(DType::F32, most as f64)?;
    let below = w.less(x, most)?;
    let x = w.select(below, x, most)?;
    let x = w.cast(x, DType::I32)?;
    w.cast(x, stored(to))
}

/// Writes what `compute` makes of each element of operand `x`, of the place of its scale and of the mask.
fn by_element(
    site: &mut Site<'_>,
    blocks: Blocks,
    [from, to]: [DType; 2],
    compute: impl FnOnce(&mut Writer, &Site<'_>, ValueId, Option<ValueId>, ValueId) -> Result<ValueId>,
) -> Result<()> {
    let len: usize = site.dims(AT.x)?.iter().product();
    let scales = Scales::of(site, blocks)?;
    let mut w = site.writer(len);
    let n = w.extent(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let at = scales.offset(&mut w, linear)?;
    let base = w.array(Arg::Operand(AT.x), stored(from))?;
    let x = w.load(base, linear, Some(mask), None)?;
    let y = compute(&mut w, site, x, at, mask)?;
    let base = w.array(Arg::Result(AT.y), stored(to))?;
    w.store(base, linear, y, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// Floats as quantised integers.
fn quantize(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::QuantizeLinear::of)?;
    let (from, scale, to) = (site.dtype(AT.x)?, site.dtype(AT.y_scale)?, site.result_dtype(AT.y)?);
    float(from)?;
    float(scale)?;
    limits(to)?;
    // The quotient is rounded to the type that the division is asked to be done in.
    let same = if from == scale { from } else { DType::F32 };
    let precision = op.precision().unwrap_or(same);
    float(precision)?;
    let blocks = Blocks { axis: op.axis(), size: op.block_size() };
    by_element(site, blocks, [from, to], |w, site, x, at, mask| {
        let x = w.cast(x, DType::F32)?;
        let scale = parameter(w, site, AT.y_scale, at, mask)?;
        let scale = w.cast(scale, DType::F32)?;
        let quotient = w.div(x, scale)?;
        let quotient = w.cast(quotient, precision)?;
        let quotient = w.cast(quotient, DType::F32)?;
        let zero = match site.has(AT.y_zero_point) {
            true => Some(parameter(w, site, AT.y_zero_point, at, mask)?),
            false => None,
        };
        quantised(w, quotient, zero, to)
    })
}

/// Quantised integers as floats.
fn dequantize(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::DequantizeLinear::of)?;
    let (from, scale, to) = (site.dtype(AT.x)?, site.dtype(AT.y_scale)?, site.result_dtype(AT.y)?);
    if from != DType::I32 {
        limits(from)?;
    }
    float(scale)?;
    float(to)?;
    let blocks = Blocks { axis: op.axis(), size: op.block_size() };
    by_element(site, blocks, [from, to], |w, site, x, at, mask| {
        let mut x = w.cast(x, DType::I32)?;
        if site.has(AT.y_zero_point) {
            let zero = parameter(w, site, AT.y_zero_point, at, mask)?;
            let zero = w.cast(zero, DType::I32)?;
            x = w.sub(x, zero)?;
        }
        let x = w.cast(x, DType::F32)?;
        let scale = parameter(w, site, AT.y_scale, at, mask)?;
        let scale = w.cast(scale, DType::F32)?;
        let y = w.mul(x, scale)?;
        w.cast(y, to)
    })
}

/// The least and the greatest of 0 and the elements of consecutive arrays of f32, among `len` from `first` on.
fn range(
    w: &mut Writer,
    [low, high]: [ValueId; 2],
    first: ValueId,
    stretch: ValueId,
    len: ValueId,
) -> Result<[ValueId; 2]> {
    let zero = w.float(DType::F32, 0.0)?;
    let zeros = w.spread(zero, &[BLOCK])?;
    let found = w.repeat(stretch, BLOCK, &[zeros, zeros], |w, at, found| {
        let range = w.arange(BLOCK)?;
        let at = w.add(first, at)?;
        let at = w.add(at, range)?;
        let mask = w.less(at, len)?;
        let (least, most) = (w.load_or_zero(low, at, mask)?, w.load_or_zero(high, at, mask)?);
        Ok(vec![w.folded(Fold::Min, found[0], least)?, w.folded(Fold::Max, found[1], most)?])
    })?;
    Ok([w.fold(found[0], 0, Fold::Min)?, w.fold(found[1], 0, Fold::Max)?])
}

/// Quantises to u8 over the range of the elements and 0.
fn dynamic_quantize(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(ops::DynamicQuantizeLinear::AT.x)?;
    if dtype != DType::F32 {
        return Err(unsupported(format!("elements of type {dtype} are not supported")));
    }
    let len: usize = site.dims(ops::DynamicQuantizeLinear::AT.x)?.iter().product();
    let stretches = len.div_ceil(STRETCH);
    let (low, high) = (site.scratch(DType::F32, stretches), site.scratch(DType::F32, stretches));
    let (scale_at, zero_at) = (site.scratch(DType::F32, 1), site.scratch(DType::U8, 1));
    let single = |w: &mut Writer, to: Arg, dtype, place: ValueId, n: usize, x: ValueId| {
        let n = w.size(n)?;
        let place = w.spread(place, &[1])?;
        let mask = w.less(place, n)?;
        let to = w.array(to, dtype)?;
        w.store(to, place, x, mask)
    };

    let mut w = site.writer(len);
    let n = w.size(len)?;
    let (program, stretch) = (w.program(0)?, w.int(STRETCH)?);
    let first = w.mul(program, stretch)?;
    let x = w.array(Arg::Operand(ops::DynamicQuantizeLinear::AT.x), DType::F32)?;
    let [least, most] = range(&mut w, [x, x], first, stretch, n)?;
    single(&mut w, low, DType::F32, program, stretches, least)?;
    single(&mut w, high, DType::F32, program, stretches, most)?;
    site.step(w, [stretches, 1, 1])?;

    let mut w = site.writer(stretches.max(1));
    let (n, first) = (w.size(stretches)?, w.int(0)?);
    let both = [w.array(low, DType::F32)?, w.array(high, DType::F32)?];
    let [least, most] = range(&mut w, both, first, n, n)?;
    let (span, steps) = (w.sub(most, least)?, w.float(DType::F32, 255.0)?);
    let scale = w.div(span, steps)?;
    // A tensor of zeros has no range.
    let (none, one) = (w.float(DType::F32, 0.0)?, w.float(DType::F32, 1.0)?);
    let flat = w.op(K::Equal, &[scale, none])?;
    let scale = w.select(flat, one, scale)?;
    let least = w.op(K::Neg, &[least])?;
    let zero = w.div(least, scale)?;
    let zero = quantised(&mut w, zero, None, DType::U8)?;
    for (to, dtype, x) in [(scale_at, DType::F32, scale), (zero_at, DType::U8, zero)] {
        single(&mut w, to, dtype, first, 1, x)?;
    }
    let at = ops::DynamicQuantizeLinear::AT;
    for (i, dtype, x) in [(at.y_scale, DType::F32, scale), (at.y_zero_point, DType::U8, zero)] {
        if site.wants(i) {
            single(&mut w, Arg::Result(i), dtype, first, 1, x)?;
        }
    }
    site.step(w, [1, 1, 1])?;

    let mut w = site.writer(len);
    let n = w.extent(len)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let x = w.array(Arg::Operand(ops::DynamicQuantizeLinear::AT.x), DType::F32)?;
    let x = w.load_or_zero(x, linear, mask)?;
    let (scale, zero) = (w.array(scale_at, DType::F32)?, w.array(zero_at, DType::U8)?);
    let (scale, zero) = (w.first(scale)?, w.first(zero)?);
    let x = w.div(x, scale)?;
    let y = quantised(&mut w, x, Some(zero), DType::U8)?;
    let to = w.array(Arg::Result(ops::DynamicQuantizeLinear::AT.y), DType::U8)?;
    w.store(to, linear, y, mask)?;
    site.step(w, [len.div_ceil(BLOCK), 1, 1])
}

/// Where a product of quantised tensors has its operands: the factors and their zero points.
#[derive(Clone, Copy)]
pub(super) struct Quantised {
    pub(super) a: usize,
    a_zero: usize,
    pub(super) b: usize,
    b_zero: usize,
    /// The operand that is added to the sums.
    pub(super) bias: Option<usize>,
    /// How sums are quantised again; if they are not, they are the result.
    again: Option<Again>,
}

/// Where a product of quantised tensors has the parameters with which its sums are quantised again.
#[derive(Clone, Copy)]
struct Again {
    /// The scales of both factors.
    a_scale: usize,
    b_scale: usize,
    /// Scale and zero point of the result.
    scale: usize,
    zero: usize,
    /// The type that factors are rounded to; `None` is that of the scales.
    rounded: Option<DType>,
}

/// One value for each row or column of a product, or one for all: an operand, the number of rows or columns, those of the
/// program, and which of them there are.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) count: usize,
    pub(super) at: ValueId,
    pub(super) valid: ValueId,
}

impl Along {
    fn of(&self, w: &mut Writer, site: &Site<'_>, i: usize) -> Result<ValueId> {
        let given: usize = site.dims(i)?.iter().product();
        if given != 1 && given != self.count {
            let given = counted(given, "element");
            let text =
                format!("input {} has {given}, expected 1 or {}", site.operand_name(i), self.count);
            return Err(GeometryError::Invalid(text).into());
        }
        parameter(w, site, i, (given != 1).then_some(self.at), self.valid)
    }
}

impl Quantised {
    /// Of an op on quantised tensors.
    pub(super) fn of(site: &Site<'_>) -> Result<Option<Quantised>> {
        let found = match site.op.kind {
            K::MatMulInteger => {
                let at = ops::MatMulInteger::AT;
                let (a_zero, b_zero) = (at.a_zero_point, at.b_zero_point);
                Quantised { a: at.a, a_zero, b: at.b, b_zero, bias: None, again: None }
            }
            K::ConvInteger => {
                let at = ops::ConvInteger::AT;
                let (a_zero, b_zero) = (at.x_zero_point, at.w_zero_point);
                Quantised { a: at.x, a_zero, b: at.w, b_zero, bias: None, again: None }
            }
            K::QLinearMatMul => {
                let at = ops::QLinearMatMul::AT;
                let again = Again {
                    a_scale: at.a_scale,
                    b_scale: at.b_scale,
                    scale: at.y_scale,
                    zero: at.y_zero_point,
                    rounded: None,
                };
                let (a_zero, b_zero) = (at.a_zero_point, at.b_zero_point);
                Quantised { a: at.a, a_zero, b: at.b, b_zero, bias: None, again: Some(again) }
            }
            K::QLinearConv => {
                let at = ops::QLinearConv::AT;
                let again = Again {
                    a_scale: at.x_scale,
                    b_scale: at.w_scale,
                    scale: at.y_scale,
                    zero: at.y_zero_point,
                    rounded: Some(DType::F32),
                };
                let (a_zero, b_zero) = (at.x_zero_point, at.w_zero_point);
                let bias = Some(at.b);
                Quantised { a: at.x, a_zero, b: at.w, b_zero, bias, again: Some(again) }
            }
            _ => return Ok(None),
        };
        for i in [found.a, found.b] {
            let dtype = site.dtype(i)?;
            if !matches!(dtype, DType::I8 | DType::U8) {
                return Err(unsupported(format!(
                    "multiplying quantised matrices of {dtype} is not supported"
                )));
            }
        }
        if let Some(again) = found.again {
            let scales = [again.a_scale, again.b_scale, again.scale];
            scales.into_iter().try_for_each(|i| float(site.dtype(i)?))?;
            limits(site.dtype(again.zero)?)?;
        }
        Ok(Some(found))
    }

    /// Whether a parameter of `a` has several elements.
    pub(super) fn by_row(&self, site: &Site<'_>) -> Result<bool> {
        let mut several = false;
        for i in [self.a_zero].into_iter().chain(self.again.map(|again| again.a_scale)) {
            several |= site.has(i) && site.dims(i)?.iter().product::<usize>() != 1;
        }
        Ok(several)
    }

    /// The zero points of both factors, as i32.
    pub(super) fn zeros(
        &self,
        w: &mut Writer,
        site: &Site<'_>,
        a: Along,
        b: Along,
    ) -> Result<[Option<ValueId>; 2]> {
        let mut zero = |i: usize, along: Along| -> Result<Option<ValueId>> {
            if !site.has(i) {
                return Ok(None);
            }
            let zero = along.of(w, site, i)?;
            w.cast(zero, DType::I32).map(Some)
        };
        Ok([zero(self.a_zero, a)?, zero(self.b_zero, b)?])
    }

    /// Stores sums, quantised again where the op says so.
    pub(super) fn finish(
        &self,
        w: &mut Writer,
        site: &Site<'_>,
        sum: ValueId,
        [a, b]: [Along; 2],
        offset: ValueId,
        mask: ValueId,
    ) -> Result<()> {
        let (sum, to) = if let Some(again) = self.again {
            // Rounded to the type of the scales at each step, as the standard's evaluation does.
            let dtype = match again.rounded {
                Some(dtype) => dtype,
                None => site.dtype(again.a_scale)?,
            };
            let rounded = |w: &mut Writer, x: ValueId| {
                let x = w.cast(x, dtype)?;
                w.cast(x, DType::F32)
            };
            let (left, right) = (a.of(w, site, again.a_scale)?, b.of(w, site, again.b_scale)?);
            let last = parameter(w, site, again.scale, None, mask)?;
            let (left, right) = (w.cast(left, DType::F32)?, w.cast(right, DType::F32)?);
            let both = w.mul(left, right)?;
            let (both, last) = (rounded(w, both)?, w.cast(last, DType::F32)?);
            let factor = w.div(both, last)?;
            let factor = rounded(w, factor)?;
            let sum = w.cast(sum, DType::F32)?;
            let scaled = w.mul(sum, factor)?;
            let zero = parameter(w, site, again.zero, None, mask)?;
            let to = site.result_dtype(FIRST)?;
            (quantised(w, scaled, Some(zero), to)?, stored(to))
        } else {
            (sum, DType::I32)
        };
        let base = w.array(Arg::Result(FIRST), to)?;
        w.store(base, offset, sum, mask)
    }
}
