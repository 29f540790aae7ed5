//! Compression of bodies and messages, for all protocols.

use std::io::{self, Read, Write};

use bytes::buf::Reader;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

pub use flate2::Compression;

/// Content up to this size is decompressed at once. The rest of a longer one is left to a thread that may be busy for a while, so that
/// other connections are served meanwhile.
const SHORT: usize = 256 << 10;

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// `gzip`, with any number of members.
    Gzip,
    /// `deflate`: the format of zlib.
    Deflate,
}

/// Why bytes cannot be decompressed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecompressError {
    /// The bytes do not have the format.
    #[error("{0}")]
    Damaged(io::Error),
    /// The content is larger than allowed.
    #[error("the content has more than {0} bytes")]
    TooLarge(usize),
}

impl Encoding {
    /// The encoding's name in headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
        }
    }

    /// The content of compressed bytes, of at most `most` bytes.
    #[cfg(test)]
    pub(crate) fn decompress(self, bytes: Bytes, most: usize) -> Result<Bytes, DecompressError> {
        Decompression::new(self, bytes, most).rest()
    }

    /// The compressed form of pieces. Long ones are compressed on another thread.
    ///
    /// # Errors
    /// A thread that panicked, or an encoder that failed.
    pub(crate) async fn compress_all(
        self,
        pieces: Vec<Bytes>,
        level: Compression,
    ) -> io::Result<Bytes> {
        let is_short = pieces.iter().map(Bytes::len).sum::<usize>() <= SHORT;
        let compress = move || self.compress(pieces.iter().map(|piece| &piece[..]), level);
        match is_short {
            true => compress(),
            false => tokio::task::spawn_blocking(compress).await.map_err(io::Error::other)?,
        }
    }

    /// The compressed form of pieces.
    pub(crate) fn compress<'a>(
        self,
        pieces: impl Iterator<Item = &'a [u8]>,
        level: Compression,
    ) -> io::Result<Bytes> {
        let to = BytesMut::new().writer();
        let to = match self {
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(to, level);
                pieces.into_iter().try_for_each(|piece| encoder.write_all(piece))?;
                encoder.finish()?
            }
            Encoding::Deflate => {
                let mut encoder = ZlibEncoder::new(to, level);
                pieces.into_iter().try_for_each(|piece| encoder.write_all(piece))?;
                encoder.finish()?
            }
        };
        Ok(to.into_inner().freeze())
    }
}

/// Compressed bytes on the way to their content.
pub(crate) struct Decompression {
    decoder: Decoder,
    content: Vec<u8>,
    most: usize,
}

enum Decoder {
    Gzip(MultiGzDecoder<Reader<Bytes>>),
    Deflate(ZlibDecoder<Reader<Bytes>>),
}

impl Read for Decoder {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Gzip(decoder) => decoder.read(to),
            Decoder::Deflate(decoder) => decoder.read(to),
        }
    }
}

/// The start of a decompression.
pub(crate) enum Begun {
    /// All of the content.
    Whole(Bytes),
    /// A decompression that takes longer.
    Long(Box<Decompression>),
}

impl Decompression {
    /// The decompression of bytes, whose content may have `most` bytes.
    pub(crate) fn new(encoding: Encoding, bytes: Bytes, most: usize) -> Decompression {
        let bytes = bytes.reader();
        let decoder = match encoding {
            Encoding::Gzip => Decoder::Gzip(MultiGzDecoder::new(bytes)),
            Encoding::Deflate => Decoder::Deflate(ZlibDecoder::new(bytes)),
        };
        Decompression { decoder, content: vec![], most }
    }

    /// The content, unless it is long.
    pub(crate) fn begin(mut self) -> Result<Begun, DecompressError> {
        let is_whole = self.read(SHORT)?;
        Ok(if is_whole { Begun::Whole(self.content.into()) } else { Begun::Long(Box::new(self)) })
    }

    /// The whole content.
    pub(crate) fn rest(mut self) -> Result<Bytes, DecompressError> {
        self.read(usize::MAX)?;
        Ok(self.content.into())
    }

    /// The content. One that is long is decompressed on another thread.
    ///
    /// # Errors
    /// Damaged or too large content. The outer error is that of a thread that panicked.
    pub(crate) async fn finish(
        self,
    ) -> Result<Result<Bytes, DecompressError>, tokio::task::JoinError> {
        match self.begin() {
            Ok(Begun::Whole(content)) => Ok(Ok(content)),
            Ok(Begun::Long(rest)) => tokio::task::spawn_blocking(|| rest.rest()).await,
            Err(error) => Ok(Err(error)),
        }
    }

    /// Reads up to so many bytes. Returns whether there are no more.
    fn read(&mut self, count: usize) -> Result<bool, DecompressError> {
        // One byte more than allowed tells that there is more.
        let allowed = (self.most - self.content.len()).saturating_add(1);
        let count = count.min(allowed) as u64;
        let read = (&mut self.decoder).take(count).read_to_end(&mut self.content);
        let read = read.map_err(DecompressError::Damaged)?;
        match self.content.len() > self.most {
            true => Err(DecompressError::TooLarge(self.most)),
            false => Ok((read as u64) < count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENCODINGS: [Encoding; 2] = [Encoding::Gzip, Encoding::Deflate];

    fn compressed(encoding: Encoding, pieces: &[&[u8]]) -> Bytes {
        encoding.compress(pieces.iter().copied(), Compression::fast()).unwrap()
    }

    #[test]
    fn content_survives_and_is_limited() {
        for encoding in ENCODINGS {
            let pieces: [&[u8]; 2] = [b"zeros: ", &[0; 100_000]];
            let body = compressed(encoding, &pieces);
            assert!(body.len() < 2000);
            for most in [100_007, usize::MAX] {
                assert_eq!(encoding.decompress(body.clone(), most).unwrap(), pieces.concat());
            }
            let refused = encoding.decompress(body.clone(), 100_006);
            assert!(matches!(refused, Err(DecompressError::TooLarge(100_006))));
            let refused = encoding.decompress(body.slice(..20), 100_006);
            assert!(matches!(refused, Err(DecompressError::Damaged(_))));
        }
    }

    #[test]
    fn all_members_of_gzip_are_read() {
        let members = [&b"one "[..], b"two ", b"three"];
        let bytes = members.map(|member| compressed(Encoding::Gzip, &[member])).concat();
        let content = Encoding::Gzip.decompress(bytes.clone().into(), 13).unwrap();
        assert_eq!(content, "one two three");
        let refused = Encoding::Gzip.decompress(bytes.into(), 12);
        assert!(matches!(refused, Err(DecompressError::TooLarge(12))));
    }

    #[test]
    fn a_small_body_of_many_bytes_stops_at_the_limit() {
        for encoding in ENCODINGS {
            let bomb = compressed(encoding, &[&vec![0; 10 << 20]]);
            let error = encoding.decompress(bomb, 1 << 20).unwrap_err();
            assert!(matches!(error, DecompressError::TooLarge(_)), "{error}");
        }
    }

    #[test]
    fn long_content_is_the_same_in_two_steps() {
        for size in [SHORT - 1, SHORT, SHORT + 1, 4 * SHORT] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let body = compressed(Encoding::Gzip, &[&content]);
            let begun = Decompression::new(Encoding::Gzip, body, size).begin().unwrap();
            let given = match begun {
                Begun::Whole(content) => content,
                Begun::Long(rest) => rest.rest().unwrap(),
            };
            assert!(given == content, "{size} bytes");
        }
    }
}
