//! Bits of elements as numbers and back.

use crate::DType;
use crate::dtype::Class;
use crate::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use crate::op::words::FloatRounding;
use half::{bf16, f16};

/// The value that stands for an arbitrary one of the op table: NaN for floats, true, and 0xa5 in each byte of an integer.
pub fn poison(dtype: DType) -> u64 {
    match dtype.class() {
        Class::Float => from_float(dtype, f64::NAN),
        Class::Bool => 1,
        _ => mask(dtype, 0xa5a5_a5a5_a5a5_a5a5),
    }
}

/// The bits that an element of the type has.
pub fn mask(dtype: DType, bits: u64) -> u64 {
    match dtype.size() {
        size @ 1..8 => bits & ((1 << (8 * size)) - 1),
        _ => bits,
    }
}

/// The value of a float, exactly; of integers the nearest.
pub fn float(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f32::from_bits(bits as u32).into(),
        DType::F16 => f16::from_bits(bits as u16).into(),
        DType::BF16 => bf16::from_bits(bits as u16).into(),
        DType::F8E4M3FN => F8E4M3FN(bits as u8).to_f32().into(),
        DType::F8E4M3FNUZ => F8E4M3FNUZ(bits as u8).to_f32().into(),
        DType::F8E5M2 => F8E5M2(bits as u8).to_f32().into(),
        DType::F8E5M2FNUZ => F8E5M2FNUZ(bits as u8).to_f32().into(),
        _ => int(dtype, bits) as f64,
    }
}

/// The value of an integer; 0 or 1 for truth values.
pub fn int(dtype: DType, bits: u64) -> i128 {
    match dtype.class() {
        Class::Int => {
            let unused = 64 - 8 * dtype.size() as u32;
            i128::from((bits << unused) as i64 >> unused)
        }
        Class::Bool => i128::from(bits != 0),
        _ => i128::from(bits),
    }
}

/// The bits of an integer, which wraps. A truth value is whether the number is not 0.
pub fn from_int(dtype: DType, value: i128) -> u64 {
    match dtype {
        DType::Bool => u64::from(value != 0),
        _ => mask(dtype, value as u64),
    }
}

/// The bits of the float that is nearest.
pub fn from_float(dtype: DType, value: f64) -> u64 {
    round(dtype, value, FloatRounding::NearestEven, false)
}

/// Bits of mantissa and the least exponent of normal numbers of formats narrower than f64.
fn format(dtype: DType) -> Option<(i32, i32)> {
    Some(match dtype {
        DType::F32 => (23, -126),
        DType::F16 => (10, -14),
        DType::BF16 => (7, -126),
        DType::F8E4M3FN => (3, -6),
        DType::F8E4M3FNUZ => (3, -7),
        DType::F8E5M2 => (2, -14),
        DType::F8E5M2FNUZ => (2, -15),
        _ => return None,
    })
}

/// `value` with `mantissa` bits after the first one, and no bits below those of the least normal number.
pub fn quantise(value: f64, mantissa: i32, least: i32, rounding: FloatRounding) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least);
    // A power of two: scaling by it is exact.
    let unit = f64::from_bits(((exponent - mantissa + 1023) as u64) << 52);
    match rounding {
        FloatRounding::NearestEven => (value / unit).round_ties_even() * unit,
        FloatRounding::TowardZero => (value / unit).trunc() * unit,
    }
}

/// The bits of the float to which `value` rounds. Values beyond the greatest finite number become that number if
/// `saturate` (for 8-bit floats) or if rounding toward zero leads to it, else infinity or the format's replacement for
/// it.
pub fn round(dtype: DType, value: f64, rounding: FloatRounding, saturate: bool) -> u64 {
    let Some((mantissa, least)) = format(dtype) else {
        return match dtype {
            DType::F64 => value.to_bits(),
            _ => from_int(dtype, value as i128),
        };
    };
    let exact = quantise(value, mantissa, least, rounding);
    let toward_zero = rounding == FloatRounding::TowardZero && value.is_finite();
    // The conversions below have nothing left to round.
    match dtype {
        DType::F32 => match exact as f32 {
            y if toward_zero => y.clamp(f32::MIN, f32::MAX).to_bits().into(),
            y => y.to_bits().into(),
        },
        DType::F16 => match f16::from_f64(exact) {
            y if toward_zero => y.clamp(f16::MIN, f16::MAX).to_bits().into(),
            y => y.to_bits().into(),
        },
        DType::BF16 => match bf16::from_f64(exact) {
            y if toward_zero => y.clamp(bf16::MIN, bf16::MAX).to_bits().into(),
            y => y.to_bits().into(),
        },
        DType::F8E4M3FN => F8E4M3FN::from_f64(exact, saturate || toward_zero).0.into(),
        DType::F8E4M3FNUZ => F8E4M3FNUZ::from_f64(exact, saturate || toward_zero).0.into(),
        DType::F8E5M2 => F8E5M2::from_f64(exact, saturate || toward_zero).0.into(),
        _ => F8E5M2FNUZ::from_f64(exact, saturate || toward_zero).0.into(),
    }
}

/// An integer as f64 such that rounding it once more to a narrower float gives the float nearest to the integer:
/// rounded to odd (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums").
fn to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let lost = magnitude != kept << excess;
    let odd = ((kept | u128::from(lost)) << excess) as f64;
    if value < 0 { -odd } else { odd }
}

/// Converts an element.
pub fn cast(from: DType, to: DType, bits: u64, rounding: FloatRounding, saturate: bool) -> u64 {
    match (from.is_float(), to.is_float()) {
        (true, true) => round(to, float(from, bits), rounding, saturate),
        (false, true) => match to {
            DType::F64 => (int(from, bits) as f64).to_bits(),
            _ => round(to, to_odd(int(from, bits)), rounding, saturate),
        },
        (false, false) => from_int(to, int(from, bits)),
        (true, false) => {
            let value = float(from, bits);
            if to == DType::Bool {
                return u64::from(value != 0.0);
            }
            // Out of range and NaN give what is arbitrary. All integers of at most 64 bits are far inside of i128.
            let whole = value.trunc();
            let result = from_int(to, whole as i128);
            let fits = whole.abs() < 2f64.powi(100) && int(to, result) == whole as i128;
            if fits { result } else { poison(to) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_round_once() {
        // Just above a tie between two f16: through f32 it would be the tie.
        let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(from_float(DType::F16, above), 0x3c01);
        assert_eq!(from_float(DType::BF16, 1.0 + 2f64.powi(-8) + 2f64.powi(-45)), 0x3f81);
        assert_eq!(from_float(DType::BF16, 1.0 + 2f64.powi(-8)), 0x3f80);
        for x in [0.1, -1e-7, 3e-40, 65519.9, 65520.0, 1e39, -1e-50, f64::INFINITY] {
            assert_eq!(from_float(DType::F32, x), u64::from((x as f32).to_bits()), "{x}");
        }
        assert_eq!(from_float(DType::F16, 65519.9), 0x7bff);
        assert_eq!(from_float(DType::F16, 65520.0), 0x7c00);
        assert_eq!(from_float(DType::F16, 2f64.powi(-25)), 0);
        assert_eq!(from_float(DType::F16, 2f64.powi(-25) * 1.001), 1);
        // Every f16 and bf16 comes back.
        for bits in 0..=0xffffu64 {
            for dtype in [DType::F16, DType::BF16] {
                let x = float(dtype, bits);
                assert!(x.is_nan() || from_float(dtype, x) == bits, "{dtype} {bits:#x}");
            }
        }
    }

    #[test]
    fn truncation_stays_below() {
        let trunc = |dtype, x| round(dtype, x, FloatRounding::TowardZero, false);
        assert_eq!(trunc(DType::BF16, 1.999), 0x3fff);
        assert_eq!(trunc(DType::BF16, -1.999), 0xbfff);
        assert_eq!(trunc(DType::F16, 1e9), 0x7bff);
        assert_eq!(trunc(DType::F16, f64::NEG_INFINITY), 0xfc00);
        assert_eq!(trunc(DType::F32, 1e300), u64::from(f32::MAX.to_bits()));
        assert_eq!(trunc(DType::F8E5M2, 1.249), 0x3c);
        assert_eq!(trunc(DType::F8E4M3FN, 1e9), 0x7e);
        assert_eq!(float(DType::F8E4M3FN, trunc(DType::F8E4M3FN, 1.2499)), 1.125);
    }

    #[test]
    fn integers_wrap_and_convert() {
        let cast = |from, to, bits| cast(from, to, bits, FloatRounding::NearestEven, true);
        assert_eq!(int(DType::I8, 0xff), -1);
        assert_eq!(int(DType::U8, 0xff), 255);
        assert_eq!(from_int(DType::I16, -2), 0xfffe);
        assert_eq!(cast(DType::I32, DType::I64, 0xffff_ffff), u64::MAX);
        assert_eq!(cast(DType::U32, DType::I64, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(cast(DType::I64, DType::I8, 0x1_80), 0x80);
        for x in [i64::MAX, (1 << 54) + (1 << 30) + 1, -((1 << 62) + (1 << 38) + 1), 16777217, -3] {
            assert_eq!(
                cast(DType::I64, DType::F32, x as u64),
                u64::from((x as f32).to_bits()),
                "{x}"
            );
            assert_eq!(cast(DType::I64, DType::F64, x as u64), (x as f64).to_bits(), "{x}");
        }
        assert_eq!(cast(DType::F32, DType::I8, u64::from((-128.9f32).to_bits())), 0x80);
        assert_eq!(cast(DType::F32, DType::I8, u64::from(128f32.to_bits())), 0xa5);
        assert_eq!(cast(DType::F32, DType::U64, u64::from(f32::NAN.to_bits())), poison(DType::U64));
        assert_eq!(cast(DType::F32, DType::Bool, u64::from(0.5f32.to_bits())), 1);
        assert_eq!(cast(DType::Bool, DType::F16, 1), 0x3c00);
        assert_eq!(cast(DType::F32, DType::F8E4M3FN, u64::from(1e9f32.to_bits())), 0x7e);
    }
}
