//! Emits what a plan decided as a lane function.

use std::collections::HashMap;

use bytes::Bytes;
use trident_ir::literal::LiteralData;
use trident_ir::op::words::{BarrierMemory, ShiftDirection};
use trident_ir::op::{New, TypeError};
use trident_ir::tile::Origins;
use trident_ir::{
    Block, Builder, DType, Func, Level, Literal, Loc, Op, OpKind as K, Type, ValueId, ops,
};

use super::banks::Padding;
use super::dot::Area;
use super::error::{LowerError, REPORT, Unsupported};
use super::exchange::{Piece, WORD};
use super::hazard::Hazards;
use super::layout::Layout;
use super::memory::Memory;
use super::plan::{LanePlan, is_access, is_atomic};
use trident_tile_analysis::{Index, NodeId, is_lazy};

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// The kernel at level lane, and whether it exchanges words that have short elements.
pub(super) fn emit(
    func: &Func,
    plan: &LanePlan<'_>,
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
    for array in &mut arrays {
        if array.output(ops::Alloc::AT.ptr) == base {
            ops::Alloc::edit(array).map(|alloc| alloc.len(words));
        }
    }
    out.body.ops = arrays.into_iter().chain(block.ops).collect();
    out.unique_names();
    Ok((out, exchanges_words))
}

/// Facts that hold in a region of the code, and end with it.
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
    /// The pieces of such blocks in threadgroup memory, the oldest first.
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
    pub(super) plan: &'p LanePlan<'m>,
    pub(super) func: &'p Func,
    pub(super) origins: &'p Origins<'p>,
    pub(super) out: Func,
    pub(super) block: Block,
    /// Arrays of the threadgroup, which precede all other code.
    pub(super) arrays: Vec<Op>,
    /// The array that `memory` is about.
    pub(super) base: Option<ValueId>,
    pub(super) memory: Memory,
    /// The outermost scope of each open loop.
    loops: Vec<usize>,
    pub(super) loc: Option<Loc>,
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
                K::ProgramId => {
                    let axis = self.view(op, ops::ProgramId::of)?.axis();
                    self.index(op, ops::ThreadgroupId::new().axis(axis))?;
                }
                K::NumPrograms => {
                    let axis = self.view(op, ops::NumPrograms::of)?.axis();
                    self.index(op, ops::NumThreadgroups::new().axis(axis))?;
                }
                K::Constant => self.constant(op)?,
                kind if is_access(kind) => {
                    let access = self.plan.access_of(op);
                    match access.ok_or_else(|| Unsupported::malformed(op, "was not planned"))? {
                        access if is_atomic(kind) => self.atomic(access)?,
                        access => self.transfer(access)?,
                    }
                }
                K::Barrier => {
                    self.wait(BarrierMemory::Both)?;
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
                _ => return Err(Unsupported::malformed(op, "was planned, but has no code")),
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

    /// Like [`Self::region`], for code that may run several times.
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

    /// Runs `emit` in a scope: values that it computes are forgotten afterwards.
    pub(super) fn scoped<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let results = emit(self);
        for piece in self.scopes.pop().unwrap_or_default().shared {
            self.release(&piece.part);
        }
        results
    }

    /// Makes a region of the ops that `emit` emits, with its results.
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
    pub(super) fn nest<V>(
        &mut self,
        new: New<V>,
        types: Vec<Type>,
        regions: Vec<Block>,
    ) -> Result<Vec<ValueId>> {
        let mut op = new.into_op();
        let name = op.decl().name;
        let outputs: Vec<ValueId> = types.into_iter().map(|ty| self.out.value(name, ty)).collect();
        op.outputs = outputs.iter().copied().map(Some).collect();
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
        let made = make(&mut builder).map_err(|error| Unsupported::Element {
            at: self.loc.clone(),
            reason: format!("{what}: {error}"),
        })?;
        let ops = builder.finish().ops;
        self.block.ops.extend(ops);
        Ok(made)
    }

    /// Appends an op without attributes that has one result.
    pub(super) fn op(&mut self, kind: K, inputs: &[ValueId]) -> Result<ValueId> {
        self.build(kind.decl().name, |b| b.op(kind, inputs))
    }

    /// Appends an op that has one result.
    pub(super) fn add<V>(&mut self, new: New<V>) -> Result<ValueId> {
        self.append(new.into_op())
    }

    /// Appends an op that has one result, whose type its rules leave open.
    pub(super) fn add_as<V>(&mut self, new: New<V>, ty: Type) -> Result<ValueId> {
        self.build(new.as_op().decl().name, |b| b.add_as(new, ty))
    }

    /// Appends an op without results.
    pub(super) fn act<V>(&mut self, new: New<V>) -> Result<()> {
        self.build(new.as_op().decl().name, |b| b.add_all(new, 0)).map(drop)
    }

    /// Appends an op that has no results yet, and gives it one.
    pub(super) fn append(&mut self, op: Op) -> Result<ValueId> {
        self.build(op.decl().name, |b| b.append(op, 1)).map(|made| made[0])
    }

    pub(super) fn cast(&mut self, x: ValueId, to: DType) -> Result<ValueId> {
        self.add(ops::Cast::new(x).to(to))
    }

    /// The bits as another type of their width.
    pub(super) fn bitcast(&mut self, x: ValueId, to: DType) -> Result<ValueId> {
        self.add(ops::BitCast::new(x).to(to))
    }

    pub(super) fn shift_left(&mut self, x: ValueId, by: ValueId) -> Result<ValueId> {
        self.add(ops::BitShift::new(x, by).direction(ShiftDirection::Left))
    }

    pub(super) fn shift_right(&mut self, x: ValueId, by: ValueId) -> Result<ValueId> {
        self.add(ops::BitShift::new(x, by).direction(ShiftDirection::Right))
    }

    /// The typed view of an op, by its `of`.
    pub(super) fn view<'a, V>(&self, op: &'a Op, of: fn(&'a Op) -> Option<V>) -> Result<V> {
        of(op).ok_or_else(|| {
            Unsupported::malformed(op, "has other operands or attributes than its kind")
        })
    }

    /// A scalar constant of an element type and its bytes.
    pub(super) fn literal(&mut self, dtype: DType, bytes: Bytes) -> Result<ValueId> {
        let key = (dtype, bytes.clone());
        if let Some(known) = self.known(|scope| scope.literals.get(&key).copied()) {
            return Ok(known);
        }
        let literal = Literal::from_bytes(dtype, vec![], bytes);
        let literal = literal.map_err(|error| self.malformed(&error.to_string()))?;
        let id = self.build("constant", |b| Ok(b.literal(literal)))?;
        self.scope().literals.insert(key, id);
        Ok(id)
    }

    pub(super) fn int(&mut self, value: i32) -> Result<ValueId> {
        self.literal(DType::I32, Bytes::copy_from_slice(&value.to_le_bytes()))
    }

    /// All threads wait for each other, and see each other's writes to this kind of memory.
    pub(super) fn wait(&mut self, memory: BarrierMemory) -> Result<()> {
        self.act(ops::ThreadgroupBarrier::new().memory(memory))?;
        match memory {
            BarrierMemory::Threadgroup | BarrierMemory::Both => self.memory.waited(),
            BarrierMemory::Device | BarrierMemory::None => {}
        }
        Ok(())
    }

    /// The error of a mistake in the lowering itself.
    pub(super) fn malformed(&self, reason: &str) -> Unsupported {
        self.missing(&format!("internal error: {reason}; {REPORT}"))
    }

    /// The error of elements that cannot be computed, at the current place.
    pub(super) fn missing(&self, reason: &str) -> Unsupported {
        Unsupported::Element { at: self.loc.clone(), reason: reason.into() }
    }

    /// A scalar of the kernel in the place of the result of an op.
    fn index<V>(&mut self, op: &Op, new: New<V>) -> Result<()> {
        let id = self.add(new)?;
        self.env.extend(op.defined().map(|old| (old, id)));
        Ok(())
    }

    /// The scalar that equals all elements of a constant.
    pub(super) fn constant(&mut self, op: &Op) -> Result<()> {
        let Some(constant) = ops::Constant::of(op) else { return Ok(()) };
        let (Some(old), literal) = (constant.output(), constant.value()) else { return Ok(()) };
        let (dtype, size) = (literal.dtype(), literal.dtype().size());
        let id = match literal.data() {
            LiteralData::Bytes(data) if data.len() >= size => {
                self.literal(dtype, data.slice(..size))?
            }
            _ => {
                return Err(Unsupported::new(
                    op,
                    "constants of text and empty constants are not supported",
                ));
            }
        };
        self.env.insert(old, id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GpuFigures;
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
        let plan = LanePlan::of(planned, &origins, &GpuFigures::APPLE).unwrap();
        assert!(emit(planned, &plan, &origins).is_ok());
        let error = emit(copy, &plan, &origins).unwrap_err();
        let text =
            "load `line 1`: internal error: was not planned; please report it with the kernel";
        assert_eq!(error.to_string(), text);
    }
}
