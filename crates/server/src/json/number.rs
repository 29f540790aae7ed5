//! Numbers: where they end, and their values.

use super::document::{JsonError, Numbers, ParseFault};

/// More digits than the largest f64 has before its point. A shorter number without an exponent cannot be too large.
const SURELY_FINITE: usize = 308;

/// Whether a number can begin with this byte.
pub(super) fn begins(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'N' | b'I')
}

/// The most digits that fit i64 and u64 in any case.
const SURELY_FITS: usize = 18;

/// The byte after the number that begins at `start`, and the number's class.
pub(super) fn read(text: &[u8], start: usize) -> Result<(usize, Numbers), JsonError> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let fault = |fault, position| Err(JsonError { fault, position });
    let digits = |mut at: usize| {
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    };
    let is_negative = byte(start) == b'-';
    let first = start + usize::from(is_negative);
    let mut at = first;
    match byte(at) {
        b'0' => at += 1,
        b'1'..=b'9' => at = digits(at),
        b'N' | b'I' => return word_end(text, at).map(|end| (end, Numbers::Any)),
        _ => return fault(ParseFault::Value, at),
    }
    let mut check = at - start > SURELY_FINITE;
    let mut class = match is_negative {
        _ if at - first > SURELY_FITS => Numbers::Any,
        true => Numbers::Signed,
        false => Numbers::Unsigned,
    };
    if byte(at) == b'.' {
        class = Numbers::Any;
        let first = at + 1;
        at = digits(first);
        if at == first {
            return fault(ParseFault::Fraction, at);
        }
    }
    if matches!(byte(at), b'e' | b'E') {
        class = Numbers::Any;
        let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
        let first = at + 1 + sign;
        at = digits(first);
        if at == first {
            return fault(ParseFault::Exponent, at);
        }
        check = true;
    }
    if check && float(&text[start..at]).is_infinite() {
        return fault(ParseFault::TooBig, start);
    }
    Ok((at, class))
}

/// The byte after `NaN`, `Inf` or `Infinity`. A fault stands after the characters that fit.
fn word_end(text: &[u8], start: usize) -> Result<usize, JsonError> {
    let common = |word: &[u8]| text[start..].iter().zip(word).take_while(|(a, b)| a == b).count();
    let (nan, infinity) = (common(b"NaN"), common(b"Infinity"));
    match (nan, infinity) {
        (3, _) => Ok(start + 3),
        (_, 3 | 8) => Ok(start + infinity),
        _ => Err(JsonError { fault: ParseFault::Value, position: start + nan.max(infinity) }),
    }
}

/// A signed integer, if the number is one in the range of i64.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        // `-0` is an integer to the server, too.
        Some(digits) => 0i64.checked_sub_unsigned(unsigned(digits)?),
        None => unsigned(text)?.try_into().ok(),
    }
}

/// An unsigned integer, if the number is one in the range of u64.
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        let shifted = value.checked_mul(10).filter(|_| digit < 10)?;
        shifted.checked_add(digit.into())
    })
}

/// The powers of ten up to the number of digits that f64 holds exactly.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The number at the start of a text, and its length, if it has at most 15 digits and no exponent. Its digits and the power of ten are
/// exact in f64, so that their quotient is rounded once (W. Clinger, *How to Read Floating Point Numbers Accurately*, 1990).
fn plain(text: &[u8]) -> Option<(f64, usize)> {
    let start = usize::from(text.first() == Some(&b'-'));
    let (mut at, mut value, mut point) = (start, 0u64, None);
    while let Some(&byte) = text.get(at) {
        match byte {
            _ if at - start > POWERS.len() => return None,
            b'0'..=b'9' => value = value * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at + 1),
            b',' | b']' | b' ' | b'\n' | b'\r' | b'\t' => break,
            _ => return None,
        }
        at += 1;
    }
    let digits = at - start - usize::from(point.is_some());
    let value = value as f64 / POWERS.get(at - point.unwrap_or(at))?;
    (1..POWERS.len()).contains(&digits).then_some((if start == 1 { -value } else { value }, at))
}

/// Gives each number of an array of numbers to `each`, as [`float`] has it.
pub(super) fn floats<E>(array: &[u8], mut each: impl FnMut(f64) -> Result<(), E>) -> Result<(), E> {
    let ends = |byte: &u8| matches!(byte, b',' | b']' | b' ' | b'\n' | b'\r' | b'\t');
    let mut rest = array;
    // The opening bracket, and then each comma.
    while let Some((b'[' | b',', after)) = rest.split_first() {
        rest = after.trim_ascii_start();
        let (value, length) = plain(rest).unwrap_or_else(|| {
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            (float(&rest[..length]), length)
        });
        each(value)?;
        rest = rest[length..].trim_ascii_start();
    }
    Ok(())
}

/// A number as f64, rounded to the nearest.
pub(super) fn float(text: &[u8]) -> f64 {
    if let Some((value, length)) = plain(text)
        && length == text.len()
    {
        return value;
    }
    let (sign, magnitude) = match text.strip_prefix(b"-") {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    match magnitude.first() {
        Some(b'N') => sign * f64::NAN,
        Some(b'I') => sign * f64::INFINITY,
        // The text has been checked.
        _ => str::from_utf8(magnitude)
            .ok()
            .and_then(|text| text.parse().ok())
            .map_or(f64::NAN, |v: f64| sign * v),
    }
}
