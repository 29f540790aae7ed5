//! Strings: where they end, and their bytes.

use super::document::{JsonError, ParseFault};

/// Whether a byte ends a string, or has to be written as an escape. Each byte of a text is looked up here.
pub(super) fn is_special(byte: u8) -> bool {
    SPECIAL[usize::from(byte)]
}

static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// The closing quotation mark of the string that begins at `start`, and whether it has escapes.
pub(super) fn end(text: &[u8], start: usize) -> Result<(usize, bool), JsonError> {
    let mut at = start + 1;
    let mut escapes = false;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len());
        match text.get(at).copied().unwrap_or(0) {
            b'"' => return Ok((at, escapes)),
            b'\\' => at += escape(text, at)?.length,
            0 => return Err(JsonError { fault: ParseFault::Quotation, position: at }),
            _ => return Err(JsonError { fault: ParseFault::Escape, position: at }),
        }
        escapes = true;
    }
}

struct Escape {
    character: char,
    /// The bytes that it takes in the text.
    length: usize,
}

/// The escape at a backslash.
fn escape(text: &[u8], at: usize) -> Result<Escape, JsonError> {
    let fault = |fault| JsonError { fault, position: at };
    let character = match text.get(at + 1).copied().unwrap_or(0) {
        byte @ (b'"' | b'\\' | b'/') => byte.into(),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text, at),
        _ => return Err(fault(ParseFault::Escape)),
    };
    Ok(Escape { character, length: 2 })
}

/// `\uXXXX`, or a surrogate pair of two of them.
fn unicode(text: &[u8], at: usize) -> Result<Escape, JsonError> {
    let fault = |fault| JsonError { fault, position: at };
    let unit = |at: usize| {
        let digits = text.get(at + 2..at + 6)?;
        digits
            .iter()
            .try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
    };
    let high = unit(at).ok_or(fault(ParseFault::Hex))?;
    if !(0xD800..0xE000).contains(&high) {
        let character = char::from_u32(high).ok_or(fault(ParseFault::Surrogate))?;
        return Ok(Escape { character, length: 6 });
    }
    if high >= 0xDC00 || text.get(at + 6..at + 8) != Some(b"\\u") {
        return Err(fault(ParseFault::Surrogate));
    }
    let low = unit(at + 6).ok_or(fault(ParseFault::Hex))?;
    if !(0xDC00..0xE000).contains(&low) {
        return Err(fault(ParseFault::Surrogate));
    }
    let code = 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
    let character = char::from_u32(code).ok_or(fault(ParseFault::Surrogate))?;
    Ok(Escape { character, length: 12 })
}

/// The bytes of a checked string, given those between its quotation marks. They need not be UTF-8.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let backslash = |text: &[u8]| text.iter().position(|&byte| byte == b'\\');
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = backslash(rest) {
        bytes.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        // The text has been checked.
        let Ok(Escape { character, length }) = escape(rest, 0) else { break };
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[length..];
    }
    bytes.extend_from_slice(rest);
    bytes
}
