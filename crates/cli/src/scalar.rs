//! Single elements of tensors of any type, for text and JSON.

use crate::limits;
use half::{bf16, f16};
use std::fmt;
use trident_ir::dtype::Class;
use trident_ir::{DType, Element, element as e};
use trident_runtime::{KernelError, Pool, Tensor};

/// Doubles up to here have neighbours no further than one apart.
const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Bool(bool),
    Int(i128),
    /// Numbers of at most single precision, which print shorter than as doubles.
    Single(f32),
    Double(f64),
    Complex(f64, f64),
    Text(String),
}

impl Scalar {
    /// Element `i` of a tensor; `None` beyond its end.
    pub(crate) fn get(tensor: &Tensor, i: usize) -> Option<Scalar> {
        fn at<T: Element>(tensor: &Tensor, i: usize) -> Option<T> {
            tensor.slice::<T>().ok()?.get(i).copied()
        }
        macro_rules! int {
            ($t:ty) => {
                Scalar::Int(at::<$t>(tensor, i)?.into())
            };
        }
        macro_rules! narrow {
            ($t:ident) => {
                Scalar::Single(at::<e::$t>(tensor, i)?.to_f32())
            };
        }
        Some(match tensor.dtype() {
            DType::F64 => Scalar::Double(at(tensor, i)?),
            DType::F32 => Scalar::Single(at(tensor, i)?),
            DType::F16 => Scalar::Single(at::<f16>(tensor, i)?.to_f32()),
            DType::BF16 => Scalar::Single(at::<bf16>(tensor, i)?.to_f32()),
            DType::F8E4M3FN => narrow!(F8E4M3FN),
            DType::F8E4M3FNUZ => narrow!(F8E4M3FNUZ),
            DType::F8E5M2 => narrow!(F8E5M2),
            DType::F8E5M2FNUZ => narrow!(F8E5M2FNUZ),
            // As text of single precision, a reader of doubles would not get a power of two.
            DType::F8E8M0FNU => Scalar::Double(at::<e::F8E8M0FNU>(tensor, i)?.to_f32().into()),
            DType::F4E2M1FN => narrow!(F4E2M1FN),
            DType::I64 => int!(i64),
            DType::I32 => int!(i32),
            DType::I16 => int!(i16),
            DType::I8 => int!(i8),
            DType::I4 => Scalar::Int(at::<e::I4>(tensor, i)?.0.into()),
            DType::I2 => Scalar::Int(at::<e::I2>(tensor, i)?.0.into()),
            DType::U64 => int!(u64),
            DType::U32 => int!(u32),
            DType::U16 => int!(u16),
            DType::U8 => int!(u8),
            DType::U4 => Scalar::Int(at::<e::U4>(tensor, i)?.0.into()),
            DType::U2 => Scalar::Int(at::<e::U2>(tensor, i)?.0.into()),
            DType::Bool => Scalar::Bool(at::<e::B8>(tensor, i)?.into()),
            DType::Str => Scalar::Text(tensor.strings().ok()?.get(i)?.clone()),
            DType::C64 => {
                let z = at::<e::C64>(tensor, i)?;
                Scalar::Complex(z.re.into(), z.im.into())
            }
            DType::C128 => {
                let z = at::<e::C128>(tensor, i)?;
                Scalar::Complex(z.re, z.im)
            }
        })
    }

    /// The number, if it is a real one.
    pub(crate) fn to_f64(&self) -> Option<f64> {
        match self {
            Scalar::Bool(b) => Some(f64::from(u8::from(*b))),
            Scalar::Int(n) => Some(*n as f64),
            Scalar::Single(v) => Some((*v).into()),
            Scalar::Double(v) => Some(*v),
            Scalar::Complex(..) | Scalar::Text(_) => None,
        }
    }

    fn to_int(&self) -> Option<i128> {
        match self {
            Scalar::Bool(b) => Some((*b).into()),
            Scalar::Int(n) => Some(*n),
            // Greater ones stand for all whole numbers around them.
            Scalar::Single(_) | Scalar::Double(_) => {
                let v = self.to_f64()?;
                (v.fract() == 0.0 && v.abs() <= EXACT).then_some(v as i128)
            }
            Scalar::Complex(..) | Scalar::Text(_) => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(b) => write!(f, "{b}"),
            Scalar::Int(n) => write!(f, "{n}"),
            Scalar::Single(v) if is_long((*v).into()) => write!(f, "{v:e}"),
            Scalar::Single(v) => write!(f, "{v}"),
            Scalar::Double(v) if is_long(*v) => write!(f, "{v:e}"),
            Scalar::Double(v) => write!(f, "{v}"),
            Scalar::Complex(re, im) => write!(f, "{re}{im:+}i"),
            Scalar::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// Whether a number needs an exponent to be short.
fn is_long(v: f64) -> bool {
    v.is_finite() && v != 0.0 && !(1e-5..1e16).contains(&v.abs())
}

/// A tensor of the given elements, converted to the element type; an error names the first that does not fit, and its place.
/// Numbers are rounded to floats, but a finite one never becomes an infinity or the reverse.
pub(crate) fn tensor(
    pool: &Pool,
    dtype: DType,
    dims: &[usize],
    values: &[Scalar],
) -> Result<Tensor, String> {
    let built = |r: Result<Tensor, KernelError>| r.map_err(|e| limits::refusal(pool, &e));
    let misfit = |i: usize, v: &Scalar| {
        let (place, reason) = (place(i, dims), reason(dtype, v));
        format!("{v}{place} is not an element of type {dtype}{reason}")
    };
    macro_rules! made {
        ($f:expr) => {{
            let f = $f;
            let elements = values.iter().enumerate();
            let elements = elements.map(|(i, v)| f(v).ok_or_else(|| misfit(i, v)));
            let elements = elements.collect::<Result<Vec<_>, String>>()?;
            built(Tensor::from_slice(pool, dims, &elements))
        }};
    }
    macro_rules! ints {
        ($t:ty) => {
            made!(|v: &Scalar| <$t>::try_from(v.to_int()?).ok())
        };
    }
    macro_rules! small {
        ($t:ident) => {{
            let (low, high) = whole_range(dtype);
            made!(|v: &Scalar| v
                .to_int()
                .filter(|n| (low..=high).contains(n))
                .map(|n| e::$t(n as _)))
        }};
    }
    macro_rules! floats {
        ($from:expr, $to:expr) => {{
            let (from, to) = ($from, $to);
            made!(|v: &Scalar| {
                let v = v.to_f64()?;
                let rounded = from(v);
                let back: f64 = to(rounded);
                (v.is_nan() == back.is_nan() && v.is_infinite() == back.is_infinite())
                    .then_some(rounded)
            })
        }};
    }
    macro_rules! narrow {
        ($t:ident) => {
            floats!(|v: f64| e::$t::from_f64(v, false), |v: e::$t| v.to_f32().into())
        };
    }
    match dtype {
        DType::F64 => made!(Scalar::to_f64),
        DType::F32 => floats!(|v: f64| v as f32, f64::from),
        DType::F16 => floats!(f16::from_f64, f16::to_f64),
        DType::BF16 => floats!(bf16::from_f64, bf16::to_f64),
        DType::F8E4M3FN => narrow!(F8E4M3FN),
        DType::F8E4M3FNUZ => narrow!(F8E4M3FNUZ),
        DType::F8E5M2 => narrow!(F8E5M2),
        DType::F8E5M2FNUZ => narrow!(F8E5M2FNUZ),
        // It has no value that would show an overflow.
        DType::F4E2M1FN => made!(|v: &Scalar| {
            let fits = |v: &f64| v.abs() <= greatest(dtype);
            v.to_f64().filter(fits).map(|v| e::F4E2M1FN::from_f64(v, true))
        }),
        DType::F8E8M0FNU => made!(|v: &Scalar| v.to_f64().and_then(power_of_two)),
        DType::I64 => ints!(i64),
        DType::I32 => ints!(i32),
        DType::I16 => ints!(i16),
        DType::I8 => ints!(i8),
        DType::I4 => small!(I4),
        DType::I2 => small!(I2),
        DType::U64 => ints!(u64),
        DType::U32 => ints!(u32),
        DType::U16 => ints!(u16),
        DType::U8 => ints!(u8),
        DType::U4 => small!(U4),
        DType::U2 => small!(U2),
        DType::Bool => made!(|v: &Scalar| match v {
            Scalar::Bool(b) => Some(e::B8::from(*b)),
            Scalar::Int(n @ 0..=1) => Some(e::B8::from(*n == 1)),
            _ => None,
        }),
        DType::C64 => made!(|v: &Scalar| {
            let (re, im) = match v {
                Scalar::Complex(re, im) => (*re, *im),
                _ => (v.to_f64()?, 0.0),
            };
            let part = |v: f64| {
                let rounded = v as f32;
                (v.is_infinite() == rounded.is_infinite()).then_some(rounded)
            };
            Some(e::C64 { re: part(re)?, im: part(im)? })
        }),
        DType::C128 => made!(|v: &Scalar| match v {
            Scalar::Complex(re, im) => Some(e::C128 { re: *re, im: *im }),
            _ => v.to_f64().map(|re| e::C128 { re, im: 0.0 }),
        }),
        DType::Str => {
            let text = values.iter().enumerate().map(|(i, v)| match v {
                Scalar::Text(s) => Ok(s.as_str()),
                other => Err(misfit(i, other)),
            });
            let text = text.collect::<Result<Vec<_>, _>>()?;
            built(Tensor::gather_strings(pool, dims, text.into_iter()))
        }
    }
}

/// ` at [1, 2]`, and nothing for the only element of a scalar.
fn place(mut i: usize, dims: &[usize]) -> String {
    let mut index: Vec<String> = Vec::new();
    for &n in dims.iter().rev() {
        index.push((i % n.max(1)).to_string());
        i /= n.max(1);
    }
    index.reverse();
    if index.is_empty() { String::new() } else { format!(" at [{}]", index.join(", ")) }
}

/// The reason why an element type does not hold a value, as the end of a sentence; empty if the kinds differ.
fn reason(dtype: DType, value: &Scalar) -> String {
    let number = value.to_f64();
    match number {
        Some(v) if dtype.is_int() && v.is_finite() => {
            let (low, high) = whole_range(dtype);
            match value {
                Scalar::Int(_) => format!(", which holds {low} to {high}"),
                _ if v.fract() != 0.0 => ", which holds whole numbers".to_owned(),
                _ => format!(", which holds {low} to {high}: write it without point and exponent"),
            }
        }
        Some(v) if dtype == DType::F8E8M0FNU && v.is_finite() => {
            ", which holds powers of two from 2^-127 to 2^127".to_owned()
        }
        Some(v) if dtype.is_float() && v.is_finite() => {
            format!(", whose greatest number is {}", Scalar::Double(greatest(dtype)))
        }
        Some(v) if dtype.is_float() && v.is_nan() => ", which has no NaN".to_owned(),
        Some(_) if dtype.is_float() => ", which has no infinity".to_owned(),
        _ => String::new(),
    }
}

/// Least and greatest number of an integer type.
fn whole_range(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    match dtype.class() {
        Class::Int => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

/// Greatest finite number of a floating-point type.
fn greatest(dtype: DType) -> f64 {
    match dtype {
        DType::F32 | DType::C64 => f32::MAX.into(),
        DType::F16 => f16::MAX.to_f64(),
        DType::BF16 => bf16::MAX.to_f64(),
        DType::F8E4M3FN => e::F8E4M3FN::from_f64(f64::MAX, true).to_f32().into(),
        DType::F8E4M3FNUZ => e::F8E4M3FNUZ::from_f64(f64::MAX, true).to_f32().into(),
        DType::F8E5M2 => e::F8E5M2::from_f64(f64::MAX, true).to_f32().into(),
        DType::F8E5M2FNUZ => e::F8E5M2FNUZ::from_f64(f64::MAX, true).to_f32().into(),
        DType::F4E2M1FN => e::F4E2M1FN::from_f64(f64::MAX, true).to_f32().into(),
        _ => f64::MAX,
    }
}

/// NaN, or a power of two that the type holds; it rounds nothing.
fn power_of_two(v: f64) -> Option<e::F8E8M0FNU> {
    if v.is_nan() {
        return Some(e::F8E8M0FNU(0xff));
    }
    let (sign_and_exponent, mantissa) = (v.to_bits() >> 52, v.to_bits() << 12);
    let code = sign_and_exponent.checked_sub(1023 - 127).filter(|c| *c < 0xff && mantissa == 0)?;
    u8::try_from(code).ok().map(e::F8E8M0FNU)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_survive_and_misfits_are_named() {
        for &dtype in DType::ALL.iter().filter(|d| **d != DType::Str) {
            let t = tensor(&Pool::new(), dtype, &[2], &[Scalar::Int(1), Scalar::Int(1)]).unwrap();
            let back = Scalar::get(&t, 0).unwrap();
            let one = match back {
                Scalar::Complex(re, im) => re + im,
                ref other => other.to_f64().unwrap(),
            };
            assert_eq!(one, 1.0, "{dtype}");
            assert_eq!(Scalar::get(&t, 2), None);
        }
        let error = tensor(&Pool::new(), DType::U8, &[1], &[Scalar::Int(256)]).unwrap_err();
        assert_eq!(error, "256 at [0] is not an element of type u8, which holds 0 to 255");
        assert!(tensor(&Pool::new(), DType::F32, &[1], &[Scalar::Text("x".into())]).is_err());
        assert!(tensor(&Pool::new(), DType::F32, &[2], &[Scalar::Int(1)]).is_err());
    }

    #[test]
    fn finite_numbers_never_become_infinite() {
        use DType as D;
        let misfits: &[(D, f64, &str)] = &[
            (D::F32, 1e39, "greatest number is 3.4028234663852886e38"),
            (D::F32, -3.5e38, "greatest"),
            (D::F16, 65520.0, "greatest number is 65504"),
            (D::BF16, 3.4e38, "greatest"),
            (D::F8E4M3FN, 465.0, "greatest number is 448"),
            (D::F8E4M3FNUZ, 1e4, "greatest number is 240"),
            (D::F8E5M2, -1e9, "greatest number is 57344"),
            (D::F8E5M2FNUZ, 1e9, "greatest number is 57344"),
            (D::F4E2M1FN, 100.0, "greatest number is 6"),
            (D::F4E2M1FN, f64::NAN, "no NaN"),
            (D::F4E2M1FN, f64::INFINITY, "no infinity"),
            (D::F8E4M3FN, f64::INFINITY, "no infinity"),
            (D::F8E8M0FNU, 3.0, "powers of two"),
            (D::F8E8M0FNU, 0.0, "powers of two"),
            (D::F8E8M0FNU, -2.0, "powers of two"),
            (D::F8E8M0FNU, 2f64.powi(128), "powers of two"),
            (D::C64, 1e39, "c64"),
            (D::I64, 0.5, "whole numbers"),
            (D::I64, 1e17, "without point and exponent"),
            (D::I4, 8.0, "-8 to 7"),
            (D::U2, -1.0, "0 to 3"),
        ];
        for &(dtype, v, expected) in misfits {
            let error = tensor(&Pool::new(), dtype, &[1, 1], &[Scalar::Double(v)]).unwrap_err();
            assert!(error.contains(" at [0, 0] is not an element"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
        let greatest_of_each =
            [D::F64, D::F32, D::F16, D::BF16, D::F8E4M3FN, D::F8E5M2, D::F4E2M1FN];
        for dtype in greatest_of_each {
            let t = tensor(&Pool::new(), dtype, &[], &[Scalar::Double(greatest(dtype))]).unwrap();
            assert_eq!(Scalar::get(&t, 0).unwrap().to_f64(), Some(greatest(dtype)));
        }
        for v in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            for dtype in [D::F64, D::F32, D::F16, D::BF16, D::F8E5M2] {
                let t = tensor(&Pool::new(), dtype, &[], &[Scalar::Double(v)]).unwrap();
                let back = Scalar::get(&t, 0).unwrap().to_f64().unwrap();
                assert_eq!(back.to_string(), v.to_string());
            }
        }
        for code in 0..=u8::MAX {
            let v = e::F8E8M0FNU(code).to_f32();
            assert_eq!(power_of_two(v.into()), Some(e::F8E8M0FNU(code)));
        }
    }
}
