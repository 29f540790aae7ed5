//! Modules, functions, blocks and ops.

mod op;

pub use op::Op;

use crate::control::{self, Yield};
use crate::op::TypeError;
use crate::{Level, Type, counted};
use std::collections::{BTreeMap, HashMap};

/// Functions that belong together, the first being the entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Functions; the entry first.
    pub funcs: Vec<Func>,
    /// Free text that came with the model: producer, licence, hints on preprocessing …
    pub metadata: BTreeMap<String, String>,
}

/// Names a value within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The place of the value in tables indexed by value.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The facts about a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueInfo {
    /// Name from the source, unique within the function (see [`Func::unique_names`]).
    pub name: String,
    /// Type.
    pub ty: Type,
}

/// A function at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Name, unique in its module.
    pub name: String,
    /// Level of all its ops.
    pub level: Level,
    /// At level lane, how many threads a threadgroup has: the function is a kernel, which is launched. A function without
    /// it is called.
    pub threads: Option<u32>,
    /// All values, also those inside regions, indexed by [`ValueId`].
    pub values: Vec<ValueInfo>,
    /// Parameters, ops and results.
    pub body: Block,
}

/// A list of ops in execution order. A region's ops may use values of the blocks around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Values that come in.
    pub params: Vec<ValueId>,
    /// Ops in execution order.
    pub ops: Vec<Op>,
    /// Values that go out.
    pub results: Vec<ValueId>,
}

impl Func {
    /// An empty function.
    pub fn new(name: impl Into<String>, level: Level) -> Func {
        Func { name: name.into(), level, threads: None, values: vec![], body: Block::default() }
    }

    /// Adds a value.
    pub fn value(&mut self, name: impl Into<String>, ty: Type) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(ValueInfo { name: name.into(), ty });
        id
    }

    /// The facts about a value.
    pub fn info(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> &Type {
        &self.values[id.index()].ty
    }

    /// The types of the op's results by its declared rules. `None` for absent results, and for results whose type only
    /// the function states. At levels tile and lane the types are exact; at level graph shapes are ignored.
    pub fn result_types(&self, op: &Op) -> Result<Vec<Option<Type>>, TypeError> {
        if self.level != Level::Graph {
            return exact(op, crate::tile::infer(self, op)?);
        }
        let decl = op.decl();
        let operands = |i: usize| op.input(i).map(|v| self.ty(v));
        // Shapes may differ between branches and runs, and slices lack an axis.
        let targets = control::yields(op);
        let yields = |i: usize| {
            let at = targets
                .iter()
                .position(|y| matches!(y, Yield::Last(j) | Yield::Slice(j) if *j == i))?;
            let v = op.regions.first()?.results.get(at)?;
            Some(self.ty(*v).unshaped())
        };
        op.outputs
            .iter()
            .enumerate()
            .map(|(i, out)| match (out, decl.result(i)) {
                (None, _) => Ok(None),
                (Some(_), Some(result)) => result.rule.apply(op, i, &operands, &yields),
                (Some(_), None) => {
                    Err(TypeError::Region { op: decl.name, reason: format!("has no result {i}") })
                }
            })
            .collect()
    }
}

/// The types of all results, with exactly the shapes of the results that are in use.
fn exact(op: &Op, types: Vec<Option<Type>>) -> Result<Vec<Option<Type>>, TypeError> {
    if types.len() != op.outputs.len() {
        let (op, n, m) = (op.decl().name, types.len(), op.outputs.len());
        return Err(TypeError::Region {
            op,
            reason: format!("gives {}, not {m}", counted(n, "result")),
        });
    }
    Ok(op.outputs.iter().zip(types).map(|(out, ty)| out.and(ty)).collect())
}

impl Func {
    /// Numbers values in the order of their first occurrence in the text form, and drops values that do not occur.
    /// Afterwards two functions that print alike are equal.
    pub fn renumber(&mut self) {
        fn visit(block: &mut Block, rename: &mut dyn FnMut(&mut ValueId)) {
            block.params.iter_mut().for_each(&mut *rename);
            for op in &mut block.ops {
                op.outputs.iter_mut().chain(&mut op.inputs).flatten().for_each(&mut *rename);
                op.regions.iter_mut().for_each(|region| visit(region, rename));
            }
            block.results.iter_mut().for_each(rename);
        }
        let mut order = vec![];
        let mut new = vec![None; self.values.len()];
        visit(&mut self.body, &mut |id| {
            if let Some(slot) = new.get_mut(id.index()) {
                *id = *slot.get_or_insert_with(|| {
                    order.push(id.index());
                    ValueId((order.len() - 1) as u32)
                });
            }
        });
        self.values = order.iter().map(|&i| self.values[i].clone()).collect();
    }

    /// Makes the names of values unique. Parameters and results keep their names. Of other values with the same name
    /// the first keeps it, and the next ones get a number appended.
    pub fn unique_names(&mut self) {
        let ends: Vec<ValueId> =
            self.body.params.iter().chain(&self.body.results).copied().collect();
        let mut last: HashMap<String, usize> = HashMap::new();
        let mut done = vec![false; self.values.len()];
        for id in ends.into_iter().chain((0..self.values.len() as u32).map(ValueId)) {
            let Some(info) = self.values.get_mut(id.index()) else { continue };
            if std::mem::replace(&mut done[id.index()], true) {
                continue;
            }
            if let Some(&n) = last.get(&info.name) {
                let candidates = (n + 1..).map(|n| (n, format!("{}.{n}", info.name)));
                let free = candidates.into_iter().find(|(_, name)| !last.contains_key(name));
                if let Some((n, name)) = free {
                    last.insert(std::mem::replace(&mut info.name, name), n);
                }
            }
            last.insert(info.name.clone(), 0);
        }
    }
}

impl Module {
    /// The function that runs.
    pub fn entry(&self) -> Option<&Func> {
        self.funcs.first()
    }
}

impl Block {
    /// Visits every op, those of nested regions after their owner.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Op)) {
        for op in &self.ops {
            visit(op);
            for region in &op.regions {
                region.walk(visit);
            }
        }
    }

    /// The number of uses of each value, by ops and as results of regions.
    pub fn uses(&self) -> HashMap<ValueId, usize> {
        let mut uses = HashMap::new();
        let mut add = |id: ValueId| *uses.entry(id).or_default() += 1;
        self.results.iter().for_each(|&id| add(id));
        self.walk(&mut |op| {
            op.used().for_each(&mut add);
            op.regions.iter().flat_map(|region| &region.results).for_each(|&id| add(id));
        });
        uses
    }
}

#[cfg(test)]
mod tests;
