//! Names of values and nodes in a file: those of the function, each once.

use std::collections::HashMap;
use trident_ir::{Func, ValueId};

/// The names that a file uses.
pub(super) struct Names {
    /// By [`ValueId`].
    values: Vec<String>,
    taken: Taken,
    nodes: Taken,
}

/// Names that are taken, with the last number that was tried behind each.
type Taken = HashMap<String, usize>;

impl Names {
    /// The names of a function's values. An empty name would stand for an absent value.
    pub(super) fn of(func: &Func) -> Names {
        let taken = func.values.iter().map(|value| (value.name.clone(), 0)).collect();
        let mut names = Names { values: vec![], taken, nodes: Taken::new() };
        names.values = func
            .values
            .iter()
            .map(|value| match value.name.is_empty() {
                true => names.fresh("value"),
                false => value.name.clone(),
            })
            .collect();
        names
    }

    /// The name of a value.
    pub(super) fn value(&self, id: ValueId) -> &str {
        &self.values[id.index()]
    }

    /// A name that no value has.
    pub(super) fn fresh(&mut self, base: &str) -> String {
        free(&mut self.taken, base)
    }

    /// The name of a node that would be `base`. Runtimes and tools tell nodes apart by their names, and a layer may be several nodes.
    pub(super) fn node(&mut self, base: &str) -> String {
        match self.nodes.contains_key(base) {
            true => free(&mut self.nodes, base),
            false => {
                self.nodes.insert(base.to_owned(), 0);
                base.to_owned()
            }
        }
    }
}

/// `base` with the first number that makes it new.
fn free(taken: &mut Taken, base: &str) -> String {
    let mut n = taken.get(base).copied().unwrap_or(0);
    loop {
        n += 1;
        let name = format!("{base}.{n}");
        if !taken.contains_key(&name) {
            taken.insert(base.to_owned(), n);
            taken.insert(name.clone(), 0);
            return name;
        }
    }
}
