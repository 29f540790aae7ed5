// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::If`].
#[derive(Clone, Copy)]
pub struct If<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::If`], and names of its attributes.
pub struct IfAt { pub cond: usize, pub outputs: usize }

impl<'a> If<'a> {
    pub const KIND: OpKind = OpKind::If;
    pub const AT: IfAt = IfAt { cond: 0, outputs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<If<'a>> { view::fits(op, Self::KIND).then_some(If(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn cond(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn outputs(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
}

impl If<'static> {
    pub fn new(cond: ValueId) -> New<Self> {
        view::new(OpKind::If, vec![Some(cond)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::If) }
}

/// A view of [`OpKind::Loop`].
#[derive(Clone, Copy)]
pub struct Loop<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Loop`], and names of its attributes.
pub struct LoopAt { pub trip_count: usize, pub cond: usize, pub init: usize, pub outputs: usize }

impl<'a> Loop<'a> {
    pub const KIND: OpKind = OpKind::Loop;
    pub const AT: LoopAt = LoopAt { trip_count: 0, cond: 1, init: 2, outputs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Loop<'a>> { view::fits(op, Self::KIND).then_some(Loop(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn trip_count(self) -> Option<ValueId> { self.0.input(0) }
    #[inline] pub fn cond(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn init(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 2) }
    #[inline] pub fn outputs(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
}

impl Loop<'static> {
    pub fn new(trip_count: Option<ValueId>, cond: Option<ValueId>, init: &[ValueId]) -> New<Self> {
        view::new(OpKind::Loop, vec![trip_count, cond], init)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Loop) }
}

/// A view of [`OpKind::Scan`].
#[derive(Clone, Copy)]
pub struct Scan<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Scan`], and names of its attributes.
pub struct ScanAt { pub xs: usize, pub outputs: usize, pub num_scan_inputs: AttrName<kinds::Int>, pub scan_input_axes: AttrName<kinds::Ints>, pub scan_output_axes: AttrName<kinds::Ints>, pub scan_input_directions: AttrName<kinds::Ints>, pub scan_output_directions: AttrName<kinds::Ints> }

impl<'a> Scan<'a> {
    pub const KIND: OpKind = OpKind::Scan;
    pub const AT: ScanAt = ScanAt { xs: 0, outputs: 0, num_scan_inputs: AttrName::new("num_scan_inputs"), scan_input_axes: AttrName::new("scan_input_axes"), scan_output_axes: AttrName::new("scan_output_axes"), scan_input_directions: AttrName::new("scan_input_directions"), scan_output_directions: AttrName::new("scan_output_directions") };
    #[inline] pub fn of(op: &'a Op) -> Option<Scan<'a>> { view::fits(op, Self::KIND).then_some(Scan(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn outputs(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn num_scan_inputs(self) -> i64 { view::attr(self.0, Self::AT.num_scan_inputs) }
    #[inline] pub fn scan_input_axes(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.scan_input_axes) }
    #[inline] pub fn scan_output_axes(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.scan_output_axes) }
    #[inline] pub fn scan_input_directions(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.scan_input_directions) }
    #[inline] pub fn scan_output_directions(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.scan_output_directions) }
}

impl Scan<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Scan, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Scan) }
}

impl<O: BorrowMut<Op>> Set<Scan<'static>, O> {
    #[inline] pub fn num_scan_inputs(self, value: i64) -> Self { self.put(Scan::AT.num_scan_inputs, value) }
    #[inline] pub fn scan_input_axes(self, value: Vec<i64>) -> Self { self.put(Scan::AT.scan_input_axes, value) }
    #[inline] pub fn scan_output_axes(self, value: Vec<i64>) -> Self { self.put(Scan::AT.scan_output_axes, value) }
    #[inline] pub fn scan_input_directions(self, value: Vec<i64>) -> Self { self.put(Scan::AT.scan_input_directions, value) }
    #[inline] pub fn scan_output_directions(self, value: Vec<i64>) -> Self { self.put(Scan::AT.scan_output_directions, value) }
}

/// A view of [`OpKind::For`].
#[derive(Clone, Copy)]
pub struct For<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::For`], and names of its attributes.
pub struct ForAt { pub lower: usize, pub upper: usize, pub step: usize, pub init: usize, pub outputs: usize }

impl<'a> For<'a> {
    pub const KIND: OpKind = OpKind::For;
    pub const AT: ForAt = ForAt { lower: 0, upper: 1, step: 2, init: 3, outputs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<For<'a>> { view::fits(op, Self::KIND).then_some(For(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn lower(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn upper(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn step(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn init(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 3) }
    #[inline] pub fn outputs(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
}

impl For<'static> {
    pub fn new(lower: ValueId, upper: ValueId, step: ValueId, init: &[ValueId]) -> New<Self> {
        view::new(OpKind::For, vec![Some(lower), Some(upper), Some(step)], init)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::For) }
}

/// A view of [`OpKind::While`].
#[derive(Clone, Copy)]
pub struct While<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::While`], and names of its attributes.
pub struct WhileAt { pub init: usize, pub outputs: usize }

impl<'a> While<'a> {
    pub const KIND: OpKind = OpKind::While;
    pub const AT: WhileAt = WhileAt { init: 0, outputs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<While<'a>> { view::fits(op, Self::KIND).then_some(While(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn init(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn outputs(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
}

impl While<'static> {
    pub fn new(init: &[ValueId]) -> New<Self> {
        view::new(OpKind::While, vec![], init)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::While) }
}

/// A view of [`OpKind::Call`].
#[derive(Clone, Copy)]
pub struct Call<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Call`], and names of its attributes.
pub struct CallAt { pub args: usize, pub results: usize, pub callee: AttrName<kinds::Str> }

impl<'a> Call<'a> {
    pub const KIND: OpKind = OpKind::Call;
    pub const AT: CallAt = CallAt { args: 0, results: 0, callee: AttrName::new("callee") };
    #[inline] pub fn of(op: &'a Op) -> Option<Call<'a>> { view::fits(op, Self::KIND).then_some(Call(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn args(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn results(self) -> &'a [Option<ValueId>] { view::results(self.0, 0) }
    #[inline] pub fn callee(self) -> &'a str { view::attr(self.0, Self::AT.callee) }
}

impl Call<'static> {
    pub fn new(args: &[ValueId]) -> New<Self> {
        view::new(OpKind::Call, vec![], args)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Call) }
}

impl<O: BorrowMut<Op>> Set<Call<'static>, O> {
    #[inline] pub fn callee(self, value: String) -> Self { self.put(Call::AT.callee, value) }
}

/// A view of [`OpKind::Fused`].
#[derive(Clone, Copy)]
pub struct Fused<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Fused`], and names of its attributes.
pub struct FusedAt { pub xs: usize, pub y: usize }

impl<'a> Fused<'a> {
    pub const KIND: OpKind = OpKind::Fused;
    pub const AT: FusedAt = FusedAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Fused<'a>> { view::fits(op, Self::KIND).then_some(Fused(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl Fused<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Fused, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Fused) }
}
