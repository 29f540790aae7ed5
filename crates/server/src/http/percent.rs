//! Escapes in paths.

use std::borrow::Cow;

/// A path with its escapes (`%20`) resolved. Bytes that are not UTF-8 are replaced: no name has them.
pub(super) fn decode(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let hex = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let digits = (byte == b'%').then(|| hex(after.first()).zip(hex(after.get(1)))).flatten();
        let (byte, length) = match digits {
            Some((high, low)) => ((high << 4 | low) as u8, 3),
            None => (byte, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(decode("/v2/a"), "/v2/a");
        assert_eq!(decode("/v2/a%20b%2F%c3%A9"), "/v2/a b/é");
        assert_eq!(decode("%zz%2"), "%zz%2");
    }
}
