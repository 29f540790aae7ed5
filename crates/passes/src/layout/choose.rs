//! Chooses the ops of a function that run in a layout: a minimal cut between those that stay row-major and the others.
//!
//! A node is an op, or one side of an op whose sides are apart. A node in the layout saves time; a value whose producer and users differ is
//! converted, once for all users. Parameters, results and all other ops are row-major. Constants are converted when they are
//! folded, at no cost.

use super::{Chosen, Layouts, Places, Sides, Site};
use crate::network::Network;
use std::collections::{HashMap, HashSet};
use trident_ir::cost::typical_bytes;
use trident_ir::{Block, Func, Op, OpKind, ValueId};

/// The node of everything that is row-major.
const DENSE: usize = 0;
/// The node of the layout.
const BLOCKED: usize = 1;

/// The units of costs in a nanosecond.
const UNITS: f64 = 1e3;

/// A cost that is never paid; all others are less.
const NEVER: i64 = 1 << 50;

pub(super) fn choose(func: &Func, layouts: &Layouts) -> Chosen {
    let mut constants = HashSet::new();
    func.body.walk(&mut |op| {
        if op.kind == OpKind::Constant {
            constants.extend(op.defined());
        }
    });
    let mut chosen = Chosen::new();
    block(func, &func.body, layouts, &constants, &mut chosen);
    chosen
}

/// Chooses among the ops of a block, and of the blocks in it. A value of the blocks around it is row-major.
fn block(
    func: &Func,
    block: &Block,
    layouts: &Layouts,
    constants: &HashSet<ValueId>,
    chosen: &mut Chosen,
) {
    let mut nodes =
        Nodes { func, layouts, constants, savings: vec![0.0; 2], values: HashMap::new() };
    let placed: Vec<_> = block.ops.iter().map(|op| (op, nodes.place(op))).collect();
    block.results.iter().for_each(|v| nodes.used(*v, DENSE));
    let in_layout = nodes.cut();
    for (op, (read, write)) in placed {
        let sides = Sides { read: in_layout[read], write: in_layout[write] };
        if let (true, Some(Some(out))) = (sides != Sides::default(), op.outputs.first()) {
            chosen.insert(*out, sides);
        }
        op.regions.iter().for_each(|r| self::block(func, r, layouts, constants, chosen));
    }
}

/// The nodes of a block's ops, and its values.
struct Nodes<'a> {
    func: &'a Func,
    layouts: &'a Layouts,
    constants: &'a HashSet<ValueId>,
    /// The nanoseconds that each node saves in the layout.
    savings: Vec<f64>,
    /// The node that produces a value of this block, and those that use it.
    values: HashMap<ValueId, (usize, Vec<usize>)>,
}

impl Nodes<'_> {
    fn node(&mut self, saving: f64) -> usize {
        self.savings.push(saving);
        self.savings.len() - 1
    }

    /// The nodes that read an op's operands and write its result.
    fn place(&mut self, op: &Op) -> (usize, usize) {
        let (read, write) = self.sides(op);
        let places = Places::of(op, self.layouts);
        let converted: HashSet<usize> = match &places {
            Some(places) => places.values(self.func, op).map(|(i, _)| i).collect(),
            None => HashSet::new(),
        };
        let elementwise = matches!(places, Some(Places::Elementwise)) && write != DENSE;
        for (i, v) in op.inputs.iter().enumerate() {
            let Some(v) = *v else { continue };
            match converted.contains(&i) {
                true => self.used(v, read),
                // A single element, which an elementwise op reads in either form.
                false if elementwise => {}
                false => self.used(v, DENSE),
            }
        }
        for region in &op.regions {
            region.uses().into_keys().for_each(|v| self.used(v, DENSE));
        }
        self.values.extend(op.defined().map(|v| (v, (write, vec![]))));
        (read, write)
    }

    fn sides(&mut self, op: &Op) -> (usize, usize) {
        let (func, layouts) = (self.func, self.layouts);
        let size = |v: Option<ValueId>| layouts.divided(func.ty(v?).shape()?);
        let out = op.outputs.first().copied().flatten();
        if let Some(listed) = layouts.listed(op.kind) {
            let is_constant = |v: ValueId| self.constants.contains(&v);
            let saving = (listed.saves)(&Site { func, op, is_constant: &is_constant });
            let read = saving.read.filter(|_| size(op.input(listed.operand)).is_some());
            let write = saving.write.filter(|_| size(out).is_some());
            let mut side = |saving: Option<f64>| saving.map_or(DENSE, |saving| self.node(saving));
            return (side(read), side(write));
        }
        let Some(places) = Places::of(op, layouts) else { return (DENSE, DENSE) };
        let (Some(along), Some(rank)) =
            (size(out), out.and_then(|v| func.ty(v).shape()).map(<[_]>::len))
        else {
            return (DENSE, DENSE);
        };
        // An operand in blocks broadcasts as before if it has every axis, and the divided one in full.
        let fits = |v: ValueId| {
            func.ty(v).shape().is_some_and(|shape| shape.len() == rank)
                && size(Some(v)) == Some(along)
        };
        match places.values(func, op).all(|(_, v)| fits(v)) {
            true => {
                let node = self.node(0.0);
                (node, node)
            }
            false => (DENSE, DENSE),
        }
    }

    /// Notes that a node uses a value.
    fn used(&mut self, value: ValueId, by: usize) {
        if let Some((_, users)) = self.values.get_mut(&value) {
            users.push(by);
            return;
        }
        // A value from outside of the block.
        self.values.insert(value, (DENSE, vec![by]));
    }

    /// Whether each node is in the layout, in the cheapest assignment.
    fn cut(&self) -> Vec<bool> {
        let converted = self.values.iter().filter(|(v, _)| !self.constants.contains(v));
        let mut converted: Vec<_> = converted.collect();
        converted.sort_by_key(|(v, _)| **v);
        // Each value has a node that is in the layout if somebody needs it so, and one that is row-major likewise.
        let first = self.savings.len();
        let mut network = Network::new(first + 2 * converted.len());
        let units = |nanos: f64| ((nanos * UNITS) as i64).clamp(-NEVER, NEVER);
        for (node, saving) in self.savings.iter().enumerate().skip(BLOCKED + 1) {
            network.add(node, BLOCKED, units(*saving));
            network.add(DENSE, node, units(-saving));
        }
        for (i, (value, (producer, users))) in converted.into_iter().enumerate() {
            let cost = units((self.layouts.convert)(typical_bytes(self.func, *value)));
            let (blocked, dense) = (first + 2 * i, first + 2 * i + 1);
            network.add(*producer, blocked, cost);
            network.add(dense, *producer, cost);
            for user in users {
                network.add(blocked, *user, NEVER);
                network.add(*user, dense, NEVER);
            }
        }
        network.fill(DENSE, BLOCKED);
        let mut in_layout = network.reaching(BLOCKED);
        in_layout.truncate(first);
        in_layout
    }
}
