//! A client of HTTP/1.1.

use std::io::{Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result, bail, ensure};

use super::{Client, Options, PATIENCE, read};

/// The bytes of a request.
pub(super) fn message(options: &Options) -> Result<Vec<u8>> {
    let body = read(&options.body)?;
    let mut head = format!("POST {} HTTP/1.1\r\nHost: localhost\r\n", options.path);
    for header in &options.header {
        head += &format!("{header}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    Ok([head.as_bytes(), &body].concat())
}

/// A connection that sends one request.
pub(super) struct Http<'a> {
    stream: TcpStream,
    request: &'a [u8],
    buffer: Vec<u8>,
}

impl<'a> Http<'a> {
    pub(super) fn connect(port: u16, request: &'a [u8]) -> Result<Http<'a>> {
        let stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Http { stream, request, buffer: vec![] })
    }
}

impl Client for Http<'_> {
    fn ask(&mut self) -> Result<()> {
        self.stream.write_all(self.request)?;
        answer(&mut self.stream, &mut self.buffer)
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
