//! QuantizeLinear and DequantizeLinear: per tensor, per axis, per block.
#![allow(unsafe_code)]

use super::params::{Quantised, in_quantised, limits};
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{Conversion, cast, convert_into};
use crate::real::{Real, read, round_to};
use std::ops::Range;
use trident_ir::geometry::axis;
use trident_ir::ops::{DequantizeLinear, QuantizeLinear};
use trident_ir::{DType, Element};
use trident_kernels::disjoint::Disjoint;
use trident_kernels::parallel::vectorised;
use trident_runtime::{Declined, KernelError, Tensor};

/// Elements that one piece of a per-tensor run covers.
const PIECE: usize = 1 << 14;

/// The attributes by which elements share scales.
#[derive(Clone, Copy)]
struct Blocks {
    axis: i64,
    /// Elements of a block along the axis; 0 stands for scales by tensor or by axis.
    block: usize,
}

impl Blocks {
    fn of(cx: &Compile<'_>, axis: i64, block: i64) -> Result<Blocks, Declined> {
        let negative = || KernelError::attr("block_size", format!("{block} is negative"));
        let block = usize::try_from(block).map_err(|_| cx.refused(negative()))?;
        Ok(Blocks { axis, block })
    }
}

/// Which scale belongs to which element.
#[derive(Clone, Copy)]
enum Granularity {
    Tensor { len: usize },
    Axis { dim: usize, inner: usize },
    Block { dim: usize, inner: usize, block: usize },
}

/// The scales of one run of elements.
enum At {
    /// All share this one.
    One(usize),
    /// Each its own, from this one on.
    From(usize),
}

impl Granularity {
    fn new(blocks: Blocks, x: &[usize], scale: &[usize]) -> Result<Granularity, KernelError> {
        let len = x.iter().product();
        let block = blocks.block;
        if scale.iter().product::<usize>() == 1 && block == 0 {
            return Ok(Granularity::Tensor { len });
        }
        let a = axis(blocks.axis, x.len())?;
        let (dim, inner) = (x[a], x[a + 1..].iter().product());
        let misfit = || {
            KernelError::shape(format!(
                "a scale of dimensions {scale:?} does not fit an input of {x:?}"
            ))
        };
        if block == 0 {
            let per_axis = scale == [dim];
            return if per_axis { Ok(Granularity::Axis { dim, inner }) } else { Err(misfit()) };
        }
        let fits = scale.len() == x.len()
            && (0..x.len()).all(|i| scale[i] == if i == a { dim.div_ceil(block) } else { x[i] });
        if fits { Ok(Granularity::Block { dim, inner, block }) } else { Err(misfit()) }
    }

    /// The number of runs of a tensor with `len` elements.
    fn runs(self, len: usize) -> usize {
        match self {
            Granularity::Tensor { .. } => len.div_ceil(PIECE),
            Granularity::Axis { dim, inner: 1 } => len.checked_div(dim).unwrap_or(0),
            Granularity::Axis { inner, .. } => len.checked_div(inner).unwrap_or(0),
            Granularity::Block { dim, inner: 1, block } => {
                len.checked_div(dim).unwrap_or(0) * dim.div_ceil(block)
            }
            Granularity::Block { inner, .. } => len.checked_div(inner).unwrap_or(0),
        }
    }

    /// The elements of run `n` and their scales.
    fn run(self, n: usize) -> (Range<usize>, At) {
        match self {
            Granularity::Tensor { len } => (n * PIECE..len.min((n + 1) * PIECE), At::One(0)),
            Granularity::Axis { dim, inner: 1 } => (n * dim..(n + 1) * dim, At::From(0)),
            Granularity::Axis { dim, inner } => (n * inner..(n + 1) * inner, At::One(n % dim)),
            Granularity::Block { dim, inner: 1, block } => {
                let blocks = dim.div_ceil(block);
                let (row, b) = (n / blocks, n % blocks);
                (row * dim + b * block..row * dim + dim.min((b + 1) * block), At::One(n))
            }
            Granularity::Block { dim, inner, block } => {
                let first = (n / dim * dim.div_ceil(block) + n % dim / block) * inner;
                (n * inner..(n + 1) * inner, At::From(first))
            }
        }
    }
}

/// Calls `f(input run, output run, scales, zero points)` for all runs; the lists have one element or one for each.
fn for_runs<S: Sync, T: Send>(
    call: &Call<'_, '_>,
    granularity: Granularity,
    x: &[S],
    y: &mut [T],
    scale: &[f32],
    zero: &[i32],
    f: impl Fn(&[S], &mut [T], &[f32], &[i32]) + Sync,
) {
    let (runs, len) = (granularity.runs(x.len()), x.len());
    let grain = (PIECE * runs).checked_div(len).unwrap_or(1).max(1);
    let y = Disjoint::new(y);
    call.threads.for_range(runs, grain, |range| {
        for n in range {
            let (at, scales) = granularity.run(n);
            let part = match scales {
                At::One(i) => i..i + 1,
                At::From(i) => i..i + at.len(),
            };
            // SAFETY: the runs do not overlap, and each comes once.
            let out = unsafe { y.part(at.clone()) };
            f(&x[at], out, &scale[part.clone()], &zero[part]);
        }
    });
}

/// The zero points (all 0 where absent), as many as there are scales.
fn zero_points(t: Option<&Tensor>, scale: &Tensor, of: DType) -> Result<Vec<i32>, KernelError> {
    let Some(t) = t else { return Ok(vec![0; scale.len()]) };
    if t.dtype() != of {
        return Err(KernelError::DType {
            index: QuantizeLinear::AT.y_zero_point,
            actual: t.dtype(),
            expected: of.to_string(),
        });
    }
    if t.len() != scale.len() {
        let (z, s) = (t.dims(), scale.dims());
        return Err(KernelError::shape(format!(
            "a zero point of dimensions {z:?} and a scale of {s:?} differ"
        )));
    }
    in_quantised!(of, T => Ok(t.slice::<T>()?.iter().map(|v| v.get()).collect()), else => {
        // Float formats have zero points for form's sake.
        let zero = t.bytes()?.iter().all(|&b| b == 0);
        if zero { Ok(vec![0; t.len()]) } else { Err(KernelError::domain("the zero point of a float type is not 0")) }
    })
}

/// A quantisation as attributes and element types determine it.
#[derive(Clone, Copy)]
struct Quantisation {
    blocks: Blocks,
    to: DType,
    /// The type that quotients are rounded to.
    precision: DType,
    saturate: bool,
}

pub(super) fn quantize(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(QuantizeLinear::of)?, QuantizeLinear::AT);
    let (x, asked) = (cx.element(at.x)?, op.output_dtype());
    let to = cx.dtype(at.y_zero_point).or(asked).unwrap_or(DType::U8);
    if asked.is_some_and(|d| d != to) {
        let reason = format!("the zero point has type {to}");
        return Err(cx.refused(KernelError::attr("output_dtype", reason)));
    }
    let same = (x == cx.element(at.y_scale)?).then_some(x);
    let how = Quantisation {
        blocks: Blocks::of(cx, op.axis(), op.block_size())?,
        to,
        precision: op.precision().or(same).unwrap_or(DType::F32),
        saturate: op.saturate(),
    };
    if x == DType::I32 || how.precision == DType::F64 {
        Prepared::boxed(cx, move |call| quotients::<f64>(call, how))
    } else {
        Prepared::boxed(cx, move |call| quotients::<f32>(call, how))
    }
}

fn quotients<R: Real>(call: &mut Call<'_, '_>, how: Quantisation) -> Result<(), KernelError> {
    let at = QuantizeLinear::AT;
    let Quantisation { blocks, to, precision, saturate } = how;
    let (x, scale) = (call.tensor(at.x)?, call.tensor(at.y_scale)?);
    let granularity = Granularity::new(blocks, x.dims(), scale.dims())?;
    let zeros = zero_points(call.opt(at.y_zero_point)?.as_ref(), &scale, to)?;
    let (data, scales) = (read::<R>(&x)?, read::<f32>(&scale)?);
    let narrow = matches!(precision, DType::F16 | DType::BF16);
    let round = |v: R| {
        let mut v = [v];
        round_to(precision, &mut v);
        v[0]
    };
    let mut out = call.alloc(at.y, to, x.dims())?;
    if let Some((lo, hi)) = limits(to) {
        let (lo, hi) = (R::of(lo.into()), R::of(hi.into()));
        in_quantised!(to, T => {
            let y = out.slice_mut::<T>()?;
            for_runs(call, granularity, &data, y, &scales, &zeros, |x, y, s, z| {
                let one = |x: R, s: f32, z: i32| {
                    let q = x / R::of(s.into());
                    let q = Real::round_half_to_even(if narrow { round(q) } else { q });
                    // NaN becomes the lower limit.
                    T::put((q + R::of(z.into())).max(lo).min(hi).wide() as i32)
                };
                vectorised(#[inline(always)] || match (s, z) {
                    (&[s], &[z]) => y.iter_mut().zip(x).for_each(|(y, &x)| *y = one(x, s, z)),
                    _ => {
                        let params = s.iter().zip(z);
                        for ((y, &x), (&s, &z)) in y.iter_mut().zip(x).zip(params) {
                            *y = one(x, s, z);
                        }
                    }
                });
            });
            call.set(at.y, out);
            Ok(())
        }, else => Err(KernelError::Unsupported(to)))
    } else {
        let mut wide = call.temp(R::DTYPE, x.dims())?;
        let y = wide.slice_mut::<R>()?;
        for_runs(call, granularity, &data, y, &scales, &zeros, |x, y, s, _| {
            for (i, (y, &x)) in y.iter_mut().zip(x).enumerate() {
                let q = x / R::of(s[if s.len() == 1 { 0 } else { i }].into());
                *y = if narrow { round(q) } else { q };
            }
        });
        let how = Conversion { saturate, ..Conversion::default() };
        convert_into(call.threads, &wide, &mut out, how)?;
        call.set(at.y, out);
        Ok(())
    }
}

pub(super) fn dequantize(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(DequantizeLinear::of)?, DequantizeLinear::AT);
    let blocks = Blocks::of(cx, op.axis(), op.block_size())?;
    let to = op.output_dtype().map_or_else(|| cx.element(at.x_scale), Ok)?;
    Prepared::boxed(cx, move |call| widen(call, blocks, to))
}

fn widen(call: &mut Call<'_, '_>, blocks: Blocks, to: DType) -> Result<(), KernelError> {
    let at = DequantizeLinear::AT;
    let (x, scale) = (call.tensor(at.x)?, call.tensor(at.x_scale)?);
    let granularity = Granularity::new(blocks, x.dims(), scale.dims())?;
    let zeros = zero_points(call.opt(at.x_zero_point)?.as_ref(), &scale, x.dtype())?;
    let scales = read::<f32>(&scale)?;
    let mut wide = if to == DType::F32 {
        call.alloc(at.y, to, x.dims())?
    } else {
        call.temp(DType::F32, x.dims())?
    };
    in_quantised!(x.dtype(), T => {
        products(call, granularity, x.slice::<T>()?, &mut wide, &scales, &zeros, |x, z| {
            x.get().wrapping_sub(z) as f32
        })
    }, else => {
        let float = cast(call.threads, call.pool(), &x, DType::F32)?;
        products(call, granularity, float.slice::<f32>()?, &mut wide, &scales, &zeros, |x, _| x)
    })?;
    if to == DType::F32 {
        call.set(at.y, wide);
    } else {
        let mut out = call.alloc(at.y, to, x.dims())?;
        convert_into(call.threads, &wide, &mut out, Conversion::default())?;
        call.set(at.y, out);
    }
    Ok(())
}

/// `y = f(x, zero) * scale`.
fn products<T: Element>(
    call: &Call<'_, '_>,
    granularity: Granularity,
    x: &[T],
    y: &mut Tensor,
    scales: &[f32],
    zeros: &[i32],
    f: impl Fn(T, i32) -> f32 + Sync,
) -> Result<(), KernelError> {
    for_runs(call, granularity, x, y.slice_mut::<f32>()?, scales, zeros, |x, y, s, z| {
        vectorised(
            #[inline(always)]
            || match (s, z) {
                (&[s], &[z]) => y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x, z) * s),
                _ => {
                    for ((y, &x), (&s, &z)) in y.iter_mut().zip(x).zip(s.iter().zip(z)) {
                        *y = f(x, z) * s;
                    }
                }
            },
        );
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::element::I4;
    use trident_ir::{Attr, DType, OpKind};

    #[test]
    fn rounds_half_to_even_and_saturates() {
        let x = tensor(&[5], &[0.5f32, 1.5, -1000.0, 1e9, f32::INFINITY]);
        let inputs = vec![x, tensor(&[], &[1.0f32]), tensor(&[], &[3u8])];
        let y = run(OpKind::QuantizeLinear, &[], inputs).unwrap();
        assert_eq!(elements::<u8>(&y), [3, 5, 0, 255, 255]);
    }

    #[test]
    fn axes_and_blocks_have_their_own_scales() {
        let x = || tensor(&[2, 3], &[1i8, 2, 3, 4, 5, 6]);
        let axis = |a| [("axis", Attr::Int(a))];
        let by_row = vec![x(), tensor(&[2], &[1.0f32, 10.0]), tensor(&[2], &[0i8, 1])];
        let y = run(OpKind::DequantizeLinear, &axis(0), by_row).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 2.0, 3.0, 30.0, 40.0, 50.0]);
        let by_column = vec![x(), tensor(&[3], &[1.0f32, 10.0, 100.0])];
        let y = run(OpKind::DequantizeLinear, &axis(1), by_column).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 20.0, 300.0, 4.0, 50.0, 600.0]);
        let attrs = [("axis", Attr::Int(1)), ("block_size", Attr::Int(2))];
        let blocks = vec![x(), tensor(&[2, 2], &[1.0f32, 10.0, 100.0, 1000.0])];
        let y = run(OpKind::DequantizeLinear, &attrs, blocks).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 2.0, 30.0, 400.0, 500.0, 6000.0]);
        let misfit = vec![x(), tensor(&[2], &[1.0f32; 2])];
        assert!(run(OpKind::DequantizeLinear, &axis(1), misfit).is_err());
    }

    #[test]
    fn narrow_types() {
        let attrs = [("output_dtype", Attr::DType(DType::I4))];
        let x = tensor(&[3], &[-100.0f32, 2.4, 9.0]);
        let y = run(OpKind::QuantizeLinear, &attrs, vec![x, tensor(&[], &[1.0f32])]).unwrap();
        assert_eq!(elements::<I4>(&y), [I4(-8), I4(2), I4(7)]);
    }
}
