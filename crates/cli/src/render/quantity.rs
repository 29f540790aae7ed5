//! Numbers with units.

use std::time::Duration;

/// Bytes with a binary unit: `1.5 MiB`.
pub(crate) fn bytes(n: usize) -> String {
    scaled(n as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// A count with a decimal prefix: `3.87 G`; units are appended by the caller.
pub(crate) fn count(n: f64) -> String {
    scaled(n, 1000.0, &["", "k", "M", "G", "T", "P"]).trim_end().to_owned()
}

fn scaled(mut n: f64, base: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while n >= base && unit + 1 < units.len() {
        n /= base;
        unit += 1;
    }
    let digits = match n {
        _ if unit == 0 => 0,
        n if n < 10.0 => 2,
        n if n < 100.0 => 1,
        _ => 0,
    };
    format!("{n:.digits$} {}", units[unit])
}

/// A time in the unit that suits it: `412 µs`, `3.21 ms`, `1.50 s`.
pub(crate) fn duration(d: Duration) -> String {
    let nanos = d.as_nanos() as f64;
    let (n, unit) = match nanos {
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = if n < 10.0 {
        2
    } else if n < 100.0 {
        1
    } else {
        0
    };
    format!("{n:.digits$} {unit}")
}

/// Milliseconds as a number, to the nanosecond.
pub(crate) fn millis(d: Duration) -> f64 {
    d.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit_the_size() {
        assert_eq!(
            (bytes(0), bytes(1023), bytes(1536)),
            ("0 B".into(), "1023 B".into(), "1.50 KiB".into())
        );
        assert_eq!(bytes(200 << 20), "200 MiB");
        assert_eq!(bytes(usize::MAX), "16.0 EiB");
        assert_eq!((count(999.0), count(58_314.0)), ("999".into(), "58.3 k".into()));
        assert_eq!(duration(Duration::from_nanos(1500)), "1.50 µs");
        assert_eq!(duration(Duration::from_millis(123)), "123 ms");
    }
}
