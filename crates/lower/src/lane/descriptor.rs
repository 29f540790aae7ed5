//! Descriptors replaced by pointers, and masks that say which elements are inside of the tensor.

use std::collections::HashMap;

use trident_ir::op::TypeError;
use trident_ir::{
    Attr, Block, Builder, DType, Func, Literal, Op, OpKind as K, PointerType, Type, ValueId,
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
            known.extend(op.output(0).zip(made(func, &op)));
            continue;
        }
        for region in &mut op.regions {
            *region = self::block(func, std::mem::take(region), known)?;
        }
        if !op.used().any(|id| matches!(func.ty(id), Type::Descriptor(_))) {
            expanded.push(op);
            continue;
        }
        let tensor = op.input(0).and_then(|id| known.get(&id)).cloned();
        let tensor = tensor.ok_or_else(|| {
            Unsupported::new(&op, "takes a descriptor that control flow or the caller passes")
        })?;
        expanded.extend(access(func, &op, &tensor)?);
    }
    Ok(Block { params, ops: expanded, results })
}

fn made(func: &Func, op: &Op) -> Option<Tensor> {
    let Type::Descriptor(ty) = func.ty(op.output(0)?) else { return None };
    let (rank, values) = (ty.block.len(), op.used().collect::<Vec<_>>());
    Some(Tensor {
        base: *values.first()?,
        dtype: ty.dtype,
        lengths: values.get(1..=rank)?.to_vec(),
        strides: values.get(rank + 1..)?.to_vec(),
        block: ty.block.clone(),
        nan: op.str("padding") == Some("nan"),
    })
}

/// The ops that load or store what the op on a descriptor does.
fn access(func: &mut Func, op: &Op, tensor: &Tensor) -> Result<Vec<Op>, Unsupported> {
    let wrong = |error: TypeError| Unsupported::new(op, error.to_string());
    let (first, value) = match op.kind {
        K::DescriptorLoad | K::DescriptorGather => (1, None),
        _ => (2, op.input(1)),
    };
    // The block that moves, and its type in memory.
    let moved = value.or(op.output(0));
    let Some(ty) = moved.map(|id| func.ty(id).clone()) else { return Ok(vec![]) };
    let (Some(dtype), Some(dims)) = (ty.dtype(), ty.dims()) else {
        return Err(Unsupported::new(op, "moves no block"));
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
            b.declared(K::View, &[x], &[], &[ty]).map(|made| made[0])
        }
    };
    match op.kind {
        K::DescriptorLoad | K::DescriptorGather => {
            let outside = if tensor.nan { f64::NAN } else { 0.0 };
            let other = b.literal(Literal::number(dtype, outside));
            let other = places_of(&mut b, other, &whole).map_err(wrong)?;
            let hints = ["cache", "eviction"].iter();
            let hints: Vec<(&'static str, Attr)> =
                hints.filter_map(|&name| Some((name, op.attr(name)?))).collect();
            let Some(out) = op.output(0) else { return Ok(vec![]) };
            let loaded = b.op(K::Load, &[ptr, mask, other], &hints).map_err(wrong)?;
            let loaded = shaped(&mut b, loaded, &dims).map_err(wrong)?;
            b.push(Op::new(K::Identity, vec![Some(loaded)], vec![Some(out)])).map_err(wrong)?;
        }
        K::DescriptorReduce => {
            let is_signed = tensor.dtype.is_int()
                && !matches!(tensor.dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64);
            let name = match (op.str("op"), tensor.dtype.is_float()) {
                (Some("add"), true) => "fadd",
                (Some(name @ ("min" | "max")), true) => {
                    return Err(Unsupported::new(
                        op,
                        format!("Metal has no atomic {name} of floats"),
                    ));
                }
                (Some("min"), _) if !is_signed => "umin",
                (Some("max"), _) if !is_signed => "umax",
                (name, _) => name.unwrap_or_default(),
            };
            let value = value.ok_or_else(|| Unsupported::new(op, "lacks its value"))?;
            let value = shaped(&mut b, value, &whole).map_err(wrong)?;
            let attrs = [("op", Attr::Str(name.into())), ("order", Attr::Str("relaxed".into()))];
            b.op(K::AtomicRmw, &[ptr, value, mask], &attrs).map_err(wrong)?;
        }
        _ => {
            let value = value.ok_or_else(|| Unsupported::new(op, "lacks its value"))?;
            let value = shaped(&mut b, value, &whole).map_err(wrong)?;
            b.ops(K::Store, &[Some(ptr), Some(value), Some(mask)], &[], 0).map_err(wrong)?;
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
                    let attrs = [("start", Attr::Int(0)), ("end", Attr::Int(end))];
                    let each = self.b.op(K::Arange, &[], &attrs)?;
                    let (each, start) = (self.long(each)?, self.long(start)?);
                    let start = places_of(&mut self.b, start, &[self.dims[axis]])?;
                    let place = self.b.op(K::Add, &[each, start], &[])?;
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
            let part = self.b.op(K::Mul, &[place, stride], &[])?;
            let (above, below) = (
                self.b.op(K::GreaterOrEqual, &[place, zero], &[])?,
                self.b.op(K::Less, &[place, length], &[])?,
            );
            let within = self.b.op(K::And, &[above, below], &[])?;
            offset = Some(match offset {
                Some(offset) => self.b.op(K::Add, &[offset, part], &[])?,
                None => part,
            });
            inside = Some(match inside {
                Some(inside) => self.b.op(K::And, &[inside, within], &[])?,
                None => within,
            });
        }
        let (offset, inside) = (offset.ok_or_else(missing)?, inside.ok_or_else(missing)?);
        let mut base = self.tensor.base;
        if let Type::Pointer(ptr) = self.b.func.ty(base).clone()
            && ptr.to != dtype
        {
            let ty = Type::Pointer(PointerType { to: dtype, ..ptr });
            base = self.b.declared(K::PtrCast, &[base], &[], &[ty])?[0];
        }
        let bases = places_of(&mut self.b, base, self.dims)?;
        Ok((self.b.op(K::PtrAdd, &[bases, offset], &[])?, inside))
    }

    fn long(&mut self, x: ValueId) -> Made<ValueId> {
        self.b.op(K::Cast, &[x], &[("to", Attr::DType(DType::I64))])
    }

    /// A block of one axis, repeated along the others.
    fn along(&mut self, x: ValueId, axis: usize) -> Made<ValueId> {
        let mut x = x;
        for other in (0..self.dims.len()).filter(|&other| other != axis) {
            x = self.b.op(K::ExpandDims, &[x], &[("axis", Attr::Int(other as i64))])?;
        }
        let ty = self.b.func.ty(x);
        let ty = ty.with_shape(Some(self.dims.iter().map(|&n| n.into()).collect()));
        match self.b.func.ty(x) == &ty {
            true => Ok(x),
            false => Ok(self.b.declared(K::Broadcast, &[x], &[], &[ty])?[0]),
        }
    }
}

/// A scalar in every place of a block.
fn places_of(b: &mut Builder<'_>, x: ValueId, dims: &[usize]) -> Made<ValueId> {
    let ty = b.func.ty(x).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
    Ok(b.declared(K::Splat, &[x], &[], &[ty])?[0])
}
