//! The headers of compressed bodies.

use crate::compress::Encoding;

/// The encoding of a request. `Ok(None)` stands for no encoding.
pub(super) fn of_request(header: Option<&[u8]>) -> Result<Option<Encoding>, ()> {
    match header.map(<[u8]>::trim_ascii) {
        None | Some(b"" | b"identity") => Ok(None),
        Some(b"gzip") => Ok(Some(Encoding::Gzip)),
        Some(b"deflate") => Ok(Some(Encoding::Deflate)),
        Some(_) => Err(()),
    }
}

/// The encoding that `Accept-Encoding` weighs most among those that we have; `None` for no encoding.
pub(super) fn accepted(header: Option<&[u8]>) -> Option<Encoding> {
    let text = str::from_utf8(header?).ok()?;
    let mut best: Option<(f32, Option<Encoding>)> = None;
    for item in text.split(',') {
        let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
        let encoding = match name.trim() {
            "gzip" => Some(Encoding::Gzip),
            "deflate" => Some(Encoding::Deflate),
            "identity" => None,
            _ => continue,
        };
        let weight = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.parse().ok());
        let weight = weight.unwrap_or(0.0);
        if weight > best.map_or(0.0, |(weight, _)| weight) {
            best = Some((weight, encoding));
        }
    }
    best?.1
}

#[test]
fn the_heaviest_encoding_is_chosen() {
    let chosen = |text: &str| accepted(Some(text.as_bytes()));
    assert_eq!(chosen("gzip;q=0.2, deflate;q=0.8"), Some(Encoding::Deflate));
    assert_eq!(chosen("gzip, deflate"), Some(Encoding::Gzip));
    assert_eq!(chosen("identity, gzip;q=0.5"), None);
    assert_eq!(chosen("br"), None);
    assert_eq!(chosen("gzip;q=0"), None);
    assert_eq!(accepted(None), None);
}
