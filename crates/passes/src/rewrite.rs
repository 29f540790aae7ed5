//! The machinery of rewriting passes: one walk forward over a function, rules looking back from each op.
//!
//! A rule sees an op whose operands were rewritten already, and may look at the ops that produce them in the same
//! block. A replacement keeps the result values, so later ops do not change. Ops that lose their last use are removed
//! at once. All ops are pure, so dropping one is always legal.

use std::collections::{HashMap, HashSet};
use std::mem;
use trident_ir::op::New;
use trident_ir::rewrite::PassReport;
use trident_ir::{Block, DType, Dim, Func, Literal, Loc, Op, OpKind, Type, ValueId, ops, shape};

/// The change that a rule makes to an op.
pub(crate) enum Change {
    /// The results are existing values; `None` for an unused result.
    Values(Vec<Option<ValueId>>),
    /// Another op with the same results.
    Op(Op),
    /// The ops of a block (one of the op's regions, rewritten), whose results are the op's.
    Block(Block),
}

/// Examines an op and returns the change to make; `None` to leave it.
pub(crate) type Rule<'a> = dyn Fn(&mut Rewriter<'_>, &Op) -> Option<Change> + 'a;

/// A rule and the name under which reports list it.
pub(crate) type Named<'a> = (&'static str, &'a Rule<'a>);

/// A walk over a function.
pub(crate) struct Rewriter<'f> {
    /// The function; its body is being rebuilt.
    pub(crate) func: &'f mut Func,
    constants: HashMap<ValueId, Literal>,
    uses: Vec<u32>,
    /// Results of the function.
    results: HashSet<ValueId>,
    /// The ops of the open blocks so far, innermost last; `None` where one was dropped.
    frames: Vec<Vec<Option<Op>>>,
    /// Depth and place of the op that defines a value.
    defs: HashMap<ValueId, (usize, usize)>,
    /// Values that turned out to be others.
    alias: HashMap<ValueId, ValueId>,
    names: Option<HashSet<String>>,
    /// Ops whose results the op being made defines in their place.
    taken: Vec<Op>,
    loc: Option<Loc>,
}

/// Runs rules over all blocks of a function; reports those that applied.
pub(crate) fn run(func: &mut Func, rules: &[Named<'_>]) -> Vec<PassReport> {
    let body = mem::take(&mut func.body);
    let mut uses = vec![0; func.values.len()];
    count_uses(&body, &mut |v| uses[v.index()] += 1);
    let count = func.values.len();
    let mut constants = HashMap::with_capacity(count);
    body.walk(&mut |op| {
        if let Some(constant) = ops::Constant::of(op)
            && let Some(out) = constant.output()
        {
            constants.insert(out, constant.value().clone());
        }
    });
    let mut rewriter = Rewriter {
        func,
        constants,
        uses,
        results: body.results.iter().copied().collect(),
        frames: vec![],
        defs: HashMap::with_capacity(count),
        alias: HashMap::new(),
        names: None,
        taken: vec![],
        loc: None,
    };
    let mut reports = vec![];
    let results = body.results.clone();
    let mut body = rewriter.block(body, rules, &mut reports);
    rewriter.keep_result_names(&mut body, &results);
    rewriter.func.body = body;
    reports
}

/// Calls `f` for each use of a value in a block, regions included.
fn count_uses(block: &Block, f: &mut dyn FnMut(ValueId)) {
    block.ops.iter().for_each(|op| op_uses(op, f));
    block.results.iter().for_each(|v| f(*v));
}

fn op_uses(op: &Op, f: &mut dyn FnMut(ValueId)) {
    op.used().for_each(&mut *f);
    op.regions.iter().for_each(|r| count_uses(r, f));
}

impl Rewriter<'_> {
    fn block(&mut self, block: Block, rules: &[Named<'_>], reports: &mut Vec<PassReport>) -> Block {
        self.frames.push(Vec::with_capacity(block.ops.len()));
        for mut op in block.ops {
            for input in op.inputs.iter_mut().flatten() {
                *input = self.resolve(*input);
            }
            let regions = mem::take(&mut op.regions);
            op.regions = regions.into_iter().map(|r| self.block(r, rules, reports)).collect();
            self.loc = op.loc.clone();
            let change = rules.iter().find_map(|(name, rule)| Some((*name, rule(self, &op)?)));
            let Some((name, change)) = change else {
                self.push(op);
                continue;
            };
            note(reports, name, &op);
            self.apply(op, change);
        }
        let ops = self.frames.pop().unwrap_or_default().into_iter().flatten().collect();
        let results = block.results.iter().map(|v| self.resolve(*v)).collect();
        Block { params: block.params, ops, results }
    }

    fn apply(&mut self, old: Op, change: Change) {
        match change {
            Change::Values(values) => {
                for (out, value) in old.outputs.iter().zip(values) {
                    if let (Some(out), Some(value)) = (*out, value) {
                        self.replace(out, value);
                    }
                }
                self.release(&old);
            }
            Change::Op(mut new) => {
                op_uses(&new, &mut |v| self.uses[v.index()] += 1);
                new.loc = new.loc.or_else(|| old.loc.clone());
                self.push(new);
                self.release(&old);
                for op in mem::take(&mut self.taken) {
                    self.release(&op);
                }
            }
            Change::Block(block) => {
                // Its uses are counted already, as part of the removed op.
                count_uses(&block, &mut |v| self.uses[v.index()] += 1);
                for op in block.ops {
                    self.push(op);
                }
                for (out, value) in old.outputs.iter().zip(&block.results) {
                    if let Some(out) = *out {
                        self.replace(out, *value);
                    }
                }
                block.results.iter().for_each(|v| self.uses[v.index()] -= 1);
                self.release(&old);
            }
        }
    }

    /// Lets all later uses of one value be uses of another.
    fn replace(&mut self, old: ValueId, new: ValueId) {
        let new = self.resolve(new);
        if old != new {
            self.uses[new.index()] += mem::take(&mut self.uses[old.index()]);
            self.alias.insert(old, new);
        }
    }

    fn resolve(&self, mut value: ValueId) -> ValueId {
        while let Some(next) = self.alias.get(&value) {
            value = *next;
        }
        value
    }

    fn push(&mut self, op: Op) {
        let depth = self.frames.len();
        if let Some(frame) = self.frames.last_mut() {
            for out in op.defined() {
                self.defs.insert(out, (depth, frame.len()));
            }
            frame.push(Some(op));
        }
    }

    /// Takes back the uses that an op made, and drops ops that lose their last one.
    fn release(&mut self, op: &Op) {
        let mut pending = vec![];
        op_uses(op, &mut |v| pending.push(v));
        while let Some(v) = pending.pop() {
            // A value of a dropped region is beyond the reach of other uses.
            let v = self.resolve(v);
            let uses = &mut self.uses[v.index()];
            *uses = uses.saturating_sub(1);
            if *uses > 0 {
                continue;
            }
            let Some(&(depth, at)) = self.defs.get(&v) else { continue };
            let Some(slot) = self.frames.get_mut(depth - 1).and_then(|f| f.get_mut(at)) else {
                continue;
            };
            let dead = slot.as_ref().is_some_and(|op| {
                op.defined().any(|out| out == v)
                    && op.defined().all(|out| self.uses[out.index()] == 0)
            });
            if dead && let Some(op) = slot.take() {
                // Weights replaced by others go at once: a chain of rewrites then holds them once, not once a link.
                op.defined().for_each(|out| drop(self.constants.remove(&out)));
                op_uses(&op, &mut |v| pending.push(v));
            }
        }
    }

    /// Results of the function keep their names: they are what callers know them by.
    fn keep_result_names(&mut self, body: &mut Block, results: &[ValueId]) {
        let mut names: HashMap<ValueId, ValueId> = HashMap::new();
        let defined: HashSet<ValueId> = body.ops.iter().flat_map(Op::defined).collect();
        for (slot, &wanted) in body.results.iter_mut().zip(results) {
            let actual = *slot;
            if actual == wanted {
                continue;
            }
            *slot = wanted;
            if defined.contains(&actual)
                && !results.contains(&actual)
                && !names.contains_key(&actual)
            {
                names.insert(actual, wanted);
            } else if names.get(&actual) != Some(&wanted)
                && !body.ops.iter().any(|op| op.defined().any(|v| v == wanted))
            {
                body.ops.push(Op::new(OpKind::Identity, vec![Some(actual)], vec![Some(wanted)]));
            }
        }
        if names.is_empty() {
            return;
        }
        for (&actual, &wanted) in &names {
            self.func.values[wanted.index()].ty = self.func.ty(actual).clone();
        }
        body.ops.iter_mut().for_each(|op| op.rename(&names));
    }

    // ------------------------------------------------------------------ what rules ask

    /// The op that produces a value, if it stands in the same block as the op at hand.
    pub(crate) fn producer(&self, value: ValueId) -> Option<&Op> {
        let &(depth, at) = self.defs.get(&value)?;
        if depth != self.frames.len() {
            return None;
        }
        let op = self.frames.last()?.get(at)?.as_ref()?;
        // Places of ended blocks at the same depth are still on record.
        op.defined().any(|v| v == value).then_some(op)
    }

    /// Whether the function gives this value to its caller.
    pub(crate) fn is_result(&self, value: ValueId) -> bool {
        self.results.contains(&value)
    }

    /// The op of this kind that produces a value, if the value has one use.
    pub(crate) fn only(&self, value: ValueId, kind: OpKind) -> Option<Op> {
        self.made_by(value, kind).filter(|_| self.single(value))
    }

    /// The op of this kind that produces a value.
    pub(crate) fn made_by(&self, value: ValueId, kind: OpKind) -> Option<Op> {
        self.producer(value).filter(|p| p.kind == kind && result(p) == Some(value)).cloned()
    }

    /// Whether a value has one use.
    pub(crate) fn single(&self, value: ValueId) -> bool {
        self.uses[value.index()] == 1
    }

    /// How many uses a value has.
    pub(crate) fn uses(&self, value: ValueId) -> u32 {
        self.uses[value.index()]
    }

    /// Whether an op from the producer of `value` on, before the op at hand, uses `value`.
    pub(crate) fn used_before(&self, value: ValueId) -> bool {
        let (Some(&(_, at)), Some(frame)) = (self.defs.get(&value), self.frames.last()) else {
            return true;
        };
        frame[at..].iter().flatten().any(|op| {
            let mut found = false;
            op_uses(op, &mut |v| found |= v == value);
            found
        })
    }

    /// The tensor that a value is, if it is constant.
    pub(crate) fn constant(&self, value: ValueId) -> Option<&Literal> {
        self.constants.get(&value)
    }

    /// The integers of a constant.
    pub(crate) fn ints(&self, value: ValueId) -> Option<Vec<i64>> {
        self.constant(value)?.to_i64s()
    }

    /// The numbers of a floating-point constant.
    pub(crate) fn floats(&self, value: ValueId) -> Option<Vec<f64>> {
        self.constant(value)?.to_f64s()
    }

    /// The number that all elements of a floating-point constant are.
    pub(crate) fn uniform(&self, value: ValueId) -> Option<f64> {
        let values = self.floats(value)?;
        let first = *values.first()?;
        values.iter().all(|v| v.to_bits() == first.to_bits()).then_some(first)
    }

    /// The number in a floating-point constant of one element.
    pub(crate) fn scalar(&self, value: ValueId) -> Option<f64> {
        match self.constant(value)?.len() {
            1 => self.floats(value)?.first().copied(),
            _ => None,
        }
    }

    /// Dimensions, if the rank is known.
    pub(crate) fn shape(&self, value: ValueId) -> Option<&[Dim]> {
        self.func.ty(value).shape()
    }

    /// The rank, if it is known.
    pub(crate) fn rank(&self, value: ValueId) -> Option<usize> {
        self.shape(value).map(<[Dim]>::len)
    }

    /// Dimension `axis` (negative from the end), if it is a number.
    pub(crate) fn dim(&self, value: ValueId, axis: i64) -> Option<usize> {
        let shape = self.shape(value)?;
        shape.get(trident_ir::geometry::axis(axis, shape.len()).ok()?)?.fixed()
    }

    /// Element type.
    pub(crate) fn dtype(&self, value: ValueId) -> Option<DType> {
        self.func.ty(value).dtype()
    }

    /// Whether all results and operands of an op that are tensors of numbers are f32.
    pub(crate) fn is_f32(&self, value: ValueId) -> bool {
        self.dtype(value) == Some(DType::F32)
    }

    /// Whether two values are known to have the same dimensions.
    pub(crate) fn same_shape(&self, a: ValueId, b: ValueId) -> bool {
        match (self.shape(a), self.shape(b)) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            _ => false,
        }
    }

    // ------------------------------------------------------------------ what rules make

    /// Removes the op that produces a value, for a rule whose op defines that value itself.
    pub(crate) fn take(&mut self, value: ValueId) -> Option<()> {
        self.producer(value)?;
        let (_, at) = *self.defs.get(&value)?;
        let op = self.frames.last_mut()?.get_mut(at)?.take()?;
        self.taken.push(op);
        Some(())
    }

    /// A value with a name of its own.
    pub(crate) fn value(&mut self, stem: &str, ty: Type) -> ValueId {
        let Rewriter { names, func, .. } = self;
        let names =
            names.get_or_insert_with(|| func.values.iter().map(|v| v.name.clone()).collect());
        let mut n = func.values.len();
        let mut name = format!("{stem}.{n}");
        while !names.insert(name.clone()) {
            n += 1;
            name = format!("{stem}.{n}");
        }
        self.uses.push(0);
        self.func.value(name, ty)
    }

    /// Adds a constant before the op at hand.
    pub(crate) fn literal(&mut self, stem: &str, value: Literal) -> ValueId {
        let out = self.value(stem, value.ty());
        let constant = ops::Constant::new().value(value.clone()).into_op();
        let op = Op { outputs: vec![Some(out)], loc: self.loc.clone(), ..constant };
        self.constants.insert(out, value);
        self.push(op);
        out
    }

    /// Adds an op of one result before the op at hand; `None` if it does not fit its operands.
    pub(crate) fn emit<V>(&mut self, new: New<V>) -> Option<ValueId> {
        self.emit_op(new.into_op())
    }

    /// As [`Self::emit`], for an op of any kind.
    pub(crate) fn emit_op(&mut self, new: Op) -> Option<ValueId> {
        let out = self.value(new.decl().name, Type::unranked(DType::F32));
        let op = Op { outputs: vec![Some(out)], loc: self.loc.clone(), ..new };
        let constants = &self.constants;
        shape::infer_op(self.func, &op, &|v| constants.get(&v).cloned()).ok()?;
        op_uses(&op, &mut |v| self.uses[v.index()] += 1);
        self.push(op);
        Some(out)
    }
}

/// `new` with the results and the place of `op`.
pub(crate) fn placed(op: &Op, new: Op) -> Op {
    Op { outputs: op.outputs.clone(), loc: op.loc.clone(), ..new }
}

/// The change that replaces `op` by `new`, which takes over its results.
pub(crate) fn instead<V>(op: &Op, new: New<V>) -> Change {
    Change::Op(placed(op, new.into_op()))
}

/// The first operand, whatever the kind.
pub(crate) fn operand(op: &Op) -> Option<ValueId> {
    op.inputs.first().copied().flatten()
}

/// The operands of an op that has two.
pub(crate) fn pair(op: &Op) -> Option<(ValueId, ValueId)> {
    match *op.inputs.as_slice() {
        [Some(a), Some(b)] => Some((a, b)),
        _ => None,
    }
}

/// The first result, whatever the kind.
pub(crate) fn result(op: &Op) -> Option<ValueId> {
    op.outputs.first().copied().flatten()
}

fn note(reports: &mut Vec<PassReport>, name: &'static str, op: &Op) {
    let at = reports.iter().position(|r| r.pass == name).unwrap_or_else(|| {
        reports.push(PassReport { pass: name, count: 0, details: vec![] });
        reports.len() - 1
    });
    reports[at].count += 1;
    reports[at].details.push(op.describe());
}
