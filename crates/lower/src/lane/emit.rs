//! Emits what a plan decided as a lane function.

use std::collections::HashMap;

use bytes::Bytes;
use trident_ir::literal::LiteralData;
use trident_ir::op::TypeError;
use trident_ir::tile::Origins;
use trident_ir::{
    Attr, Block, Builder, DType, Func, Level, Literal, Loc, Op, OpKind as K, Type, ValueId,
};

use super::error::Unsupported;
use super::hazard::Hazards;
use super::layout::Layout;
use super::plan::Plan;
use crate::access::{Index, NodeId};

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// The kernel at level lane.
pub(super) fn emit(func: &Func, plan: &Plan<'_>, origins: &Origins<'_>) -> Result<Func> {
    let mut out = Func::new(func.name.clone(), Level::Lane);
    out.threads = Some(plan.threads());
    let mut emitter = Emitter {
        plan,
        func,
        origins,
        out,
        block: Block::default(),
        arrays: vec![],
        loc: None,
        env: HashMap::new(),
        scopes: vec![Scope::default()],
        hazards: Hazards::default(),
        accesses: 0,
    };
    for &param in &func.body.params {
        let info = func.info(param).clone();
        let id = emitter.out.value(info.name, info.ty);
        emitter.out.body.params.push(id);
        emitter.env.insert(param, id);
    }
    emitter.ops(&func.body)?;
    let Emitter { arrays, block, mut out, .. } = emitter;
    out.body.ops = arrays.into_iter().chain(block.ops).collect();
    out.unique_names();
    Ok(out)
}

/// What a region of the code knows; it ends with the region.
#[derive(Default)]
pub(super) struct Scope {
    /// Elements that are in registers, by block and index.
    pub(super) elements: HashMap<(NodeId, Index), ValueId>,
    /// The part of an index that depends on the thread.
    pub(super) places: HashMap<Index, ValueId>,
    /// The registers that hold the elements of a block.
    pub(super) held: HashMap<NodeId, (Layout, Vec<ValueId>)>,
    /// Threadgroup memory with all elements of such a block.
    pub(super) shared: HashMap<NodeId, ValueId>,
    /// Constants, by element type and bytes.
    literals: HashMap<(DType, Bytes), ValueId>,
    pub(super) thread: Option<ValueId>,
}

pub(super) struct Emitter<'p, 'm> {
    pub(super) plan: &'p Plan<'m>,
    pub(super) func: &'p Func,
    pub(super) origins: &'p Origins<'p>,
    pub(super) out: Func,
    pub(super) block: Block,
    /// Arrays of the threadgroup, which stand before everything else.
    arrays: Vec<Op>,
    pub(super) loc: Loc,
    /// Scalars of the kernel.
    pub(super) env: HashMap<ValueId, ValueId>,
    scopes: Vec<Scope>,
    pub(super) hazards: Hazards,
    /// Loads and stores emitted so far.
    accesses: usize,
}

impl<'m> Emitter<'_, 'm> {
    /// Emits the ops of a block in order; expressions are emitted where their elements are needed.
    pub(super) fn ops(&mut self, block: &Block) -> Result<()> {
        for op in &block.ops {
            self.loc = op.loc.clone();
            match op.kind {
                K::ProgramId => self.axis(op, K::ThreadgroupId)?,
                K::NumPrograms => self.axis(op, K::NumThreadgroups)?,
                K::Constant => self.constant(op)?,
                K::Load | K::Store => {
                    let access = self.plan.accesses.get(self.accesses);
                    self.accesses += 1;
                    if let Some(access) = access {
                        self.transfer(access)?;
                    }
                }
                K::Barrier => {
                    self.wait("both")?;
                    self.hazards = Hazards::default();
                }
                K::If => self.branch(op)?,
                K::For => self.counted(op)?,
                K::While => self.conditional(op)?,
                K::Reduce => self.reduce(op)?,
                K::Dot => self.dot(op)?,
                K::PrefixScan => self.scan(op)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The innermost of what the open scopes know.
    pub(super) fn known<T>(&self, find: impl Fn(&Scope) -> Option<T>) -> Option<T> {
        self.scopes.iter().rev().find_map(find)
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// Whether the code is inside of a region, which may run several times.
    pub(super) fn is_nested(&self) -> bool {
        self.scopes.len() > 1
    }

    /// What `emit` emits, as a region with its results.
    pub(super) fn region(
        &mut self,
        params: Vec<ValueId>,
        emit: impl FnOnce(&mut Self) -> Result<Vec<ValueId>>,
    ) -> Result<Block> {
        let outer = std::mem::take(&mut self.block);
        self.scopes.push(Scope::default());
        let results = emit(self);
        self.scopes.pop();
        let inner = std::mem::replace(&mut self.block, outer);
        Ok(Block { params, results: results?, ..inner })
    }

    /// Appends an op with regions, whose results have these types.
    pub(super) fn nest(
        &mut self,
        kind: K,
        inputs: &[ValueId],
        types: Vec<Type>,
        regions: Vec<Block>,
    ) -> Result<Vec<ValueId>> {
        let name = kind.decl().name;
        let outputs: Vec<ValueId> = types.into_iter().map(|ty| self.out.value(name, ty)).collect();
        let inputs = inputs.iter().copied().map(Some).collect();
        let mut op = Op::new(kind, inputs, outputs.iter().copied().map(Some).collect());
        op.regions = regions;
        self.build(name, |b| b.push(op))?;
        Ok(outputs)
    }

    /// Runs a builder at the end of the block.
    pub(super) fn build<T>(
        &mut self,
        what: &str,
        make: impl FnOnce(&mut Builder<'_>) -> std::result::Result<T, TypeError>,
    ) -> Result<T> {
        let mut builder = Builder::new(&mut self.out);
        builder.loc = self.loc.clone();
        let made = make(&mut builder).map_err(|error| Unsupported {
            op: what.to_owned(),
            reason: error.to_string(),
            at: self.loc.clone(),
        })?;
        let ops = builder.finish().ops;
        self.block.ops.extend(ops);
        Ok(made)
    }

    pub(super) fn op(
        &mut self,
        kind: K,
        inputs: &[ValueId],
        attrs: &[(&'static str, Attr)],
    ) -> Result<ValueId> {
        self.build(kind.decl().name, |b| b.op(kind, inputs, attrs))
    }

    /// An array of the threadgroup.
    pub(super) fn array(&mut self, dtype: DType, len: usize) -> Result<ValueId> {
        let attrs = [
            ("space", Attr::Str("threadgroup".into())),
            ("dtype", Attr::DType(dtype)),
            ("len", Attr::Int(i64::try_from(len).unwrap_or(i64::MAX))),
        ];
        let array = self.op(K::Alloc, &[], &attrs)?;
        self.arrays.extend(self.block.ops.pop());
        Ok(array)
    }

    /// A scalar constant of an element type and its bytes.
    pub(super) fn literal(&mut self, dtype: DType, bytes: Bytes) -> Result<ValueId> {
        let key = (dtype, bytes.clone());
        if let Some(known) = self.known(|scope| scope.literals.get(&key).copied()) {
            return Ok(known);
        }
        let literal = Literal::from_bytes(dtype, vec![], bytes);
        let literal = literal.map_err(|error| self.missing(&error.to_string()))?;
        let id = self.build("constant", |b| Ok(b.literal(literal)))?;
        self.scope().literals.insert(key, id);
        Ok(id)
    }

    pub(super) fn int(&mut self, value: i32) -> Result<ValueId> {
        self.literal(DType::I32, Bytes::copy_from_slice(&value.to_le_bytes()))
    }

    /// All threads wait for each other, and see what the others have written to memory of this kind.
    pub(super) fn wait(&mut self, memory: &str) -> Result<()> {
        let attrs = [("memory", Attr::Str(memory.to_owned()))];
        self.build("threadgroup_barrier", |b| b.ops(K::ThreadgroupBarrier, &[], &attrs, 0))?;
        Ok(())
    }

    pub(super) fn missing(&self, reason: &str) -> Unsupported {
        Unsupported { op: "element".into(), reason: reason.into(), at: self.loc.clone() }
    }

    fn axis(&mut self, op: &Op, kind: K) -> Result<()> {
        let axis = op.attr("axis").unwrap_or(Attr::Int(0));
        let id = self.op(kind, &[], &[("axis", axis)])?;
        self.env.extend(op.output(0).map(|old| (old, id)));
        Ok(())
    }

    /// The scalar of which all elements of a constant are copies.
    pub(super) fn constant(&mut self, op: &Op) -> Result<()> {
        let (Some(old), Some(Attr::Tensor(literal))) = (op.output(0), op.attrs.get("value")) else {
            return Ok(());
        };
        let (dtype, size) = (literal.dtype(), literal.dtype().size());
        let id = match literal.data() {
            LiteralData::Bytes(data) if data.len() >= size => {
                self.literal(dtype, data.slice(..size))?
            }
            _ => return Err(Unsupported::new(op, "is of text or empty")),
        };
        self.env.insert(old, id);
        Ok(())
    }
}
