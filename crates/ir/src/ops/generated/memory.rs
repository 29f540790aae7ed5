// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{CacheHint, EvictionHint, LocalSpace};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::PtrAdd`].
#[derive(Clone, Copy)]
pub struct PtrAdd<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::PtrAdd`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::PtrCast`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::IntToPtr`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::PtrToInt`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Load`], and names of its attributes.
pub struct LoadAt { pub ptr: usize, pub mask: usize, pub other: usize, pub y: usize, pub cache: AttrName<CacheHint>, pub eviction: AttrName<EvictionHint>, pub volatile: AttrName<kinds::Flag>, pub width: AttrName<kinds::Int>, pub align: AttrName<kinds::Int> }

impl<'a> Load<'a> {
    pub const KIND: OpKind = OpKind::Load;
    pub const AT: LoadAt = LoadAt { ptr: 0, mask: 1, other: 2, y: 0, cache: AttrName::new("cache"), eviction: AttrName::new("eviction"), volatile: AttrName::new("volatile"), width: AttrName::new("width"), align: AttrName::new("align") };
    #[inline] pub fn of(op: &'a Op) -> Option<Load<'a>> { view::fits(op, Self::KIND).then_some(Load(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn other(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cache(self) -> CacheHint { view::attr(self.0, Self::AT.cache) }
    #[inline] pub fn eviction(self) -> EvictionHint { view::attr(self.0, Self::AT.eviction) }
    #[inline] pub fn volatile(self) -> bool { view::attr(self.0, Self::AT.volatile) }
    #[inline] pub fn width(self) -> i64 { view::attr(self.0, Self::AT.width) }
    #[inline] pub fn align(self) -> i64 { view::attr(self.0, Self::AT.align) }
}

impl Load<'static> {
    pub fn new(ptr: ValueId, mask: Option<ValueId>, other: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Load, vec![Some(ptr), mask, other], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Load) }
}

impl<O: BorrowMut<Op>> Set<Load<'static>, O> {
    #[inline] pub fn cache(self, value: CacheHint) -> Self { self.put(Load::AT.cache, value) }
    #[inline] pub fn eviction(self, value: EvictionHint) -> Self { self.put(Load::AT.eviction, value) }
    #[inline] pub fn volatile(self, value: bool) -> Self { self.put(Load::AT.volatile, value) }
    #[inline] pub fn width(self, value: i64) -> Self { self.put(Load::AT.width, value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put(Load::AT.align, value) }
}

/// A view of [`OpKind::Store`].
#[derive(Clone, Copy)]
pub struct Store<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Store`], and names of its attributes.
pub struct StoreAt { pub ptr: usize, pub value: usize, pub mask: usize, pub cache: AttrName<CacheHint>, pub eviction: AttrName<EvictionHint>, pub align: AttrName<kinds::Int> }

impl<'a> Store<'a> {
    pub const KIND: OpKind = OpKind::Store;
    pub const AT: StoreAt = StoreAt { ptr: 0, value: 1, mask: 2, cache: AttrName::new("cache"), eviction: AttrName::new("eviction"), align: AttrName::new("align") };
    #[inline] pub fn of(op: &'a Op) -> Option<Store<'a>> { view::fits(op, Self::KIND).then_some(Store(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn value(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn mask(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn cache(self) -> CacheHint { view::attr(self.0, Self::AT.cache) }
    #[inline] pub fn eviction(self) -> EvictionHint { view::attr(self.0, Self::AT.eviction) }
    #[inline] pub fn align(self) -> i64 { view::attr(self.0, Self::AT.align) }
}

impl Store<'static> {
    pub fn new(ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> New<Self> {
        view::new(OpKind::Store, vec![Some(ptr), Some(value), mask], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Store) }
}

impl<O: BorrowMut<Op>> Set<Store<'static>, O> {
    #[inline] pub fn cache(self, value: CacheHint) -> Self { self.put(Store::AT.cache, value) }
    #[inline] pub fn eviction(self, value: EvictionHint) -> Self { self.put(Store::AT.eviction, value) }
    #[inline] pub fn align(self, value: i64) -> Self { self.put(Store::AT.align, value) }
}

/// A view of [`OpKind::Alloc`].
#[derive(Clone, Copy)]
pub struct Alloc<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Alloc`], and names of its attributes.
pub struct AllocAt { pub ptr: usize, pub space: AttrName<LocalSpace>, pub dtype: AttrName<kinds::DType>, pub len: AttrName<kinds::Int> }

impl<'a> Alloc<'a> {
    pub const KIND: OpKind = OpKind::Alloc;
    pub const AT: AllocAt = AllocAt { ptr: 0, space: AttrName::new("space"), dtype: AttrName::new("dtype"), len: AttrName::new("len") };
    #[inline] pub fn of(op: &'a Op) -> Option<Alloc<'a>> { view::fits(op, Self::KIND).then_some(Alloc(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn ptr(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn space(self) -> LocalSpace { view::attr(self.0, Self::AT.space) }
    #[inline] pub fn dtype(self) -> DType { view::attr(self.0, Self::AT.dtype) }
    #[inline] pub fn len(self) -> i64 { view::attr(self.0, Self::AT.len) }
}

impl Alloc<'static> {
    pub fn new() -> New<Self> {
        view::new(OpKind::Alloc, vec![], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Alloc) }
}

impl<O: BorrowMut<Op>> Set<Alloc<'static>, O> {
    #[inline] pub fn space(self, value: LocalSpace) -> Self { self.put(Alloc::AT.space, value) }
    #[inline] pub fn dtype(self, value: DType) -> Self { self.put(Alloc::AT.dtype, value) }
    #[inline] pub fn len(self, value: i64) -> Self { self.put(Alloc::AT.len, value) }
}

/// A view of [`OpKind::Barrier`].
#[derive(Clone, Copy)]
pub struct Barrier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Barrier`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::DeviceFence`], and names of its attributes.
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

/// Places of the operands and results of [`OpKind::Print`], and names of its attributes.
pub struct PrintAt { pub xs: usize, pub prefix: AttrName<kinds::Str>, pub hex: AttrName<kinds::Flag>, pub signed: AttrName<kinds::Ints>, pub dims: AttrName<kinds::Ints> }

impl<'a> Print<'a> {
    pub const KIND: OpKind = OpKind::Print;
    pub const AT: PrintAt = PrintAt { xs: 0, prefix: AttrName::new("prefix"), hex: AttrName::new("hex"), signed: AttrName::new("signed"), dims: AttrName::new("dims") };
    #[inline] pub fn of(op: &'a Op) -> Option<Print<'a>> { view::fits(op, Self::KIND).then_some(Print(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn prefix(self) -> &'a str { view::attr(self.0, Self::AT.prefix) }
    #[inline] pub fn hex(self) -> bool { view::attr(self.0, Self::AT.hex) }
    #[inline] pub fn signed(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.signed) }
    #[inline] pub fn dims(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.dims) }
}

impl Print<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::Print, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Print) }
}

impl<O: BorrowMut<Op>> Set<Print<'static>, O> {
    #[inline] pub fn prefix(self, value: String) -> Self { self.put(Print::AT.prefix, value) }
    #[inline] pub fn hex(self, value: bool) -> Self { self.put(Print::AT.hex, value) }
    #[inline] pub fn signed(self, value: Vec<i64>) -> Self { self.put(Print::AT.signed, value) }
    #[inline] pub fn dims(self, value: Vec<i64>) -> Self { self.put(Print::AT.dims, value) }
}

/// A view of [`OpKind::Assert`].
#[derive(Clone, Copy)]
pub struct Assert<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assert`], and names of its attributes.
pub struct AssertAt { pub condition: usize, pub message: AttrName<kinds::Str> }

impl<'a> Assert<'a> {
    pub const KIND: OpKind = OpKind::Assert;
    pub const AT: AssertAt = AssertAt { condition: 0, message: AttrName::new("message") };
    #[inline] pub fn of(op: &'a Op) -> Option<Assert<'a>> { view::fits(op, Self::KIND).then_some(Assert(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn condition(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn message(self) -> &'a str { view::attr(self.0, Self::AT.message) }
}

impl Assert<'static> {
    pub fn new(condition: ValueId) -> New<Self> {
        view::new(OpKind::Assert, vec![Some(condition)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Assert) }
}

impl<O: BorrowMut<Op>> Set<Assert<'static>, O> {
    #[inline] pub fn message(self, value: String) -> Self { self.put(Assert::AT.message, value) }
}

/// A view of [`OpKind::Assume`].
#[derive(Clone, Copy)]
pub struct Assume<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Assume`], and names of its attributes.
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
