//! JSON texts as the server writes them.

use super::string;

/// A text being written. Commas are put between the elements of an array or object.
#[derive(Debug, Default)]
pub struct Writer {
    text: Vec<u8>,
    /// Whether the next value is the first of its array or object, or belongs to a name.
    first: bool,
}

impl Writer {
    /// A writer that appends to `text`.
    pub fn new(text: Vec<u8>) -> Writer {
        Writer { text, first: true }
    }

    /// The text.
    pub fn finish(self) -> Vec<u8> {
        self.text
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.text.push(b',');
        }
    }

    /// An object, whose members `members` writes.
    pub fn object(&mut self, members: impl FnOnce(&mut Writer)) {
        self.group(b'{', b'}', members);
    }

    /// An array, whose elements `elements` writes.
    pub fn array(&mut self, elements: impl FnOnce(&mut Writer)) {
        self.group(b'[', b']', elements);
    }

    fn group(&mut self, open: u8, close: u8, inside: impl FnOnce(&mut Writer)) {
        self.separate();
        self.text.push(open);
        self.first = true;
        inside(self);
        self.first = false;
        self.text.push(close);
    }

    /// The name of a member. Its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Writer {
        self.string(name.as_bytes());
        self.text.push(b':');
        self.first = true;
        self
    }

    /// A string of any bytes.
    pub fn string(&mut self, bytes: &[u8]) {
        self.separate();
        self.text.push(b'"');
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| string::is_special(byte)) {
            self.text.extend_from_slice(&rest[..at]);
            self.escape(rest[at]);
            rest = &rest[at + 1..];
        }
        self.text.extend_from_slice(rest);
        self.text.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        let letter = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x0C => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                let hex = |digit: u8| b"0123456789ABCDEF"[usize::from(digit)];
                self.text.extend_from_slice(&[
                    b'\\',
                    b'u',
                    b'0',
                    b'0',
                    hex(byte >> 4),
                    hex(byte & 15),
                ]);
                return;
            }
        };
        self.text.extend_from_slice(&[b'\\', letter]);
    }

    /// `null`.
    pub fn null(&mut self) {
        self.separate();
        self.text.extend_from_slice(b"null");
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.separate();
        self.text.extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// An integer.
    pub fn integer(&mut self, value: impl itoa::Integer) {
        self.separate();
        self.text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// The shortest number that rounds to the value: with `.0` if it is integral, with an exponent from 1e21 up and
    /// below 1e-6, and the bare words `NaN`, `Infinity` and `-Infinity`.
    pub fn float(&mut self, value: f64) {
        self.separate();
        if !value.is_finite() {
            let word = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            self.text.extend_from_slice(word.as_bytes());
            return;
        }
        if value.is_sign_negative() {
            self.text.push(b'-');
        }
        let (magnitude, most) = (value.abs(), (1u64 << f64::MANTISSA_DIGITS) as f64);
        // Whole numbers need no search for the shortest text.
        let whole = magnitude as u64;
        if magnitude < most && whole as f64 == magnitude {
            self.text.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
            return self.text.extend_from_slice(b".0");
        }
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(magnitude).as_bytes();
        // Numbers without an exponent have the server's form already.
        if text.contains(&b'e') {
            Shortest::of(text).write(&mut self.text);
        } else {
            self.text.extend_from_slice(text);
        }
    }
}

/// The shortest decimal that rounds to a positive value: `0.DIGITS × 10^point`.
struct Shortest {
    digits: [u8; 17],
    count: usize,
    point: i32,
}

impl Shortest {
    /// The decimal of a text that may have an exponent.
    fn of(text: &[u8]) -> Shortest {
        let (mantissa, exponent) = match text.iter().position(|&byte| byte == b'e') {
            Some(at) => (&text[..at], decimal(&text[at + 1..])),
            None => (text, 0),
        };
        let mut shortest = Shortest { digits: [0; 17], count: 0, point: exponent };
        let mut whole = true;
        for &byte in mantissa {
            match byte {
                b'.' => whole = false,
                // Zeros before the first digit only move the point.
                b'0' if shortest.count == 0 => shortest.point -= i32::from(!whole),
                _ => {
                    shortest.point += i32::from(whole);
                    if let Some(place) = shortest.digits.get_mut(shortest.count) {
                        *place = byte;
                    }
                    shortest.count += 1;
                }
            }
        }
        let shown = shortest.count.min(17);
        shortest.count =
            shortest.digits[..shown].iter().rposition(|&b| b != b'0').map_or(0, |at| at + 1);
        shortest
    }

    fn write(&self, text: &mut Vec<u8>) {
        let digits = &self.digits[..self.count];
        let zeros = |text: &mut Vec<u8>, count: i32| text.extend((0..count).map(|_| b'0'));
        match self.point {
            _ if digits.is_empty() => text.extend_from_slice(b"0.0"),
            point @ 1..=21 => {
                let whole = digits.len().min(point as usize);
                text.extend_from_slice(&digits[..whole]);
                zeros(text, point - whole as i32);
                text.push(b'.');
                text.extend_from_slice(if whole < digits.len() { &digits[whole..] } else { b"0" });
            }
            point @ -5..=0 => {
                text.extend_from_slice(b"0.");
                zeros(text, -point);
                text.extend_from_slice(digits);
            }
            point => {
                text.push(digits[0]);
                if digits.len() > 1 {
                    text.push(b'.');
                    text.extend_from_slice(&digits[1..]);
                }
                text.push(b'e');
                text.extend_from_slice(itoa::Buffer::new().format(point - 1).as_bytes());
            }
        }
    }
}

fn decimal(text: &[u8]) -> i32 {
    str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}
