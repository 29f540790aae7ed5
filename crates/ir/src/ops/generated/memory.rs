// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::PtrAdd`].
#[derive(Clone, Copy)]
pub struct PtrAdd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PtrAdd`].
pub struct PtrAddAt { pub ptr: usize, pub offset: usize, pub y: usize }

impl<'a> PtrAdd<'a> {
    pub const KIND: OpKind = OpKind::PtrAdd;
    pub const AT: PtrAddAt = PtrAddAt { ptr: 0, offset: 1, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<PtrAdd<'a>> { view::fits(op, Self::KIND).then_some(PtrAdd(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn offset(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl PtrAdd<'static> {
    pub fn new(ptr: ValueId, offset: ValueId) -> New<Self> {
        view::new(OpKind::PtrAdd, vec![Some(ptr), Some(offset)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::PtrAdd) }
}

/// A view of [`OpKind::PtrCast`].
#[derive(Clone, Copy)]
pub struct PtrCast<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PtrCast`].
pub struct PtrCastAt { pub ptr: usize, pub y: usize }

impl<'a> PtrCast<'a> {
    pub const KIND: OpKind = OpKind::PtrCast;
    pub const AT: PtrCastAt = PtrCastAt { ptr: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<PtrCast<'a>> { view::fits(op, Self::KIND).then_some(PtrCast(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl PtrCast<'static> {
    pub fn new(ptr: ValueId) -> New<Self> {
        view::new(OpKind::PtrCast, vec![Some(ptr)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::PtrCast) }
}

/// A view of [`OpKind::IntToPtr`].
#[derive(Clone, Copy)]
pub struct IntToPtr<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::IntToPtr`].
pub struct IntToPtrAt { pub x: usize, pub y: usize }

impl<'a> IntToPtr<'a> {
    pub const KIND: OpKind = OpKind::IntToPtr;
    pub const AT: IntToPtrAt = IntToPtrAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<IntToPtr<'a>> { view::fits(op, Self::KIND).then_some(IntToPtr(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl IntToPtr<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::IntToPtr, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::IntToPtr) }
}

/// A view of [`OpKind::PtrToInt`].
#[derive(Clone, Copy)]
pub struct PtrToInt<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PtrToInt`].
pub struct PtrToIntAt { pub ptr: usize, pub y: usize }

impl<'a> PtrToInt<'a> {
    pub const KIND: OpKind = OpKind::PtrToInt;
    pub const AT: PtrToIntAt = PtrToIntAt { ptr: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<PtrToInt<'a>> { view::fits(op, Self::KIND).then_some(PtrToInt(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
}

impl PtrToInt<'static> {
    pub fn new(ptr: ValueId) -> New<Self> {
        view::new(OpKind::PtrToInt, vec![Some(ptr)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::PtrToInt) }
}

/// A view of [`OpKind::Load`].
#[derive(Clone, Copy)]
pub struct Load<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Load`].
pub struct LoadAt { pub ptr: usize, pub mask: usize, pub other: usize, pub y: usize }

impl<'a> Load<'a> {
    pub const KIND: OpKind = OpKind::Load;
    pub const AT: LoadAt = LoadAt { ptr: 0, mask: 1, other: 2, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Load<'a>> { view::fits(op, Self::KIND).then_some(Load(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn other(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cache(self) -> &'a str { view::attr::<kinds::Str>(self.0, "cache") }
    #[inline] pub fn eviction(self) -> &'a str { view::attr::<kinds::Str>(self.0, "eviction") }
    #[inline] pub fn volatile(self) -> bool { view::attr::<kinds::Flag>(self.0, "volatile") }
    #[inline] pub fn width(self) -> i64 { view::attr::<kinds::Int>(self.0, "width") }
    #[inline] pub fn align(self) -> i64 { view::attr::<kinds::Int>(self.0, "align") }
}

impl Load<'static> {
    pub fn new(ptr: ValueId, mask: Option<ValueId>, other: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Load, vec![Some(ptr), mask, other], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Load) }
}

impl<O: BorrowMut<Op>> Set<Load<'static>, O> {
    #[inline] pub fn cache(self, value: String) -> Self { self.put::<kinds::Str>("cache", value) }
    #[inline] pub fn eviction(self, value: String) -> Self { self.put::<kinds::Str>("eviction", value) }
    #[inline] pub fn volatile(self, value: bool) -> Self { self.put::<kinds::Flag>("volatile", value) }
    #[inline] pub fn width(self, value: i64) -> Self { self.put::<kinds::Int>("width", value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put::<kinds::Int>("align", value) }
}

/// A view of [`OpKind::Store`].
#[derive(Clone, Copy)]
pub struct Store<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Store`].
pub struct StoreAt { pub ptr: usize, pub value: usize, pub mask: usize }

impl<'a> Store<'a> {
    pub const KIND: OpKind = OpKind::Store;
    pub const AT: StoreAt = StoreAt { ptr: 0, value: 1, mask: 2 };
    #[inline] pub fn of(op: &'a Op) -> Option<Store<'a>> { view::fits(op, Self::KIND).then_some(Store(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn cache(self) -> &'a str { view::attr::<kinds::Str>(self.0, "cache") }
    #[inline] pub fn eviction(self) -> &'a str { view::attr::<kinds::Str>(self.0, "eviction") }
    #[inline] pub fn align(self) -> i64 { view::attr::<kinds::Int>(self.0, "align") }
}

impl Store<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Store, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Store) }
}

impl<O: BorrowMut<Op>> Set<Store<'static>, O> {
    #[inline] pub fn cache(self, value: String) -> Self { self.put::<kinds::Str>("cache", value) }
    #[inline] pub fn eviction(self, value: String) -> Self { self.put::<kinds::Str>("eviction", value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put::<kinds::Int>("align", value) }
}

/// A view of [`OpKind::Alloc`].
#[derive(Clone, Copy)]
pub struct Alloc<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Alloc`].
pub struct AllocAt { pub ptr: usize }

impl<'a> Alloc<'a> {
    pub const KIND: OpKind = OpKind::Alloc;
    pub const AT: AllocAt = AllocAt { ptr: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Alloc<'a>> { view::fits(op, Self::KIND).then_some(Alloc(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn space(self) -> &'a str { view::attr::<kinds::Str>(self.0, "space") }
    #[inline] pub fn dtype(self) -> DType { view::attr::<kinds::DType>(self.0, "dtype") }
    #[inline] pub fn len(self) -> i64 { view::attr::<kinds::Int>(self.0, "len") }
}

impl Alloc<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Alloc, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Alloc) }
}

impl<O: BorrowMut<Op>> Set<Alloc<'static>, O> {
    #[inline] pub fn space(self, value: String) -> Self { self.put::<kinds::Str>("space", value) }
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put::<kinds::DType>("dtype", value) }
    #[inline] pub fn len(self, value: i64) -> Self { self.put::<kinds::Int>("len", value) }
}

/// A view of [`OpKind::Barrier`].
#[derive(Clone, Copy)]
pub struct Barrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Barrier`].
pub struct BarrierAt {  }

impl<'a> Barrier<'a> {
    pub const KIND: OpKind = OpKind::Barrier;
    pub const AT: BarrierAt = BarrierAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<Barrier<'a>> { view::fits(op, Self::KIND).then_some(Barrier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
}

impl Barrier<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Barrier, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Barrier) }
}

/// A view of [`OpKind::DeviceFence`].
#[derive(Clone, Copy)]
pub struct DeviceFence<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DeviceFence`].
pub struct DeviceFenceAt {  }

impl<'a> DeviceFence<'a> {
    pub const KIND: OpKind = OpKind::DeviceFence;
    pub const AT: DeviceFenceAt = DeviceFenceAt {  };
    #[inline] pub fn of(op: &'a Op) -> Option<DeviceFence<'a>> { view::fits(op, Self::KIND).then_some(DeviceFence(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
}

impl DeviceFence<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::DeviceFence, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DeviceFence) }
}

/// A view of [`OpKind::Print`].
#[derive(Clone, Copy)]
pub struct Print<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Print`].
pub struct PrintAt { pub xs: usize }

impl<'a> Print<'a> {
    pub const KIND: OpKind = OpKind::Print;
    pub const AT: PrintAt = PrintAt { xs: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Print<'a>> { view::fits(op, Self::KIND).then_some(Print(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn prefix(self) -> &'a str { view::attr::<kinds::Str>(self.0, "prefix") }
    #[inline] pub fn hex(self) -> bool { view::attr::<kinds::Flag>(self.0, "hex") }
    #[inline] pub fn signed(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "signed") }
    #[inline] pub fn dims(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "dims") }
}

impl Print<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Print, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Print) }
}

impl<O: BorrowMut<Op>> Set<Print<'static>, O> {
    #[inline] pub fn prefix(self, value: String) -> Self { self.put::<kinds::Str>("prefix", value) }
    #[inline] pub fn hex(self, value: bool) -> Self { self.put::<kinds::Flag>("hex", value) }
    #[inline] pub fn signed(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("signed", value) }
    #[inline] pub fn dims(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("dims", value) }
}

/// A view of [`OpKind::Assert`].
#[derive(Clone, Copy)]
pub struct Assert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assert`].
pub struct AssertAt { pub condition: usize }

impl<'a> Assert<'a> {
    pub const KIND: OpKind = OpKind::Assert;
    pub const AT: AssertAt = AssertAt { condition: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Assert<'a>> { view::fits(op, Self::KIND).then_some(Assert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn message(self) -> &'a str { view::attr::<kinds::Str>(self.0, "message") }
}

impl Assert<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::Assert, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Assert) }
}

impl<O: BorrowMut<Op>> Set<Assert<'static>, O> {
    #[inline] pub fn message(self, value: String) -> Self { self.put::<kinds::Str>("message", value) }
}

/// A view of [`OpKind::Assume`].
#[derive(Clone, Copy)]
pub struct Assume<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assume`].
pub struct AssumeAt { pub condition: usize }

impl<'a> Assume<'a> {
    pub const KIND: OpKind = OpKind::Assume;
    pub const AT: AssumeAt = AssumeAt { condition: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Assume<'a>> { view::fits(op, Self::KIND).then_some(Assume(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
}

impl Assume<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::Assume, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Assume) }
}
