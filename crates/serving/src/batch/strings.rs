//! Strings as the protocol sends them: each after its length, a little-endian u32.

use crate::failure::StringsFault;
use bytes::Bytes;

/// An error unless the bytes are exactly `count` strings.
pub(crate) fn check(bytes: &[u8], count: usize) -> Result<(), StringsFault> {
    let mut strings = Strings { rest: bytes, read: 0 };
    while strings.read < count
        && let Some(string) = strings.next()
    {
        string?;
    }
    let Strings { rest, read } = strings;
    match read == count {
        true if rest.is_empty() => Ok(()),
        true => Err(StringsFault::TooMany { given: count + 1, expected: count }),
        false => Err(StringsFault::TooFew { given: read, expected: count }),
    }
}

/// An error unless the bytes are exactly `expected` strings, which need not be UTF-8.
pub fn check_bytes(mut bytes: &[u8], expected: usize) -> Result<(), StringsFault> {
    let mut given = 0;
    while !bytes.is_empty() {
        if given == expected {
            return Err(StringsFault::TooMany { given: expected + 1, expected });
        }
        let Some((length, rest)) = bytes.split_first_chunk() else {
            return Err(StringsFault::Length { available: bytes.len() });
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some((_, rest)) = rest.split_at_checked(length) else {
            return Err(StringsFault::Data { length, available: rest.len() });
        };
        (bytes, given) = (rest, given + 1);
    }
    match given == expected {
        true => Ok(()),
        false => Err(StringsFault::TooFew { given, expected }),
    }
}

/// The strings of bytes that were checked.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = &str> + Clone {
    Strings { rest: bytes, read: 0 }.map_while(Result::ok)
}

/// Reads strings, up to the first fault.
#[derive(Clone)]
struct Strings<'a> {
    rest: &'a [u8],
    /// The number of strings that have been read.
    read: usize,
}

impl<'a> Iterator for Strings<'a> {
    type Item = Result<&'a str, StringsFault>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.rest.is_empty()).then(|| self.string())
    }
}

impl<'a> Strings<'a> {
    fn string(&mut self) -> Result<&'a str, StringsFault> {
        let rest = std::mem::take(&mut self.rest);
        let Some((length, behind)) = rest.split_first_chunk() else {
            return Err(StringsFault::Length { available: rest.len() });
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some((string, behind)) = behind.split_at_checked(length) else {
            return Err(StringsFault::Data { length, available: behind.len() });
        };
        let text = str::from_utf8(string).map_err(|error| StringsFault::Utf8 {
            element: self.read,
            byte: error.valid_up_to(),
        })?;
        (self.rest, self.read) = (behind, self.read + 1);
        Ok(text)
    }
}

/// Writes strings.
pub(crate) fn encode(strings: &[String]) -> Bytes {
    let size = strings.iter().map(|string| 4 + string.len()).sum();
    let mut bytes = Vec::with_capacity(size);
    for string in strings {
        // No tensor has a string of 4 GiB: requests cannot send one, and ops do not make one of those that they can send.
        let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&string.as_bytes()[..length as usize]);
    }
    bytes.into()
}
