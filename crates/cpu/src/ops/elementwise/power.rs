//! Pow, whose operands may differ in their types.

use super::binary::Pair;
use super::integer::power as integer_power;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use trident_ir::DType;
use trident_ir::geometry::broadcast;
use trident_ir::ops::Pow;
use trident_runtime::KernelError;

/// `x` to the power of `y`, whose types may differ, in the type of `x`.
pub(super) fn power(cx: &Compile<'_>) -> Made {
    let at = Pow::AT;
    cx.view(Pow::of)?;
    let (Some(dtype), Some(exponent)) = (cx.dtype(at.x), cx.dtype(at.y)) else {
        return Err(cx.declined("an input is not a tensor"));
    };
    let unsupported = |dtype| cx.declined(format!("there is no kernel for elements of {dtype}"));
    let integral = dtype.is_int() && exponent.is_int();
    // Integers to a power that is not an integer are computed in f64, which is exact for integers of up to 53 bits.
    let compute = match compute_dtype(dtype) {
        DType::F32 => DType::F32,
        DType::I32 | DType::I64 if integral => DType::I64,
        DType::U64 if integral => DType::U64,
        DType::F64 | DType::I32 | DType::I64 | DType::U64 => DType::F64,
        _ => return Err(unsupported(dtype)),
    };
    if !matches!(
        compute_dtype(exponent),
        DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U64
    ) {
        return Err(unsupported(exponent));
    }
    Prepared::boxed(cx, move |call| raise(call, compute))
}

fn raise(call: &mut Call<'_, '_>, compute: DType) -> Result<(), KernelError> {
    let at = Pow::AT;
    let (x, y) = (call.tensor(at.x)?, call.tensor(at.y)?);
    let dtype = x.dtype();
    let dims = broadcast(x.dims(), y.dims())?;
    let t = call.threads;
    let exponent =
        cast(t, call.pool(), &y, if compute == DType::U64 { DType::I64 } else { compute })?;
    if compute == DType::I64 || compute == DType::U64 {
        let base = cast(t, call.pool(), &x, DType::I64)?;
        let mut pair =
            Pair { a: Some(base), b: Some(exponent), out: call.temp(DType::I64, &dims)? };
        if y.dtype().class() == trident_ir::dtype::Class::Int {
            let exponents = pair.b.as_ref().map_or(Ok(&[][..]), |b| b.slice::<i64>())?;
            if exponents.iter().any(|&e| e < 0)
                && pair.a.as_ref().is_some_and(|a| a.slice::<i64>().is_ok_and(|a| a.contains(&0)))
            {
                return Err(KernelError::domain("zero cannot be raised to a negative power"));
            }
        }
        // Wrapped to 64 bits; cutting to the type wraps to its own width.
        pair.map(t, 16, integer_power)?;
        let mut out = call.alloc(at.z, dtype, &dims)?;
        convert_into(t, &pair.out, &mut out, Default::default())?;
        call.set(at.z, out);
        return Ok(());
    }
    let mut pair = if x.dtype() == compute {
        let place = if x.dims() == dims {
            drop(x);
            call.reuse(at.x, compute, &dims)
        } else {
            None
        };
        match place {
            Some(out) => Pair::in_place(out, exponent),
            None => Pair {
                a: Some(call.tensor(at.x)?),
                b: Some(exponent),
                out: call.alloc(at.z, compute, &dims)?,
            },
        }
    } else {
        let base = cast(t, call.pool(), &x, compute)?;
        Pair { a: Some(base), b: Some(exponent), out: call.temp(compute, &dims)? }
    };
    macro_rules! floats {
        ($t:ident) => {{
            let one = match pair.b.as_ref().map(|b| b.slice::<$t>()).transpose()? {
                Some([e]) => Some(*e),
                _ => None,
            };
            match one {
                Some(2.0) => pair.map(t, 1, |a: $t, _| a * a)?,
                Some(3.0) => pair.map(t, 1, |a: $t, _| a * a * a)?,
                Some(0.5) => pair.map(t, 4, |a: $t, _| {
                    if a == $t::NEG_INFINITY { $t::INFINITY } else { (a + 0.0).sqrt() }
                })?,
                Some(-1.0) => pair.map(t, 4, |a: $t, _| 1.0 / a)?,
                _ => pair.map(t, 64, $t::powf)?,
            }
        }};
    }
    match compute {
        DType::F32 => floats!(f32),
        _ => floats!(f64),
    }
    if dtype == compute {
        call.set(at.z, pair.out);
        return Ok(());
    }
    let mut out = call.alloc(at.z, dtype, &dims)?;
    convert_into(t, &pair.out, &mut out, Default::default())?;
    call.set(at.z, out);
    Ok(())
}
