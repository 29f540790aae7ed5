//! Channel-blocked layouts: `outer × channels × inner` elements as `outer × channels / block × inner × block`.
//!
//! So the channels of a block are neighbours in memory at every place of an image.

use trident_simd::{Isa, Simd, kernel};

use crate::parallel::for_rows;
use crate::threads::Threads;

/// A tensor with channels to be blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedChannels {
    /// The product of the dimensions before the channels.
    pub outer: usize,
    /// Channels, a multiple of `block`.
    pub channels: usize,
    /// The product of the dimensions after the channels.
    pub inner: usize,
    /// Channels of a block.
    pub block: usize,
    /// Bytes of an element.
    pub element_size: usize,
}

impl BlockedChannels {
    /// The bytes of the tensor, in either layout.
    ///
    /// # Panics
    /// If the channels are not a multiple of the block, or if the tensor exceeds the address space.
    pub fn bytes(&self) -> usize {
        assert!(self.block > 0 && self.channels.is_multiple_of(self.block), "{self:?}");
        [self.outer, self.channels, self.inner, self.element_size]
            .into_iter()
            .try_fold(1usize, usize::checked_mul)
            .unwrap_or_else(|| panic!("{self:?} exceeds the address space"))
    }

    /// Copies a dense tensor into the blocked layout.
    ///
    /// # Panics
    /// If a slice has another length than [`bytes`](Self::bytes).
    pub fn pack(&self, threads: &Threads, isa: Isa, src: &[u8], dst: &mut [u8]) {
        self.each_block(threads, src, dst, |src, dst| {
            transpose(isa, src, [self.block, self.inner], self.element_size, dst);
        });
    }

    /// Copies a tensor of the blocked layout into the dense one.
    ///
    /// # Panics
    /// If a slice has another length than [`bytes`](Self::bytes).
    pub fn unpack(&self, threads: &Threads, isa: Isa, src: &[u8], dst: &mut [u8]) {
        self.each_block(threads, src, dst, |src, dst| {
            transpose(isa, src, [self.inner, self.block], self.element_size, dst);
        });
    }

    /// Calls `f` with the bytes of each block of channels, which are the same range in both layouts.
    fn each_block(
        &self,
        threads: &Threads,
        src: &[u8],
        dst: &mut [u8],
        f: impl Fn(&[u8], &mut [u8]) + Sync,
    ) {
        let bytes = self.bytes();
        assert!(
            src.len() == bytes && dst.len() == bytes,
            "{self:?} from {} bytes into {}",
            src.len(),
            dst.len()
        );
        if bytes == 0 {
            return;
        }
        let size = self.block * self.inner * self.element_size;
        for_rows(threads, dst, size, 1, |first, dst| {
            let src = src[first * size..].chunks_exact(size);
            dst.chunks_exact_mut(size).zip(src).for_each(|(dst, src)| f(src, dst));
        });
    }
}

/// Writes the transpose of a matrix of `rows × columns` elements.
pub(crate) fn transpose(
    isa: Isa,
    src: &[u8],
    [rows, columns]: [usize; 2],
    element_size: usize,
    dst: &mut [u8],
) {
    match (element_size, rows, columns) {
        (1, 4, _) => interleave_four(isa, src, dst),
        (1, _, 4) => separate_four(isa, src, dst),
        (1, ..) => transpose_typed::<1>(src, rows, columns, dst),
        (2, ..) => transpose_typed::<2>(src, rows, columns, dst),
        (4, ..) => transpose_typed::<4>(src, rows, columns, dst),
        (8, ..) => transpose_typed::<8>(src, rows, columns, dst),
        (16, ..) => transpose_typed::<16>(src, rows, columns, dst),
        (size, ..) => each_element(rows, columns, |from, to| {
            dst[to * size..][..size].copy_from_slice(&src[from * size..][..size]);
        }),
    }
}

fn transpose_typed<const SIZE: usize>(src: &[u8], rows: usize, columns: usize, dst: &mut [u8]) {
    let ((src, _), (dst, _)) = (src.as_chunks::<SIZE>(), dst.as_chunks_mut::<SIZE>());
    let (src, dst) = (&src[..rows * columns], &mut dst[..rows * columns]);
    each_element(rows, columns, |from, to| dst[to] = src[from]);
}

/// Calls `f` with each element's place in a matrix and in its transpose, in tiles whose cache lines stay in the first-level
/// cache.
#[inline(always)]
fn each_element(rows: usize, columns: usize, mut f: impl FnMut(usize, usize)) {
    const TILE: usize = 32;
    for row in (0..rows).step_by(TILE) {
        for column in (0..columns).step_by(TILE) {
            for c in column..columns.min(column + TILE) {
                for r in row..rows.min(row + TILE) {
                    f(r * columns + c, c * rows + r);
                }
            }
        }
    }
}

// In the functions below the token only names the instruction set: the loops are vectorised by the compiler.

kernel! {
    /// Four rows of bytes, column by column.
    fn interleave_four(src: &[u8], dst: &mut [u8]) => interleave_four_lanes
}

#[inline(always)]
fn interleave_four_lanes<S: Simd>(_: S, src: &[u8], dst: &mut [u8]) {
    let n = src.len() / 4;
    let (low, high) = src.split_at(2 * n);
    let ((r0, r1), (r2, r3)) = (low.split_at(n), high.split_at(n));
    let (words, _) = dst.as_chunks_mut::<4>();
    for ((((word, b0), b1), b2), b3) in words.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
        let word_of = |b: &u8, shift: u32| u32::from(*b) << shift;
        *word = (word_of(b0, 0) | word_of(b1, 8) | word_of(b2, 16) | word_of(b3, 24)).to_le_bytes();
    }
}

kernel! {
    /// The inverse of `interleave_four`.
    fn separate_four(src: &[u8], dst: &mut [u8]) => separate_four_lanes
}

#[inline(always)]
fn separate_four_lanes<S: Simd>(_: S, src: &[u8], dst: &mut [u8]) {
    let (words, _) = src.as_chunks::<4>();
    let (low, high) = dst.split_at_mut(2 * words.len());
    let ((r0, r1), (r2, r3)) = (low.split_at_mut(words.len()), high.split_at_mut(words.len()));
    // A row at a time: narrowing a vector of words is one instruction, and a block of words stays in the first-level cache.
    const BLOCK: usize = 1 << 10;
    for (i, words) in words.chunks(BLOCK).enumerate() {
        for (row, shift) in [&mut *r0, &mut *r1, &mut *r2, &mut *r3].into_iter().zip([0, 8, 16, 24])
        {
            for (byte, word) in row[i * BLOCK..].iter_mut().zip(words) {
                *byte = (u32::from_le_bytes(*word) >> shift) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    #[test]
    fn blocks_of_channels_are_packed_and_unpacked() {
        let mut random = Random::new(5);
        for (outer, blocks, inner, block, element_size) in [
            (1, 1, 1, 4, 1),
            (2, 3, 49, 4, 1),
            (1, 16, 3136, 4, 1),
            (3, 2, 1025, 4, 1),
            (1, 2, 33, 16, 1),
            (2, 2, 100, 1, 1),
            (2, 2, 35, 4, 2),
            (1, 3, 70, 4, 4),
            (1, 2, 1000, 16, 4),
            (2, 1, 9, 5, 8),
            (1, 2, 40, 3, 16),
            (1, 2, 5, 4, 3),
            (0, 2, 5, 4, 1),
            (2, 0, 5, 4, 1),
            (2, 2, 0, 4, 1),
        ] {
            let channels = blocks * block;
            let layout = BlockedChannels { outer, channels, inner, block, element_size };
            let dense: Vec<u8> = (0..layout.bytes()).map(|_| random.below(256) as u8).collect();
            let mut want = vec![0; dense.len()];
            for o in 0..outer {
                for (c, i) in (0..channels).flat_map(|c| (0..inner).map(move |i| (c, i))) {
                    let from = ((o * channels + c) * inner + i) * element_size;
                    let to = ((o * blocks + c / block) * inner + i) * block + c % block;
                    want[to * element_size..][..element_size]
                        .copy_from_slice(&dense[from..from + element_size]);
                }
            }
            for isa in Isa::available() {
                for threads in [1, 3].map(Threads::new) {
                    let (mut packed, mut back) = (vec![7; dense.len()], vec![7; dense.len()]);
                    layout.pack(&threads, isa, &dense, &mut packed);
                    assert!(packed == want, "{isa:?} {layout:?}");
                    layout.unpack(&threads, isa, &packed, &mut back);
                    assert!(back == dense, "{isa:?} {layout:?}");
                }
            }
        }
    }

    #[test]
    fn slices_of_other_lengths_are_refused() {
        let layout = BlockedChannels { outer: 1, channels: 8, inner: 3, block: 4, element_size: 1 };
        let pack = |layout: BlockedChannels, from: usize, to: usize| {
            let (src, mut dst) = (vec![0; from], vec![0; to]);
            let call = || layout.pack(&Threads::new(1), Isa::detect(), &src, &mut dst);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
        };
        assert!(pack(layout, 24, 24));
        assert!(!pack(layout, 23, 24));
        assert!(!pack(layout, 24, 25));
        assert!(!pack(BlockedChannels { channels: 6, inner: 4, ..layout }, 24, 24));
        assert!(!pack(BlockedChannels { outer: usize::MAX, ..layout }, 24, 24));
    }
}
