//! Names of values and blocks, as MLIR gives them when it prints.
//!
//! Names go breadth first: all ops of a region, then the regions inside, so sibling regions start from the same numbers.
//! Parameters of entry blocks are `%argN`; constants and the results of `tt.split` have speaking names; a name that is
//! taken gets `_N`, from a counter that only grows along the way from outer to inner regions.

use super::loc::LocId;
use super::{Attr, BlockId, Op, OpId, RegionId, Tree, ValueId};
use std::collections::{HashMap, HashSet};
use trident_ir::DType;

/// The names of a tree's values and blocks.
#[derive(Debug, Default)]
pub(super) struct Printed {
    values: HashMap<ValueId, String>,
    blocks: HashMap<BlockId, usize>,
}

/// Where the numbers of a region start, and the names that are taken outside.
#[derive(Clone, Debug, Default)]
struct Counters {
    value: usize,
    arg: usize,
    conflict: usize,
    used: HashSet<String>,
}

impl Printed {
    /// Names everything under the op; `variable` gives names to locations.
    pub(super) fn of<'v>(
        tree: &Tree,
        top: OpId,
        variable: &impl Fn(LocId) -> Option<&'v str>,
    ) -> Printed {
        let mut printed = Printed::default();
        let start = Counters::default();
        let mut pending: Vec<(RegionId, Counters)> =
            tree[top].regions.iter().map(|&region| (region, start.clone())).collect();
        while let Some((region, mut counters)) = pending.pop() {
            for (i, &id) in tree[region].blocks.iter().enumerate() {
                printed.blocks.insert(id, i);
                for &param in &tree[id].params {
                    let hint = (i == 0).then(|| format!("arg{}", counters.arg));
                    counters.arg += usize::from(i == 0);
                    let own = variable(tree[param].loc).map(identifier);
                    printed.name(param, own.or(hint), &mut counters);
                }
                for &op in &tree[id].ops {
                    let own = variable(tree[op].loc).map(identifier);
                    printed.results(&tree[op], tree, own, &mut counters);
                }
            }
            let ops = tree.blocks_of(region).flat_map(|block| &block.ops);
            for &inner in ops.flat_map(|&op| &tree[op].regions) {
                pending.push((inner, counters.clone()));
            }
        }
        printed
    }

    fn results(&mut self, op: &Op, tree: &Tree, own: Option<String>, counters: &mut Counters) {
        match (&*op.name, &op.results[..]) {
            (_, []) => {}
            ("tt.split", &[left, right]) => {
                let names =
                    own.map_or(["outLHS".into(), "outRHS".into()], |own| [own.clone(), own]);
                for (value, name) in [left, right].into_iter().zip(names) {
                    self.name(value, Some(name), counters);
                }
            }
            (_, &[first, ref others @ ..]) => {
                self.name(first, own.or_else(|| constant_name(tree, op)), counters);
                let pack = self.value(first).to_owned();
                for (i, &other) in others.iter().enumerate() {
                    self.values.insert(other, format!("{pack}#{}", i + 1));
                }
                if !others.is_empty() {
                    self.values.insert(first, format!("{pack}#0"));
                }
            }
        }
    }

    fn name(&mut self, value: ValueId, hint: Option<String>, counters: &mut Counters) {
        let name = match hint {
            None => {
                counters.value += 1;
                (counters.value - 1).to_string()
            }
            Some(hint) => {
                let mut name = hint.clone();
                while counters.used.contains(&name) {
                    name = format!("{hint}_{}", counters.conflict);
                    counters.conflict += 1;
                }
                counters.used.insert(name.clone());
                name
            }
        };
        self.values.insert(value, name);
    }

    /// The name of a value, without `%`.
    pub(super) fn value(&self, id: ValueId) -> &str {
        self.values.get(&id).map_or("<unknown>", String::as_str)
    }

    /// The number of a block, which is its name.
    pub(super) fn block(&self, id: BlockId) -> usize {
        self.blocks.get(&id).copied().unwrap_or(0)
    }
}

/// The name of a variable with the characters that names of values have; others become the digits of their code.
fn identifier(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'$' | b'.' | b'_' | b'-' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            b' ' => out.push('_'),
            _ => out.push_str(&format!("{byte:X}")),
        }
    }
    out
}

/// `c5_i32`, `true`, `cst`.
fn constant_name(tree: &Tree, op: &Op) -> Option<String> {
    if op.name != "arith.constant" {
        return None;
    }
    Some(match op.dict.get("value") {
        Some(Attr::Bool(value)) => value.to_string(),
        Some(Attr::Int(value, dtype)) if *dtype != DType::Bool => {
            let ty = op.results.first().map(|&id| tree[id].ty.clone());
            format!("c{value}_{}", ty.as_ref().map(super::types::text).unwrap_or_default())
        }
        _ => "cst".into(),
    })
}
