// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::{AttrName, DType, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::DFT`].
#[derive(Clone, Copy)]
pub struct DFT<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DFT`], and names of its attributes.
pub struct DFTAt { pub x: usize, pub dft_length: usize, pub axis: usize, pub y: usize, pub inverse: AttrName<kinds::Flag>, pub onesided: AttrName<kinds::Flag> }

impl<'a> DFT<'a> {
    pub const KIND: OpKind = OpKind::DFT;
    pub const AT: DFTAt = DFTAt { x: 0, dft_length: 1, axis: 2, y: 0, inverse: AttrName::new("inverse"), onesided: AttrName::new("onesided") };
    #[inline] pub fn of(op: &'a Op) -> Option<DFT<'a>> { view::fits(op, Self::KIND).then_some(DFT(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn dft_length(self) -> Option<ValueId> { self.0.input(1) }
    #[inline] pub fn axis(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn inverse(self) -> bool { view::attr(self.0, Self::AT.inverse) }
    #[inline] pub fn onesided(self) -> bool { view::attr(self.0, Self::AT.onesided) }
}

impl DFT<'static> {
    pub fn new(x: ValueId, dft_length: Option<ValueId>, axis: Option<ValueId>) -> New<Self> {
        view::new(OpKind::DFT, vec![Some(x), dft_length, axis], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DFT) }
}

impl<O: BorrowMut<Op>> Set<DFT<'static>, O> {
    #[inline] pub fn inverse(self, value: bool) -> Self { self.put(DFT::AT.inverse, value) }
    #[inline] pub fn onesided(self, value: bool) -> Self { self.put(DFT::AT.onesided, value) }
}

/// A view of [`OpKind::MelWeightMatrix`].
#[derive(Clone, Copy)]
pub struct MelWeightMatrix<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::MelWeightMatrix`], and names of its attributes.
pub struct MelWeightMatrixAt { pub num_mel_bins: usize, pub dft_length: usize, pub sample_rate: usize, pub lower_edge_hertz: usize, pub upper_edge_hertz: usize, pub y: usize, pub output_datatype: AttrName<kinds::DType> }

impl<'a> MelWeightMatrix<'a> {
    pub const KIND: OpKind = OpKind::MelWeightMatrix;
    pub const AT: MelWeightMatrixAt = MelWeightMatrixAt { num_mel_bins: 0, dft_length: 1, sample_rate: 2, lower_edge_hertz: 3, upper_edge_hertz: 4, y: 0, output_datatype: AttrName::new("output_datatype") };
    #[inline] pub fn of(op: &'a Op) -> Option<MelWeightMatrix<'a>> { view::fits(op, Self::KIND).then_some(MelWeightMatrix(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn num_mel_bins(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn dft_length(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn sample_rate(self) -> ValueId { view::operand(self.0, 2) }
    #[inline] pub fn lower_edge_hertz(self) -> ValueId { view::operand(self.0, 3) }
    #[inline] pub fn upper_edge_hertz(self) -> ValueId { view::operand(self.0, 4) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn output_datatype(self) -> DType { view::attr(self.0, Self::AT.output_datatype) }
}

impl MelWeightMatrix<'static> {
    pub fn new(num_mel_bins: ValueId, dft_length: ValueId, sample_rate: ValueId, lower_edge_hertz: ValueId, upper_edge_hertz: ValueId) -> New<Self> {
        view::new(OpKind::MelWeightMatrix, vec![Some(num_mel_bins), Some(dft_length), Some(sample_rate), Some(lower_edge_hertz), Some(upper_edge_hertz)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::MelWeightMatrix) }
}

impl<O: BorrowMut<Op>> Set<MelWeightMatrix<'static>, O> {
    #[inline] pub fn output_datatype(self, value: DType) -> Self { self.put(MelWeightMatrix::AT.output_datatype, value) }
}

/// A view of [`OpKind::STFT`].
#[derive(Clone, Copy)]
pub struct STFT<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::STFT`], and names of its attributes.
pub struct STFTAt { pub signal: usize, pub frame_step: usize, pub window: usize, pub frame_length: usize, pub y: usize, pub onesided: AttrName<kinds::Flag> }

impl<'a> STFT<'a> {
    pub const KIND: OpKind = OpKind::STFT;
    pub const AT: STFTAt = STFTAt { signal: 0, frame_step: 1, window: 2, frame_length: 3, y: 0, onesided: AttrName::new("onesided") };
    #[inline] pub fn of(op: &'a Op) -> Option<STFT<'a>> { view::fits(op, Self::KIND).then_some(STFT(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn signal(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn frame_step(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn window(self) -> Option<ValueId> { self.0.input(2) }
    #[inline] pub fn frame_length(self) -> Option<ValueId> { self.0.input(3) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn onesided(self) -> bool { view::attr(self.0, Self::AT.onesided) }
}

impl STFT<'static> {
    pub fn new(signal: ValueId, frame_step: ValueId, window: Option<ValueId>, frame_length: Option<ValueId>) -> New<Self> {
        view::new(OpKind::STFT, vec![Some(signal), Some(frame_step), window, frame_length], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::STFT) }
}

impl<O: BorrowMut<Op>> Set<STFT<'static>, O> {
    #[inline] pub fn onesided(self, value: bool) -> Self { self.put(STFT::AT.onesided, value) }
}

/// A view of [`OpKind::BlackmanWindow`].
#[derive(Clone, Copy)]
pub struct BlackmanWindow<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::BlackmanWindow`], and names of its attributes.
pub struct BlackmanWindowAt { pub size: usize, pub y: usize, pub output_datatype: AttrName<kinds::DType>, pub periodic: AttrName<kinds::Flag> }

impl<'a> BlackmanWindow<'a> {
    pub const KIND: OpKind = OpKind::BlackmanWindow;
    pub const AT: BlackmanWindowAt = BlackmanWindowAt { size: 0, y: 0, output_datatype: AttrName::new("output_datatype"), periodic: AttrName::new("periodic") };
    #[inline] pub fn of(op: &'a Op) -> Option<BlackmanWindow<'a>> { view::fits(op, Self::KIND).then_some(BlackmanWindow(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn size(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn output_datatype(self) -> DType { view::attr(self.0, Self::AT.output_datatype) }
    #[inline] pub fn periodic(self) -> bool { view::attr(self.0, Self::AT.periodic) }
}

impl BlackmanWindow<'static> {
    pub fn new(size: ValueId) -> New<Self> {
        view::new(OpKind::BlackmanWindow, vec![Some(size)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::BlackmanWindow) }
}

impl<O: BorrowMut<Op>> Set<BlackmanWindow<'static>, O> {
    #[inline] pub fn output_datatype(self, value: DType) -> Self { self.put(BlackmanWindow::AT.output_datatype, value) }
    #[inline] pub fn periodic(self, value: bool) -> Self { self.put(BlackmanWindow::AT.periodic, value) }
}

/// A view of [`OpKind::HammingWindow`].
#[derive(Clone, Copy)]
pub struct HammingWindow<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HammingWindow`], and names of its attributes.
pub struct HammingWindowAt { pub size: usize, pub y: usize, pub output_datatype: AttrName<kinds::DType>, pub periodic: AttrName<kinds::Flag> }

impl<'a> HammingWindow<'a> {
    pub const KIND: OpKind = OpKind::HammingWindow;
    pub const AT: HammingWindowAt = HammingWindowAt { size: 0, y: 0, output_datatype: AttrName::new("output_datatype"), periodic: AttrName::new("periodic") };
    #[inline] pub fn of(op: &'a Op) -> Option<HammingWindow<'a>> { view::fits(op, Self::KIND).then_some(HammingWindow(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn size(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn output_datatype(self) -> DType { view::attr(self.0, Self::AT.output_datatype) }
    #[inline] pub fn periodic(self) -> bool { view::attr(self.0, Self::AT.periodic) }
}

impl HammingWindow<'static> {
    pub fn new(size: ValueId) -> New<Self> {
        view::new(OpKind::HammingWindow, vec![Some(size)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::HammingWindow) }
}

impl<O: BorrowMut<Op>> Set<HammingWindow<'static>, O> {
    #[inline] pub fn output_datatype(self, value: DType) -> Self { self.put(HammingWindow::AT.output_datatype, value) }
    #[inline] pub fn periodic(self, value: bool) -> Self { self.put(HammingWindow::AT.periodic, value) }
}

/// A view of [`OpKind::HannWindow`].
#[derive(Clone, Copy)]
pub struct HannWindow<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::HannWindow`], and names of its attributes.
pub struct HannWindowAt { pub size: usize, pub y: usize, pub output_datatype: AttrName<kinds::DType>, pub periodic: AttrName<kinds::Flag> }

impl<'a> HannWindow<'a> {
    pub const KIND: OpKind = OpKind::HannWindow;
    pub const AT: HannWindowAt = HannWindowAt { size: 0, y: 0, output_datatype: AttrName::new("output_datatype"), periodic: AttrName::new("periodic") };
    #[inline] pub fn of(op: &'a Op) -> Option<HannWindow<'a>> { view::fits(op, Self::KIND).then_some(HannWindow(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn size(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn output_datatype(self) -> DType { view::attr(self.0, Self::AT.output_datatype) }
    #[inline] pub fn periodic(self) -> bool { view::attr(self.0, Self::AT.periodic) }
}

impl HannWindow<'static> {
    pub fn new(size: ValueId) -> New<Self> {
        view::new(OpKind::HannWindow, vec![Some(size)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::HannWindow) }
}

impl<O: BorrowMut<Op>> Set<HannWindow<'static>, O> {
    #[inline] pub fn output_datatype(self, value: DType) -> Self { self.put(HannWindow::AT.output_datatype, value) }
    #[inline] pub fn periodic(self, value: bool) -> Self { self.put(HannWindow::AT.periodic, value) }
}
