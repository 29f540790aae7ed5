//! Statements of ops about axes: how the axes of an op's results come from those of its operands.
//!
//! A label names an axis along which the op treats each index alike and alone. If operands have the label on one axis
//! each, and a result has it too, then entry i of the result's axis depends only on entries i of the operands' axes:
//! the axis is *carried*. An axis without a label *mixes*: it is reduced, contracted, normalised, permuted within
//! itself, or used for positions. Factors of dimensions play this role in the sharding rules of Shardy
//! (<https://openxla.org/shardy/propagation>), letters in equations of `einsum`.
//!
//! The clause `axes` of a row states them as a pattern:
//!
//! | part | is |
//! |---|---|
//! | `n` | an axis that is carried; operands and results that share it use the same letter |
//! | `n?` | likewise, but an operand may have length 1 there, which repeats |
//! | `_` | an axis that mixes, or an axis of a result that is new |
//! | `...` | all remaining axes, carried; operands broadcast there |
//! | `..` | all remaining axes, carried; operands have them alike |
//! | `*` | all remaining axes mix |
//!
//! `a, b -> y` has a term for each operand and result, and the last term also stands for all that follow. Forms for
//! different ranks are separated by `|`, and the first that fits counts: `_, _ -> | ...m_, _ -> ...m`. Statements that
//! depend on attributes or values are functions of the family file, which may write patterns too.

mod pattern;
#[cfg(test)]
mod tests;

use crate::op::kinds::Ints;
use crate::shape::View;
use crate::{AttrName, Dim, Type};

/// The statement of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AxesRule {
    /// A pattern.
    Pattern(&'static str),
    /// A function of the op. `None` if all axes mix, or if it is not known which.
    Fn(fn(&View<'_>) -> Option<Axes>),
}

impl AxesRule {
    /// The statement about an op.
    pub(crate) fn apply(self, cx: &View<'_>) -> Option<Axes> {
        match self {
            AxesRule::Pattern(pattern) => Axes::pattern(cx, pattern),
            AxesRule::Fn(rule) => rule(cx),
        }
    }
}

/// How the axes of an op's results come from those of its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// One entry for each operand, present or not.
    pub operands: Vec<OperandAxes>,
    /// One entry for each result.
    pub results: Vec<ResultAxes>,
}

/// The part of an operand that an op reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandAxes {
    /// Its elements.
    Elements(Vec<Axis>),
    /// Only its dimensions.
    Dims,
    /// Dimensions of the result, from which its shape follows. Nothing else depends on them.
    Shape,
    /// Numbers about these axes of operand 0, one for each element.
    Sizes(Vec<usize>),
}

/// An axis of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Entries of results depend on several entries of this axis, or on their positions.
    Mixed,
    /// Results have the axis, too, or if none has its label, the op reduces it.
    Carried {
        /// The name of the axis within the op.
        label: Label,
        /// Whether an operand of length 1 repeats along it.
        broadcasts: bool,
    },
}

/// The name of an axis within one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub(crate) usize);

/// The axes of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultAxes {
    /// The label of each axis; `None` for one that is new. Axes beyond the list are new.
    Labels(Vec<Option<Label>>),
    /// The elements of operand 0 in the same order, in other dimensions: axes are merged and split.
    Reshaped,
    /// Likewise labels. Moreover, operand 0 or the same element repeats along new axes and along those that had another
    /// length before.
    Repeated(Vec<Option<Label>>),
}

/// The operand whose axes most statements are about.
const FIRST: usize = 0;

/// The first label of axes that are counted from the last one.
const FROM_END: usize = 1 << 32;

impl Label {
    /// The label of the axis that has `after` axes after it, in operands that are aligned at their last axes.
    pub(crate) fn from_end(after: usize) -> Label {
        Label(FROM_END + after)
    }
}

impl Axis {
    /// An axis that all operands with the label have in full.
    pub(crate) fn carried(label: usize) -> Axis {
        Axis::Carried { label: Label(label), broadcasts: false }
    }

    /// The label, if it is carried.
    pub fn label(self) -> Option<Label> {
        match self {
            Axis::Mixed => None,
            Axis::Carried { label, .. } => Some(label),
        }
    }
}

impl OperandAxes {
    /// An operand of which every axis mixes.
    pub(crate) fn mixed() -> OperandAxes {
        OperandAxes::Elements(vec![])
    }

    /// The part of an axis of the operand.
    pub fn axis(&self, i: usize) -> Axis {
        match self {
            OperandAxes::Elements(axes) => axes.get(i).copied().unwrap_or(Axis::Mixed),
            OperandAxes::Dims | OperandAxes::Shape | OperandAxes::Sizes(_) => Axis::Mixed,
        }
    }
}

impl Axes {
    /// The statement that a pattern makes about an op; `None` if it does not fit the ranks of operands.
    pub(crate) fn pattern(cx: &View<'_>, pattern: &str) -> Option<Axes> {
        pattern::apply(cx, pattern)
    }

    /// Operand 0 and all results have the same axes, and all of them are carried but those that `mixes` names. The
    /// other operands are numbers, or have no axis in common with operand 0.
    pub(crate) fn keeping(cx: &View<'_>, mixes: impl Fn(usize) -> bool) -> Option<Axes> {
        let rank = rank(cx, 0)?;
        let axes = (0..rank).map(|i| if mixes(i) { Axis::Mixed } else { Axis::carried(i) });
        let axes: Vec<Axis> = axes.collect();
        let result = axes.iter().map(|axis| axis.label()).collect();
        Some(Axes::of(cx, axes, result))
    }

    /// Operand 0 has these axes, every result has these labels, and the other operands mix.
    pub(crate) fn of(cx: &View<'_>, first: Vec<Axis>, result: Vec<Option<Label>>) -> Axes {
        let mut operands = vec![OperandAxes::mixed(); cx.op.inputs.len()];
        if let Some(source) = operands.first_mut() {
            *source = OperandAxes::Elements(first);
        }
        Axes { operands, results: vec![ResultAxes::Labels(result); cx.op.outputs.len()] }
    }

    /// The elements of operand 0 in other dimensions, which the rule for shapes gives.
    pub(crate) fn reshaped(cx: &View<'_>) -> Option<Axes> {
        let axes = (0..rank(cx, 0)?).map(Axis::carried).collect();
        let axes = Axes::of(cx, axes, vec![]);
        Some(Axes { results: vec![ResultAxes::Reshaped], ..axes }.with(1, OperandAxes::Shape))
    }

    /// The statement with another one about an operand, if the op has it.
    pub(crate) fn with(mut self, operand: usize, source: OperandAxes) -> Axes {
        if let Some(slot) = self.operands.get_mut(operand) {
            *slot = source;
        }
        self
    }
}

/// The rank of an operand, or of the items of a sequence and of an optional value.
pub(crate) fn rank(cx: &View<'_>, operand: usize) -> Option<usize> {
    let mut ty = cx.ty(operand)?;
    while let Type::Seq(inner) | Type::Optional(inner) = ty {
        ty = inner;
    }
    ty.shape().map(<[Dim]>::len)
}

/// An axis that an attribute names, negative from the end.
pub(crate) fn axis(cx: &View<'_>, name: AttrName<crate::op::kinds::Int>) -> Option<usize> {
    cx.axis(name, rank(cx, 0)?).ok()
}

/// Whether an axis has the same length before and after an op.
pub(crate) fn keeps(cx: &View<'_>, axis: usize) -> bool {
    let after = cx.op.output(0).and_then(|y| cx.func.ty(y).shape()?.get(axis));
    let before = cx.shape(FIRST).and_then(|x| x.get(axis));
    before.zip(after).is_some_and(|(before, after)| before.same(after))
}

/// The axes that an attribute lists, as indices; all if it is absent.
pub(crate) fn listed(cx: &View<'_>, name: AttrName<Ints>) -> Option<Vec<usize>> {
    let rank = rank(cx, 0)?;
    match crate::op::view::optional(cx.op, name) {
        Some(axes) => axes.iter().map(|&axis| cx.wrap(axis, rank).ok()).collect(),
        None => Some((0..rank).collect()),
    }
}
