//! Numbers.

use crate::{ErrorKind, Failure};
use half::{bf16, f16};
use trident_ir::DType;
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};

/// A number as it is written; its type decides how to read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number<'s> {
    pub(super) negative: bool,
    pub(super) text: &'s str,
}

impl Number<'_> {
    /// Whether the text has neither point nor exponent.
    pub(super) fn is_integer(&self) -> bool {
        self.text.starts_with("0x") || !self.text.contains('.')
    }

    /// As an integer; decimal or hexadecimal digits.
    fn integer(&self) -> Option<i128> {
        let magnitude = match self.text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => self.text.parse(),
        };
        magnitude.ok().map(|m| if self.negative { -m } else { m })
    }

    /// The number cannot be an element of the type.
    pub(super) fn fault(&self, at: usize, dtype: DType) -> Failure {
        let text = format!("{}{}", if self.negative { "-" } else { "" }, self.text);
        let what = format!("an element of type {dtype}");
        Failure::new(at, ErrorKind::Number { text, what })
    }

    /// Appends the bytes of one element. Digits after `0x` are the bits of a float; other numbers round to nearest even.
    pub(super) fn element(&self, dtype: DType, bytes: &mut Vec<u8>) -> Option<()> {
        let bits = 8 * dtype.size();
        let hex = self.text.strip_prefix("0x");
        if dtype.is_float() && hex.is_none() {
            let x: f64 = self.text.parse().ok()?;
            let x = if self.negative { -x } else { x };
            match dtype {
                DType::F64 => bytes.extend(x.to_le_bytes()),
                DType::F32 => bytes.extend((x as f32).to_le_bytes()),
                DType::F16 => bytes.extend(f16::from_f64(x).to_le_bytes()),
                DType::BF16 => bytes.extend(bf16::from_f64(x).to_le_bytes()),
                DType::F8E4M3FN => bytes.push(F8E4M3FN::from_f64(x, false).0),
                DType::F8E5M2 => bytes.push(F8E5M2::from_f64(x, false).0),
                DType::F8E4M3FNUZ => bytes.push(F8E4M3FNUZ::from_f64(x, false).0),
                DType::F8E5M2FNUZ => bytes.push(F8E5M2FNUZ::from_f64(x, false).0),
                _ => return None,
            }
            return Some(());
        }
        let value = self.integer()?;
        let (least, most) = match dtype {
            DType::Bool => (-1, 1),
            _ if dtype.is_float() => (0, (1i128 << bits) - 1),
            _ if dtype.is_int() => (-(1i128 << (bits - 1)), (1i128 << bits) - 1),
            _ => return None,
        };
        if !(least..=most).contains(&value) {
            return None;
        }
        let value = if dtype == DType::Bool { value & 1 } else { value };
        bytes.extend(&value.to_le_bytes()[..dtype.size()]);
        Some(())
    }
}

/// Appends the bytes that pairs of digits spell.
pub(super) fn hexadecimal(digits: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    for i in (0..digits.len()).step_by(2) {
        bytes.push(u8::from_str_radix(digits.get(i..i + 2)?, 16).ok()?);
    }
    Some(())
}
