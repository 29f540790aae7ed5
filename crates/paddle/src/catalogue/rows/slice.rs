//! Ops that cut, join and repeat.

use crate::catalogue::field::{Ints, Number};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Outputs, Row};
use trident_ir::{DType, ValueId, ops};

signature! {
    Slice (input: ValueId, starts: Ints = [], ends: Ints = []) {
        axes: Vec<i64>, decrease_axis: Vec<i64> = [],
    } -> out
}

signature! {
    StridedSlice (x: ValueId, starts: Ints = [], ends: Ints = [], strides: Ints = []) {
        axes: Vec<i64>, decrease_axis: Vec<i64> = [],
    } -> out
}

signature! {
    Concat (x: Vec<ValueId>, axis: Number = 0i64) {} -> out
}

signature! {
    Stack (x: Vec<ValueId>) { axis: i64 = 0 } -> out
}

signature! {
    Unstack (x: ValueId) { axis: i64 = 0 } -> out
}

signature! {
    Unbind (input: ValueId) { axis: i64 = 0 } -> out
}

signature! {
    Split (x: ValueId, sections: Ints = [], axis: Number = 0i64) { num: i64 = 0 } -> out
}

signature! {
    SplitWithNum (x: ValueId, axis: Number = 0i64) { num: i64 = 0 } -> out
}

signature! {
    Crop (x: ValueId, shape: Ints = [], offsets: Ints = []) {} -> out
}

signature! {
    Flip (x: ValueId) { axis: Vec<i64> } -> out
}

signature! {
    Reverse (x: ValueId, axis: Ints = []) {} -> out
}

signature! {
    Roll (x: ValueId, shifts: Ints = []) { axis: Vec<i64> = [] } -> out
}

signature! {
    Repeat (x: ValueId) { repeats: i64 = 0, axis: i64 = 0, repeats_tensor: Option<ValueId> } -> out
}

signature! {
    RepeatBy (x: ValueId, repeats: ValueId) { axis: i64 = 0 } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("concat", Concat, concat, "concat": "axis=AxisTensor,.axis"),
    row!("crop", Crop, crop, "crop_tensor": "shape=ShapeTensor,Shape,.shape offsets=OffsetsTensor,Offsets,.offsets"),
    row!("flip", Flip, |c, op| reversed(c, op.x, &op.axis)),
    row!("repeat_interleave", Repeat, repeat, "repeat_interleave": "repeats=.Repeats axis=.dim repeats_tensor=RepeatsTensor,RepeatTensor"),
    row!("repeat_interleave_with_tensor_index", RepeatBy, repeat_by, "repeat_interleave_with_tensor_index": "repeats=RepeatTensor,RepeatsTensor axis=.dim"),
    row!("reverse", Reverse, |c, op| {
        let axes = op.axis.known("axis")?.to_vec();
        reversed(c, op.x, &axes)
    }),
    row!("roll", Roll, roll, "roll": "shifts=ShiftsTensor,.shifts"),
    row!("slice", Slice, slice, "slice": "input=Input starts=StartsTensor,StartsTensorList,.starts ends=EndsTensor,EndsTensorList,.ends"),
    row!("split", Split, split, "split": "sections=SectionsTensorList,.sections axis=AxisTensor,.axis"),
    row!("split_with_num", SplitWithNum, |c, op| parts(c, op.x, op.axis, op.num)),
    row!("stack", Stack, stack, "stack": "out=Y"),
    row!("strided_slice", StridedSlice, strided_slice, "strided_slice": "x=Input starts=StartsTensor,StartsTensorList,.starts ends=EndsTensor,EndsTensorList,.ends strides=StridesTensor,StridesTensorList,.strides"),
    row!("unbind", Unbind, |c, op| single_slices(c, op.input, op.axis), "unbind": "input=X"),
    row!("unstack", Unstack, |c, op| single_slices(c, op.x, op.axis), "unstack": "out=Y"),
];

fn slice(c: &mut Call<'_, '_>, op: Slice) -> Made {
    let (starts, ends) = (op.starts.value(c)?, op.ends.value(c)?);
    cut(c, op.input, [starts, ends], None, &op.axes, &op.decrease_axis)
}

fn strided_slice(c: &mut Call<'_, '_>, mut op: StridedSlice) -> Made {
    if c.is_of_paddle_2() {
        op.ends = ends_of_paddle_2(c, op.x, &op.axes, &op.ends, ("strides", &op.strides), true)?;
    }
    let (starts, ends) = (op.starts.value(c)?, op.ends.value(c)?);
    let strides = op.strides.value(c)?;
    cut(c, op.x, [starts, ends], Some(strides), &op.axes, &op.decrease_axis)
}

/// The ends as newer programs have them. In Paddle 2, a slice backwards that ends at −1 goes through the first element. One
/// that ends at a number before the first element goes through it too, or stops before it if `stops`.
pub(super) fn ends_of_paddle_2(
    c: &Call<'_, '_>,
    x: ValueId,
    axes: &[i64],
    ends: &Ints,
    (name, strides): (&str, &Ints),
    stops: bool,
) -> Made<Ints> {
    let strides = strides.known(name)?;
    if strides.iter().all(|&stride| stride > 0) {
        return Ok(ends.clone());
    }
    let rank = c.rank(x)?;
    let axes = c.axes(axes, rank)?;
    let mut ends = ends.known("ends")?.to_vec();
    for ((end, &stride), &axis) in ends.iter_mut().zip(strides).zip(&axes) {
        if stride > 0 || *end >= 0 {
            continue;
        }
        *end = match (*end, c.dim(x, axis as usize)) {
            (-1, _) => i64::MIN,
            (end, Some(n)) => match end.saturating_add(n as i64) {
                end if end >= 0 => end,
                _ if stops => 0,
                _ => i64::MIN,
            },
            (_, None) => return c.refuse("a slice backwards to a negative end needs a fixed size"),
        };
    }
    Ok(Ints::Known(ends))
}

/// Cuts along axes, and removes those of `decrease`.
fn cut(
    c: &mut Call<'_, '_>,
    x: ValueId,
    [starts, ends]: [ValueId; 2],
    strides: Option<ValueId>,
    axes: &[i64],
    decrease: &[i64],
) -> Made {
    let rank = c.rank(x)?;
    let axes = c.axes(axes, rank)?;
    let axes = c.ints(&axes)?;
    let y = c.add(ops::Slice::new(x, starts, ends, Some(axes), strides))?;
    let decrease = c.axes(decrease, rank)?;
    c.squeeze(y, &decrease)
}

fn concat(c: &mut Call<'_, '_>, op: Concat) -> Made {
    let axis = op.axis.int("axis")?;
    // Empty vectors of older programs do not count.
    let mut ranks = vec![];
    for &x in &op.x {
        ranks.push(c.rank(x)?);
    }
    let most = ranks.iter().copied().max().unwrap_or(0);
    let is_empty = |c: &Call<'_, '_>, x: ValueId| c.ty(x).dims().is_some_and(|dims| dims == [0]);
    let parts: Vec<ValueId> =
        op.x.iter().copied().filter(|&x| most <= 1 || !is_empty(c, x)).collect();
    let axis = c.axis(axis, most)?;
    c.add(ops::Concat::new(&parts).axis(axis))
}

fn stack(c: &mut Call<'_, '_>, op: Stack) -> Made {
    let Some(&first) = op.x.first() else { return c.refuse("it has no operands") };
    let rank = c.rank(first)?;
    let axis = c.axis(op.axis, rank + 1)?;
    let mut parts = vec![];
    for x in op.x {
        parts.push(c.unsqueeze(x, &[axis])?);
    }
    c.add(ops::Concat::new(&parts).axis(axis))
}

/// The slices along an axis, without the axis.
fn single_slices(c: &mut Call<'_, '_>, x: ValueId, axis: i64) -> Made<Outputs> {
    let rank = c.rank(x)?;
    let axis = c.axis(axis, rank)?;
    let count = c.dim(x, axis as usize).or(c.declared_len(0));
    let Some(count) = count else { return c.refuse("the number of slices is not known") };
    let count = c.count(count as i64)?;
    let sizes = c.ints(&vec![1; count])?;
    let slices = match count {
        0 => vec![],
        _ => c.add_all(ops::Split::new(x, Some(sizes)).axis(axis), count)?,
    };
    let mut found = vec![];
    for slice in slices {
        found.push(c.squeeze(slice, &[axis])?);
    }
    Ok(found.into())
}

/// Equal parts along an axis.
fn parts(c: &mut Call<'_, '_>, x: ValueId, axis: Number, num: i64) -> Made<Outputs> {
    let rank = c.rank(x)?;
    let axis = c.axis(axis.int("axis")?, rank)?;
    let count = c.count(num)?;
    if count == 0 {
        return c.refuse("the number of parts is 0");
    }
    if let Some(n) = c.dim(x, axis as usize)
        && n % count != 0
    {
        return c.refuse(format!("an axis of {n} does not divide into {count} equal parts"));
    }
    let split = ops::Split::new(x, None).axis(axis).num_outputs(num);
    Ok(c.add_all(split, count)?.into())
}

/// Parts of given sizes along an axis; one size may be −1. Older programs state a number of equal parts instead.
fn split(c: &mut Call<'_, '_>, op: Split) -> Made<Outputs> {
    let sizes = match &op.sections {
        Ints::Known(sizes) if sizes.is_empty() => return parts(c, op.x, op.axis, op.num),
        sizes => sizes.clone(),
    };
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis.int("axis")?, rank)?;
    let (sizes, count) = match sizes {
        Ints::Known(sizes) => {
            let count = sizes.len();
            for &n in &sizes {
                c.within("sections", n, -1..=MOST_SIZE)?;
            }
            let rest: i64 = sizes.iter().filter(|&&n| n >= 0).sum();
            match sizes.iter().position(|&n| n < 0) {
                None => (c.ints(&sizes)?, count),
                Some(at) => {
                    let (length, others) = (c.dim_of(op.x, axis as usize)?, c.ints(&[rest])?);
                    let missing = c.add(ops::Sub::new(length, others))?;
                    let (before, after) = (c.ints(&sizes[..at])?, c.ints(&sizes[at + 1..])?);
                    (c.concat(&[before, missing, after], 0)?, count)
                }
            }
        }
        Ints::Computed(sizes) => match c.dim(sizes, 0).or(c.declared_len(0)) {
            Some(count) => {
                // One of them may be −1.
                let zero = c.ints(&[0])?;
                let stated = c.add(ops::Max::new(&[sizes, zero]))?;
                let stated = c.add(ops::ReduceSum::new(stated, None))?;
                let length = c.dim_of(op.x, axis as usize)?;
                let missing = c.add(ops::Sub::new(length, stated))?;
                let open = c.add(ops::Less::new(sizes, zero))?;
                (c.add(ops::Where::new(open, missing, sizes))?, count)
            }
            None => return c.refuse("the number of parts is not known"),
        },
    };
    Ok(c.add_all(ops::Split::new(op.x, Some(sizes)).axis(axis), count)?.into())
}

/// A box of a shape at an offset; −1 reaches to the end of an axis.
fn crop(c: &mut Call<'_, '_>, op: Crop) -> Made {
    let (shape, starts) = (op.shape.value(c)?, op.offsets.value(c)?);
    let own = c.shape_of(op.x)?;
    let rest = c.add(ops::Sub::new(own, starts))?;
    let minus = c.number(DType::I64, -1.0)?;
    let open = c.add(ops::Equal::new(shape, minus))?;
    let sizes = c.add(ops::Where::new(open, rest, shape))?;
    let ends = c.add(ops::Add::new(starts, sizes))?;
    c.add(ops::Slice::new(op.x, starts, ends, None, None))
}

/// The elements in reverse order along axes.
pub(super) fn reversed(c: &mut Call<'_, '_>, x: ValueId, axes: &[i64]) -> Made {
    let rank = c.rank(x)?;
    let axes = c.axes(axes, rank)?;
    let n = axes.len();
    let (starts, ends) = (c.ints(&vec![-1; n])?, c.ints(&vec![i64::MIN; n])?);
    let (axes, steps) = (c.ints(&axes)?, c.ints(&vec![-1; n])?);
    c.add(ops::Slice::new(x, starts, ends, Some(axes), Some(steps)))
}

/// Moves elements along axes, those from the end to the beginning. Without axes, of the flattened tensor.
fn roll(c: &mut Call<'_, '_>, op: Roll) -> Made {
    let shifts = op.shifts.known("shifts")?.to_vec();
    if op.axis.is_empty() {
        let flat = c.vector(op.x)?;
        let mut rolled = flat;
        for shift in shifts {
            rolled = rolled_along(c, rolled, 0, shift)?;
        }
        let shape = c.shape_of(op.x)?;
        return c.reshape_to(rolled, shape);
    }
    let rank = c.rank(op.x)?;
    let mut rolled = op.x;
    for (axis, &shift) in c.axes(&op.axis, rank)?.into_iter().zip(&shifts) {
        rolled = rolled_along(c, rolled, axis, shift)?;
    }
    Ok(rolled)
}

fn rolled_along(c: &mut Call<'_, '_>, x: ValueId, axis: i64, shift: i64) -> Made {
    let split = match c.dim(x, axis as usize) {
        Some(0) => return Ok(x),
        Some(n) => c.ints(&[n as i64 - shift.rem_euclid(n as i64)])?,
        None => {
            let (length, shift) = (c.dim_of(x, axis as usize)?, c.ints(&[shift])?);
            let shift = c.add(ops::Mod::new(shift, length))?;
            c.add(ops::Sub::new(length, shift))?
        }
    };
    let (zero, end, axes) = (c.ints(&[0])?, c.ints(&[i64::MAX])?, c.ints(&[axis])?);
    let first = c.add(ops::Slice::new(x, split, end, Some(axes), None))?;
    let last = c.add(ops::Slice::new(x, zero, split, Some(axes), None))?;
    c.concat(&[first, last], axis)
}

/// Every slice along an axis several times, one after another.
fn repeat(c: &mut Call<'_, '_>, op: Repeat) -> Made {
    if let Some(repeats) = op.repeats_tensor {
        return repeat_by(c, RepeatBy { x: op.x, repeats, axis: op.axis });
    }
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis, rank)?;
    let apart = c.unsqueeze(op.x, &[axis + 1])?;
    let mut times = vec![1; rank + 1];
    times[axis as usize + 1] = op.repeats;
    let times = c.ints(&times)?;
    let repeated = c.add(ops::Tile::new(apart, times))?;
    let own = c.shape_of(op.x)?;
    let mut factors = vec![1; rank];
    factors[axis as usize] = op.repeats;
    let factors = c.ints(&factors)?;
    let shape = c.add(ops::Mul::new(own, factors))?;
    c.reshape_to(repeated, shape)
}

/// Every slice along an axis as often as an operand says: slice i is at the places where i of the running sums are
/// reached.
fn repeat_by(c: &mut Call<'_, '_>, op: RepeatBy) -> Made {
    let rank = c.rank(op.x)?;
    let axis = c.axis(op.axis, rank)?;
    let counts = c.cast(op.repeats, DType::I64)?;
    let zero = c.number(DType::I64, 0.0)?;
    let ends = c.add(ops::CumSum::new(counts, zero))?;
    let total = c.add(ops::ReduceSum::new(counts, None).keepdims(true))?;
    let places = c.range(total)?;
    let (ends, places) = (c.unsqueeze(ends, &[0])?, c.unsqueeze(places, &[1])?);
    let passed = c.add(ops::LessOrEqual::new(ends, places))?;
    let passed = c.cast(passed, DType::I64)?;
    let axes = c.ints(&[1])?;
    let index = c.add(ops::ReduceSum::new(passed, Some(axes)).keepdims(false))?;
    c.add(ops::Gather::new(op.x, index).axis(axis))
}
