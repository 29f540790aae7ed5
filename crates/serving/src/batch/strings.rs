//! Strings as the protocol sends them: each behind its length, a little-endian u32.

use crate::failure::StringsFault;
use bytes::Bytes;
use std::borrow::Cow;

use super::request::Part;

/// Reads exactly `count` strings.
pub(super) fn decode(parts: &[Part<'_>], count: usize) -> Result<Vec<String>, StringsFault> {
    let joined = match parts {
        [part] => Cow::Borrowed(part.as_ref()),
        parts => Cow::Owned(parts.iter().flat_map(AsRef::as_ref).copied().collect::<Vec<u8>>()),
    };
    let mut rest: &[u8] = &joined;
    // The bytes bound how many there can be, whatever the shape says.
    let mut strings = Vec::with_capacity(count.min(rest.len() / 4));
    while !rest.is_empty() {
        if strings.len() == count {
            return Err(StringsFault::TooMany { given: count + 1, expected: count });
        }
        let Some((length, behind)) = rest.split_first_chunk() else {
            return Err(StringsFault::Length { available: rest.len() });
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some((string, behind)) = behind.split_at_checked(length) else {
            return Err(StringsFault::Data { length, available: behind.len() });
        };
        let text = str::from_utf8(string).map_err(|error| StringsFault::Utf8 {
            element: strings.len(),
            byte: error.valid_up_to(),
        })?;
        strings.push(text.to_owned());
        rest = behind;
    }
    match strings.len() == count {
        true => Ok(strings),
        false => Err(StringsFault::TooFew { given: strings.len(), expected: count }),
    }
}

/// Writes strings.
pub(super) fn encode(strings: &[String]) -> Bytes {
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
