//! The header `grpc-timeout`: how long a client waits.

use std::time::Duration;

/// The time that the header's value gives: up to eight digits and a unit. `None` for anything else.
pub(super) fn read(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    let digits = str::from_utf8(digits).ok()?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}

#[test]
fn times_have_a_unit() {
    assert_eq!(read(b"1H"), Some(Duration::from_secs(3600)));
    assert_eq!(read(b"99999999M"), Some(Duration::from_secs(60 * 99_999_999)));
    assert_eq!(read(b"250m"), Some(Duration::from_millis(250)));
    assert_eq!(read(b"7u"), Some(Duration::from_micros(7)));
    assert_eq!(read(b"0n"), Some(Duration::ZERO));
    for wrong in ["", "S", "1", "1s", "123456789S", "-1S", "+1S", "1 S", "1.5S"] {
        assert_eq!(read(wrong.as_bytes()), None, "{wrong}");
    }
}
