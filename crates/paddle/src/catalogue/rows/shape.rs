//! Ops that change dimensions, and read them.

use crate::catalogue::field::Ints;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Out, Outputs, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    Reshape (x: ValueId, shape: Ints = []) {} -> out
}

signature! {
    ViewShape (input: ValueId) { dims: Vec<i64> } -> out
}

signature! {
    Axes (x: ValueId, axis: Ints = []) {} -> out
}

signature! {
    Transpose (x: ValueId) { perm: Vec<i64> = [] } -> out
}

signature! {
    Flatten (x: ValueId) { start_axis: i64 = 1, stop_axis: i64 = 1 } -> out
}

signature! {
    /// The first axes as rows, the others as columns.
    Matrix (x: ValueId) { axis: i64 = 1 } -> out
}

signature! {
    Shape (input: ValueId) {} -> out
}

signature! {
    Expand (x: ValueId, shape: Ints = []) {} -> out
}

signature! {
    ExpandAs (x: ValueId, y: Option<ValueId>) { target_shape: Vec<i64> = [] } -> out
}

signature! {
    Tile (x: ValueId, repeat_times: Ints = []) {} -> out
}

signature! {
    Tensors (input: Vec<ValueId>) {} -> out
}

signature! {
    Meshgrid (inputs: Vec<ValueId>) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("broadcast_tensors", Tensors, broadcast, "broadcast_tensors": "input=X"),
    row!("expand", Expand, expand, "expand_v2": "shape=Shape,expand_shapes_tensor,.shape"),
    row!("expand_as", ExpandAs, |c, op| {
        let shape = match op.y {
            Some(y) => c.shape_of(y)?,
            None => c.ints(&op.target_shape)?,
        };
        c.expand(op.x, shape)
    }, "expand_as_v2", "expand_as": "y=target_tensor,Y"),
    row!("flatten", Flatten, flatten, "flatten_contiguous_range"),
    row!("flatten2", Matrix, |c, op| c.add(ops::Flatten::new(op.x).axis(op.axis))),
    row!("legacy_expand", Tile, tile, "expand": "repeat_times=ExpandTimes,expand_times_tensor,.expand_times"),
    row!("meshgrid", Meshgrid, meshgrid, "meshgrid": "inputs=X"),
    row!("reshape", Reshape, reshape, "reshape2": "shape=ShapeTensor,Shape,.shape", "reshape": "shape=ShapeTensor,Shape,.shape"),
    row!("shape", Shape, |c, op| {
        let shape = c.shape_of(op.input)?;
        c.cast(shape, DType::I32)
    }),
    row!("shape64", Shape, |c, op| c.shape_of(op.input)),
    row!("squeeze", Axes, squeeze, "squeeze2": "axis=.axes", "squeeze": "axis=.axes"),
    row!("tile", Tile, tile, "tile": "repeat_times=repeat_times_tensor,RepeatTimes,.repeat_times"),
    row!("transpose", Transpose, |c, op| {
        let rank = c.rank(op.x)?;
        let perm = c.axes(&op.perm, rank)?;
        c.add(ops::Transpose::new(op.x).perm(perm))
    }, "transpose2": "perm=.axis", "transpose": "perm=.axis"),
    row!("unsqueeze", Axes, unsqueeze, "unsqueeze2": "axis=AxesTensorList,AxesTensor,.axes", "unsqueeze": "axis=.axes"),
    row!("view_shape", ViewShape, |c, op| c.reshape(op.input, &op.dims)),
];

/// 0 copies a dimension and −1 is inferred.
fn reshape(c: &mut Call<'_, '_>, op: Reshape) -> Made {
    match op.shape {
        Ints::Known(dims) => c.reshape(op.x, &dims),
        Ints::Computed(shape) => c.add(ops::Reshape::new(op.x, shape)),
    }
}

/// Removes the named axes that have length 1, all such axes if none is named. An axis of unknown length is removed if
/// the program declares a result without it.
fn squeeze(c: &mut Call<'_, '_>, op: Axes) -> Made {
    let rank = c.rank(op.x)?;
    let named = op.axis.known("axis")?;
    let named = match named {
        [] => (0..rank as i64).collect(),
        named => c.axes(named, rank)?,
    };
    let (mut sure, mut open) = (vec![], vec![]);
    for axis in named {
        match c.dim(op.x, axis as usize) {
            Some(1) if !sure.contains(&axis) => sure.push(axis),
            None if !open.contains(&axis) => open.push(axis),
            _ => {}
        }
    }
    let left = rank - sure.len();
    let declared = c.declared(0).and_then(|info| info.dims.as_ref().map(|dims| dims.len()));
    match declared {
        _ if open.is_empty() => {}
        Some(declared) if declared + open.len() == left => sure.append(&mut open),
        Some(declared) if declared == left => {}
        _ => return c.refuse("it is not known which axes have length 1"),
    }
    sure.sort_unstable();
    // Paddle looks for axes of length 1 on each run.
    let x = longer_than_one(c, op.x, &open)?;
    match sure.is_empty() {
        true => c.add(ops::Identity::new(x)),
        false => c.squeeze(x, &sure),
    }
}

/// The operand, or an error of a run in which one of these axes has length 1: the place 1 of a vector of one element.
fn longer_than_one(c: &mut Call<'_, '_>, x: ValueId, axes: &[i64]) -> Made {
    let mut x = x;
    for &axis in axes {
        let (length, one) = (c.dim_of(x, axis as usize)?, c.ints(&[1])?);
        let is_one = c.add(ops::Equal::new(length, one))?;
        let place = c.cast(is_one, DType::I64)?;
        let (zero, end, axes) = (c.ints(&[0])?, c.ints(&[i64::MAX])?, c.ints(&[axis])?);
        let start = c.add(ops::Gather::new(zero, place))?;
        x = c.add(ops::Slice::new(x, start, end, Some(axes), None))?;
    }
    Ok(x)
}

/// Axes are inserted one after another: each counts those before it.
fn unsqueeze(c: &mut Call<'_, '_>, op: Axes) -> Made {
    let rank = c.rank(op.x)?;
    let mut is_new = vec![false; rank];
    for &axis in op.axis.known("axis")? {
        let at = if axis < 0 { axis + is_new.len() as i64 + 1 } else { axis };
        match usize::try_from(at) {
            Ok(at) if at <= is_new.len() => is_new.insert(at, true),
            _ => return c.refuse(format!("axis {axis} of a tensor with {rank} axes")),
        }
    }
    let axes: Vec<i64> = (0..is_new.len()).filter(|&i| is_new[i]).map(|i| i as i64).collect();
    match axes.is_empty() {
        true => c.add(ops::Identity::new(op.x)),
        false => c.unsqueeze(op.x, &axes),
    }
}

/// Joins the axes from `start_axis` to `stop_axis`; a scalar becomes a vector.
fn flatten(c: &mut Call<'_, '_>, op: Flatten) -> Made {
    let rank = c.rank(op.x)?;
    if rank == 0 {
        return c.reshape(op.x, &[1]);
    }
    let (start, stop) = (c.axis(op.start_axis, rank)?, c.axis(op.stop_axis, rank)?);
    if start > stop {
        return c.refuse(format!("`start_axis` {start} is behind `stop_axis` {stop}"));
    }
    // Sizes that are known, and the others from the operand, in case one of them is 0.
    let dims: Option<Vec<i64>> =
        (0..rank).map(|axis| c.dim(op.x, axis).map(|n| n as i64)).collect();
    if let Some(dims) = dims {
        let (before, after) = (&dims[..start as usize], &dims[stop as usize + 1..]);
        let mut joined = dims[start as usize..=stop as usize].iter();
        if let Some(joined) = joined.try_fold(1i64, |joined, &n| joined.checked_mul(n)) {
            let shape = c.ints(&[before, &[joined], after].concat())?;
            return c.reshape_to(op.x, shape);
        }
    }
    if stop as usize + 1 == rank {
        let mut shape = vec![0; start as usize];
        shape.push(-1);
        return c.reshape(op.x, &shape);
    }
    let head = c.ints(&[vec![0; start as usize], vec![-1]].concat())?;
    let tail = c.add(ops::Shape::new(op.x).start(stop + 1))?;
    let shape = c.concat(&[head, tail], 0)?;
    c.add(ops::Reshape::new(op.x, shape))
}

/// −1 keeps a dimension.
fn expand(c: &mut Call<'_, '_>, op: Expand) -> Made {
    let shape = match op.shape {
        Ints::Known(sizes) => {
            let sizes: Vec<i64> = sizes.into_iter().map(|n| if n == -1 { 1 } else { n }).collect();
            c.ints(&sizes)?
        }
        Ints::Computed(sizes) => {
            let (keep, one) = (c.number(DType::I64, -1.0)?, c.number(DType::I64, 1.0)?);
            let keeps = c.add(ops::Equal::new(sizes, keep))?;
            c.add(ops::Where::new(keeps, one, sizes))?
        }
    };
    c.expand(op.x, shape)
}

/// Repeats each axis; the shorter of dimensions and repeats is filled with ones in front.
fn tile(c: &mut Call<'_, '_>, op: Tile) -> Made {
    let rank = c.rank(op.x)?;
    let repeats = op.repeat_times.value(c)?;
    let Some(count) = c.dim(repeats, 0) else {
        return c.refuse("the number of entries of `repeat_times` is not known");
    };
    let (mut x, mut repeats) = (op.x, repeats);
    if count > rank {
        let axes: Vec<i64> = (0..(count - rank) as i64).collect();
        x = c.unsqueeze(x, &axes)?;
    } else if count < rank {
        let ones = c.ints(&vec![1; rank - count])?;
        repeats = c.concat(&[ones, repeats], 0)?;
    }
    c.add(ops::Tile::new(x, repeats))
}

/// Every operand in the shape that all broadcast to.
fn broadcast(c: &mut Call<'_, '_>, op: Tensors) -> Made<Outputs> {
    let mut zero = None;
    for &x in &op.input {
        let number = c.cast(x, DType::Bool)?;
        let number = c.cast(number, DType::I32)?;
        zero = Some(match zero {
            None => number,
            Some(sum) => c.add(ops::Add::new(sum, number))?,
        });
    }
    let Some(all) = zero else { return Ok(Outputs(vec![Out::List(vec![])])) };
    let shape = c.shape_of(all)?;
    let mut parts = vec![];
    for x in op.input {
        parts.push(c.expand(x, shape)?);
    }
    Ok(parts.into())
}

/// Each vector along its own axis, repeated along those of the others.
fn meshgrid(c: &mut Call<'_, '_>, op: Meshgrid) -> Made<Outputs> {
    let count = op.inputs.len();
    let (mut vectors, mut lengths) = (vec![], vec![]);
    for &x in &op.inputs {
        let x = c.vector(x)?;
        lengths.push(c.shape_of(x)?);
        vectors.push(x);
    }
    let shape = c.concat(&lengths, 0)?;
    let mut grids = vec![];
    for (i, x) in vectors.into_iter().enumerate() {
        let axes: Vec<i64> = (0..count).filter(|&axis| axis != i).map(|axis| axis as i64).collect();
        let x = c.unsqueeze(x, &axes)?;
        grids.push(c.expand(x, shape)?);
    }
    Ok(grids.into())
}
