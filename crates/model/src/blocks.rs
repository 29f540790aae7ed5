//! Blocks of weights. A block is read at once into separate memory.
//!
//! A large tensor is a block, so that its memory is freed when a device has packed it. Small tensors share blocks.
//! Every piece of a block has a digest in the file's list. Several threads read pieces and check them, while they are
//! in a cache.

use crate::error::LoadError;
use crate::header::{self, Digest};
use crate::record::{Reader, Writer};
use bytes::Bytes;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;
use trident_ir::counted;
use trident_onnx::files::FileSource;
use trident_runtime::Segment;
use twox_hash::XxHash3_128 as Hasher;

/// Blocks start at multiples of this many bytes.
pub(crate) const ALIGN: u64 = 4096;

/// Bytes of the pieces that have a digest each.
const PIECE: usize = 256 << 10;

/// Most threads that read beside the caller's.
const HELPERS: usize = 3;

/// A block in the list of a file.
pub(crate) struct Listed {
    /// Bytes, padding included.
    len: u64,
    /// Digests of its pieces.
    digests: Vec<Digest>,
}

impl Listed {
    /// How a block of these parts is listed.
    pub(crate) fn of(parts: &[Bytes]) -> Listed {
        let (mut digests, mut hasher, mut room, mut len) = (vec![], Hasher::new(), PIECE, 0);
        for part in parts {
            let mut rest = &part[..];
            len += rest.len() as u64;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(room));
                hasher.write(now);
                (rest, room) = (later, room - now.len());
                if room == 0 {
                    digests.push(hasher.finish_128().to_le_bytes());
                    (hasher, room) = (Hasher::new(), PIECE);
                }
            }
        }
        if room < PIECE {
            digests.push(hasher.finish_128().to_le_bytes());
        }
        Listed { len, digests }
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        writer.number(self.len);
        self.digests.iter().for_each(|digest| writer.bytes(digest));
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Listed, LoadError> {
        let len = reader.number()?;
        if len == 0 || !len.is_multiple_of(ALIGN) {
            return Err(LoadError::malformed(format!("a block of {}", counted(len, "byte"))));
        }
        let mut digests = vec![];
        for _ in 0..len.div_ceil(PIECE as u64) {
            digests.push(reader.array()?);
        }
        Ok(Listed { len, digests })
    }
}

/// A piece that is not read yet.
struct Unread<'a> {
    start: u64,
    bytes: &'a mut [u8],
    digest: Digest,
}

/// Reads all blocks, which fill the range.
pub(crate) fn read(
    source: &dyn FileSource,
    range: Range<u64>,
    list: &[Listed],
) -> Result<Vec<Bytes>, LoadError> {
    let total = list.iter().try_fold(0u64, |sum, block| sum.checked_add(block.len));
    if total != Some(range.end - range.start) {
        return Err(LoadError::malformed(
            "the lengths of its parts do not add up to the length of the file",
        ));
    }
    let lens: Vec<usize> = list.iter().map(|block| block.len as usize).collect();
    let mut segments = Segment::allocate(&lens).map_err(LoadError::Read)?;
    let mut at = range.start;
    let pieces = segments.iter_mut().zip(list).flat_map(|(segment, listed)| {
        let start = at;
        at += listed.len;
        let pieces = segment.as_mut().chunks_mut(PIECE).zip(&listed.digests);
        (start..).step_by(PIECE).zip(pieces).map(|(start, (bytes, &digest))| Unread {
            start,
            bytes,
            digest,
        })
    });
    let pieces: Vec<Unread<'_>> = pieces.collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let helpers = HELPERS.min(cores - 1).min(pieces.len().saturating_sub(1));
    let unread = Mutex::new(pieces.into_iter());
    let next = || unread.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<(), LoadError> {
        while let Some(Unread { start, bytes, digest }) = next() {
            let read = source.read_into(start, bytes).map_err(LoadError::Read);
            let intact = read.map(|()| header::digest(bytes) == digest);
            if !matches!(intact, Ok(true)) {
                // The others need not go on.
                while next().is_some() {}
                intact?;
                return Err(LoadError::Digest { part: "a weight" });
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let named = || thread::Builder::new().name("trident-read".into());
        // Without a thread, the others do its work.
        let helpers: Vec<_> =
            (0..helpers).filter_map(|_| named().spawn_scoped(scope, work).ok()).collect();
        let done = work();
        helpers.into_iter().fold(done, |done, helper| {
            let helped = helper.join().unwrap_or_else(|panic| resume_unwind(panic));
            done.and(helped)
        })
    })?;
    Ok(segments.into_iter().map(Bytes::from_owner).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(len: usize) -> Bytes {
        (0..len).map(|i| (i * 31 % 251) as u8).collect()
    }

    #[test]
    fn digests_are_those_of_pieces_however_parts_lie() {
        let whole = block(3 * PIECE);
        let listed = |parts: &[Bytes]| Listed::of(parts).digests;
        let parts = [whole.slice(..5), whole.slice(5..2 * PIECE + 9), whole.slice(2 * PIECE + 9..)];
        let pieces: Vec<Digest> = whole.chunks(PIECE).map(header::digest).collect();
        assert_eq!(listed(&parts), pieces);
        assert_eq!(listed(&[whole.slice(..PIECE)]), pieces[..1]);
        assert_eq!(listed(&[whole.slice(..PIECE + 1)]).len(), 2);
    }

    #[test]
    fn every_changed_byte_is_found() {
        let lens = [3 * PIECE, ALIGN as usize, 2 * PIECE - ALIGN as usize];
        let blocks = lens.map(block);
        let list = blocks.each_ref().map(|block| Listed::of(std::slice::from_ref(block)));
        let file: Vec<u8> = blocks.iter().flat_map(|block| block.to_vec()).collect();
        let range = 0..file.len() as u64;
        assert_eq!(read(&Bytes::from(file.clone()), range.clone(), &list).unwrap(), blocks);
        for at in (0..file.len()).step_by(509_203).chain([3 * PIECE, file.len() - 1]) {
            let mut file = file.clone();
            file[at] ^= 1;
            let error = read(&Bytes::from(file), range.clone(), &list).unwrap_err();
            assert!(matches!(error, LoadError::Digest { .. }), "{at}: {error}");
        }
    }

    #[test]
    fn a_source_that_fails_ends_the_helpers() {
        struct Torn(Bytes);
        impl FileSource for Torn {
            fn size(&self) -> u64 {
                self.0.size()
            }

            fn read(&self, range: Range<u64>) -> std::io::Result<Bytes> {
                match range.start {
                    0 => self.0.read(range),
                    _ => Err(std::io::Error::other("torn")),
                }
            }
        }
        let blocks = [PIECE, PIECE].map(block);
        let list = blocks.each_ref().map(|block| Listed::of(std::slice::from_ref(block)));
        let torn = Torn(blocks.concat().into());
        let error = read(&torn, 0..2 * PIECE as u64, &list).unwrap_err();
        assert!(matches!(error, LoadError::Read(_)), "{error}");
    }
}
