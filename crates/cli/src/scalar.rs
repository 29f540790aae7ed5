//! Single elements of tensors of any type, for text and JSON.

use half::{bf16, f16};
use std::fmt;
use trident_ir::{DType, Element, element as e};
use trident_runtime::{KernelError, Pool, Tensor};

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
            DType::F8E8M0FNU => narrow!(F8E8M0FNU),
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
            Scalar::Single(_) | Scalar::Double(_) => {
                let v = self.to_f64()?;
                (v.fract() == 0.0 && v.abs() < 1e30).then_some(v as i128)
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
            Scalar::Single(v) => write!(f, "{v}"),
            Scalar::Double(v) => write!(f, "{v}"),
            Scalar::Complex(re, im) => write!(f, "{re}{im:+}i"),
            Scalar::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// A tensor of the given elements, converted to the element type; an error names the first that does not fit.
pub(crate) fn tensor(dtype: DType, dims: &[usize], values: &[Scalar]) -> Result<Tensor, String> {
    let pool = Pool::new();
    let built = |r: Result<Tensor, KernelError>| r.map_err(|e| e.to_string());
    let misfit = |v: &Scalar| format!("{v} is no element of type {dtype}");
    macro_rules! made {
        ($f:expr) => {{
            let f = $f;
            let elements = values.iter().map(|v| f(v).ok_or_else(|| misfit(v)));
            let elements = elements.collect::<Result<Vec<_>, String>>()?;
            built(Tensor::from_slice(&pool, dims, &elements))
        }};
    }
    macro_rules! ints {
        ($t:ty) => {
            made!(|v: &Scalar| <$t>::try_from(v.to_int()?).ok())
        };
    }
    macro_rules! small {
        ($t:ident, $range:expr) => {
            made!(|v: &Scalar| v.to_int().filter(|n| $range.contains(n)).map(|n| e::$t(n as _)))
        };
    }
    macro_rules! narrow {
        ($t:ident) => {
            made!(|v: &Scalar| v.to_f64().map(|v| e::$t::from_f64(v, true)))
        };
    }
    match dtype {
        DType::F64 => made!(Scalar::to_f64),
        DType::F32 => made!(|v: &Scalar| v.to_f64().map(|v| v as f32)),
        DType::F16 => made!(|v: &Scalar| v.to_f64().map(f16::from_f64)),
        DType::BF16 => made!(|v: &Scalar| v.to_f64().map(bf16::from_f64)),
        DType::F8E4M3FN => narrow!(F8E4M3FN),
        DType::F8E4M3FNUZ => narrow!(F8E4M3FNUZ),
        DType::F8E5M2 => narrow!(F8E5M2),
        DType::F8E5M2FNUZ => narrow!(F8E5M2FNUZ),
        DType::F4E2M1FN => narrow!(F4E2M1FN),
        DType::I64 => ints!(i64),
        DType::I32 => ints!(i32),
        DType::I16 => ints!(i16),
        DType::I8 => ints!(i8),
        DType::I4 => small!(I4, (-8..8)),
        DType::I2 => small!(I2, (-2..2)),
        DType::U64 => ints!(u64),
        DType::U32 => ints!(u32),
        DType::U16 => ints!(u16),
        DType::U8 => ints!(u8),
        DType::U4 => small!(U4, (0..16)),
        DType::U2 => small!(U2, (0..4)),
        DType::Bool => made!(|v: &Scalar| match v {
            Scalar::Bool(b) => Some(e::B8::from(*b)),
            Scalar::Int(n @ 0..=1) => Some(e::B8::from(*n == 1)),
            _ => None,
        }),
        DType::C64 => made!(|v: &Scalar| match v {
            Scalar::Complex(re, im) => Some(e::C64 { re: *re as f32, im: *im as f32 }),
            _ => v.to_f64().map(|re| e::C64 { re: re as f32, im: 0.0 }),
        }),
        DType::C128 => made!(|v: &Scalar| match v {
            Scalar::Complex(re, im) => Some(e::C128 { re: *re, im: *im }),
            _ => v.to_f64().map(|re| e::C128 { re, im: 0.0 }),
        }),
        DType::Str => {
            let text = values.iter().map(|v| match v {
                Scalar::Text(s) => Ok(s.clone()),
                other => Err(misfit(other)),
            });
            built(Tensor::from_strings(dims, text.collect::<Result<_, _>>()?))
        }
        DType::F8E8M0FNU => Err(format!("element type {dtype} cannot be given as numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_survive_and_misfits_are_named() {
        let two = [Scalar::Int(1), Scalar::Int(0)];
        for &dtype in DType::ALL {
            if matches!(dtype, DType::Str | DType::F8E8M0FNU) {
                continue;
            }
            let t = tensor(dtype, &[2], &two).unwrap();
            let back = Scalar::get(&t, 0).unwrap();
            let one = match back {
                Scalar::Complex(re, im) => re + im,
                ref other => other.to_f64().unwrap(),
            };
            assert_eq!(one, 1.0, "{dtype}");
            assert_eq!(Scalar::get(&t, 2), None);
        }
        let error = tensor(DType::U8, &[1], &[Scalar::Int(256)]).unwrap_err();
        assert_eq!(error, "256 is no element of type u8");
        assert!(tensor(DType::I64, &[1], &[Scalar::Double(0.5)]).is_err());
        assert!(tensor(DType::F32, &[1], &[Scalar::Text("x".into())]).is_err());
        assert!(tensor(DType::F32, &[2], &[Scalar::Int(1)]).is_err());
    }
}
