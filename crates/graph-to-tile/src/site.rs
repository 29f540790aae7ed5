//! The op of a lowering, as far as it is known, and the steps that the lowering makes.

use trident_ir::{DType, Func, Literal, Op, ValueId};

use super::winograd::Form;
use super::writer::Writer;
use super::{Arg, Lowering, Packed, Refusal, Result, Target, TileLaunch};

/// The type of an operand or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Element type.
    pub dtype: DType,
    /// Dimensions, if they are known.
    pub dims: Option<Vec<usize>>,
}

impl Array {
    /// The arrays that operands or results of an op are; an error if one is not a tensor.
    pub fn of(func: &Func, values: &[Option<ValueId>]) -> Result<Vec<Option<Array>>> {
        let array = |id: &ValueId| {
            let ty = func.ty(*id);
            let dtype = ty.dtype().ok_or_else(|| unsupported(format!("{ty} is not a tensor")))?;
            Ok(Array { dtype, dims: ty.dims() })
        };
        values.iter().map(|id| id.as_ref().map(array).transpose()).collect()
    }
}

/// A request for a lowering.
pub struct LoweringRequest<'a> {
    /// The op, at level graph.
    pub op: &'a Op,
    /// Its operands; `None` for those that are absent.
    pub operands: &'a [Option<Array>],
    /// Its results; `None` for unused ones.
    pub results: &'a [Option<Array>],
    /// The elements of an operand, if they are known.
    pub contents: &'a dyn Fn(usize) -> Option<Literal>,
    /// Whether an operand has the same elements at every launch, so that they may be packed once.
    pub constant: &'a dyn Fn(usize) -> bool,
    /// The device that runs the steps.
    pub target: &'a Target,
}

/// The place of the first operand, or the first result: of those that families of ops have under different names.
pub(super) const FIRST: usize = 0;

pub(super) struct Site<'a> {
    request: &'a LoweringRequest<'a>,
    pub(super) op: &'a Op,
    lowering: Lowering,
}

impl<'a> Site<'a> {
    pub(super) fn new(request: &'a LoweringRequest<'a>) -> Site<'a> {
        let lowering = Lowering { same: vec![None; request.results.len()], ..Lowering::default() };
        Site { request, op: request.op, lowering }
    }

    /// The typed view of the op, by its `of`: `site.view(ops::Gather::of)?`.
    pub(super) fn view<V>(&self, of: fn(&'a Op) -> Option<V>) -> Result<V> {
        of(self.op).ok_or_else(|| unsupported("its inputs or attributes do not fit it"))
    }

    pub(super) fn finish(self) -> Lowering {
        self.lowering
    }

    pub(super) fn target(&self) -> &'a Target {
        self.request.target
    }

    /// Number of operands, absent ones included.
    pub(super) fn operands(&self) -> usize {
        self.request.operands.len()
    }

    /// Number of results, unused ones included.
    pub(super) fn results(&self) -> usize {
        self.request.results.len()
    }

    pub(super) fn has(&self, i: usize) -> bool {
        self.operand(i).is_some()
    }

    /// Whether result `i` is in use.
    pub(super) fn wants(&self, i: usize) -> bool {
        self.request.results.get(i).is_some_and(Option::is_some)
    }

    /// The name of operand `i` in errors: the op's own name for it, in backquotes.
    pub(super) fn operand_name(&self, i: usize) -> String {
        let declared = self.op.kind.decl().operand(i);
        declared.map_or_else(|| i.to_string(), |operand| format!("`{}`", operand.name))
    }

    fn operand(&self, i: usize) -> Option<&'a Array> {
        self.request.operands.get(i)?.as_ref()
    }

    /// The element type of operand `i`.
    pub(super) fn dtype(&self, i: usize) -> Result<DType> {
        let operand = self
            .operand(i)
            .ok_or_else(|| unsupported(format!("input {} is missing", self.operand_name(i))))?;
        Ok(operand.dtype)
    }

    /// The dimensions of operand `i`.
    pub(super) fn dims(&self, i: usize) -> Result<&'a [usize]> {
        let operand = self
            .operand(i)
            .ok_or_else(|| unsupported(format!("input {} is missing", self.operand_name(i))))?;
        operand.dims.as_deref().ok_or(Refusal::Unknown)
    }

    /// The element type of result `i`.
    pub(super) fn result_dtype(&self, i: usize) -> Result<DType> {
        Ok(self.result(i)?.dtype)
    }

    /// The dimensions of result `i`.
    pub(super) fn result_dims(&self, i: usize) -> Result<&'a [usize]> {
        self.result(i)?.dims.as_deref().ok_or(Refusal::Unknown)
    }

    fn result(&self, i: usize) -> Result<&'a Array> {
        let result = self.request.results.get(i).and_then(Option::as_ref);
        result.ok_or_else(|| unsupported(format!("output {i} is missing")))
    }

    /// The elements of operand `i`, which are few; `None` if it is absent.
    pub(super) fn contents(&self, i: usize) -> Result<Option<Literal>> {
        match self.operand(i) {
            None => Ok(None),
            Some(_) => (self.request.contents)(i).map(Some).ok_or(Refusal::Unknown),
        }
    }

    /// The elements of operand `i` as integers; `None` if it is absent.
    pub(super) fn ints(&self, i: usize) -> Result<Option<Vec<i64>>> {
        let Some(literal) = self.contents(i)? else { return Ok(None) };
        let ints = literal.to_i64s();
        ints.map(Some).ok_or_else(|| {
            unsupported(format!("input {} does not hold integers", self.operand_name(i)))
        })
    }

    /// The elements of operand `i` as floats; `None` if it is absent or has none.
    pub(super) fn floats(&self, i: usize) -> Result<Option<Vec<f64>>> {
        let Some(literal) = self.contents(i)? else { return Ok(None) };
        let other = literal.dtype();
        let floats = literal.to_f64s();
        let floats = floats.ok_or_else(|| {
            unsupported(format!("input {} holds {other}, expected floats", self.operand_name(i)))
        })?;
        Ok(Some(floats).filter(|floats| !floats.is_empty()))
    }

    /// Result `i` has the bytes of operand `operand`.
    pub(super) fn alias(&mut self, i: usize, operand: usize) {
        self.lowering.same[i] = Some(operand);
    }

    /// Memory for an intermediate array.
    pub(super) fn scratch(&mut self, dtype: DType, len: usize) -> Arg {
        self.lowering.scratch.push((dtype, len));
        Arg::Scratch(self.lowering.scratch.len() - 1)
    }

    /// Whether operand `i` may be packed.
    pub(super) fn is_constant(&self, i: usize) -> bool {
        self.has(i) && (self.request.constant)(i)
    }

    /// Operand `i`, a constant, in another form.
    pub(super) fn pack(&mut self, operand: usize, form: Form) -> Arg {
        self.lowering.packed.push(Packed { operand, form });
        Arg::Packed(self.lowering.packed.len() - 1)
    }

    /// Names the algorithm, where an op has several.
    pub(super) fn algorithm(&mut self, name: &'static str) {
        self.lowering.algorithm = Some(name);
    }

    /// Sets the message of the error if a step writes to [`Arg::Fault`].
    pub(super) fn fault(&mut self, message: &'static str) {
        self.lowering.fault = Some(message);
    }

    /// A function of this op over arrays whose indices are below `len`.
    pub(super) fn writer(&self, len: usize) -> Writer {
        Writer::new(self.op.decl().name, len)
    }

    /// Appends a launch of a finished function; a grid without programs is none.
    pub(super) fn step(&mut self, writer: Writer, grid: [usize; 3]) -> Result<()> {
        if grid.contains(&0) {
            return Ok(());
        }
        let mut programs = [0; 3];
        for (to, n) in programs.iter_mut().zip(grid) {
            *to = u32::try_from(n).map_err(|_| {
                unsupported(format!("{n} programs are more than a launch can have"))
            })?;
        }
        let (func, args) = writer.finish();
        self.lowering.steps.push(TileLaunch { func, args, grid: programs });
        Ok(())
    }
}

pub(super) fn unsupported(reason: impl Into<String>) -> Refusal {
    Refusal::Unsupported(reason.into())
}
