//! Descriptors replaced by pointers, and masks that say which elements are inside of the tensor.

use std::collections::HashMap;

use trident_ir::op::TypeError;
use trident_ir::op::words::{AtomicOp, DescriptorPadding, DescriptorReduction, MemoryOrder};
use trident_ir::{
    Block, Builder, DType, Func, Literal, Op, OpKind as K, PointerType, Type, ValueId, ops,
};

use super::error::Unsupported;

/// A tensor in memory.
#[derive(Clone)]
struct Tensor {
    base: ValueId,
    dtype: DType,
    lengths: Vec<ValueId>,
    strides: Vec<ValueId>,
    block: Vec<usize>,
    nan: bool,
}

/// The place of the descriptor among the operands of all ops that access memory by one.
const DESCRIPTOR: usize = ops::DescriptorLoad::AT.descriptor;
const _: () = assert!(DESCRIPTOR == ops::DescriptorStore::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorReduce::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorGather::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorScatter::AT.descriptor);

/// The position of the written value among the operands of storing ops.
const VALUE: usize = ops::DescriptorStore::AT.value;
const _: () = assert!(VALUE == ops::DescriptorReduce::AT.value);
const _: () = assert!(VALUE == ops::DescriptorScatter::AT.value);

/// Replaces the ops on descriptors in a function.
pub(super) fn expand(func: &mut Func) -> Result<(), Unsupported> {
    let body = std::mem::take(&mut func.body);
    func.body = block(func, body, &mut HashMap::new())?;
    func.unique_names();
    Ok(())
}

fn block(
    func: &mut Func,
    block: Block,
    known: &mut HashMap<ValueId, Tensor>,
) -> Result<Block, Unsupported> {
    let Block { params, ops, results } = block;
    let mut expanded = Vec::with_capacity(ops.len());
    for mut op in ops {
        if op.kind == K::MakeDescriptor {
            known.extend(op.defined().zip(made(func, &op)));
            continue;
        }
        for region in &mut op.regions {
            *region = self::block(func, std::mem::take(region), known)?;
        }
        if !op.used().any(|id| matches!(func.ty(id), Type::Descriptor(_))) {
            expanded.push(op);
            continue;
        }
        let tensor = op.input(DESCRIPTOR).and_then(|id| known.get(&id)).cloned();
        let tensor = tensor.ok_or_else(|| {
            Unsupported::new(
                &op,
                "a descriptor that a loop, a branch or a call passes on is not supported",
            )
        })?;
        expanded.extend(access(func, &op, &tensor)?);
    }
    Ok(Block { params, ops: expanded, results })
}

fn made(func: &Func, op: &Op) -> Option<Tensor> {
    let op = ops::MakeDescriptor::of(op)?;
    let Type::Descriptor(ty) = func.ty(op.y()?) else { return None };
    let (rank, dims) = (ty.block.len(), op.dims().collect::<Vec<_>>());
    Some(Tensor {
        base: op.base(),
        dtype: ty.dtype,
        lengths: dims.get(..rank)?.to_vec(),
        strides: dims.get(rank..)?.to_vec(),
        block: ty.block.clone(),
        nan: op.padding() == DescriptorPadding::Nan,
    })
}

/// The ops that load or store what the op on a descriptor does.
fn access(func: &mut Func, op: &Op, tensor: &Tensor) -> Result<Vec<Op>, Unsupported> {
    let wrong = |error: TypeError| Unsupported::new(op, error.to_string());
    let (first, value) = match op.kind {
        K::DescriptorLoad | K::DescriptorGather => (DESCRIPTOR + 1, None),
        _ => (VALUE + 1, op.input(VALUE)),
    };
    // The block that moves, and its type in memory.
    let moved = value.or(op.defined().next());
    let Some(ty) = moved.map(|id| func.ty(id).clone()) else { return Ok(vec![]) };
    let (Some(dtype), Some(dims)) = (ty.dtype(), ty.dims()) else {
        return Err(Unsupported::malformed(op, "moves no block"));
    };
    let whole = match op.kind {
        K::DescriptorGather | K::DescriptorScatter => dims.clone(),
        _ => tensor.block.clone(),
    };
    let mut b = Builder::new(func);
    b.loc = op.loc.clone();
    let mut places = Places { b, tensor, dims: &whole };
    let (ptr, mask) = places.all(op, first, dtype).map_err(wrong)?;
    let mut b = places.b;
    let shaped = |b: &mut Builder<'_>, x: ValueId, dims: &[usize]| match b.func.ty(x).dims() {
        Some(own) if own == dims => Ok(x),
        _ => {
            let ty = b.func.ty(x).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
            b.add_as(ops::View::new(x), ty)
        }
    };
    match op.kind {
        K::DescriptorLoad | K::DescriptorGather => {
            let outside = if tensor.nan { f64::NAN } else { 0.0 };
            let other = b.literal(Literal::number(dtype, outside));
            let other = places_of(&mut b, other, &whole).map_err(wrong)?;
            let Some(out) = op.defined().next() else { return Ok(vec![]) };
            let mut load = ops::Load::new(ptr, Some(mask), Some(other));
            if let Some(given) = ops::DescriptorLoad::of(op) {
                load = load.cache(given.cache());
                load = load.eviction(given.eviction());
            }
            let loaded = b.add(load).map_err(wrong)?;
            let loaded = shaped(&mut b, loaded, &dims).map_err(wrong)?;
            b.push(Op::new(K::Identity, vec![Some(loaded)], vec![Some(out)])).map_err(wrong)?;
        }
        K::DescriptorReduce => {
            let is_signed = tensor.dtype.is_int()
                && !matches!(tensor.dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64);
            let malformed = || Unsupported::malformed(op, "lacks its op");
            let given = ops::DescriptorReduce::of(op).ok_or_else(malformed)?.op();
            let change = match (given, tensor.dtype.is_float()) {
                (DescriptorReduction::Add, true) => AtomicOp::FAdd,
                (DescriptorReduction::Min | DescriptorReduction::Max, true) => {
                    return Err(Unsupported::new(
                        op,
                        format!("Metal has no atomic {given} of floats"),
                    ));
                }
                (DescriptorReduction::Min, false) if !is_signed => AtomicOp::UMin,
                (DescriptorReduction::Max, false) if !is_signed => AtomicOp::UMax,
                (given, _) => given.into(),
            };
            let value = value.ok_or_else(|| Unsupported::malformed(op, "lacks its value"))?;
            let value = shaped(&mut b, value, &whole).map_err(wrong)?;
            let rmw = ops::AtomicRmw::new(ptr, value, Some(mask)).op(change);
            b.add(rmw.order(MemoryOrder::Relaxed)).map_err(wrong)?;
        }
        _ => {
            let value = value.ok_or_else(|| Unsupported::malformed(op, "lacks its value"))?;
            let value = shaped(&mut b, value, &whole).map_err(wrong)?;
            b.add_all(ops::Store::new(ptr, value, Some(mask)), 0).map_err(wrong)?;
        }
    }
    Ok(b.finish().ops)
}

/// Elements of a tensor by their places. Numbers have 64 bits: no place overflows.
struct Places<'a> {
    b: Builder<'a>,
    tensor: &'a Tensor,
    dims: &'a [usize],
}

type Made<T> = Result<T, TypeError>;

impl Places<'_> {
    /// Pointers to the elements of a block, and which of them are inside.
    fn all(&mut self, op: &Op, first: usize, dtype: DType) -> Made<(ValueId, ValueId)> {
        let missing =
            || TypeError::MissingOperand { op: op.decl().name, name: "offsets", index: first };
        let by_row = matches!(op.kind, K::DescriptorGather | K::DescriptorScatter);
        let (mut offset, mut inside): (Option<ValueId>, Option<ValueId>) = (None, None);
        for axis in 0..self.tensor.block.len() {
            let start = op.input(first + axis).ok_or_else(missing)?;
            let place = match by_row && axis == 0 {
                true => {
                    let rows = self.long(start)?;
                    self.along(rows, axis)?
                }
                false => {
                    let end = self.dims[axis] as i64;
                    let each = self.b.add(ops::Arange::new().start(0).end(end))?;
                    let (each, start) = (self.long(each)?, self.long(start)?);
                    let start = places_of(&mut self.b, start, &[self.dims[axis]])?;
                    let place = self.b.op(K::Add, &[each, start])?;
                    self.along(place, axis)?
                }
            };
            let (length, stride) = (self.tensor.lengths[axis], self.tensor.strides[axis]);
            let length = self.long(length)?;
            let zero = self.b.literal(Literal::number(DType::I64, 0.0));
            let [length, stride, zero] = {
                let mut all = [length, stride, zero];
                for value in &mut all {
                    *value = places_of(&mut self.b, *value, self.dims)?;
                }
                all
            };
            let part = self.b.op(K::Mul, &[place, stride])?;
            let (above, below) = (
                self.b.op(K::GreaterOrEqual, &[place, zero])?,
                self.b.op(K::Less, &[place, length])?,
            );
            let within = self.b.op(K::And, &[above, below])?;
            offset = Some(match offset {
                Some(offset) => self.b.op(K::Add, &[offset, part])?,
                None => part,
            });
            inside = Some(match inside {
                Some(inside) => self.b.op(K::And, &[inside, within])?,
                None => within,
            });
        }
        let (offset, inside) = (offset.ok_or_else(missing)?, inside.ok_or_else(missing)?);
        let mut base = self.tensor.base;
        if let Type::Pointer(ptr) = self.b.func.ty(base).clone()
            && ptr.to != dtype
        {
            let ty = Type::Pointer(PointerType { to: dtype, ..ptr });
            base = self.b.add_as(ops::PtrCast::new(base), ty)?;
        }
        let bases = places_of(&mut self.b, base, self.dims)?;
        Ok((self.b.op(K::PtrAdd, &[bases, offset])?, inside))
    }

    fn long(&mut self, x: ValueId) -> Made<ValueId> {
        self.b.add(ops::Cast::new(x).to(DType::I64))
    }

    /// A block of one axis, repeated along the others.
    fn along(&mut self, x: ValueId, axis: usize) -> Made<ValueId> {
        let mut x = x;
        for other in (0..self.dims.len()).filter(|&other| other != axis) {
            x = self.b.add(ops::ExpandDims::new(x).axis(other as i64))?;
        }
        let ty = self.b.func.ty(x);
        let ty = ty.with_shape(Some(self.dims.iter().map(|&n| n.into()).collect()));
        match self.b.func.ty(x) == &ty {
            true => Ok(x),
            false => self.b.add_as(ops::Broadcast::new(x), ty),
        }
    }
}

/// A scalar in every place of a block.
fn places_of(b: &mut Builder<'_>, x: ValueId, dims: &[usize]) -> Made<ValueId> {
    let ty = b.func.ty(x).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
    b.add_as(ops::Splat::new(x), ty)
}
