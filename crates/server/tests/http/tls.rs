//! TLS, with certificates that the program `openssl` makes.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{fs, io};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use trident_server::accept::Gate;
use trident_server::http::HttpOptions;
use trident_server::tls::TlsFiles;
use trident_server::tls_client;

use crate::{Bench, models};

/// A root that signs certificates.
struct Root {
    folder: tempfile::TempDir,
}

type Identity = (PathBuf, PathBuf);

impl Root {
    fn new() -> Root {
        let root = Root { folder: tempfile::tempdir().unwrap() };
        let (certificate, key) = root.files("root");
        let subject = ["-subj", "/CN=root", "-days", "2", "-out", text(&certificate)];
        openssl(&[&["req", "-x509"], &new_key(&key)[..], &subject[..]].concat());
        root
    }

    fn files(&self, name: &str) -> Identity {
        let file = |end| self.folder.path().join(format!("{name}.{end}"));
        (file("pem"), file("key"))
    }

    /// A certificate for `localhost`, of a server or a client, and its key.
    fn sign(&self, name: &str, usage: &str) -> Identity {
        let ((certificate, key), (root, root_key)) = (self.files(name), self.files("root"));
        let folder = self.folder.path();
        let (request, extensions) = (folder.join("request"), folder.join("extensions"));
        let words = format!("subjectAltName=DNS:localhost\nextendedKeyUsage={usage}\n");
        fs::write(&extensions, words).unwrap();
        let subject = format!("/CN={name}");
        let subject = ["-subj", &subject, "-out", text(&request)];
        openssl(&[&["req"], &new_key(&key)[..], &subject[..]].concat());
        openssl(&[
            "x509",
            "-req",
            "-in",
            text(&request),
            "-CA",
            text(&root),
            "-CAkey",
            text(&root_key),
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            text(&extensions),
            "-out",
            text(&certificate),
        ]);
        (certificate, key)
    }

    /// The files of a server, which later ones may replace.
    fn server(&self) -> TlsFiles {
        let (certificate, key) = self.files("server");
        self.replace("first");
        TlsFiles { certificate, key, roots: None }
    }

    /// Gives the server's files the contents of a new certificate.
    fn replace(&self, name: &str) {
        let (new, (certificate, key)) = (self.sign(name, "serverAuth"), self.files("server"));
        fs::copy(new.0, certificate).unwrap();
        fs::copy(new.1, key).unwrap();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The arguments that make a private key.
fn new_key(file: &Path) -> [&str; 7] {
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", text(file)]
}

fn openssl(arguments: &[&str]) {
    let done = Command::new("openssl").args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn certificate(path: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(path).unwrap()
}

/// Agrees on TLS with a server.
async fn shake(
    bench: &Bench,
    root: &Root,
    identity: Option<&Identity>,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate(&root.files("root").0)).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match identity {
        None => config.with_no_client_auth(),
        Some((chain, key)) => {
            let key = PrivateKeyDer::from_pem_file(key).unwrap();
            config.with_client_auth_cert(vec![certificate(chain)], key).unwrap()
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = TcpStream::connect(bench.address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// The status line of the answer to a question about the server's health.
async fn ask(mut stream: TlsStream<TcpStream>) -> io::Result<String> {
    let request = b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut sent = 0;
    while sent < request.len() {
        let piece = &request[sent..];
        sent += poll(|cx, stream| AsyncWrite::poll_write(stream, cx, piece), &mut stream).await?;
    }
    poll(|cx, stream| AsyncWrite::poll_flush(stream, cx), &mut stream).await?;
    let mut bytes = [0; 15];
    let mut read = ReadBuf::new(&mut bytes);
    poll(|cx, stream| AsyncRead::poll_read(stream, cx, &mut read), &mut stream).await?;
    Ok(String::from_utf8_lossy(read.filled()).into_owned())
}

async fn poll<T>(
    mut step: impl FnMut(&mut Context<'_>, Pin<&mut TlsStream<TcpStream>>) -> Poll<T>,
    stream: &mut TlsStream<TcpStream>,
) -> T {
    std::future::poll_fn(|cx| step(cx, Pin::new(&mut *stream))).await
}

fn bench(files: &TlsFiles) -> Bench {
    Bench::within(Some(files), models(), HttpOptions::default())
}

/// The certificate that a server shows.
fn shown(bench: &Bench, root: &Root) -> Vec<u8> {
    let stream = bench.runtime.block_on(shake(bench, root, None)).unwrap();
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[test]
fn requests_are_answered_within_tls() {
    let root = Root::new();
    let bench = bench(&root.server());
    let answer = bench.runtime.block_on(async {
        let stream = shake(&bench, &root, None).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        ask(stream).await
    });
    assert_eq!(answer.unwrap(), "HTTP/1.1 200 OK");
    let stranger = Root::new();
    assert!(bench.runtime.block_on(shake(&bench, &stranger, None)).is_err(), "another root");
}

#[test]
fn files_that_change_are_used_and_wrong_ones_are_not() {
    let root = Root::new();
    let files = root.server();
    let bench = bench(&files);
    let expect = |name: &str| {
        let (expected, start) = (certificate(&root.files(name).0), Instant::now());
        while shown(&bench, &root) != expected.to_vec() {
            assert!(start.elapsed() < Duration::from_secs(20), "{name} is not used");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    expect("first");
    root.replace("second");
    expect("second");
    fs::write(&files.key, "no key").unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    expect("second");
    root.replace("third");
    expect("third");
}

#[test]
fn a_server_that_leaves_waits_for_no_agreement() {
    let root = Root::new();
    let mut bench = bench(&root.server());
    let mut silent = bench.connect();
    // Connections are accepted in their order.
    shown(&bench, &root);
    bench.leave();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0, "the connection is closed");
}

#[test]
fn clients_without_a_certificate_are_refused_where_one_is_needed() {
    let (root, stranger) = (Root::new(), Root::new());
    let files = TlsFiles { roots: Some(root.files("root").0), ..root.server() };
    let bench = bench(&files);
    let (own, foreign) = (root.sign("client", "clientAuth"), stranger.sign("x", "clientAuth"));
    let answer = |identity: Option<&Identity>| {
        bench.runtime.block_on(async { ask(shake(&bench, &root, identity).await?).await })
    };
    assert_eq!(answer(Some(&own)).unwrap(), "HTTP/1.1 200 OK");
    for refused in [None, Some(&foreign)] {
        assert!(answer(refused).is_err(), "{refused:?}");
    }
}

#[test]
fn files_that_are_no_identity_are_named() {
    let root = Root::new();
    let files = root.server();
    let (_, other) = root.sign("other", "serverAuth");
    let empty = root.folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    let missing = root.folder.path().join("missing");
    let bench = Bench::new(HttpOptions::default());
    let _guard = bench.runtime.enter();
    let refused = |files: &TlsFiles| {
        let listener = bench.runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        Gate::new(listener.unwrap(), Some(files), b"h2").err().unwrap().to_string()
    };
    for (wrong, part) in [
        (TlsFiles { certificate: missing.clone(), ..files.clone() }, "cannot read"),
        (TlsFiles { certificate: empty.clone(), ..files.clone() }, "has no certificate"),
        (TlsFiles { key: empty.clone(), ..files.clone() }, "has no private key"),
        (TlsFiles { key: other.clone(), ..files.clone() }, "cannot be used with the key"),
        (TlsFiles { roots: Some(empty.clone()), ..files.clone() }, "has no certificate"),
    ] {
        let error = refused(&wrong);
        assert!(
            error.contains(part) && error.contains(root.folder.path().to_str().unwrap()),
            "{error}"
        );
    }
}

#[test]
fn tools_agree_with_servers_whose_root_they_know() {
    let (root, other) = (Root::new(), Root::new());
    let bench = Bench::within(Some(&root.server()), models(), HttpOptions::default());
    let agree = |host: &str, roots: &Path| {
        bench.runtime.block_on(async {
            let stream = TcpStream::connect(bench.address).await.unwrap();
            tls_client::connect(stream, host, roots).await.map(drop)
        })
    };
    let (own, others) = (root.files("root").0, other.files("root").0);
    agree("localhost", &own).unwrap();
    assert!(agree("other.example", &own).is_err());
    assert!(agree("localhost", &others).is_err());
    assert!(agree("localhost", Path::new("none")).unwrap_err().to_string().contains("`none`"));
}
