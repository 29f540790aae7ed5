//! The narrow float formats: exact decoding to `f32`, and encoding rounded once. Both are free of branches, so that loops
//! over them become vector instructions.

/// Rounding of conversions to narrower floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
}

/// How a format spells its special values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// IEEE: the top exponent holds infinities and NaNs.
    Ieee,
    /// No infinities; all bits set is NaN.
    AllOnes,
    /// No infinities, no negative zero; the sign bit alone is NaN.
    NegativeZero,
}

/// A format of at most 16 bits: sign, exponent, mantissa. A number is a code, in the lowest bits of an integer.
pub trait NarrowFormat {
    /// Bits of the exponent.
    const EXPONENT: u32;
    /// Bits of the mantissa.
    const MANTISSA: u32;
    /// The exponent of 1.
    const BIAS: u32;
    /// Which codes are special.
    const SPECIALS: Specials;

    /// The greatest code of a finite magnitude.
    const FINITE: u32 = {
        let top = (1 << (Self::EXPONENT + Self::MANTISSA)) - 1;
        match Self::SPECIALS {
            Specials::Ieee => top - (1 << Self::MANTISSA),
            Specials::AllOnes => top - 1,
            Specials::NegativeZero => top,
        }
    };

    /// The value of a code, exactly.
    #[inline(always)]
    fn decode(code: u32) -> f32 {
        let (exponent, mantissa) = (Self::EXPONENT, Self::MANTISSA);
        let sign_bit = 1 << (exponent + mantissa);
        let (magnitude, sign) = (code & (sign_bit - 1), code & sign_bit);
        // The same fields at the places of `f32`, whose subnormal numbers take those of the format.
        let scale = f32::from_bits((254 - Self::BIAS) << 23);
        let value = f32::from_bits(magnitude << (23 - mantissa)) * scale;
        let value = match Self::SPECIALS {
            Specials::Ieee => {
                let special = f32::from_bits(0x7f80_0000 | magnitude << (23 - mantissa));
                if magnitude > Self::FINITE { special } else { value }
            }
            Specials::AllOnes => {
                if magnitude > Self::FINITE {
                    f32::NAN
                } else {
                    value
                }
            }
            Specials::NegativeZero => {
                if code == sign_bit {
                    f32::NAN
                } else {
                    value
                }
            }
        };
        f32::from_bits(value.to_bits() | sign << (31 - exponent - mantissa))
    }

    /// Rounds. A value beyond the greatest finite number becomes that number if `saturate` (infinities too) or if
    /// rounded toward zero (infinities not), else infinity, or NaN if the format has no infinity.
    #[inline(always)]
    fn encode(x: f32, rounding: Rounding, saturate: bool) -> u32 {
        let shift = 23 - Self::MANTISSA;
        let bits = x.to_bits();
        let (magnitude, sign) = (bits & 0x7fff_ffff, bits >> 31);
        // Normal results: the mantissa's lower bits are cut off, or rounded by adding to them.
        let moved = magnitude.wrapping_sub((127 - Self::BIAS) << 23);
        let nearest = rounding == Rounding::NearestEven;
        let up = if nearest { (1 << (shift - 1)) - 1 + (moved >> shift & 1) } else { 0 };
        let normal = moved.wrapping_add(up) >> shift;
        // Subnormal ones: a sum whose last place is the format's smallest number is rounded by the addition.
        let least = 128 - Self::BIAS;
        let magic = f32::from_bits((least + shift) << 23);
        let small = f32::from_bits(magnitude);
        let code = (small + magic).to_bits().wrapping_sub(magic.to_bits());
        let above = f32::from_bits(code.wrapping_add(magic.to_bits())) - magic > small;
        let subnormal = if nearest { code } else { code.wrapping_sub(above.into()) };
        let finite = if magnitude < least << 23 { subnormal } else { normal };
        let top = match Self::SPECIALS {
            Specials::Ieee | Specials::AllOnes => Self::FINITE + 1,
            Specials::NegativeZero => 1 << (Self::EXPONENT + Self::MANTISSA),
        };
        let stays = saturate || !nearest && magnitude != 0x7f80_0000;
        let finite = if magnitude >= 0x7f80_0000 { u32::MAX } else { finite };
        let code =
            if finite > Self::FINITE { if stays { Self::FINITE } else { top } } else { finite };
        let quiet = match Self::SPECIALS {
            Specials::Ieee => 1 << (Self::MANTISSA - 1),
            _ => 0,
        };
        let code = if magnitude > 0x7f80_0000 { top | quiet } else { code };
        let sign = sign << (Self::EXPONENT + Self::MANTISSA);
        match Self::SPECIALS {
            Specials::NegativeZero if code == 0 => 0,
            _ => code | sign,
        }
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $t:ident: $exponent:literal, $mantissa:literal, $bias:literal, $specials:ident;)*) => { $(
        $(#[$doc])*
        pub enum $t {}

        impl NarrowFormat for $t {
            const EXPONENT: u32 = $exponent;
            const MANTISSA: u32 = $mantissa;
            const BIAS: u32 = $bias;
            const SPECIALS: Specials = Specials::$specials;
        }
    )* };
}

formats! {
    /// IEEE's half.
    F16: 5, 10, 15, Ieee;
    /// The upper half of an `f32`.
    BF16: 8, 7, 127, Ieee;
    /// 8 bits with a mantissa of 3, without infinities.
    F8E4M3FN: 4, 3, 7, AllOnes;
    /// The same without negative zero.
    F8E4M3FNUZ: 4, 3, 8, NegativeZero;
    /// 8 bits with a mantissa of 2.
    F8E5M2: 5, 2, 15, Ieee;
    /// The same without infinities and without negative zero.
    F8E5M2FNUZ: 5, 2, 16, NegativeZero;
}

/// `x` as an `f32` rounded to odd: cut off, with the last bit set if that changed it. Rounding this to a format with at
/// least 2 bits less is the same as rounding `x`.
#[inline(always)]
pub fn odd(x: f64) -> f32 {
    let y = x as f32;
    let back = f64::from(y);
    let above = back.abs() > x.abs();
    let bits = y.to_bits().wrapping_sub(above.into());
    f32::from_bits(bits | u32::from(back != x && !x.is_nan()))
}

/// The `f64` nearest zero's side of `x`, with what it lost kept visible to any rounding of at most 50 bits.
#[inline(always)]
pub fn sticky(negative: bool, magnitude: u64) -> f64 {
    let low = u64::from(magnitude & 0xfff != 0) << 12;
    let kept = if magnitude >> 53 == 0 { magnitude } else { magnitude & !0xfff | low };
    if negative { -(kept as f64) } else { kept as f64 }
}
