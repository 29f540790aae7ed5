//! The builder of graph ops, which knows ranks and small values.

use crate::error::PaddleErrorKind;
use std::ops::RangeInclusive;
use trident_ir::op::New;
use trident_ir::shape::Stepwise;
use trident_ir::{Builder, DType, Dim, Literal, Op, OpKind, Type, ValueId, ops};

/// The most ops, each with its results, that one op of a program may become; damaged files ask for any number.
pub(crate) const MOST_PARTS: i64 = 1024;

/// The greatest size that rows calculate with: products of two sizes do not overflow.
pub(crate) const MOST_SIZE: i64 = i32::MAX as i64;

/// A block under construction. Types are inferred op by op.
pub(crate) struct Graph<'f> {
    /// The ops.
    pub b: Builder<'f>,
    /// Small values that are known.
    pub facts: &'f mut Stepwise,
}

/// The results of a function that makes graph ops.
pub(crate) type Made<T = ValueId> = Result<T, PaddleErrorKind>;

impl Graph<'_> {
    fn infer(&mut self) -> Made<()> {
        match self.b.block.ops.last() {
            Some(op) => Ok(self.facts.op(self.b.func, op)?),
            None => Ok(()),
        }
    }

    /// Appends an op with one result.
    pub(crate) fn add<V>(&mut self, new: New<V>) -> Made {
        let made = self.b.add(new)?;
        self.infer()?;
        Ok(made)
    }

    /// Appends an op with `n` results.
    pub(crate) fn add_all<V>(&mut self, new: New<V>, n: usize) -> Made<Vec<ValueId>> {
        let made = self.b.add_all(new, n)?;
        self.infer()?;
        Ok(made)
    }

    /// Appends an op that has its results.
    pub(crate) fn push(&mut self, op: Op) -> Made<()> {
        self.b.push(op)?;
        self.infer()
    }

    /// Appends a block that runs `count` times, and gives the last values of `initial`. Each round is shown its number and
    /// the values so far, and gives the next ones, whose dimensions may differ.
    pub(crate) fn repeat(
        &mut self,
        count: ValueId,
        initial: &[ValueId],
        body: impl FnOnce(&mut Graph<'_>, ValueId, &[ValueId]) -> Made<Vec<ValueId>>,
    ) -> Made<Vec<ValueId>> {
        let count = self.scalar(count)?;
        let loc = self.b.loc.clone();
        let mut inner = Graph { b: Builder::new(self.b.func), facts: self.facts };
        inner.b.loc = loc;
        let round = inner.b.func.value("round", Type::fixed(DType::I64, &[]));
        let goes_on = inner.b.func.value("goes_on", Type::fixed(DType::Bool, &[]));
        let mut carried = vec![];
        for &value in initial {
            let dims = vec![Dim::Unknown; inner.rank(value)?];
            let ty = Type::tensor(inner.dtype(value)?, dims);
            carried.push(inner.b.func.value("carried", ty));
        }
        inner.b.block.params = [&[round, goes_on], &carried[..]].concat();
        let next = body(&mut inner, round, &carried)?;
        inner.b.block.results = [vec![goes_on], next].concat();
        let region = inner.b.finish();
        let inputs = [Some(count), None].into_iter().chain(initial.iter().copied().map(Some));
        let mut op = Op::new(OpKind::Loop, inputs.collect(), vec![]);
        op.regions = vec![region];
        // The rules of the op give the types.
        let last: Vec<ValueId> = initial
            .iter()
            .map(|_| self.b.func.value("last", Type::unranked(DType::Bool)))
            .collect();
        op.outputs = last.iter().copied().map(Some).collect();
        self.push(op)?;
        Ok(last)
    }

    /// Appends a constant.
    pub(crate) fn literal(&mut self, literal: Literal) -> Made {
        let made = self.b.literal(literal);
        self.infer()?;
        Ok(made)
    }

    /// A vector of integers.
    pub(crate) fn ints(&mut self, values: &[i64]) -> Made {
        self.literal(Literal::vector(values))
    }

    /// A number of rank 0.
    pub(crate) fn number(&mut self, dtype: DType, value: f64) -> Made {
        self.literal(Literal::number(dtype, value))
    }

    /// A number of rank 0, of the element type of another value.
    pub(crate) fn number_like(&mut self, like: ValueId, value: f64) -> Made {
        let dtype = self.dtype(like)?;
        self.number(dtype, value)
    }

    /// The element type of a tensor.
    pub(crate) fn dtype(&self, value: ValueId) -> Made<DType> {
        let ty = self.b.func.ty(value);
        ty.dtype().ok_or_else(|| {
            PaddleErrorKind::Unsupported(format!("an operand is {ty}, not a tensor"))
        })
    }

    /// The rank of a tensor.
    pub(crate) fn rank(&self, value: ValueId) -> Made<usize> {
        self.shape(value).map(<[Dim]>::len)
    }

    /// The dimensions of a tensor.
    pub(crate) fn shape(&self, value: ValueId) -> Made<&[Dim]> {
        self.b.func.ty(value).shape().ok_or_else(|| {
            let name = &self.b.func.info(value).name;
            PaddleErrorKind::Unsupported(format!("the rank of `{name}` is not known"))
        })
    }

    /// A dimension, if it is a number up to [`MOST_SIZE`].
    pub(crate) fn dim(&self, value: ValueId, axis: usize) -> Option<usize> {
        let dim = self.b.func.ty(value).shape()?.get(axis)?.fixed();
        dim.filter(|&n| n <= MOST_SIZE as usize)
    }

    /// A number that the file states, which must be in a range.
    pub(crate) fn within(&self, name: &str, n: i64, range: RangeInclusive<i64>) -> Made<i64> {
        if range.contains(&n) {
            return Ok(n);
        }
        let (least, most) = (range.start(), range.end());
        Err(PaddleErrorKind::Unsupported(format!("`{name}` is {n}, expected {least} to {most}")))
    }

    /// One number for each of `axes` axes, from `least` on; a list of one number holds for all axes.
    pub(crate) fn each(
        &self,
        name: &str,
        given: &[i64],
        axes: usize,
        least: i64,
    ) -> Made<Vec<i64>> {
        for &n in given {
            self.within(name, n, least..=MOST_SIZE)?;
        }
        match given {
            [n] => Ok(vec![*n; axes]),
            _ if given.len() == axes => Ok(given.to_vec()),
            _ => {
                let reason = format!("`{name}` has {} numbers for {axes} axes", given.len());
                Err(PaddleErrorKind::Unsupported(reason))
            }
        }
    }

    /// The type of a value.
    pub(crate) fn ty(&self, value: ValueId) -> &Type {
        self.b.func.ty(value)
    }

    /// Converts to an element type, unless it is the type already.
    pub(crate) fn cast(&mut self, x: ValueId, to: DType) -> Made {
        match self.dtype(x)? == to {
            true => Ok(x),
            false => self.add(ops::Cast::new(x).to(to)),
        }
    }

    /// The dimensions of a tensor as a vector.
    pub(crate) fn shape_of(&mut self, x: ValueId) -> Made {
        self.add(ops::Shape::new(x))
    }

    /// One dimension as a vector of one element.
    pub(crate) fn dim_of(&mut self, x: ValueId, axis: usize) -> Made {
        let axis = axis as i64;
        self.add(ops::Shape::new(x).start(axis).end(axis + 1))
    }

    /// The same elements in other dimensions, where 0 copies the operand's one and −1 is inferred.
    pub(crate) fn reshape(&mut self, x: ValueId, dims: &[i64]) -> Made {
        let inferred = dims.iter().position(|&n| n == -1);
        let mut dims = dims.to_vec();
        if let Some(at) = inferred
            && let Some(n) = self.quotient(x, &dims)
        {
            // As a number, it is right for an empty operand too.
            dims[at] = n;
        }
        let shape = self.ints(&dims)?;
        self.add(ops::Reshape::new(x, shape))
    }

    /// The elements of the operand divided by those of the dimensions with one −1, if they follow from known dimensions.
    /// Copied dimensions, which may be 0, cancel out.
    fn quotient(&self, x: ValueId, dims: &[i64]) -> Option<i64> {
        let is_copied = |axis: usize| dims.get(axis) == Some(&0);
        let mut whole = 1i64;
        for axis in (0..self.rank(x).ok()?).filter(|&axis| !is_copied(axis)) {
            whole = whole.checked_mul(self.dim(x, axis)? as i64)?;
        }
        let mut stated = dims.iter().filter(|&&n| n > 0);
        let part = stated.try_fold(1i64, |part, &n| part.checked_mul(n))?;
        (whole > 0 && whole % part == 0).then_some(whole / part)
    }

    /// The same elements in exactly the dimensions that a vector states: 0 is an empty axis.
    pub(crate) fn reshape_to(&mut self, x: ValueId, shape: ValueId) -> Made {
        self.add(ops::Reshape::new(x, shape).allowzero(true))
    }

    /// A tensor of rank 0 with the only element of `x`.
    pub(crate) fn scalar(&mut self, x: ValueId) -> Made {
        match self.b.func.ty(x).shape() {
            Some([]) => Ok(x),
            _ => self.reshape(x, &[]),
        }
    }

    /// A vector of all elements.
    pub(crate) fn vector(&mut self, x: ValueId) -> Made {
        match self.b.func.ty(x).shape() {
            Some([_]) => Ok(x),
            _ => self.reshape(x, &[-1]),
        }
    }

    /// Inserts axes of length 1 at these places of the result.
    pub(crate) fn unsqueeze(&mut self, x: ValueId, axes: &[i64]) -> Made {
        if axes.is_empty() {
            return Ok(x);
        }
        let axes = self.ints(axes)?;
        self.add(ops::Unsqueeze::new(x, axes))
    }

    /// Removes these axes, which have length 1.
    pub(crate) fn squeeze(&mut self, x: ValueId, axes: &[i64]) -> Made {
        if axes.is_empty() {
            return Ok(x);
        }
        let axes = self.ints(axes)?;
        self.add(ops::Squeeze::new(x, Some(axes)))
    }

    /// Permutes axes.
    pub(crate) fn transpose(&mut self, x: ValueId, perm: &[i64]) -> Made {
        match perm.iter().enumerate().all(|(i, &p)| i as i64 == p) {
            true => Ok(x),
            false => self.add(ops::Transpose::new(x).perm(perm.to_vec())),
        }
    }

    /// Elements `start` … `end` of an axis.
    pub(crate) fn slice(&mut self, x: ValueId, axis: i64, start: i64, end: i64) -> Made {
        let [start, end, axis] = [start, end, axis].map(|n| [n]);
        let (start, end, axis) = (self.ints(&start)?, self.ints(&end)?, self.ints(&axis)?);
        self.add(ops::Slice::new(x, start, end, Some(axis), None))
    }

    /// Joins tensors along an axis.
    pub(crate) fn concat(&mut self, parts: &[ValueId], axis: i64) -> Made {
        match parts {
            [one] => Ok(*one),
            _ => self.add(ops::Concat::new(parts).axis(axis)),
        }
    }

    /// The numbers 0 … n − 1 as a vector of i64, where `n` is a vector of one element.
    pub(crate) fn range(&mut self, n: ValueId) -> Made {
        let n = self.scalar(n)?;
        let (zero, one) = (self.number(DType::I64, 0.0)?, self.number(DType::I64, 1.0)?);
        self.add(ops::Range::new(zero, n, one))
    }

    /// Repeats axes of length 1 to the dimensions that a vector states.
    pub(crate) fn expand(&mut self, x: ValueId, shape: ValueId) -> Made {
        self.add(ops::Expand::new(x, shape))
    }

    /// An axis, negative from the end, below `rank`.
    pub(crate) fn axis(&self, axis: i64, rank: usize) -> Made<i64> {
        // A scalar has one axis in Paddle.
        let axes = rank.max(1) as i64;
        let wrapped = if axis < 0 { axis + axes } else { axis };
        if (0..axes).contains(&wrapped) {
            return Ok(wrapped);
        }
        Err(PaddleErrorKind::Unsupported(format!("axis {axis} of a tensor with {rank} axes")))
    }

    /// Several axes, negative from the end.
    pub(crate) fn axes(&self, axes: &[i64], rank: usize) -> Made<Vec<i64>> {
        axes.iter().map(|&axis| self.axis(axis, rank)).collect()
    }
}
