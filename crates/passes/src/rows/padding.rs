//! Padded axes: the axes of outputs along which the entries of an axis of inputs lie, so that results of a padded run can be
//! cut back.
//!
//! Requests of different lengths are padded at their end, along an axis of some inputs. The dimension of these axes becomes
//! one symbol, and types are inferred again. By what ops state about axes ([`trident_ir::axes`]), each value knows the axes
//! along which entry i belongs to entry i of the padded axes. Other axes whose length depends on the padded one are *lost*:
//! a cut at the end would be a guess. Equal lengths prove nothing.
//!
//! An axis that is kept says where an entry lies, not what it depends on: attention looks at all entries. Whether padding
//! changes results is for a run to show.

use super::state::{Along, depends};
use super::transfer::{dims, present, reshaped};
use super::{ROWS, own_name};
use std::rc::Rc;
use std::sync::Arc;
use trident_ir::axes::{Axes, Label, OperandAxes, ResultAxes};
use trident_ir::shape::{Expr, Facts};
use trident_ir::{Dim, Func, Op, OpKind, OpName, Type, ValueId};

/// The symbol of the padded dimension: the one that places of rows are counted in.
const LENGTH: &str = ROWS;

/// The name of the number of rows, which no model has.
const BATCH: &str = "size of the batch";

/// An axis of an input that is padded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedAxis {
    /// The position of the input among the function's parameters.
    pub input: usize,
    /// The axis.
    pub axis: usize,
}

/// The reason why results of padded runs cannot be cut back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LostAxis {
    /// Another input has the same dimension.
    #[error(
        "input `{input}` has the padded dimension as its axis {axis}, so it must be padded, too"
    )]
    Input {
        /// Its name.
        input: String,
        /// Its axis.
        axis: usize,
    },
    /// An axis of an output depends on the padded length in an unknown way.
    #[error(
        "axis {axis} of output `{output}` depends on the padded length, but not entry by entry{}", after(op.as_ref())
    )]
    Output {
        /// Its name.
        output: String,
        /// Its axis.
        axis: usize,
        /// The op in which the place of entries is lost.
        op: Option<OpName>,
    },
    /// Not even the number of dimensions of an output is known.
    #[error("the number of dimensions of output `{output}` is unknown")]
    Rank {
        /// Its name.
        output: String,
    },
    /// The shapes contradict each other.
    #[error("the model does not take inputs of one padded length: {0}")]
    Shape(String),
}

fn after(op: Option<&OpName>) -> String {
    op.map_or_else(String::new, |op| format!(": {op} does not keep the place of its entries"))
}

/// The places of the entries of padded axes in a value.
#[derive(Clone, Debug, Default)]
struct Places {
    along: Vec<Along>,
    /// Axes whose entries come from others of the padded axes, each with the op that does so.
    lost: Vec<(usize, Rc<OpName>)>,
    /// Whether elements depend on elements of padded inputs.
    is_from_padded: bool,
}

/// The origin of an axis of a result.
enum Origin {
    Along(Along),
    Lost(Rc<OpName>),
    /// No operand has it from padded inputs.
    New,
}

/// For each result of a graph function, ascending, the axes along which it is cut back after inputs were padded at the end
/// of these axes.
pub fn padded_axes(func: &Func, padded: &[PaddedAxis]) -> Result<Vec<Vec<usize>>, LostAxis> {
    let mut func = with_length(func, padded)?;
    let facts = Facts::of(&mut func).map_err(|e| LostAxis::Shape(e.to_string()))?;
    let places = vec![Places::default(); func.values.len()];
    let mut flow = PaddingFlow { func: &func, facts: &facts, places };
    for PaddedAxis { input, axis } in padded {
        let Some(param) = func.body.params.get(*input) else { continue };
        let one = || Expr::from(1);
        let along = vec![Along { axis: *axis, outer: one(), inner: one() }];
        flow.places[param.index()] = Places { along, lost: vec![], is_from_padded: true };
    }
    for op in &func.body.ops {
        flow.follow(op);
    }
    func.body.results.iter().map(|result| flow.cuts(*result)).collect()
}

/// The function with the symbol as the padded dimensions, and another one as the first dimension of every parameter.
fn with_length(func: &Func, padded: &[PaddedAxis]) -> Result<Func, LostAxis> {
    let mut func = func.clone();
    let is_padded = |at: usize, axis: usize| padded.contains(&PaddedAxis { input: at, axis });
    let params = func.body.params.clone();
    let shape = |func: &Func, param: ValueId| func.ty(param).shape().map(<[Dim]>::to_vec);
    let names: Vec<Arc<str>> = padded
        .iter()
        .filter_map(|PaddedAxis { input, axis }| {
            match shape(&func, *params.get(*input)?)?.get(*axis)? {
                Dim::Sym(name) => Some(Arc::clone(name)),
                _ => None,
            }
        })
        .collect();
    for (at, param) in params.into_iter().enumerate() {
        for (axis, dim) in shape(&func, param).into_iter().flatten().enumerate() {
            let is_same = matches!(&dim, Dim::Sym(name) if names.contains(name));
            if is_same && !is_padded(at, axis) {
                let input = func.info(param).name.clone();
                return Err(LostAxis::Input { input, axis });
            }
        }
        let Type::Tensor(ty) = &mut func.values[param.index()].ty else { continue };
        for (axis, dim) in ty.shape.iter_mut().flatten().enumerate() {
            match dim {
                _ if is_padded(at, axis) => *dim = Dim::sym(LENGTH),
                Dim::Fixed(_) => {}
                _ if axis == 0 => *dim = Dim::sym(BATCH),
                Dim::Unknown => *dim = own_name(param, axis),
                Dim::Sym(_) => {}
            }
        }
    }
    Ok(func)
}

/// A walk over a function.
struct PaddingFlow<'a> {
    func: &'a Func,
    facts: &'a Facts,
    /// By value.
    places: Vec<Places>,
}

impl PaddingFlow<'_> {
    fn follow(&mut self, op: &Op) {
        let axes = match op.regions.is_empty() {
            true => self.facts.axes(self.func, op),
            false => None,
        };
        let results: Vec<Places> =
            (0..op.outputs.len()).map(|i| self.result(op, axes.as_ref(), i)).collect();
        for (out, places) in op.outputs.iter().zip(results) {
            if let Some(out) = out {
                self.places[out.index()] = places;
            }
        }
    }

    /// The places in a result of an op.
    fn result(&self, op: &Op, axes: Option<&Axes>, i: usize) -> Places {
        // The values that regions use are not among the operands.
        let reads = |(i, value): (usize, ValueId)| {
            let only_shape = axes.and_then(|axes| axes.operands.get(i)) == Some(&OperandAxes::Dims);
            !only_shape && self.places[value.index()].is_from_padded
        };
        let is_opaque = !op.regions.is_empty() && op.kind != OpKind::Fused;
        let is_from_padded = is_opaque || present(op).any(reads);
        let mut places = Places { is_from_padded, ..Places::default() };
        let Some(shape) = op.output(i).and_then(|out| dims(self.func.ty(out))) else {
            return places;
        };
        for (axis, dim) in shape.iter().enumerate().filter(|(_, dim)| depends(dim) != Some(false)) {
            match self.origin(op, axes, i, axis) {
                Origin::Along(along) if fits(&along, dim) => places.along.push(along),
                Origin::Lost(cause) => places.lost.push((axis, cause)),
                Origin::Along(_) | Origin::New if is_from_padded => {
                    places.lost.push((axis, Rc::new(op.name())));
                }
                Origin::Along(_) | Origin::New => {}
            }
        }
        places
    }

    /// The origin of an axis of a result.
    fn origin(&self, op: &Op, axes: Option<&Axes>, i: usize, axis: usize) -> Origin {
        if op.kind == OpKind::Fused {
            return self.fused(op, i, axis);
        }
        let Some(axes) = axes else { return Origin::New };
        match axes.results.get(i) {
            Some(ResultAxes::Labels(labels) | ResultAxes::Repeated(labels)) => {
                let Some(label) = labels.get(axis).copied().flatten() else { return Origin::New };
                self.carried(op, axis, |i, at| is_labelled(axes, i, at, label))
            }
            Some(ResultAxes::Reshaped) => self.reshaped(op, i, axis),
            None => Origin::New,
        }
    }

    /// The axes of operands that `is_source` says belong to an axis of the result, by operand and axis. All that come from padded
    /// inputs must agree.
    fn carried(&self, op: &Op, axis: usize, is_source: impl Fn(usize, usize) -> bool) -> Origin {
        let mut found: Option<Along> = None;
        for (i, value) in present(op) {
            let Places { along, lost, .. } = &self.places[value.index()];
            if let Some((_, cause)) = lost.iter().find(|(at, _)| is_source(i, *at)) {
                return Origin::Lost(Rc::clone(cause));
            }
            for own in along.iter().filter(|own| is_source(i, own.axis)) {
                let own = Along { axis, ..own.clone() };
                if found.as_ref().is_some_and(|other| *other != own) {
                    return Origin::Lost(Rc::new(op.name()));
                }
                found = Some(own);
            }
        }
        found.map_or(Origin::New, Origin::Along)
    }

    /// The same for a chain of elementwise ops, whose operands are aligned at their last axes.
    fn fused(&self, op: &Op, i: usize, axis: usize) -> Origin {
        let rank = |value: Option<ValueId>| {
            value.and_then(|value| dims(self.func.ty(value))).map_or(0, <[Dim]>::len)
        };
        let result = rank(op.output(i));
        self.carried(op, axis, |i, at| at + result == axis + rank(op.input(i)))
    }

    /// The axis of operand 0 whose elements lie along this axis of the result.
    fn reshaped(&self, op: &Op, i: usize, axis: usize) -> Origin {
        let ends = op.inputs.first().copied().flatten().zip(op.output(i));
        let ends = ends.and_then(|(from, to)| {
            Some((&self.places[from.index()], dims(self.func.ty(from))?, dims(self.func.ty(to))?))
        });
        let Some((places, from, to)) = ends else { return Origin::New };
        let mut moved = places.along.iter().filter_map(|along| reshaped(from, along, to));
        if let Some(along) = moved.find(|along| along.axis == axis) {
            return Origin::Along(along);
        }
        let lost = places.lost.first();
        lost.map_or(Origin::New, |(_, cause)| Origin::Lost(Rc::clone(cause)))
    }

    /// The axes along which a result of the function is cut.
    fn cuts(&self, result: ValueId) -> Result<Vec<usize>, LostAxis> {
        let info = self.func.info(result);
        let output = || info.name.clone();
        let Some(shape) = dims(&info.ty).filter(|_| matches!(info.ty, Type::Tensor(_))) else {
            return Err(LostAxis::Rank { output: output() });
        };
        let Places { along, lost, .. } = &self.places[result.index()];
        let mut cuts = vec![];
        for axis in (0..shape.len()).filter(|&axis| depends(&shape[axis]) != Some(false)) {
            let own = along.iter().find(|own| own.axis == axis);
            match own {
                Some(own) if own.outer == Expr::from(1) && own.inner == Expr::from(1) => {
                    cuts.push(axis)
                }
                _ => {
                    let cause = lost.iter().find(|(at, _)| *at == axis);
                    let defines = |op: &&Op| op.defined().any(|value| value == result);
                    let last = || self.func.body.ops.iter().find(defines).map(Op::name);
                    let op = cause.map(|(_, op)| OpName::clone(op)).or_else(last);
                    return Err(LostAxis::Output { output: output(), axis, op });
                }
            }
        }
        Ok(cuts)
    }
}

/// Whether a dimension can be the length of an axis with these entries.
fn fits(along: &Along, dim: &Dim) -> bool {
    Expr::of(dim).zip(along.len()).is_none_or(|(dim, own)| dim == own)
}

/// Whether an axis of an operand has a label.
fn is_labelled(axes: &Axes, operand: usize, axis: usize, label: Label) -> bool {
    axes.operands.get(operand).is_some_and(|own| own.axis(axis).label() == Some(label))
}
