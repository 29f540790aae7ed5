//! Float kernels compute in `f32` or `f64`: narrower types are widened on the way in and rounded on the way out.

use crate::dispatch;
use crate::kernel::Call;
use half::{bf16, f16};
use num_traits::{AsPrimitive, Float, NumAssignOps};
use std::borrow::Cow;
use std::iter::Sum;
use trident_ir::element::B8;
use trident_ir::{DType, Element};
use trident_kernels::gemm::{self, Scalar};
use trident_kernels::{UnaryFunction, rows};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// A type that kernels compute in: `f32` or `f64`.
pub(crate) trait Real:
    Float + NumAssignOps + Sum + Element + Scalar + gemm::StoredElement<Self>
{
    /// The nearest value to `x`.
    fn of(x: f64) -> Self;
    /// The value, exactly.
    fn wide(self) -> f64;
    /// The nearest integer, ties to even.
    fn round_half_to_even(self) -> Self;
    /// Applies `activation` to each value.
    fn apply(activation: UnaryFunction, values: &mut [Self]);
    /// `exp(x - max(x)) / sum(exp(x - max(x)))` of a row, in its place.
    fn softmax_in_place(row: &mut [Self]);
}

impl Real for f32 {
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn round_half_to_even(self) -> f32 {
        self.round_ties_even()
    }
    fn apply(activation: UnaryFunction, values: &mut [f32]) {
        activation.apply(Isa::detect(), values);
    }
    fn softmax_in_place(row: &mut [f32]) {
        rows::softmax_in_place(Isa::detect(), row);
    }
}

impl Real for f64 {
    fn of(x: f64) -> f64 {
        x
    }
    fn wide(self) -> f64 {
        self
    }
    fn round_half_to_even(self) -> f64 {
        self.round_ties_even()
    }
    fn apply(activation: UnaryFunction, values: &mut [f64]) {
        values.iter_mut().for_each(|v| *v = activation.eval(*v));
    }
    fn softmax_in_place(row: &mut [f64]) {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|v| *v = (*v - max).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
}

/// Runs a block with `$R` bound to the type to compute in for a float dtype: `f64` for f64, `f32` for the others.
macro_rules! in_real {
    ($dtype:expr, $R:ident => $body:expr) => {
        match $dtype {
            trident_ir::DType::F64 => {
                type $R = f64;
                $body
            }
            trident_ir::DType::F32 | trident_ir::DType::F16 | trident_ir::DType::BF16 => {
                type $R = f32;
                $body
            }
            other => Err(trident_runtime::KernelError::Unsupported(other)),
        }
    };
}
pub(crate) use in_real;

/// Makes a kernel with `$R` bound to the type to compute in for the elements of operand `$at`; declines all but floats.
macro_rules! for_real {
    ($cx:expr, $at:expr, $R:ident => $make:expr) => {
        match $cx.element($at)? {
            trident_ir::DType::F64 => {
                type $R = f64;
                $make
            }
            trident_ir::DType::F32 | trident_ir::DType::F16 | trident_ir::DType::BF16 => {
                type $R = f32;
                $make
            }
            other => Err($cx.refused(trident_runtime::KernelError::Unsupported(other))),
        }
    };
}
pub(crate) use for_real;

/// The elements of any numeric or boolean tensor; copied only if they are of another type.
pub(crate) fn read<R: Real>(t: &Tensor) -> Result<Cow<'_, [R]>, KernelError> {
    if t.dtype() == R::DTYPE {
        return Ok(Cow::Borrowed(t.slice()?));
    }
    if t.dtype() == DType::Bool {
        let to_real = |&v: &B8| R::of(f64::from(u8::from(bool::from(v))));
        return Ok(Cow::Owned(t.slice::<B8>()?.iter().map(to_real).collect()));
    }
    dispatch!(t.dtype(), numbers as T => {
        let widen = |&v: &T| R::of(AsPrimitive::<f64>::as_(v));
        Ok(Cow::Owned(t.slice::<T>()?.iter().map(widen).collect()))
    }, else => Err(KernelError::Unsupported(t.dtype())))
}

/// A tensor of type `dtype` in place of one of `R`s: floats round to nearest, integers truncate and saturate.
pub(crate) fn narrow<R: Real>(values: &[R], mut out: Tensor) -> Result<Tensor, KernelError> {
    let dtype = out.dtype();
    if dtype == DType::Bool {
        for (slot, v) in out.slice_mut::<B8>()?.iter_mut().zip(values) {
            *slot = B8::from(*v != R::zero());
        }
        return Ok(out);
    }
    dispatch!(dtype, numbers as T => {
        for (slot, v) in out.slice_mut::<T>()?.iter_mut().zip(values) {
            *slot = AsPrimitive::<T>::as_(v.wide());
        }
        Ok(out)
    }, else => Err(KernelError::Unsupported(dtype)))
}

/// Rounds each value to the nearest that `dtype` has, if that is narrower than `f32`.
pub(crate) fn round_to<R: Real>(dtype: DType, values: &mut [R]) {
    match dtype {
        DType::F16 => values.iter_mut().for_each(|v| *v = R::of(f16::from_f64(v.wide()).into())),
        DType::BF16 => values.iter_mut().for_each(|v| *v = R::of(bf16::from_f64(v.wide()).into())),
        _ => {}
    }
}

/// Sets result `i` of type `dtype` to what `fill` computes in `R`. The slice comes with arbitrary contents.
pub(crate) fn produce<R: Real>(
    call: &mut Call<'_, '_>,
    i: usize,
    dtype: DType,
    dims: &[usize],
    fill: impl FnOnce(&mut [R]) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let (out, mut wide) = begin::<R>(call, i, dtype, dims)?;
    fill(wide.slice_mut::<R>()?)?;
    call.set(i, finish::<R>(out, wide)?);
    Ok(())
}

/// The result, if its type is not `R`, and the tensor to compute: the result itself or a temporary. This is the part of
/// [`produce`] that does not depend on the function that fills the tensor.
fn begin<R: Real>(
    call: &mut Call<'_, '_>,
    i: usize,
    dtype: DType,
    dims: &[usize],
) -> Result<(Option<Tensor>, Tensor), KernelError> {
    let out = call.alloc(i, dtype, dims)?;
    if dtype == R::DTYPE {
        return Ok((None, out));
    }
    Ok((Some(out), call.temp(R::DTYPE, dims)?))
}

/// The result, given what [`begin`] gave.
fn finish<R: Real>(out: Option<Tensor>, wide: Tensor) -> Result<Tensor, KernelError> {
    match out {
        None => Ok(wide),
        Some(out) => narrow::<R>(wide.slice()?, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_runtime::Pool;

    #[test]
    fn reads_and_narrows() {
        let pool = Pool::new();
        let t =
            Tensor::from_slice(&pool, &[2], &[f16::from_f32(1.5), f16::from_f32(-2.0)]).unwrap();
        assert_eq!(*read::<f32>(&t).unwrap(), [1.5, -2.0]);
        let t = Tensor::from_slice(&pool, &[2], &[B8(0), B8(3)]).unwrap();
        assert_eq!(*read::<f64>(&t).unwrap(), [0.0, 1.0]);
        let out = Tensor::alloc(&pool, DType::BF16, &[1]).unwrap();
        let out = narrow(&[1.0f32 + 1.0 / 512.0], out).unwrap();
        assert_eq!(out.slice::<bf16>().unwrap(), [bf16::from_f32(1.0)]);
        let strings = Tensor::from_strings(&[], vec!["a".into()]).unwrap();
        assert!(read::<f32>(&strings).is_err());
    }
}
