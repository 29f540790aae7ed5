//! Ops into the block under construction.

use super::Import;
use crate::ttir::{self, AttrDict};
use crate::{ErrorKind, Failure};
use trident_ir::{Block, DType, Literal, Op, OpKind, Type, ValueId, generic, ops};

/// An op without attributes.
pub(super) fn plain(kind: OpKind, inputs: &[ValueId]) -> Op {
    Op::new(kind, inputs.iter().copied().map(Some).collect(), vec![])
}

/// An op with regions.
pub(super) fn around(regions: Vec<Block>, op: impl Into<Op>) -> Op {
    Op { regions, ..op.into() }
}

/// The keywords that Triton has for an attribute, with their meanings.
pub(super) struct Keywords<T: 'static> {
    pub(super) known: &'static [(&'static str, T)],
}

impl<T: Copy> Keywords<T> {
    /// The meaning of a keyword.
    pub(super) fn meaning(&self, value: &ttir::Attr) -> Option<T> {
        let word = value.word()?;
        let found = self.known.iter().find(|(known, _)| *known == word);
        found.map(|(_, meaning)| *meaning)
    }
}

impl Import<'_> {
    /// Appends an op whose results have these types.
    pub(super) fn push(&mut self, op: impl Into<Op>, types: &[Type]) -> Vec<ValueId> {
        let mut op = op.into();
        generic::remove_defaults(&mut op);
        let outputs: Vec<_> =
            types.iter().map(|ty| self.func.value(String::new(), ty.clone())).collect();
        op.outputs = outputs.iter().copied().map(Some).collect();
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        outputs
    }

    /// Appends an op of one result.
    pub(super) fn emit(&mut self, op: impl Into<Op>, ty: Type) -> ValueId {
        let mut op = op.into();
        generic::remove_defaults(&mut op);
        let out = self.func.value(String::new(), ty);
        op.outputs = vec![Some(out)];
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        out
    }

    /// Appends an op of one result with the type of the first operand.
    pub(super) fn like(&mut self, op: impl Into<Op>) -> ValueId {
        let op = op.into();
        let ty = op.used().next().map_or(Type::fixed(DType::Bool, &[]), |x| self.ty(x).clone());
        self.emit(op, ty)
    }

    /// Appends an op whose result is a truth value for each element of the first operand.
    pub(super) fn truth(&mut self, op: impl Into<Op>) -> ValueId {
        let op = op.into();
        let ty = elements(op.used().next().map(|x| self.ty(x)), DType::Bool);
        self.emit(op, ty)
    }

    /// The bits as another element type; the value itself if it has that type.
    pub(super) fn bitcast(&mut self, x: ValueId, to: DType) -> ValueId {
        self.convert(ops::BitCast::new(x).to(to), x, to)
    }

    /// The value in another element type; the value itself if it has that type.
    pub(super) fn converted(&mut self, x: ValueId, to: DType) -> ValueId {
        self.convert(ops::Cast::new(x).to(to), x, to)
    }

    fn convert(&mut self, conversion: impl Into<Op>, x: ValueId, to: DType) -> ValueId {
        let ty = self.ty(x);
        if ty.dtype() == Some(to) {
            return x;
        }
        let ty = elements(Some(ty), to);
        self.emit(conversion, ty)
    }

    /// A block of one value, of the type given.
    pub(super) fn full(&mut self, value: Literal, ty: &Type) -> ValueId {
        let scalar = value.ty();
        let scalar = self.emit(ops::Constant::new().value(value), scalar);
        match ty.shape() {
            Some([]) | None => scalar,
            Some(_) => self.emit(ops::Splat::new(scalar), ty.clone()),
        }
    }

    /// A value with the promises that the program makes of it.
    pub(super) fn hinted(
        &mut self,
        owner: &str,
        id: ValueId,
        dict: &AttrDict,
    ) -> Result<ValueId, Failure> {
        let mut hint = ops::Hint::new(id);
        if let Some(numbers) = self.promise(owner, dict.get("tt.contiguity"), "contiguity")? {
            hint = hint.contiguity(numbers);
        }
        if let Some(numbers) = self.promise(owner, dict.get("tt.constancy"), "constancy")? {
            hint = hint.constancy(numbers);
        }
        if let Some(numbers) = self.promise(owner, dict.get("tt.divisibility"), "divisibility")? {
            hint = hint.divisibility(numbers);
        }
        if hint.as_op().attrs.is_empty() || matches!(self.ty(id), Type::Descriptor(_)) {
            return Ok(id);
        }
        Ok(self.like(hint))
    }

    /// The numbers of a promise, one for each axis.
    fn promise(
        &self,
        owner: &str,
        value: Option<&ttir::Attr>,
        name: &'static str,
    ) -> Result<Option<Vec<i64>>, Failure> {
        let numbers = match value {
            None => return Ok(None),
            Some(ttir::Attr::Dense(dense)) => match (dense.int(), dense.ty.dims().as_deref()) {
                (Some(n), Some(&[len])) if len <= crate::MAX_RANK => Some(vec![n; len]),
                _ => dense.ints(),
            },
            Some(other) => other.int().map(|n| vec![n]).or_else(|| other.ints()),
        };
        let expected = "an integer for each axis";
        let fault = || ErrorKind::Attribute { op: owner.into(), name, expected };
        numbers.map(Some).ok_or_else(|| self.failure(fault()))
    }

    /// The element type of a block of numbers.
    pub(super) fn dtype(&self, op: &ttir::Op, id: ValueId) -> Result<DType, Failure> {
        match self.ty(id).dtype() {
            Some(dtype) => Ok(dtype),
            None => self.wrong_type(op, "an operand", self.ty(id), "numbers"),
        }
    }

    /// An attribute that is one of these keywords.
    pub(super) fn keyword<'k>(
        &self,
        op: &ttir::Op,
        name: &'static str,
        known: &[&'k str],
    ) -> Result<&'k str, Failure> {
        let word = op.dict.get(name).and_then(ttir::Attr::word);
        match word.and_then(|word| known.iter().find(|k| **k == word)) {
            Some(keyword) => Ok(keyword),
            None => self.attribute(op, name, "a keyword that Triton has for it"),
        }
    }

    /// The meaning of an attribute's keyword.
    pub(super) fn choice<T: Copy>(
        &self,
        op: &ttir::Op,
        name: &'static str,
        known: &Keywords<T>,
    ) -> Result<T, Failure> {
        match op.dict.get(name).and_then(|value| known.meaning(value)) {
            Some(meaning) => Ok(meaning),
            None => self.attribute(op, name, "a keyword that Triton has for it"),
        }
    }

    /// An integer attribute.
    pub(super) fn int(&self, op: &ttir::Op, name: &'static str) -> Result<i64, Failure> {
        match op.dict.get(name).and_then(ttir::Attr::int) {
            Some(value) => Ok(value),
            None => self.attribute(op, name, "an integer"),
        }
    }

    /// A text attribute.
    pub(super) fn text(&self, op: &ttir::Op, name: &'static str) -> Result<String, Failure> {
        match op.dict.get(name) {
            Some(ttir::Attr::Str(text) | ttir::Attr::Symbol(text)) => Ok(text.to_string()),
            _ => self.attribute(op, name, "a text"),
        }
    }

    /// Whether a flag is set.
    pub(super) fn flag(&self, op: &ttir::Op, name: &str) -> bool {
        op.dict.get(name).and_then(ttir::Attr::int).is_some_and(|value| value != 0)
    }

    pub(super) fn unknown<T>(&self, op: &ttir::Op) -> Result<T, Failure> {
        self.fail(ErrorKind::UnknownOp(op.name.to_string()))
    }
}

/// Elements of this type in the shape of a block.
pub(super) fn elements(of: Option<&Type>, dtype: DType) -> Type {
    let shape = of.and_then(Type::shape).map(<[_]>::to_vec);
    Type::unranked(dtype).with_shape(Some(shape.unwrap_or_default()))
}
