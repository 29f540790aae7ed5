//! Appends ops to a function and gives their results types.

use crate::op::TypeError;
use crate::{Attr, Block, Func, Literal, Loc, Op, OpKind, Type, ValueId};

/// Builds the body of a function, op by op.
///
/// ```
/// use trident_ir::{Builder, DType, Func, Level, OpKind, Type};
/// let mut func = Func::new("double", Level::Graph);
/// let x = func.value("x", Type::fixed(DType::F32, &[4]));
/// func.body.params.push(x);
/// let mut b = Builder::new(&mut func);
/// let y = b.op(OpKind::Add, &[x, x], &[]).unwrap();
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
    pub loc: Loc,
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

    /// Appends an op with `n` results and returns them.
    pub fn ops(
        &mut self,
        kind: OpKind,
        inputs: &[Option<ValueId>],
        attrs: &[(&'static str, Attr)],
        n: usize,
    ) -> Result<Vec<ValueId>, TypeError> {
        let base = kind.decl().name;
        let outputs: Vec<ValueId> = (0..n)
            .map(|_| {
                let name = format!("{base}.{}", self.func.values.len());
                self.func.value(name, Type::Seq(Box::new(Type::unranked(crate::DType::Bool))))
            })
            .collect();
        let mut op = Op::new(kind, inputs.to_vec(), outputs.iter().copied().map(Some).collect());
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        self.push(op)?;
        Ok(outputs)
    }

    /// Appends an op whose operands are all present and which has one result.
    pub fn op(
        &mut self,
        kind: OpKind,
        inputs: &[ValueId],
        attrs: &[(&'static str, Attr)],
    ) -> Result<ValueId, TypeError> {
        let inputs: Vec<_> = inputs.iter().copied().map(Some).collect();
        self.ops(kind, &inputs, attrs, 1).map(|v| v[0])
    }

    /// Appends a constant.
    pub fn literal(&mut self, value: Literal) -> ValueId {
        let name = format!("const.{}", self.func.values.len());
        let out = self.func.value(name, value.ty());
        let mut op = Op::new(OpKind::Constant, vec![], vec![Some(out)]);
        op.attrs.set("value", Attr::Tensor(value));
        op.loc = self.loc.clone();
        self.block.ops.push(op);
        out
    }

    /// The finished block.
    pub fn finish(self) -> Block {
        self.block
    }
}
