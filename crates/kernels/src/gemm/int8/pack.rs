//! Packing of 8-bit operands into words, with the sums that zero points need.

use std::ops::Range;

use trident_simd::{Isa, Simd, kernel};

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
struct Form {
    flip: u8,
    signed: bool,
}

/// Which operand a panel belongs to.
#[derive(Clone, Copy)]
pub(super) enum Side {
    A,
    B,
}

/// Packs one panel of `width` rows or columns into `words` and their sums over `k` into `sums`.
#[allow(clippy::too_many_arguments)]
pub(super) fn pack_panel(
    isa: Isa,
    kernels: &Kernels,
    signs: Signs,
    side: Side,
    source: &dyn Source<u8>,
    outer: Range<usize>,
    k: usize,
    words: &mut [i32],
    sums: &mut [i32],
) {
    let width = sums.len();
    let form = signs.forms(kernels.words)[side as usize];
    let steps = kernels.words.steps();
    debug_assert!(words.len() >= k.div_ceil(steps) * width && outer.len() <= width);
    sums.fill(0);
    // A block of rows at a time, so that the bytes stay in the first-level cache.
    let block = 64;
    let mut bytes = Scratch::<u8>::take(block * width);
    for k0 in (0..k).step_by(block) {
        let k1 = k.min(k0 + block);
        source.pack(outer.clone(), k0..k1, width, &mut bytes);
        let to = &mut words[k0 / steps * width..];
        match kernels.words {
            Words::Bytes => bytes_to_words(isa, &bytes, k1 - k0, form, outer.len(), to, sums),
            Words::Shorts => shorts_to_words(isa, &bytes, k1 - k0, form, outer.len(), to, sums),
        }
    }
}

kernel! {
    fn bytes_to_words(bytes: &[u8], k: usize, form: Form, used: usize, words: &mut [i32], sums: &mut [i32]) => bytes_to_words_lanes
}

/// The token only names the instruction set: the loops are vectorised by the compiler.
#[inline(always)]
fn bytes_to_words_lanes<S: Simd>(
    _: S,
    bytes: &[u8],
    k: usize,
    form: Form,
    used: usize,
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
        for (sum, &word) in sums.iter_mut().zip(words.iter()) {
            let of = |shift: u32| {
                let byte = (word as u32 >> shift) as u8;
                if form.signed { i32::from(byte as i8) } else { i32::from(byte) }
            };
            *sum = sum.wrapping_add(of(0) + of(8) + of(16) + of(24));
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
    let widen = |byte: u8| if form.signed { i32::from(byte as i8) } else { i32::from(byte) };
    for (w, words) in words.chunks_exact_mut(width).take(k.div_ceil(2)).enumerate() {
        let low = &bytes[2 * w * width..][..width];
        let pair = 2 * w + 1 < k;
        let high = if pair { &bytes[(2 * w + 1) * width..][..width] } else { low };
        for i in 0..width {
            let (low, high) = (widen(low[i]), if pair { widen(high[i]) } else { 0 });
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
        for (i, sums) in sums.chunks_exact_mut(width).enumerate() {
            let words = &mut words[i * width * depth..(i + 1) * width * depth];
            pack_panel(
                isa,
                kernels,
                signs,
                side,
                source,
                i * width..outer.min((i + 1) * width),
                k,
                words,
                sums,
            );
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
