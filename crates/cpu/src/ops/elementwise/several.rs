//! Ops of any number of broadcast operands, and of bounds.

use super::binary::Pair;
use super::rows::Rows;
use crate::dispatch_width;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{Conversion, cast, compute_dtype, convert_into};
use crate::picks::Picks;
use trident_ir::element::B8;
use trident_ir::geometry::broadcast;
use trident_ir::op::words::FloatRounding;
use trident_ir::ops::{BitCast, Cast, Clip, Sum, Where};
use trident_ir::{DType, Element, counted};
use trident_kernels::parallel::{for_pieces, vectorised};
use trident_runtime::{KernelError, Tensor};

/// The float of these bits, or NaN if one of two operands is NaN. The bits combine the two choices between the
/// operands. These differ for zeros only, where the sign bits are combined by and for the greater zero, by or for the
/// lesser.
macro_rules! extreme {
    ($t:ident, $a:expr, $b:expr, $bits:expr) => {
        if $a.is_nan() || $b.is_nan() { $a + $b } else { $t::from_bits($bits) }
    };
}

/// One number of several.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Total {
    Max,
    Mean,
    Min,
    Sum,
}

pub(super) fn total(cx: &Compile<'_>, how: Total) -> Made {
    Prepared::boxed(cx, move |call| total_of(call, how))
}

fn total_of(call: &mut Call<'_, '_>, how: Total) -> Result<(), KernelError> {
    let place = Sum::AT;
    let count = call.inputs();
    let first = call.tensor(place.xs)?;
    let dtype = first.dtype();
    let mut dims = first.dims().to_vec();
    for i in 1..count {
        let t = call.tensor(i)?;
        if t.dtype() != dtype {
            let expected = dtype.to_string();
            return Err(KernelError::DType { index: i, actual: t.dtype(), expected });
        }
        dims = broadcast(&dims, t.dims())?;
    }
    let compute = compute_dtype(dtype);
    let threads = call.threads;
    drop(first);
    // The accumulator starts as the first operand, broadcast to the whole shape.
    let mut acc = match call.reuse(place.xs, compute, &dims) {
        Some(t) => t,
        None => {
            let first = cast(threads, call.pool(), &call.tensor(place.xs)?, compute)?;
            let mut acc = if compute == dtype {
                call.alloc(place.y, compute, &dims)?
            } else {
                call.temp(compute, &dims)?
            };
            expand(call, &first, &mut acc)?;
            acc
        }
    };
    for i in 1..count {
        let next = cast(threads, call.pool(), &call.tensor(i)?, compute)?;
        let mut pair = Pair::in_place(acc, next);
        macro_rules! floats {
            ($t:ident) => {
                match how {
                    Total::Max => pair.map(threads, 1, |a: $t, b: $t| {
                        let (x, y) = (if a > b { a } else { b }, if b > a { b } else { a });
                        extreme!($t, a, b, x.to_bits() & y.to_bits())
                    })?,
                    Total::Min => pair.map(threads, 1, |a: $t, b: $t| {
                        let (x, y) = (if a < b { a } else { b }, if b < a { b } else { a });
                        extreme!($t, a, b, x.to_bits() | y.to_bits())
                    })?,
                    _ => pair.map(threads, 1, |a: $t, b: $t| a + b)?,
                }
            };
        }
        macro_rules! ints {
            ($t:ident) => {
                match how {
                    Total::Max => pair.map(threads, 1, |a: $t, b: $t| a.max(b))?,
                    Total::Min => pair.map(threads, 1, |a: $t, b: $t| a.min(b))?,
                    _ => pair.map(threads, 1, $t::wrapping_add)?,
                }
            };
        }
        match compute {
            DType::F32 => floats!(f32),
            DType::F64 => floats!(f64),
            DType::I32 => ints!(i32),
            DType::I64 => ints!(i64),
            DType::U64 => ints!(u64),
            other => return Err(KernelError::Unsupported(other)),
        }
        acc = pair.out;
    }
    if how == Total::Mean {
        let n = count as f64;
        match compute {
            DType::F32 => acc.slice_mut::<f32>()?.iter_mut().for_each(|v| *v /= n as f32),
            DType::F64 => acc.slice_mut::<f64>()?.iter_mut().for_each(|v| *v /= n),
            other => return Err(KernelError::Unsupported(other)),
        }
    }
    if compute == dtype {
        call.set(place.y, acc);
    } else {
        let mut out = call.alloc(place.y, dtype, &dims)?;
        convert_into(threads, &acc, &mut out, Conversion::default())?;
        call.set(place.y, out);
    }
    Ok(())
}

/// Copies `x`, broadcast, to `y`.
pub(super) fn expand(call: &Call<'_, '_>, x: &Tensor, y: &mut Tensor) -> Result<(), KernelError> {
    let dims = y.dims().to_vec();
    let rows = Rows::new(&dims, [x.dims()]);
    if x.dtype() == DType::Str {
        let (from, mut to) = (Picks::of(call.pool(), x)?, Picks::empty(call.pool(), y)?);
        rows.for_parts(0, y.len(), |r, [i]| match rows.advances[0] {
            true => to[r.clone()].copy_from_slice(&from[i..i + r.len()]),
            false => to[r].fill(from[i]),
        });
        return to.write(y.write_strings()?);
    }
    dispatch_width!(x.dtype(), T => {
        let from: &[T] = bytemuck::cast_slice(x.bytes()?);
        let to: &mut [T] = bytemuck::cast_slice_mut(y.bytes_mut()?);
        for_pieces(call.threads, to, 1, |start, piece| {
            rows.for_parts(start, piece.len(), |r, [i]| match rows.advances[0] {
                true => piece[r.clone()].copy_from_slice(&from[i..i + r.len()]),
                false => piece[r].fill(from[i]),
            });
        });
        Ok(())
    }, else => Err(KernelError::Unsupported(x.dtype())))
}

/// `x` where the condition holds, else `y`.
pub(super) fn select(cx: &Compile<'_>) -> Made {
    cx.view(Where::of)?;
    Prepared::boxed(cx, choose)
}

fn choose(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let place = Where::AT;
    let (c, x, y) = (call.tensor(place.condition)?, call.tensor(place.x)?, call.tensor(place.y)?);
    if x.dtype() != y.dtype() {
        let expected = x.dtype().to_string();
        return Err(KernelError::DType { index: place.y, actual: y.dtype(), expected });
    }
    let dims = broadcast(&broadcast(c.dims(), x.dims())?, y.dims())?;
    let rows = Rows::new(&dims, [c.dims(), x.dims(), y.dims()]);
    let c = c.slice::<B8>()?;
    let mut out = call.alloc(place.output, x.dtype(), &dims)?;
    let [walk_c, walk_x, walk_y] = rows.advances;
    if x.dtype() == DType::Str {
        let (x, y, mut to) = (x.strings()?, y.strings()?, Picks::empty(call.pool(), &out)?);
        rows.for_parts(0, out.len(), |r, [i, j, k]| {
            for (at, o) in to[r].iter_mut().enumerate() {
                let step = |start: usize, walk: bool| if walk { start + at } else { start };
                let holds = bool::from(c[step(i, walk_c)]);
                *o = if holds { &x[step(j, walk_x)] } else { &y[step(k, walk_y)] };
            }
        });
        to.write(out.write_strings()?)?;
    } else {
        dispatch_width!(x.dtype(), T => {
            let (x, y): (&[T], &[T]) = (bytemuck::cast_slice(x.bytes()?), bytemuck::cast_slice(y.bytes()?));
            let out: &mut [T] = bytemuck::cast_slice_mut(out.bytes_mut()?);
            for_pieces(call.threads, out, 1, |start, piece| vectorised(#[inline(always)] || {
                rows.for_parts(start, piece.len(), #[inline(always)] |r, [i, j, k]| {
                    let n = r.len();
                    let piece = &mut piece[r];
                    if !walk_c {
                        // One side for the whole row.
                        let (from, at, walk) = if bool::from(c[i]) { (x, j, walk_x) } else { (y, k, walk_y) };
                        return if walk { piece.copy_from_slice(&from[at..at + n]) } else { piece.fill(from[at]) };
                    }
                    let c = &c[i..i + n];
                    match (walk_x, walk_y) {
                        (true, true) => {
                            for (((o, c), &x), &y) in piece.iter_mut().zip(c).zip(&x[j..j + n]).zip(&y[k..k + n]) {
                                *o = if c.0 != 0 { x } else { y };
                            }
                        }
                        (true, false) => {
                            let y = y[k];
                            for ((o, c), &x) in piece.iter_mut().zip(c).zip(&x[j..j + n]) {
                                *o = if c.0 != 0 { x } else { y };
                            }
                        }
                        (false, true) => {
                            let x = x[j];
                            for ((o, c), &y) in piece.iter_mut().zip(c).zip(&y[k..k + n]) {
                                *o = if c.0 != 0 { x } else { y };
                            }
                        }
                        (false, false) => {
                            let (x, y) = (x[j], y[k]);
                            piece.iter_mut().zip(c).for_each(|(o, c)| *o = if c.0 != 0 { x } else { y });
                        }
                    }
                });
            }));
        }, else => return Err(KernelError::Unsupported(x.dtype())));
    }
    call.set(place.output, out);
    Ok(())
}

/// `min(max(x, lo), hi)`; a NaN stays.
pub(super) fn clip(cx: &Compile<'_>) -> Made {
    cx.view(Clip::of)?;
    Prepared::boxed(cx, clipped)
}

fn clipped(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let place = Clip::AT;
    let x = call.tensor(place.x)?;
    let (dtype, dims, compute) = (x.dtype(), x.dims().to_vec(), compute_dtype(x.dtype()));
    let threads = call.threads;
    let bound = |call: &Call<'_, '_>, i| -> Result<Option<Tensor>, KernelError> {
        let Some(t) = call.opt(i)? else { return Ok(None) };
        if t.dtype() != dtype {
            let expected = dtype.to_string();
            return Err(KernelError::DType { index: i, actual: t.dtype(), expected });
        }
        if t.len() != 1 {
            let given = counted(t.len(), "element");
            return Err(KernelError::operand(i, format!("has {given}, expected one")));
        }
        Ok(Some(cast(threads, call.pool(), &t, compute)?))
    };
    let (lo, hi) = (bound(call, place.min)?, bound(call, place.max)?);
    let mut y = if compute == dtype {
        drop(x);
        match call.reuse(place.x, dtype, &dims) {
            Some(y) => y,
            None => {
                let mut y = call.alloc(place.y, dtype, &dims)?;
                y.bytes_mut()?.copy_from_slice(call.tensor(place.x)?.bytes()?);
                y
            }
        }
    } else {
        cast(threads, call.pool(), &x, compute)?
    };
    macro_rules! clip {
        ($t:ident) => {{
            let bound = |t: Option<Tensor>| -> Result<Option<$t>, KernelError> {
                t.map(|t| Ok(t.slice::<$t>()?[0])).transpose()
            };
            let (lo, hi) = (bound(lo)?, bound(hi)?);
            let (lo, hi) = (lo.unwrap_or($t::MIN), hi.unwrap_or($t::MAX));
            clip_to(call, &mut y, lo, hi)?
        }};
        ($t:ident infinite) => {{
            let bound = |t: Option<Tensor>| -> Result<Option<$t>, KernelError> {
                t.map(|t| Ok(t.slice::<$t>()?[0])).transpose()
            };
            let (lo, hi) = (bound(lo)?, bound(hi)?);
            clip_to(call, &mut y, lo.unwrap_or($t::NEG_INFINITY), hi.unwrap_or($t::INFINITY))?
        }};
    }
    match compute {
        DType::F32 => clip!(f32 infinite),
        DType::F64 => clip!(f64 infinite),
        DType::I32 => clip!(i32),
        DType::I64 => clip!(i64),
        DType::U64 => clip!(u64),
        other => return Err(KernelError::Unsupported(other)),
    }
    if compute != dtype {
        let mut out = call.alloc(place.y, dtype, &dims)?;
        convert_into(threads, &y, &mut out, Conversion::default())?;
        y = out;
    }
    call.set(place.y, y);
    Ok(())
}

fn clip_to<T: Element + PartialOrd>(
    call: &Call<'_, '_>,
    y: &mut Tensor,
    lo: T,
    hi: T,
) -> Result<(), KernelError> {
    for_pieces(call.threads, y.slice_mut::<T>()?, 1, |_, y| {
        vectorised(
            #[inline(always)]
            || {
                y.iter_mut().for_each(|v| {
                    let raised = if *v < lo { lo } else { *v };
                    *v = if raised > hi { hi } else { raised };
                });
            },
        );
    });
    Ok(())
}

pub(super) fn cast_op(cx: &Compile<'_>) -> Made {
    let (at, op) = (Cast::AT, cx.view(Cast::of)?);
    if op.rounding() != FloatRounding::NearestEven {
        return Err(cx.declined(format!("`rounding` `{}` is for kernels only", op.rounding())));
    }
    let to = op.to();
    let how = Conversion { saturate: op.saturate(), round: op.round_mode() };
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        if x.dtype() == to {
            call.set(at.y, x);
            return Ok(());
        }
        let mut y = call.alloc(at.y, to, x.dims())?;
        convert_into(call.threads, &x, &mut y, how)?;
        call.set(at.y, y);
        Ok(())
    })
}

pub(super) fn bitcast(cx: &Compile<'_>) -> Made {
    let (at, to) = (BitCast::AT, cx.view(BitCast::of)?.to());
    Prepared::boxed(cx, move |call| {
        let y = call.take(at.x)?.bitcast(to)?;
        call.set(at.y, y);
        Ok(())
    })
}
