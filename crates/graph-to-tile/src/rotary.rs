//! Rotary position embedding (Su et al. 2021, <https://arxiv.org/abs/2104.09864>).

use trident_ir::geometry::GeometryError;
use trident_ir::{DType, OpKind as K, ops};

use super::rows::float;
use super::site::Site;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[entry(ops::RotaryEmbedding::KIND, rotary_embedding)];

/// Elements that one program computes.
const BLOCK: usize = 256;

/// Rotates pairs of features by the angles whose cosines and sines are cached.
fn rotary_embedding(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::RotaryEmbedding::of)?;
    let dtype = site.dtype(ops::RotaryEmbedding::AT.x)?;
    float(dtype)?;
    let (dims, cache) =
        (site.dims(ops::RotaryEmbedding::AT.x)?, site.dims(ops::RotaryEmbedding::AT.cos_cache)?);
    let invalid = |text: String| GeometryError::Invalid(text);
    let (batch, heads, len, size, is_split) = match *dims {
        [b, h, s, d] => (b, h, s, d, true),
        [b, s, width] => {
            let heads = op.num_heads().and_then(|n| usize::try_from(n).ok());
            let heads = heads.filter(|&h| h > 0 && width.is_multiple_of(h));
            let heads = heads
                .ok_or_else(|| invalid(format!("{width} features cannot be split into heads")))?;
            (b, heads, s, width / heads, false)
        }
        ref other => {
            return Err(invalid(format!(
                "the input has dimensions {other:?}, expected rank 3 or 4"
            ))
            .into());
        }
    };
    let rotated = match op.rotary_embedding_dim() {
        0 => size,
        n => usize::try_from(n).unwrap_or(usize::MAX),
    };
    let half = rotated / 2;
    let rows: usize = cache.iter().rev().skip(1).product();
    let fits = match site.has(ops::RotaryEmbedding::AT.position_ids) {
        true => {
            cache.len() == 2 && site.dims(ops::RotaryEmbedding::AT.position_ids)? == [batch, len]
        }
        false => cache == [batch, len, half],
    };
    if rotated > size || rotated % 2 != 0 || cache.last() != Some(&half) || !fits {
        let text = format!(
            "caches of dimensions {cache:?} do not fit an input of {dims:?} with {rotated} features to rotate"
        );
        return Err(invalid(text).into());
    }
    let total = batch * heads * len * size;
    let mut w = site.writer(total.max(rows * half));
    let n = w.size(total)?;
    let (linear, mask) = w.span(0, BLOCK, n)?;
    let order = if is_split { [batch, heads, len, size] } else { [batch, len, heads, size] };
    let place = w.unravel(linear, &order)?;
    let (sample, position, feature) = (place[0], place[if is_split { 2 } else { 1 }], place[3]);
    let count = w.size(len)?;
    let first = w.mul(sample, count)?;
    let mut row = w.add(first, position)?;
    let mut inside = mask;
    if site.has(ops::RotaryEmbedding::AT.position_ids) {
        site.fault("a position is outside of the caches");
        let of = site.dtype(ops::RotaryEmbedding::AT.position_ids)?;
        let base = w.array(Arg::Operand(ops::RotaryEmbedding::AT.position_ids), of)?;
        let given = w.load_or_zero(base, row, mask)?;
        let (zero, rows) = (w.literal(of, 0)?, w.size(rows)?);
        let rows = w.cast(rows, of)?;
        let (under, over) = (w.less(given, zero)?, w.op(K::GreaterOrEqual, &[given, rows])?);
        let outside = w.op(K::Or, &[under, over])?;
        let wrong = w.and(outside, mask)?;
        let fault = w.array(Arg::Fault, DType::I32)?;
        let (first, one) = (w.int(0)?, w.literal(DType::I32, 1)?);
        let first = w.spread_like(first, wrong)?;
        w.store(fault, first, one, wrong)?;
        let right = w.op(K::Not, &[outside])?;
        inside = w.and(mask, right)?;
        row = w.index(given)?;
    }
    let (one, two, middle) = (w.int(1)?, w.int(2)?, w.size(half)?);
    let all = w.size(rotated)?;
    let turns = w.less(feature, all)?;
    // The pair of the feature, whether it is the second of it, and the distance of the other.
    let (pair, is_second, other) = if op.interleaved() {
        let (pair, rest) = w.divide(feature, two)?;
        let is_second = w.op(K::Equal, &[rest, one])?;
        let (before, behind) = (w.sub(linear, one)?, w.add(linear, one)?);
        (pair, is_second, w.select(is_second, before, behind)?)
    } else {
        let is_first = w.less(feature, middle)?;
        let is_second = w.op(K::Not, &[is_first])?;
        let own = w.sub(feature, middle)?;
        let (before, behind) = (w.sub(linear, middle)?, w.add(linear, middle)?);
        let pair = w.select(is_second, own, feature)?;
        (pair, is_second, w.select(is_second, before, behind)?)
    };
    let base = w.array(Arg::Operand(ops::RotaryEmbedding::AT.x), dtype)?;
    let turned = w.and(inside, turns)?;
    let own = w.load_or_zero(base, linear, mask)?;
    let partner = w.load_or_zero(base, other, turned)?;
    let start = w.mul(row, middle)?;
    let angle = w.add(start, pair)?;
    let mut cached = |i: usize| -> Result<_> {
        let base = w.array(Arg::Operand(i), dtype)?;
        let value = w.load_or_zero(base, angle, turned)?;
        w.cast(value, DType::F32)
    };
    let (cos, sin) =
        (cached(ops::RotaryEmbedding::AT.cos_cache)?, cached(ops::RotaryEmbedding::AT.sin_cache)?);
    let (x, y) = (w.cast(own, DType::F32)?, w.cast(partner, DType::F32)?);
    let (along, across) = (w.mul(cos, x)?, w.mul(sin, y)?);
    let (sum, difference) = (w.add(along, across)?, w.sub(along, across)?);
    let value = w.select(is_second, sum, difference)?;
    let value = w.select(turns, value, x)?;
    let value = w.cast(value, dtype)?;
    let to = w.array(Arg::Result(ops::RotaryEmbedding::AT.y), dtype)?;
    w.store(to, linear, value, inside)?;
    site.step(w, [total.div_ceil(BLOCK), 1, 1])
}
