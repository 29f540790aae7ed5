//! Attention by blocks of queries: scores of a block against all keys, softmax, product with the values.
#![allow(unsafe_code)]

use super::layout::{Layout, View};
use super::mask::Mask;
use crate::real::{Real, round_to};
use std::sync::OnceLock;
use trident_ir::DType;
use trident_kernels::UnaryFunction;
use trident_kernels::aligned::Scratch;
use trident_kernels::disjoint::{Disjoint, Rows};
use trident_kernels::gemm::{self, Epilogue, GemmShape, Item, Lhs, PackedB, Rhs, Strided};
use trident_kernels::threads::Threads;
use trident_simd::Isa;

/// The operands of one call.
pub(super) struct Operands<'a, R> {
    pub(super) at: Layout,
    pub(super) q: View<'a, R>,
    /// Keys and values, the cache's included.
    pub(super) k: View<'a, R>,
    pub(super) v: View<'a, R>,
    pub(super) mask: Mask<R>,
    /// Factor of the scores.
    pub(super) scale: R,
    /// Scores are limited to ±softcap by tanh, if it is positive.
    pub(super) softcap: R,
    /// The type of operands and results: scores and weights are rounded to it.
    pub(super) dtype: DType,
    /// The type of the softmax.
    pub(super) softmax: DType,
}

/// Which stage of the scores a call shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Product,
    Capped,
    Masked,
    Weights,
}

/// Scores of a block of queries, in elements: small enough for the second-level cache.
const BLOCK: usize = 64 * 1024;

impl<R: Real> Operands<'_, R> {
    /// Fills `y` (laid out as the op's first result) and, if wanted, `[batch, heads, queries, keys]` scores.
    pub(super) fn run(&self, threads: &Threads, y: &mut [R], shown: Option<(Stage, &mut [R])>) {
        let at = self.at;
        let total = at.total();
        // The height depends on the problem only, so that sums do not depend on the number of threads.
        let height = (BLOCK / total.max(1)).clamp(8, 128).min(at.q_len.max(1));
        let blocks = at.q_len.div_ceil(height);
        let reused = blocks * (at.q_heads / at.kv_heads) > 1;
        let packs = || -> Vec<OnceLock<PackedB<R>>> {
            (0..at.batch * at.kv_heads).map(|_| OnceLock::new()).collect()
        };
        let (key_packs, value_packs) = (packs(), packs());
        let out: View<'_, R> = at.view(&[], at.q_heads, at.q_len, at.v_size);
        let y = Disjoint::new(y);
        let shown = shown.map(|(stage, s)| (stage, Disjoint::new(s)));
        // Rows a power of two apart would compete for the same places of the caches.
        let stride = total.next_multiple_of(16) + 16;
        threads.run(at.batch * at.q_heads * blocks, |task| {
            let (item, first) = (task / blocks, task % blocks * height);
            let (b, h) = (item / at.q_heads, item % at.q_heads);
            let rows = height.min(at.q_len - first);
            let kv = h / (at.q_heads / at.kv_heads);
            let place = b * at.kv_heads + kv;
            let (key_pack, value_pack) = match reused {
                true => (key_packs.get(place), value_packs.get(place)),
                false => (None, None),
            };
            let mut scores = Scratch::<R>::take(rows * stride);

            let q = rows_of(&self.q, (b, h, first));
            // A scale below 1 is applied to the queries, so that the product stays in range.
            let small = self.scale.abs() < R::one();
            let scaled = if small { self.scaled(&q, rows) } else { Scratch::take(0) };
            let (q, scale) = match small {
                true => (Strided::rows(&scaled[..], at.size), R::one()),
                false => (q, self.scale),
            };
            let keys = rows_of(&self.k, (b, kv, 0));
            let shape = GemmShape { m: rows, n: total, k: at.size };
            let to = Rows::new(&mut scores, stride);
            product(shape, &q, (&keys, key_pack), scale, to);

            for (r, row) in scores.chunks_exact_mut(stride).enumerate() {
                let row = &mut row[..total];
                let show = |stage: Stage, row: &[R]| {
                    if let Some((_, to)) = shown.as_ref().filter(|(wanted, _)| *wanted == stage) {
                        let start = (item * at.q_len + first + r) * total;
                        // SAFETY: each row of scores belongs to one task.
                        unsafe { to.part(start..start + total) }.copy_from_slice(row);
                    }
                };
                round_to(self.dtype, row);
                show(Stage::Product, row);
                self.cap(row);
                show(Stage::Capped, row);
                let attended = self.mask.apply(row, b, h, first + r);
                round_to(self.dtype, row);
                show(Stage::Masked, row);
                round_to(self.softmax, row);
                softmax(row, attended, self.mask.is_plain(), self.softmax);
                round_to(self.dtype, row);
                show(Stage::Weights, row);
            }

            let weights = Strided::rows(&scores[..], stride);
            let View { row, .. } = self.v;
            let data = &self.v.data[self.v.start(b, kv, 0)..];
            let values = Strided { data, outer_stride: 1, k_stride: row };
            let shape = GemmShape { m: rows, n: at.v_size, k: total };
            let start = out.start(b, h, first);
            // SAFETY: each row of the result belongs to one task.
            let to = unsafe { y.rows(start, out.row) };
            product(shape, &weights, (&values, value_pack), R::one(), to);
        });
    }

    /// The first `rows` queries of `q` times the scale.
    fn scaled(&self, q: &Strided<'_, R>, rows: usize) -> Scratch<R> {
        let size = self.at.size;
        let mut scaled = Scratch::take(rows * size);
        for (r, row) in scaled.chunks_exact_mut(size.max(1)).enumerate() {
            let from = &q.data[r * q.outer_stride..][..size];
            row.iter_mut().zip(from).for_each(|(to, &x)| *to = x * self.scale);
        }
        scaled
    }

    fn cap(&self, scores: &mut [R]) {
        if self.softcap > R::zero() {
            scores.iter_mut().for_each(|s| *s /= self.softcap);
            R::apply(UnaryFunction::Tanh, scores);
            scores.iter_mut().for_each(|s| *s *= self.softcap);
            round_to(self.dtype, scores);
        }
    }
}

/// The rows of a head from row `r` on.
fn rows_of<'a, R: Real>(
    view: &View<'a, R>,
    (batch, head, r): (usize, usize, usize),
) -> Strided<'a, R> {
    let data = &view.data[view.start(batch, head, r)..];
    Strided { data, outer_stride: view.row, k_stride: 1 }
}

/// `alpha · a · b` on this thread; a right operand with a place for its pack is packed there once.
fn product<R: Real>(
    shape: GemmShape,
    a: &Strided<'_, R>,
    (b, pack): (&Strided<'_, R>, Option<&OnceLock<PackedB<R>>>),
    alpha: R,
    c: Rows<'_, R>,
) {
    let isa = Isa::detect();
    let b = match pack {
        Some(pack) => Rhs::Packed(pack.get_or_init(|| PackedB::new(isa, shape.n, shape.k, b))),
        None => Rhs::Source(b),
    };
    let epilogue = Epilogue { alpha, ..Epilogue::default() };
    gemm::product(isa, shape, Item { a: Lhs::Source(a), b, epilogue, c });
}

/// Softmax in place, each step rounded to `dtype`. A row without attended keys becomes zeros, unless it is `plain`.
fn softmax<R: Real>(row: &mut [R], attended: bool, plain: bool, dtype: DType) {
    let nothing = || !plain && row.iter().all(|v| *v == R::neg_infinity());
    if !attended || nothing() {
        return row.fill(R::zero());
    }
    if !matches!(dtype, DType::F16 | DType::BF16) {
        return R::softmax_in_place(row);
    }
    let max = row.iter().copied().fold(R::neg_infinity(), R::max);
    row.iter_mut().for_each(|v| *v -= max);
    round_to(dtype, row);
    R::apply(UnaryFunction::Exp, row);
    round_to(dtype, row);
    let mut sum = [row.iter().copied().sum::<R>()];
    round_to(dtype, &mut sum);
    row.iter_mut().for_each(|v| *v /= sum[0]);
    round_to(dtype, row);
}
