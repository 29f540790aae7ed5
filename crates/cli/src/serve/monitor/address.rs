//! Addresses of pages of metrics.

use crate::failure::Failure;
use hyper::Uri;
use std::fmt;
use std::path::PathBuf;

/// The address of a page of metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageAddress {
    /// A host, with TLS or without.
    Web(Uri),
    /// A socket in the file system.
    Unix(PathBuf),
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageAddress::Web(uri) => uri.fmt(f),
            PageAddress::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl PageAddress {
    /// Reads an address. The scheme and the path may be left out.
    pub(super) fn of(url: &str) -> Result<PageAddress, Failure> {
        let wrong = || {
            Failure::usage(format!("`{url}` is no address of a server"))
                .hint("give a host and a port: localhost:8002")
        };
        if let Some(path) = url.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return match path {
                "" => Err(wrong()),
                path => Ok(PageAddress::Unix(path.into())),
            };
        }
        let whole = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let uri: Uri = whole.parse().map_err(|_| wrong())?;
        let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(wrong());
        };
        // A port that is no number from 1 to 65535 is none to this parser.
        let port = authority.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        if authority.host().is_empty()
            || authority.as_str() != format!("{}{port}", authority.host())
        {
            return Err(wrong());
        }
        let is_bare = matches!(uri.path(), "" | "/");
        let whole = whole.trim_end_matches('/');
        let uri =
            if is_bare { format!("{whole}/metrics").parse().map_err(|_| wrong())? } else { uri };
        Ok(PageAddress::Web(uri))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    #[test]
    fn addresses_may_be_short() {
        for (given, whole) in [
            ("localhost:8002", "http://localhost:8002/metrics"),
            ("http://[::1]:9/", "http://[::1]:9/metrics"),
            ("host/other", "http://host/other"),
            ("https://host:8002", "https://host:8002/metrics"),
            ("unix:/run/trident/metrics", "unix:/run/trident/metrics"),
            ("unix:///run/metrics", "unix:/run/metrics"),
        ] {
            assert_eq!(PageAddress::of(given).unwrap().to_string(), whole);
        }
        for wrong in
            ["ftp://host", "http://", "a b", "host:99999", "host:", "host:x", "me@host:1", "unix:"]
        {
            assert!(PageAddress::of(wrong).is_err(), "{wrong}");
        }
    }
}
