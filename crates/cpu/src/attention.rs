//! Scaled-dot-product attention, `softmax(scale · Q Kᵀ + mask) V`, by blocks of query rows.
//!
//! A block's scores stay in the second-level cache between the two products, so the score matrix never reaches memory.
//! K and V are packed once per head.

use crate::aligned::Scratch;
use crate::gemm::driver::{Item, products};
use crate::gemm::{Epilogue, Lhs, PackedB, Rhs, Shape, Strided};
use crate::rows::softmax_scores;
use crate::simd::Isa;
use crate::threads::{Disjoint, Threads};

/// The bytes of scores that a block may take.
const SCORES: usize = 256 << 10;

/// Rows of elements: row `i` starts at `i * stride`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The elements, from row 0 on.
    pub data: &'a [f32],
    /// The distance of two rows; 0 repeats one row.
    pub stride: usize,
}

/// The operands of one head.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Queries: `queries` rows of `dim`.
    pub q: Rows<'a>,
    /// Keys: `keys` rows of `dim`.
    pub k: Rows<'a>,
    /// Values: `keys` rows of `value_dim`.
    pub v: Rows<'a>,
    /// Added to the scores: `queries` rows of `keys`.
    pub mask: Option<Rows<'a>>,
}

/// What the heads have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Rows of Q.
    pub queries: usize,
    /// Rows of K and V.
    pub keys: usize,
    /// Elements of a row of Q and K.
    pub dim: usize,
    /// Elements of a row of V.
    pub value_dim: usize,
    /// The factor of the scores.
    pub scale: f32,
    /// If set, scores become `cap * tanh(score / cap)` before the mask.
    pub cap: f32,
    /// If set, query `i` sees the keys `0..=i + offset` only.
    pub causal: Option<isize>,
}

impl Attention {
    /// Computes `heads` heads; row `i` of head `h` goes to `out[out_start(h) + i * out_stride..]`, and the rows of different
    /// heads must not overlap. A query that sees no key gives zeros.
    #[allow(clippy::too_many_arguments)]
    pub fn run<'a>(
        &self,
        threads: &Threads,
        isa: Isa,
        heads: usize,
        head: impl Fn(usize) -> Head<'a> + Sync,
        out: &mut [f32],
        out_start: impl Fn(usize) -> usize + Sync,
        out_stride: usize,
    ) {
        let Attention { queries, keys, dim, value_dim, .. } = *self;
        if queries == 0 || heads == 0 || value_dim == 0 {
            return;
        }
        let len = out.len();
        debug_assert!(
            (0..heads).all(|h| out_start(h) + (queries - 1) * out_stride + value_dim <= len)
        );
        let out = Disjoint(out.as_mut_ptr());
        let rows = (SCORES / 4 / keys.max(1)).clamp(8, 64).min(queries);
        let blocks = queries.div_ceil(rows);
        let pack = |h: usize| {
            let Head { k, v, .. } = head(h);
            let keys_source = Strided { data: k.data, outer_stride: k.stride, k_stride: 1 };
            let values_source = Strided { data: v.data, outer_stride: 1, k_stride: v.stride };
            (
                PackedB::new(isa, keys, dim, &keys_source),
                PackedB::new(isa, value_dim, keys, &values_source),
            )
        };
        let block = |h: usize, b: usize, k: &PackedB<f32>, v: &PackedB<f32>| {
            let range = b * rows..queries.min((b + 1) * rows);
            // SAFETY: this block's rows of the head's output, which nobody else writes.
            unsafe {
                self.block(isa, &head(h), k, v, range, out.get().add(out_start(h)), out_stride)
            }
        };
        // A head is a task of its own; few long heads are split by blocks of rows.
        if heads.is_multiple_of(threads.count()) || heads >= 4 * threads.count() {
            threads.run(heads, |h| {
                let (k, v) = pack(h);
                (0..blocks).for_each(|b| block(h, b, &k, &v));
            });
        } else {
            for h in 0..heads {
                let (k, v) = pack(h);
                threads.run(blocks, |b| block(h, b, &k, &v));
            }
        }
    }

    /// The rows `range` of one head.
    ///
    /// # Safety
    /// The output rows are valid for writes that nothing else touches meanwhile.
    #[allow(clippy::too_many_arguments)]
    unsafe fn block(
        &self,
        isa: Isa,
        head: &Head<'_>,
        k: &PackedB<f32>,
        v: &PackedB<f32>,
        range: std::ops::Range<usize>,
        out: *mut f32,
        out_stride: usize,
    ) {
        let Attention { keys, dim, value_dim, .. } = *self;
        let serial = Threads::new(1);
        let m = range.len();
        let seen = |i: usize| match self.causal {
            Some(offset) => keys.min(i.saturating_add(1).saturating_add_signed(offset)),
            None => keys,
        };
        // Rows a power of two apart would compete for the same places of the caches.
        let stride = keys.next_multiple_of(16) + 16;
        let mut scores = Scratch::<f32>::take(m * stride);
        let scores_at = Disjoint(scores.as_mut_ptr());
        let q = Strided {
            data: &head.q.data[range.start * head.q.stride..],
            outer_stride: head.q.stride,
            k_stride: 1,
        };
        let item = |_| Item {
            a: Lhs::Source(&q),
            b: Rhs::Packed(k),
            epilogue: Epilogue::default(),
            c: scores_at.get(),
            ldc: stride,
        };
        // SAFETY: the product is as large as `scores`.
        unsafe { products(&serial, isa, Shape { m, n: keys, k: dim }, 1, item) };
        for (i, row) in scores.chunks_exact_mut(stride).enumerate() {
            let i = range.start + i;
            let (row, hidden) = row[..keys].split_at_mut(seen(i));
            let mask = head.mask.map(|mask| &mask.data[i * mask.stride..][..row.len()]);
            softmax_scores(isa, row, self.scale, self.cap, mask);
            hidden.fill(0.0);
        }
        let weights = Strided::rows(&scores[..], stride);
        let out = Disjoint(out.wrapping_add(range.start * out_stride));
        let item = |_| Item {
            a: Lhs::Source(&weights),
            b: Rhs::Packed(v),
            epilogue: Epilogue::default(),
            c: out.get(),
            ldc: out_stride,
        };
        // SAFETY: passed on.
        unsafe { products(&serial, isa, Shape { m, n: value_dim, k: keys }, 1, item) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    fn check(
        heads: usize,
        queries: usize,
        keys: usize,
        dim: usize,
        value_dim: usize,
        causal: Option<isize>,
        cap: f32,
    ) {
        let mut random = Random::new((queries * 31 + keys) as u64);
        // Rows of all heads side by side, as projections leave them.
        let q = random.f32s(queries * heads * dim);
        let k = random.f32s(keys * heads * dim);
        let v = random.f32s(keys * heads * value_dim);
        let mut mask = random.f32s(queries * keys);
        mask.iter_mut().step_by(7).for_each(|m| *m = f32::NEG_INFINITY);
        let attention = Attention { queries, keys, dim, value_dim, scale: 0.6, cap, causal };
        let head = |h: usize| Head {
            q: Rows { data: &q[h * dim..], stride: heads * dim },
            k: Rows { data: &k[h * dim..], stride: heads * dim },
            v: Rows { data: &v[h * value_dim..], stride: heads * value_dim },
            mask: h.is_multiple_of(2).then_some(Rows { data: &mask, stride: keys }),
        };
        for isa in Isa::available() {
            let run = |threads| {
                let mut out = vec![f32::NAN; queries * heads * value_dim];
                attention.run(
                    &Threads::new(threads),
                    isa,
                    heads,
                    head,
                    &mut out,
                    |h| h * value_dim,
                    heads * value_dim,
                );
                out
            };
            let out = run(1);
            for (h, i) in (0..heads).flat_map(|h| (0..queries).map(move |i| (h, i))) {
                let seen =
                    causal.map_or(keys, |o| (i as isize + 1 + o).clamp(0, keys as isize) as usize);
                let scores: Vec<f64> = (0..seen)
                    .map(|j| {
                        let dot: f64 = (0..dim)
                            .map(|d| {
                                f64::from(q[(i * heads + h) * dim + d])
                                    * f64::from(k[(j * heads + h) * dim + d])
                            })
                            .sum();
                        let s = 0.6f32 as f64 * dot;
                        let s = if cap > 0.0 {
                            f64::from(cap) * (s / f64::from(cap)).tanh()
                        } else {
                            s
                        };
                        s + if h % 2 == 0 { f64::from(mask[i * keys + j]) } else { 0.0 }
                    })
                    .collect();
                let total: f64 = scores.iter().map(|s| s.exp()).sum();
                for d in 0..value_dim {
                    let sum: f64 = (0..seen)
                        .map(|j| scores[j].exp() * f64::from(v[(j * heads + h) * value_dim + d]))
                        .sum();
                    let want = if total > 0.0 { sum / total } else { 0.0 };
                    let got = f64::from(out[(i * heads + h) * value_dim + d]);
                    assert!(
                        (got - want).abs() < 2e-6,
                        "{isa:?} head {h} row {i}: {got} for {want}"
                    );
                }
            }
            for threads in [2, 3] {
                assert_eq!(out, run(threads), "{isa:?}");
            }
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        check(3, 5, 7, 8, 8, None, 0.0);
        check(2, 130, 70, 16, 9, None, 0.0);
        check(5, 33, 33, 20, 24, Some(0), 0.0);
        check(1, 150, 200, 8, 8, Some(50), 2.0);
        check(2, 6, 4, 3, 3, Some(-2), 0.0);
        check(4, 1, 300, 64, 64, None, 0.0);
        check(2, 3, 1, 4, 4, None, 0.0);
    }

    #[test]
    fn without_keys_the_result_is_zero() {
        let attention = Attention {
            queries: 2,
            keys: 0,
            dim: 3,
            value_dim: 2,
            scale: 1.0,
            cap: 0.0,
            causal: None,
        };
        let rows = Rows { data: &[1.0; 6], stride: 3 };
        let none = Rows { data: &[], stride: 0 };
        let mut out = [f32::NAN; 4];
        let head = |_| Head { q: rows, k: none, v: none, mask: None };
        attention.run(&Threads::new(1), Isa::detect(), 1, head, &mut out, |_| 0, 2);
        assert_eq!(out, [0.0; 4]);
    }
}
