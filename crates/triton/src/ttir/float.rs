//! Floats as MLIR prints them.
//!
//! MLIR first tries six digits after the point with an exponent, then the digits that LLVM's `APFloat::toString` gives by
//! default, and prints the bits in hexadecimal if neither has a point and reads back to the same bits. LLVM cuts the
//! exact value to about the wanted number of digits before it rounds half up, so its last digit is not always that of
//! correct rounding; programs and tests see these digits, so this file does the same.

use trident_ir::DType;
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};

/// The fields of a format: significand bits with the hidden one, and the exponent of the last bit of the least normal.
struct Format {
    precision: u32,
    bias: i32,
}

fn format(dtype: DType) -> Format {
    let (precision, bias) = match dtype {
        DType::F64 => (53, 1023),
        DType::F16 => (11, 15),
        DType::BF16 => (8, 127),
        DType::F8E4M3FN => (4, 7),
        DType::F8E4M3FNUZ => (4, 8),
        DType::F8E5M2 => (3, 15),
        DType::F8E5M2FNUZ => (3, 16),
        _ => (24, 127),
    };
    Format { precision, bias }
}

/// The float with these bits, as MLIR prints it without its type.
pub(super) fn text(bits: u64, dtype: DType) -> String {
    let hex = || format!("0x{bits:0width$X}", width = 2 * dtype.size());
    let Some(number) = Decimal::of(bits, dtype) else { return hex() };
    let six = number.scientific(6);
    if read(&six, dtype) == Some(bits) {
        return six;
    }
    let digits = 2 + format(dtype).precision * 59 / 196;
    let short = number.shortest(digits as usize);
    if short.contains('.') { short } else { hex() }
}

/// The bits of the float nearest to a text.
fn read(text: &str, dtype: DType) -> Option<u64> {
    let x: f64 = text.parse().ok()?;
    Some(match dtype {
        DType::F64 => x.to_bits(),
        // As LLVM does, the text is rounded once.
        DType::F32 => text.parse::<f32>().ok()?.to_bits().into(),
        DType::F16 => half::f16::from_f64(x).to_bits().into(),
        DType::BF16 => half::bf16::from_f64(x).to_bits().into(),
        DType::F8E4M3FN => F8E4M3FN::from_f64(x, false).0.into(),
        DType::F8E4M3FNUZ => F8E4M3FNUZ::from_f64(x, false).0.into(),
        DType::F8E5M2 => F8E5M2::from_f64(x, false).0.into(),
        DType::F8E5M2FNUZ => F8E5M2FNUZ::from_f64(x, false).0.into(),
        _ => return None,
    })
}

/// A finite number, exactly: `significand` times ten to the power `exponent`, with `cut` still to do.
struct Decimal {
    negative: bool,
    significand: Natural,
    exponent: i32,
}

impl Decimal {
    /// `None` for infinities and NaN.
    fn of(bits: u64, dtype: DType) -> Option<Decimal> {
        let Format { precision, bias } = format(dtype);
        let width = 8 * dtype.size() as u32;
        let stored = precision - 1;
        let negative = bits >> (width - 1) & 1 == 1;
        let fraction = bits & ((1 << stored) - 1);
        let field = bits >> stored & ((1 << (width - 1 - stored)) - 1);
        let top = (1u64 << (width - 1 - stored)) - 1;
        let special = match dtype {
            DType::F8E4M3FN => field == top && fraction == 7,
            DType::F8E4M3FNUZ | DType::F8E5M2FNUZ => bits == 1 << (width - 1),
            _ => field == top,
        };
        if special {
            return None;
        }
        let (mantissa, power) = match field {
            0 => (fraction, 1 - bias - stored as i32),
            _ => (fraction | 1 << stored, field as i32 - bias - stored as i32),
        };
        if mantissa == 0 {
            return Some(Decimal { negative, significand: Natural::default(), exponent: 0 });
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, power) = (mantissa >> zeros, power + zeros as i32);
        let mut significand = Natural::from(mantissa);
        // m·2^-p is m·5^p·10^-p.
        for _ in 0..power.unsigned_abs() {
            significand.multiply(if power > 0 { 2 } else { 5 });
        }
        Some(Decimal { negative, significand, exponent: power.min(0) })
    }

    /// At most `wanted` digits, the last first, and the power of ten of the last one. No trailing zeros.
    fn digits(&self, wanted: usize) -> (Vec<u8>, i32) {
        let mut significand = self.significand.clone();
        let mut exponent = self.exponent;
        // Digits beyond the wanted ones are cut before the rest is rounded. 196/59 is slightly above log2(10).
        let needed = (wanted * 196).div_ceil(59);
        for _ in 0..significand.bits().saturating_sub(needed) * 59 / 196 {
            significand.divide(10);
            exponent += 1;
        }
        let mut digits = vec![];
        while !significand.is_zero() {
            digits.push(significand.divide(10));
        }
        let rest = digits.len().saturating_sub(wanted);
        let up = rest > 0 && digits.get(rest - 1).is_some_and(|&d| d >= 5);
        digits.drain(..rest);
        exponent += rest as i32;
        if up {
            let nines = digits.iter().take_while(|&&d| d == 9).count();
            digits.drain(..nines);
            exponent += nines as i32;
            match digits.first_mut() {
                Some(digit) => *digit += 1,
                None => digits.push(1),
            }
        }
        let zeros = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..zeros);
        (digits, exponent + zeros as i32)
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// `d.dddddde+XX` from `precision` digits, and zeros after them.
    fn scientific(&self, precision: usize) -> String {
        let (digits, exponent) = self.digits(precision);
        let (first, rest) = digits.split_last().unwrap_or((&0, &[]));
        let exponent = if digits.is_empty() { 0 } else { exponent + rest.len() as i32 };
        let mut text = format!("{}{first}.", self.sign());
        text.extend(rest.iter().rev().map(|&d| char::from(b'0' + d)));
        text.extend(std::iter::repeat_n('0', precision.saturating_sub(rest.len())));
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{text}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// As many of `precision` digits as there are, without an exponent if that needs at most three zeros.
    fn shortest(&self, precision: usize) -> String {
        const PADDING: i32 = 3;
        let (digits, exponent) = self.digits(precision);
        let count = digits.len() as i32;
        let shown: String = digits.iter().rev().map(|&d| char::from(b'0' + d)).collect();
        if shown.is_empty() {
            return format!("{}0", self.sign());
        }
        let whole = exponent + count;
        let scientific = match exponent {
            0.. => exponent > PADDING || whole > precision as i32,
            _ => whole < 1 && 1 - whole > PADDING,
        };
        let body = if scientific {
            let power = whole - 1;
            let (first, rest) = shown.split_at(1);
            let rest = if rest.is_empty() { "0" } else { rest };
            let sign = if power < 0 { '-' } else { '+' };
            format!("{first}.{rest}E{sign}{}", power.unsigned_abs())
        } else if exponent >= 0 {
            format!("{shown}{}", "0".repeat(exponent as usize))
        } else if whole > 0 {
            let (before, after) = shown.split_at(whole as usize);
            format!("{before}.{after}")
        } else {
            format!("0.{}{shown}", "0".repeat(whole.unsigned_abs() as usize))
        };
        format!("{}{body}", self.sign())
    }
}

/// A natural number of any size: words of 32 bits, the lowest first.
#[derive(Clone, Debug, Default)]
struct Natural(Vec<u32>);

impl Natural {
    fn from(value: u64) -> Natural {
        let mut words = vec![value as u32, (value >> 32) as u32];
        while words.last() == Some(&0) {
            words.pop();
        }
        Natural(words)
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bits it has.
    fn bits(&self) -> usize {
        let top = self.0.last().map_or(0, |word| 32 - word.leading_zeros() as usize);
        32 * self.0.len().saturating_sub(1) + top
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for word in &mut self.0 {
            let product = u64::from(*word) * u64::from(factor) + carry;
            *word = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides, and returns the remainder.
    fn divide(&mut self, divisor: u32) -> u8 {
        let mut rest = 0;
        for word in self.0.iter_mut().rev() {
            let value = rest << 32 | u64::from(*word);
            *word = (value / u64::from(divisor)) as u32;
            rest = value % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32(x: f32) -> String {
        text(x.to_bits().into(), DType::F32)
    }

    fn f64(x: f64) -> String {
        text(x.to_bits(), DType::F64)
    }

    /// Texts that Triton 3.9 printed.
    #[test]
    fn floats_have_the_digits_of_mlir() {
        assert_eq!(f32(0.0), "0.000000e+00");
        assert_eq!(f32(-0.0), "-0.000000e+00");
        assert_eq!(f32(1.0), "1.000000e+00");
        assert_eq!(f32(0.5), "5.000000e-01");
        assert_eq!(f32(16_777_216.0), "0x4B800000");
        assert_eq!(f32(f32::INFINITY), "0x7F800000");
        assert_eq!(text(0xBF57_8A95, DType::F32), "-0.841958343");
        assert_eq!(f64(f64::from(f32::MAX)), "3.4028234663852886E+38");
        assert_eq!(text(0x4B80, DType::BF16), "1.677720e+07");
        assert_eq!(text(0x7C00, DType::F16), "0x7C00");
        assert_eq!(f64(f64::NAN), "0x7FF8000000000000");
    }

    #[test]
    fn every_narrow_float_reads_back() {
        for dtype in [DType::F16, DType::BF16, DType::F8E5M2, DType::F8E4M3FN] {
            for bits in 0..1u64 << (8 * dtype.size()) {
                let text = text(bits, dtype);
                let back = match text.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16).ok(),
                    None => read(&text, dtype),
                };
                assert_eq!(back, Some(bits), "{dtype} {bits:#x}: {text}");
            }
        }
    }
}
