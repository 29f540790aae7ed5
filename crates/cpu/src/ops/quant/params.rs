//! Zero points and scales of 8-bit operands.

use crate::kernel::Call;
use crate::real::{read, round_to};
use trident_ir::element::*;
use trident_ir::{DType, counted};
use trident_runtime::{KernelError, Tensor};

/// Whether an 8-bit element type is signed; an error for all others.
pub(super) fn signed(t: &Tensor) -> Result<bool, KernelError> {
    match t.dtype() {
        DType::I8 => Ok(true),
        DType::U8 => Ok(false),
        other => Err(KernelError::Unsupported(other)),
    }
}

/// Operand `i` as zero points of operands of type `of`: one, or one for each of `n` rows, columns or channels. Absent
/// means 0.
pub(super) fn zero_points(
    call: &Call<'_, '_>,
    i: usize,
    of: DType,
    n: usize,
) -> Result<Vec<i32>, KernelError> {
    let Some(t) = call.opt(i)? else { return Ok(vec![0]) };
    if t.dtype() != of {
        return Err(KernelError::DType { index: i, actual: t.dtype(), expected: of.to_string() });
    }
    let values: Vec<i32> = match t.dtype() {
        DType::I8 => t.slice::<i8>()?.iter().map(|&v| v.into()).collect(),
        DType::U8 => t.slice::<u8>()?.iter().map(|&v| v.into()).collect(),
        other => return Err(KernelError::Unsupported(other)),
    };
    one_or(values, i, n)
}

/// Operand `i` as scales: one, or one for each of `n` rows, columns or channels.
pub(super) fn scales(call: &Call<'_, '_>, i: usize, n: usize) -> Result<Vec<f32>, KernelError> {
    one_or(read::<f32>(&call.tensor(i)?)?.to_vec(), i, n)
}

fn one_or<T>(values: Vec<T>, i: usize, n: usize) -> Result<Vec<T>, KernelError> {
    if values.len() == 1 || values.len() == n {
        return Ok(values);
    }
    let given = counted(values.len(), "element");
    Err(KernelError::operand(i, format!("has {given}, expected 1 or {n}")))
}

/// The factor from a sum to a result, a·b/y, one or as many as the longer list has. It is rounded to the type of the
/// scales at each step, as the standard's evaluation does.
pub(super) fn factors(dtype: DType, a: &[f32], b: &[f32], y: f32) -> Vec<f32> {
    let n = a.len().max(b.len());
    let at = |list: &[f32], i: usize| if list.len() == 1 { list[0] } else { list[i] };
    let mut factors: Vec<f32> = (0..n).map(|i| at(a, i) * at(b, i)).collect();
    round_to(dtype, &mut factors);
    factors.iter_mut().for_each(|f| *f /= y);
    round_to(dtype, &mut factors);
    factors
}

/// The limits of an integer type of at most 16 bits.
pub(super) fn limits(dtype: DType) -> Option<(i32, i32)> {
    Some(match dtype {
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::U16 => (0, u16::MAX.into()),
        DType::I8 => (-128, 127),
        DType::U8 => (0, 255),
        DType::I4 => (-8, 7),
        DType::U4 => (0, 15),
        DType::I2 => (-2, 1),
        DType::U2 => (0, 3),
        _ => return None,
    })
}

/// Calls a block with `$T` bound to the Rust type of a quantised integer dtype.
macro_rules! in_quantised {
    ($dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, [U8, I8, U16, I16, I32, U4, I4, U2, I2] as $T => $body, else => $other)
    };
}
pub(super) use in_quantised;

/// Integers that are stored in a type of at most 32 bits.
pub(super) trait Quantised: trident_ir::Element {
    /// The value.
    fn get(self) -> i32;
    /// The value cut to the type; the caller has limited it.
    fn put(v: i32) -> Self;
}

macro_rules! quantised {
    ($($t:ty: |$x:ident| $get:expr, |$v:ident| $put:expr;)*) => { $(
        impl Quantised for $t {
            #[inline(always)]
            fn get(self) -> i32 { let $x = self; $get }
            #[inline(always)]
            fn put($v: i32) -> Self { $put }
        }
    )* };
}

quantised! {
    u8: |x| x.into(), |v| v as u8;
    i8: |x| x.into(), |v| v as i8;
    u16: |x| x.into(), |v| v as u16;
    i16: |x| x.into(), |v| v as i16;
    i32: |x| x, |v| v;
    U4: |x| x.0.into(), |v| U4(v as u8);
    I4: |x| x.0.into(), |v| I4(v as i8);
    U2: |x| x.0.into(), |v| U2(v as u8);
    I2: |x| x.0.into(), |v| I2(v as i8);
}
