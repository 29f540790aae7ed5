//! Tensors of ordinary and special numbers, and when two results agree.

use half::{bf16, f16};
use trident_ir::element::B8;
use trident_ir::{DType, Literal, Type};
use trident_runtime::{Pool, Tensor, Value};

/// A number that formulas treat in a way of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Special {
    NaN,
    Infinity,
    NegInfinity,
    Zero,
    NegZero,
    Denormal,
    NegDenormal,
    LeastNormal,
    Greatest,
    Least,
}

impl Special {
    pub(crate) const ALL: [Special; 10] = [
        Special::NaN,
        Special::Infinity,
        Special::NegInfinity,
        Special::Zero,
        Special::NegZero,
        Special::Denormal,
        Special::NegDenormal,
        Special::LeastNormal,
        Special::Greatest,
        Special::Least,
    ];

    pub(crate) fn of(self, dtype: DType) -> f64 {
        let (greatest, least_normal) = match dtype {
            DType::F64 => (f64::MAX, f64::MIN_POSITIVE),
            DType::F16 => (f16::MAX.to_f64(), f16::MIN_POSITIVE.to_f64()),
            DType::BF16 => (bf16::MAX.to_f64(), bf16::MIN_POSITIVE.to_f64()),
            _ => (f32::MAX.into(), f32::MIN_POSITIVE.into()),
        };
        match self {
            Special::NaN => f64::NAN,
            Special::Infinity => f64::INFINITY,
            Special::NegInfinity => f64::NEG_INFINITY,
            Special::Zero => 0.0,
            Special::NegZero => -0.0,
            Special::Denormal => least_normal / 4.0,
            Special::NegDenormal => -least_normal / 8.0,
            Special::LeastNormal => least_normal,
            Special::Greatest => greatest,
            Special::Least => -greatest,
        }
    }

    /// Whether products of this number with ordinary ones can be too large for the type.
    pub(crate) fn is_extreme(self) -> bool {
        matches!(self, Special::Greatest | Special::Least)
    }
}

/// Numbers from −2 to 2, the same ones in each run.
pub(crate) struct Numbers(pub(crate) u32);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / 4_194_304.0 - 2.0
    }

    /// Elements for a parameter of this type. Integers are small; truth values are mostly true.
    pub(crate) fn elements(&mut self, ty: &Type) -> Vec<f64> {
        let count = dims(ty).iter().product();
        let dtype = ty.dtype().unwrap();
        let element = |v: f64| match dtype {
            DType::Bool => f64::from(v > -1.0),
            DType::U8 => (v * 63.0 + 127.0).trunc(),
            DType::I8 => (v * 63.0).trunc(),
            _ => v,
        };
        (0..count).map(|_| element(self.next())).collect()
    }
}

pub(crate) fn dims(ty: &Type) -> Vec<usize> {
    ty.shape().unwrap().iter().map(|d| d.fixed().unwrap_or(3)).collect()
}

/// A tensor of a parameter's type with these elements, rounded to its element type.
pub(crate) fn tensor(pool: &Pool, ty: &Type, values: &[f64]) -> Value {
    let dims = dims(ty);
    macro_rules! of {
        ($convert:expr) => {
            Tensor::from_slice(pool, &dims, &values.iter().map($convert).collect::<Vec<_>>())
        };
    }
    let made = match ty.dtype().unwrap() {
        DType::F64 => of!(|v| *v),
        DType::F32 => of!(|v| *v as f32),
        DType::F16 => of!(|v| f16::from_f64(*v)),
        DType::BF16 => of!(|v| bf16::from_f64(*v)),
        DType::U8 => of!(|v| *v as u8),
        DType::I8 => of!(|v| *v as i8),
        DType::Bool => of!(|v| B8::from(*v != 0.0)),
        other => panic!("no arguments of type {other}"),
    };
    Value::Tensor(made.unwrap())
}

/// A constant of the same type with other elements.
pub(crate) fn literal(like: &Literal, values: &[f64]) -> Literal {
    macro_rules! of {
        ($convert:expr) => {
            Literal::vector(&values.iter().map($convert).collect::<Vec<_>>())
        };
    }
    let vector = match like.dtype() {
        DType::F64 => of!(|v| *v),
        DType::F32 => of!(|v| *v as f32),
        DType::F16 => of!(|v| f16::from_f64(*v)),
        DType::BF16 => of!(|v| bf16::from_f64(*v)),
        other => panic!("no constants of type {other}"),
    };
    vector.with_dims(like.dims().to_vec()).unwrap()
}

/// The element type, dimensions and elements of a result.
#[derive(Clone, Debug)]
pub(crate) struct Numbered {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

pub(crate) fn numbered(value: &Value) -> Numbered {
    let Value::Tensor(t) = value else { panic!("the result is not a tensor") };
    let values = match t.dtype() {
        DType::F64 => t.slice::<f64>().unwrap().to_vec(),
        DType::F32 => t.slice::<f32>().unwrap().iter().map(|v| f64::from(*v)).collect(),
        DType::F16 => t.slice::<f16>().unwrap().iter().map(|v| v.to_f64()).collect(),
        DType::BF16 => t.slice::<bf16>().unwrap().iter().map(|v| v.to_f64()).collect(),
        DType::Bool => t.slice::<B8>().unwrap().iter().map(|v| f64::from(bool::from(*v))).collect(),
        _ => t.to_i64s().unwrap().into_iter().map(|v| v as f64).collect(),
    };
    Numbered { dtype: t.dtype(), dims: t.dims().to_vec(), values }
}

/// Whether results keep the sign of a zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Zeros {
    /// The zeros of both have the same sign.
    Signed,
    /// The results are sums, whose zeros may have either sign.
    Either,
}

/// Whether a fused result agrees with an unfused one: the same NaN, infinity or zero, or a number close to it.
pub(crate) fn agree(dtype: DType, (zeros, units): (Zeros, f64), fused: f64, unfused: f64) -> bool {
    let (relative, absolute) = match dtype {
        DType::F64 => (1e-12, 1e-12),
        DType::F32 => (2e-5, 1e-5),
        DType::F16 => (4e-3, 2e-3),
        DType::BF16 => (3e-2, 1e-2),
        _ => (0.0, units),
    };
    if fused.is_nan() || unfused.is_nan() {
        return fused.is_nan() && unfused.is_nan();
    }
    if fused == unfused {
        let signed = zeros == Zeros::Signed && fused == 0.0;
        return !signed || fused.is_sign_negative() == unfused.is_sign_negative();
    }
    fused.is_finite()
        && unfused.is_finite()
        && (fused - unfused).abs() <= absolute + relative * unfused.abs()
}

/// `value` as the element type has it.
pub(crate) fn rounded(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F32 => f64::from(value as f32),
        DType::F16 => f16::from_f64(value).to_f64(),
        DType::BF16 => bf16::from_f64(value).to_f64(),
        _ => value,
    }
}
