//! Blocks of a `ProgramDesc`, which write a variable any number of times, to blocks whose variables are written once.
//!
//! Each write makes a new variable. A block of a loop or branch sees the variables around it and may write them: those
//! that it writes become results of the loop or branch.

use super::op::RawOp;
use super::{Declared, RawBlock};
use crate::error::{Fault, PaddleErrorKind};
use crate::params::Stored;
use crate::program::{
    Args, Block, Form, Names, Op, Port, Program, TensorInfo, Var, VarInfo, VarType,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most blocks within each other.
const MOST_DEPTH: usize = 32;

/// The name that stands for a variable that is left out.
const EMPTY: &str = "@EMPTY@";

/// The program with these blocks, of which the first is the main one.
pub(super) fn program(
    blocks: &[RawBlock<'_>],
    version: i64,
) -> Result<(Program, Vec<Stored>), Fault> {
    if blocks.is_empty() {
        return Err(PaddleErrorKind::Malformed("it has no blocks".into()).into());
    }
    let uses = uses(blocks)?;
    let mut readers = HashMap::new();
    for name in uses.iter().flat_map(|uses| &uses.reads) {
        *readers.entry(*name).or_default() += 1;
    }
    let mut reader = Reader {
        blocks,
        uses,
        readers,
        is_used: vec![false; blocks.len()],
        vars: vec![],
        bound: vec![HashMap::new()],
        path: vec![],
        names: Names::default(),
        ops: 0,
        inputs: vec![],
        outputs: vec![],
    };
    let stored = reader.parameters();
    let main = reader.block(0)?;
    let port = |(_, port): (i64, Port)| port;
    reader.inputs.sort_by_key(|(column, _)| *column);
    reader.outputs.sort_by_key(|(column, _)| *column);
    let program = Program {
        form: Form::ProgramDesc,
        version,
        vars: reader.vars,
        inputs: reader.inputs.into_iter().map(port).collect(),
        outputs: reader.outputs.into_iter().map(port).collect(),
        params: vec![],
        main,
    };
    Ok((program, stored))
}

/// The names that the ops of a block read and write, and the blocks that the ops have.
#[derive(Default)]
struct Uses<'a> {
    reads: BTreeSet<&'a str>,
    /// In the order of their first writes.
    writes: Vec<&'a str>,
    blocks: Vec<usize>,
}

/// Whether an op runs a block.
fn runs_a_block(op: &RawOp<'_>) -> bool {
    matches!(op.name, "while" | "conditional_block")
}

fn uses<'a>(blocks: &[RawBlock<'a>]) -> Result<Vec<Uses<'a>>, PaddleErrorKind> {
    let mut all = vec![];
    for block in blocks {
        let mut uses = Uses::default();
        let mut written = BTreeSet::new();
        for message in &block.ops {
            let op = RawOp::read(message)?;
            if runs_a_block(&op) {
                // Their other slots list what the block uses, which the block itself shows better.
                uses.blocks.push(op.block("sub_block")?);
                let condition = [op.input("Condition"), op.input("Cond")];
                uses.reads.extend(condition.into_iter().flatten());
                continue;
            }
            uses.reads.extend(op.inputs.iter().flat_map(|(_, names)| names));
            let outputs = op.outputs.iter().flat_map(|(_, names)| names);
            let new = outputs.filter(|name| **name != EMPTY && written.insert(**name));
            uses.writes.extend(new);
        }
        all.push(uses);
    }
    Ok(all)
}

struct Reader<'a, 'b> {
    blocks: &'b [RawBlock<'a>],
    uses: Vec<Uses<'a>>,
    /// The number of blocks that read each name.
    readers: HashMap<&'a str, usize>,
    /// Blocks that an op has; a second one would be a cycle or a copy.
    is_used: Vec<bool>,
    vars: Vec<VarInfo>,
    /// The variables that names stand for, the innermost block last.
    bound: Vec<HashMap<&'a str, Var>>,
    /// The blocks being read, the innermost last.
    path: Vec<usize>,
    names: Names,
    ops: u32,
    /// With their columns.
    inputs: Vec<(i64, Port)>,
    outputs: Vec<(i64, Port)>,
}

impl<'a> Reader<'a, '_> {
    /// Defines the parameters, which may be declared in any block.
    fn parameters(&mut self) -> Vec<Stored> {
        let blocks = self.blocks;
        let declared = blocks.iter().flat_map(|block| &block.vars);
        let stored: BTreeSet<&'a str> =
            declared.filter(|(_, declared)| declared.is_stored).map(|(name, _)| *name).collect();
        let mut listed = vec![];
        for name in stored {
            let declared = blocks.iter().filter_map(|block| block.vars.get(name));
            let ty = declared.filter(|declared| declared.is_stored).map(|d| d.ty.clone()).next();
            let var = self.bind(name, ty.unwrap_or(VarType::Nothing));
            listed.push(Stored { name: self.names.shared(name), var });
        }
        listed
    }

    fn variable(&mut self, name: &str, ty: VarType) -> Var {
        let var = Var(self.vars.len() as u32);
        self.vars.push(VarInfo { name: self.names.shared(name), ty });
        var
    }

    /// Makes a variable, for which the name stands from here on.
    fn bind(&mut self, name: &'a str, ty: VarType) -> Var {
        let var = self.variable(name, ty);
        if let Some(innermost) = self.bound.last_mut() {
            innermost.insert(name, var);
        }
        var
    }

    /// The declaration of a name, in the innermost block that has one.
    fn declared(&self, name: &str) -> Option<&Declared> {
        self.path.iter().rev().find_map(|&block| self.blocks[block].vars.get(name))
    }

    fn ty(&self, name: &str) -> VarType {
        let unknown = || VarType::Tensor(TensorInfo::default());
        self.declared(name).map_or_else(unknown, |declared| declared.ty.clone())
    }

    /// The variable that a name stands for.
    fn lookup(&self, name: &str) -> Option<Var> {
        self.bound.iter().rev().find_map(|names| names.get(name).copied())
    }

    fn read(&self, name: &str) -> Result<Var, PaddleErrorKind> {
        let undefined = || PaddleErrorKind::Undefined { value: name.to_owned() };
        self.lookup(name).ok_or_else(undefined)
    }

    /// Reads a block whose names are bound in the last table.
    fn block(&mut self, number: usize) -> Result<Block, Fault> {
        if self.path.len() >= MOST_DEPTH {
            return Err(PaddleErrorKind::TooDeep { limit: MOST_DEPTH }.into());
        }
        self.path.push(number);
        let mut block = Block::default();
        for message in &self.blocks[number].ops {
            let raw = RawOp::read(message)?;
            let mut op = Op {
                dialect: self.names.shared("legacy"),
                name: self.names.shared(raw.name),
                operands: Args::default(),
                results: Args::default(),
                attrs: vec![],
                blocks: vec![],
                layer: raw.layer()?.map(|layer| self.names.shared(layer)),
                number: self.ops,
            };
            self.ops += 1;
            let read = match raw.name {
                "feed" if self.path.len() == 1 => self.feed(&raw),
                "fetch" if self.path.len() == 1 => self.fetch(&raw),
                "while" => self.repeat(&raw, &mut op, &mut block),
                "conditional_block" => self.branch(&raw, &mut op),
                _ => self.plain(&raw, &mut op),
            };
            match read {
                Ok(true) => block.ops.push(op),
                Ok(false) => {}
                Err(fault) => return Err(fault.at(&op)),
            }
        }
        self.path.pop();
        Ok(block)
    }

    fn feed(&mut self, raw: &RawOp<'a>) -> Result<bool, Fault> {
        let missing = || PaddleErrorKind::Malformed("output `Out` is missing".into());
        let name = *raw.output("Out").first().ok_or_else(missing)?;
        let column = raw.number("col")?.unwrap_or(self.inputs.len() as i64);
        let var = self.bind(name, self.ty(name));
        self.inputs.push((column, Port { name: self.names.shared(name), var }));
        Ok(false)
    }

    fn fetch(&mut self, raw: &RawOp<'a>) -> Result<bool, Fault> {
        let name = raw.required("X")?;
        let column = raw.number("col")?.unwrap_or(self.outputs.len() as i64);
        let var = self.read(name)?;
        self.outputs.push((column, Port { name: self.names.shared(name), var }));
        Ok(false)
    }

    /// Reads an op without blocks.
    fn plain(&mut self, raw: &RawOp<'a>, op: &mut Op) -> Result<bool, Fault> {
        op.attrs = raw.attrs(&mut self.names)?;
        let mut slots = vec![];
        for (slot, names) in &raw.inputs {
            let vars = names.iter().map(|name| match *name {
                EMPTY => Ok(None),
                name => self.read(name).map(Some),
            });
            let vars = vars.collect::<Result<_, _>>()?;
            slots.push((self.names.shared(slot), vars));
        }
        if raw.name == "write_to_array" {
            // An array is changed in place: without the operand, its earlier elements would be lost.
            let array = raw.output("Out").first().and_then(|name| self.lookup(name));
            slots.push((self.names.shared("Array"), array.into_iter().map(Some).collect()));
        }
        op.operands = Args::Slots(slots.into());
        let mut slots = vec![];
        for (slot, names) in &raw.outputs {
            let vars = names.iter().map(|name| match *name {
                EMPTY => None,
                name => Some(self.bind(name, self.ty(name))),
            });
            let vars = vars.collect();
            slots.push((self.names.shared(slot), vars));
        }
        op.results = Args::Slots(slots.into());
        Ok(true)
    }

    /// Marks a block as that of an op.
    fn claim(&mut self, block: usize) -> Result<usize, PaddleErrorKind> {
        match self.is_used.get_mut(block) {
            Some(used) if !*used && block > 0 => {
                *used = true;
                Ok(block)
            }
            Some(_) => Err(PaddleErrorKind::Malformed(format!(
                "block {block} belongs to two ops, or to an op within itself"
            ))),
            None => Err(PaddleErrorKind::Malformed(format!("there is no block {block}"))),
        }
    }

    /// The blocks within a block, and the block itself.
    fn within(&self, block: usize) -> BTreeSet<usize> {
        let (mut found, mut pending) = (BTreeSet::new(), vec![block]);
        while let Some(block) = pending.pop() {
            if let Some(uses) = self.uses.get(block)
                && found.insert(block)
            {
                pending.extend(&uses.blocks);
            }
        }
        found
    }

    /// Names of outer variables that a block writes, in the order of the file: those with a value before it, and those
    /// that are read outside of it.
    fn changed(&self, block: usize) -> Vec<&'a str> {
        let inner = self.within(block);
        let (mut seen, mut readers) = (HashSet::new(), HashMap::new());
        for &block in &inner {
            // Names that the blocks declare are their own.
            seen.extend(self.blocks[block].vars.keys().copied());
            for &name in &self.uses[block].reads {
                *readers.entry(name).or_default() += 1;
            }
        }
        let is_read_outside = |name: &str| self.readers.get(name) != readers.get(name);
        let writes = inner.iter().flat_map(|&block| &self.uses[block].writes).copied();
        let new = writes.filter(|name| seen.insert(*name));
        new.filter(|name| self.lookup(name).is_some() || is_read_outside(name)).collect()
    }

    /// The variable that a name stands for, or one of an op `undefined`.
    fn value_or_undefined(&mut self, name: &'a str, block: &mut Block) -> Var {
        if let Some(var) = self.lookup(name) {
            return var;
        }
        let var = self.variable(name, self.ty(name));
        block.ops.push(Op {
            dialect: self.names.shared("builtin"),
            name: self.names.shared("undefined"),
            operands: Args::default(),
            results: Args::from_iter([var]),
            attrs: vec![],
            blocks: vec![],
            layer: None,
            number: self.ops - 1,
        });
        var
    }

    /// Reads `while`: the block's parameters are the values that it changes.
    fn repeat(&mut self, raw: &RawOp<'a>, op: &mut Op, outer: &mut Block) -> Result<bool, Fault> {
        let number = self.claim(raw.block("sub_block")?)?;
        let condition = raw.required("Condition")?;
        let mut carried = self.changed(number);
        carried.retain(|name| *name != condition);
        let mut operands = vec![self.read(condition)?];
        for name in &carried {
            operands.push(self.value_or_undefined(name, outer));
        }
        self.bound.push(HashMap::new());
        let params: Vec<Var> = carried.iter().map(|name| self.bind(name, self.ty(name))).collect();
        let mut block = self.block(number)?;
        block.params = params;
        let results = std::iter::once(&condition).chain(&carried);
        block.results = results.map(|name| self.read(name)).collect::<Result<_, _>>()?;
        self.bound.pop();
        op.dialect = self.names.shared("pd_op");
        op.operands = operands.into_iter().collect();
        op.blocks = vec![block];
        op.results = carried.iter().map(|name| self.bind(name, self.ty(name))).collect();
        Ok(true)
    }

    /// Reads `conditional_block` as `if`: without the condition, the variables keep their values.
    fn branch(&mut self, raw: &RawOp<'a>, op: &mut Op) -> Result<bool, Fault> {
        let number = self.claim(raw.block("sub_block")?)?;
        let condition = self.read(raw.required("Cond")?)?;
        if raw.number("is_scalar_condition")? == Some(0) {
            let text = "a condition that is not a scalar is not supported";
            return Err(PaddleErrorKind::Unsupported(text.into()).into());
        }
        let changed = self.changed(number);
        self.bound.push(HashMap::new());
        let mut yes = self.block(number)?;
        yes.results = changed.iter().map(|name| self.read(name)).collect::<Result<_, _>>()?;
        self.bound.pop();
        let mut no = Block::default();
        no.results = changed.iter().map(|name| self.value_or_undefined(name, &mut no)).collect();
        op.dialect = self.names.shared("pd_op");
        op.name = self.names.shared("if");
        op.operands = Args::from_iter([condition]);
        op.blocks = vec![yes, no];
        op.results = changed.iter().map(|name| self.bind(name, self.ty(name))).collect();
        Ok(true)
    }
}
