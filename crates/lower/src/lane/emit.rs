//! Emits what a plan decided as a lane function.

use std::collections::HashMap;

use bytes::Bytes;
use trident_ir::literal::LiteralData;
use trident_ir::op::TypeError;
use trident_ir::tile::Origins;
use trident_ir::{
    Attr, Block, Builder, DType, Func, Level, Literal, Loc, Op, OpKind as K, Type, ValueId,
};

use super::banks::Padding;
use super::dot::Area;
use super::error::{LowerError, Unsupported};
use super::exchange::{Piece, WORD};
use super::hazard::Hazards;
use super::layout::Layout;
use super::memory::Memory;
use super::plan::{Plan, is_access, is_atomic};
use crate::access::{Index, NodeId, is_lazy};

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// The kernel at level lane, and whether it exchanges words that have short elements.
pub(super) fn emit(
    func: &Func,
    plan: &Plan<'_>,
    origins: &Origins<'_>,
) -> std::result::Result<(Func, bool), LowerError> {
    let mut out = Func::new(func.name.clone(), Level::Lane);
    out.threads = Some(plan.threads());
    let mut emitter = Emitter {
        plan,
        func,
        origins,
        out,
        block: Block::default(),
        arrays: vec![],
        base: None,
        memory: Memory::new(plan.figures.threadgroup),
        loops: vec![],
        loc: None,
        env: HashMap::new(),
        scopes: vec![Scope::default()],
        hazards: Hazards::default(),
        exchanges_words: false,
    };
    for &param in &func.body.params {
        let info = func.info(param).clone();
        let id = emitter.out.value(info.name, info.ty);
        emitter.out.body.params.push(id);
        emitter.env.insert(param, id);
    }
    if let Err(error) = emitter.ops(&func.body) {
        let most = emitter.memory.limit();
        return Err(match emitter.memory.lacking() {
            Some(needed) => LowerError::Threadgroup { needed, most },
            None => error.into(),
        });
    }
    let Emitter { mut arrays, base, memory, block, mut out, exchanges_words, .. } = emitter;
    let words = i64::try_from(memory.size() / WORD.size()).unwrap_or(i64::MAX);
    for array in arrays.iter_mut().filter(|array| array.output(0) == base) {
        array.attrs.set("len", Attr::Int(words));
    }
    out.body.ops = arrays.into_iter().chain(block.ops).collect();
    out.unique_names();
    Ok((out, exchanges_words))
}

/// What a region of the code knows; it ends with the region.
#[derive(Default)]
pub(super) struct Scope {
    /// Elements that are in registers, by block and index.
    pub(super) elements: HashMap<(NodeId, Index), ValueId>,
    /// Sums of bits of a counter, by its name and their weights.
    pub(super) places: HashMap<(u16, Vec<(u8, usize)>), ValueId>,
    /// The registers that hold the elements of a block.
    pub(super) held: HashMap<NodeId, (Layout, Vec<ValueId>)>,
    /// Pointers into threadgroup memory, by the weights of bits of the thread's number.
    pub(super) pointers: HashMap<(ValueId, Vec<(u8, usize)>), ValueId>,
    /// Factors in threadgroup memory, by the result of their product and their number.
    pub(super) staged: HashMap<(ValueId, usize), Area>,
    /// The matrices that are sums of products.
    pub(super) matrices: HashMap<ValueId, Vec<ValueId>>,
    /// What of such blocks is in threadgroup memory, the oldest first.
    pub(super) shared: Vec<Piece>,
    /// The part of an index that depends on the thread, in padded memory.
    pub(super) padded: HashMap<(Index, Padding), ValueId>,
    /// Constants, by element type and bytes.
    literals: HashMap<(DType, Bytes), ValueId>,
    pub(super) thread: Option<ValueId>,
    /// The number of the step of the loop that the code of one op has.
    pub(super) step: Option<ValueId>,
}

pub(super) struct Emitter<'p, 'm> {
    pub(super) plan: &'p Plan<'m>,
    pub(super) func: &'p Func,
    pub(super) origins: &'p Origins<'p>,
    pub(super) out: Func,
    pub(super) block: Block,
    /// Arrays of the threadgroup, which stand before everything else.
    pub(super) arrays: Vec<Op>,
    /// The array that `memory` is about.
    pub(super) base: Option<ValueId>,
    pub(super) memory: Memory,
    /// The outermost scope of each open loop.
    loops: Vec<usize>,
    pub(super) loc: Loc,
    /// Scalars of the kernel.
    pub(super) env: HashMap<ValueId, ValueId>,
    scopes: Vec<Scope>,
    pub(super) hazards: Hazards,
    pub(super) exchanges_words: bool,
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
                kind if is_access(kind) => {
                    let access = self.plan.access_of(op);
                    match access.ok_or_else(|| Unsupported::new(op, "was not planned"))? {
                        access if is_atomic(kind) => self.atomic(access)?,
                        access => self.transfer(access)?,
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
                K::Map => self.map(op)?,
                K::Print => self.print(op)?,
                K::Assert => self.assert(op)?,
                K::TakeAlongAxis => self.take(op)?,
                K::Histogram => self.histogram(op)?,
                // Their elements are emitted where they are needed, and an assumption needs no code.
                K::Hint | K::Identity | K::Unsplat | K::Assume => {}
                _ if is_lazy(op) => {}
                _ => return Err(Unsupported::new(op, "was planned, but has no code")),
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

    /// As [`Self::region`], for code that may run several times.
    pub(super) fn repeated(
        &mut self,
        params: Vec<ValueId>,
        emit: impl FnOnce(&mut Self) -> Result<Vec<ValueId>>,
    ) -> Result<Block> {
        self.memory.repeats();
        self.loops.push(self.scopes.len());
        let region = self.region(params, emit);
        self.loops.pop();
        self.memory.repeats();
        region
    }

    /// Takes away the oldest piece of a block in threadgroup memory that no iteration before this one relies on.
    pub(super) fn forget(&mut self) -> Option<Piece> {
        let from = self.loops.last().copied().unwrap_or(0);
        let mut scopes = self.scopes.iter_mut().skip(from);
        let oldest = scopes.find(|scope| !scope.shared.is_empty())?;
        Some(oldest.shared.remove(0))
    }

    /// Runs `emit`; what it gets to know ends with it.
    pub(super) fn scoped<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let results = emit(self);
        for piece in self.scopes.pop().unwrap_or_default().shared {
            self.release(&piece.part);
        }
        results
    }

    /// What `emit` emits, as a region with its results.
    pub(super) fn region(
        &mut self,
        params: Vec<ValueId>,
        emit: impl FnOnce(&mut Self) -> Result<Vec<ValueId>>,
    ) -> Result<Block> {
        let outer = std::mem::take(&mut self.block);
        let results = self.scoped(emit);
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
        if memory != "device" {
            self.memory.waited();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::Figures;
    use trident_ir::Module;

    #[test]
    fn an_access_without_a_plan_is_an_error() {
        let text = "func @f tile (%x: ptr<f32>[]) {
            %v = load(%x) loc(\"line 1\")
            store(%x, %v)
            return
        }";
        let module: Module = text.parse().unwrap();
        // A plan knows the ops that it was made of, and no copies.
        let other = module.clone();
        let (planned, copy) = (module.entry().unwrap(), other.entry().unwrap());
        let origins = Origins::new(&module);
        let plan = Plan::of(planned, &origins, &Figures::APPLE).unwrap();
        assert!(emit(planned, &plan, &origins).is_ok());
        let error = emit(copy, &plan, &origins).unwrap_err();
        assert_eq!(error.to_string(), "load `line 1`: was not planned");
    }
}
