//! The keys that a query attends, and the numbers added to its scores.

use super::layout::Layout;
use crate::kernel::Call;
use crate::real::{Real, read};
use std::ops::Range;
use trident_ir::geometry::strides;
use trident_ir::ops::Attention;
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// Causal and windowed masks and padding leave each query one range of keys; the mask operand adds to the scores.
pub(super) struct Mask<R> {
    visible: Visible,
    /// For each batch entry: the number of keys before the block of queries, and of keys that are not padding.
    batches: Vec<(i64, usize)>,
    added: Option<Added<R>>,
}

/// The keys that attributes leave to a query.
#[derive(Clone, Copy)]
pub(super) struct Visible {
    causal: bool,
    left: Option<i64>,
    right: Option<i64>,
    /// The mask operand is a summand like any other: −∞ does not take a key out.
    plain: bool,
}

impl Visible {
    pub(super) fn of(op: Attention<'_>) -> Result<Visible, KernelError> {
        Ok(Visible {
            causal: op.is_causal(),
            left: window("left_window_size", op.left_window_size())?,
            right: window("right_window_size", op.right_window_size())?,
            plain: op.plain_mask(),
        })
    }
}

/// The mask operand as addends; columns beyond `len` are masked out.
struct Added<R> {
    values: Vec<R>,
    len: usize,
    /// For batch, head and query; 0 where broadcast.
    strides: [usize; 3],
}

/// The attribute as a bound: −1 is none.
fn window(name: &'static str, size: i64) -> Result<Option<i64>, KernelError> {
    match size {
        -1 => Ok(None),
        0.. => Ok(Some(size)),
        n => Err(KernelError::attr(name, format!("{n} is neither -1 nor a length"))),
    }
}

impl<R: Real> Mask<R> {
    pub(super) fn new(
        call: &Call<'_, '_>,
        visible: Visible,
        at: &Layout,
    ) -> Result<Mask<R>, KernelError> {
        let lens = call.ints(Attention::AT.nonpad_kv_seqlen)?;
        if lens.as_ref().is_some_and(|l| l.len() != at.batch) {
            return Err(KernelError::shape(format!(
                "`nonpad_kv_seqlen` has {} for a batch of {}",
                counted(lens.map_or(0, |l| l.len()), "length"),
                at.batch
            )));
        }
        let batches = (0..at.batch).map(|b| match &lens {
            None => (at.past as i64, at.total()),
            Some(lens) => {
                let keys = lens[b].clamp(0, at.total() as i64);
                (lens[b].saturating_sub(at.q_len as i64), keys as usize)
            }
        });
        Ok(Mask { visible, batches: batches.collect(), added: Added::new(call, at)? })
    }

    /// The keys that query `i` may attend, the mask operand aside.
    fn keys(&self, batch: usize, i: usize) -> Range<usize> {
        let (offset, keys) = self.batches[batch];
        let p = offset.saturating_add(i as i64);
        let clamp = |v: i64| v.clamp(0, keys as i64) as usize;
        let mut end = keys;
        if self.visible.causal {
            end = end.min(clamp(p.saturating_add(1)));
        }
        if let Some(right) = self.visible.right {
            end = end.min(clamp(p.saturating_add(right).saturating_add(1)));
        }
        let start = self.visible.left.map_or(0, |left| clamp(p.saturating_sub(left)));
        start.min(end)..end
    }

    /// Masks the scores of a query. `false` if no key is left; the result is then zeros.
    pub(super) fn apply(&self, scores: &mut [R], batch: usize, head: usize, i: usize) -> bool {
        let keys = self.keys(batch, i);
        scores[..keys.start].fill(R::neg_infinity());
        scores[keys.end..].fill(R::neg_infinity());
        let Some(mask) = &self.added else { return self.visible.plain || !keys.is_empty() };
        let [b, h, q] = mask.strides;
        let row = &mask.values[batch * b + head * h + i * q..][..mask.len];
        let end = keys.end.min(mask.len);
        scores[end..keys.end.max(end)].fill(R::neg_infinity());
        let mut any = false;
        for j in keys.start.min(end)..end {
            // Adding −∞ to a score of +∞ would give NaN where the key is to be left out.
            if row[j] == R::neg_infinity() && !self.visible.plain {
                scores[j] = row[j];
            } else {
                scores[j] += row[j];
                any = true;
            }
        }
        any || self.visible.plain
    }

    /// Whether rows of −∞ are NaN after softmax, and not zeros.
    pub(super) fn is_plain(&self) -> bool {
        self.visible.plain
    }
}

impl<R: Real> Added<R> {
    fn new(call: &Call<'_, '_>, at: &Layout) -> Result<Option<Added<R>>, KernelError> {
        let Some(mask) = call.opt(Attention::AT.attn_mask)? else { return Ok(None) };
        let dims = mask.dims();
        let want = [at.batch, at.q_heads, at.q_len];
        let Some((&len, outer)) = dims.split_last().filter(|(_, outer)| outer.len() <= 3) else {
            return Err(KernelError::shape(format!(
                "a mask of shape {dims:?} is not supported: it must have rank 1 to 4"
            )));
        };
        let skip = 3 - outer.len();
        let fits = outer.iter().zip(&want[skip..]).all(|(&d, &w)| d == 1 || d == w);
        if !fits || len > at.total() {
            let total = at.total();
            return Err(KernelError::shape(format!(
                "a mask of shape {dims:?} does not broadcast to {want:?} queries by {}",
                counted(total, "key")
            )));
        }
        let own = strides(dims);
        let mut strides = [0; 3];
        for (i, &d) in outer.iter().enumerate() {
            strides[skip + i] = if d == 1 { 0 } else { own[i] };
        }
        let mut values = read::<R>(&mask)?.into_owned();
        if mask.dtype() == DType::Bool {
            let addend = |v: R| if v == R::zero() { R::neg_infinity() } else { R::zero() };
            values.iter_mut().for_each(|v| *v = addend(*v));
        }
        Ok(Some(Added { values, len, strides }))
    }
}
