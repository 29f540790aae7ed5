//! TLS to another server, for tools that read its pages.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::tls::root_store;

/// Agrees on TLS with a server, whose certificate must be for `host` and be signed by one of those in the file `roots` (PEM).
///
/// # Errors
/// A file without usable certificates, a host that no certificate can name, and a server that cannot be trusted or does not agree.
pub async fn connect(
    stream: TcpStream,
    host: &str,
    roots: &Path,
) -> io::Result<TlsStream<TcpStream>> {
    let wrong = |error: &dyn std::error::Error| io::Error::other(error.to_string());
    let roots = root_store(roots).map_err(|error| wrong(&error))?;
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| wrong(&error))?;
    let config = builder.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| wrong(&error))?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}
