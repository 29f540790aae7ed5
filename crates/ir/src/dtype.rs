//! Element types.

use std::fmt;
use std::str::FromStr;

macro_rules! dtypes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $bits:literal $class:ident;)*) => {
        /// The type of one tensor element.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum DType { $($(#[$doc])* $variant,)* }

        impl DType {
            /// Every element type, in declaration order.
            pub const ALL: &'static [DType] = &[$(DType::$variant,)*];

            /// The name in the text form: `f32`, `i64`, `f8e4m3fn` …
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// Significant bits of one element as the ONNX wire format packs it; 0 for strings.
            pub const fn bits(self) -> usize {
                match self { $(DType::$variant => $bits,)* }
            }

            /// The family the type belongs to.
            pub const fn class(self) -> Class {
                match self { $(DType::$variant => Class::$class,)* }
            }
        }

        impl FromStr for DType {
            type Err = UnknownDType;
            fn from_str(s: &str) -> Result<Self, UnknownDType> {
                match s { $($name => Ok(DType::$variant),)* _ => Err(UnknownDType(s.to_owned())) }
            }
        }
    };
}

dtypes! {
    /// IEEE binary64.
    F64 "f64" 64 Float;
    /// IEEE binary32.
    F32 "f32" 32 Float;
    /// IEEE binary16.
    F16 "f16" 16 Float;
    /// The upper half of binary32.
    BF16 "bf16" 16 Float;
    /// 4 exponent bits, 3 mantissa bits, no infinities.
    F8E4M3FN "f8e4m3fn" 8 Float;
    /// Like `F8E4M3FN`, with bias 8, one NaN (0x80) and no negative zero.
    F8E4M3FNUZ "f8e4m3fnuz" 8 Float;
    /// 5 exponent bits, 2 mantissa bits, IEEE-like specials.
    F8E5M2 "f8e5m2" 8 Float;
    /// Like `F8E5M2`, with bias 16, one NaN (0x80) and no negative zero.
    F8E5M2FNUZ "f8e5m2fnuz" 8 Float;
    /// 8 exponent bits only: powers of two, 0xff is NaN.
    F8E8M0FNU "f8e8m0fnu" 8 Float;
    /// 2 exponent bits, 1 mantissa bit, finite values only.
    F4E2M1FN "f4e2m1fn" 4 Float;
    /// Signed 64-bit integer.
    I64 "i64" 64 Int;
    /// Signed 32-bit integer.
    I32 "i32" 32 Int;
    /// Signed 16-bit integer.
    I16 "i16" 16 Int;
    /// Signed 8-bit integer.
    I8 "i8" 8 Int;
    /// Signed 4-bit integer.
    I4 "i4" 4 Int;
    /// Signed 2-bit integer.
    I2 "i2" 2 Int;
    /// Unsigned 64-bit integer.
    U64 "u64" 64 UInt;
    /// Unsigned 32-bit integer.
    U32 "u32" 32 UInt;
    /// Unsigned 16-bit integer.
    U16 "u16" 16 UInt;
    /// Unsigned 8-bit integer.
    U8 "u8" 8 UInt;
    /// Unsigned 4-bit integer.
    U4 "u4" 4 UInt;
    /// Unsigned 2-bit integer.
    U2 "u2" 2 UInt;
    /// Truth value, one byte in memory.
    Bool "bool" 8 Bool;
    /// UTF-8 text of any length.
    Str "str" 0 Str;
    /// Pair of `f32`: real, imaginary.
    C64 "c64" 64 Complex;
    /// Pair of `f64`: real, imaginary.
    C128 "c128" 128 Complex;
}

/// Families of element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Floating point of any width.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    UInt,
    /// Truth values.
    Bool,
    /// Text.
    Str,
    /// Complex floating point.
    Complex,
}

/// A name that is not an element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown element type `{0}`")]
pub struct UnknownDType(pub String);

impl DType {
    /// Bytes that one element takes in memory. Types narrower than a byte take a whole one: they are
    /// packed only on the wire. Strings have no fixed size and answer 0.
    pub const fn size(self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// Whether this is a signed or unsigned integer type.
    pub const fn is_int(self) -> bool {
        matches!(self.class(), Class::Int | Class::UInt)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
