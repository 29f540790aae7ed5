//! Decisions as text, for file tests and for people.

use std::fmt::Write;

use trident_ir::op::Group;
use trident_ir::{Block, Func, Op, OpKind as K, ValueId};

use super::affine::StridedBlock;
use super::carried::{Carried, splat_bits};
use super::expression::Expression;
use super::graph::{Elem, Fun, Graph, Kind, Node, NodeId, block_type};
use super::guard::{Guard, Shows, Unproved};
use super::index::index_bits;
use super::materialise::{Materialisation, is_block_function, is_lazy};
use super::overlap::Overlap;
use super::proof::Inside;
use super::row::{Destination, Row, VectorTarget};
use super::words::{self, Names};

/// Prefix of lines about blocks that vectors do not compute.
const ELEMENTS: &str = "by elements";

/// A block and its dimensions.
type Known = (NodeId, Vec<usize>);

/// The decisions about a function: one line for each op that needs elements, followed by the guard of its rows.
pub struct AnalysisReport<'m> {
    func: &'m Func,
    target: &'m dyn VectorTarget,
    inline: &'m dyn Fn(&Op) -> bool,
    materialised: Materialisation,
    graph: Graph<'m, ValueId>,
    env: Vec<Option<Known>>,
    /// The values that nodes are the blocks of.
    values: Vec<(NodeId, ValueId)>,
    text: String,
}

impl<'m> AnalysisReport<'m> {
    /// The report for this target's vectors. `inline` says whether loops compute an op on floats
    /// ([`is_block_function`]). The error says what is wrong with an op.
    pub fn of(
        func: &'m Func,
        target: &'m dyn VectorTarget,
        inline: &'m dyn Fn(&Op) -> bool,
    ) -> Result<String, String> {
        let mut report = AnalysisReport {
            func,
            target,
            inline,
            materialised: Materialisation::of(func, inline),
            graph: Graph::default(),
            env: vec![None; func.values.len()],
            values: vec![],
            text: String::new(),
        };
        func.body.params.iter().for_each(|&id| report.opaque(id));
        report.ops(&func.body)?;
        Ok(report.text)
    }

    /// Defines a value that is not an expression: a scalar, or a block in memory.
    fn opaque(&mut self, id: ValueId) {
        let Some((elem, dims)) = block_type(self.func.ty(id)) else { return };
        let kind = if dims.is_empty() { Kind::Uniform(id) } else { Kind::Buffer(id) };
        let bits = index_bits(&dims);
        let node = self.graph.push(Node { kind, elem, bits, cost: 0, depth: 0 });
        self.define(id, node, dims);
    }

    fn constant(&mut self, op: &Op, id: ValueId) {
        let Some((elem, dims)) = block_type(self.func.ty(id)) else { return };
        let Some(bits) = splat_bits(op) else { return self.opaque(id) };
        self.graph.set_constant(id, bits);
        let node = self.graph.uniform(id, elem, index_bits(&dims));
        self.define(id, node, dims);
    }

    fn define(&mut self, id: ValueId, node: NodeId, dims: Vec<usize>) {
        self.values.push((node, id));
        if let Some(slot) = self.env.get_mut(id.index()) {
            *slot = Some((node, dims));
        }
    }

    fn known(&self, id: ValueId) -> Option<Known> {
        self.env.get(id.index())?.clone()
    }

    fn ops(&mut self, block: &'m Block) -> Result<(), String> {
        block.ops.iter().try_for_each(|op| match op.kind {
            K::Constant => {
                op.defined().for_each(|id| self.constant(op, id));
                Ok(())
            }
            K::Store => self.store(op),
            K::For => self.for_loop(op),
            K::Identity | K::Hint => {
                if let (Some(to), Some((node, dims))) =
                    (op.defined().next(), op.used().next().and_then(|id| self.known(id)))
                {
                    if op.kind == K::Hint {
                        self.graph.promise(node, op);
                    }
                    self.define(to, node, dims);
                }
                Ok(())
            }
            _ if is_lazy(op) => self.lazy(op),
            _ => self.root(op),
        })
    }

    /// Handles an op that needs the elements of its operands.
    fn root(&mut self, op: &'m Op) -> Result<(), String> {
        let name = op.kind.decl().name;
        for (i, id) in op.used().enumerate() {
            if let Some((node, dims)) = self.known(id) {
                if op.kind == K::Dot && i < 2 {
                    self.factor(id, &dims, node);
                }
                self.row(&format!("{name} {}", self.scalar(id)), &dims, node, None);
            }
        }
        // The regions of these ops are scalar code inside loops.
        if !matches!(op.kind, K::Reduce | K::PrefixScan | K::Map) {
            for region in &op.regions {
                region.params.iter().for_each(|&id| self.opaque(id));
                self.ops(region)?;
            }
        }
        op.defined().for_each(|id| self.opaque(id));
        Ok(())
    }

    fn store(&mut self, op: &'m Op) -> Result<(), String> {
        let block = |i: usize| op.input(i).and_then(|id| self.known(id));
        let (Some((ptr, dims)), Some((value, _))) = (block(0), block(1)) else { return Ok(()) };
        let to = Destination { ptr, mask: block(2).map(|found| found.0), site: 0 };
        self.row(&format!("store {}", self.block(value)), &dims, value, Some(to));
        Ok(())
    }

    fn lazy(&mut self, op: &'m Op) -> Result<(), String> {
        let operands: Vec<Option<Known>> =
            op.inputs.iter().map(|id| id.and_then(|id| self.known(id))).collect();
        for (i, id) in op.outputs.iter().enumerate() {
            let Some(id) = *id else { continue };
            let Some((elem, dims)) = block_type(self.func.ty(id)) else { continue };
            let uniform = |o: &Option<Known>| match o {
                Some((node, _)) => matches!(self.graph[*node].kind, Kind::Uniform(_)),
                None => true,
            };
            if op.decl().group == Group::Elementwise && operands.iter().all(uniform) {
                let node = self.graph.uniform(id, elem, index_bits(&dims));
                self.define(id, node, dims);
                continue;
            }
            let float = elem.dtype().is_float();
            if is_block_function(op) && float && !(self.inline)(op) {
                self.root(op)?;
                continue;
            }
            let expression = Expression { op, operands: &operands, elem, dims: &dims, site: 0 };
            let made = expression.add(&mut self.graph, i);
            let node = made.map_err(|reason| format!("{}: {reason}", op.describe()))?;
            self.define(id, node, dims.clone());
            if self.materialised.has(id) {
                self.row(&format!("materialise {}", self.scalar(id)), &dims, node, None);
                self.graph.store(node, id);
            }
        }
        Ok(())
    }

    fn for_loop(&mut self, op: &'m Op) -> Result<(), String> {
        let Some(region) = op.regions.first() else { return Ok(()) };
        region.params.iter().take(1).for_each(|&id| self.opaque(id));
        let init = op.inputs.iter().skip(3);
        let carried = region.params.iter().skip(1).zip(&region.results).zip(&op.outputs);
        for (init, ((&param, &next), out)) in init.zip(carried) {
            let block = init.and_then(|id| self.known(id)).filter(|(_, dims)| !dims.is_empty());
            let Some((node, dims)) = block else {
                self.opaque(param);
                out.iter().for_each(|&id| self.opaque(id));
                continue;
            };
            let how = Carried::of(self.func, region, param, next, &|id| {
                let known = self.known(id);
                known.is_some_and(|(n, _)| matches!(self.graph[n].kind, Kind::Uniform(_)))
            });
            let name = self.scalar(param);
            let told = match how {
                Carried::Same => "unchanged".into(),
                Carried::Offset { add, .. } => {
                    format!("plus one integer ({})", add.kind.decl().name)
                }
                Carried::Sum(op) => format!("the sum of {}, in one buffer", op.kind.decl().name),
                Carried::Buffers => "in two buffers".into(),
            };
            let _ = writeln!(self.text, "carry {name}: {told}");
            if matches!(how, Carried::Sum(_) | Carried::Buffers) {
                self.row(&format!("carry {name}"), &dims, node, None);
            }
            for id in [Some(param), *out].into_iter().flatten() {
                match how {
                    Carried::Same => self.define(id, node, dims.clone()),
                    Carried::Offset { add, dtype } => {
                        let bits = index_bits(&dims);
                        let by = self.graph.uniform(id, Elem::Data(dtype), bits);
                        let elem = self.graph[node].elem;
                        let kind = Kind::Apply(Fun::Op(add), vec![node, by]);
                        let moved = self.graph.make(kind, elem, bits, 1, &[node, by]);
                        self.define(id, moved, dims.clone());
                    }
                    Carried::Sum(_) | Carried::Buffers => self.opaque(id),
                }
            }
        }
        self.ops(region)
    }

    /// Adds a line for the rows of a block, or for why it has none, and one for each part of their guard.
    fn row(&mut self, what: &str, dims: &[usize], node: NodeId, to: Option<Destination>) {
        let stored = to.is_some();
        let there = matches!(self.graph[node].kind, Kind::Buffer(_) | Kind::Uniform(_));
        if dims.is_empty() || there && !stored {
            return;
        }
        let mut line = match self.graph.row(self.target, dims, &[node], to, true) {
            Ok(row) => {
                let (count, len) = (1usize << row.outer, row.len());
                let rows = if count == 1 { "row" } else { "rows" };
                let mut guard = self.guard(&row);
                if let Some(to) = to.filter(|_| row.is_whole()) {
                    for Overlap { load, read, written, .. } in self.graph.overlaps(&row, to.ptr) {
                        let same = if read == written { ", or the same" } else { "" };
                        let load = self.block(load);
                        let _ = writeln!(guard, "  stored apart from what {load} reads{same}");
                    }
                }
                format!("{count} {rows} of {len}\n{guard}")
            }
            Err(refusal) => match refusal.node() {
                Some(node) => format!("{ELEMENTS}: {}: {refusal}\n", self.block(node)),
                None => format!("{ELEMENTS}: {refusal}\n"),
            },
        };
        if line.starts_with(ELEMENTS) {
            line.push_str(&self.corners(dims, node, to));
        }
        let _ = write!(self.text, "{what}: {line}");
    }

    /// The addresses that a loop over elements accesses, one line each, and the conditions for all of them to be
    /// inside.
    fn corners(&self, dims: &[usize], node: NodeId, to: Option<Destination>) -> String {
        let roots: Vec<NodeId> = match to {
            Some(to) => [Some(to.ptr), Some(node), to.mask].into_iter().flatten().collect(),
            None => vec![node],
        };
        let to = to.map(|to| (to, self.graph[node].elem.size()));
        let Some(corners) = self.graph.corners(dims, &roots, to) else { return String::new() };
        let mut text = String::new();
        for (access, inside) in &corners.accesses {
            let ptr = self.block(access.ptr);
            let _ = match inside {
                Ok(Inside { form, guards }) => {
                    let form = words::form(self, &corners.terms, form, dims.len());
                    let of_rest = |guard: &&Guard<_>| guard.shows != Shows::Inside;
                    let rest: Vec<Guard<_>> = guards.iter().filter(of_rest).cloned().collect();
                    let rest = words::shown(self, &rest);
                    let rest: String = rest.iter().map(|line| format!("    {line}\n")).collect();
                    write!(text, "  ends of {ptr} are looked at: {form}\n{rest}")
                }
                Err(why) => writeln!(text, "  {ptr}: each is looked at: {}", self.why(*why)),
            };
        }
        text
    }

    fn why(&self, why: Unproved) -> String {
        match why.node() {
            Some(node) => format!("{}: {why}", self.block(node)),
            None => why.to_string(),
        }
    }

    /// Adds a line for where a factor of a product is read, and one for each part of the guard.
    fn factor(&mut self, id: ValueId, dims: &[usize], node: NodeId) {
        let name = self.scalar(id);
        let text = match self.graph.strided(node, dims, true) {
            Ok(StridedBlock { terms, form, guards, .. }) => {
                let shown = words::shown(self, &guards);
                let shown: String = shown.iter().map(|line| format!("  {line}\n")).collect();
                let divisors = words::divisors(&terms, &form);
                let form = words::form(self, &terms, &form, dims.len());
                format!("factor {name}: in place at {form}\n{divisors}{shown}")
            }
            Err(why) => format!("factor {name}: copied: {}\n", self.why(why)),
        };
        self.text.push_str(&text);
    }

    fn guard(&self, row: &Row) -> String {
        let mut text = String::new();
        for (node, _) in &row.exact {
            let _ = writeln!(text, "  {} does not wrap around", self.block(*node));
        }
        for mask in &row.masks {
            let what = if mask.stores { "tells what is stored" } else { "holds" };
            let _ = writeln!(text, "  mask {} {what}", self.block(mask.node));
        }
        for limit in &row.limits {
            let [rising, bound] = [&limit.rising, &limit.bound].map(|(n, _)| self.block(*n));
            let until = if limit.at_bound { "at most" } else { "below" };
            let _ = writeln!(text, "  ends where {rising} is not {until} {bound}");
        }
        for span in &row.spans {
            let what = if span.touch.writes { "written" } else { "read" };
            let aligned = match self.graph.alignment(row, span) {
                1 => String::new(),
                bytes => format!(", each row at a multiple of {bytes} bytes"),
            };
            let _ = writeln!(text, "  {what} from {} on{aligned}", self.block(span.ptr));
        }
        text
    }
}

impl Names for AnalysisReport<'_> {
    fn scalar(&self, id: ValueId) -> String {
        format!("%{}", self.func.info(id).name)
    }

    /// The name of the value that the block is, or the expression that computes it.
    fn block(&self, node: NodeId) -> String {
        if let Some((_, id)) = self.values.iter().find(|(known, _)| *known == node) {
            return self.scalar(*id);
        }
        match &self.graph[node].kind {
            Kind::Uniform(id) | Kind::Buffer(id) => self.scalar(*id),
            Kind::View(of, _) => format!("a view of {}", self.block(*of)),
            _ => "a block".into(),
        }
    }
}
