//! Base64, in which clients send files, and in which bytes are recorded.

/// The bytes of a text in base64 with the alphabet `A–Z a–z 0–9 + /`. Padding may be absent. `None` for any other text.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let unpadded = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(unpadded.len() / 4 * 3 + 2);
    for group in unpadded.chunks(4) {
        let mut bits = 0u32;
        for &letter in group {
            bits = bits << 6 | value(letter)?;
        }
        let missing = 4 - group.len();
        if missing == 3 {
            return None;
        }
        bits <<= 6 * missing;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - missing]);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// The text of bytes, with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut padded = [0; 4];
        padded[1..=group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes(padded);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn texts_are_those_of_their_bytes() {
        for (bytes, text) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj")] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encode(&all).as_bytes()), Some(all));
    }

    #[test]
    fn texts_are_decoded() {
        let text =
            |text: &str| decode(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(text("").as_deref(), Some(""));
        assert_eq!(text("YQ==").as_deref(), Some("a"));
        assert_eq!(text("YWI=").as_deref(), Some("ab"));
        assert_eq!(text("YWJj").as_deref(), Some("abc"));
        assert_eq!(text("YWJjZA").as_deref(), Some("abcd"));
        assert_eq!(decode(b"+/8="), Some(vec![0xFB, 0xFF]));
        assert_eq!((text("***"), text("A"), text("YW=j")), (None, None, None));
    }
}
