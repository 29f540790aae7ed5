//! The plan of a kernel: how many threads a program gets, and which of them holds each element.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use trident_ir::tile::Origins;
use trident_ir::{Block, Func, Literal, Op, OpKind as K, ValueId, ops};

use super::carry::{Carries, Carry};
use super::dot::{self, Chains, Product, Rows};
use super::error::{LowerError, Unsupported};
use super::figures::GpuFigures;
use super::late::{Late, Looped};
use super::layout::Layout;
use super::ordering::{is_ordered, watches};
use trident_tile_analysis::{
    Elem, Expression, Graph, Kind, LaneBits, NodeId, Trend, axes, block_type, index_bits, is_lazy,
    log2,
};

/// log2 of the least number of threads: those of a simdgroup.
const LEAST: u8 = 5;

/// log2 of the most threads of a program. More threads would lose more by waiting for each other than they gain, unless
/// fewer threads would not have enough registers.
const MOST: u8 = 8;

/// log2 of the vectors that a thread moves while one waits for memory.
const VECTORS: u8 = 1;

/// The alignment of a program's threadgroup memory, in bytes.
const ALIGN: usize = 16;

/// log2 of the most elements of a vector at level lane.
pub(super) const WIDEST: u8 = 2;

/// A load or store of a block.
#[derive(Clone, Debug)]
pub(super) struct Access<'m> {
    pub(super) op: &'m Op,
    pub(super) dims: Vec<usize>,
    pub(super) ptr: NodeId,
    pub(super) mask: Option<NodeId>,
    /// The block that a load yields.
    pub(super) loaded: Option<NodeId>,
    /// The block that a store writes, or a load's elements where the mask does not hold.
    pub(super) value: Option<NodeId>,
    /// The axis along which elements that follow each other are neighbours in memory.
    pub(super) axis: usize,
    /// Whether the block is one line of neighbours in memory.
    pub(super) is_line: bool,
    /// The elements that are read or written at once.
    pub(super) lanes: LaneBits,
    pub(super) layout: Layout,
    /// Whether elements are read where they are needed.
    pub(super) is_late: bool,
    /// The layout by which a loop writes the elements, if one does.
    pub(super) looped: Option<Layout>,
}

/// The decisions about a kernel, made before any code is emitted.
pub struct LanePlan<'m> {
    pub(super) graph: Graph<'m, ValueId>,
    pub(super) nodes: HashMap<ValueId, (NodeId, Vec<usize>)>,
    /// Accesses in program order.
    pub(super) accesses: Vec<Access<'m>>,
    /// log2 of the number of threads of a threadgroup, which runs one program.
    pub(super) threads: u8,
    /// The blocks that loops carry without registers for their elements.
    pub(super) carries: Carries,
    /// How the rows of products are spread, if they are reduced.
    rows: Option<Rows>,
    /// Products of blocks, by their results.
    pub(super) products: BTreeMap<ValueId, Product>,
    /// The layouts by which loops reduce blocks, by the first results of the reductions.
    pub(super) reductions: BTreeMap<ValueId, Layout>,
    /// The sums that loops carry as matrices.
    pub(super) chains: Chains,
    pub(super) figures: GpuFigures,
    /// Values that some op takes.
    pub(super) used: HashSet<ValueId>,
    /// Whether atomic ops may put stores of programs in order.
    pub(super) is_ordered: bool,
    /// Ops that may wait for other programs.
    waits: Vec<&'m Op>,
}

impl<'m> LanePlan<'m> {
    /// Plans a kernel whose ops are primitives.
    pub fn of(
        func: &'m Func,
        origins: &Origins<'_>,
        figures: &GpuFigures,
    ) -> Result<LanePlan<'m>, LowerError> {
        let graph = Graph::default();
        let mut plan = LanePlan {
            graph,
            nodes: HashMap::new(),
            accesses: vec![],
            threads: LEAST,
            carries: Carries::new(),
            rows: None,
            products: BTreeMap::new(),
            reductions: BTreeMap::new(),
            chains: Chains::default(),
            figures: *figures,
            used: used(&func.body),
            is_ordered: is_ordered(&func.body),
            waits: vec![],
        };
        for &param in &func.body.params {
            plan.leaf(func, param);
        }
        plan.block(func, &func.body)?;
        plan.spread(dot::threads(func, figures));
        plan.rows = Rows::of(func, plan.threads);
        let late = Late::of(func);
        plan.products = dot::products(&plan, func, &late, figures)?;
        let mut loads: HashSet<NodeId> =
            plan.products.values().flat_map(|product| &product.late).copied().collect();
        for (what, layout, of_loop) in late.loops(&plan, func, origins) {
            match what {
                Looped::Store(at) => plan.accesses[at].looped = Some(layout),
                Looped::Reduction(result) => drop(plan.reductions.insert(result, layout)),
            }
            loads.extend(of_loop);
        }
        for access in &mut plan.accesses {
            access.is_late = access.loaded.is_some_and(|node| loads.contains(&node));
        }
        plan.chains = dot::chains(&plan, func, &plan.products);
        Ok(plan)
    }

    /// The threads of a threadgroup.
    pub fn threads(&self) -> u32 {
        1 << self.threads
    }

    /// The most programs that a threadgroup may run, each with `threadgroup` bytes of threadgroup memory. Programs of
    /// one simdgroup can share a threadgroup; a core runs few threadgroups.
    pub(super) fn programs(&self, threadgroup: usize) -> u32 {
        if self.threads > LEAST || self.waits() {
            return 1;
        }
        let threads = self.figures.threads.min(1 << MOST) >> LEAST;
        let memory = self.figures.threadgroup.checked_div(threadgroup.next_multiple_of(ALIGN));
        let most = memory.map_or(threads, |memory| threads.min(memory as u32)).max(1);
        1 << most.ilog2()
    }

    /// Whether programs may wait for others.
    pub(super) fn waits(&self) -> bool {
        !self.waits.is_empty()
    }

    /// The plan of a load, store or atomic op of the planned function.
    pub(super) fn access_of(&self, op: &Op) -> Option<&Access<'m>> {
        self.accesses.iter().find(|access| std::ptr::eq(access.op, op))
    }

    /// The load of a block whose elements are read where they are needed.
    pub(super) fn late_load(&self, node: NodeId) -> Option<&Access<'m>> {
        self.accesses.iter().find(|access| access.is_late && access.loaded == Some(node))
    }

    /// The block of a value.
    pub(super) fn node_of(&self, id: ValueId) -> Option<NodeId> {
        self.nodes.get(&id).map(|(node, _)| *node)
    }

    /// The layout in which a value is carried and reduced: that of the accesses of blocks of this shape.
    pub(super) fn layout_of(&self, id: ValueId) -> Layout {
        let dims = self.nodes.get(&id).map(|(_, dims)| dims.as_slice()).unwrap_or_default();
        if let Some(layout) = self.rows.as_ref().and_then(|rows| rows.layout(dims)) {
            return layout;
        }
        let accessed = self.accesses.iter().filter(|access| access.dims == dims);
        match accessed.max_by_key(|access| access.lanes.bits) {
            Some(access) => access.layout.clone(),
            None => Layout::blocked(dims, dims.len().saturating_sub(1), 0, self.threads),
        }
    }

    /// The product whose sums are spread as this value, which is matrices.
    pub(super) fn sum_of(&self, id: ValueId) -> Option<&Product> {
        self.products.get(self.chains.held.get(&id)?)
    }

    /// The number of registers of a value that control flow carries.
    pub(super) fn registers(&self, id: ValueId) -> usize {
        match (self.sum_of(id), self.carries.get(&id)) {
            (Some(product), _) => product.grid.registers(),
            (None, Some(Carry::Same)) => 0,
            (None, Some(Carry::Offset { .. })) => 1,
            (None, None) => self.layout_of(id).registers(),
        }
    }

    pub(super) fn block(&mut self, func: &'m Func, block: &'m Block) -> Result<(), Unsupported> {
        block.ops.iter().try_for_each(|op| self.op(func, op))
    }

    /// A value that is in registers when it is needed: a scalar, or a block's elements.
    pub(super) fn held(&mut self, func: &Func, id: ValueId) {
        match block_type(func.ty(id)) {
            Some((elem, dims)) if !dims.is_empty() => {
                let node = self.graph.make(Kind::Buffer(id), elem, index_bits(&dims), 1, &[]);
                self.nodes.insert(id, (node, dims));
            }
            _ => self.leaf(func, id),
        }
    }

    /// A value that is not an expression: all elements are the same scalar.
    fn leaf(&mut self, func: &Func, id: ValueId) {
        if let Some((elem, dims)) = block_type(func.ty(id)) {
            let node = self.graph.uniform(id, elem, index_bits(&dims));
            self.nodes.insert(id, (node, dims));
        }
    }

    fn node(&self, op: &Op, i: usize) -> Result<NodeId, Unsupported> {
        let found = op.input(i).and_then(|id| self.nodes.get(&id));
        found.map(|(node, _)| *node).ok_or_else(|| Unsupported::malformed(op, "takes no block"))
    }

    fn optional(&self, op: &Op, i: usize) -> Result<Option<NodeId>, Unsupported> {
        op.input(i).map(|_| self.node(op, i)).transpose()
    }

    fn op(&mut self, func: &'m Func, op: &'m Op) -> Result<(), Unsupported> {
        match op.kind {
            K::ProgramId | K::NumPrograms => op.defined().for_each(|id| self.leaf(func, id)),
            K::Constant => self.constant(func, op)?,
            K::Hint | K::Identity => {
                let (from, to) = (op.used().next(), op.defined().next());
                let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
                let Some((node, dims)) = self.nodes.get(&from).cloned() else {
                    return Err(Unsupported::malformed(op, "takes no block"));
                };
                if op.kind == K::Hint {
                    self.graph.promise(node, op);
                }
                self.nodes.insert(to, (node, dims));
            }
            K::Assume | K::Barrier | K::Print | K::Assert => {}
            // All threads hold the only element.
            K::Unsplat => {
                let node = self.node(op, ops::Unsplat::AT.x)?;
                self.nodes.extend(op.defined().map(|id| (id, (node, vec![]))));
            }
            K::For => self.counted(func, op)?,
            K::If | K::While => {
                if op.kind == K::While && watches(op) {
                    self.waits.push(op);
                }
                for region in &op.regions {
                    region.params.iter().for_each(|&id| self.held(func, id));
                    self.block(func, region)?;
                }
                op.defined().for_each(|id| self.held(func, id));
            }
            K::Dot => op.defined().for_each(|id| self.held(func, id)),
            K::AtomicRmw | K::AtomicCas | K::AtomicLoad | K::AtomicStore => {
                op.defined().for_each(|id| self.held(func, id));
                let ptr = self.node(op, PTR)?;
                let dims = op.input(PTR).and_then(|id| func.ty(id).dims()).unwrap_or_default();
                for i in PTR + 1..op.inputs.len() {
                    self.optional(op, i)?;
                }
                self.access(op, dims, ptr, None, None, None);
            }
            K::Reduce | K::PrefixScan | K::Map => {
                for region in &op.regions {
                    let before = self.accesses.len();
                    region.params.iter().for_each(|&id| self.leaf(func, id));
                    self.block(func, region)?;
                    if let Some(access) = self.accesses.get(before) {
                        let reason =
                            "memory accesses inside of a combine function are not supported";
                        return Err(Unsupported::new(access.op, reason));
                    }
                }
                op.defined().for_each(|id| self.held(func, id));
            }
            K::TakeAlongAxis | K::Histogram => op.defined().for_each(|id| self.held(func, id)),
            K::Store => {
                let at = ops::Store::AT;
                let (ptr, value) = (self.node(op, at.ptr)?, self.node(op, at.value)?);
                let mask = self.optional(op, at.mask)?;
                let dims = op.input(at.ptr).and_then(|id| func.ty(id).dims()).unwrap_or_default();
                self.access(op, dims, ptr, mask, None, Some(value));
            }
            _ if is_lazy(op) => self.lazy(func, op)?,
            _ => return Err(Unsupported::new(op, "this operation is not supported on GPUs")),
        }
        Ok(())
    }

    fn constant(&mut self, func: &Func, op: &Op) -> Result<(), Unsupported> {
        let Some(constant) = ops::Constant::of(op) else { return Ok(()) };
        let (Some(id), literal) = (constant.output(), constant.value()) else { return Ok(()) };
        if !literal.is_splat() && literal.len() != 1 {
            return Err(Unsupported::new(
                op,
                "constants with different elements are not supported",
            ));
        }
        self.leaf(func, id);
        if let Some(bits) = first(literal) {
            self.graph.set_constant(id, bits);
        }
        Ok(())
    }

    fn lazy(&mut self, func: &Func, op: &'m Op) -> Result<(), Unsupported> {
        let mut operands = vec![];
        for input in &op.inputs {
            let found = input.map(|id| self.nodes.get(&id).cloned());
            match found {
                Some(None) => return Err(Unsupported::malformed(op, "takes no block")),
                found => operands.push(found.flatten()),
            }
        }
        for (i, id) in op.outputs.iter().enumerate() {
            let Some(id) = *id else { continue };
            let Some((elem, dims)) = block_type(func.ty(id)) else {
                return Err(Unsupported::malformed(op, "yields no block"));
            };
            let site = self.accesses.len() as u64;
            let expression = Expression { op, operands: &operands, elem, dims: &dims, site };
            let node = expression.add(&mut self.graph, i);
            let node = node.map_err(|reason| Unsupported::new(op, reason))?;
            if op.kind == K::Load {
                let (ptr, mask) = (self.node(op, 0)?, self.optional(op, 1)?);
                let other = self.optional(op, 2)?;
                self.access(op, dims.clone(), ptr, mask, Some(node), other);
            }
            self.nodes.insert(id, (node, dims));
        }
        Ok(())
    }

    fn access(
        &mut self,
        op: &'m Op,
        dims: Vec<usize>,
        ptr: NodeId,
        mask: Option<NodeId>,
        loaded: Option<NodeId>,
        value: Option<NodeId>,
    ) {
        let rises = |axis: usize| {
            let (start, bits) = axes(&dims)[axis];
            bits > 0 && self.graph.trend(ptr, LaneBits { start, bits: 1 }) == Trend::Rising
        };
        let axis = (0..dims.len()).rev().find(|&axis| rises(axis));
        let lanes = LaneBits { start: 0, bits: index_bits(&dims) };
        let is_line = self.graph.trend(ptr, lanes) == Trend::Rising;
        let axis = axis.unwrap_or(dims.len().saturating_sub(1));
        let (lanes, layout) = (LaneBits { start: 0, bits: 0 }, Layout::blocked(&dims, axis, 0, 0));
        self.accesses.push(Access {
            op,
            dims,
            ptr,
            mask,
            loaded,
            value,
            axis,
            is_line,
            lanes,
            layout,
            is_late: false,
            looped: None,
        });
    }

    /// Decides the number of threads and gives each access its layout.
    fn spread(&mut self, asked: Option<u8>) {
        let figures = self.figures;
        let most = self.accesses.iter().map(|a| index_bits(&a.dims)).max().unwrap_or(0);
        let widest = self.accesses.iter().map(|a| self.widest(a, &figures)).collect::<Vec<_>>();
        let vector = widest.iter().copied().max().unwrap_or(0);
        let limit = (figures.threads.max(1).ilog2() as u8).max(LEAST);
        let few = most.saturating_sub(vector + VECTORS).min(MOST);
        let held = figures.elements().ilog2() as u8;
        let threads = asked.unwrap_or(few.max(most.saturating_sub(held)));
        self.threads = threads.clamp(LEAST, limit);
        // Blocks of one shape are mostly operands of one expression: they get the same layout.
        let mut vectors: HashMap<(Vec<usize>, usize), u8> = HashMap::new();
        for (access, &widest) in self.accesses.iter().zip(&widest) {
            let spare = index_bits(&access.dims).saturating_sub(self.threads);
            let vector = vectors.entry((access.dims.clone(), access.axis)).or_default();
            *vector = widest.min(spare).max(*vector);
        }
        for (access, widest) in self.accesses.iter_mut().zip(widest) {
            let vector = vectors.get(&(access.dims.clone(), access.axis)).copied().unwrap_or(0);
            let start = axes(&access.dims).get(access.axis).map_or(0, |axis| axis.0);
            access.lanes = LaneBits { start, bits: widest.min(vector) };
            access.layout = Layout::blocked(&access.dims, access.axis, vector, self.threads);
        }
    }

    /// log2 of the most elements that the access can read or write at once.
    fn widest(&self, access: &Access<'_>, figures: &GpuFigures) -> u8 {
        let Some(&(start, most)) = axes(&access.dims).get(access.axis) else { return 0 };
        if is_atomic(access.op.kind) {
            return 0;
        }
        let size = match self.graph[access.ptr].elem {
            Elem::Ptr(to) => to.size().max(1),
            Elem::Data(_) => return 0,
        };
        let most = most.min(WIDEST).min(log2((figures.vector / size).max(1).next_power_of_two()));
        let fits = |bits: &u8| {
            let lanes = LaneBits { start, bits: *bits };
            let zeros = self.graph.vector_zeros(access.ptr, lanes);
            self.graph.trend(access.ptr, lanes) == Trend::Rising
                && zeros >= u32::from(*bits) + size.trailing_zeros()
        };
        (1..=most).rev().find(fits).unwrap_or(0)
    }
}

/// Whether the op goes through pointers.
pub(super) fn is_access(kind: K) -> bool {
    matches!(kind, K::Load | K::Store) || is_atomic(kind)
}

pub(super) fn is_atomic(kind: K) -> bool {
    matches!(kind, K::AtomicRmw | K::AtomicCas | K::AtomicLoad | K::AtomicStore)
}

/// The place of the pointer among the operands of all ops that access memory.
pub(super) const PTR: usize = ops::Load::AT.ptr;
const _: () = assert!(PTR == ops::Store::AT.ptr);
const _: () = assert!(PTR == ops::AtomicRmw::AT.ptr && PTR == ops::AtomicCas::AT.ptr);
const _: () = assert!(PTR == ops::AtomicLoad::AT.ptr && PTR == ops::AtomicStore::AT.ptr);

/// The values that ops and regions take.
fn used(body: &Block) -> HashSet<ValueId> {
    let mut used: HashSet<ValueId> = body.results.iter().copied().collect();
    body.walk(&mut |op| {
        used.extend(op.used());
        used.extend(op.regions.iter().flat_map(|region| region.results.iter().copied()));
    });
    used
}

/// The bits of a literal's first element, if it has at most 8 bytes.
fn first(literal: &Literal) -> Option<u64> {
    let trident_ir::literal::LiteralData::Bytes(data) = literal.data() else { return None };
    let bytes = data.get(..literal.dtype().size())?;
    let mut bits = [0; 8];
    bits.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(bits))
}

impl fmt::Display for LanePlan<'_> {
    /// The threads, and a line for each access.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "threads {}", self.threads())?;
        for op in &self.waits {
            writeln!(f, "{} may wait for other programs", op.describe())?;
        }
        for access in &self.accesses {
            let Access { op, dims, lanes, layout, .. } = access;
            write!(f, "{} {dims:?} {layout}", op.describe())?;
            if lanes.bits > 0 {
                write!(f, " by {}", 1 << lanes.bits)?;
            }
            let how = match access.looped {
                Some(_) => " by a loop",
                None if access.is_late => ", late",
                None => "",
            };
            writeln!(f, "{how}")?;
        }
        for layout in self.reductions.values() {
            writeln!(f, "reduce {layout} by a loop")?;
        }
        self.products.values().try_for_each(|product| writeln!(f, "{product}"))?;
        Ok(())
    }
}
