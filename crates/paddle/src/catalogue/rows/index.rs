//! Ops that write elements and slices into a copy of a tensor.

use super::gather::index as as_index;
use super::slice::ends_of_paddle_2;
use crate::catalogue::field::{Ints, Number, Values};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::op::words::ScatterReduction;
use trident_ir::{DType, ValueId, ops};

signature! {
    Scatter (x: ValueId, index: ValueId, updates: ValueId) { overwrite: bool = true } -> out
}

signature! {
    ScatterNdAdd (x: ValueId, index: ValueId, updates: ValueId) {} -> out
}

signature! {
    PutAlongAxis (arr: ValueId, indices: ValueId, values: ValueId) {
        axis: i64 = 0, reduce: String = "assign", include_self: bool = true,
    } -> out
}

signature! {
    IndexAdd (x: ValueId, index: ValueId, add_value: ValueId) { axis: i64 = 0 } -> out
}

signature! {
    IndexPut (x: ValueId, indices: Vec<ValueId>, value: ValueId) { accumulate: bool = false } -> out
}

signature! {
    SetValue (x: ValueId, starts: Ints = [], ends: Ints = [], steps: Ints = []) {
        axes: Vec<i64>, decrease_axes: Vec<i64> = [], none_axes: Vec<i64> = [], shape: Vec<i64> = [],
        values: Values, value_tensor: Option<ValueId>,
    } -> out
}

signature! {
    SetTensor (x: ValueId, values: ValueId, starts: Ints = [], ends: Ints = [], steps: Ints = []) {
        axes: Vec<i64>, decrease_axes: Vec<i64> = [], none_axes: Vec<i64> = [],
    } -> out
}

signature! {
    FillDiagonal (x: ValueId) { value: f64 = 0.0, offset: i64 = 0, wrap: bool = false } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("fill_diagonal", FillDiagonal, fill_diagonal),
    row!("index_add", IndexAdd, index_add),
    row!("index_put", IndexPut, index_put),
    row!("put_along_axis", PutAlongAxis, put_along_axis, "put_along_axis": "arr=Input indices=Index values=Value axis=.Axis reduce=.Reduce include_self=.Include_self out=Result"),
    row!("scatter", Scatter, scatter, "scatter": "index=Ids"),
    row!("scatter_nd_add", ScatterNdAdd, |c, op| {
        let index = c.cast(op.index, DType::I64)?;
        c.add(ops::ScatterND::new(op.x, index, op.updates).reduction(ScatterReduction::Add))
    }),
    row!("set_value", SetValue, set_value, "set_value": "x=Input starts=StartsTensorList,.starts ends=EndsTensorList,.ends steps=StepsTensorList,.steps values=.values,.fp32_values,.fp64_values,.int32_values,.int64_values,.bool_values,.fp16_values value_tensor=ValueTensor"),
    row!("set_value_with_tensor", SetTensor, |c, op| {
        let SetTensor { x, values, starts, ends, steps, axes, decrease_axes, none_axes } = op;
        write(c, x, values, [starts, ends, steps], &axes, &decrease_axes, &none_axes)
    }, "set_value_with_tensor": "x=Input values=ValueTensor starts=StartsTensorList,.starts ends=EndsTensorList,.ends steps=StepsTensorList,.steps"),
];

/// Rows of x at indices replaced by updates. Without `overwrite`, the rows become the sums of their updates.
fn scatter(c: &mut Call<'_, '_>, op: Scatter) -> Made {
    let index = c.cast(op.index, DType::I64)?;
    let index = c.reshape(index, &[-1, 1])?;
    if op.overwrite {
        return c.add(ops::ScatterND::new(op.x, index, op.updates));
    }
    let zero = c.number_like(op.updates, 0.0)?;
    let shape = c.shape_of(op.updates)?;
    let zeros = c.expand(zero, shape)?;
    let cleared = c.add(ops::ScatterND::new(op.x, index, zeros))?;
    c.add(ops::ScatterND::new(cleared, index, op.updates).reduction(ScatterReduction::Add))
}

fn put_along_axis(c: &mut Call<'_, '_>, op: PutAlongAxis) -> Made {
    let rank = c.rank(op.arr)?;
    let axis = c.axis(op.axis, rank)?;
    let reduction = match &*op.reduce {
        "assign" => ScatterReduction::Replace,
        "add" => ScatterReduction::Add,
        "mul" | "multiply" => ScatterReduction::Mul,
        "amax" => ScatterReduction::Max,
        "amin" => ScatterReduction::Min,
        other => {
            return c
                .refuse(format!("`reduce` is `{other}`, expected assign, add, mul, amax or amin"));
        }
    };
    if !op.include_self && reduction != ScatterReduction::Replace {
        return c.refuse("`include_self` false is not supported");
    }
    let index = as_index(c, op.indices)?;
    // Values broadcast to the indices.
    let shape = c.shape_of(index)?;
    let values = match c.ty(op.values).dims() == c.ty(index).dims() && c.ty(index).dims().is_some()
    {
        true => op.values,
        false => c.expand(op.values, shape)?,
    };
    c.add(ops::ScatterElements::new(op.arr, index, values).axis(axis).reduction(reduction))
}

/// A tensor with one axis moved to the front.
fn to_front(c: &mut Call<'_, '_>, x: ValueId, axis: i64) -> Made {
    let rank = c.rank(x)? as i64;
    let perm: Vec<i64> =
        [axis].into_iter().chain((0..rank).filter(|&other| other != axis)).collect();
    c.transpose(x, &perm)
}

/// The inverse of [`to_front`].
fn from_front(c: &mut Call<'_, '_>, x: ValueId, axis: i64) -> Made {
    let rank = c.rank(x)? as i64;
    let place = |other: i64| match other.cmp(&axis) {
        std::cmp::Ordering::Less => other + 1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => other,
    };
    let perm: Vec<i64> = (0..rank).map(place).collect();
    c.transpose(x, &perm)
}

fn index_add(c: &mut Call<'_, '_>, op: IndexAdd) -> Made {
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis, rank)?;
    let (x, updates) = (to_front(c, op.x, axis)?, to_front(c, op.add_value, axis)?);
    let index = c.cast(op.index, DType::I64)?;
    let index = c.reshape(index, &[-1, 1])?;
    let sum = c.add(ops::ScatterND::new(x, index, updates).reduction(ScatterReduction::Add))?;
    from_front(c, sum, axis)
}

/// Elements at index tuples replaced, or added to. A mask of truth values stands for the indices where it holds.
fn index_put(c: &mut Call<'_, '_>, op: IndexPut) -> Made {
    let mut columns = vec![];
    for &part in &op.indices {
        if c.dtype(part)? == DType::Bool {
            let rank = c.rank(part)?;
            let places = c.add(ops::NonZero::new(part))?;
            for axis in 0..rank as i64 {
                let row = c.slice(places, 0, axis, axis + 1)?;
                columns.push(c.squeeze(row, &[0])?);
            }
        } else {
            columns.push(c.cast(part, DType::I64)?);
        }
    }
    // Indices broadcast to each other.
    let mut shape = None;
    for &column in &columns {
        shape = Some(match shape {
            None => column,
            Some(sum) => c.add(ops::Add::new(sum, column))?,
        });
    }
    let Some(all) = shape else { return c.refuse("it has no indices") };
    let shape = c.shape_of(all)?;
    let count = columns.len();
    let mut tuples = vec![];
    for column in columns {
        let column = c.expand(column, shape)?;
        tuples.push(c.unsqueeze(column, &[-1])?);
    }
    let tuples = c.concat(&tuples, -1)?;
    let rest = c.add(ops::Shape::new(op.x).start(count as i64))?;
    let whole = c.concat(&[shape, rest], 0)?;
    let values = c.expand(op.value, whole)?;
    let reduction = if op.accumulate { ScatterReduction::Add } else { ScatterReduction::Replace };
    c.add(ops::ScatterND::new(op.x, tuples, values).reduction(reduction))
}

fn set_value(c: &mut Call<'_, '_>, op: SetValue) -> Made {
    let dtype = c.dtype(op.x)?;
    let value = match op.value_tensor {
        Some(value) => value,
        None => super::create::constant(c, &op.values.0, &op.shape, dtype)?,
    };
    write(
        c,
        op.x,
        value,
        [op.starts, op.ends, op.steps],
        &op.axes,
        &op.decrease_axes,
        &op.none_axes,
    )
}

/// A copy of x with a part replaced: `x[starts:ends:steps] = values`.
fn write(
    c: &mut Call<'_, '_>,
    x: ValueId,
    values: ValueId,
    [starts, ends, steps]: [Ints; 3],
    axes: &[i64],
    decrease: &[i64],
    none: &[i64],
) -> Made {
    let rank = c.rank(x)?;
    let dtype = c.dtype(x)?;
    let axes = c.axes(axes, rank)?;
    let ends = match c.is_of_paddle_2() {
        true => ends_of_paddle_2(c, x, &axes, &ends, ("steps", &steps), false)?,
        false => ends,
    };
    // The places of the part in the flattened tensor.
    let (shape, size) = (c.shape_of(x)?, c.add(ops::Size::new(x))?);
    let size = c.vector(size)?;
    let places = c.range(size)?;
    let places = c.reshape_to(places, shape)?;
    let (starts, ends, steps) = (starts.value(c)?, ends.value(c)?, steps.value(c)?);
    let axes = c.ints(&axes)?;
    let mut part = c.add(ops::Slice::new(places, starts, ends, Some(axes), Some(steps)))?;
    let decrease = c.axes(decrease, rank)?;
    part = c.squeeze(part, &decrease)?;
    // New axes of length 1, counted before the ones above were removed.
    let none = c.axes(none, rank + none.len())?;
    let shifted: Vec<i64> = none
        .iter()
        .map(|&axis| axis - decrease.iter().filter(|&&gone| gone < axis).count() as i64)
        .collect();
    let shifted: Vec<i64> = shifted.iter().enumerate().map(|(i, axis)| axis + i as i64).collect();
    part = c.unsqueeze(part, &shifted)?;
    let part_shape = c.shape_of(part)?;
    let values = c.cast(values, dtype)?;
    let part_rank = c.rank(part)?;
    // Leading axes of length 1 that the part does not have.
    let surplus = c.rank(values)?.saturating_sub(part_rank);
    let values = c.squeeze(values, &(0..surplus as i64).collect::<Vec<_>>())?;
    let values = c.expand(values, part_shape)?;
    let (values, part, flat) = (c.vector(values)?, c.vector(part)?, c.vector(x)?);
    let written = c.add(ops::ScatterElements::new(flat, part, values))?;
    c.reshape_to(written, shape)
}

/// A matrix with a number on a diagonal.
fn fill_diagonal(c: &mut Call<'_, '_>, op: FillDiagonal) -> Made {
    if c.rank(op.x)? != 2 || op.wrap {
        return c.refuse("only matrices without `wrap` are supported");
    }
    let (rows, columns) = (c.dim_of(op.x, 0)?, c.dim_of(op.x, 1)?);
    let (rows, columns) = (c.range(rows)?, c.range(columns)?);
    let rows = c.unsqueeze(rows, &[1])?;
    let offset = Number::Int(op.offset).value(c, DType::I64)?;
    let target = c.add(ops::Add::new(rows, offset))?;
    let is_there = c.add(ops::Equal::new(columns, target))?;
    let value = c.number_like(op.x, op.value)?;
    c.add(ops::Where::new(is_there, value, op.x))
}
