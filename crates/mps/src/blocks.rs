//! Blocks of weights: what is read at a time, and lies in memory of its own.
//!
//! A large tensor is a block, so that its memory is given back when a device has packed it; small ones share blocks. Every
//! piece of a block has a digest in the file's list. One thread reads while others compute digests.

use crate::error::LoadError;
use crate::header::{self, Digest};
use crate::record::{Reader, Writer};
use bytes::Bytes;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use trident_onnx::files::Source;

/// Blocks start at multiples of this many bytes.
pub(crate) const ALIGN: u64 = 4096;

/// Bytes of the pieces that have a digest each.
const PIECE: usize = 1 << 20;

/// Most threads that compute digests beside the one that reads.
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
        let (mut digests, mut hasher, mut room, mut len) =
            (vec![], blake3::Hasher::new(), PIECE, 0);
        for part in parts {
            let mut rest = &part[..];
            len += rest.len() as u64;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(room));
                hasher.update(now);
                (rest, room) = (later, room - now.len());
                if room == 0 {
                    digests.push(*hasher.finalize().as_bytes());
                    (hasher, room) = (blake3::Hasher::new(), PIECE);
                }
            }
        }
        if room < PIECE {
            digests.push(*hasher.finalize().as_bytes());
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
            return Err(LoadError::malformed(format!("a block of {len} bytes")));
        }
        let mut digests = vec![];
        for _ in 0..len.div_ceil(PIECE as u64) {
            digests.push(reader.array()?);
        }
        Ok(Listed { len, digests })
    }
}

/// Reads all blocks, which fill the range.
pub(crate) fn read(
    source: &dyn Source,
    range: Range<u64>,
    list: &[Listed],
) -> Result<Vec<Bytes>, LoadError> {
    let total = list.iter().try_fold(0u64, |sum, block| sum.checked_add(block.len));
    if total != Some(range.end - range.start) {
        return Err(LoadError::malformed("the blocks are not as long as the file"));
    }
    let pieces: usize = list.iter().map(|block| block.digests.len()).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let helpers = HELPERS.min(cores - 1).min(pieces.saturating_sub(1));
    let damaged = AtomicBool::new(false);
    let (send, receive) = sync_channel::<(Bytes, Digest)>(2 * helpers);
    let receive = Mutex::new(receive);
    let check = |piece: &[u8], digest: Digest| {
        // Equal in constant time or not is no matter: nothing here is secret.
        if *blake3::hash(piece).as_bytes() != digest {
            damaged.store(true, Ordering::Relaxed);
        }
    };
    let next = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let blocks = thread::scope(|scope| {
        for _ in 0..helpers {
            // Without a thread, the reader does its work.
            let work = || {
                while let Ok((piece, digest)) = next() {
                    check(&piece, digest);
                }
            };
            let _ = thread::Builder::new().name("trident-digest".into()).spawn_scoped(scope, work);
        }
        let mut at = range.start;
        let mut blocks = Vec::with_capacity(list.len());
        for listed in list {
            let block = header::read(source, at, listed.len)?;
            at += listed.len;
            for (i, &digest) in listed.digests.iter().enumerate() {
                let end = block.len().min((i + 1) * PIECE);
                let piece = (block.slice(i * PIECE..end), digest);
                match send.try_send(piece) {
                    Ok(()) => {}
                    Err(TrySendError::Full((piece, digest)))
                    | Err(TrySendError::Disconnected((piece, digest))) => check(&piece, digest),
                }
            }
            if damaged.load(Ordering::Relaxed) {
                break;
            }
            blocks.push(block);
        }
        // Helpers end when nothing is left, to which this thread contributes; there may be no helpers.
        drop(send);
        while let Ok((piece, digest)) = next() {
            check(&piece, digest);
        }
        Ok::<_, LoadError>(blocks)
    })?;
    match damaged.load(Ordering::Relaxed) {
        true => Err(LoadError::Digest { part: "a weight" }),
        false => Ok(blocks),
    }
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
        let pieces: Vec<Digest> =
            whole.chunks(PIECE).map(|piece| *blake3::hash(piece).as_bytes()).collect();
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
        impl Source for Torn {
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
