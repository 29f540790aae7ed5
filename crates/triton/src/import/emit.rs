//! Ops into the block under construction.

use super::Import;
use crate::syntax::{self, Attrs};
use crate::{ErrorKind, Failure};
use trident_ir::{Attr, DType, Literal, Op, OpKind, Type, ValueId};

/// Attributes of an op of the table.
pub(super) type Set<'a> = &'a [(&'static str, Attr)];

/// An attribute, unless it says what holds anyway.
pub(super) fn unless_default(
    kind: OpKind,
    name: &'static str,
    value: Attr,
) -> Option<(&'static str, Attr)> {
    let default = kind.decl().attr(name).and_then(|a| a.default_value());
    (default.as_ref() != Some(&value)).then_some((name, value))
}

impl Import<'_, '_> {
    /// Appends an op; results get the types given.
    pub(super) fn push(
        &mut self,
        kind: OpKind,
        inputs: Vec<Option<ValueId>>,
        attrs: impl IntoIterator<Item = (&'static str, Attr)>,
        types: &[Type],
    ) -> Vec<ValueId> {
        let outputs: Vec<_> =
            types.iter().map(|ty| self.func.value(String::new(), ty.clone())).collect();
        let mut op = Op::new(kind, inputs, outputs.iter().copied().map(Some).collect());
        for (name, value) in attrs {
            op.attrs.set(name, value);
        }
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        outputs
    }

    /// Appends an op of one result.
    pub(super) fn emit(
        &mut self,
        kind: OpKind,
        inputs: &[ValueId],
        attrs: Set<'_>,
        ty: Type,
    ) -> ValueId {
        let out = self.func.value(String::new(), ty);
        let inputs = inputs.iter().copied().map(Some).collect();
        let mut op = Op::new(kind, inputs, vec![Some(out)]);
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        out
    }

    /// Appends an op of one result with the type of the first operand.
    pub(super) fn like(&mut self, kind: OpKind, inputs: &[ValueId], attrs: Set<'_>) -> ValueId {
        let ty = inputs.first().map_or(Type::fixed(DType::Bool, &[]), |&x| self.ty(x).clone());
        self.emit(kind, inputs, attrs, ty)
    }

    /// Appends an op whose result are truth values, as many as elements of the first operand.
    pub(super) fn truth(&mut self, kind: OpKind, inputs: &[ValueId]) -> ValueId {
        let ty = inputs.first().map(|&x| self.ty(x).clone());
        self.emit(kind, inputs, &[], elements(ty.as_ref(), DType::Bool))
    }

    /// The bits as another element type; the value itself if it has that type.
    pub(super) fn bitcast(&mut self, x: ValueId, to: DType) -> ValueId {
        self.convert(OpKind::BitCast, x, to)
    }

    /// The value in another element type; the value itself if it has that type.
    pub(super) fn converted(&mut self, x: ValueId, to: DType) -> ValueId {
        self.convert(OpKind::Cast, x, to)
    }

    fn convert(&mut self, kind: OpKind, x: ValueId, to: DType) -> ValueId {
        let ty = self.ty(x);
        if ty.dtype() == Some(to) {
            return x;
        }
        let ty = elements(Some(ty), to);
        self.emit(kind, &[x], &[("to", Attr::DType(to))], ty)
    }

    /// A block of one value, of the type given.
    pub(super) fn full(&mut self, value: Literal, ty: &Type) -> ValueId {
        let scalar =
            self.emit(OpKind::Constant, &[], &[("value", Attr::Tensor(value.clone()))], value.ty());
        match ty.shape() {
            Some([]) | None => scalar,
            Some(_) => self.emit(OpKind::Splat, &[scalar], &[], ty.clone()),
        }
    }

    /// What the program promises of a value.
    pub(super) fn hinted(
        &mut self,
        owner: &str,
        id: ValueId,
        attrs: &Attrs<'_>,
    ) -> Result<ValueId, Failure> {
        let mut hints = vec![];
        for (text, name) in [
            ("tt.contiguity", "contiguity"),
            ("tt.constancy", "constancy"),
            ("tt.divisibility", "divisibility"),
        ] {
            let Some(value) = attrs.get(text) else { continue };
            let numbers = match value {
                syntax::Attr::Dense(values, ty) => match (values.int(), ty.dims().as_deref()) {
                    (Some(n), Some(&[len])) if len <= crate::MAX_RANK => Some(vec![n; len]),
                    _ => values.ints(),
                },
                other => other.int().map(|n| vec![n]).or_else(|| other.ints()),
            };
            match numbers {
                Some(numbers) => hints.push((name, Attr::Ints(numbers))),
                None => {
                    let expected = "an integer for each axis";
                    return self.fail(ErrorKind::Attribute { op: owner.into(), name, expected });
                }
            }
        }
        if hints.is_empty() || matches!(self.ty(id), Type::Descriptor(_)) {
            return Ok(id);
        }
        Ok(self.like(OpKind::Hint, &[id], &hints))
    }

    /// The element type of a block of numbers.
    pub(super) fn dtype(&self, op: &syntax::Op<'_>, id: ValueId) -> Result<DType, Failure> {
        match self.ty(id).dtype() {
            Some(dtype) => Ok(dtype),
            None => self.wrong_type(op, "an operand", self.ty(id), "numbers"),
        }
    }

    /// An attribute that is a keyword, or a number that stands for one.
    pub(super) fn keyword<'k>(
        &self,
        op: &syntax::Op<'_>,
        name: &'static str,
        known: &[&'k str],
    ) -> Result<&'k str, Failure> {
        let found = match op.attrs.get(name) {
            None => None,
            Some(value) => match value.word() {
                Some(word) => known.iter().find(|k| **k == word),
                None => value.int().and_then(|i| known.get(usize::try_from(i).ok()?)),
            },
        };
        match found {
            Some(keyword) if !keyword.is_empty() => Ok(keyword),
            _ => self.attribute(op, name, "a keyword that Triton has for it"),
        }
    }

    /// An integer attribute.
    pub(super) fn int(&self, op: &syntax::Op<'_>, name: &'static str) -> Result<i64, Failure> {
        match op.attrs.get(name).and_then(syntax::Attr::int) {
            Some(value) => Ok(value),
            None => self.attribute(op, name, "an integer"),
        }
    }

    /// A text attribute.
    pub(super) fn text(&self, op: &syntax::Op<'_>, name: &'static str) -> Result<String, Failure> {
        match op.attrs.get(name) {
            Some(syntax::Attr::Str(text) | syntax::Attr::Symbol(text)) => Ok(text.to_string()),
            _ => self.attribute(op, name, "a text"),
        }
    }

    pub(super) fn unknown<T>(&self, op: &syntax::Op<'_>) -> Result<T, Failure> {
        self.fail(ErrorKind::UnknownOp(op.name.into()))
    }
}

/// Elements of this type in the shape of a block.
pub(super) fn elements(of: Option<&Type>, dtype: DType) -> Type {
    let shape = of.and_then(Type::shape).map(<[_]>::to_vec);
    Type::unranked(dtype).with_shape(Some(shape.unwrap_or_default()))
}
