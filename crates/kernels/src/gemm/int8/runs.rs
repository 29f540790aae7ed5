//! Packing of 8-bit operands whose rows (or columns) are runs of memory: their words are read where they lie.

use std::ops::Range;

use trident_simd::{Isa, Simd, kernel};

use super::pack::{Form, widen};
use super::tile::Words;

/// Bytes of a run that are packed at a time, so that the part of the panel stays in the first-level cache.
const BLOCK: usize = 256;

/// Runs of bytes, `stride` apart.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) data: &'a [u8],
    pub(super) stride: usize,
    /// The length of each.
    pub(super) k: usize,
}

impl Runs<'_> {
    /// Packs the runs `outer` as a panel of `sums.len()` words a step, with the sums of their numbers.
    pub(super) fn pack(
        &self,
        isa: Isa,
        kind: Words,
        form: Form,
        outer: Range<usize>,
        words: &mut [i32],
        sums: &mut [i32],
    ) {
        let (width, used) = (sums.len(), outer.len());
        let words = &mut words[..self.k.div_ceil(kind.steps()) * width];
        if used < width {
            words.fill(0);
        }
        for first in (0..self.k).step_by(BLOCK) {
            let k = first..self.k.min(first + BLOCK);
            let words = &mut words[first / kind.steps() * width..];
            for (i, sum) in sums.iter_mut().enumerate().take(used) {
                let start = (outer.start + i) * self.stride;
                let run = &self.data[start + k.start..start + k.end];
                *sum = sum.wrapping_add(run_to_words(isa, run, kind, form, width, &mut words[i..]));
            }
        }
    }
}

// The token only names the instruction set: the loops are vectorised by the compiler.
kernel! {
    fn run_to_words(run: &[u8], kind: Words, form: Form, width: usize, words: &mut [i32]) -> i32 => run_to_words_lanes
}

/// Writes the words of a run `width` apart, and returns the sum of its numbers.
#[inline(always)]
fn run_to_words_lanes<S: Simd>(
    _: S,
    run: &[u8],
    kind: Words,
    form: Form,
    width: usize,
    words: &mut [i32],
) -> i32 {
    match kind {
        Words::Bytes => {
            let word = |bytes: [u8; 4]| i32::from_le_bytes(bytes.map(|b| b ^ form.flip));
            let (fours, rest) = run.as_chunks();
            let mut places = words.iter_mut().step_by(width);
            for (four, to) in fours.iter().zip(&mut places) {
                *to = word(*four);
            }
            if let (false, Some(to)) = (rest.is_empty(), places.next()) {
                // Steps that do not exist must be 0 after the flip.
                let mut last = [form.flip; 4];
                last[..rest.len()].copy_from_slice(rest);
                *to = word(last);
            }
        }
        Words::Shorts => {
            let word = |low, high| (widen(low, form) & 0xffff) | (widen(high, form) << 16);
            let (pairs, rest) = run.as_chunks();
            let mut places = words.iter_mut().step_by(width);
            for (&[low, high], to) in pairs.iter().zip(&mut places) {
                *to = word(low, high);
            }
            if let (Some(low), Some(to)) = (rest.first(), places.next()) {
                *to = word(*low, 0);
            }
        }
    }
    let numbers = run.iter().map(|byte| widen(byte ^ form.flip, form));
    numbers.fold(0, i32::wrapping_add)
}
