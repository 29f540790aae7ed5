//! Limits and ends of HTTP connections, over sockets of the loopback. `cargo xtask conformance server` compares answers with recorded ones.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

mod keys;
mod limits;
mod openai;
mod streams;
mod tls;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use trident_cpu::CpuDevice;
use trident_runtime::Device;
use trident_server::accept::Gate;
use trident_server::http::{Endpoints, HttpFront, HttpOptions};
use trident_server::repository::{Repository, RepositoryOptions};
use trident_server::server::{Server, ServerOptions};
use trident_server::settings::ServerLog;
use trident_server::tls::TlsFiles;
use trident_serving::{Hardware, Scheduler};

/// A server of the model `add_fp32`, which adds 1.
struct Bench {
    runtime: Runtime,
    address: SocketAddr,
    server: Arc<Server>,
    leaving: watch::Sender<bool>,
    end: JoinHandle<()>,
}

impl Bench {
    fn new(options: HttpOptions) -> Bench {
        Bench::of(models(), options)
    }

    /// A server of the models of a folder.
    fn of(models: PathBuf, options: HttpOptions) -> Bench {
        Bench::within(None, models, options)
    }

    /// The same, whose connections are within TLS if there are files of an identity.
    fn within(files: Option<&TlsFiles>, models: PathBuf, options: HttpOptions) -> Bench {
        let repository = RepositoryOptions { folders: vec![models], ..Default::default() };
        let open = |_: Option<&str>| {
            let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(1));
            let (devices, folder) = (vec![Arc::clone(&cpu)], cpu);
            Ok(Hardware { devices, folder, accelerators: vec![], is_gpu: |_| false })
        };
        let scheduler = Scheduler::start(1).unwrap();
        let repository = Repository::new(repository, Box::new(open), scheduler);
        assert_eq!(repository.start(), vec![]);
        let server =
            Server::new(repository, Arc::new(ServerLog::default()), ServerOptions::default());
        let server = Arc::new(server);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Gate::new(listener, files, b"http/1.1").unwrap();
        let (leaving, seen) = watch::channel(false);
        let front = HttpFront::new(Arc::clone(&server), options);
        let end = runtime.spawn(front.serve(Endpoints::Protocol, gate, seen));
        Bench { runtime, address, server, leaving, end }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Lets the server leave, and waits for the end of its connections.
    fn leave(&mut self) {
        self.leaving.send_replace(true);
        let end = &mut self.end;
        let ended = self
            .runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(20), end).await });
        ended.unwrap().unwrap();
    }

    /// The status and body of the answer to a request.
    fn ask(&self, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = self.connect();
        send(&mut stream, headers, body);
        receive(&mut stream)
    }
}

/// The folder of `add_fp32`.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/server/models_float")
}

fn send(stream: &mut TcpStream, headers: &str, body: &[u8]) {
    let head = format!(
        "POST /v2/models/add_fp32/infer HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
}

/// Reads one answer, and leaves what follows it.
fn receive(stream: &mut TcpStream) -> (u16, Vec<u8>) {
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head
        .split("\r\ncontent-length: ")
        .nth(1)
        .map_or(0, |rest| rest.split("\r\n").next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (head["http/1.1 ".len()..][..3].parse().unwrap(), body)
}

const REQUEST: &str =
    r#"{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,2],"data":[1,2.5]}]}"#;

#[test]
fn a_connection_carries_several_requests() {
    let bench = Bench::new(HttpOptions::default());
    let mut stream = bench.connect();
    // The second request comes before the first one's answer.
    for _ in 0..2 {
        send(&mut stream, "", REQUEST.as_bytes());
    }
    for _ in 0..2 {
        let (status, body) = receive(&mut stream);
        let body = String::from_utf8(body).unwrap();
        assert!(status == 200 && body.contains(r#""data":[2.0,3.5]"#), "{body}");
    }
}

#[test]
fn a_request_that_is_refused_before_its_body_comes_leaves_the_connection() {
    let bench = Bench::new(HttpOptions::default());
    let mut stream = bench.connect();
    for length in [10, 3_000_000] {
        let head =
            format!("POST /v2/models/nobody/infer HTTP/1.1\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // Time to refuse the request by its head.
        std::thread::sleep(Duration::from_millis(50));
        stream.write_all(&vec![b'x'; length]).unwrap();
        assert_eq!(receive(&mut stream).0, 404);
    }
    send(&mut stream, "", REQUEST.as_bytes());
    assert_eq!(receive(&mut stream).0, 200);
}

#[test]
fn a_body_in_many_pieces_is_the_same_as_in_one() {
    let bench = Bench::new(HttpOptions::default());
    let numbers: Vec<u8> = (0..300_000).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let (status, body) = bench.ask("Inference-Header-Content-Length: 0\r\n", &numbers);
    assert_eq!(status, 200);
    let expected: Vec<u8> = (0..300_000).flat_map(|n| (n as f32 + 1.0).to_le_bytes()).collect();
    assert!(body.ends_with(&expected) && body.len() < expected.len() + 200);
}

#[test]
fn bodies_have_a_limit_before_and_after_they_are_decompressed() {
    let bench = Bench::new(HttpOptions { largest_body: 10_000, ..Default::default() });
    let (status, body) = bench.ask("", &[b' '; 10_001]);
    let text = String::from_utf8(body).unwrap();
    assert!(status == 400 && text.contains("Use --http-max-input-size"), "{status} {text}");
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(&vec![b' '; 10_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 10_000);
    let (status, body) = bench.ask("Content-Encoding: gzip\r\n", &bomb);
    let text = String::from_utf8(body).unwrap();
    assert!(status == 400 && text.contains("decompressed"), "{status} {text}");
    assert_eq!(bench.ask("", REQUEST.as_bytes()).0, 200);
}

#[test]
fn all_members_of_a_gzip_body_are_read() {
    let bench = Bench::new(HttpOptions::default());
    let (first, second) = REQUEST.as_bytes().split_at(30);
    let members = [first, second].map(|member| {
        let mut encoder = GzEncoder::new(vec![], Compression::fast());
        encoder.write_all(member).unwrap();
        encoder.finish().unwrap()
    });
    let (status, body) = bench.ask("Content-Encoding: gzip\r\n", &members.concat());
    let body = String::from_utf8(body).unwrap();
    assert!(status == 200 && body.contains(r#""data":[2.0,3.5]"#), "{status} {body}");
}

#[test]
fn slow_clients_are_left() {
    let short = Duration::from_millis(200);
    let bench =
        Bench::new(HttpOptions { head_time: short, body_time: short, ..Default::default() });
    let mut stream = bench.connect();
    stream.write_all(b"POST /v2/models/add_fp32/infer HTTP/1.1\r\nHost: x\r\n").unwrap();
    let start = Instant::now();
    let mut rest = vec![];
    // The end of the connection, with or without words.
    let _ = stream.read_to_end(&mut rest);
    assert!(start.elapsed() < Duration::from_secs(10), "the head is waited for");

    let mut stream = bench.connect();
    stream
        .write_all(
            b"POST /v2/models/add_fp32/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
        )
        .unwrap();
    assert_eq!(receive(&mut stream).0, 408);
}

#[test]
fn a_server_that_leaves_ends_its_connections() {
    let mut bench = Bench::new(HttpOptions::default());
    let mut stream = bench.connect();
    send(&mut stream, "", REQUEST.as_bytes());
    assert_eq!(receive(&mut stream).0, 200);
    bench.leave();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the connection is closed");
    assert!(TcpStream::connect(bench.address).is_err(), "nobody listens");
}
