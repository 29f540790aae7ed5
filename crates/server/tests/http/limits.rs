//! Limits on headers and connections, and the headers that are forwarded.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use trident_server::headers::HeaderPattern;
use trident_server::http::HttpOptions;

use crate::{Bench, REQUEST, receive, send};

#[test]
fn headers_have_a_limit() {
    let bench = Bench::new(HttpOptions { largest_head: 4096, ..Default::default() });
    let header = |size| format!("X: {}\r\n", "a".repeat(size));
    assert_eq!(bench.ask(&header(3000), REQUEST.as_bytes()).0, 200);
    let (status, body) = bench.ask(&header(5000), REQUEST.as_bytes());
    let text = String::from_utf8(body).unwrap();
    assert!(status == 431 && text.contains("Use --max-header-size"), "{status} {text}");
    let mut stream = bench.connect();
    // The server may answer, and close the connection, while the rest is being sent.
    let _ = write!(stream, "GET /v2 HTTP/1.1\r\n{}\r\n", header(500_000));
    assert_eq!(receive(&mut stream).0, 431);
}

#[test]
fn idle_clients_leave_for_others() {
    let bench = Bench::new(HttpOptions { connections: 2, ..Default::default() });
    let mut held = [bench.connect(), bench.connect()];
    for stream in &mut held {
        send(stream, "", REQUEST.as_bytes());
        assert_eq!(receive(stream).0, 200);
    }
    // The second one is used last.
    send(&mut held[1], "", REQUEST.as_bytes());
    assert_eq!(receive(&mut held[1]).0, 200);
    let mut late = bench.connect();
    send(&mut late, "", REQUEST.as_bytes());
    assert_eq!(receive(&mut late).0, 200);
    assert_eq!(held[0].read(&mut [0]).unwrap(), 0, "the client that was idle longest has left");
}

#[test]
fn more_connections_wait_for_others_at_work() {
    let bench = Bench::new(HttpOptions { connections: 2, ..Default::default() });
    let mut held = [bench.connect(), bench.connect()];
    for stream in &mut held {
        // The body is still to come.
        send_head(stream, REQUEST.len());
    }
    std::thread::sleep(Duration::from_millis(100));
    let mut late = bench.connect();
    send(&mut late, "", REQUEST.as_bytes());
    late.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let error = late.read(&mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    held[0].write_all(REQUEST.as_bytes()).unwrap();
    assert_eq!(receive(&mut held[0]).0, 200);
    late.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(receive(&mut late).0, 200);
}

/// Sends the head of a request, whose body follows.
fn send_head(stream: &mut TcpStream, length: usize) {
    let path = "/v2/models/add_fp32/infer";
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
}

#[test]
fn headers_cannot_set_what_has_a_meaning() {
    let forwarded = HeaderPattern::of("^(x-|priority)").unwrap();
    let bench = Bench::new(HttpOptions { forwarded, ..Default::default() });
    assert_eq!(bench.ask("X-Tenant: a\r\nTimeout: 1\r\n", REQUEST.as_bytes()).0, 200);
    let (status, body) = bench.ask("Priority: 1\r\n", REQUEST.as_bytes());
    let expected =
        r#"{"error":"Header 'priority' is reserved for Triton usage and cannot be forwarded."}"#;
    assert_eq!((status, String::from_utf8(body).unwrap().as_str()), (400, expected));
}

#[test]
fn a_client_that_reads_nothing_is_left() {
    let write_time = Duration::from_millis(300);
    let bench = Bench::new(HttpOptions { write_time, ..Default::default() });
    let mut stream = bench.connect();
    let numbers = vec![0; 32 << 20];
    send(&mut stream, "Inference-Header-Content-Length: 0\r\n", &numbers);
    std::thread::sleep(Duration::from_secs(3));
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.len() < numbers.len(), "the whole answer waits for its client");
}
