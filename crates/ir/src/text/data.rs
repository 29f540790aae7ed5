//! Spelling of numbers and tensor elements.

use crate::element::{
    B8, F4E2M1FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, I2, I4, U2, U4,
};
use crate::{DType, Element};
use half::{bf16, f16};
use std::fmt;

/// The shortest decimal that reads back as the same number: `1.5`, `1e30`, `-0.0`, `inf`, `nan`.
pub(super) fn float(x: impl fmt::Debug + Into<f64> + Copy) -> String {
    let wide: f64 = x.into();
    match (wide.is_nan(), wide.is_sign_negative()) {
        (true, false) => "nan".into(),
        (true, true) => "-nan".into(),
        _ => format!("{x:?}"),
    }
}

/// An element type as numbers in text.
trait Spell: Element {
    fn spell(self) -> String;
    fn read(word: &str) -> Option<Self>;
}

macro_rules! spell {
    ($($($t:ty),+ => |$x:ident| $spell:expr, |$word:ident| $read:expr;)*) => { $($(
        impl Spell for $t {
            fn spell(self) -> String { let $x = self; $spell }
            fn read($word: &str) -> Option<Self> { $read }
        }
    )+)* };
}

fn element(x: impl fmt::Debug + Into<f64> + Copy) -> String {
    let text = float(x);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A float; one that is too large to be finite is none.
pub(super) fn parse_float<F: std::str::FromStr + Copy + Into<f64>>(word: &str) -> Option<F> {
    let x: F = word.parse().ok()?;
    // `inf` and `nan` are the only spellings with an n.
    (x.into().is_finite() || word.contains('n')).then_some(x)
}

/// A float rounded to a narrower type that has a value of its kind: finite, infinite or NaN.
fn rounded<T: Copy>(word: &str, round: fn(f64) -> T, widen: fn(T) -> f32) -> Option<T> {
    let x: f64 = parse_float(word)?;
    let y = round(x);
    let wide = widen(y);
    (wide.is_nan() == x.is_nan() && wide.is_infinite() == x.is_infinite()).then_some(y)
}

fn within<T: std::str::FromStr + PartialOrd>(word: &str, least: T, most: T) -> Option<T> {
    word.parse().ok().filter(|v| (least..=most).contains(v))
}

spell! {
    i64, i32, i16, i8, u64, u32, u16, u8 => |x| x.to_string(), |word| word.parse().ok();
    f64, f32 => |x| element(x), |word| parse_float(word);
    f16, bf16 => |x| element(x.to_f32()), |word| rounded(word, Self::from_f64, Self::to_f32);
    F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F4E2M1FN => |x| element(x.to_f32()),
        |word| rounded(word, |x| Self::from_f64(x, false), Self::to_f32);
    F8E8M0FNU => |x| element(x.to_f32()), |word| {
        let x: f32 = word.parse().ok()?;
        (0..=255).map(F8E8M0FNU).find(|code| code.to_f32() == x || code.to_f32().is_nan() && x.is_nan())
    };
    B8 => |x| (x.0 != 0).to_string(), |word| word.parse::<bool>().ok().map(B8::from);
    I4 => |x| x.0.to_string(), |word| within(word, -8, 7).map(I4);
    I2 => |x| x.0.to_string(), |word| within(word, -2, 1).map(I2);
    U4 => |x| x.0.to_string(), |word| within(word, 0, 15).map(U4);
    U2 => |x| x.0.to_string(), |word| within(word, 0, 3).map(U2);
}

/// Runs `$body` with `$t` standing for the type whose numbers spell elements of `$dtype`: the type itself, or
/// a part of a complex number. Strings have none.
macro_rules! with_spelling {
    ($dtype:expr, $t:ident => $body:expr) => {
        with_spelling!(@ $dtype, $t, $body;
            F64 f64, F32 f32, F16 f16, BF16 bf16, F8E4M3FN F8E4M3FN, F8E4M3FNUZ F8E4M3FNUZ, F8E5M2 F8E5M2,
            F8E5M2FNUZ F8E5M2FNUZ, F8E8M0FNU F8E8M0FNU, F4E2M1FN F4E2M1FN, I64 i64, I32 i32, I16 i16, I8 i8,
            I4 I4, I2 I2, U64 u64, U32 u32, U16 u16, U8 u8, U4 U4, U2 U2, Bool B8, C64 f32, C128 f64)
    };
    (@ $dtype:expr, $t:ident, $body:expr; $($d:ident $e:ty),*) => {
        match $dtype {
            $(DType::$d => { type $t = $e; Some($body) })*
            DType::Str => None,
        }
    };
}

/// The elements in `bytes` as numbers, or `None` if reading those back would not give the same bytes.
pub(super) fn spell(dtype: DType, bytes: &[u8]) -> Option<Vec<String>> {
    let words: Vec<String> = with_spelling!(dtype, T => {
        let items = bytes.chunks_exact(size_of::<T>());
        items.map(|b| Spell::spell(bytemuck::pod_read_unaligned::<T>(b))).collect()
    })?;
    let mut back = Vec::with_capacity(bytes.len());
    words.iter().try_for_each(|word| read(dtype, word, &mut back))?;
    (back == bytes).then_some(words)
}

/// Appends the bytes of the element (or part of a complex one) that `word` spells; `None` if it spells none.
pub(super) fn read(dtype: DType, word: &str, out: &mut Vec<u8>) -> Option<()> {
    with_spelling!(dtype, T => {
        out.extend_from_slice(bytemuck::bytes_of(&<T as Spell>::read(word)?));
    })
}

/// Two digits for each byte.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The bytes that hexadecimal digits spell.
pub(super) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let nibble = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = digits.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|p| Some(nibble(p[0])? << 4 | nibble(p[1])?)).collect()
}
