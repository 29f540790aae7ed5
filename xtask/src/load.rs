//! A load generator for HTTP: clients that send one request repeatedly, without a pause.
//!
//! `bench backend` runs it as a separate process, so that the clients' processor time does not count as the server's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;

/// Longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct Options {
    /// Port of the loopback
    #[arg(long)]
    port: u16,
    #[arg(long)]
    path: String,
    /// File with the body of the request
    #[arg(long)]
    body: PathBuf,
    /// More headers, each as `Name: value`
    #[arg(long)]
    header: Vec<String>,
    /// Clients, each with a separate connection
    #[arg(long, default_value_t = 32)]
    connections: usize,
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
}

/// Sends requests and prints a line of JSON: how many, in how many seconds, and quantiles of the latency.
pub(crate) fn run(options: &Options) -> Result<()> {
    let request = message(options)?;
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(options.seconds);
    let mut latencies = thread::scope(|scope| -> Result<Vec<Duration>> {
        let clients: Vec<_> = (0..options.connections)
            .map(|_| scope.spawn(|| client(options.port, &request, end)))
            .collect();
        let mut all = vec![];
        for client in clients {
            all.extend(client.join().map_err(|_| anyhow!("a client panicked"))??);
        }
        Ok(all)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    ensure!(!latencies.is_empty(), "no request was answered in {seconds:.1} s");
    let quantile =
        |share: usize| latencies[(latencies.len() - 1) * share / 100].as_secs_f64() * 1e6;
    println!(
        r#"{{"requests": {}, "seconds": {seconds}, "p50_us": {}, "p99_us": {}}}"#,
        latencies.len(),
        quantile(50),
        quantile(99)
    );
    Ok(())
}

/// The request's bytes.
fn message(options: &Options) -> Result<Vec<u8>> {
    let body = std::fs::read(&options.body)
        .with_context(|| format!("cannot read {}", options.body.display()))?;
    let mut head = format!("POST {} HTTP/1.1\r\nHost: localhost\r\n", options.path);
    for header in &options.header {
        head += &format!("{header}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    Ok([head.into_bytes(), body].concat())
}

/// Sends the request until the time is over; the latency of each.
fn client(port: u16, request: &[u8], end: Instant) -> Result<Vec<Duration>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let (mut latencies, mut buffer) = (vec![], vec![]);
    loop {
        let start = Instant::now();
        if start >= end {
            return Ok(latencies);
        }
        stream.write_all(request)?;
        answer(&mut stream, &mut buffer)?;
        latencies.push(start.elapsed());
    }
}

/// Reads one answer, which must be a success.
fn answer(stream: &mut impl Read, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    let mut chunk = [0; 1 << 14];
    let (mut size, mut head) = (None, 0);
    while size.is_none_or(|size| buffer.len() < size) {
        let count = stream.read(&mut chunk).context("the server does not answer")?;
        ensure!(count > 0, "the server closed the connection");
        buffer.extend_from_slice(&chunk[..count]);
        let found = buffer.windows(4).position(|part| part == b"\r\n\r\n");
        if let (None, Some(place)) = (size, found) {
            head = place + 4;
            size = Some(head + content_length(&buffer[..head])?);
        }
    }
    ensure!(size == Some(buffer.len()), "more bytes than the answer has");
    if !buffer.starts_with(b"HTTP/1.1 200 ") {
        let line = String::from_utf8_lossy(&buffer[..head]);
        let line = line.lines().next().unwrap_or_default().to_owned();
        bail!("{line}: {}", String::from_utf8_lossy(&buffer[head..]));
    }
    Ok(())
}

/// The length that the headers give.
fn content_length(head: &[u8]) -> Result<usize> {
    let head = String::from_utf8_lossy(head);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    length.with_context(|| format!("an answer without its length: {head}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives bytes in pieces of one size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let text = b"HTTP/1.1 200 OK\r\nContent-length: 3\r\n\r\nabc";
        for size in [1, 2, 7, 100] {
            answer(&mut Pieces(text, size), &mut vec![]).unwrap();
        }
        assert!(answer(&mut Pieces(&text[..text.len() - 1], 5), &mut vec![]).is_err());
    }

    #[test]
    fn an_error_is_told_with_its_text() {
        let text = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\nno, x";
        let error = answer(&mut Pieces(text, 9), &mut vec![]).unwrap_err().to_string();
        assert_eq!(error, "HTTP/1.1 400 Bad Request: no, x");
        let text = b"HTTP/1.1 200 OK\r\n\r\n";
        assert!(answer(&mut Pieces(text, 9), &mut vec![]).is_err());
    }
}
