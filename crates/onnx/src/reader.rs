//! A file as a buffer from which `prost` decodes messages.

use crate::files::{self, FileSource};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::io;

/// Number of bytes read at a time, and the size from which a field is read into separate memory.
const CHUNK: usize = 64 << 10;

/// The bytes that are read after an error.
static ZEROS: [u8; CHUNK] = [0; CHUNK];

/// Reads a file from its start to its end.
///
/// [`Buf`] cannot report errors. After an error the rest of the file reads as zeros, and [`Reader::finish`] returns the
/// error. The length must not change, because decoders query it once and then read that many bytes.
pub(crate) struct Reader<'a> {
    source: &'a dyn FileSource,
    /// Bytes that were read and not taken yet.
    chunk: Bytes,
    /// Where the chunk ends.
    at: u64,
    error: Option<io::Error>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a dyn FileSource) -> Reader<'a> {
        let mut reader = Reader { source, chunk: Bytes::new(), at: 0, error: None };
        reader.refill();
        reader
    }

    /// The error that ended reading.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Bytes that have not been read.
    fn unread(&self) -> u64 {
        self.source.size() - self.at
    }

    /// Reads the next `len` bytes, which must exist.
    fn read(&mut self, len: usize) -> Bytes {
        let range = self.at..self.at + len as u64;
        self.at = range.end;
        if self.error.is_none() {
            match files::read(self.source, range) {
                Ok(bytes) => return bytes,
                Err(error) => self.error = Some(error),
            }
        }
        Bytes::from_static(&ZEROS[..len.min(CHUNK)])
    }

    /// Makes a chunk where the last one has been taken.
    fn refill(&mut self) {
        if self.chunk.is_empty() && self.unread() > 0 {
            self.chunk = self.read(self.unread().min(CHUNK as u64) as usize);
        }
    }
}

impl Buf for Reader<'_> {
    fn remaining(&self) -> usize {
        usize::try_from(self.unread()).unwrap_or(usize::MAX).saturating_add(self.chunk.len())
    }

    fn chunk(&self) -> &[u8] {
        &self.chunk
    }

    fn advance(&mut self, count: usize) {
        let skipped = count.saturating_sub(self.chunk.len());
        self.chunk.advance(count - skipped);
        self.at += (skipped as u64).min(self.unread());
        self.refill();
    }

    fn copy_to_bytes(&mut self, len: usize) -> Bytes {
        if len < CHUNK {
            // A copy, so that a small field does not keep a whole chunk.
            let mut bytes = BytesMut::with_capacity(len);
            bytes.put(self.take(len));
            return bytes.freeze();
        }
        self.at -= self.chunk.len() as u64;
        self.chunk.clear();
        let bytes = self.read(len.min(self.remaining()));
        self.refill();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose bytes from `bad` on cannot be read.
    struct Torn {
        bytes: Bytes,
        bad: u64,
    }

    impl FileSource for Torn {
        fn size(&self) -> u64 {
            self.bytes.size()
        }

        fn read(&self, range: std::ops::Range<u64>) -> io::Result<Bytes> {
            match range.end > self.bad {
                true => Err(io::Error::other("torn")),
                false => self.bytes.read(range),
            }
        }
    }

    fn content(len: usize) -> Bytes {
        (0..len).map(|i| (i * 7 % 253) as u8).collect()
    }

    #[test]
    fn fields_of_every_size_follow_each_other() {
        let all = content(5 * CHUNK + 3);
        let mut reader = Reader::new(&all);
        let mut at = 0;
        for len in [0, 1, CHUNK - 5, 10, CHUNK, CHUNK + 1, 0, 3, CHUNK - 2] {
            assert_eq!(reader.remaining(), all.len() - at);
            assert_eq!(reader.copy_to_bytes(len), all[at..at + len], "{len} at {at}");
            at += len;
        }
        reader.advance(CHUNK / 2);
        at += CHUNK / 2;
        assert_eq!(reader.get_u8(), all[at]);
        reader.advance(reader.remaining());
        assert!(!reader.has_remaining());
        reader.finish().unwrap();
    }

    #[test]
    fn zeros_follow_an_error() {
        let bad = CHUNK as u64 + 7;
        let torn = Torn { bytes: content(3 * CHUNK), bad };
        for taken in [3, CHUNK - 2, CHUNK] {
            let mut reader = Reader::new(&torn);
            reader.copy_to_bytes(taken);
            assert_eq!(reader.remaining(), 3 * CHUNK - taken);
            // Numbers across the end of what can be read.
            reader.get_f32_le();
            reader.advance(CHUNK - 4);
            assert_eq!(reader.get_u64_le(), 0);
            reader.advance(reader.remaining());
            assert_eq!(reader.finish().unwrap_err().to_string(), "torn");
        }
    }

    #[test]
    fn a_source_that_gives_too_little_is_an_error() {
        struct Short;
        impl FileSource for Short {
            fn size(&self) -> u64 {
                100
            }

            fn read(&self, _: std::ops::Range<u64>) -> io::Result<Bytes> {
                Ok(Bytes::from_static(b"few"))
            }
        }
        assert!(Reader::new(&Short).finish().is_err());
    }
}
