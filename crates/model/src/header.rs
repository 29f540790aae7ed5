//! The first bytes of a file: its kind, the build of Trident that reads it, its length, and the digest of header and graph.

use crate::blocks::ALIGN;
use crate::error::LoadError;
use crate::graph;
use bytes::Bytes;
use trident_onnx::files::FileSource;
use twox_hash::XxHash3_128 as Hasher;

/// The first bytes of compiled models: no ONNX model starts with them, and programs change them which take the file for
/// text.
pub(crate) const MARK: [u8; 8] = *b"\x89MPS\r\n\x1a\n";

/// The version of the layout. It changes with the meaning of any byte.
pub(crate) const LAYOUT: u32 = 4;

/// Bytes of the header. The graph follows.
pub(crate) const SIZE: usize = 128;

/// Version of this Trident.
pub(crate) const TRIDENT: &str = env!("CARGO_PKG_VERSION");

/// A digest of a part of a file: XXH3 with 128 bits.
pub(crate) type Digest = [u8; 16];

/// The digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Hasher::oneshot(bytes).to_le_bytes()
}

/// The numbers in a header.
pub(crate) struct Header {
    /// Digest of Trident's version and its sources.
    version: Digest,
    /// Bytes of the graph, padding included.
    graph: u64,
    /// Bytes of the file.
    file: u64,
    /// Digest of the header and the graph.
    digest: Digest,
}

/// The version of everything but the layout: the meaning of ops, the passes, and the ONNX importer. They
/// are those of these sources.
fn version() -> Digest {
    digest(concat!(env!("CARGO_PKG_VERSION"), " ", env!("TRIDENT_SOURCES")).as_bytes())
}

impl Header {
    /// The header of a file of `file` bytes in all with this graph, padded.
    pub(crate) fn of(graph: &[u8], file: u64) -> Header {
        let mut header =
            Header { version: version(), graph: graph.len() as u64, file, digest: [0; 16] };
        header.digest = header.sign(graph);
        header
    }

    /// The bytes before the digest. The bytes after it are zeros.
    fn front(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        bytes[..8].copy_from_slice(&MARK);
        bytes[8..12].copy_from_slice(&LAYOUT.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.version);
        bytes[32..40].copy_from_slice(&self.graph.to_le_bytes());
        bytes[40..].copy_from_slice(&self.file.to_le_bytes());
        bytes
    }

    fn sign(&self, graph: &[u8]) -> Digest {
        let mut hasher = Hasher::new();
        hasher.write(&self.front());
        hasher.write(graph);
        hasher.finish_128().to_le_bytes()
    }

    pub(crate) fn encode(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..48].copy_from_slice(&self.front());
        bytes[48..64].copy_from_slice(&self.digest);
        bytes
    }

    /// The graph, intact and of this version.
    pub(crate) fn graph(&self, source: &dyn FileSource) -> Result<Bytes, LoadError> {
        let graph = read(source, SIZE as u64, self.graph)?;
        if self.sign(&graph) != self.digest {
            return Err(LoadError::Digest { part: "its graph" });
        }
        if self.version != version() {
            let trident = graph::trident(&graph)?;
            return Err(LoadError::Version { trident, known: TRIDENT });
        }
        Ok(graph)
    }

    /// The place of the weights.
    pub(crate) fn weights(&self) -> std::ops::Range<u64> {
        SIZE as u64 + self.graph..self.file
    }
}

/// Reads the header of a file that starts with the mark.
pub(crate) fn decode(source: &dyn FileSource) -> Result<Header, LoadError> {
    let found = source.size();
    if found < SIZE as u64 {
        return Err(LoadError::Size { found, expected: SIZE as u64 });
    }
    let bytes = read(source, 0, SIZE as u64)?;
    let number = |at: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(number)
    };
    let digest = |at: usize| {
        let mut digest = [0; 16];
        digest.copy_from_slice(&bytes[at..at + 16]);
        digest
    };
    let layout = number(8) as u32;
    if layout != LAYOUT {
        return Err(LoadError::Layout { found: layout, known: LAYOUT });
    }
    let header =
        Header { version: digest(16), graph: number(32), file: number(40), digest: digest(48) };
    if header.encode() != bytes[..] {
        return Err(LoadError::Digest { part: "its header" });
    }
    if found != header.file {
        return Err(LoadError::Size { found, expected: header.file });
    }
    let weights = header.file.checked_sub(SIZE as u64).and_then(|n| n.checked_sub(header.graph));
    match weights {
        Some(n) if n.is_multiple_of(ALIGN) => Ok(header),
        _ => Err(LoadError::Digest { part: "its header" }),
    }
}

/// All of a part of a file, which lies in it.
pub(crate) fn read(source: &dyn FileSource, start: u64, len: u64) -> Result<Bytes, LoadError> {
    let bytes = source.read(start..start + len).map_err(LoadError::Read)?;
    match bytes.len() as u64 == len {
        true => Ok(bytes),
        false => Err(LoadError::Read(std::io::Error::other(
            "its header states fewer bytes than there are",
        ))),
    }
}
