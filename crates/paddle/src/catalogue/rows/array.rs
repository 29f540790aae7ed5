//! Tensor arrays, which are sequences, and the choice between values.

use crate::catalogue::field::Number;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Outputs, Row};
use trident_ir::{Block, Builder, DType, Op, OpKind, ValueId, ops};

signature! {
    Create () { dtype: Option<DType> } -> out
}

signature! {
    Length (x: ValueId) {} -> out
}

signature! {
    Read (array: ValueId, i: ValueId) {} -> out
}

signature! {
    Write (array: Option<ValueId>, x: ValueId, i: ValueId) {} -> out
}

signature! {
    ToTensor (x: ValueId) { axis: i64 = 0, use_stack: bool = false } -> out out_index
}

signature! {
    SelectInput (x: Vec<ValueId>, mask: ValueId) {} -> out
}

signature! {
    SliceArray (input: ValueId, starts: Number) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!(
        "array_length",
        Length,
        |c, op| {
            let length = c.add(ops::SequenceLength::new(op.x))?;
            c.reshape(length, &[1])
        },
        "lod_array_length"
    ),
    row!("array_read", Read, |c, op| {
        let at = position(c, op.i)?;
        c.add(ops::SequenceAt::new(op.array, at))
    }, "read_from_array": "array=X i=I"),
    row!("array_to_tensor", ToTensor, to_tensor, "tensor_array_to_tensor"),
    row!("array_write", Write, write, "write_to_array": "array=Array x=X i=I"),
    row!("create_array", Create, |c, op| {
        let dtype = op.dtype.unwrap_or(DType::F32);
        c.add(ops::SequenceEmpty::new().dtype(dtype))
    }),
    row!("select_input", SelectInput, select),
    row!("slice_array_dense", SliceArray, |c, op| {
        let at = op.starts.value(c, DType::I64)?;
        c.add(ops::SequenceAt::new(op.input, at))
    }),
];

/// A position as i64 of rank 0.
fn position(c: &mut Call<'_, '_>, i: ValueId) -> Made {
    let i = c.scalar(i)?;
    c.cast(i, DType::I64)
}

/// Writes an item: at the end of the array, or in place of the item there.
fn write(c: &mut Call<'_, '_>, op: Write) -> Made {
    let at = position(c, op.i)?;
    let Some(array) = op.array else { return c.add(ops::SequenceConstruct::new(&[op.x])) };
    let length = c.add(ops::SequenceLength::new(array))?;
    let is_there = c.add(ops::Less::new(at, length))?;
    let replaced = region(c, |b| {
        let rest = b.add(ops::SequenceErase::new(array, Some(at)))?;
        b.add(ops::SequenceInsert::new(rest, op.x, Some(at)))
    })?;
    let appended = region(c, |b| b.add(ops::SequenceInsert::new(array, op.x, None)))?;
    choose(c, is_there, replaced, appended)
}

/// A block with one result.
pub(super) fn region(
    c: &mut Call<'_, '_>,
    f: impl FnOnce(&mut Builder<'_>) -> Result<ValueId, trident_ir::op::TypeError>,
) -> Made<Block> {
    let loc = c.b.loc.clone();
    let mut b = Builder::new(c.b.func);
    b.loc = loc;
    let result = f(&mut b)?;
    b.block.results = vec![result];
    Ok(b.finish())
}

/// The result of the first block if the condition holds, else that of the second.
pub(super) fn choose(c: &mut Call<'_, '_>, condition: ValueId, yes: Block, no: Block) -> Made {
    let mut op = Op::new(OpKind::If, vec![Some(condition)], vec![]);
    op.regions = vec![yes, no];
    let ty = c.ty(op.regions[0].results[0]).unshaped();
    let result = c.b.func.value("chosen", ty);
    op.outputs = vec![Some(result)];
    c.push(op)?;
    Ok(result)
}

/// All items joined along an axis, or stacked along a new one; and their lengths along it.
fn to_tensor(c: &mut Call<'_, '_>, op: ToTensor) -> Made<Outputs> {
    let joined = ops::ConcatFromSequence::new(op.x).axis(op.axis).new_axis(op.use_stack);
    Ok(c.add(joined)?.into())
}

/// The operand whose number the mask is.
fn select(c: &mut Call<'_, '_>, op: SelectInput) -> Made {
    let [no, yes] = op.x[..] else {
        return c.refuse(format!("{} operands to choose from, expected 2", op.x.len()));
    };
    let mask = c.scalar(op.mask)?;
    let mask = c.cast(mask, DType::Bool)?;
    let block = |value| Block { results: vec![value], ..Block::default() };
    choose(c, mask, block(yes), block(no))
}
