//! Ops that make tensors from parameters.

use super::view::with_elements;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::cast;
use crate::{dispatch, dispatch_width};
use trident_ir::ops::{Constant, ConstantOfShape, EyeLike, Range, Trilu};
use trident_ir::{DType, Literal, geometry};
use trident_kernels::parallel::for_pieces;
use trident_runtime::{KernelError, Tensor};

/// The tensor in the attribute.
pub(super) fn constant(cx: &Compile<'_>) -> Made {
    let value = cx.view(Constant::of)?.value().clone();
    Prepared::boxed(cx, move |call| {
        let y = Tensor::from_literal(call.pool(), &value)?;
        call.set(Constant::AT.output, y);
        Ok(())
    })
}

/// One value in all elements.
pub(super) fn filled(cx: &Compile<'_>) -> Made {
    let value = cx.view(ConstantOfShape::of)?.value();
    let value = value.cloned().unwrap_or_else(|| Literal::scalar(0f32));
    if value.len() != 1 {
        return Err(cx.declined("attribute `value` must have one element"));
    }
    Prepared::boxed(cx, move |call| fill(call, &value))
}

fn fill(call: &mut Call<'_, '_>, value: &Literal) -> Result<(), KernelError> {
    let at = ConstantOfShape::AT;
    let dims = call.required_ints(at.shape)?;
    let dims = dims.iter().map(|&d| usize::try_from(d)).collect::<Result<Vec<_>, _>>();
    let dims = dims.map_err(|_| KernelError::domain("a dimension is negative"))?;
    let one = Tensor::from_literal(call.pool(), value)?;
    let mut y = call.alloc(at.output, one.dtype(), &dims)?;
    with_elements!(call, one, y, |src, dst| for_pieces(call.threads, dst, 1, |_, piece| piece
        .fill(src[0])));
    call.set(at.output, y);
    Ok(())
}

/// Ones on a diagonal.
pub(super) fn eye_like(cx: &Compile<'_>) -> Made {
    let op = cx.view(EyeLike::of)?;
    let (dtype, k) = (op.dtype(), op.k());
    Prepared::boxed(cx, move |call| eye(call, dtype, k))
}

fn eye(call: &mut Call<'_, '_>, dtype: Option<DType>, k: i64) -> Result<(), KernelError> {
    let at = EyeLike::AT;
    let x = call.tensor(at.x)?;
    let dtype = dtype.unwrap_or(x.dtype());
    let &[rows, columns] = x.dims() else {
        return Err(KernelError::shape(format!(
            "the input has dimensions {:?}, expected a matrix",
            x.dims()
        )));
    };
    let zero_one = Tensor::from_slice(call.pool(), &[2], &[0u8, 1])?;
    let zero_one = cast(call.threads, call.pool(), &zero_one, dtype)?;
    let mut y = call.alloc(at.y, dtype, x.dims())?;
    with_elements!(call, zero_one, y, |src, dst| {
        dst.fill(src[0]);
        for row in 0..rows {
            if let Some(c) = k
                .checked_add(row as i64)
                .and_then(|c| usize::try_from(c).ok())
                .filter(|&c| c < columns)
            {
                dst[row * columns + c] = src[1];
            }
        }
    });
    call.set(at.y, y);
    Ok(())
}

/// start, start + delta, … before limit.
pub(super) fn range(cx: &Compile<'_>) -> Made {
    cx.view(Range::of)?;
    Prepared::boxed(cx, run_range)
}

fn run_range(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = Range::AT;
    let dtype = call.tensor(at.start)?.dtype();
    dispatch!(dtype, [I64, I32, I16] as T => {
        let get = |i| call.scalar::<T>(i)?.ok_or(KernelError::Missing(i));
        let (start, limit, delta): (T, T, T) = (get(at.start)?, get(at.limit)?, get(at.delta)?);
        let distance = i128::from(limit) - i128::from(start);
        let delta = i128::from(delta);
        if delta == 0 {
            return Err(KernelError::domain("a range has step 0"));
        }
        let steps = if (distance > 0) == (delta > 0) { (distance.unsigned_abs()).div_ceil(delta.unsigned_abs()) } else { 0 };
        let n = usize::try_from(steps).map_err(|_| geometry::GeometryError::TooLarge)?;
        let mut y = call.alloc(at.y, dtype, &[n])?;
        for (i, v) in y.slice_mut::<T>()?.iter_mut().enumerate() {
            *v = (i128::from(start) + i as i128 * delta) as T;
        }
        call.set(at.y, y);
        Ok(())
    }, else => match dtype {
        DType::F32 | DType::F64 | DType::F16 | DType::BF16 => float_range(call, dtype),
        other => Err(KernelError::Unsupported(other)),
    })
}

fn float_range(call: &mut Call<'_, '_>, dtype: DType) -> Result<(), KernelError> {
    let at = Range::AT;
    let get = |i| -> Result<f64, KernelError> {
        let t = cast(call.threads, call.pool(), &call.tensor(i)?, DType::F64)?;
        match t.slice::<f64>()? {
            [v] => Ok(*v),
            _ => Err(KernelError::operand(i, "must be one number")),
        }
    };
    let (start, limit, delta) = (get(at.start)?, get(at.limit)?, get(at.delta)?);
    // In the precision of the operands, as the standard counts.
    let n = if dtype == DType::F64 {
        geometry::range_len(start, limit, delta)?
    } else {
        let (s, l, d) = (start as f32, limit as f32, delta as f32);
        geometry::range_len(0.0, f64::from((l - s) / d) * f64::from(d), f64::from(d))?
    };
    let mut y = call.temp(if dtype == DType::F64 { DType::F64 } else { DType::F32 }, &[n])?;
    match dtype {
        DType::F64 => y
            .slice_mut::<f64>()?
            .iter_mut()
            .enumerate()
            .for_each(|(i, v)| *v = start + i as f64 * delta),
        _ => {
            let (s, d) = (start as f32, delta as f32);
            y.slice_mut::<f32>()?.iter_mut().enumerate().for_each(|(i, v)| *v = s + i as f32 * d);
        }
    }
    let y = cast(call.threads, call.pool(), &y, dtype)?;
    call.set(at.y, y);
    Ok(())
}

/// The upper or lower triangle of the matrices in the last two axes.
pub(super) fn trilu(cx: &Compile<'_>) -> Made {
    let upper = cx.view(Trilu::of)?.upper();
    Prepared::boxed(cx, move |call| triangle(call, upper))
}

fn triangle(call: &mut Call<'_, '_>, upper: bool) -> Result<(), KernelError> {
    let at = Trilu::AT;
    let x = call.tensor(at.x)?;
    let k = call.scalar::<i64>(at.k)?.unwrap_or(0);
    let &[.., rows, columns] = x.dims() else {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} does not hold matrices",
            x.dims()
        )));
    };
    let mut y = call.alloc(at.y, x.dtype(), x.dims())?;
    if y.is_empty() {
        call.set(at.y, y);
        return Ok(());
    }
    dispatch_width!(x.dtype(), T => {
        let src: &[T] = bytemuck::cast_slice(x.bytes()?);
        let dst: &mut [T] = bytemuck::cast_slice_mut(y.bytes_mut()?);
        dst.copy_from_slice(src);
        for (i, row) in dst.chunks_mut(columns).enumerate() {
            // The first column on or right of the diagonal, and the first right of it.
            let diagonal = k.saturating_add((i % rows) as i64);
            let bound = |c: i64| c.clamp(0, columns as i64) as usize;
            if upper {
                row[..bound(diagonal)].fill(Default::default());
            } else {
                row[bound(diagonal.saturating_add(1))..].fill(Default::default());
            }
        }
        call.set(at.y, y);
        Ok(())
    }, else => Err(KernelError::Unsupported(x.dtype())))
}
