//! Locations in a text: aliases, in MLIR's order.
//!
//! MLIR first goes over the whole text to be printed, and notes the locations in the order in which it meets them, what
//! is inside of one before others. It numbers them by how deep they nest, then in that order. Those of parameters that
//! are printed, and what they refer to, are defined in front of the module, the others behind it.

use super::attr::quoted;
use crate::ttir::form::{Form, Own, form};
use crate::ttir::loc::{Entry, LocId, Locs};
use crate::ttir::{Op, OpId, RegionId, Tree};
use std::collections::HashMap;

/// The locations of a text without aliases of their own: equal ones have one number.
#[derive(Debug, Default)]
pub(super) struct Places {
    locs: Locs,
    known: HashMap<Entry, LocId>,
    /// By the location of the tree; `None` while it is looked up, which a definition in a circle does again.
    of: HashMap<LocId, Option<LocId>>,
    aliases: HashMap<LocId, Alias>,
    order: Vec<LocId>,
}

#[derive(Debug)]
struct Alias {
    depth: usize,
    /// Whether it may be defined behind the module.
    last: bool,
    number: usize,
}

impl Places {
    /// All that a text of the tree shows.
    pub(super) fn of(tree: &Tree) -> Places {
        let mut places = Places::default();
        places.meet(tree, tree.loc, true);
        for &op in &tree.top {
            places.op(tree, op);
        }
        let mut order = places.order.clone();
        order.sort_by_key(|id| places.aliases.get(id).map_or(0, |alias| alias.depth));
        for (number, id) in order.iter().enumerate() {
            if let Some(alias) = places.aliases.get_mut(id) {
                alias.number = number;
            }
        }
        places.order = order;
        places
    }

    fn op(&mut self, tree: &Tree, op: OpId) {
        let op = &tree[op];
        self.meet(tree, op.loc, true);
        for (i, &region) in op.regions.iter().enumerate() {
            self.region(tree, region, shows_params(op, i));
        }
    }

    fn region(&mut self, tree: &Tree, region: RegionId, shown: bool) {
        for (i, block) in tree.blocks_of(region).enumerate() {
            if i > 0 || shown {
                block.params.iter().for_each(|&param| self.meet(tree, tree[param].loc, false));
            }
            block.ops.iter().for_each(|&op| self.op(tree, op));
        }
    }

    /// Notes a location; `last` if it may be defined behind the module.
    fn meet(&mut self, tree: &Tree, loc: LocId, last: bool) {
        let id = self.place(&tree.locs, loc, 0);
        self.note(id, last);
    }

    fn note(&mut self, id: LocId, last: bool) -> usize {
        if let Some(alias) = self.aliases.get(&id) {
            let depth = alias.depth;
            if alias.last && !last {
                for child in self.children(id) {
                    self.note(child, false);
                }
                if let Some(alias) = self.aliases.get_mut(&id) {
                    alias.last = false;
                }
            }
            return depth;
        }
        self.order.push(id);
        let place = self.order.len() - 1;
        let depth = self.children(id).into_iter().map(|child| self.note(child, last)).max();
        let depth = 1 + depth.unwrap_or(0);
        self.aliases.insert(id, Alias { depth, last, number: place });
        depth
    }

    fn children(&self, id: LocId) -> Vec<LocId> {
        match self.locs.entry(id) {
            Entry::Name { child, .. } if *child != LocId::UNKNOWN => vec![*child],
            Entry::Call { callee, caller } => vec![*callee, *caller],
            Entry::Fused(parts) => parts.to_vec(),
            _ => vec![],
        }
    }

    /// The number of a location of the tree. Definitions in a circle are unknown places, as are those that nest too deep.
    fn place(&mut self, locs: &Locs, loc: LocId, depth: usize) -> LocId {
        if depth > crate::MAX_DEPTH {
            return LocId::UNKNOWN;
        }
        if let Some(known) = self.of.get(&loc) {
            return known.unwrap_or(LocId::UNKNOWN);
        }
        self.of.insert(loc, None);
        let mut inner = |loc: LocId| self.place(locs, loc, depth + 1);
        let entry = match locs.entry(loc) {
            Entry::Alias(name) => {
                let id = locs.aliases.get(name).map_or(LocId::UNKNOWN, |&loc| inner(loc));
                self.of.insert(loc, Some(id));
                return id;
            }
            Entry::Name { name, child } => Entry::Name { name: name.clone(), child: inner(*child) },
            Entry::Call { callee, caller } => {
                Entry::Call { callee: inner(*callee), caller: inner(*caller) }
            }
            Entry::Fused(parts) => Entry::Fused(parts.iter().map(|&part| inner(part)).collect()),
            simple => simple.clone(),
        };
        let id = match (&entry, self.known.get(&entry)) {
            (Entry::Unknown, _) => LocId::UNKNOWN,
            (_, Some(&id)) => id,
            (_, None) => self.locs.add(entry.clone()),
        };
        self.known.insert(entry, id);
        self.of.insert(loc, Some(id));
        id
    }

    /// `#loc3`.
    fn alias(&self, id: LocId) -> String {
        match self.aliases.get(&id).map_or(0, |alias| alias.number) {
            0 => "#loc".into(),
            number => format!("#loc{number}"),
        }
    }

    /// ` loc(#loc3)` of a location of the tree.
    pub(super) fn trailing(&self, loc: LocId) -> String {
        format!(" loc({})", self.alias(self.known_place(loc)))
    }

    /// ` loc("x"(#loc3))`, as parameters show theirs.
    pub(super) fn whole(&self, loc: LocId) -> String {
        format!(" loc({})", self.inside(self.known_place(loc)))
    }

    fn known_place(&self, loc: LocId) -> LocId {
        self.of.get(&loc).copied().flatten().unwrap_or(LocId::UNKNOWN)
    }

    /// The location without an alias for itself.
    fn inside(&self, id: LocId) -> String {
        match self.locs.entry(id) {
            Entry::Unknown | Entry::Alias(_) => "unknown".into(),
            Entry::File { file, line, column } => format!("{}:{line}:{column}", quoted(file)),
            Entry::Name { name, child } if *child == LocId::UNKNOWN => quoted(name),
            Entry::Name { name, child } => format!("{}({})", quoted(name), self.alias(*child)),
            Entry::Call { callee, caller } => {
                format!("callsite({} at {})", self.alias(*callee), self.alias(*caller))
            }
            Entry::Fused(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.alias(part)).collect();
                format!("fused[{}]", parts.join(", "))
            }
        }
    }

    /// The definitions in front of the module, or those behind it.
    pub(super) fn definitions(&self, last: bool) -> String {
        let shown =
            self.order.iter().filter(|id| self.aliases.get(id).is_some_and(|a| a.last == last));
        shown.map(|&id| format!("{} = loc({})\n", self.alias(id), self.inside(id))).collect()
    }

    /// The name of a variable in a location of the tree.
    pub(super) fn variable(&self, loc: LocId) -> Option<&str> {
        let mut rest = vec![self.known_place(loc)];
        while let Some(id) = rest.pop() {
            match self.locs.entry(id) {
                Entry::Name { name, .. } => return Some(name),
                _ => rest.extend(self.children(id).into_iter().rev()),
            }
        }
        None
    }
}

/// Whether the printed form of an op has the parameters of its region number `region`.
pub(super) fn shows_params(op: &Op, region: usize) -> bool {
    match form(&op.name).map(|(_, form)| form) {
        Some(Form::Own(Own::For | Own::If)) => false,
        Some(Form::Own(Own::While)) => region > 0,
        _ => true,
    }
}
