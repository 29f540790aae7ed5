//! Why a store cannot be read.

use std::error::Error;
use std::io;

use object_store::Error as ObjectError;

use super::place::StoreKind;

/// The most characters of a cause.
const LONGEST: usize = 300;

/// The reason why a repository in a store cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An address that names no bucket.
    #[error(
        "`{url}` is not the address of a repository; hint: give `s3://bucket/folder`, `s3://host:port/bucket/folder`, \
         `gs://bucket/folder` or `as://account/container/folder`"
    )]
    Address {
        /// The address.
        url: String,
    },
    /// A setting of the environment that cannot be used.
    #[error("cannot use the settings for `{url}`: {cause}")]
    Settings {
        /// The address.
        url: String,
        /// The mistake in them.
        cause: String,
    },
    /// There is no key, neither in the environment nor from the machine.
    #[error("there is no key for `{url}`; hint: {}", hint(kind))]
    NoKey {
        /// The address.
        url: String,
        /// The kind of store.
        kind: &'static str,
    },
    /// The store knows the key, or not, and refuses.
    #[error(
        "access to `{url}` is denied: {cause}; hint: check that the key is right, and that it may list and read the bucket"
    )]
    Denied {
        /// The address.
        url: String,
        /// The store's answer.
        cause: String,
    },
    /// There is no such bucket.
    #[error("there is no bucket or container of this name: `{url}`")]
    NoBucket {
        /// The address.
        url: String,
    },
    /// The bucket has nothing in this folder.
    #[error("the bucket has no folder of this name: `{url}`")]
    NoFolder {
        /// The address.
        url: String,
    },
    /// The store does not answer, or not as it should.
    #[error("cannot read `{url}`: {cause}")]
    Away {
        /// The address.
        url: String,
        /// The cause.
        cause: String,
    },
    /// The local copy cannot be written.
    #[error("cannot keep a copy of `{url}`: `{path}`: {source}")]
    Disk {
        /// The address.
        url: String,
        /// The file or folder of the copy.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// How a key is given.
fn hint(kind: &str) -> &'static str {
    match kind {
        "S3" => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        "Azure" => "set AZURE_STORAGE_KEY, or AZURE_SKIP_SIGNATURE=true for a public container",
        _ => {
            "set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket"
        }
    }
}

impl StoreKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            StoreKind::S3 => "S3",
            StoreKind::Google => "Google",
            StoreKind::Azure => "Azure",
        }
    }

    /// Variables of the environment that give a key, or say that none is needed.
    fn keys(self) -> &'static [&'static str] {
        match self {
            StoreKind::S3 => &[
                "AWS_ACCESS_KEY_ID",
                "AWS_WEB_IDENTITY_TOKEN_FILE",
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                "AWS_SKIP_SIGNATURE",
            ],
            StoreKind::Google => &[
                "GOOGLE_APPLICATION_CREDENTIALS",
                "GOOGLE_SERVICE_ACCOUNT",
                "GOOGLE_SERVICE_ACCOUNT_PATH",
                "GOOGLE_SERVICE_ACCOUNT_KEY",
                "GOOGLE_SKIP_SIGNATURE",
                "STORAGE_EMULATOR_HOST",
            ],
            StoreKind::Azure => &[
                "AZURE_STORAGE_KEY",
                "AZURE_STORAGE_ACCOUNT_KEY",
                "AZURE_STORAGE_ACCESS_KEY",
                "AZURE_STORAGE_SAS_TOKEN",
                "AZURE_STORAGE_SAS_KEY",
                "AZURE_STORAGE_TOKEN",
                "AZURE_CLIENT_ID",
                "AZURE_FEDERATED_TOKEN_FILE",
                "AZURE_SKIP_SIGNATURE",
            ],
        }
    }

    /// Whether the environment gives a key. Without one, the machine that the server runs on may have one.
    pub(super) fn has_key(self) -> bool {
        self.keys().iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    }
}

/// The fault of a listing or a download, whose last answer had a status; 0 for no answer.
pub(super) fn fault(kind: StoreKind, url: &str, status: u16, error: &ObjectError) -> StoreError {
    let url = url.to_owned();
    match (status, error) {
        (404, _) | (_, ObjectError::NotFound { .. }) => StoreError::NoBucket { url },
        (401 | 403, _) => StoreError::Denied { url, cause: cause(error) },
        // The machine has been asked for a key, and has none.
        (0, _) if !kind.has_key() => StoreError::NoKey { url, kind: kind.name() },
        _ => StoreError::Away { url, cause: cause(error) },
    }
}

/// The innermost reason of an error, in one line. The outer ones name the store and the request again.
pub(super) fn cause(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    let text = inner.to_string();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Stores answer with pages of XML.
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_refuses_differs_from_one_that_is_away() {
        let error =
            || ObjectError::Generic { store: "S3", source: "long \n text".repeat(99).into() };
        let text = |status| fault(StoreKind::S3, "s3://b", status, &error()).to_string();
        assert!(text(403).starts_with("access to `s3://b` is denied: long text"), "{}", text(403));
        assert!(text(403).len() < 500);
        assert_eq!(text(404), "there is no bucket or container of this name: `s3://b`");
        assert!(text(500).starts_with("cannot read `s3://b`: long text"), "{}", text(500));
    }
}
