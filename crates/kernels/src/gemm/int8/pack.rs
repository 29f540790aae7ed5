//! Packing of 8-bit operands into words, with the sums that zero points need.

use std::ops::Range;

use trident_simd::{Isa, Simd, kernel};

use super::runs::Runs;
use super::tile::{Kernels, Words};
use crate::aligned::{AlignedVec, Scratch};
use crate::gemm::Source;
use crate::gemm::packed::panels_len;

/// Which operands are signed (`i8`); the others are `u8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// Whether A is `i8`.
    pub a: bool,
    /// Whether B is `i8`.
    pub b: bool,
}

impl Signs {
    /// Whether the kernel with a signed A and an unsigned B is used; without it the other way round.
    pub(super) fn signed_a(self) -> bool {
        self.a && !self.b
    }

    /// The form of A's and B's bytes for a kernel: the bit pattern that flips their sign convention, and whether the flipped
    /// bytes are signed.
    fn forms(self, words: Words) -> [Form; 2] {
        let flip = |flip: bool| if flip { 0x80 } else { 0 };
        match words {
            Words::Shorts => [Form { flip: 0, signed: self.a }, Form { flip: 0, signed: self.b }],
            Words::Bytes if self.signed_a() => {
                [Form { flip: 0, signed: true }, Form { flip: 0, signed: false }]
            }
            Words::Bytes => [
                Form { flip: flip(self.a), signed: false },
                Form { flip: flip(!self.b), signed: true },
            ],
        }
    }

    /// The shifts of the zero points of A and B that flipping causes.
    pub(super) fn shifts(self, words: Words) -> [i32; 2] {
        let [a, b] = self.forms(words);
        let shift = |f: Form| match (f.flip, f.signed) {
            (0, _) => 0,
            (_, false) => 128,
            (_, true) => -128,
        };
        [shift(a), shift(b)]
    }
}

/// How raw bytes become the numbers that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) flip: u8,
    pub(super) signed: bool,
}

/// Which operand a panel belongs to.
#[derive(Clone, Copy)]
pub(super) enum Side {
    A,
    B,
}

/// The raw bytes of an operand.
#[derive(Clone, Copy)]
pub(super) enum RawBytes<'a> {
    Single(&'a dyn Source<u8>),
    /// Four bytes of consecutive `k` in a word, in the order of memory; `k` is a multiple of 4.
    Fours(&'a dyn Source<i32>),
}

/// Rows of bytes, or of words, that are packed at a time, so that they stay in the first-level cache.
const BLOCK: usize = 64;

/// Packs the panels of one operand.
pub(super) struct Packer<'a> {
    isa: Isa,
    kernels: &'static Kernels,
    form: Form,
    bytes: RawBytes<'a>,
    k: usize,
    /// Whether somebody reads the sums.
    summed: bool,
}

impl<'a> Packer<'a> {
    pub(super) fn new(
        isa: Isa,
        signs: Signs,
        side: Side,
        bytes: RawBytes<'a>,
        k: usize,
        summed: bool,
    ) -> Self {
        let kernels = Kernels::of(isa);
        let form = signs.forms(kernels.words)[side as usize];
        Self { isa, kernels, form, bytes, k, summed }
    }

    /// Packs one panel of `sums.len()` rows or columns into `words` and, if they are read, their sums over `k` into `sums`.
    pub(super) fn panel(&self, outer: Range<usize>, words: &mut [i32], sums: &mut [i32]) {
        let width = sums.len();
        let depth = self.k.div_ceil(self.kernels.words.steps());
        assert!(words.len() >= depth * width && outer.len() <= width, "a panel of another size");
        sums.fill(0);
        match self.bytes {
            RawBytes::Single(source) => match source.runs() {
                Some((data, stride)) => {
                    let runs = Runs { data, stride, k: self.k };
                    runs.pack(self.isa, self.kernels.words, self.form, outer, words, sums);
                }
                None => self.by_bytes(source, outer, words, sums),
            },
            RawBytes::Fours(source) => self.by_fours(source, outer, words, sums),
        }
    }

    fn by_bytes(
        &self,
        source: &dyn Source<u8>,
        outer: Range<usize>,
        words: &mut [i32],
        sums: &mut [i32],
    ) {
        let Self { isa, form, summed, .. } = *self;
        let (width, steps) = (sums.len(), self.kernels.words.steps());
        let mut bytes = Scratch::<u8>::take(BLOCK * width);
        for first in (0..self.k).step_by(BLOCK) {
            let k = first..self.k.min(first + BLOCK);
            source.pack(outer.clone(), k.clone(), width, &mut bytes);
            let to = &mut words[first / steps * width..];
            match self.kernels.words {
                Words::Bytes => {
                    bytes_to_words(isa, &bytes, k.len(), form, outer.len(), summed, to, sums);
                }
                Words::Shorts => {
                    shorts_to_words(isa, &bytes, k.len(), form, outer.len(), to, sums);
                }
            }
        }
    }

    fn by_fours(
        &self,
        source: &dyn Source<i32>,
        outer: Range<usize>,
        words: &mut [i32],
        sums: &mut [i32],
    ) {
        let Self { isa, form, summed, .. } = *self;
        let (width, fours) = (sums.len(), self.k / 4);
        let bytes = self.kernels.words == Words::Bytes;
        if bytes && form.flip == 0 && !summed {
            return source.pack(outer, 0..fours, width, words);
        }
        let mut scratch = Scratch::<i32>::take(if bytes { 0 } else { BLOCK * width });
        for first in (0..fours).step_by(BLOCK) {
            let k = first..fours.min(first + BLOCK);
            if bytes {
                let to = &mut words[first * width..k.end * width];
                source.pack(outer.clone(), k, width, to);
                flip_fours(isa, form, to, sums);
            } else {
                let fours = &mut scratch[..k.len() * width];
                source.pack(outer.clone(), k.clone(), width, fours);
                fours_to_shorts(isa, fours, form, &mut words[2 * first * width..], sums);
            }
        }
    }
}

/// The number that a byte is.
#[inline(always)]
pub(super) fn widen(byte: u8, form: Form) -> i32 {
    if form.signed { i32::from(byte as i8) } else { i32::from(byte) }
}

/// The sum of the numbers that the bytes of a word are.
#[inline(always)]
fn sum_of_four(word: i32, form: Form) -> i32 {
    let of = |shift: u32| widen((word as u32 >> shift) as u8, form);
    of(0) + of(8) + of(16) + of(24)
}

// In the functions below the token only names the instruction set: the loops are vectorised by the compiler.

kernel! {
    fn flip_fours(form: Form, words: &mut [i32], sums: &mut [i32]) => flip_fours_lanes
}

/// Brings words of four bytes into their form and adds them up.
#[inline(always)]
fn flip_fours_lanes<S: Simd>(_: S, form: Form, words: &mut [i32], sums: &mut [i32]) {
    let flips = i32::from_le_bytes([form.flip; 4]);
    for words in words.chunks_exact_mut(sums.len()) {
        for (word, sum) in words.iter_mut().zip(sums.iter_mut()) {
            *word ^= flips;
            *sum = sum.wrapping_add(sum_of_four(*word, form));
        }
    }
}

kernel! {
    fn fours_to_shorts(fours: &[i32], form: Form, words: &mut [i32], sums: &mut [i32]) => fours_to_shorts_lanes
}

/// Splits words of four bytes into words of two 16-bit integers, the first two of a column before the last two.
#[inline(always)]
fn fours_to_shorts_lanes<S: Simd>(
    _: S,
    fours: &[i32],
    form: Form,
    words: &mut [i32],
    sums: &mut [i32],
) {
    let width = sums.len();
    let rows = fours.chunks_exact(width).zip(words.chunks_exact_mut(2 * width));
    for (fours, words) in rows {
        let (first, last) = words.split_at_mut(width);
        for (i, four) in fours.iter().enumerate() {
            let of = |shift: u32| widen((*four as u32 >> shift) as u8, form);
            first[i] = (of(0) & 0xffff) | (of(8) << 16);
            last[i] = (of(16) & 0xffff) | (of(24) << 16);
            sums[i] = sums[i].wrapping_add(sum_of_four(*four, form));
        }
    }
}

kernel! {
    fn bytes_to_words(bytes: &[u8], k: usize, form: Form, used: usize, summed: bool, words: &mut [i32], sums: &mut [i32]) => bytes_to_words_lanes
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn bytes_to_words_lanes<S: Simd>(
    _: S,
    bytes: &[u8],
    k: usize,
    form: Form,
    used: usize,
    summed: bool,
    words: &mut [i32],
    sums: &mut [i32],
) {
    let width = sums.len();
    // Lanes and steps that do not exist must be 0 after the flip.
    let flips = u32::from(form.flip) * 0x0101_0101;
    for (w, words) in words.chunks_exact_mut(width).take(k.div_ceil(4)).enumerate() {
        let left = k - 4 * w;
        let row = |i: usize| {
            if i < left {
                &bytes[(4 * w + i) * width..][..width]
            } else {
                &bytes[4 * w * width..][..width]
            }
        };
        let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
        let mask = if left >= 4 { u32::MAX } else { (1 << (8 * left)) - 1 };
        for i in 0..width {
            let word = u32::from(r0[i])
                | u32::from(r1[i]) << 8
                | u32::from(r2[i]) << 16
                | u32::from(r3[i]) << 24;
            words[i] = ((word ^ flips) & mask) as i32;
        }
        if summed {
            for (sum, &word) in sums.iter_mut().zip(words.iter()) {
                *sum = sum.wrapping_add(sum_of_four(word, form));
            }
        }
        words[used..].fill(0);
    }
}

kernel! {
    fn shorts_to_words(bytes: &[u8], k: usize, form: Form, used: usize, words: &mut [i32], sums: &mut [i32]) => shorts_to_words_lanes
}

#[inline(always)]
fn shorts_to_words_lanes<S: Simd>(
    _: S,
    bytes: &[u8],
    k: usize,
    form: Form,
    used: usize,
    words: &mut [i32],
    sums: &mut [i32],
) {
    let width = sums.len();
    for (w, words) in words.chunks_exact_mut(width).take(k.div_ceil(2)).enumerate() {
        let low = &bytes[2 * w * width..][..width];
        let pair = 2 * w + 1 < k;
        let high = if pair { &bytes[(2 * w + 1) * width..][..width] } else { low };
        for i in 0..width {
            let low = widen(low[i], form);
            let high = if pair { widen(high[i], form) } else { 0 };
            words[i] = (low & 0xffff) | (high << 16);
            sums[i] = sums[i].wrapping_add(low + high);
        }
        words[used..].fill(0);
    }
}

/// An operand in panels.
#[derive(Debug)]
pub(super) struct Panels {
    pub(super) words: AlignedVec<i32>,
    pub(super) sums: Vec<i32>,
    pub(super) isa: Isa,
    pub(super) signs: Signs,
    pub(super) outer: usize,
    pub(super) k: usize,
}

impl Panels {
    fn new(
        isa: Isa,
        signs: Signs,
        side: Side,
        outer: usize,
        k: usize,
        source: &dyn Source<u8>,
    ) -> Self {
        let kernels = Kernels::of(isa);
        let width = match side {
            Side::A => kernels.mr,
            Side::B => kernels.nr(),
        };
        let (panels, depth) = (outer.div_ceil(width), k.div_ceil(kernels.words.steps()));
        let mut words = AlignedVec::zeroed(panels_len(outer, depth, width));
        let mut sums = vec![0; panels * width];
        let packer = Packer::new(isa, signs, side, RawBytes::Single(source), k, true);
        for (i, sums) in sums.chunks_exact_mut(width).enumerate() {
            let words = &mut words[i * width * depth..(i + 1) * width * depth];
            packer.panel(i * width..outer.min((i + 1) * width), words, sums);
        }
        Self { words, sums, isa, signs, outer, k }
    }
}

macro_rules! packed {
    ($(#[$doc:meta])* $name:ident, $side:ident, $outer:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(pub(super) Panels);

        impl $name {
            /// Packs raw bytes (of the types that `signs` says).
            pub fn new(isa: Isa, signs: Signs, $outer: usize, k: usize, source: &dyn Source<u8>) -> Self {
                Self(Panels::new(isa, signs, Side::$side, $outer, k, source))
            }

            /// The extent other than `k`.
            pub fn $outer(&self) -> usize {
                self.0.outer
            }

            /// The inner extent.
            pub fn k(&self) -> usize {
                self.0.k
            }

            /// The memory it takes.
            pub fn bytes(&self) -> usize {
                size_of_val(&*self.0.words) + size_of_val(&self.0.sums[..])
            }
        }
    };
}
packed! {
    /// A left operand (`m × k`) of 8-bit numbers, packed for one instruction set and one pair of signs.
    PackedA8, A, m
}
packed! {
    /// A right operand (`k × n`) of 8-bit numbers, packed for one instruction set and one pair of signs.
    PackedB8, B, n
}
