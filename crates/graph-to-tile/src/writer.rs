//! Writes a tile function and, beside it, the arguments of its launch.
//!
//! Elementwise ops broadcast as in Triton: scalars to any block, axes of length 1 to any length.

use trident_ir::op::words::ShiftDirection;
use trident_ir::op::{New, TypeError};
use trident_ir::{
    Block, Builder, DType, Func, Level, Literal, Op, OpKind as K, Type, ValueId, ops,
};

use super::site::unsupported;
use super::{Arg, Result};

/// Bytes to which arrays are aligned.
const ALIGNED: i64 = 16;

/// An associative op that a reduction applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Product,
    Max,
    Min,
}

impl Fold {
    fn op(self) -> K {
        match self {
            Fold::Sum => K::Add,
            Fold::Product => K::Mul,
            Fold::Max => K::Max,
            Fold::Min => K::Min,
        }
    }
}

pub(super) struct Writer {
    func: Func,
    block: Block,
    args: Vec<Arg>,
    /// The type of indices: `i32` where it holds all of them.
    index: DType,
}

impl Writer {
    /// A function over arrays whose indices are below `len`.
    pub(super) fn new(name: &str, len: usize) -> Writer {
        // Indices of elements past the last one are computed and masked: a block's worth is left for them.
        let index = if len < 1 << 30 { DType::I32 } else { DType::I64 };
        let func = Func::new(name, Level::Tile);
        Writer { func, block: Block::default(), args: vec![], index }
    }

    pub(super) fn finish(self) -> (Func, Vec<Arg>) {
        let Writer { mut func, block, args, .. } = self;
        func.body.ops = block.ops;
        func.unique_names();
        (func, args)
    }

    fn build<T>(
        &mut self,
        make: impl FnOnce(&mut Builder<'_>) -> std::result::Result<T, TypeError>,
    ) -> Result<T> {
        let mut builder = Builder::new(&mut self.func);
        builder.block = std::mem::take(&mut self.block);
        let made = make(&mut builder);
        self.block = builder.finish();
        Ok(made?)
    }

    // ---------------------------------------------------------------- parameters

    fn param(&mut self, name: &str, ty: Type, arg: Arg) -> ValueId {
        let id = self.func.value(format!("{name}{}", self.args.len()), ty);
        self.func.body.params.push(id);
        self.args.push(arg);
        id
    }

    /// A pointer to the memory of an array, as elements of this type.
    pub(super) fn array(&mut self, arg: Arg, dtype: DType) -> Result<ValueId> {
        let pointer = self.param("p", Type::pointer(dtype, &[]), arg);
        self.emit(ops::Hint::new(pointer).divisibility(vec![ALIGNED]))
    }

    /// A scalar parameter: a size, a stride or an offset.
    pub(super) fn size(&mut self, n: impl TryInto<i64>) -> Result<ValueId> {
        let n: i64 = n.try_into().map_err(|_| unsupported("a size exceeds 64 bits"))?;
        Ok(self.param("n", Type::fixed(self.index, &[]), Arg::Scalar(n as u64)))
    }

    /// A scalar parameter of another type, by its bits.
    pub(super) fn scalar(&mut self, dtype: DType, bits: u64) -> ValueId {
        self.param("c", Type::fixed(dtype, &[]), Arg::Scalar(bits))
    }

    /// As [`Self::size`], where it is a multiple of the elements of any vector said to be so.
    pub(super) fn extent(&mut self, n: usize) -> Result<ValueId> {
        let size = self.size(n)?;
        if !n.is_multiple_of(ALIGNED as usize) {
            return Ok(size);
        }
        self.emit(ops::Hint::new(size).divisibility(vec![ALIGNED]))
    }

    // ---------------------------------------------------------------- constants

    /// A constant of rank 0.
    pub(super) fn constant(&mut self, value: &Literal) -> ValueId {
        let mut builder = Builder::new(&mut self.func);
        builder.block = std::mem::take(&mut self.block);
        let id = builder.literal(value.clone());
        self.block = builder.finish();
        id
    }

    /// An integer of this type.
    pub(super) fn literal(&mut self, dtype: DType, value: i64) -> Result<ValueId> {
        if dtype.is_float() {
            return self.float(dtype, value as f64);
        }
        let bytes = value.to_le_bytes()[..dtype.size().min(8)].to_vec();
        let literal = Literal::from_bytes(dtype, vec![], bytes.into());
        let literal = literal.map_err(|error| unsupported(error.to_string()))?;
        self.build(|b| Ok(b.literal(literal)))
    }

    /// A float of this type.
    pub(super) fn float(&mut self, dtype: DType, value: f64) -> Result<ValueId> {
        let literal = self.build(|b| Ok(b.literal(Literal::scalar(value as f32))))?;
        self.cast(literal, dtype)
    }

    /// An index.
    pub(super) fn int(&mut self, value: usize) -> Result<ValueId> {
        self.literal(self.index, value as i64)
    }

    /// The value that changes nothing when it takes part in a fold.
    pub(super) fn neutral(&mut self, fold: Fold, dtype: DType) -> Result<ValueId> {
        let bits = dtype.bits().min(63) as u32;
        let signed = dtype.class() == trident_ir::dtype::Class::Int;
        match fold {
            Fold::Sum => self.literal(dtype, 0),
            Fold::Product => self.literal(dtype, 1),
            Fold::Max if dtype.is_float() => self.float(dtype, f64::NEG_INFINITY),
            Fold::Min if dtype.is_float() => self.float(dtype, f64::INFINITY),
            Fold::Max if signed => self.literal(dtype, i64::MIN >> (64 - dtype.bits())),
            Fold::Min if signed => self.literal(dtype, i64::MAX >> (64 - dtype.bits())),
            Fold::Max => self.literal(dtype, 0),
            Fold::Min if dtype.bits() == 64 => self.literal(dtype, -1),
            Fold::Min => self.literal(dtype, (1 << bits) - 1),
        }
    }

    // ---------------------------------------------------------------- blocks

    pub(super) fn dtype(&self, x: ValueId) -> DType {
        self.func.ty(x).dtype().unwrap_or(self.index)
    }

    fn dims_of(&self, x: ValueId) -> Vec<usize> {
        self.func.ty(x).dims().unwrap_or_default()
    }

    /// The block with these dimensions that the value broadcasts to.
    pub(super) fn spread(&mut self, x: ValueId, dims: &[usize]) -> Result<ValueId> {
        let from = self.dims_of(x);
        if from == dims {
            return Ok(x);
        }
        let kind = if from.is_empty() { K::Splat } else { K::Broadcast };
        let ty = self.func.ty(x).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
        Ok(self.build(|b| b.declared(kind, &[x], &[ty]))?[0])
    }

    /// The block in the dimensions of another value.
    pub(super) fn spread_like(&mut self, x: ValueId, other: ValueId) -> Result<ValueId> {
        let dims = self.dims_of(other);
        self.spread(x, &dims)
    }

    fn alike(&mut self, xs: &[ValueId]) -> Result<Vec<ValueId>> {
        let mut dims: Vec<usize> = vec![];
        for &x in xs {
            let own = self.dims_of(x);
            if own.is_empty() {
                continue;
            }
            if dims.is_empty() {
                dims = own;
            } else {
                dims.iter_mut().zip(own).for_each(|(n, m)| *n = m.max(*n));
            }
        }
        xs.iter().map(|&x| self.spread(x, &dims)).collect()
    }

    /// Appends an op as it is.
    pub(super) fn emit<V>(&mut self, new: New<V>) -> Result<ValueId> {
        self.build(|b| b.add(new))
    }

    /// An op with the attributes of another one, on other operands.
    pub(super) fn again(&mut self, op: &Op, xs: &[Option<ValueId>]) -> Result<ValueId> {
        self.build(|b| b.append(op.on(xs.to_vec()), 1)).map(|made| made[0])
    }

    /// As [`Self::again`], of an elementwise op on values that broadcast to each other.
    pub(super) fn spread_again(&mut self, op: &Op, xs: &[ValueId]) -> Result<ValueId> {
        let xs: Vec<_> = self.alike(xs)?.into_iter().map(Some).collect();
        self.again(op, &xs)
    }

    /// An elementwise op without attributes on values that broadcast to each other.
    pub(super) fn op(&mut self, kind: K, xs: &[ValueId]) -> Result<ValueId> {
        let xs = self.alike(xs)?;
        self.build(|b| b.op(kind, &xs))
    }

    pub(super) fn add(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Add, &[a, b])
    }

    pub(super) fn sub(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Sub, &[a, b])
    }

    pub(super) fn mul(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Mul, &[a, b])
    }

    pub(super) fn div(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Div, &[a, b])
    }

    pub(super) fn less(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Less, &[a, b])
    }

    pub(super) fn and(&mut self, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::And, &[a, b])
    }

    pub(super) fn select(&mut self, c: ValueId, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(K::Where, &[c, a, b])
    }

    pub(super) fn cast(&mut self, x: ValueId, to: DType) -> Result<ValueId> {
        if self.dtype(x) == to {
            return Ok(x);
        }
        self.emit(ops::Cast::new(x).to(to))
    }

    /// x shifted to the right.
    pub(super) fn shift_right(&mut self, x: ValueId, by: ValueId) -> Result<ValueId> {
        let xs = self.alike(&[x, by])?;
        self.emit(ops::BitShift::new(xs[0], xs[1]).direction(ShiftDirection::Right))
    }

    /// The type of indices.
    pub(super) fn index_type(&self) -> DType {
        self.index
    }

    /// Indices as a type for arithmetic on them.
    pub(super) fn index(&mut self, x: ValueId) -> Result<ValueId> {
        self.cast(x, self.index)
    }

    /// Quotient and remainder of indices, neither of them negative.
    pub(super) fn divide(&mut self, x: ValueId, by: ValueId) -> Result<(ValueId, ValueId)> {
        // GPUs divide integers without a sign in fewer instructions.
        let unsigned = if self.index == DType::I32 { DType::U32 } else { DType::U64 };
        let (x, by) = (self.cast(x, unsigned)?, self.cast(by, unsigned)?);
        let (quotient, rest) = (self.op(K::Div, &[x, by])?, self.op(K::Mod, &[x, by])?);
        Ok((self.index(quotient)?, self.index(rest)?))
    }

    /// A block with an axis of length 1 more.
    pub(super) fn expand(&mut self, x: ValueId, axis: usize) -> Result<ValueId> {
        self.emit(ops::ExpandDims::new(x).axis(axis as i64))
    }

    /// The integers below `n`, a power of two, as indices.
    pub(super) fn arange(&mut self, n: usize) -> Result<ValueId> {
        let range = ops::Arange::new().start(0).end(n as i64);
        let ty = Type::fixed(DType::I32, &[n]);
        let x = self.build(|b| b.add_as(range, ty))?;
        self.index(x)
    }

    /// The number of the program along an axis of the grid.
    pub(super) fn program(&mut self, axis: usize) -> Result<ValueId> {
        let x = self.emit(ops::ProgramId::new().axis(axis as i64))?;
        self.index(x)
    }

    /// The `block` indices that are this program's along an axis of the grid, and which of them are below `n`.
    pub(super) fn span(
        &mut self,
        axis: usize,
        block: usize,
        n: ValueId,
    ) -> Result<(ValueId, ValueId)> {
        let (program, size) = (self.program(axis)?, self.int(block)?);
        let start = self.mul(program, size)?;
        let range = self.arange(block)?;
        let at = self.add(start, range)?;
        let mask = self.less(at, n)?;
        Ok((at, mask))
    }

    // ---------------------------------------------------------------- memory

    fn places(&mut self, base: ValueId, offset: ValueId) -> Result<ValueId> {
        let dims = self.dims_of(offset);
        let base = self.spread(base, &dims)?;
        self.emit(ops::PtrAdd::new(base, offset))
    }

    /// The elements at these offsets where the mask holds, else `other`.
    pub(super) fn load(
        &mut self,
        base: ValueId,
        offset: ValueId,
        mask: Option<ValueId>,
        other: Option<ValueId>,
    ) -> Result<ValueId> {
        let both: Vec<ValueId> = [Some(offset), mask].into_iter().flatten().collect();
        let both = self.alike(&both)?;
        let places = self.places(base, both[0])?;
        let dims = self.dims_of(places);
        let other = other.map(|other| self.spread(other, &dims)).transpose()?;
        self.emit(ops::Load::new(places, both.get(1).copied(), other))
    }

    /// The elements at these offsets where the mask holds, else 0.
    pub(super) fn load_or_zero(
        &mut self,
        base: ValueId,
        offset: ValueId,
        mask: ValueId,
    ) -> Result<ValueId> {
        let dtype = match self.func.ty(base) {
            Type::Pointer(pointer) => pointer.to,
            _ => self.index,
        };
        let zero = self.literal(dtype, 0)?;
        self.load(base, offset, Some(mask), Some(zero))
    }

    /// The first element.
    pub(super) fn first(&mut self, base: ValueId) -> Result<ValueId> {
        self.emit(ops::Load::new(base, None, None))
    }

    /// The element at an offset that is a scalar.
    pub(super) fn element(&mut self, base: ValueId, offset: ValueId) -> Result<ValueId> {
        let place = self.emit(ops::PtrAdd::new(base, offset))?;
        self.first(place)
    }

    /// Writes a value at these offsets where the mask holds.
    pub(super) fn store(
        &mut self,
        base: ValueId,
        offset: ValueId,
        value: ValueId,
        mask: ValueId,
    ) -> Result<()> {
        let xs = self.alike(&[offset, value, mask])?;
        let places = self.places(base, xs[0])?;
        let store = ops::Store::new(places, xs[1], Some(xs[2]));
        self.build(|b| b.add_all(store, 0))?;
        Ok(())
    }

    // ---------------------------------------------------------------- regions

    /// The ops that `write` writes, as a region with these parameters.
    fn region(
        &mut self,
        params: Vec<ValueId>,
        write: impl FnOnce(&mut Writer, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Block> {
        let outer = std::mem::take(&mut self.block);
        let results = write(self, &params);
        let inner = std::mem::replace(&mut self.block, outer);
        Ok(Block { params, results: results?, ..inner })
    }

    /// Appends an op with regions and results of these types.
    fn nest<V>(
        &mut self,
        new: New<V>,
        regions: Vec<Block>,
        types: Vec<Type>,
    ) -> Result<Vec<ValueId>> {
        let mut op = new.into_op();
        let name = op.decl().name;
        let outputs: Vec<ValueId> = types.into_iter().map(|ty| self.func.value(name, ty)).collect();
        op.outputs = outputs.iter().copied().map(Some).collect();
        op.regions = regions;
        self.build(|b| b.push(op))?;
        Ok(outputs)
    }

    /// Runs `body` for 0, `step`, 2·`step` … below `end`, with values that each run yields to the next.
    pub(super) fn repeat(
        &mut self,
        end: ValueId,
        step: usize,
        init: &[ValueId],
        body: impl FnOnce(&mut Writer, ValueId, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        let (zero, step) = (self.int(0)?, self.int(step)?);
        let types: Vec<Type> = init.iter().map(|&x| self.func.ty(x).clone()).collect();
        let mut params = vec![self.func.value("i", Type::fixed(self.index, &[]))];
        params.extend(types.iter().map(|ty| self.func.value("carried", ty.clone())));
        let region = self.region(params, |w, params| body(w, params[0], &params[1..]))?;
        self.nest(ops::For::new(zero, end, step, init), vec![region], types)
    }

    /// Runs `body` if a condition, a scalar, holds.
    pub(super) fn when(
        &mut self,
        condition: ValueId,
        body: impl FnOnce(&mut Writer) -> Result<()>,
    ) -> Result<()> {
        let then = self.region(vec![], |w, _| body(w).map(|()| vec![]))?;
        self.nest(ops::If::new(condition), vec![then, Block::default()], vec![]).map(drop)
    }

    /// Combines blocks along an axis, which disappears.
    pub(super) fn combine(
        &mut self,
        xs: &[ValueId],
        axis: usize,
        body: impl FnOnce(&mut Writer, &[ValueId], &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        let n = xs.len();
        let params: Vec<ValueId> = xs
            .iter()
            .chain(xs)
            .map(|&x| {
                let ty = self.func.ty(x).with_shape(Some(vec![]));
                self.func.value("e", ty)
            })
            .collect();
        let region = self.region(params, |w, params| body(w, &params[..n], &params[n..]))?;
        let types = xs.iter().map(|&x| self.func.ty(x).clone()).collect();
        self.nest(ops::Reduce::new(xs).axis(axis as i64), vec![region], types)
    }

    /// Folds a block along an axis, which disappears.
    pub(super) fn fold(&mut self, x: ValueId, axis: usize, fold: Fold) -> Result<ValueId> {
        let folded =
            self.combine(&[x], axis, |w, a, b| Ok(vec![w.op(fold.op(), &[a[0], b[0]])?]))?;
        Ok(folded[0])
    }

    /// The running result of a fold along an axis, at each place of it.
    pub(super) fn scan(&mut self, x: ValueId, axis: usize, fold: Fold) -> Result<ValueId> {
        let element = self.func.ty(x).with_shape(Some(vec![]));
        let params = vec![self.func.value("e", element.clone()), self.func.value("e", element)];
        let region = self.region(params, |w, e| Ok(vec![w.op(fold.op(), &[e[0], e[1]])?]))?;
        let ty = self.func.ty(x).clone();
        let new = ops::PrefixScan::new(&[x]).axis(axis as i64);
        Ok(self.nest(new, vec![region], vec![ty])?[0])
    }

    /// One step of a fold, element by element.
    pub(super) fn folded(&mut self, fold: Fold, a: ValueId, b: ValueId) -> Result<ValueId> {
        self.op(fold.op(), &[a, b])
    }
}
