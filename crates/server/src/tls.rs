//! TLS: certificates and keys from files, which are read again when they change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};

use crate::settings::{ServerLog, Severity};

/// How long files are not looked at again.
const PAUSE: Duration = Duration::from_secs(1);

/// The files of a server's identity, in the format PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, followed by those that lead to its root.
    pub certificate: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// Certificates of which one must have signed a client's certificate; `None` for clients without certificates.
    pub roots: Option<PathBuf>,
}

/// Why files are no identity of a server.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file has no certificate, or no key.
    #[error("`{}` has no {expected} in the format PEM: {source}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The content that is expected.
        expected: &'static str,
        /// The reason.
        source: pem::Error,
    },
    /// A certificate and a key cannot be used.
    #[error("the certificate `{}` cannot be used with the key `{}`: {source}", certificate.display(), key.display())]
    Identity {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// The reason.
        source: rustls::Error,
    },
    /// A certificate of a root cannot be used.
    #[error("`{}` has a certificate that cannot be used: {source}", path.display())]
    Root {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: rustls::Error,
    },
    /// Clients cannot be verified.
    #[error("clients cannot be verified by `{}`: {source}", path.display())]
    Verifier {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: VerifierBuilderError,
    },
}

/// A server's identity, as its files have it.
pub(crate) struct Tls {
    files: TlsFiles,
    /// The protocol that clients find within TLS.
    protocol: &'static [u8],
    state: Mutex<State>,
}

struct State {
    config: Arc<ServerConfig>,
    /// The contents of the files, or why they cannot be read.
    seen: Result<Contents, String>,
    looked: Instant,
}

#[derive(PartialEq)]
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
    roots: Option<Vec<u8>>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// Files that cannot be read, or are no identity.
    pub(crate) fn open(files: TlsFiles, protocol: &'static [u8]) -> Result<Tls, TlsError> {
        let contents = files.read()?;
        let config = files.config(&contents, protocol)?;
        let state = State { config, seen: Ok(contents), looked: Instant::now() };
        Ok(Tls { files, protocol, state: Mutex::new(state) })
    }

    /// Accepts connections with the identity that the files have now. Files that have become wrong are logged, and the last good ones
    /// stay in use.
    pub(crate) fn acceptor(&self, log: &ServerLog) -> TlsAcceptor {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= PAUSE {
            state.looked = Instant::now();
            let seen = self.files.read().map_err(|error| error.to_string());
            if seen != state.seen {
                let config = match &seen {
                    Ok(contents) => {
                        let config = self.files.config(contents, self.protocol);
                        config.map_err(|error| error.to_string())
                    }
                    Err(cause) => Err(cause.clone()),
                };
                match config {
                    Ok(config) => {
                        state.config = config;
                        let name = self.files.certificate.display();
                        log.write(Severity::Info, format!("the certificate `{name}` is in use"));
                    }
                    Err(cause) => {
                        let text = format!("the certificate in use stays: {cause}");
                        log.write(Severity::Warning, text);
                    }
                }
                state.seen = seen;
            }
        }
        TlsAcceptor::from(Arc::clone(&state.config))
    }
}

impl TlsFiles {
    /// Reads the files, and gives the error that a start with them would give.
    ///
    /// # Errors
    /// Files that cannot be read, or are no identity.
    pub fn check(&self) -> Result<(), TlsError> {
        self.config(&self.read()?, b"").map(drop)
    }

    fn read(&self) -> Result<Contents, TlsError> {
        let read = |path: &Path| {
            fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })
        };
        Ok(Contents {
            certificate: read(&self.certificate)?,
            key: read(&self.key)?,
            roots: self.roots.as_deref().map(read).transpose()?,
        })
    }

    fn config(
        &self,
        contents: &Contents,
        protocol: &'static [u8],
    ) -> Result<Arc<ServerConfig>, TlsError> {
        let identity = |source| {
            let (certificate, key) = (self.certificate.clone(), self.key.clone());
            TlsError::Identity { certificate, key, source }
        };
        let provider = Arc::new(ring::default_provider());
        let chain = certificates(&self.certificate, &contents.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&contents.key).map_err(|source| TlsError::Pem {
            path: self.key.clone(),
            expected: "private key",
            source,
        })?;
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(identity)?;
        let config = match (&self.roots, &contents.roots) {
            (Some(path), Some(roots)) => {
                config.with_client_cert_verifier(verifier(path, roots, provider)?)
            }
            _ => config.with_no_client_auth(),
        };
        let mut config = config.with_single_cert(chain, key).map_err(identity)?;
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(Arc::new(config))
    }
}

/// The verifier of clients' certificates.
fn verifier(
    path: &Path,
    contents: &[u8],
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, TlsError> {
    let roots = roots_of(path, contents)?;
    let builder = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
    builder.build().map_err(|source| TlsError::Verifier { path: path.to_owned(), source })
}

/// The certificates of a file, as roots that sign others.
pub(crate) fn root_store(path: &Path) -> Result<RootCertStore, TlsError> {
    let contents = fs::read(path);
    let contents = contents.map_err(|source| TlsError::Read { path: path.to_owned(), source })?;
    roots_of(path, &contents)
}

fn roots_of(path: &Path, contents: &[u8]) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for root in certificates(path, contents)? {
        let added = roots.add(root);
        added.map_err(|source| TlsError::Root { path: path.to_owned(), source })?;
    }
    Ok(roots)
}

fn certificates(path: &Path, contents: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |source| TlsError::Pem { path: path.to_owned(), expected: "certificate", source };
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(contents).collect();
    let found = found.map_err(wrong)?;
    if found.is_empty() {
        return Err(wrong(pem::Error::NoItemsFound));
    }
    Ok(found)
}
