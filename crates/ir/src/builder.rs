//! Appends ops to a function and types their results.

use crate::op::{New, TypeError};
use crate::{Block, DType, Func, Literal, Loc, Op, OpKind, Type, ValueId, ops};

/// Builds the body of a function, op by op.
///
/// ```
/// use trident_ir::{Builder, DType, Func, Level, OpKind, Type};
/// let mut func = Func::new("double", Level::Graph);
/// let x = func.value("x", Type::fixed(DType::F32, &[4]));
/// func.body.params.push(x);
/// let mut b = Builder::new(&mut func);
/// let y = b.op(OpKind::Add, &[x, x]).unwrap();
/// let block = b.finish();
/// func.body.ops = block.ops;
/// func.body.results = vec![y];
/// assert_eq!(func.ty(y).dtype(), Some(DType::F32));
/// ```
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function that owns all values.
    pub func: &'f mut Func,
    /// The block under construction.
    pub block: Block,
    /// The place given to the ops that follow.
    pub loc: Option<Loc>,
}

impl<'f> Builder<'f> {
    /// A builder of an empty block.
    pub fn new(func: &'f mut Func) -> Builder<'f> {
        Builder { func, block: Block::default(), loc: None }
    }

    /// Appends a finished op: its results get the types of the op's rules.
    pub fn push(&mut self, mut op: Op) -> Result<(), TypeError> {
        if op.loc.is_none() {
            op.loc = self.loc.clone();
        }
        let types = self.func.result_types(&op)?;
        for (out, ty) in op.outputs.iter().zip(types) {
            if let (Some(out), Some(ty)) = (out, ty) {
                self.func.values[out.index()].ty = ty;
            }
        }
        self.block.ops.push(op);
        Ok(())
    }

    /// Appends an op with one result, which it returns.
    pub fn add<V>(&mut self, new: New<V>) -> Result<ValueId, TypeError> {
        self.append(new.into_op(), 1).map(|results| results[0])
    }

    /// Appends an op with `n` results and returns them.
    pub fn add_all<V>(&mut self, new: New<V>, n: usize) -> Result<Vec<ValueId>, TypeError> {
        self.append(new.into_op(), n)
    }

    /// Appends an op with one result of this type, where its rules leave it open: a `splat` to these dimensions, a `poison` …
    pub fn add_as<V>(&mut self, new: New<V>, ty: Type) -> Result<ValueId, TypeError> {
        self.add_as_all(new, &[ty]).map(|results| results[0])
    }

    /// Like [`Self::add_as`], with one result for each type.
    pub fn add_as_all<V>(
        &mut self,
        new: New<V>,
        types: &[Type],
    ) -> Result<Vec<ValueId>, TypeError> {
        self.append_as(new.into_op(), types)
    }

    /// Appends an op that has no results yet, and gives it one for each of these types.
    pub fn append_as(&mut self, mut op: Op, types: &[Type]) -> Result<Vec<ValueId>, TypeError> {
        let results: Vec<ValueId> =
            types.iter().map(|ty| self.func.value(self.name(op.kind), ty.clone())).collect();
        op.outputs = results.iter().copied().map(Some).collect();
        self.push(op)?;
        Ok(results)
    }

    /// Appends an op that has no results yet, and gives it `n`. They are named after the op; names that clash with the
    /// source's are told apart by [`Func::unique_names`].
    pub fn append(&mut self, mut op: Op, n: usize) -> Result<Vec<ValueId>, TypeError> {
        // `push` knows the types once the results have their places.
        let untyped = Type::unranked(DType::Bool);
        let outputs: Vec<ValueId> =
            (0..n).map(|_| self.func.value(self.name(op.kind), untyped.clone())).collect();
        op.outputs = outputs.iter().copied().map(Some).collect();
        self.push(op)?;
        Ok(outputs)
    }

    /// Appends an op without attributes whose operands are all present and whose results have these types, where its rules
    /// leave them open.
    pub fn declared(
        &mut self,
        kind: OpKind,
        inputs: &[ValueId],
        types: &[Type],
    ) -> Result<Vec<ValueId>, TypeError> {
        let op = Op::new(kind, inputs.iter().copied().map(Some).collect(), vec![]);
        self.append_as(op, types)
    }

    fn name(&self, kind: OpKind) -> String {
        format!("{}.{}", kind.decl().name, self.func.values.len())
    }

    /// Appends an op without attributes whose operands are all present and which has one result.
    pub fn op(&mut self, kind: OpKind, inputs: &[ValueId]) -> Result<ValueId, TypeError> {
        let op = Op::new(kind, inputs.iter().copied().map(Some).collect(), vec![]);
        self.append(op, 1).map(|results| results[0])
    }

    /// Appends a constant.
    pub fn literal(&mut self, value: Literal) -> ValueId {
        let out = self.func.value(self.name(OpKind::Constant), value.ty());
        let mut op = ops::Constant::new().value(value).into_op();
        op.outputs = vec![Some(out)];
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        out
    }

    /// The finished block.
    pub fn finish(self) -> Block {
        self.block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;

    #[test]
    fn what_is_built_verifies_and_has_types_and_places() {
        let mut func = Func::new("f", Level::Graph);
        let x = func.value("x", Type::fixed(DType::F32, &[4]));
        func.body.params.push(x);
        let mut b = Builder::new(&mut func);
        b.loc = Some(Loc::node("node"));
        let k = b.literal(Literal::vector(&[2i64]));
        let top = b.add_all(ops::TopK::new(x, k).largest(false), 2).unwrap();
        let half = b.add(ops::Cast::new(top[0]).to(DType::F16)).unwrap();
        let block = b.finish();
        (func.body.ops, func.body.results) = (block.ops, vec![half, top[1]]);
        func.verify().unwrap();
        assert_eq!(
            func.to_string(),
            "func @f graph (%x: f32[4]) -> (f16[*], i64[*]) {
  %constant.1 = constant {value = i64[1](2)} loc(\"node\")
  %topk.2, %topk.3 = topk(%x, %constant.1) {largest = 0} : f32[*], i64[*] loc(\"node\")
  %cast.4 = cast(%topk.2) {to = f16} : f16[*] loc(\"node\")
  return %cast.4, %topk.3
}
"
        );
    }

    #[test]
    fn blocks_have_exact_types() {
        let mut func = Func::new("f", Level::Tile);
        let x = func.value("x", Type::fixed(DType::F32, &[]));
        func.body.params.push(x);
        let mut b = Builder::new(&mut func);
        let block = Type::fixed(DType::F32, &[4]);
        let y = b.declared(OpKind::Splat, &[x], &[block]).unwrap()[0];
        let z = b.op(OpKind::Less, &[y, y]).unwrap();
        assert!(b.op(OpKind::Add, &[x, y]).is_err());
        func.body.ops = b.finish().ops;
        assert_eq!(*func.ty(z), Type::fixed(DType::Bool, &[4]));
        func.verify().unwrap();
    }

    #[test]
    fn operands_without_a_type_for_the_op_are_errors() {
        let mut func = Func::new("f", Level::Graph);
        let mut b = Builder::new(&mut func);
        let seq = b.op(OpKind::SequenceEmpty, &[]).unwrap();
        assert!(matches!(b.op(OpKind::Neg, &[seq]), Err(TypeError::Operand { index: 0, .. })));
        assert!(matches!(b.op(OpKind::Neg, &[]), Err(TypeError::MissingOperand { .. })));
        assert!(matches!(b.op(OpKind::Cast, &[seq]), Err(TypeError::Attribute { name: "to", .. })));
        assert!(b.append(Op::new(OpKind::Neg, vec![Some(seq)], vec![]), 2).is_err());
    }
}
