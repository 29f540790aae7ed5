//! Machine code for a tile function.
//!
//! One pass over the ops generates Cranelift IR. Scalars are in registers; a block is an expression, a [`node`], until
//! a *root* (a store, a reduction, a product, a value carried by a loop …) needs its elements: then a loop over the
//! root's [`index`] space evaluates the expression element by element, or it is materialised in scratch. Code size
//! grows with the number of ops, never with the size of blocks.

mod access;
mod arithmetic;
mod atomic;
mod bits;
mod bounds;
mod call;
mod condition;
mod contract;
mod control;
mod convert;
mod descriptor;
mod eval;
mod fuel;
mod guard;
mod lanes;
mod node;
mod op;
mod print;
mod proof;
mod reduce;
mod row;
mod state;
mod sweep;
mod wide;

use std::fmt::Display;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use trident_ir::op::words::FloatRounding;
use trident_ir::tile::Origin;
use trident_ir::{Func, Loc, Module, Op, Type, ValueId, ops};
use trident_runtime::{Checks, Declined};
use trident_tile_analysis::{Elem, Graph, Node, NodeId, block_type};

use self::node::{Desc, Kind, Register, Val};
use self::state::{Calls, Checking, Output, Program, Scratch, Sweeps, WideLoops};
use super::abi::Context;

type Result<T> = std::result::Result<T, Declined>;

/// An error about a module that the verifier would have rejected.
fn malformed(op: &Op, reason: impl Display) -> Declined {
    let report = "please report it with the kernel";
    Declined::op(op, format!("internal error: {reason}; {report}"))
}

/// The error of a valid op that has no native code.
fn refused(op: &Op, reason: impl Into<String>) -> Declined {
    Declined::op(op, reason)
}

/// The typed view of an op, by its `of`.
fn view<'a, V>(op: &'a Op, of: fn(&'a Op) -> Option<V>) -> Result<V> {
    of(op).ok_or_else(|| malformed(op, "has other operands or attributes than its kind"))
}

/// Whether a conversion rounds towards zero.
fn is_toward_zero(op: &Op) -> bool {
    ops::Cast::of(op).is_some_and(|cast| cast.rounding() == FloatRounding::TowardZero)
}

/// A condition on which a launch stops if it does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Condition {
    /// An access is valid.
    #[default]
    Access,
    /// An assertion holds; its message.
    Assert(String),
    /// An assumption holds.
    Assume,
    /// A loop's step is positive.
    Step,
    /// An index is inside of an axis of this length.
    Index(usize),
    /// The value that a program waits for is there.
    Wait,
}

/// A source location that errors of a launch can name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Site {
    /// The condition that is tested there.
    pub(super) condition: Condition,
    /// `file:line:column`.
    pub(super) loc: Option<Loc>,
    /// Where the pointers of a checked access come from.
    pub(super) origin: Origin,
}

/// The outputs of code generation besides the code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Emitted {
    /// Bytes of scratch that each thread needs.
    pub(super) scratch: usize,
    /// Units of fuel that a program spends outside of loops.
    pub(super) work: i64,
    /// Source locations that faults refer to.
    pub(super) sites: Vec<Site>,
    /// The offset of the entry in the code, after the loops.
    pub(super) entry: usize,
    /// The listing of the loops, if requested.
    pub(super) loops: String,
    /// How blocks are computed and which routines are called, if requested: one line each, in code order.
    pub(super) decisions: Vec<String>,
}

/// Calls nested deeper than this are assumed to be recursive.
const MAX_CALLS: usize = 64;

struct Emitter<'m, 'f> {
    b: FunctionBuilder<'f>,
    conv: CallConv,
    program: Program,
    calls: Calls<'m>,
    /// The expressions of blocks.
    nodes: Graph<'m, Value>,
    /// Loads not evaluated yet.
    pending: Vec<NodeId>,
    sweeps: Sweeps,
    scratch: Scratch,
    wide: WideLoops,
    checking: Checking<'m>,
    output: Output,
}

/// Generates the entry function of `module` into `function`, and returns the code of loops in the widest vectors, if
/// `wide` allows them; that code is placed before the function's.
pub(super) fn emit(
    module: &Module,
    wide: bool,
    checks: Checks,
    listing: bool,
    config: TargetFrontendConfig,
    function: &mut ir::Function,
) -> Result<(Emitted, Vec<u8>)> {
    let Some(entry) = module.entry() else {
        return Err(Declined::module("the module has no function"));
    };
    let mut builders = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(function, &mut builders);
    let start = b.create_block();
    b.append_block_params_for_function_params(start);
    b.switch_to_block(start);
    let (context, args, first, count, scratch) = match *b.block_params(start) {
        [context, args, first, count, scratch] => (context, args, first, count, scratch),
        _ => return Err(Declined::kernel(entry.name.as_str(), "wrong signature")),
    };
    let flags = MemFlagsData::trusted().with_readonly();
    let table =
        b.ins().load(types::I64, flags, context, std::mem::offset_of!(Context<'_>, table) as i32);
    let grid = [0, 1, 2].map(|axis| {
        let at = std::mem::offset_of!(Context<'_>, grid) + 4 * axis;
        b.ins().load(types::I32, flags, context, at as i32)
    });
    let streams = !module.funcs.iter().any(|f| uses_atomics(&f.body));
    let mut e = Emitter {
        b,
        conv: config.default_call_conv,
        program: Program { context, table, scratch, number: first, ids: grid, grid },
        calls: Calls::of(module),
        nodes: Graph::default(),
        pending: vec![],
        sweeps: Sweeps::new(first),
        scratch: Scratch::new(),
        wide: WideLoops::new(wide && checks != Checks::All, streams),
        checking: Checking::new(checks, module),
        output: Output::new(listing),
    };
    let params = e.params(entry, args)?;
    e.ranges(entry);
    e.programs(first, count, |e| e.function(entry, params).map(drop))?;
    e.b.seal_all_blocks();
    let loops = e.wide.into_code();
    let emitted = Emitted {
        scratch: e.scratch.most,
        work: fuel::program(module, entry),
        entry: loops.len(),
        ..e.output.emitted
    };
    e.b.finalize(config);
    Ok((emitted, loops))
}

impl<'m> Emitter<'m, '_> {
    /// Generates the loop that runs `body` for each program.
    fn programs(
        &mut self,
        first: Value,
        count: Value,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let end = self.b.ins().iadd(first, count);
        let [x, y, _] = self.program.grid.map(|n| self.b.ins().uextend(types::I64, n));
        let (head, inner, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        // The launch does not start grids with a zero dimension, so there is no division by zero.
        let row = self.b.ins().udiv(first, x);
        let id_x = self.b.ins().urem(first, x);
        let id_z = self.b.ins().udiv(row, y);
        let id_y = self.b.ins().urem(row, y);
        let ids = [id_x, id_y, id_z].map(|id| self.b.ins().ireduce(types::I32, id));
        let program = self.b.append_block_param(head, types::I64);
        let [id_x, id_y, id_z] = ids.map(|_| self.b.append_block_param(head, types::I32));
        self.b.ins().jump(head, &sweep::args(&[first, ids[0], ids[1], ids[2]]));
        self.b.switch_to_block(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, program, end);
        self.b.ins().brif(more, inner, &[], done, &[]);
        self.b.switch_to_block(inner);
        self.program.number = program;
        self.program.ids = [id_x, id_y, id_z];
        body(self)?;
        let next = self.b.ins().iadd_imm_s(program, 1);
        let (id_x, carry) = self.count_up(id_x, self.program.grid[0]);
        let (wrapped, carried) = self.count_up(id_y, self.program.grid[1]);
        let id_y = self.b.ins().select(carry, wrapped, self.program.ids[1]);
        let carry = self.b.ins().band(carry, carried);
        let carry = self.b.ins().uextend(types::I32, carry);
        let id_z = self.b.ins().iadd(id_z, carry);
        self.b.ins().jump(head, &sweep::args(&[next, id_x, id_y, id_z]));
        self.b.switch_to_block(done);
        self.fence_streams();
        let status = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[status]);
        Ok(())
    }

    /// Completes non-temporal stores before the launch ends.
    fn fence_streams(&mut self) {
        if self.wide.streamed == 0 {
            return;
        }
        let [fence, go_on] = [self.b.create_block(), self.b.create_block()];
        let much = self.launch_exceeds(self.wide.streamed);
        self.b.ins().brif(much, fence, &[], go_on, &[]);
        self.b.switch_to_block(fence);
        self.b.ins().fence();
        self.b.ins().jump(go_on, &[]);
        self.b.switch_to_block(go_on);
    }

    /// The next number, wrapping to 0 at `n`, and whether it wrapped.
    fn count_up(&mut self, id: Value, n: Value) -> (Value, Value) {
        let next = self.b.ins().iadd_imm_s(id, 1);
        let carry = self.b.ins().icmp(IntCC::Equal, next, n);
        let zero = self.b.ins().iconst(types::I32, 0);
        (self.b.ins().select(carry, zero, next), carry)
    }

    /// The values of the entry's parameters, read from `args`.
    fn params(&mut self, entry: &'m Func, args: Value) -> Result<Vec<Val>> {
        let flags = MemFlagsData::trusted().with_readonly();
        let mut params = vec![];
        for (i, &id) in entry.body.params.iter().enumerate() {
            let at = 8 * i as i32;
            let ty = entry.ty(id);
            params.push(match ty {
                Type::Descriptor(d) => {
                    let rank = d.block.len() as i32;
                    let address = self.b.ins().load(types::I64, flags, args, at);
                    let mut word = |i: i32| self.b.ins().load(types::I64, flags, address, 8 * i);
                    Val::Descriptor(Desc {
                        elem: d.dtype,
                        block: d.block.clone(),
                        base: word(0),
                        lengths: (1..=rank).map(&mut word).collect(),
                        strides: (rank + 1..=2 * rank).map(&mut word).collect(),
                        padding: word(2 * rank + 1),
                    })
                }
                _ => {
                    let reason = || {
                        let reason =
                            format!("parameter {i} is {ty}, neither scalar nor descriptor");
                        Declined::kernel(entry.name.as_str(), reason)
                    };
                    let (elem, dims) = block_type(ty).ok_or_else(reason)?;
                    if !dims.is_empty() {
                        return Err(reason());
                    }
                    let value = self.b.ins().load(elem.clif(), flags, args, at);
                    Val::Scalar(self.truth_of_byte(value, elem), elem)
                }
            });
        }
        Ok(params)
    }

    /// Generates a function's ops.
    fn function(&mut self, func: &'m Func, params: Vec<Val>) -> Result<Vec<Val>> {
        if self.calls.depth() >= MAX_CALLS {
            let reason = format!("calls are nested more than {MAX_CALLS} deep");
            return Err(Declined::kernel(func.name.as_str(), reason));
        }
        let wide = self.wide.allowed;
        self.calls.enter(func, &|op| wide && call::traced(func, op));
        let results = self.block(&func.body, params);
        self.calls.leave();
        results
    }

    fn value(&self, op: &Op, id: ValueId) -> Result<Val> {
        self.calls.value(id).ok_or_else(|| malformed(op, "uses a value that is not defined"))
    }

    /// Operand `i`.
    fn operand(&self, op: &Op, i: usize) -> Result<Val> {
        let id = op.input(i).ok_or_else(|| malformed(op, format!("needs operand {i}")))?;
        self.value(op, id)
    }

    /// Operand `i` as a scalar.
    fn scalar(&self, op: &Op, i: usize) -> Result<(Value, Elem)> {
        match self.operand(op, i)? {
            Val::Scalar(value, elem) => Ok((value, elem)),
            _ => Err(malformed(op, format!("operand {i} is not a scalar"))),
        }
    }

    /// Operand `i` as a block; a scalar becomes a block of rank 0.
    fn tile(&mut self, op: &Op, i: usize) -> Result<(NodeId, Vec<usize>)> {
        match self.operand(op, i)? {
            Val::Block(node, dims) => Ok((node, dims)),
            Val::Scalar(value, elem) => Ok((self.uniform(value, elem, 0), vec![])),
            Val::Descriptor(_) => Err(malformed(op, format!("operand {i} is a descriptor"))),
        }
    }

    /// Operand `i` as a block, if present.
    fn optional(&mut self, op: &Op, i: usize) -> Result<Option<NodeId>> {
        match op.input(i) {
            Some(_) => self.tile(op, i).map(|t| Some(t.0)),
            None => Ok(None),
        }
    }

    /// Element type and dimensions of result `i`.
    fn result(&self, op: &Op, i: usize) -> Result<(Elem, Vec<usize>)> {
        let ty = op.output(i).map(|id| self.calls.func().ty(id));
        ty.and_then(block_type).ok_or_else(|| malformed(op, format!("result {i} is not a block")))
    }

    fn node(&mut self, kind: Kind<'m>, elem: Elem, bits: u8, cost: u32, depth: u32) -> NodeId {
        self.nodes.push(Node { kind, elem, bits, cost, depth })
    }

    fn uniform(&mut self, value: Value, elem: Elem, bits: u8) -> NodeId {
        self.nodes.uniform(value, elem, bits)
    }

    /// Reserves scratch and returns its address.
    fn reserve(&mut self, bytes: usize) -> Value {
        let at = self.scratch.reserve(bytes);
        self.b.ins().iadd_imm_s(self.program.scratch, at as i64)
    }

    /// A program's memory is never known to be aligned, and its traps cannot be handled.
    fn flags(&self) -> MemFlagsData {
        MemFlagsData::new().with_notrap()
    }

    fn int(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }
}

fn uses_atomics(block: &trident_ir::Block) -> bool {
    use trident_ir::OpKind as K;
    let atomic = |kind| {
        matches!(kind, K::AtomicRmw | K::AtomicCas | K::AtomicLoad | K::AtomicStore | K::AtomicPoll)
    };
    block.ops.iter().any(|op| atomic(op.kind) || op.regions.iter().any(uses_atomics))
}
