//! Modules, functions, blocks and ops.

use crate::control::{self, Yield};
use crate::op::TypeError;
use crate::{Attr, Attrs, DType, Level, OpDecl, OpKind, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

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

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueInfo {
    /// Name from the source, unique within the function.
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

/// Where an op came from: the node's name in the source.
pub type Loc = Option<Arc<str>>;

/// One op of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Which op.
    pub kind: OpKind,
    /// Operands; `None` for an optional one that is left out.
    pub inputs: Vec<Option<ValueId>>,
    /// Results; `None` for one that nobody asked for.
    pub outputs: Vec<Option<ValueId>>,
    /// Attributes that are set.
    pub attrs: Attrs,
    /// Nested blocks, for control flow.
    pub regions: Vec<Block>,
    /// Place in the source.
    pub loc: Loc,
}

impl Op {
    /// An op without attributes, regions and place.
    pub fn new(kind: OpKind, inputs: Vec<Option<ValueId>>, outputs: Vec<Option<ValueId>>) -> Op {
        Op { kind, inputs, outputs, attrs: Attrs::default(), regions: vec![], loc: None }
    }

    /// The op's declaration.
    pub fn decl(&self) -> &'static OpDecl {
        self.kind.decl()
    }

    /// Operand `i`, `None` if left out.
    pub fn input(&self, i: usize) -> Option<ValueId> {
        self.inputs.get(i).copied().flatten()
    }

    /// Result `i`, `None` if nobody asked for it.
    pub fn output(&self, i: usize) -> Option<ValueId> {
        self.outputs.get(i).copied().flatten()
    }

    /// The attribute as set, or its declared default.
    pub fn attr(&self, name: &str) -> Option<Attr> {
        self.attrs.get(name).cloned().or_else(|| self.decl().attr(name)?.default_value())
    }

    /// An integer attribute.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attr(name) {
            Some(Attr::Int(v)) => Some(v),
            _ => None,
        }
    }

    /// A truth value: an integer attribute that is not 0.
    pub fn flag(&self, name: &str) -> bool {
        self.int(name).is_some_and(|v| v != 0)
    }

    /// A number attribute.
    pub fn float(&self, name: &str) -> Option<f32> {
        match self.attr(name) {
            Some(Attr::Float(v)) => Some(v),
            _ => None,
        }
    }

    /// A text attribute.
    pub fn str(&self, name: &str) -> Option<&str> {
        match self.attrs.get(name) {
            Some(Attr::Str(v)) => Some(v),
            Some(_) => None,
            None => match self.decl().attr(name)?.default {
                crate::op::Default::Str(v) => Some(v),
                _ => None,
            },
        }
    }

    /// A list of integers.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attrs.get(name) {
            Some(Attr::Ints(v)) => Some(v),
            _ => None,
        }
    }

    /// A list of numbers.
    pub fn floats(&self, name: &str) -> Option<&[f32]> {
        match self.attrs.get(name) {
            Some(Attr::Floats(v)) => Some(v),
            _ => None,
        }
    }

    /// A list of texts.
    pub fn strs(&self, name: &str) -> Option<&[String]> {
        match self.attrs.get(name) {
            Some(Attr::Strs(v)) => Some(v),
            _ => None,
        }
    }

    /// An element type.
    pub fn dtype(&self, name: &str) -> Option<DType> {
        match self.attr(name) {
            Some(Attr::DType(v)) => Some(v),
            _ => None,
        }
    }

    /// All operands that are present.
    pub fn used(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.inputs.iter().copied().flatten()
    }

    /// All results that somebody asked for.
    pub fn defined(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.outputs.iter().copied().flatten()
    }

    /// How errors name the op: its name, and the node's where known.
    pub fn describe(&self) -> String {
        match &self.loc {
            Some(loc) if !loc.is_empty() => format!("{} `{loc}`", self.decl().name),
            _ => self.decl().name.to_owned(),
        }
    }
}

impl Func {
    /// An empty function.
    pub fn new(name: impl Into<String>, level: Level) -> Func {
        Func { name: name.into(), level, values: vec![], body: Block::default() }
    }

    /// Adds a value.
    pub fn value(&mut self, name: impl Into<String>, ty: Type) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(ValueInfo { name: name.into(), ty });
        id
    }

    /// What is known of a value.
    pub fn info(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> &Type {
        &self.values[id.index()].ty
    }

    /// The types of the op's results by its declared rules, shapes left aside.
    pub fn result_types(&self, op: &Op) -> Result<Vec<Option<Type>>, TypeError> {
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
                (Some(_), Some(result)) => result.rule.apply(op, i, &operands, &yields).map(Some),
                (Some(_), None) => {
                    Err(TypeError::Region { op: decl.name, reason: format!("has no result {i}") })
                }
            })
            .collect()
    }
}

impl Func {
    /// Numbers values in the order in which the text form names them first, and forgets those that nothing names.
    /// Two functions that print alike are equal afterwards.
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
}
