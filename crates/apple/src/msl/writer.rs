//! Statements of a kernel, one for each op.

use std::collections::{BTreeSet, HashMap, HashSet};

use trident_ir::op::Group;
use trident_ir::{Block, Func, Loc, Op, OpKind as K, Space, Type, ValueId};
use trident_runtime::Declined;

use super::report::Message;
use super::{accumulator, constant, control, elementwise, memory, prelude, together, types};

pub(super) struct Writer<'f> {
    pub(super) func: &'f Func,
    /// The statements so far.
    pub(super) text: String,
    /// Functions of the prelude that they use.
    pub(super) functions: BTreeSet<&'static str>,
    names: HashMap<ValueId, String>,
    /// Types of accumulators: elements of their factors, and which of these are transposed.
    pub(super) accumulators: BTreeSet<(&'static str, &'static str)>,
    uses: HashMap<ValueId, usize>,
    /// Constants that are positive integers.
    positive: HashSet<ValueId>,
    /// Accumulators that have a variable of their own, and how deep in braces they are written.
    owners: HashMap<ValueId, usize>,
    /// The messages that the kernel may send.
    pub(super) messages: Vec<Message>,
    /// Whether threadgroups may read what others write.
    pub(super) is_coherent: bool,
    /// The most programs of a threadgroup.
    pub(super) programs: u32,
    depth: usize,
    /// The place in the source of the op that is being written.
    place: Option<(String, u32)>,
    /// The place that the compiler assumes for the next line.
    line: Option<(String, u32)>,
}

impl<'f> Writer<'f> {
    pub(super) fn new(func: &'f Func, programs: u32) -> Self {
        Writer {
            func,
            text: String::new(),
            functions: BTreeSet::new(),
            names: HashMap::new(),
            accumulators: BTreeSet::new(),
            uses: func.body.uses(),
            positive: positive(func),
            owners: HashMap::new(),
            messages: vec![],
            is_coherent: has_fences(func),
            programs,
            depth: 1,
            place: None,
            line: None,
        }
    }

    /// The statements of a kernel's body.
    pub(super) fn body(&mut self, block: &Block) -> Result<(), Declined> {
        block.ops.iter().try_for_each(|op| self.op(op))
    }

    /// The name of a value: its own name as far as the language allows, with its number, which makes it unique.
    pub(super) fn name(&self, id: ValueId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let own = &self.func.info(id).name;
        let own = own.split('.').next().unwrap_or_default().chars().map(plain).collect::<String>();
        match own.starts_with(|c: char| c.is_ascii_alphabetic()) {
            true => format!("{own}_{}", id.0),
            false => format!("v{own}_{}", id.0),
        }
    }

    /// Gives a value an expression in place of its name.
    pub(super) fn rename(&mut self, id: ValueId, expression: String) {
        self.names.insert(id, expression);
    }

    pub(super) fn ty(&self, id: ValueId) -> &'f Type {
        self.func.ty(id)
    }

    /// Notes that the text uses a function of the prelude.
    pub(super) fn needs(&mut self, function: &'static str) {
        self.functions.insert(function);
        self.functions.extend(prelude::uses(function));
    }

    /// The names of an op's operands.
    pub(super) fn operands(&self, op: &Op) -> Vec<String> {
        op.used().map(|id| self.name(id)).collect()
    }

    /// Appends a line, after a `#line` if its source location has changed.
    pub(super) fn statement(&mut self, text: &str) {
        if let Some((file, line)) = &self.place
            && self.line != self.place
        {
            let quoted = file.replace('\\', "\\\\").replace('"', "\\\"");
            self.text.push_str(&format!("#line {line} \"{quoted}\"\n"));
            self.line = self.place.clone();
        }
        if let Some((_, line)) = &mut self.line {
            *line = line.saturating_add(1);
        }
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Appends a block in braces, its first line being `head`.
    pub(super) fn braces(
        &mut self,
        head: &str,
        inside: impl FnOnce(&mut Self) -> Result<(), Declined>,
    ) -> Result<(), Declined> {
        self.statement(&format!("{head} {{"));
        self.depth += 1;
        let done = inside(self);
        self.depth -= 1;
        self.statement("}");
        done
    }

    /// The name of a value's type.
    pub(super) fn type_name(&self, op: &Op, id: ValueId) -> Result<String, Declined> {
        types::name(self.ty(id), self.is_coherent).map_err(|reason| decline(op, reason))
    }

    /// Declares a variable of a value's type, with a value if there is one.
    pub(super) fn declare(
        &mut self,
        op: &Op,
        id: ValueId,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), Declined> {
        if let Type::Accumulator(ty) = *self.ty(id) {
            accumulator::declare(self, ty, name, value);
            return Ok(());
        }
        let ty = self.type_name(op, id)?;
        self.statement(&match value {
            Some(value) => format!("{ty} {name} = {value};"),
            None => format!("{ty} {name};"),
        });
        Ok(())
    }

    /// Assigns a value to a variable of a value's type.
    pub(super) fn assign(&mut self, id: ValueId, to: &str, from: &str) {
        match self.ty(id) {
            Type::Accumulator(_) => accumulator::copy(self, to, from),
            _ => self.statement(&format!("{to} = {from};")),
        }
    }

    /// Records that `id` exclusively owns its variable, which is declared `deeper` brace levels inside the current one.
    pub(super) fn own(&mut self, id: ValueId, deeper: usize) {
        if matches!(self.ty(id), Type::Accumulator(_)) {
            self.owners.insert(id, self.depth + deeper);
        }
    }

    /// Whether the op being written may take over an accumulator's variable: it is the only use, and runs as often as
    /// the op that sets the variable.
    pub(super) fn is_free(&self, id: ValueId) -> bool {
        self.owners.get(&id) == Some(&self.depth) && self.uses.get(&id) == Some(&1)
    }

    /// Whether a value is known to be a positive integer.
    pub(super) fn is_positive(&self, id: ValueId) -> bool {
        self.positive.contains(&id)
    }

    /// The name of an address space.
    pub(super) fn space(&self, space: Space) -> &'static str {
        types::space(space, self.is_coherent)
    }

    /// Declares the op's result with a value.
    pub(super) fn give(&mut self, op: &Op, expression: &str) -> Result<(), Declined> {
        let Some(id) = op.defined().next() else { return Ok(()) };
        let (ty, name) = (self.type_name(op, id)?, self.name(id));
        self.statement(&format!("{ty} {name} = {expression};"));
        Ok(())
    }

    pub(super) fn op(&mut self, op: &Op) -> Result<(), Declined> {
        // An op without a place is taken for one of the op before it.
        if let Some(source) = op.loc.as_ref().and_then(Loc::as_source)
            && !source.file.contains(['\n', '\r'])
        {
            self.place = Some((source.file.to_string(), source.line));
        }
        match (op.kind, op.decl().group) {
            (_, Group::Elementwise) => {
                let expression = elementwise::expression(self, op)?;
                self.give(op, &expression)
            }
            (K::Constant, _) => {
                let expression = constant::expression(op).map_err(|why| decline(op, why))?;
                self.give(op, &expression)
            }
            (_, Group::Control) => control::write(self, op),
            (_, Group::Together) => together::write(self, op),
            _ => memory::write(self, op),
        }
    }
}

/// The constants that are positive integers.
fn positive(func: &Func) -> HashSet<ValueId> {
    let mut found = HashSet::new();
    func.body.walk(&mut |op| {
        if op.kind == K::Constant && constant::is_positive(op) {
            found.extend(op.defined());
        }
    });
    found
}

fn has_fences(func: &Func) -> bool {
    let mut found = false;
    func.body.walk(&mut |op| found |= op.kind == K::DeviceFence);
    found
}

pub(super) fn decline(op: &Op, reason: impl Into<String>) -> Declined {
    Declined::op(op, reason)
}

/// The error of an op that the verifier would have rejected.
pub(super) fn malformed(op: &Op, reason: &str) -> Declined {
    decline(op, format!("internal error: {reason}; please report it with the kernel"))
}

/// The typed view of an op, by its `of`.
pub(super) fn view<'a, V>(op: &'a Op, of: fn(&'a Op) -> Option<V>) -> Result<V, Declined> {
    of(op).ok_or_else(|| malformed(op, "has other operands or attributes than its kind"))
}
