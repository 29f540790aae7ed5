//! Keys that clients must have for everything but health.

use hyper::header::HeaderValue;
use subtle::{Choice, ConstantTimeEq};

/// The keys of which a request needs one; none if there are none.
#[derive(Clone, Default)]
pub struct ApiKeys(Vec<Box<[u8]>>);

/// Why keys cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiKeyError {
    /// No line has a key.
    #[error("the file has no key; a key is a line of its own")]
    Empty,
    /// A header cannot have this key.
    #[error("line {0}: a key has the characters `!` to `~` only")]
    Characters(usize),
}

/// The text of the refusal of a request without a key.
pub(crate) const NO_KEY: &str =
    "This server needs an API key. Send it in the header 'Authorization: Bearer <key>'.";

/// The text of the refusal of another key.
pub(crate) const WRONG_KEY: &str = "The API key in the header 'Authorization' is not valid.";

impl ApiKeys {
    /// The keys of a text: one a line. Blanks at the ends of lines, empty lines and lines that begin with `#` do not count.
    ///
    /// # Errors
    /// There is no key, or one with a character that a header cannot have.
    pub fn of(text: &str) -> Result<ApiKeys, ApiKeyError> {
        let mut keys = vec![];
        for (at, line) in text.lines().enumerate() {
            let key = line.trim();
            if key.is_empty() || key.starts_with('#') {
                continue;
            }
            if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(ApiKeyError::Characters(at + 1));
            }
            keys.push(key.as_bytes().into());
        }
        if keys.is_empty() { Err(ApiKeyError::Empty) } else { Ok(ApiKeys(keys)) }
    }

    /// Whether requests need no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a request with this header `Authorization` may be answered.
    ///
    /// # Errors
    /// The text of the refusal.
    pub(crate) fn check(&self, authorization: Option<&HeaderValue>) -> Result<(), &'static str> {
        if self.is_empty() {
            return Ok(());
        }
        let given = authorization.and_then(|value| bearer(value.as_bytes())).ok_or(NO_KEY)?;
        // All keys are compared whole, so that the time does not tell how much of a key is right.
        let found = self.0.iter().fold(Choice::from(0), |found, key| found | key.ct_eq(given));
        if bool::from(found) { Ok(()) } else { Err(WRONG_KEY) }
    }
}

/// A program's log does not show keys.
impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApiKeys({})", self.0.len())
    }
}

/// The credentials of the scheme `Bearer`, whose name has no case (RFC 9110, section 11.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_keys_is_needed() {
        let keys = ApiKeys::of("# ours\nfirst\n\n  sec-ond== \r\n").unwrap();
        let check = |value: &'static str| keys.check(Some(&HeaderValue::from_static(value)));
        for right in ["Bearer first", "bearer sec-ond==", "BEARER   first"] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in ["Bearer firs", "Bearer firstt", "Bearer First", "Bearer # ours", "Bearer "] {
            assert_eq!(check(wrong), Err(WRONG_KEY), "{wrong}");
        }
        for none in ["first", "Basic first", "Bearer", "", "Bearerfirst"] {
            assert_eq!(check(none), Err(NO_KEY), "{none}");
        }
        assert_eq!(keys.check(None), Err(NO_KEY));
        assert_eq!(format!("{keys:?}"), "ApiKeys(2)");
    }

    #[test]
    fn without_keys_requests_need_none() {
        assert_eq!(ApiKeys::default().check(None), Ok(()));
    }

    #[test]
    fn texts_without_keys_are_refused() {
        assert_eq!(ApiKeys::of(" \n# key\n").unwrap_err(), ApiKeyError::Empty);
        for text in ["a\nb c", "a\nkéy", "a\nb\tc"] {
            assert_eq!(ApiKeys::of(text).unwrap_err(), ApiKeyError::Characters(2), "{text}");
        }
    }
}
