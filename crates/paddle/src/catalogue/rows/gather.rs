//! Ops that pick elements and slices.

use crate::catalogue::field::{Ints, Number};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    Gather (x: ValueId, index: ValueId, axis: Number = 0i64) {} -> out
}

signature! {
    GatherNd (x: ValueId, index: ValueId) {} -> out
}

signature! {
    IndexSelect (x: ValueId, index: ValueId) { axis: i64 = 0 } -> out
}

signature! {
    AlongAxis (arr: ValueId, indices: ValueId) { axis: i64 = 0 } -> out
}

signature! {
    Embedding (x: ValueId, weight: ValueId) { padding_idx: i64 = -1 } -> out
}

signature! {
    LookupTable (w: ValueId, ids: ValueId) { padding_idx: i64 = -1 } -> out
}

signature! {
    MaskedSelect (x: ValueId, mask: ValueId) {} -> out
}

signature! {
    NonZero (condition: ValueId) {} -> out
}

signature! {
    OneHot (x: ValueId, num_classes: Ints = []) {} -> out
}

signature! {
    TrilTriu (x: ValueId) { diagonal: i64 = 0, lower: bool = true } -> out
}

signature! {
    Triangle (x: ValueId) { diagonal: i64 = 0 } -> out
}

signature! {
    Diagonal (x: ValueId) { offset: i64 = 0, axis1: i64 = 0, axis2: i64 = 1 } -> out
}

signature! {
    Diag (x: ValueId) { offset: i64 = 0, padding_value: f64 = 0.0 } -> out
}

signature! {
    DiagEmbed (input: ValueId) { offset: i64 = 0, dim1: i64 = -2, dim2: i64 = -1 } -> out
}

signature! {
    SequenceMask (x: ValueId, max_len: Number = -1i64) { out_dtype: Option<DType> } -> y
}

signature! {
    Multiplex (inputs: Vec<ValueId>, index: ValueId) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("diag", Diag, diag, "diag_v2"),
    row!("diag_embed", DiagEmbed, diag_embed),
    row!("diagonal", Diagonal, diagonal, "diagonal": "x=Input"),
    row!("embedding", Embedding, embedding, "lookup_table_v2": "x=Ids weight=W"),
    row!("gather", Gather, |c, op| {
        let rank = c.rank(op.x)?;
        let axis = c.axis(op.axis.int("axis")?, rank)?;
        let index = index(c, op.index)?;
        // An index of one column is a vector.
        let index = match c.rank(index)? {
            2 => c.reshape(index, &[-1])?,
            _ => index,
        };
        c.add(ops::Gather::new(op.x, index).axis(axis))
    }, "gather": "axis=Axis,.axis"),
    row!("gather_nd", GatherNd, |c, op| {
        let index = c.cast(op.index, DType::I64)?;
        c.add(ops::GatherND::new(op.x, index))
    }),
    row!("index_sample", GatherNd, |c, op| {
        let index = index(c, op.index)?;
        c.add(ops::GatherElements::new(op.x, index).axis(1))
    }),
    row!("index_select", IndexSelect, |c, op| {
        let rank = c.rank(op.x)?;
        let (axis, index) = (c.axis(op.axis, rank)?, index(c, op.index)?);
        c.add(ops::Gather::new(op.x, index).axis(axis))
    }, "index_select": "axis=.dim"),
    row!("lookup_table", LookupTable, |c, op| {
        let x = c.squeeze(op.ids, &[-1])?;
        embedding(c, Embedding { x, weight: op.w, padding_idx: op.padding_idx })
    }),
    row!("masked_select", MaskedSelect, masked_select, "masked_select": "out=Y"),
    row!("multiplex", Multiplex, multiplex, "multiplex": "inputs=X index=Ids"),
    row!(
        "nonzero",
        NonZero,
        |c, op| {
            let columns = c.add(ops::NonZero::new(op.condition))?;
            c.transpose(columns, &[1, 0])
        },
        "where_index"
    ),
    row!("one_hot", OneHot, one_hot, "one_hot_v2": "num_classes=depth_tensor,.depth"),
    row!("sequence_mask", SequenceMask, sequence_mask, "sequence_mask": "max_len=MaxLenTensor,.maxlen"),
    row!("take_along_axis", AlongAxis, |c, op| {
        let rank = c.rank(op.arr)?;
        let (axis, index) = (c.axis(op.axis, rank)?, index(c, op.indices)?);
        let arr = part_of(c, op.arr, index, axis)?;
        c.add(ops::GatherElements::new(arr, index).axis(axis))
    }, "take_along_axis": "arr=Input indices=Index axis=.Axis out=Result"),
    row!("trace", Diagonal, |c, op| {
        let diagonal = diagonal(c, op)?;
        let axes = c.ints(&[-1])?;
        c.add(ops::ReduceSum::new(diagonal, Some(axes)).keepdims(false))
    }, "trace": "x=Input"),
    row!("tril", Triangle, |c, op| triangle(c, op.x, op.diagonal, true)),
    row!("tril_triu", TrilTriu, |c, op| triangle(c, op.x, op.diagonal, op.lower)),
    row!("triu", Triangle, |c, op| triangle(c, op.x, op.diagonal, false)),
];

/// Indices in a type that graph ops take.
pub(super) fn index(c: &mut Call<'_, '_>, x: ValueId) -> Made {
    match c.dtype(x)? {
        DType::I32 | DType::I64 => Ok(x),
        _ => c.cast(x, DType::I64),
    }
}

/// The part of an operand that has the lengths of the indices on all axes but one.
fn part_of(c: &mut Call<'_, '_>, arr: ValueId, index: ValueId, axis: i64) -> Made {
    let rank = c.rank(arr)?;
    if c.rank(index)? != rank {
        return c.refuse("the indices have another number of axes than the operand");
    }
    let mut others = (0..rank).filter(|&i| i as i64 != axis);
    let same = |i: usize| matches!((c.dim(arr, i), c.dim(index, i)), (Some(a), Some(b)) if a == b);
    if others.all(same) {
        return Ok(arr);
    }
    let mut ends = vec![];
    for i in 0..rank {
        ends.push(match i as i64 == axis {
            true => c.ints(&[i64::MAX])?,
            false => c.dim_of(index, i)?,
        });
    }
    let (starts, ends) = (c.ints(&vec![0; rank])?, c.concat(&ends, 0)?);
    c.add(ops::Slice::new(arr, starts, ends, None, None))
}

/// Rows of a table. The row of the padding index is 0.
fn embedding(c: &mut Call<'_, '_>, op: Embedding) -> Made {
    let ids = index(c, op.x)?;
    let rows = c.add(ops::Gather::new(op.weight, ids))?;
    let padding = match op.padding_idx {
        -1 => return Ok(rows),
        padding if padding < 0 => match c.dim(op.weight, 0) {
            Some(n) => padding + n as i64,
            None => return c.refuse("the number of rows of the table is not known"),
        },
        padding => padding,
    };
    let padding = c.number_like(ids, padding as f64)?;
    let is_padding = c.add(ops::Equal::new(ids, padding))?;
    let is_padding = c.unsqueeze(is_padding, &[-1])?;
    let zero = c.number_like(rows, 0.0)?;
    c.add(ops::Where::new(is_padding, zero, rows))
}

fn masked_select(c: &mut Call<'_, '_>, op: MaskedSelect) -> Made {
    // The operands broadcast to each other.
    let equal = c.ty(op.x).dims().is_some() && c.ty(op.x).dims() == c.ty(op.mask).dims();
    let (mut x, mut mask) = (op.x, op.mask);
    if !equal {
        let (a, b) = (c.shape_of(x)?, c.shape_of(mask)?);
        x = c.expand(x, b)?;
        mask = c.expand(mask, a)?;
    }
    let (x, mask) = (c.vector(x)?, c.vector(mask)?);
    c.add(ops::Compress::new(x, mask))
}

fn one_hot(c: &mut Call<'_, '_>, op: OneHot) -> Made {
    let depth = op.num_classes.value(c)?;
    let dtype = c.declared_dtype().unwrap_or(DType::F32);
    let (zero, one) = (c.number(dtype, 0.0)?, c.number(dtype, 1.0)?);
    let (zero, one) = (c.reshape(zero, &[1])?, c.reshape(one, &[1])?);
    let values = c.concat(&[zero, one], 0)?;
    let depth = c.scalar(depth)?;
    // A class that does not exist is an error of the gather, as it is in Paddle; a one-hot op would wrap or ignore it.
    let x = c.cast(op.x, DType::I64)?;
    let (first, classes) = (c.number(DType::I64, 0.0)?, c.range(depth)?);
    let is_negative = c.add(ops::Less::new(x, first))?;
    let x = c.add(ops::Where::new(is_negative, depth, x))?;
    let x = c.add(ops::Gather::new(classes, x))?;
    c.add(ops::OneHot::new(x, depth, values))
}

fn triangle(c: &mut Call<'_, '_>, x: ValueId, diagonal: i64, lower: bool) -> Made {
    let dtype = c.dtype(x)?;
    let k = c.number(DType::I64, diagonal as f64)?;
    // Truth values as numbers.
    let numbers = if dtype == DType::Bool { c.cast(x, DType::U8)? } else { x };
    let y = c.add(ops::Trilu::new(numbers, Some(k)).upper(!lower))?;
    c.cast(y, dtype)
}

/// The elements (i, i + offset) of two axes, as a last axis.
fn diagonal(c: &mut Call<'_, '_>, op: Diagonal) -> Made {
    let rank = c.rank(op.x)?;
    let (a, b) = (c.axis(op.axis1, rank)?, c.axis(op.axis2, rank)?);
    if a == b {
        return c.refuse(format!("`axis1` and `axis2` are both {a}"));
    }
    c.within("offset", op.offset, -MOST_SIZE..=MOST_SIZE)?;
    let others = (0..rank as i64).filter(|&axis| axis != a && axis != b);
    let perm: Vec<i64> = [a, b].into_iter().chain(others).collect();
    let x = c.transpose(op.x, &perm)?;
    let (rows, columns) = (c.dim_of(x, 0)?, c.dim_of(x, 1)?);
    let (down, right) = (c.ints(&[(-op.offset).max(0)])?, c.ints(&[op.offset.max(0)])?);
    let (height, width) =
        (c.add(ops::Sub::new(rows, down))?, c.add(ops::Sub::new(columns, right))?);
    let zero = c.ints(&[0])?;
    let length = c.add(ops::Min::new(&[height, width]))?;
    let length = c.add(ops::Max::new(&[length, zero]))?;
    let places = c.range(length)?;
    let (i, j) = (c.add(ops::Add::new(places, down))?, c.add(ops::Add::new(places, right))?);
    let (i, j) = (c.unsqueeze(i, &[1])?, c.unsqueeze(j, &[1])?);
    let pairs = c.concat(&[i, j], 1)?;
    let found = c.add(ops::GatherND::new(x, pairs))?;
    let rank = rank as i64 - 1;
    let perm: Vec<i64> = (1..rank).chain([0]).collect();
    c.transpose(found, &perm)
}

/// A matrix with the vector on a diagonal, or the diagonal of a matrix.
fn diag(c: &mut Call<'_, '_>, op: Diag) -> Made {
    if c.rank(op.x)? == 2 {
        return diagonal(c, Diagonal { x: op.x, offset: op.offset, axis1: 0, axis2: 1 });
    }
    let x = c.vector(op.x)?;
    let padding = c.number_like(x, op.padding_value)?;
    on_diagonal(c, x, op.offset, padding)
}

/// Matrices, in the last two axes, that have the last axis of x on a diagonal.
fn on_diagonal(c: &mut Call<'_, '_>, x: ValueId, offset: i64, padding: ValueId) -> Made {
    let Some(last) = c.rank(x)?.checked_sub(1) else { return c.refuse("a scalar has no axis") };
    c.within("offset", offset, -MOST_SIZE..=MOST_SIZE)?;
    let (length, more) = (c.dim_of(x, last)?, c.ints(&[offset.abs()])?);
    let size = c.add(ops::Add::new(length, more))?;
    let places = c.range(size)?;
    let (rows, columns) = (c.unsqueeze(places, &[1])?, c.unsqueeze(places, &[0])?);
    let offset_value = c.number(DType::I64, offset as f64)?;
    let target = c.add(ops::Add::new(rows, offset_value))?;
    let is_there = c.add(ops::Equal::new(columns, target))?;
    // Row i holds element i, or element i + offset of a diagonal below the main one; others are padding.
    let front = c.ints(&[vec![0; last], vec![(-offset).max(0)]].concat())?;
    let back = c.ints(&[vec![0; last], vec![offset.max(0)]].concat())?;
    let pads = c.concat(&[front, back], 0)?;
    let column = c.add(ops::Pad::new(x, pads, None, None))?;
    let column = c.unsqueeze(column, &[-1])?;
    c.add(ops::Where::new(is_there, column, padding))
}

fn diag_embed(c: &mut Call<'_, '_>, op: DiagEmbed) -> Made {
    let padding = c.number_like(op.input, 0.0)?;
    let matrices = on_diagonal(c, op.input, op.offset, padding)?;
    let rank = c.rank(matrices)?;
    let (mut first, mut second) = (c.axis(op.dim1, rank)?, c.axis(op.dim2, rank)?);
    if first == second {
        return c.refuse(format!("`dim1` and `dim2` are both {first}"));
    }
    let mut sources = [rank as i64 - 2, rank as i64 - 1];
    if first > second {
        std::mem::swap(&mut first, &mut second);
        sources.swap(0, 1);
    }
    let mut others = 0..rank as i64 - 2;
    let perm: Vec<i64> = (0..rank as i64)
        .map(|axis| match axis {
            axis if axis == first => sources[0],
            axis if axis == second => sources[1],
            _ => others.next().unwrap_or(0),
        })
        .collect();
    c.transpose(matrices, &perm)
}

/// Whether the place along a new last axis is below the length.
fn sequence_mask(c: &mut Call<'_, '_>, op: SequenceMask) -> Made {
    let lengths = c.cast(op.x, DType::I64)?;
    let count = match op.max_len {
        Number::Int(n) if n < 0 => c.add(ops::ReduceMax::new(lengths, None).keepdims(false))?,
        count => count.value(c, DType::I64)?,
    };
    let count = c.vector(count)?;
    let places = c.range(count)?;
    let lengths = c.unsqueeze(lengths, &[-1])?;
    let inside = c.add(ops::Less::new(places, lengths))?;
    c.cast(inside, op.out_dtype.unwrap_or(DType::I64))
}

/// Row i of the operand that index i names.
fn multiplex(c: &mut Call<'_, '_>, op: Multiplex) -> Made {
    let mut stacked = vec![];
    for &x in &op.inputs {
        stacked.push(c.unsqueeze(x, &[0])?);
    }
    let stacked = c.concat(&stacked, 0)?;
    let which = c.cast(op.index, DType::I64)?;
    let which = c.reshape(which, &[-1, 1])?;
    let count = c.dim_of(which, 0)?;
    let rows = c.range(count)?;
    let rows = c.unsqueeze(rows, &[1])?;
    let pairs = c.concat(&[which, rows], 1)?;
    c.add(ops::GatherND::new(stacked, pairs))
}
