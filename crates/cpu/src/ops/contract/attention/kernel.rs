//! Attention by blocks of queries: scores of a block against all keys, softmax, product with the values.

use super::layout::{Layout, View};
use super::mask::Mask;
use crate::gemm::{Epilogue, Lhs, PackedB, Rhs, Shape, Strided, gemm};
use crate::real::{Real, round_to};
use crate::threads::{Disjoint, Threads};
use crate::{Activation, Isa};
use std::sync::OnceLock;
use trident_ir::DType;

/// What one call computes with.
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
        let packs: Vec<OnceLock<PackedB<R>>> =
            (0..at.batch * at.kv_heads).map(|_| OnceLock::new()).collect();
        let out: View<'_, R> = at.view(&[], at.q_heads, at.q_len, at.v_size);
        let y = Disjoint(y.as_mut_ptr());
        let shown = shown.map(|(stage, s)| (stage, Disjoint(s.as_mut_ptr())));
        threads.run(at.batch * at.q_heads * blocks, |task| {
            let (item, first) = (task / blocks, task % blocks * height);
            let (b, h) = (item / at.q_heads, item % at.q_heads);
            let rows = height.min(at.q_len - first);
            let kv = h / (at.q_heads / at.kv_heads);
            let mut scores = vec![R::zero(); rows * total];
            let pack = &packs[b * at.kv_heads + kv];
            self.products(threads, &mut scores, (b, h, kv), first, reused.then_some(pack));
            let show = |stage: Stage, scores: &[R]| {
                if let Some((_, to)) = shown.filter(|(wanted, _)| *wanted == stage) {
                    let start = (item * at.q_len + first) * total;
                    // SAFETY: each task shows the rows of its own block, which lie within the result.
                    let to = unsafe {
                        std::slice::from_raw_parts_mut(to.get().add(start), scores.len())
                    };
                    to.copy_from_slice(scores);
                }
            };
            // A product that is shown is shown before the cap.
            show(Stage::Product, &scores);
            self.cap(&mut scores);
            show(Stage::Capped, &scores);
            let attended: Vec<bool> = scores
                .chunks_exact_mut(total.max(1))
                .enumerate()
                .map(|(r, row)| self.mask.apply(row, b, h, first + r))
                .collect();
            round_to(self.dtype, &mut scores);
            show(Stage::Masked, &scores);
            round_to(self.softmax, &mut scores);
            for (row, attended) in scores.chunks_exact_mut(total.max(1)).zip(attended) {
                softmax(row, attended, self.mask.is_plain(), self.softmax);
            }
            round_to(self.dtype, &mut scores);
            show(Stage::Weights, &scores);
            let block = self.weighted(threads, &scores, rows, (b, kv));
            for (r, row) in block.chunks_exact(at.v_size.max(1)).enumerate().take(rows) {
                let start = out.start(b, h, first + r);
                // SAFETY: each row of the result belongs to one task, which lies within it.
                let to = unsafe { std::slice::from_raw_parts_mut(y.get().add(start), row.len()) };
                to.copy_from_slice(row);
            }
        });
    }

    /// scale·q·kᵀ for the block of queries from `first` on.
    fn products(
        &self,
        threads: &Threads,
        scores: &mut [R],
        (b, h, kv): (usize, usize, usize),
        first: usize,
        pack: Option<&OnceLock<PackedB<R>>>,
    ) {
        let (total, k) = (self.at.total(), self.at.size);
        if scores.is_empty() || k == 0 {
            return;
        }
        let shape = Shape { m: scores.len() / total, n: total, k };
        let q = Strided {
            data: &self.q.data[self.q.start(b, h, first)..],
            outer_stride: self.q.row,
            k_stride: 1,
        };
        let keys = Strided {
            data: &self.k.data[self.k.start(b, kv, 0)..],
            outer_stride: self.k.row,
            k_stride: 1,
        };
        let isa = Isa::detect();
        let keys = match pack {
            Some(pack) => Rhs::Packed(pack.get_or_init(|| PackedB::new(isa, total, k, &keys))),
            None => Rhs::Source(&keys),
        };
        let epilogue = Epilogue { alpha: self.scale, ..Epilogue::default() };
        gemm(threads, isa, shape, Lhs::Source(&q), keys, &epilogue, scores);
        round_to(self.dtype, scores);
    }

    fn cap(&self, scores: &mut [R]) {
        if self.softcap > R::zero() {
            scores.iter_mut().for_each(|s| *s /= self.softcap);
            R::apply(Activation::Tanh, scores);
            scores.iter_mut().for_each(|s| *s *= self.softcap);
            round_to(self.dtype, scores);
        }
    }

    /// The product of weights and values: `rows` rows.
    fn weighted(
        &self,
        threads: &Threads,
        weights: &[R],
        rows: usize,
        (b, kv): (usize, usize),
    ) -> Vec<R> {
        let (n, k) = (self.at.v_size, self.at.total());
        let mut block = vec![R::zero(); rows * n];
        if block.is_empty() || k == 0 {
            return block;
        }
        let values = Strided {
            data: &self.v.data[self.v.start(b, kv, 0)..],
            outer_stride: 1,
            k_stride: self.v.row,
        };
        let (isa, shape) = (Isa::detect(), Shape { m: rows, n, k });
        let weights = Strided::rows(weights, k);
        let (lhs, rhs) = (Lhs::Source(&weights), Rhs::Source(&values));
        gemm(threads, isa, shape, lhs, rhs, &Epilogue::default(), &mut block);
        block
    }
}

/// Softmax in place, each step rounded to `dtype`; a row that attends nothing becomes zeros, unless it is `plain`.
fn softmax<R: Real>(row: &mut [R], attended: bool, plain: bool, dtype: DType) {
    let max = row.iter().copied().fold(R::neg_infinity(), R::max);
    let nothing = max == R::neg_infinity() && !plain && !row.iter().any(|v| v.is_nan());
    if !attended || nothing {
        return row.fill(R::zero());
    }
    row.iter_mut().for_each(|v| *v -= max);
    round_to(dtype, row);
    R::apply(Activation::Exp, row);
    round_to(dtype, row);
    let mut sum = [row.iter().copied().sum::<R>()];
    round_to(dtype, &mut sum);
    row.iter_mut().for_each(|v| *v /= sum[0]);
    round_to(dtype, row);
}
