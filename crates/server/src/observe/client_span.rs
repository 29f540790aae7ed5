//! The span that a client names in the header `traceparent` of the W3C's recommendation "Trace Context".

use hyper::HeaderMap;

/// Longer states of traces are dropped; up to this length they must be passed on.
const LONGEST_STATE: usize = 512;

/// The client's span that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientSpan {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    /// Whether the client records its trace.
    pub(super) is_sampled: bool,
    /// The header `tracestate`; empty if there is none.
    pub(super) state: String,
}

impl ClientSpan {
    /// The span of a request's headers, if they name one.
    pub(super) fn of(headers: &HeaderMap) -> Option<ClientSpan> {
        let span = ClientSpan::read(headers.get("traceparent")?.to_str().ok()?)?;
        let states = headers.get_all("tracestate").iter();
        let states: Vec<&str> = states.filter_map(|state| state.to_str().ok()).collect();
        let state = Some(states.join(",")).filter(|state| state.len() <= LONGEST_STATE);
        Some(ClientSpan { state: state.unwrap_or_default(), ..span })
    }

    /// Reads `<version>-<trace>-<span>-<flags>` in hexadecimal digits, after which later versions may have more.
    fn read(text: &str) -> Option<ClientSpan> {
        let mut parts = text.trim().split('-');
        let [version]: [u8; 1] = bytes_of_hex(parts.next()?)?;
        let (trace, span) = (bytes_of_hex(parts.next()?)?, bytes_of_hex(parts.next()?)?);
        let [flags]: [u8; 1] = bytes_of_hex(parts.next()?)?;
        let has_more = parts.next().is_some();
        let is_known = version != 0xff && (version > 0 || !has_more);
        let is_named = trace != [0; 16] && span != [0; 8];
        let (is_sampled, state) = (flags & 1 == 1, String::new());
        (is_known && is_named).then_some(ClientSpan { trace, span, is_sampled, state })
    }
}

/// Bytes of lower-case hexadecimal digits.
fn bytes_of_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 2 * N || !text.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn spans_of_clients_are_read() {
        let span = ClientSpan::read(PARENT).unwrap();
        assert_eq!((span.trace[0], span.span[7], span.is_sampled), (0x0a, 0x31, true));
        assert!(!ClientSpan::read(&PARENT.replace("-01", "-00")).unwrap().is_sampled);
        assert!(ClientSpan::read(&format!("{PARENT}-x")).is_none());
        assert!(ClientSpan::read(&format!("01{}-x", &PARENT[2..])).is_some());
        for wrong in [
            "",
            "00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319\u{e9}-b7ad6b7169203331-01",
        ] {
            assert_eq!(ClientSpan::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn states_belong_to_spans() {
        let mut headers = HeaderMap::new();
        headers.append("tracestate", HeaderValue::from_static("a=1"));
        assert_eq!(ClientSpan::of(&headers), None);
        headers.insert("traceparent", HeaderValue::from_static(PARENT));
        headers.append("tracestate", HeaderValue::from_static("b=2"));
        assert_eq!(ClientSpan::of(&headers).unwrap().state, "a=1,b=2");
        let long = HeaderValue::from_str(&"x".repeat(LONGEST_STATE + 1)).unwrap();
        headers.insert("tracestate", long);
        assert_eq!(ClientSpan::of(&headers).unwrap().state, "");
    }
}
