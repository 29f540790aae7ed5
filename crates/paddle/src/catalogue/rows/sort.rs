//! Ops that order elements.

use crate::catalogue::field::Number;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Out, Outputs, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    ArgSort (x: ValueId) { axis: i64 = -1, descending: bool = false } -> out indices
}

signature! {
    TopK (x: ValueId, k: Number = 1i64) { axis: i64 = -1, largest: bool = true, sorted: bool = true } -> out indices
}

signature! {
    KthValue (x: ValueId) { k: i64 = 1, axis: i64 = -1, keepdim: bool = false } -> out indices
}

signature! {
    Median (x: ValueId) { axis: Vec<i64> = [], keepdim: bool = false, mode: String = "avg" } -> out median_index
}

signature! {
    Unique (x: ValueId) {
        axis: Vec<i64> = [], dtype: Option<DType>, is_sorted: bool = true,
    } -> out indices inverse counts
}

signature! {
    SearchSorted (sorted_sequence: ValueId, values: ValueId) { out_int32: bool = false, right: bool = false } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("argsort", ArgSort, |c, op| {
        let rank = c.rank(op.x)?;
        if rank == 0 {
            return only(c, op.x);
        }
        let axis = c.axis(op.axis, rank)?;
        let k = c.dim_of(op.x, axis as usize)?;
        let sort = ops::TopK::new(op.x, k).axis(axis).largest(op.descending);
        let found = c.add_all(sort, 2)?;
        Ok([found[0], found[1]].into())
    }),
    row!("kthvalue", KthValue, kth_value),
    row!("median", Median, median),
    row!("searchsorted", SearchSorted, search_sorted),
    row!("topk", TopK, |c, op| {
        if c.rank(op.x)? == 0 {
            return only(c, op.x);
        }
        let k = op.k.value(c, DType::I64)?;
        let k = c.vector(k)?;
        let top = ops::TopK::new(op.x, k).axis(op.axis).largest(op.largest).sorted(op.sorted);
        let found = c.add_all(top, 2)?;
        Ok(Outputs::from([found[0], found[1]]))
    }, "top_k_v2": "k=K,.k"),
    row!("topk_v1", TopK, |c, op| {
        let k = op.k.value(c, DType::I64)?;
        let k = c.vector(k)?;
        let found = c.add_all(ops::TopK::new(op.x, k), 2)?;
        Ok(Outputs::from([found[0], found[1]]))
    }, "top_k": "k=K,.k"),
    row!("unique", Unique, unique, "unique": "inverse=Index"),
];

/// A scalar and its place, of which there is one.
fn only(c: &mut Call<'_, '_>, x: ValueId) -> Made<Outputs> {
    let place = c.number(DType::I64, 0.0)?;
    Ok(Outputs::from([c.add(ops::Identity::new(x))?, place]))
}

fn kth_value(c: &mut Call<'_, '_>, op: KthValue) -> Made<Outputs> {
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis, rank)?;
    c.within("k", op.k, 1..=MOST_SIZE)?;
    if rank == 0 {
        return only(c, op.x);
    }
    let k = c.ints(&[op.k])?;
    let found = c.add_all(ops::TopK::new(op.x, k).axis(axis).largest(false), 2)?;
    let mut last = vec![];
    for value in found {
        let slice = c.slice(value, axis, op.k - 1, op.k)?;
        last.push(if op.keepdim { slice } else { c.squeeze(slice, &[axis])? });
    }
    Ok([last[0], last[1]].into())
}

/// The element in the middle of a sorted axis, or of the whole tensor if no axis is given. Of an even number of elements, it
/// is the mean of the two in the middle, or with `mode` min the lesser one. A NaN among the elements is the result.
/// The mean of integers is their sum in the same type, which wraps, divided by 2 and rounded towards zero.
/// There is no second result with the element's index, because which of equal elements Paddle names depends on how its
/// library partitions them.
fn median(c: &mut Call<'_, '_>, op: Median) -> Made {
    let mean = match &*op.mode {
        "avg" => true,
        "min" => false,
        other => return c.refuse(format!("`mode` is `{other}`, expected avg or min")),
    };
    let rank = c.rank(op.x)?;
    let (x, axis) = match op.axis[..] {
        [axis] if rank > 0 => (op.x, c.axis(axis, rank)?),
        [] | [-1 | 0] => (c.reshape(op.x, &[-1])?, 0),
        _ => return c.refuse(format!("`axis` is {:?}, expected one axis", op.axis)),
    };
    let (is_whole, dtype) = (op.axis.is_empty() || rank == 0, c.dtype(x)?);
    let n = c.dim_of(x, axis as usize)?;
    let sorted = c.add_all(ops::TopK::new(x, n).axis(axis).largest(false), 2)?[0];
    let (one, two) = (c.ints(&[1])?, c.ints(&[2])?);
    let last = c.add(ops::Sub::new(n, one))?;
    let (low, high) = (c.add(ops::Div::new(last, two))?, c.add(ops::Div::new(n, two))?);
    let at = |c: &mut Call<'_, '_>, place| c.add(ops::Gather::new(sorted, place).axis(axis));
    let mut found = at(c, low)?;
    if mean {
        let (other, count) = (at(c, high)?, c.number_like(x, 2.0)?);
        let sum = c.add(ops::Add::new(found, other))?;
        let mean = c.add(ops::Div::new(sum, count))?;
        let is_odd = c.add(ops::Equal::new(low, high))?;
        found = c.add(ops::Where::new(is_odd, found, mean))?;
    }
    if dtype.is_float() {
        // NaN is behind all numbers.
        let greatest = at(c, last)?;
        let is_nan = c.add(ops::IsNaN::new(greatest))?;
        found = c.add(ops::Where::new(is_nan, greatest, found))?;
    }
    match (is_whole, op.keepdim) {
        (true, true) => c.reshape(found, &vec![1; rank]),
        (true, false) => c.reshape(found, &[]),
        (false, true) => Ok(found),
        (false, false) => c.squeeze(found, &[axis]),
    }
}

fn unique(c: &mut Call<'_, '_>, op: Unique) -> Made<Outputs> {
    let dtype = op.dtype.unwrap_or(DType::I64);
    let mut unique = ops::Unique::new(op.x).sorted(op.is_sorted);
    match op.axis[..] {
        [] => {}
        [axis] => unique = unique.axis(axis),
        _ => return c.refuse(format!("`axis` is {:?}, expected one axis", op.axis)),
    }
    let found = c.add_all(unique, 4)?;
    let mut outs = vec![Out::Tensor(found[0])];
    for &index in &found[1..] {
        outs.push(Out::Tensor(c.cast(index, dtype)?));
    }
    Ok(Outputs(outs))
}

/// The number of elements of a sorted row that are below a value, or with `right` not above it.
fn search_sorted(c: &mut Call<'_, '_>, op: SearchSorted) -> Made {
    // A scalar is searched for in a vector.
    let sorted = match c.rank(op.values)? {
        0 => op.sorted_sequence,
        _ => c.unsqueeze(op.sorted_sequence, &[-2])?,
    };
    let values: ValueId = c.unsqueeze(op.values, &[-1])?;
    let passed = match op.right {
        true => c.add(ops::Greater::new(sorted, values))?,
        false => c.add(ops::GreaterOrEqual::new(sorted, values))?,
    };
    // NaN comes after all numbers, and in Paddle so do both infinities.
    let mut passed = c.add(ops::Not::new(passed))?;
    if c.dtype(values)?.is_float() {
        let is_infinite = c.add(ops::IsInf::new(values))?;
        passed = c.add(ops::Or::new(passed, is_infinite))?;
    }
    let passed = c.cast(passed, DType::I64)?;
    let axes = c.ints(&[-1])?;
    let count = c.add(ops::ReduceSum::new(passed, Some(axes)).keepdims(false))?;
    c.cast(count, if op.out_int32 { DType::I32 } else { DType::I64 })
}
