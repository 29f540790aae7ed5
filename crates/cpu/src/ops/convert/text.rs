//! Text to numbers, and numbers to text.

use super::{Conversion, Number, convert_into, reader};
use half::f16;
use trident_ir::DType;
use trident_ir::element::*;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Pool, Tensor};

/// Digits of the largest magnitude that an integer type holds, 2⁶⁴ − 1.
const DIGITS: u64 = 20;

/// Decimal text to numbers. Integers are exact, see [`integer`]; a truth value is false if the number is 0.
pub(super) fn parse(x: &Tensor, y: &mut Tensor, how: Conversion) -> Result<(), KernelError> {
    let x = x.strings()?;
    macro_rules! integers {
        ([$($d:ident $t:ty, $make:expr;)*]) => {
            match y.dtype() {
                $( DType::$d => return each(x, y.slice_mut::<$t>()?, |s| integer(s, DType::$d, $make)), )*
                _ => {}
            }
        };
    }
    integers!([
        I64 i64, |v| v.try_into().ok();
        I32 i32, |v| v.try_into().ok();
        I16 i16, |v| v.try_into().ok();
        I8 i8, |v| v.try_into().ok();
        U64 u64, |v| v.try_into().ok();
        U32 u32, |v| v.try_into().ok();
        U16 u16, |v| v.try_into().ok();
        U8 u8, |v| v.try_into().ok();
        I4 I4, |v| (-8..8).contains(&v).then_some(I4(v as i8));
        I2 I2, |v| (-2..2).contains(&v).then_some(I2(v as i8));
        U4 U4, |v| (0..16).contains(&v).then_some(U4(v as u8));
        U2 U2, |v| (0..4).contains(&v).then_some(U2(v as u8));
    ]);
    match y.dtype() {
        DType::Str => y.write_strings()?.extend(x.iter().map(String::as_str)),
        DType::F32 => each(x, y.slice_mut::<f32>()?, float),
        DType::F64 => each(x, y.slice_mut::<f64>()?, float),
        _ => {
            let mut numbers = Tensor::alloc(&Pool::new(), DType::F64, y.dims())?;
            each(x, numbers.slice_mut::<f64>()?, float)?;
            convert_into(&Threads::new(1), &numbers, y, how)
        }
    }
}

fn each<T>(
    x: &[String],
    y: &mut [T],
    read: impl Fn(&str) -> Result<T, KernelError>,
) -> Result<(), KernelError> {
    for (y, x) in y.iter_mut().zip(x) {
        *y = read(x)?;
    }
    Ok(())
}

/// The float nearest to a decimal number, `inf` or `nan` in any case, with white space around it.
pub(crate) fn float<F: std::str::FromStr>(text: &str) -> Result<F, KernelError> {
    let bad = |_| KernelError::domain(format!("the text `{text}` is not a number"));
    text.trim().parse().map_err(bad)
}

/// The integer that a decimal number in `text` is exactly: `-12`, `1.0` and `1e3` are integers, `1.5` and `inf` are not.
/// `make` gives `None` for an integer that type `to` cannot hold.
pub(crate) fn integer<T>(
    text: &str,
    to: DType,
    make: impl Fn(i128) -> Option<T>,
) -> Result<T, KernelError> {
    let not = |what| KernelError::domain(format!("the text `{text}` is {what}, as {to} needs"));
    let outside = || KernelError::domain(format!("the text `{text}` is out of range of {to}"));
    let number = Decimal::read(text.trim()).ok_or_else(|| {
        let special = float::<f64>(text).is_ok_and(|v| !v.is_finite());
        not(if special { "not a finite number" } else { "not a decimal number" })
    })?;
    if number.scale < 0 {
        return Err(not("not a whole number"));
    }
    make(number.value().ok_or_else(outside)?).ok_or_else(outside)
}

/// The number ± `digits` · 10^`scale`, without zeros at either end of the digits; 0 has none, and scale 0.
struct Decimal {
    negative: bool,
    digits: String,
    scale: i64,
}

impl Decimal {
    /// Reads `[+-]DIGITS[.DIGITS][(e|E)[+-]DIGITS]`, where one side of the point may be empty.
    fn read(text: &str) -> Option<Decimal> {
        let (negative, text) = sign(text);
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (down, exponent) = sign(exponent);
        let are_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let numeral = are_digits(whole) && are_digits(fraction) && are_digits(exponent);
        if !numeral || exponent.is_empty() || whole.len() + fraction.len() == 0 {
            return None;
        }
        let all = [whole, fraction].concat();
        let digits = all.trim_end_matches('0');
        // An exponent of more digits is as good as the largest: the number is either 0, or no integer type has it.
        let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
        let exponent = if down { -exponent } else { exponent };
        let zeros = (all.len() - digits.len()) as i64 - fraction.len() as i64;
        let digits = digits.trim_start_matches('0').to_owned();
        let scale = if digits.is_empty() { 0 } else { exponent.saturating_add(zeros) };
        Some(Decimal { negative, digits, scale })
    }

    /// The integer, unless it has too many digits for any type. The scale is not negative.
    fn value(&self) -> Option<i128> {
        let scale = u64::try_from(self.scale).ok()?;
        if (self.digits.len() as u64).saturating_add(scale) > DIGITS {
            return None;
        }
        let mut value: i128 = if self.digits.is_empty() { 0 } else { self.digits.parse().ok()? };
        value *= 10i128.checked_pow(scale.try_into().ok()?)?;
        Some(if self.negative { -value } else { value })
    }
}

/// Whether a number is negative, and the text after its sign.
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Numbers to decimal text: the shortest that reads back as the same number, as NumPy prints it.
pub(super) fn print(x: &Tensor, y: &mut Tensor) -> Result<(), KernelError> {
    let mut out = y.write_strings()?;
    macro_rules! floats {
        ($t:ty, $f:expr) => {
            for &v in x.slice::<$t>()? {
                out.push(&[&python_float(format!("{:?}", $f(v)))])?;
            }
        };
    }
    match x.dtype() {
        DType::F64 => floats!(f64, |v: f64| v),
        DType::F32 => floats!(f32, |v: f32| v),
        DType::F16 => floats!(f16, shortest_f16),
        DType::Bool => {
            let name = |v: &B8| if bool::from(*v) { "True" } else { "False" };
            out.extend(x.slice::<B8>()?.iter().map(name))?;
        }
        _ => {
            let read = reader(x)?;
            let mut n = [Number::Int(0)];
            for i in 0..x.len() {
                read(i, &mut n);
                out.push(&[&match n[0] {
                    Number::Float(v) => python_float(format!("{v:?}")),
                    Number::Int(v) => v.to_string(),
                    Number::UInt(v) => v.to_string(),
                }])?;
            }
        }
    }
    Ok(())
}

/// The number of fewest decimal digits that rounds to the half-precision value.
fn shortest_f16(v: f16) -> f64 {
    let exact = v.to_f64();
    (0..6)
        .filter_map(|digits| format!("{exact:.digits$e}").parse::<f64>().ok())
        .find(|&short| f16::from_f64(short) == v)
        .unwrap_or(exact)
}

/// Python writes exponents with a sign and at least two digits.
fn python_float(text: String) -> String {
    if let Some((mantissa, exponent)) = text.split_once('e') {
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => ('-', digits),
            None => ('+', exponent),
        };
        let mantissa = mantissa.strip_suffix(".0").unwrap_or(mantissa);
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    match text.as_str() {
        "NaN" | "-NaN" => "nan".into(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::convert::cast;
    use trident_ir::Element;

    fn to<T: Element>(texts: &[&str]) -> Result<Vec<T>, String> {
        let texts: Vec<String> = texts.iter().map(|s| (*s).to_owned()).collect();
        let x = Tensor::from_strings(&[texts.len()], texts).unwrap();
        let y = cast(&Threads::new(1), &Pool::new(), &x, T::DTYPE).map_err(|e| e.to_string())?;
        Ok(y.slice::<T>().unwrap().to_vec())
    }

    #[test]
    fn text_becomes_an_integer_exactly() {
        let ends = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "-0"];
        assert_eq!(to::<i64>(&ends).unwrap(), [i64::MAX, i64::MIN, 9_007_199_254_740_993, 0]);
        assert_eq!(to::<u64>(&["18446744073709551615", "+1"]).unwrap(), [u64::MAX, 1]);
        let forms = [" 7", "7\n", "007", "7.", "7.00", "0.7e1", "70E-1", "700e-2"];
        assert_eq!(to::<i8>(&forms).unwrap(), [7; 8]);
        assert_eq!(to::<i32>(&["1e3", "-.5e1", "0e99999999999999999999"]).unwrap(), [1000, -5, 0]);
        assert_eq!(to::<I4>(&["-8", "7"]).unwrap(), [I4(-8), I4(7)]);
        assert_eq!(to::<U4>(&["15"]).unwrap(), [U4(15)]);
        assert_eq!(to::<I2>(&["-2", "1"]).unwrap(), [I2(-2), I2(1)]);
        assert_eq!(to::<U2>(&["3"]).unwrap(), [U2(3)]);
        assert_eq!(to::<i64>(&[]).unwrap(), []);
    }

    #[test]
    fn text_that_is_no_integer_of_the_type_is_an_error() {
        let beyond = "the text `9223372036854775808` is out of range of i64";
        assert_eq!(to::<i64>(&["9223372036854775808"]).unwrap_err(), beyond);
        for text in ["18446744073709551616", "-1", "1e20", "1e99999999999999999999"] {
            let error = to::<u64>(&[text]).unwrap_err();
            assert!(error.contains("out of range of u64"), "{error}");
        }
        assert!(to::<i8>(&["128"]).is_err() && to::<i8>(&["-129"]).is_err());
        assert!(to::<u8>(&["256"]).is_err() && to::<u16>(&["65536"]).is_err());
        assert!(to::<i16>(&["32768"]).is_err() && to::<i32>(&["2147483648"]).is_err());
        assert!(to::<u32>(&["4294967296"]).is_err() && to::<U4>(&["16"]).is_err());
        assert!(
            to::<I4>(&["8"]).is_err() && to::<I2>(&["2"]).is_err() && to::<U2>(&["4"]).is_err()
        );
        for text in ["1.5", "-0.1", "1e-1", "1e-99999999999999999999"] {
            let error = to::<i64>(&["1", text]).unwrap_err();
            assert!(error.contains("not a whole number"), "{error}");
        }
        for text in ["", " ", ".", "e1", "1e", "+-1", "- 1", "0x10", "1_000", "٧", "one", "1d3"] {
            let error = to::<i64>(&[text]).unwrap_err();
            assert!(error.contains("not a decimal number"), "{error}");
        }
        for text in ["nan", "inf", "-INF", "+Infinity"] {
            let error = to::<i64>(&[text]).unwrap_err();
            assert!(error.contains("not a finite number"), "{error}");
        }
    }

    #[test]
    fn text_becomes_the_nearest_float() {
        let special = to::<f32>(&["-INF", "Nan", "1e400", "-0", "1e-400", " .5 "]).unwrap();
        assert_eq!(special[0], f32::NEG_INFINITY);
        assert!(special[1].is_nan() && special[3].is_sign_negative());
        assert_eq!(special[2..], [f32::INFINITY, 0.0, 0.0, 0.5]);
        assert_eq!(to::<f16>(&["0.1"]).unwrap(), [f16::from_f32(0.1)]);
        assert_eq!(to::<B8>(&["0", "-0.0", "0.5", "2"]).unwrap(), [B8(0), B8(0), B8(1), B8(1)]);
        for text in ["", "one", "0x10", "1_000"] {
            assert!(to::<f64>(&[text]).is_err() && to::<B8>(&[text]).is_err(), "{text}");
        }
    }

    #[test]
    fn floats_print_as_in_python() {
        let pool = Pool::new();
        let threads = Threads::new(1);
        let x = Tensor::from_slice(
            &pool,
            &[6],
            &[1.0f32, 0.1, 1e-7, 1e20, f32::NAN, f32::NEG_INFINITY],
        );
        let text = cast(&threads, &pool, &x.unwrap(), DType::Str).unwrap();
        assert_eq!(text.strings().unwrap(), ["1.0", "0.1", "1e-07", "1e+20", "nan", "-inf"]);
        let back = cast(&threads, &pool, &text, DType::F32).unwrap();
        assert_eq!(back.slice::<f32>().unwrap()[..4], [1.0, 0.1, 1e-7, 1e20]);
    }
}
