//! Conversions between element types.

pub(crate) mod text;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use trident_ir::element::*;
use trident_ir::op::words::ScaleRounding;
use trident_ir::{DType, Element};
use trident_kernels::parallel::{for_pieces, vectorised};
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Pool, Tensor};

/// How values that the target cannot hold are treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conversion {
    /// 8-bit floats clamp to their finite range.
    pub(crate) saturate: bool,
    /// Rounding to powers of two (`f8e8m0fnu`).
    pub(crate) round: ScaleRounding,
}

impl Default for Conversion {
    fn default() -> Self {
        Conversion { saturate: true, round: ScaleRounding::Up }
    }
}

/// The type in which arithmetic on a type is done: f32 for narrower floats, i64 for narrower integers, so that results are
/// exact before they are rounded or cut to the type.
pub(crate) fn compute_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::I8 | DType::I16 | DType::U8 | DType::U16 | DType::U32 => DType::I64,
        DType::I4 | DType::I2 | DType::U4 | DType::U2 => DType::I64,
        other => other,
    }
}

/// Truncation of a float to an integer. The standard does not define the result for NaN and for values out of range. It
/// is that of x86 processors, like the standard's reference and ONNX Runtime on these.
trait Cut {
    /// In 32 bits, with the least value for what these cannot hold. Narrower integers are its low bits.
    fn cut32(self) -> i32;
    /// In 64 bits, likewise. `u32` is its low bits.
    fn cut64(self) -> i64;
    /// Negative values wrap.
    fn cut_u64(self) -> u64;
}

macro_rules! cut {
    ($($t:ty),*) => { $(
        impl Cut for $t {
            #[inline(always)]
            fn cut32(self) -> i32 {
                const END: $t = -(i32::MIN as $t);
                // Saturation gives the least value below the range.
                if self < END { self as i32 } else { i32::MIN }
            }

            #[inline(always)]
            fn cut64(self) -> i64 {
                const END: $t = -(i64::MIN as $t);
                if self < END { self as i64 } else { i64::MIN }
            }

            #[inline(always)]
            fn cut_u64(self) -> u64 {
                const END: $t = -(i64::MIN as $t);
                match self >= END {
                    true => (self - END).cut64() as u64 ^ 1 << 63,
                    false => self.cut64() as u64,
                }
            }
        }
    )* };
}

cut!(f32, f64);

/// The tensor in another element type. Integers wrap. Floats are truncated to integers, and wrap as [`Cut`] defines.
pub(crate) fn convert(
    threads: &Threads,
    pool: &Pool,
    x: &Tensor,
    to: DType,
    how: Conversion,
) -> Result<Tensor, KernelError> {
    if x.dtype() == to {
        return Ok(x.clone());
    }
    let mut y = Tensor::alloc(pool, to, x.dims())?;
    convert_into(threads, x, &mut y, how)?;
    Ok(y)
}

/// [`convert`] with the standard's defaults.
pub(crate) fn cast(
    threads: &Threads,
    pool: &Pool,
    x: &Tensor,
    to: DType,
) -> Result<Tensor, KernelError> {
    convert(threads, pool, x, to, Conversion::default())
}

macro_rules! primitives {
    ($m:ident ! ($($args:tt)*)) => { $m!([F32 f32, F64 f64, I64 i64, I32 i32, I16 i16, I8 i8, U64 u64, U32 u32, U16 u16, U8 u8] $($args)*) };
}

/// Writes the elements of `x`, converted, to `y`, which has as many.
pub(crate) fn convert_into(
    threads: &Threads,
    x: &Tensor,
    y: &mut Tensor,
    how: Conversion,
) -> Result<(), KernelError> {
    let (from, to) = (x.dtype(), y.dtype());
    if x.len() != y.len() {
        return Err(KernelError::shape(
            "the input and the result must have the same number of elements",
        ));
    }
    if from == to && from != DType::Str {
        y.bytes_mut()?.copy_from_slice(x.bytes()?);
        return Ok(());
    }
    match (from, to) {
        (DType::Str, _) => return text::parse(x, y, how),
        (_, DType::Str) => return text::print(x, y),
        (DType::C64 | DType::C128, _) => return Err(KernelError::Unsupported(from)),
        (_, DType::C64 | DType::C128) => return Err(KernelError::Unsupported(to)),
        (DType::F16, DType::F32) => {
            let x = x.slice::<f16>()?;
            for_pieces(threads, y.slice_mut::<f32>()?, 2, |at, y| {
                x[at..at + y.len()].convert_to_f32_slice(y);
            });
            return Ok(());
        }
        (DType::F32, DType::F16) => {
            let x = x.slice::<f32>()?;
            for_pieces(threads, y.slice_mut::<f16>()?, 2, |at, y| {
                y.convert_from_f32_slice(&x[at..at + y.len()]);
            });
            return Ok(());
        }
        _ => {}
    }
    macro_rules! targets {
        ([$($d:ident $t:ty),*] $x:ident $s:ty) => {
            match to { $( DType::$d => return map::<$s, $t>(threads, $x, y, |v| v as $t), )* _ => {} }
        };
    }
    macro_rules! sources {
        ([$($d:ident $t:ty),*]) => {
            match from { $( DType::$d => primitives!(targets!(x $t)), )* _ => {} }
        };
    }
    macro_rules! cuts {
        ($s:ty) => {
            match to {
                DType::I64 => return map(threads, x, y, |v: $s| v.cut64()),
                DType::I32 => return map(threads, x, y, |v: $s| v.cut32()),
                DType::I16 => return map(threads, x, y, |v: $s| v.cut32() as i16),
                DType::I8 => return map(threads, x, y, |v: $s| v.cut32() as i8),
                DType::U64 => return map(threads, x, y, |v: $s| v.cut_u64()),
                DType::U32 => return map(threads, x, y, |v: $s| v.cut64() as u32),
                DType::U16 => return map(threads, x, y, |v: $s| v.cut32() as u16),
                DType::U8 => return map(threads, x, y, |v: $s| v.cut32() as u8),
                _ => {}
            }
        };
    }
    match from {
        DType::F32 => cuts!(f32),
        DType::F64 => cuts!(f64),
        _ => {}
    }
    primitives!(sources!());
    through_numbers(threads, x, y, how)
}

fn map<S: Element, T: Element>(
    threads: &Threads,
    x: &Tensor,
    y: &mut Tensor,
    f: impl Fn(S) -> T + Sync,
) -> Result<(), KernelError> {
    let x = x.slice::<S>()?;
    for_pieces(threads, y.slice_mut::<T>()?, 1, |at, y| {
        let x = &x[at..at + y.len()];
        vectorised(
            #[inline(always)]
            || y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x)),
        );
    });
    Ok(())
}

/// A number on its way between types that are not both primitive: exact for every source.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Int(i64),
    UInt(u64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Number::Float(v) => v,
            Number::Int(v) => v as f64,
            Number::UInt(v) => v as f64,
        }
    }

    /// In 64 bits; `u32` is its low bits.
    fn int(self) -> i64 {
        match self {
            Number::Float(v) => v.cut64(),
            Number::Int(v) => v,
            Number::UInt(v) => v as i64,
        }
    }

    /// In 32 bits; narrower integers are its low bits.
    fn int32(self) -> i32 {
        match self {
            Number::Float(v) => v.cut32(),
            n => n.int() as i32,
        }
    }

    fn is_zero(self) -> bool {
        match self {
            Number::Float(v) => v == 0.0,
            Number::Int(v) => v == 0,
            Number::UInt(v) => v == 0,
        }
    }
}

/// Conversions with at least one type that the processor does not know, element by element.
fn through_numbers(
    threads: &Threads,
    x: &Tensor,
    y: &mut Tensor,
    how: Conversion,
) -> Result<(), KernelError> {
    const CHUNK: usize = 256;
    let read = reader(x)?;
    let to = y.dtype();
    macro_rules! write {
        ($($d:ident => $t:ty, $f:expr;)*) => {
            match to {
                $( DType::$d => {
                    for_pieces(threads, y.slice_mut::<$t>()?, 8, |at, y| {
                        let mut buffer = [Number::Int(0); CHUNK];
                        for (i, y) in y.chunks_mut(CHUNK).enumerate() {
                            let start = at + i * CHUNK;
                            read(start, &mut buffer[..y.len()]);
                            y.iter_mut().zip(&buffer).for_each(|(y, &n)| *y = $f(n));
                        }
                    });
                    Ok(())
                } )*
                other => Err(KernelError::Unsupported(other)),
            }
        };
    }
    let fp8 = how.saturate;
    write! {
        F64 => f64, Number::float;
        F32 => f32, |n: Number| match n { Number::Float(v) => v as f32, Number::Int(v) => v as f32, Number::UInt(v) => v as f32 };
        F16 => f16, |n: Number| f16::from_f64(n.float());
        BF16 => bf16, |n: Number| bf16_from_f64(n.float());
        F8E4M3FN => F8E4M3FN, |n: Number| F8E4M3FN::from_f64(n.float(), fp8);
        F8E4M3FNUZ => F8E4M3FNUZ, |n: Number| F8E4M3FNUZ::from_f64(n.float(), fp8);
        F8E5M2 => F8E5M2, |n: Number| F8E5M2::from_f64(n.float(), fp8);
        F8E5M2FNUZ => F8E5M2FNUZ, |n: Number| F8E5M2FNUZ::from_f64(n.float(), fp8);
        F8E8M0FNU => F8E8M0FNU, |n: Number| e8m0(n.float() as f32, how);
        F4E2M1FN => F4E2M1FN, |n: Number| F4E2M1FN::from_f64(n.float(), true);
        I64 => i64, Number::int;
        I32 => i32, Number::int32;
        I16 => i16, |n: Number| n.int32() as i16;
        I8 => i8, |n: Number| n.int32() as i8;
        I4 => I4, |n: Number| I4(((n.int32() << 4) as i8) >> 4);
        I2 => I2, |n: Number| I2(((n.int32() << 6) as i8) >> 6);
        U64 => u64, |n: Number| match n { Number::Float(v) => v.cut_u64(), n => n.int() as u64 };
        U32 => u32, |n: Number| n.int() as u32;
        U16 => u16, |n: Number| n.int32() as u16;
        U8 => u8, |n: Number| n.int32() as u8;
        U4 => U4, |n: Number| U4(n.int32() as u8 & 15);
        U2 => U2, |n: Number| U2(n.int32() as u8 & 3);
        Bool => B8, |n: Number| B8::from(!n.is_zero());
    }
}

type Reader<'a> = Box<dyn Fn(usize, &mut [Number]) + Sync + 'a>;

/// Reads elements from an index on as numbers.
fn reader(x: &Tensor) -> Result<Reader<'_>, KernelError> {
    macro_rules! read {
        ($($d:ident => $t:ty, $f:expr;)*) => {
            match x.dtype() {
                $( DType::$d => {
                    let x = x.slice::<$t>()?;
                    Box::new(move |at, out| {
                        let n = out.len();
                        out.iter_mut().zip(&x[at..at + n]).for_each(|(o, &v)| *o = $f(v));
                    })
                } )*
                other => return Err(KernelError::Unsupported(other)),
            }
        };
    }
    Ok(read! {
        F64 => f64, Number::Float;
        F32 => f32, |v: f32| Number::Float(v.into());
        F16 => f16, |v: f16| Number::Float(v.to_f64());
        BF16 => bf16, |v: bf16| Number::Float(v.to_f64());
        F8E4M3FN => F8E4M3FN, |v: F8E4M3FN| Number::Float(v.to_f32().into());
        F8E4M3FNUZ => F8E4M3FNUZ, |v: F8E4M3FNUZ| Number::Float(v.to_f32().into());
        F8E5M2 => F8E5M2, |v: F8E5M2| Number::Float(v.to_f32().into());
        F8E5M2FNUZ => F8E5M2FNUZ, |v: F8E5M2FNUZ| Number::Float(v.to_f32().into());
        F8E8M0FNU => F8E8M0FNU, |v: F8E8M0FNU| Number::Float(v.to_f32().into());
        F4E2M1FN => F4E2M1FN, |v: F4E2M1FN| Number::Float(v.to_f32().into());
        I64 => i64, Number::Int;
        I32 => i32, |v: i32| Number::Int(v.into());
        I16 => i16, |v: i16| Number::Int(v.into());
        I8 => i8, |v: i8| Number::Int(v.into());
        I4 => I4, |v: I4| Number::Int(v.0.into());
        I2 => I2, |v: I2| Number::Int(v.0.into());
        U64 => u64, Number::UInt;
        U32 => u32, |v: u32| Number::Int(v.into());
        U16 => u16, |v: u16| Number::Int(v.into());
        U8 => u8, |v: u8| Number::Int(v.into());
        U4 => U4, |v: U4| Number::Int(v.0.into());
        U2 => U2, |v: U2| Number::Int(v.0.into());
        Bool => B8, |v: B8| Number::Int(bool::from(v).into());
    })
}

/// To nearest even in one rounding, also from f64 (through f32 it would be two).
fn bf16_from_f64(x: f64) -> bf16 {
    let near = x as f32;
    if f64::from(near) == x || !near.is_finite() {
        return bf16::from_f32(near);
    }
    // Rounding to odd first makes the second rounding right.
    let bits = near.to_bits();
    let toward_zero = if f64::from(near).abs() > x.abs() { bits - 1 } else { bits };
    bf16::from_f32(f32::from_bits(toward_zero | 1))
}

/// A power of two by its exponent alone. The sign is lost, as the format has none.
fn e8m0(x: f32, how: Conversion) -> F8E8M0FNU {
    let bits = x.to_bits();
    let exponent = bits >> 23 & 0xff;
    if exponent == 0xff {
        return F8E8M0FNU(0xff);
    }
    let fraction = bits & 0x7f_ffff;
    let up = match how.round {
        ScaleRounding::Up => fraction > 0,
        ScaleRounding::Down => false,
        // Half way goes up, except from the least exponent, whose neighbour is even.
        ScaleRounding::Nearest => fraction > 0x40_0000 || (fraction == 0x40_0000 && exponent > 0),
    };
    F8E8M0FNU((exponent + u32::from(up && !(how.saturate && exponent == 0xfe))) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to<S: Element, T: Element>(values: &[S]) -> Vec<T> {
        let pool = Pool::new();
        let x = Tensor::from_slice(&pool, &[values.len()], values).unwrap();
        cast(&Threads::new(1), &pool, &x, T::DTYPE).unwrap().slice::<T>().unwrap().to_vec()
    }

    #[test]
    fn numbers_convert() {
        assert_eq!(to::<f32, i32>(&[1.9, -1.9]), [1, -1]);
        assert_eq!(to::<i32, i8>(&[200, -1]), [-56, -1]);
        assert_eq!(to::<i32, I4>(&[7, 8, -9]), [I4(7), I4(-8), I4(7)]);
        assert_eq!(to::<f32, B8>(&[0.5, -0.0, f32::NAN]), [B8(1), B8(0), B8(1)]);
        assert_eq!(to::<u64, f32>(&[u64::MAX]), [1.844_674_4e19]);
        assert_eq!(to::<U4, f16>(&[U4(15)]), [f16::from_f32(15.0)]);
        assert_eq!(to::<f32, F8E8M0FNU>(&[3.0, 1.0]), [F8E8M0FNU(129), F8E8M0FNU(127)]);
        // Just above half way between two bf16 values: rounding through f32 would lose the rest.
        assert_eq!(to::<f64, bf16>(&[1.0 + 1.0 / 256.0 + 1e-12]), [bf16::from_f32(1.007_812_5)]);
        assert_eq!(to::<f64, bf16>(&[-3.5e38, f64::NAN])[0], bf16::NEG_INFINITY);
    }

    #[test]
    fn floats_that_an_integer_cannot_hold() {
        let big = 2f32.powi(40);
        let x = [-1.5f32, 300.7, -40_000.0, big, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        assert_eq!(to::<f32, u8>(&x), [255, 44, 192, 0, 0, 0, 0]);
        assert_eq!(to::<f32, i8>(&x), [-1, 44, -64, 0, 0, 0, 0]);
        assert_eq!(to::<f32, u16>(&x), [65535, 300, 25536, 0, 0, 0, 0]);
        assert_eq!(to::<f32, i16>(&x), [-1, 300, 25536, 0, 0, 0, 0]);
        assert_eq!(to::<f32, i32>(&x)[2..], [-40_000, i32::MIN, i32::MIN, i32::MIN, i32::MIN]);
        assert_eq!(to::<f32, u32>(&x), [u32::MAX, 300, 4_294_927_296, 0, 0, 0, 0]);
        assert_eq!(to::<f32, i64>(&x)[3..], [1 << 40, i64::MIN, i64::MIN, i64::MIN]);
        assert_eq!(to::<f32, u64>(&x)[..1], [u64::MAX]);
        assert_eq!(to::<f32, u64>(&x)[3..], [1 << 40, 0, 1 << 63, 1 << 63]);
        assert_eq!(to::<f32, U4>(&x), [U4(15), U4(12), U4(0), U4(0), U4(0), U4(0), U4(0)]);
        assert_eq!(to::<f32, I4>(&x)[..3], [I4(-1), I4(-4), I4(0)]);
        // The ends of the ranges, and what lies just outside.
        let ends = [2_147_483_647.5, -2_147_483_648.9, 2_147_483_648.0, -2_147_483_649.0];
        assert_eq!(to::<f64, i32>(&ends), [i32::MAX, i32::MIN, i32::MIN, i32::MIN]);
        assert_eq!(to::<f64, u32>(&ends), [i32::MAX as u32, 1 << 31, 1 << 31, i32::MAX as u32]);
        assert_eq!(to::<f64, u64>(&[9.3e18, 1.9e19]), [9_300_000_000_000_000_000, 0]);
        // Types that take the other path.
        let x = [f16::from_f32(-1.5), f16::INFINITY, f16::NAN];
        assert_eq!(to::<f16, u8>(&x), [255, 0, 0]);
        assert_eq!(to::<f16, i32>(&x), [-1, i32::MIN, i32::MIN]);
        assert_eq!(to::<bf16, u64>(&[bf16::from_f32(-3.0)]), [u64::MAX - 2]);
    }
}
