//! The elements of narrow float formats.

use half::{bf16, f16};
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_simd::narrow::{self, NarrowFormat, Rounding};

/// An element of a format of at most 16 bits.
pub(super) trait Narrow: Copy {
    type Format: NarrowFormat;
    fn from_code(code: u32) -> Self;
    fn code(self) -> u32;

    /// The value, exactly.
    #[inline(always)]
    fn decode(self) -> f32 {
        Self::Format::decode(self.code())
    }

    /// Rounds as [`NarrowFormat::encode`] does.
    #[inline(always)]
    fn encode(x: f32, rounding: Rounding, saturate: bool) -> Self {
        Self::from_code(Self::Format::encode(x, rounding, saturate))
    }
}

macro_rules! narrow {
    ($($t:ident: $format:ident, |$code:ident| $from:expr, |$x:ident| $to:expr;)*) => { $(
        impl Narrow for $t {
            type Format = narrow::$format;
            #[inline(always)]
            fn from_code($code: u32) -> Self { $from }
            #[inline(always)]
            fn code(self) -> u32 { let $x = self; $to }
        }
    )* };
}

narrow! {
    f16: F16, |code| f16::from_bits(code as u16), |x| x.to_bits().into();
    bf16: BF16, |code| bf16::from_bits(code as u16), |x| x.to_bits().into();
    F8E4M3FN: F8E4M3FN, |code| Self(code as u8), |x| x.0.into();
    F8E4M3FNUZ: F8E4M3FNUZ, |code| Self(code as u8), |x| x.0.into();
    F8E5M2: F8E5M2, |code| Self(code as u8), |x| x.0.into();
    F8E5M2FNUZ: F8E5M2FNUZ, |code| Self(code as u8), |x| x.0.into();
}
