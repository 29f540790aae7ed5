//! Printing the forms that no sequence of items describes.

use super::attr::{Shown, number, quoted, symbol};
use super::{Printer, put};
use crate::ttir::form::Own;
use crate::ttir::{Attr, Op, RegionId, ValueId, types};
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn own(&mut self, op: &Op, form: Own, depth: usize) {
        put!(self, "{}", op.name);
        match form {
            Own::Constant => self.constant(op),
            Own::DotScaled => self.dot_scaled(op),
            Own::MakeDescriptor => self.make_descriptor(op),
            Own::Print => self.print(op),
            Own::Barrier => {
                let memory = op.dict.get("memory").and_then(Attr::word).unwrap_or("all");
                put!(self, " {memory}");
                self.dict(op, |name| name != "memory");
            }
            Own::For => self.scf_for(op, depth),
            Own::If => self.scf_if(op, depth),
            Own::While => self.scf_while(op, depth),
            Own::Branch => self.branch(op),
            Own::Func => self.func(op, depth),
            Own::Module => {}
        }
    }

    fn constant(&mut self, op: &Op) {
        self.dict(op, |name| name != "value");
        match op.dict.get("value") {
            Some(value @ (Attr::Int(..) | Attr::Float(..))) => {
                let ty = types::list(self.tree.types(&op.results));
                put!(self, " {} : {ty}", number(value));
            }
            Some(value) => put!(self, " {}", Shown(value)),
            None => {}
        }
    }

    fn dot_scaled(&mut self, op: &Op) {
        let Some((&[a, b, c], scales)) = op.operands.split_first_chunk() else { return };
        let sizes = op.dict.get("operandSegmentSizes").and_then(Attr::ints).unwrap_or_default();
        let mut scales = scales.iter().copied();
        let mut next = |i: usize| sizes.get(i).filter(|&&n| n != 0).and_then(|_| scales.next());
        let (a_scale, b_scale) = (next(3), next(4));
        let factor = |x: ValueId, scale: Option<ValueId>| {
            let scale = scale.map(|scale| format!(" scale {}", self.value(scale)));
            format!("{}{}", self.value(x), scale.unwrap_or_default())
        };
        let ty = |x: ValueId, scale: Option<ValueId>| {
            let scale = scale.map(|scale| format!(", {}", self.ty(scale)));
            format!("{}{}", self.ty(x), scale.unwrap_or_default())
        };
        let operands = format!("{}, {}, {}", factor(a, a_scale), factor(b, b_scale), self.value(c));
        let types = format!("{} * {} -> {}", ty(a, a_scale), ty(b, b_scale), self.ty(c));
        let format = |name| op.dict.get(name).and_then(Attr::word).unwrap_or_default();
        let (lhs, rhs) = (format("lhs"), format("rhs"));
        put!(self, " {operands} lhs = {lhs} rhs = {rhs}");
        self.dict(op, |name| !matches!(name, "lhs" | "rhs"));
        put!(self, " : {types}");
    }

    fn make_descriptor(&mut self, op: &Op) {
        let Some((&base, sizes)) = op.operands.split_first() else { return };
        let (shape, strides) = sizes.split_at(sizes.len() / 2);
        let text =
            format!("{}, [{}], [{}]", self.value(base), self.values(shape), self.values(strides));
        put!(self, " {text}");
        self.dict(op, |_| true);
        let result = op.results.first().map(|&id| types::bare(&self.tree[id].ty));
        let base = types::bare(&self.tree[base].ty);
        put!(self, " : {base}, {}", result.unwrap_or_default());
    }

    fn print(&mut self, op: &Op) {
        let prefix = op.dict.get("prefix").and_then(Attr::word).unwrap_or_default();
        put!(self, " {}", quoted(prefix));
        self.dict(op, |name| name != "prefix");
        if !op.operands.is_empty() {
            let operands = self.values(&op.operands);
            put!(self, " : {operands} : {}", types::list(self.tree.types(&op.operands)));
        }
    }

    fn branch(&mut self, op: &Op) {
        let tree = self.tree;
        let (own, branches) = tree.branches(op);
        let mut parts: Vec<_> = own.iter().map(|&id| self.value(id)).collect();
        for (block, args) in branches {
            let block = self.names.block(block);
            parts.push(match args {
                [] => format!("^bb{block}"),
                args => {
                    let types = types::list(tree.types(args));
                    format!("^bb{block}({} : {types})", self.values(args))
                }
            });
        }
        put!(self, " {}", parts.join(", "));
        self.dict(op, |_| true);
    }

    /// The first block's parameters of a region.
    fn params(&self, region: Option<&RegionId>) -> &[ValueId] {
        region.and_then(|&region| self.tree.entry(region)).map_or(&[], |block| &block.params)
    }

    /// `(%a = %x, %b = %y)`.
    fn carried(&self, params: &[ValueId], values: &[ValueId]) -> String {
        let pairs = params.iter().zip(values);
        let pairs: Vec<_> =
            pairs.map(|(&p, &v)| format!("{} = {}", self.value(p), self.value(v))).collect();
        format!("({})", pairs.join(", "))
    }

    /// ` {` and the blocks of a region, up to and with `}`.
    fn body(&mut self, region: Option<&RegionId>, depth: usize, labelled: bool, elide: bool) {
        self.text.push_str(" {\n");
        if let Some(&region) = region {
            self.blocks(region, depth, labelled, elide);
        }
        self.indent(depth);
        self.text.push('}');
    }

    fn scf_for(&mut self, op: &Op, depth: usize) {
        let Some((&[lower, upper, step], init)) = op.operands.split_first_chunk() else { return };
        let region = op.regions.first();
        let Some((&counter, params)) = self.params(region).split_first() else { return };
        let head = format!(
            "{} = {} to {} step {} ",
            self.value(counter),
            self.value(lower),
            self.value(upper),
            self.value(step)
        );
        let carried = self.carried(params, init);
        put!(self, " {head}");
        if !init.is_empty() {
            let types = types::list(self.tree.types(&op.results));
            put!(self, "iter_args{carried} -> ({types}) ");
        }
        let ty = self.ty(lower);
        put!(self, " : {ty}");
        self.body(region, depth, false, true);
        self.dict(op, |_| true);
    }

    fn scf_if(&mut self, op: &Op, depth: usize) {
        let condition = self.values(&op.operands);
        put!(self, " {condition}");
        if !op.results.is_empty() {
            put!(self, " -> ({})", types::list(self.tree.types(&op.results)));
        }
        self.body(op.regions.first(), depth, false, true);
        if let Some(region) = op.regions.get(1).filter(|&&r| !self.tree[r].blocks.is_empty()) {
            put!(self, " else");
            self.body(Some(region), depth, false, true);
        }
        self.dict(op, |_| true);
    }

    fn scf_while(&mut self, op: &Op, depth: usize) {
        let (before, after) = (op.regions.first(), op.regions.get(1));
        let carried = self.carried(self.params(before), &op.operands);
        if !op.operands.is_empty() {
            put!(self, " {carried}");
        }
        let operands = types::list(self.tree.types(&op.operands));
        let results = types::results(self.tree.types(&op.results));
        put!(self, " : ({operands}) -> {results}");
        self.body(before, depth, false, false);
        put!(self, " do");
        let labelled = !self.params(after).is_empty();
        self.body(after, depth, labelled, false);
        if !op.dict.0.is_empty() {
            put!(self, " attributes");
            self.dict(op, |_| true);
        }
    }

    fn func(&mut self, op: &Op, depth: usize) {
        const SHOWN: &[&str] = &["sym_visibility", "sym_name", "results"];
        if let Some(visibility) = op.dict.get("sym_visibility").and_then(Attr::word) {
            put!(self, " {visibility}");
        }
        let name = op.dict.get("sym_name").and_then(Attr::symbol).unwrap_or_default();
        let region = op.regions.first();
        let params: Vec<_> = self.params(region).iter().map(|&id| self.param(id)).collect();
        put!(self, " @{}({})", symbol(name), params.join(", "));
        if let Some(Attr::List(results)) = op.dict.get("results") {
            let results: Vec<_> = results.iter().map(|ty| Shown(ty).to_string()).collect();
            match &results[..] {
                [] => {}
                [one] => put!(self, " -> {one}"),
                all => put!(self, " -> ({})", all.join(", ")),
            }
        }
        if op.dict.0.iter().any(|(name, _)| !SHOWN.contains(&&**name)) {
            put!(self, " attributes");
            self.dict(op, |name| !SHOWN.contains(&name));
        }
        self.body(region, depth, false, false);
    }

    /// `%a: T {…}`.
    fn param(&self, id: ValueId) -> String {
        let crate::ttir::Definition::Param { dict } = &self.tree[id].definition else {
            return self.value(id);
        };
        let fields = super::dictionary(dict.0.iter().map(|(name, value)| (&**name, value)));
        let fields = if fields.is_empty() { String::new() } else { format!(" {{{fields}}}") };
        format!("{}: {}{fields}{}", self.value(id), self.ty(id), self.place(id))
    }
}
