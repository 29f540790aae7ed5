//! Attention with an online softmax (Milakov and Gimelshein, <https://arxiv.org/abs/1805.02867>): a program holds a block of
//! queries and visits the keys block by block, so scores are never in memory.

use trident_ir::geometry::{self, GeometryError};
use trident_ir::{DType, OpKind as K, ValueId, ops};

use super::moves::{bits, copy};
use super::rows::float;
use super::site::{Site, unsupported};
use super::space::{View, signed};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[entry(ops::Attention::KIND, attention)];

/// The longest query or value that a program holds.
const LONGEST: usize = 256;

/// Keys that are visited at once.
const KEYS: usize = 32;

/// Rows of heads in memory.
#[derive(Clone, Copy)]
struct Heads {
    batch: usize,
    heads: usize,
    len: usize,
    size: usize,
    /// Distance of batch entries, heads and rows.
    strides: [usize; 3],
}

impl Heads {
    /// Of rank 4, or of rank 3 with the heads side by side.
    fn of(dims: &[usize], heads: Option<i64>) -> Result<Heads> {
        let misfit = || {
            GeometryError::Invalid(format!(
                "an input of dimensions {dims:?} is not split into heads"
            ))
        };
        match *dims {
            [batch, heads, len, size] => Ok(Heads::dense(batch, heads, len, size)),
            [batch, len, width] => {
                let heads = heads.and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
                let heads = heads.filter(|&n| width.is_multiple_of(n)).ok_or_else(misfit)?;
                let size = width / heads;
                Ok(Heads { batch, heads, len, size, strides: [len * width, size, width] })
            }
            _ => Err(misfit().into()),
        }
    }

    /// [batch, heads, len, size]
    fn dense(batch: usize, heads: usize, len: usize, size: usize) -> Heads {
        Heads { batch, heads, len, size, strides: [heads * len * size, len * size, size] }
    }

    fn dims(&self) -> [usize; 4] {
        [self.batch, self.heads, self.len, self.size]
    }

    /// A view of all its elements in an array with these strides, from row `first` on.
    fn view(&self, array: Arg, dtype: DType, strides: [usize; 3], first: usize) -> View {
        let start = (first * strides[2]) as isize;
        let [batch, head, row] = strides;
        View { array, dtype, start, strides: signed(&[batch, head, row, 1]) }
    }
}

/// Keys or values after those of a cache: in result `result` if it is in use.
fn cached(
    site: &mut Site<'_>,
    operand: usize,
    fresh: Heads,
    past: usize,
    result: usize,
) -> Result<(Arg, Heads)> {
    if !site.has(past) && !site.wants(result) {
        return Ok((Arg::Operand(operand), fresh));
    }
    let dtype = bits(site.dtype(operand)?)?;
    let Heads { batch, heads, len, size, .. } = fresh;
    let old = match site.has(past) {
        true => Some(Heads::of(site.dims(past)?, None)?),
        false => None,
    };
    let before = old.map_or(0, |old| old.len);
    let all = Heads::dense(batch, heads, before + len, size);
    let to = match site.wants(result) {
        true => Arg::Result(result),
        false => site.scratch(site.dtype(operand)?, all.dims().iter().product()),
    };
    if let Some(old) = old {
        let from = old.view(Arg::Operand(past), dtype, old.strides, 0);
        copy(site, &old.dims(), from, old.view(to, dtype, all.strides, 0))?;
    }
    let from = fresh.view(Arg::Operand(operand), dtype, fresh.strides, 0);
    copy(site, &fresh.dims(), from, fresh.view(to, dtype, all.strides, before))?;
    Ok((to, all))
}

fn attention(site: &mut Site<'_>) -> Result<()> {
    let (op, dtype) = (site.view(ops::Attention::of)?, site.dtype(ops::Attention::AT.q)?);
    float(dtype)?;
    let types = [site.dtype(ops::Attention::AT.k)?, site.dtype(ops::Attention::AT.v)?];
    types.into_iter().try_for_each(float)?;
    if site.wants(ops::Attention::AT.qk_matmul_output) {
        return Err(unsupported("output `qk_matmul_output` is not supported"));
    }
    if site.has(ops::Attention::AT.nonpad_kv_seqlen) {
        return Err(unsupported("input `nonpad_kv_seqlen` is not supported"));
    }
    if op.softmax_precision().is_some_and(|precision| precision != DType::F32)
        || dtype != DType::F32
    {
        return Err(unsupported("only inputs and `softmax_precision` of type f32 are supported"));
    }
    let mask_type = if site.has(ops::Attention::AT.attn_mask) {
        Some(site.dtype(ops::Attention::AT.attn_mask)?)
    } else {
        None
    };
    let packed = site.dims(ops::Attention::AT.q)?.len() == 3;
    let q = Heads::of(site.dims(ops::Attention::AT.q)?, op.q_num_heads())?;
    let k = Heads::of(site.dims(ops::Attention::AT.k)?, op.kv_num_heads())?;
    let v = Heads::of(site.dims(ops::Attention::AT.v)?, op.kv_num_heads())?;
    let fits = k.dims()[..3] == v.dims()[..3]
        && (q.batch, q.size) == (k.batch, k.size)
        && k.heads > 0
        && q.heads.is_multiple_of(k.heads);
    if !fits {
        let text = format!(
            "queries of dimensions {:?}, keys of {:?} and values of {:?} do not fit together",
            q.dims(),
            k.dims(),
            v.dims()
        );
        return Err(GeometryError::Invalid(text).into());
    }
    if q.size > LONGEST || v.size > LONGEST {
        return Err(unsupported(format!(
            "heads of more than {LONGEST} elements are not supported"
        )));
    }
    let at = ops::Attention::AT;
    let (key_array, k) = cached(site, at.k, k, at.past_key, at.present_key)?;
    let (value_array, v) = cached(site, at.v, v, at.past_value, at.present_value)?;
    let before = k.len - site.dims(ops::Attention::AT.k)?[if packed { 1 } else { 2 }];

    let rows = if q.len <= 16 { 16 } else { 32 };
    let (width, depth) = (v.size.next_power_of_two().max(16), q.size.next_power_of_two().max(16));
    let y = match packed {
        true => Heads {
            strides: [q.len * q.heads * v.size, v.size, q.heads * v.size],
            size: v.size,
            ..q
        },
        false => Heads::dense(q.batch, q.heads, q.len, v.size),
    };
    let longest = [q, k, v, y].map(|heads| heads.dims().iter().product::<usize>());
    let scores = q.batch * q.heads * q.len * k.len;
    let mut w = site.writer(longest.into_iter().max().unwrap_or(0).max(scores));
    let (queries, keys) = (w.size(q.len)?, w.size(k.len)?);
    let (row, row_valid) = w.span(0, rows, queries)?;
    let (row, row_valid) = (w.expand(row, 1)?, w.expand(row_valid, 1)?);
    let (head, batch) = (w.program(1)?, w.program(2)?);
    let own_head = match q.heads / k.heads {
        1 => head,
        shared => {
            let shared = w.size(shared)?;
            w.divide(head, shared)?.0
        }
    };
    let start = |w: &mut Writer, heads: &Heads, head: ValueId| -> Result<ValueId> {
        let strides = signed(&heads.strides[..2]);
        match w.offset(&[batch, head], &strides, 0)? {
            Some(offset) => Ok(offset),
            None => w.int(0),
        }
    };
    // A block of rows and of the elements in them.
    let block = |w: &mut Writer, heads: &Heads, first: ValueId, row: ValueId, at: ValueId| {
        let stride = w.size(heads.strides[2])?;
        let line = w.mul(row, stride)?;
        let line = w.add(line, first)?;
        w.add(line, at)
    };
    let within =
        |w: &mut Writer, n: usize, size: usize, axis: usize| -> Result<(ValueId, ValueId)> {
            let (at, size) = (w.arange(n)?, w.size(size)?);
            let valid = w.less(at, size)?;
            Ok((w.expand(at, axis)?, w.expand(valid, axis)?))
        };

    let base = w.array(Arg::Operand(ops::Attention::AT.q), dtype)?;
    let first = start(&mut w, &q, head)?;
    let (at, valid) = within(&mut w, depth, q.size, 0)?;
    let offset = block(&mut w, &q, first, row, at)?;
    let mask = w.and(row_valid, valid)?;
    let query = w.load_or_zero(base, offset, mask)?;
    let scale = op.scale().map_or(1.0 / (q.size as f64).sqrt(), f64::from);
    let softcap = op.softcap();
    let plain = op.plain_mask();
    // A window of −1 has no bound.
    let bound = |n: i64| (n >= 0).then_some(n);
    let (causal, left, right) =
        (op.is_causal(), bound(op.left_window_size()), bound(op.right_window_size()));

    let key_base = w.array(key_array, types[0])?;
    let value_base = w.array(value_array, types[1])?;
    let (key_start, value_start) = (start(&mut w, &k, own_head)?, start(&mut w, &v, own_head)?);
    let (key_at, key_valid) = within(&mut w, depth, k.size, 1)?;
    let (value_at, value_valid) = within(&mut w, width, v.size, 0)?;
    let added = match mask_type {
        None => None,
        Some(of) => Some(Added::new(
            &mut w,
            site.dims(ops::Attention::AT.attn_mask)?,
            of,
            [batch, head, row],
        )?),
    };
    let least = w.float(DType::F32, f64::NEG_INFINITY)?;
    let zero = w.float(DType::F32, 0.0)?;
    let init = [
        w.spread(least, &[rows, 1])?,
        w.spread(zero, &[rows, 1])?,
        w.spread(zero, &[rows, width])?,
    ];
    let sums = w.repeat(keys, KEYS, &init, |w, first, state| {
        let &[most, total, sum] = state else { return Err(unsupported("lacks its state")) };
        let range = w.arange(KEYS)?;
        let key = w.add(first, range)?;
        let there = w.less(key, keys)?;
        // [depth, keys]: the keys as columns.
        let (column, column_valid) = (w.expand(key, 0)?, w.expand(there, 0)?);
        let stride = w.size(k.strides[2])?;
        let line = w.mul(column, stride)?;
        let line = w.add(line, key_start)?;
        let offset = w.add(line, key_at)?;
        let mask = w.and(key_valid, column_valid)?;
        let columns = w.load_or_zero(key_base, offset, mask)?;
        let none = w.spread(zero, &[rows, KEYS])?;
        let mut score = w.emit(ops::Dot::new(query, columns, none))?;
        let factor = w.float(DType::F32, scale)?;
        score = w.mul(score, factor)?;
        if softcap > 0.0 {
            let cap = w.float(DType::F32, softcap.into())?;
            let part = w.div(score, cap)?;
            let part = w.op(K::Tanh, &[part])?;
            score = w.mul(part, cap)?;
        }
        let mut allowed = w.and(row_valid, column_valid)?;
        let position = match before {
            0 => row,
            before => {
                let before = w.size(before)?;
                w.add(row, before)?
            }
        };
        let within = |w: &mut Writer, kind: K, by: i64| -> Result<ValueId> {
            let by = w.size(by)?;
            let bound = w.add(position, by)?;
            w.op(kind, &[column, bound])
        };
        for (kind, bound) in [
            (K::LessOrEqual, causal.then_some(0)),
            (K::LessOrEqual, right),
            (K::GreaterOrEqual, left.map(|left| -left)),
        ] {
            if let Some(bound) = bound {
                let inside = within(w, kind, bound)?;
                allowed = w.and(allowed, inside)?;
            }
        }
        if let Some(added) = &added {
            (score, allowed) = added.apply(w, score, column, allowed, plain)?;
        }
        score = w.select(allowed, score, least)?;

        let greatest = w.fold(score, 1, Fold::Max)?;
        let greatest = w.expand(greatest, 1)?;
        let greatest = w.folded(Fold::Max, most, greatest)?;
        // While every key is masked there is nothing to subtract.
        let nothing = w.op(K::Equal, &[greatest, least])?;
        let shift = w.select(nothing, zero, greatest)?;
        let exp = |w: &mut Writer, x: ValueId| -> Result<ValueId> {
            let x = w.sub(x, shift)?;
            w.op(K::Exp, &[x])
        };
        let (weight, kept) = (exp(w, score)?, exp(w, most)?);
        let part = w.fold(weight, 1, Fold::Sum)?;
        let part = w.expand(part, 1)?;
        let total = w.mul(total, kept)?;
        let total = w.add(total, part)?;
        let (line, there) = (w.expand(key, 1)?, w.expand(there, 1)?);
        let offset = block(w, &v, value_start, line, value_at)?;
        let mask = w.and(there, value_valid)?;
        let values = w.load_or_zero(value_base, offset, mask)?;
        let values = w.cast(values, DType::F32)?;
        let sum = w.mul(sum, kept)?;
        let sum = w.emit(ops::Dot::new(weight, values, sum))?;
        Ok(vec![greatest, total, sum])
    })?;
    let mut result = w.div(sums[2], sums[1])?;
    if !plain {
        let nothing = w.op(K::Equal, &[sums[1], zero])?;
        let nothing = w.spread(nothing, &[rows, width])?;
        result = w.select(nothing, zero, result)?;
    }
    let to = w.array(Arg::Result(ops::Attention::AT.y), dtype)?;
    let first = start(&mut w, &y, head)?;
    let offset = block(&mut w, &y, first, row, value_at)?;
    let mask = w.and(row_valid, value_valid)?;
    w.store(to, offset, result, mask)?;
    site.step(w, [q.len.div_ceil(rows), q.heads, q.batch])
}

/// The mask operand: the keys that take part, or numbers added to their scores.
struct Added {
    base: ValueId,
    dtype: DType,
    /// Offset of each query's row.
    start: ValueId,
    len: ValueId,
}

impl Added {
    fn new(w: &mut Writer, dims: &[usize], dtype: DType, place: [ValueId; 3]) -> Result<Added> {
        let Some((&len, outer)) = dims.split_last().filter(|(_, outer)| outer.len() <= 3) else {
            return Err(GeometryError::Invalid(format!(
                "a mask of shape {dims:?} is not supported: it must have rank 1 to 4"
            ))
            .into());
        };
        let own = signed(&geometry::strides(dims));
        let strides: Vec<isize> =
            outer.iter().zip(own).map(|(&n, stride)| if n == 1 { 0 } else { stride }).collect();
        let start = w.offset(&place[3 - outer.len()..], &strides, 0)?;
        let start = match start {
            Some(start) => start,
            None => w.int(0)?,
        };
        Ok(Added {
            base: w.array(Arg::Operand(ops::Attention::AT.attn_mask), dtype)?,
            dtype,
            start,
            len: w.size(len)?,
        })
    }

    /// The scores, and which of them there are. Unless the mask is a summand and no more, −∞ takes a key out.
    fn apply(
        &self,
        w: &mut Writer,
        score: ValueId,
        column: ValueId,
        allowed: ValueId,
        plain: bool,
    ) -> Result<(ValueId, ValueId)> {
        let there = w.less(column, self.len)?;
        let allowed = w.and(allowed, there)?;
        let offset = w.add(self.start, column)?;
        let mask = w.load_or_zero(self.base, offset, allowed)?;
        if self.dtype == DType::Bool {
            return Ok((score, w.and(allowed, mask)?));
        }
        let mask = w.cast(mask, DType::F32)?;
        let sum = w.add(score, mask)?;
        if plain {
            return Ok((sum, allowed));
        }
        let least = w.float(DType::F32, f64::NEG_INFINITY)?;
        let out = w.op(K::Equal, &[mask, least])?;
        let kept = w.op(K::Not, &[out])?;
        Ok((sum, w.and(allowed, kept)?))
    }
}
