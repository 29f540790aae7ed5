//! Requests to stores, over the server's own HTTP library.
//!
//! Each request has a connection of its own: a look at a store is a few requests, and then none for seconds.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::{PathAndQuery, Scheme};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long a connection may take, and the answer to a request up to its body.
const CONNECT: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(30);

/// Makes the client of a store.
#[derive(Clone, Debug)]
pub(super) struct StoreConnector {
    tls: Arc<ClientConfig>,
    /// The status of the store's last answer, which the errors of `object_store` for listings do not tell; 0 for none.
    status: Arc<AtomicU16>,
}

/// Sends requests of a store.
#[derive(Debug)]
struct StoreClient(StoreConnector);

/// Hosts that give keys to programs on a machine of the store's owner.
const KEY_HOSTS: [&str; 5] = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "metadata.google.internal",
    "login.microsoftonline.com",
];

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl StoreConnector {
    /// A connector that trusts the system's certificates.
    pub(super) fn new() -> Result<StoreConnector, String> {
        let mut roots = RootCertStore::empty();
        // Certificates that cannot be read are not trusted; a connection that needs one of them fails.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?;
        let tls = builder.with_root_certificates(roots).with_no_client_auth();
        Ok(StoreConnector { tls: Arc::new(tls), status: Arc::default() })
    }

    /// The status of the store's last answer.
    pub(super) fn status(&self) -> Arc<AtomicU16> {
        Arc::clone(&self.status)
    }
}

impl HttpConnector for StoreConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(StoreClient(self.clone())))
    }
}

impl HttpService for StoreClient {
    fn call<'a, 'f>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'f>>
    where
        'a: 'f,
    {
        let StoreConnector { tls, status } = self.0.clone();
        Box::pin(async move {
            let is_store = !request.uri().host().is_some_and(|host| KEY_HOSTS.contains(&host));
            let answer = send(tls, request).await?;
            if is_store {
                status.store(answer.status().as_u16(), Relaxed);
            }
            Ok(answer)
        })
    }
}

async fn send(tls: Arc<ClientConfig>, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let (mut parts, body) = request.into_parts();
    let Some(authority) = parts.uri.authority().cloned() else {
        return Err(failed(HttpErrorKind::Unknown, "the address has no host"));
    };
    let is_secure = parts.uri.scheme() == Some(&Scheme::HTTPS);
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    let port = authority.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let stream = async {
        let stream = TcpStream::connect((host.as_str(), port)).await?;
        if !is_secure {
            return Ok::<Box<dyn Stream>, io::Error>(Box::new(stream));
        }
        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(tls).connect(name, stream).await?))
    };
    let stream = tokio::time::timeout(CONNECT, stream).await;
    let stream =
        stream.map_err(|_| failed(HttpErrorKind::Connect, "the connection takes too long"))?;
    let stream = stream.map_err(|error| HttpError::new(HttpErrorKind::Connect, error))?;
    let requested = |error: hyper::Error| HttpError::new(HttpErrorKind::Request, error);
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(requested)?;
    // It ends with its only request, whose answer has its errors.
    tokio::spawn(connection);
    if !parts.headers.contains_key(HOST) {
        let host = HeaderValue::from_str(authority.as_str());
        parts
            .headers
            .insert(HOST, host.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?);
    }
    let path = parts.uri.path_and_query().cloned();
    parts.uri = Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
    let answer = sender.send_request(Request::from_parts(parts, body));
    let answer = tokio::time::timeout(ANSWER, answer).await;
    let answer = answer.map_err(|_| failed(HttpErrorKind::Timeout, "the answer takes too long"))?;
    let (parts, body) = answer.map_err(requested)?.into_parts();
    Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(Download(body))))
}

fn failed(kind: HttpErrorKind, text: &str) -> HttpError {
    HttpError::new_boxed(kind, Box::<dyn Error + Send + Sync>::from(text))
}

/// The body of an answer.
struct Download(Incoming);

impl Body for Download {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let frame = Pin::new(&mut self.0).poll_frame(cx);
        frame.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
