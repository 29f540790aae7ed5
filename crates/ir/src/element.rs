//! Rust types for tensor elements, and exact conversions of the narrow floating-point formats.

use crate::DType;
use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

/// A Rust type that stands for one [`DType`] in memory.
pub trait Element: Pod + Send + Sync + PartialEq + std::fmt::Debug + Default {
    /// The element type this Rust type stores.
    const DTYPE: DType;
}

macro_rules! element {
    ($($t:ty => $d:ident),* $(,)?) => { $(impl Element for $t { const DTYPE: DType = DType::$d; })* };
}

element! {
    f64 => F64, f32 => F32, f16 => F16, bf16 => BF16,
    i64 => I64, i32 => I32, i16 => I16, i8 => I8, u64 => U64, u32 => U32, u16 => U16, u8 => U8,
}

macro_rules! complex {
    ($($(#[$doc:meta])* $name:ident($part:ty);)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            /// Real part.
            pub re: $part,
            /// Imaginary part.
            pub im: $part,
        }
        impl Element for $name { const DTYPE: DType = DType::$name; }
    )* };
}

complex! {
    /// A complex number of two `f32`.
    C64(f32);
    /// A complex number of two `f64`.
    C128(f64);
}

macro_rules! stored {
    ($($(#[$doc:meta])* $name:ident($inner:ty) => $d:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub $inner);
        impl Element for $name { const DTYPE: DType = DType::$d; }
    )* };
}

stored! {
    /// Truth value in a byte: any value but 0 is true, 1 is written.
    B8(u8) => Bool;
    /// Signed 4-bit integer, −8…7, in a byte.
    I4(i8) => I4;
    /// Signed 2-bit integer, −2…1, in a byte.
    I2(i8) => I2;
    /// Unsigned 4-bit integer in a byte.
    U4(u8) => U4;
    /// Unsigned 2-bit integer in a byte.
    U2(u8) => U2;
    /// Bit pattern of an [`DType::F8E4M3FN`].
    F8E4M3FN(u8) => F8E4M3FN;
    /// Bit pattern of an [`DType::F8E4M3FNUZ`].
    F8E4M3FNUZ(u8) => F8E4M3FNUZ;
    /// Bit pattern of an [`DType::F8E5M2`].
    F8E5M2(u8) => F8E5M2;
    /// Bit pattern of an [`DType::F8E5M2FNUZ`].
    F8E5M2FNUZ(u8) => F8E5M2FNUZ;
    /// Bit pattern of an [`DType::F8E8M0FNU`].
    F8E8M0FNU(u8) => F8E8M0FNU;
    /// Bit pattern of an [`DType::F4E2M1FN`], in the low four bits.
    F4E2M1FN(u8) => F4E2M1FN;
}

impl From<bool> for B8 {
    fn from(value: bool) -> B8 {
        B8(value.into())
    }
}

impl From<B8> for bool {
    fn from(value: B8) -> bool {
        value.0 != 0
    }
}

/// How a narrow float format spells its special values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// IEEE: the top exponent holds infinities and NaNs.
    Ieee,
    /// No infinities; all bits set is NaN.
    AllOnes,
    /// No infinities, no negative zero; the sign bit alone is NaN.
    NegZero,
    /// Finite values only.
    None,
}

/// A sign-exponent-mantissa format of at most 8 bits.
struct Minifloat {
    exp_bits: u32,
    man_bits: u32,
    bias: i32,
    specials: Specials,
}

impl Minifloat {
    fn decode(&self, bits: u8) -> f32 {
        let sign_bit = self.exp_bits + self.man_bits;
        let negative = bits >> sign_bit & 1 == 1;
        let magnitude = bits & ((1 << sign_bit) - 1) as u8;
        let top = ((1u32 << sign_bit) - 1) as u8;
        let (exp, man) =
            (i32::from(magnitude >> self.man_bits), magnitude & ((1 << self.man_bits) - 1));
        let nan = if negative { -f32::NAN } else { f32::NAN };
        match self.specials {
            Specials::AllOnes if magnitude == top => return nan,
            // The only NaN, which has no sign.
            Specials::NegZero if negative && magnitude == 0 => return f32::NAN,
            Specials::Ieee if exp == (1 << self.exp_bits) - 1 => {
                let inf = if negative { f32::NEG_INFINITY } else { f32::INFINITY };
                return if man == 0 { inf } else { nan };
            }
            _ => {}
        }
        let fraction = f32::from(man) / (1u32 << self.man_bits) as f32;
        let value = if exp == 0 {
            fraction * 2f32.powi(1 - self.bias)
        } else {
            (1.0 + fraction) * 2f32.powi(exp - self.bias)
        };
        if negative { -value } else { value }
    }

    /// Largest finite magnitude, as bits.
    fn max_finite(&self) -> u8 {
        let top = ((1u32 << (self.exp_bits + self.man_bits)) - 1) as u8;
        match self.specials {
            Specials::AllOnes => top - 1,
            Specials::Ieee => top - (1 << self.man_bits),
            Specials::NegZero | Specials::None => top,
        }
    }

    /// NaN with the sign bit `sign`, quiet where the format distinguishes. A format without NaN gives a zero of the
    /// other sign, as ml_dtypes and the ONNX test cases do.
    fn nan(&self, sign: u8) -> u8 {
        let sign_bit = 1u8 << (self.exp_bits + self.man_bits);
        match self.specials {
            Specials::AllOnes => sign | (self.max_finite() + 1),
            Specials::Ieee => sign | (self.max_finite() + 1) | 1 << (self.man_bits - 1),
            Specials::NegZero => sign_bit,
            Specials::None => sign ^ sign_bit,
        }
    }

    /// The bits for values beyond the largest finite one: infinity if the format has it, else NaN, else the largest
    /// finite value.
    fn infinity(&self, sign: u8) -> u8 {
        match self.specials {
            Specials::Ieee => sign | (self.max_finite() + 1),
            Specials::AllOnes | Specials::NegZero => self.nan(sign),
            Specials::None => sign | self.max_finite(),
        }
    }

    /// Rounds to nearest, ties to even. Values beyond the largest finite value, infinities included, become that value
    /// if `saturate`, else the format's replacement for infinity.
    fn encode(&self, x: f64, saturate: bool) -> u8 {
        let sign = u8::from(x.is_sign_negative()) << (self.exp_bits + self.man_bits);
        if x.is_nan() {
            return self.nan(sign);
        }
        let magnitude = x.abs();
        // Scale so that one unit is the spacing of representable values around `magnitude`, then round. The
        // exponent of f64 is exact; below the least one of the format the spacing stays.
        let least = 1 - self.bias;
        let exp = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
        let units = (magnitude / 2f64.powi(exp - self.man_bits as i32)).round_ties_even();
        // A mantissa that rounds up to the next power of two carries into the exponent by itself.
        let code = f64::from((exp - least) << self.man_bits) + units;
        if code > self.max_finite().into() {
            return if saturate { sign | self.max_finite() } else { self.infinity(sign) };
        }
        match (code as u8, self.specials) {
            (0, Specials::NegZero) => 0,
            (code, _) => sign | code,
        }
    }
}

const E4M3FN: Minifloat =
    Minifloat { exp_bits: 4, man_bits: 3, bias: 7, specials: Specials::AllOnes };
const E4M3FNUZ: Minifloat =
    Minifloat { exp_bits: 4, man_bits: 3, bias: 8, specials: Specials::NegZero };
const E5M2: Minifloat = Minifloat { exp_bits: 5, man_bits: 2, bias: 15, specials: Specials::Ieee };
const E5M2FNUZ: Minifloat =
    Minifloat { exp_bits: 5, man_bits: 2, bias: 16, specials: Specials::NegZero };
const E2M1FN: Minifloat = Minifloat { exp_bits: 2, man_bits: 1, bias: 1, specials: Specials::None };

macro_rules! minifloat {
    ($($name:ident => $format:ident),*) => { $(
        impl $name {
            /// The value, exactly.
            pub fn to_f32(self) -> f32 { $format.decode(self.0) }
            /// Rounds to nearest, ties to even. An overflow becomes the largest finite value if `saturate`, else the
            /// format's infinity, else its NaN, else the largest finite value. Without a NaN in the format, NaN becomes
            /// zero.
            pub fn from_f64(x: f64, saturate: bool) -> Self { Self($format.encode(x, saturate)) }
        }
    )* };
}

minifloat! {
    F8E4M3FN => E4M3FN, F8E4M3FNUZ => E4M3FNUZ, F8E5M2 => E5M2, F8E5M2FNUZ => E5M2FNUZ, F4E2M1FN => E2M1FN
}

impl F8E8M0FNU {
    /// The power of two, exactly; 0xff is NaN.
    pub fn to_f32(self) -> f32 {
        match self.0 {
            0xff => f32::NAN,
            0 => f32::from_bits(0x0040_0000),
            e => f32::from_bits(u32::from(e) << 23),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_a_round_trip() {
        for bits in 0..=255u8 {
            macro_rules! check {
                ($($t:ident),*) => { $(
                    let value = $t(bits).to_f32();
                    if !value.is_nan() {
                        assert_eq!($t::from_f64(value.into(), false), $t(bits), "{value} as {}", stringify!($t));
                    }
                )* };
            }
            check!(F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ);
            if bits < 16 {
                check!(F4E2M1FN);
            }
        }
    }

    #[test]
    fn rounds_to_nearest_even_and_saturates() {
        assert_eq!(F8E4M3FN::from_f64(448.0, true).to_f32(), 448.0);
        assert_eq!(F8E4M3FN::from_f64(1e9, true).to_f32(), 448.0);
        assert!(F8E4M3FN::from_f64(1e9, false).to_f32().is_nan());
        assert_eq!(F8E5M2::from_f64(1e9, false).to_f32(), f32::INFINITY);
        assert_eq!(F8E5M2::from_f64(1.125, true).to_f32(), 1.0);
        assert_eq!(F8E5M2::from_f64(1.375, true).to_f32(), 1.5);
        assert_eq!(F4E2M1FN::from_f64(2.5, true).to_f32(), 2.0);
        assert_eq!(F4E2M1FN::from_f64(100.0, true).to_f32(), 6.0);
        assert_eq!(F8E4M3FNUZ::from_f64(-0.0, true).0, 0);
        // Ties, subnormals and the last bit before a tie.
        assert_eq!(F8E4M3FN::from_f64(464.0, false).to_f32(), 448.0);
        assert!(F8E4M3FN::from_f64(464.0f64.next_up(), false).to_f32().is_nan());
        assert_eq!(F8E5M2::from_f64(2f64.powi(-17), false).0, 0);
        assert_eq!(F8E5M2::from_f64(2f64.powi(-17).next_up(), false).0, 1);
        assert_eq!(F8E5M2::from_f64(f64::MIN_POSITIVE / 2.0, false).0, 0);
    }

    #[test]
    fn specials_follow_the_format() {
        let codes = |x: f64, saturate: bool| {
            [
                F8E4M3FN::from_f64(x, saturate).0,
                F8E4M3FNUZ::from_f64(x, saturate).0,
                F8E5M2::from_f64(x, saturate).0,
                F8E5M2FNUZ::from_f64(x, saturate).0,
                F4E2M1FN::from_f64(x, saturate).0,
            ]
        };
        // As ml_dtypes 0.5 converts them.
        assert_eq!(codes(f64::NAN, false), [0x7f, 0x80, 0x7e, 0x80, 0x08]);
        assert_eq!(codes(-f64::NAN, true), [0xff, 0x80, 0xfe, 0x80, 0x00]);
        assert_eq!(codes(f64::INFINITY, false), [0x7f, 0x80, 0x7c, 0x80, 0x07]);
        assert_eq!(codes(f64::NEG_INFINITY, false), [0xff, 0x80, 0xfc, 0x80, 0x0f]);
        assert_eq!(codes(f64::INFINITY, true), [0x7e, 0x7f, 0x7b, 0x7f, 0x07]);
        assert_eq!(codes(-1e300, true), [0xfe, 0xff, 0xfb, 0xff, 0x0f]);
    }
}
