//! Addresses of repositories in stores.

use super::StoreError;

/// The kinds of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreKind {
    S3,
    Google,
    Azure,
}

/// A folder in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StorePlace {
    pub(super) kind: StoreKind,
    /// The address of a server that speaks a store's protocol, with its scheme; by default the store's own.
    pub(super) endpoint: Option<String>,
    /// The account, which only Azure has.
    pub(super) account: Option<String>,
    /// The bucket, or the container.
    pub(super) bucket: String,
    /// The folder in it; empty for all of it.
    pub(super) folder: String,
}

/// The kind of store and the rest of an address.
pub(super) fn scheme(url: &str) -> Option<(StoreKind, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let kind = match scheme {
        "s3" => StoreKind::S3,
        "gs" => StoreKind::Google,
        "as" => StoreKind::Azure,
        _ => return None,
    };
    Some((kind, rest))
}

impl StorePlace {
    /// Reads `s3://bucket/folder`, `s3://host:port/bucket/folder`, `s3://https://host:port/bucket/folder`, `gs://bucket/folder` or
    /// `as://account/container/folder`.
    pub(super) fn of(url: &str) -> Result<StorePlace, StoreError> {
        let wrong = || StoreError::Address { url: url.to_owned() };
        let (kind, rest) = scheme(url).ok_or_else(wrong)?;
        let (transport, rest) = match rest.split_once("://") {
            Some((transport @ ("http" | "https"), rest)) if kind == StoreKind::S3 => {
                (Some(transport), rest)
            }
            Some(_) => return Err(wrong()),
            None => (None, rest),
        };
        let mut parts = rest.split('/').filter(|part| !part.is_empty()).peekable();
        let has_port = parts.peek().is_some_and(|part| part.contains(':'));
        let (mut endpoint, mut account) = (None, None);
        if transport.is_some() || kind == StoreKind::S3 && has_port {
            let host = parts.next().ok_or_else(wrong)?;
            endpoint = Some(format!("{}://{host}", transport.unwrap_or("http")));
        }
        if kind == StoreKind::Azure {
            account = Some(parts.next().ok_or_else(wrong)?.to_owned());
        }
        let bucket = parts.next().ok_or_else(wrong)?.to_owned();
        let folder = parts.collect::<Vec<_>>().join("/");
        Ok(StorePlace { kind, endpoint, account, bucket, folder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_bucket_and_may_have_a_server() {
        let read = |url: &str| {
            let StorePlace { kind, endpoint, account, bucket, folder } =
                StorePlace::of(url).ok()?;
            Some((kind, endpoint.or(account).unwrap_or_default(), bucket, folder))
        };
        let place = |kind, first: &str, bucket: &str, folder: &str| {
            Some((kind, first.to_owned(), bucket.to_owned(), folder.to_owned()))
        };
        use StoreKind::{Azure, Google, S3};
        assert_eq!(read("s3://b"), place(S3, "", "b", ""));
        assert_eq!(read("s3://b/models//x/"), place(S3, "", "b", "models/x"));
        assert_eq!(read("s3://host:9000/b/m"), place(S3, "http://host:9000", "b", "m"));
        assert_eq!(read("s3://https://host/b"), place(S3, "https://host", "b", ""));
        assert_eq!(read("gs://b/m"), place(Google, "", "b", "m"));
        assert_eq!(read("as://account/c/m"), place(Azure, "account", "c", "m"));
        for wrong in
            ["s3://", "s3:///", "s3://host:1", "as://account", "gs://http://h/b", "ftp://b"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
