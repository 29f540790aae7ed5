//! The headers of compressed messages.

use crate::compress::Encoding;

/// The names of all encodings, as the header `grpc-accept-encoding` lists them.
pub(super) const NAMES: &str = "identity, deflate, gzip";

/// The encoding with a name. `Some(None)` is no compression.
pub(super) fn of(name: &str) -> Option<Option<Encoding>> {
    Some(match name {
        "identity" => None,
        "gzip" => Some(Encoding::Gzip),
        "deflate" => Some(Encoding::Deflate),
        _ => return None,
    })
}

/// The first encoding of a list, such as the header `grpc-accept-encoding` has, that compresses.
pub(super) fn accepted(list: &str) -> Option<Encoding> {
    list.split(',').find_map(|name| of(name.trim())?)
}

#[test]
fn clients_list_encodings() {
    assert_eq!(accepted("identity, deflate, gzip"), Some(Encoding::Deflate));
    assert_eq!(accepted("br,gzip"), Some(Encoding::Gzip));
    assert_eq!(accepted("identity"), None);
    assert_eq!(of("snappy"), None);
}
