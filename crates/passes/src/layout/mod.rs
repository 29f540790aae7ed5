//! Layouts: tensors that some ops of a device read or write faster in blocks than row-major.
//!
//! A device lists the ops that it has kernels for in a layout, with the time that each saves, and the cost of a conversion. [`choose`]
//! finds the ops that run in the layout, [`apply`] rewrites them between `pack` and `unpack`, and [`cancel`] drops conversions that undo each
//! other. Constants are converted by constant folding. Parameters and results of a function stay row-major. The reasons stand in
//! `docs/design/layouts.md`.

mod apply;
mod cancel;
mod choose;
mod conv;

pub use conv::blocked_qlinear_conv;

use crate::pipeline::Rules;
use crate::rewrite::run;
use std::collections::HashMap;
use std::fmt;
use trident_ir::rewrite::{Context, PassReport};
use trident_ir::{Dim, Func, Op, OpKind, ValueId, geometry, ops};

/// The name of the rule that brings ops into a layout.
pub(crate) const ASSIGN: &str = "assign-layouts";

/// Rules for conversions that undo each other.
pub(crate) const CANCEL: Rules =
    Rules(&[("cancel-layouts", &cancel::pack), ("cancel-layouts", &cancel::unpack)]);

/// The names of the rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    [ASSIGN].into_iter().chain(CANCEL.names())
}

/// A layout, and the ops that a device computes in it.
#[derive(Debug)]
pub struct Layouts {
    /// The axis that is divided into blocks (see `pack`).
    pub axis: usize,
    /// The elements of a block.
    pub block: usize,
    /// The nanoseconds that it takes to convert a tensor of so many bytes, in either direction.
    pub convert: fn(bytes: f64) -> f64,
    /// The ops that have a form for the layout. Elementwise ops have the same form in every layout, and need not be listed.
    pub ops: &'static [LayoutOp],
}

/// An op that has a form for a layout.
pub struct LayoutOp {
    /// The row-major op, whose first result may be in the layout.
    pub kind: OpKind,
    /// The place of the operand that may be in the layout.
    pub operand: usize,
    /// The time that an op of this kind saves in the layout.
    pub saves: fn(&Site<'_>) -> Saving,
    /// Makes the op in the layout, on the operands of the row-major op.
    pub make: fn(&Op, &Layouts, Sides) -> Option<Op>,
}

impl fmt::Debug for LayoutOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayoutOp").field("kind", &self.kind).finish()
    }
}

/// The nanoseconds that an op saves by each side in the layout, less than 0 if it takes longer. `None` if the op cannot have that side in
/// the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Saving {
    /// By reading the layout.
    pub read: Option<f64>,
    /// By writing the layout.
    pub write: Option<f64>,
}

/// The sides of an op that are in the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// The operand that may be in the layout; of an elementwise op, all operands.
    pub read: bool,
    /// The result.
    pub write: bool,
}

/// A row-major op in its function.
pub struct Site<'a> {
    /// The function.
    pub func: &'a Func,
    /// The op.
    pub op: &'a Op,
    is_constant: &'a dyn Fn(ValueId) -> bool,
}

impl Site<'_> {
    /// Whether a value is constant.
    pub fn is_constant(&self, value: ValueId) -> bool {
        (self.is_constant)(value)
    }
}

impl fmt::Debug for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("op", self.op).finish()
    }
}

impl Layouts {
    /// The entry of an op that has a form for the layout.
    fn listed(&self, kind: OpKind) -> Option<&LayoutOp> {
        self.ops.iter().find(|op| op.kind == kind)
    }

    /// The size of a tensor along the axis, if it divides into blocks.
    fn divided(&self, shape: &[Dim]) -> Option<usize> {
        let size = shape.get(self.axis)?.fixed()?;
        (size > 0 && size.is_multiple_of(self.block)).then_some(size)
    }
}

/// The places of the operands of an op that its form for the layout reads in the layout.
enum Places {
    /// One.
    One(usize),
    /// All but those of one element, which every element of the result reads: the op is elementwise.
    Elementwise,
}

impl Places {
    /// The places of an op that may run in the layout.
    fn of(op: &Op, layouts: &Layouts) -> Option<Places> {
        match layouts.listed(op.kind) {
            Some(listed) => Some(Places::One(listed.operand)),
            None => is_elementwise(op).then_some(Places::Elementwise),
        }
    }

    /// The operands that are read in the layout.
    fn values<'a>(
        &self,
        func: &'a Func,
        op: &'a Op,
    ) -> impl Iterator<Item = (usize, ValueId)> + 'a {
        let one = match *self {
            Places::One(place) => Some(place),
            Places::Elementwise => None,
        };
        let operands = op.inputs.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?)));
        operands.filter(move |(i, v)| one.map_or_else(|| !is_single(func, *v), |one| *i == one))
    }
}

/// Whether each element of the only result follows from those at its place in the operands, broadcast as usual. The op then
/// has the same meaning on tensors that all have the same layout.
fn is_elementwise(op: &Op) -> bool {
    let whole = |block_size: i64| block_size == 0;
    let by_tensor = ops::QuantizeLinear::of(op).is_some_and(|op| whole(op.block_size()))
        || ops::DequantizeLinear::of(op).is_some_and(|op| whole(op.block_size()));
    let group = op.decl().group == trident_ir::op::Group::Elementwise || by_tensor;
    group && op.regions.is_empty() && matches!(op.outputs[..], [Some(_)])
}

/// Whether a value is known to be a tensor of one element.
fn is_single(func: &Func, value: ValueId) -> bool {
    func.ty(value).dims().is_some_and(|dims| dims.iter().all(|&n| n == 1))
}

/// Whether two conversions are between the same dimensions, given the rank of the row-major tensor.
fn same_axis(a: i64, b: i64, rank: usize) -> bool {
    let axis = |axis| geometry::axis(axis, rank).ok();
    axis(a).is_some() && axis(a) == axis(b)
}

/// The ops that run in the layout, by their first results.
type Chosen = HashMap<ValueId, Sides>;

/// Brings the ops of a function into a layout where that saves time. Returns `None` if there are none.
pub(crate) fn assign(
    func: &mut Func,
    layouts: &Layouts,
    cx: &Context<'_>,
) -> Option<Vec<PassReport>> {
    let mut any = false;
    func.body.walk(&mut |op| any |= layouts.listed(op.kind).is_some());
    if !any || !cx.enabled(ASSIGN) {
        return None;
    }
    let chosen = choose::choose(func, layouts);
    if chosen.is_empty() {
        return None;
    }
    Some(run(func, &[(ASSIGN, &|cx, op| apply::apply(cx, op, layouts, &chosen))]))
}
