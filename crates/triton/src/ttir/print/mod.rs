//! The text of a tree: byte for byte what Triton's compiler prints.

mod attr;
mod form;
mod locs;
mod special;

use super::form::Form;
use super::names::Printed;
use super::types;
use super::{BlockId, Op, RegionId, Tree, ValueId};
use attr::{dictionary, field};
use locs::Places;
use std::collections::HashMap;
use std::fmt::{self, Write};

/// A tree as text.
pub(crate) struct Text<'t> {
    tree: &'t Tree,
    places: Option<Places>,
}

impl Tree {
    /// The text without locations (`str_nodebug` of Triton's compiler), or with them and the names of variables (`str`).
    pub(crate) fn text(&self, locations: bool) -> Text<'_> {
        Text { tree: self, places: locations.then(|| Places::of(self)) }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text { tree, places } = self;
        for (name, value) in &tree.aliases {
            writeln!(f, "#{name} = {}", attr::Shown(value))?;
        }
        let definitions = |last| places.as_ref().map(|places| places.definitions(last));
        f.write_str(&definitions(false).unwrap_or_default())?;
        f.write_str("module {\n")?;
        for &op in &tree.top {
            let variable = |loc| places.as_ref()?.variable(loc);
            let names = Printed::of(tree, op, &variable);
            let mut printer = Printer { tree, names, places: places.as_ref(), text: String::new() };
            printer.op(&tree[op], 1);
            f.write_str(&printer.text)?;
        }
        let loc = places.as_ref().map(|places| places.trailing(tree.loc));
        writeln!(f, "}}{}", loc.unwrap_or_default())?;
        f.write_str(&definitions(true).unwrap_or_default())
    }
}

struct Printer<'t> {
    tree: &'t Tree,
    names: Printed,
    places: Option<&'t Places>,
    text: String,
}

/// Adds to the text. Writing to a string does not fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{
        let _ = write!($printer.text, $($arg)*);
    }};
}
use put;

impl Printer<'_> {
    /// An op on lines of its own.
    fn op(&mut self, op: &Op, depth: usize) {
        self.indent(depth);
        self.results(op);
        match super::form::form(&op.name).map_or(super::form::OTHER_ARITHMETIC, |(_, form)| form) {
            Form::Items(items, types) => self.items(op, items, types),
            Form::Generic(properties) => self.generic(op, properties, depth),
            Form::Own(own) => self.own(op, own, depth),
        }
        if let Some(places) = self.places {
            put!(self, "{}", places.trailing(op.loc));
        }
        self.text.push('\n');
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
    }

    /// `%a, %b:2 = `.
    fn results(&mut self, op: &Op) {
        let Some(&first) = op.results.first() else { return };
        if op.name == "tt.split" {
            let names = self.values(&op.results);
            put!(self, "{names} = ");
            return;
        }
        let name = self.names.value(first);
        let name = name.split('#').next().unwrap_or(name);
        match op.results.len() {
            1 => put!(self, "%{name} = "),
            n => put!(self, "%{name}:{n} = "),
        }
    }

    fn value(&self, id: ValueId) -> String {
        format!("%{}", self.names.value(id))
    }

    /// Values with commas between them.
    fn values(&self, ids: &[ValueId]) -> String {
        ids.iter().map(|&id| self.value(id)).collect::<Vec<_>>().join(", ")
    }

    /// ` loc(…)` of a parameter, if locations are printed.
    fn place(&self, id: ValueId) -> String {
        self.places.map(|places| places.whole(self.tree[id].loc)).unwrap_or_default()
    }

    fn ty(&self, id: ValueId) -> String {
        types::text(&self.tree[id].ty)
    }

    /// ` {…}` of the attributes that `shown` accepts, if there are any.
    fn dict(&mut self, op: &Op, shown: impl Fn(&str) -> bool) {
        // The form of the operands says how many there are of each kind.
        let fields =
            op.dict.0.iter().filter(|(name, _)| *name != "operandSegmentSizes" && shown(name));
        let text = dictionary(fields.map(|(name, value)| (&**name, value)));
        if !text.is_empty() {
            put!(self, " {{{text}}}");
        }
    }

    /// `"name"(operands) <{properties}> ({regions}) {attributes} : (types) -> types`.
    fn generic(&mut self, op: &Op, properties: &[&str], depth: usize) {
        let operands = self.values(&op.operands);
        put!(self, "\"{}\"({operands})", op.name);
        let inherent = op.dict.0.iter().filter(|(name, _)| properties.contains(&&**name));
        let inherent = dictionary(inherent.map(|(name, value)| (&**name, value)));
        if !inherent.is_empty() {
            put!(self, " <{{{inherent}}}>");
        }
        for (i, &region) in op.regions.iter().enumerate() {
            put!(self, "{}{{\n", if i == 0 { " (" } else { ", " });
            self.blocks(region, depth, true, false);
            self.indent(depth);
            self.text.push('}');
        }
        if !op.regions.is_empty() {
            self.text.push(')');
        }
        self.dict(op, |name| !properties.contains(&name));
        let operands = types::list(self.tree.types(&op.operands));
        let results = types::results(self.tree.types(&op.results));
        put!(self, " : ({operands}) -> {results}");
    }

    /// The blocks of a region. Without `labelled` the entry block has no label; `elide` leaves out a last `scf.yield`
    /// that yields nothing.
    fn blocks(&mut self, region: RegionId, depth: usize, labelled: bool, elide: bool) {
        let tree = self.tree;
        let predecessors = predecessors(tree, region);
        for (i, &id) in tree[region].blocks.iter().enumerate() {
            let block = &tree[id];
            if i > 0 || labelled {
                self.indent(depth);
                put!(self, "^bb{i}");
                if !block.params.is_empty() {
                    let params = block.params.iter();
                    let params: Vec<_> = params
                        .map(|&p| format!("{}: {}{}", self.value(p), self.ty(p), self.place(p)))
                        .collect();
                    put!(self, "({})", params.join(", "));
                }
                self.text.push(':');
                if i > 0 {
                    let from = predecessors.get(&id).map_or(&[][..], |from| from);
                    let from: Vec<_> =
                        from.iter().map(|&b| format!("^bb{}", self.names.block(b))).collect();
                    match from.len() {
                        0 => put!(self, "  // no predecessors"),
                        1 => put!(self, "  // pred: {}", from[0]),
                        n => put!(self, "  // {n} preds: {}", from.join(", ")),
                    }
                }
                self.text.push('\n');
            }
            for &inner in &block.ops {
                let inner = &tree[inner];
                if !(elide && inner.name == "scf.yield" && inner.operands.is_empty()) {
                    self.op(inner, depth + 1);
                }
            }
        }
    }
}

/// The blocks that branch to each block, in order; one that does so twice counts twice.
fn predecessors(tree: &Tree, region: RegionId) -> HashMap<BlockId, Vec<BlockId>> {
    let mut found: HashMap<BlockId, Vec<BlockId>> = HashMap::new();
    for &from in &tree[region].blocks {
        let last = tree[from].ops.last().map(|&op| &tree[op]);
        for successor in last.into_iter().flat_map(|op| &op.successors) {
            found.entry(successor.block).or_default().push(from);
        }
    }
    found
}
