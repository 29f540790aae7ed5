//! Descriptors: blocks of pointers and masks, generated where they are needed.

use cranelift_codegen::ir::{InstBuilder, Value};
use trident_ir::op::words::DescriptorPadding;
use trident_ir::{DType, Op, Type, ops};
use trident_tile_analysis::{Elem, Fun, NodeId, axes, index_bits, own};

use super::access::Store;
use super::node::{Desc, Kind, Register, Val};
use super::{Emitter, Result, malformed, view};

const WIDE: Elem = Elem::Data(DType::I64);

/// The place of the descriptor among the operands of all ops that access memory by one.
const DESCRIPTOR: usize = ops::DescriptorLoad::AT.descriptor;
const _: () = assert!(DESCRIPTOR == ops::DescriptorStore::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorReduce::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorGather::AT.descriptor);
const _: () = assert!(DESCRIPTOR == ops::DescriptorScatter::AT.descriptor);

impl<'m> Emitter<'m, '_> {
    pub(super) fn make_descriptor(&mut self, op: &'m Op) -> Result<()> {
        let (made, at) = (view(op, ops::MakeDescriptor::of)?, ops::MakeDescriptor::AT);
        let Some(id) = made.y() else { return Ok(()) };
        let Type::Descriptor(ty) = self.calls.func().ty(id) else {
            return Err(malformed(op, "gives no descriptor"));
        };
        let rank = ty.block.len();
        let (base, _) = self.scalar(op, at.base)?;
        let mut lengths = vec![];
        for i in at.dims..at.dims + rank {
            let (length, elem) = self.scalar(op, i)?;
            lengths.push(self.wide(length, elem.dtype()));
        }
        let strides: Result<Vec<Value>> =
            (at.dims + rank..at.dims + 2 * rank).map(|i| Ok(self.scalar(op, i)?.0)).collect();
        let padding = match made.padding() {
            DescriptorPadding::Nan => nan(ty.dtype),
            DescriptorPadding::Zero => 0,
        };
        let padding = self.int(padding);
        let (elem, block) = (ty.dtype, ty.block.clone());
        let val = Val::Descriptor(Desc { elem, block, base, lengths, strides: strides?, padding });
        self.give(op, val)
    }

    fn descriptor(&self, op: &Op) -> Result<Desc> {
        match self.operand(op, DESCRIPTOR)? {
            Val::Descriptor(d) => Ok(d),
            _ => Err(malformed(op, "needs a descriptor")),
        }
    }

    fn fun(&mut self, fun: Fun<'m>, elem: Elem, bits: u8, operands: &[NodeId]) -> NodeId {
        self.make(Kind::Apply(fun, operands.to_vec()), elem, bits, 1, operands)
    }

    /// Coordinates along an axis of a block, starting at an offset.
    fn coordinate(&mut self, offset: Value, (start, length): (u8, u8), bits: u8) -> NodeId {
        let iota = self.make(Kind::Iota(0), Elem::Data(DType::I32), length, 0, &[]);
        let along = self.view(iota, (start..start + length).map(own).collect(), bits);
        let wide = self.fun(Fun::SignExtend, WIDE, bits, &[along]);
        let offset = self.uniform(offset, WIDE, bits);
        self.fun(Fun::Add, WIDE, bits, &[wide, offset])
    }

    /// Pointers to the elements at these coordinates, and whether each coordinate is inside.
    fn pointers(&mut self, d: &Desc, coordinates: &[NodeId], bits: u8) -> (NodeId, NodeId) {
        let pointer = Elem::Ptr(d.elem);
        let mut address = self.uniform(d.base, pointer, bits);
        let mut mask: Option<NodeId> = None;
        for ((&at, &length), &stride) in coordinates.iter().zip(&d.lengths).zip(&d.strides) {
            let bytes = self.b.ins().imul_imm_s(stride, d.elem.size() as i64);
            let bytes = self.uniform(bytes, WIDE, bits);
            let moved = self.fun(Fun::Mul, WIDE, bits, &[at, bytes]);
            address = self.fun(Fun::Add, pointer, bits, &[address, moved]);
            let length = self.uniform(length, WIDE, bits);
            let truth = Elem::Data(DType::Bool);
            let inside = self.fun(Fun::Within, truth, bits, &[at, length]);
            mask = Some(match mask {
                Some(mask) => self.fun(Fun::Both, truth, bits, &[mask, inside]),
                None => inside,
            });
        }
        let mask = match mask {
            Some(mask) => mask,
            None => {
                let yes = self.immediate(1, Elem::Data(DType::Bool));
                self.uniform(yes, Elem::Data(DType::Bool), bits)
            }
        };
        (address, mask)
    }

    /// Pointers and mask of the block whose offsets are the operands starting at `first`.
    fn block_at(&mut self, op: &Op, first: usize) -> Result<(Desc, NodeId, NodeId)> {
        let d = self.descriptor(op)?;
        let bits = index_bits(&d.block);
        let mut coordinates = vec![];
        for (i, axis) in axes(&d.block).into_iter().enumerate() {
            let (offset, elem) = self.scalar(op, first + i)?;
            let offset = self.wide(offset, elem.dtype());
            coordinates.push(self.coordinate(offset, axis, bits));
        }
        let (ptr, mask) = self.pointers(&d, &coordinates, bits);
        Ok((d, ptr, mask))
    }

    /// Pointers and mask of the rows listed by operand `first`, starting at the column given by the next operand.
    fn rows_at(&mut self, op: &Op, first: usize) -> Result<(Desc, NodeId, NodeId, Vec<usize>)> {
        let d = self.descriptor(op)?;
        let (rows, row_dims) = self.tile(op, first)?;
        let (column, elem) = self.scalar(op, first + 1)?;
        let [n, width] =
            [row_dims.first().copied(), d.block.last().copied()].map(|n| n.unwrap_or(1));
        let dims = vec![n, width];
        let (bits, low) = (index_bits(&dims), index_bits(&[width]));
        let rows = self.view(rows, (low..bits).map(own).collect(), bits);
        let rows = self.fun(Fun::SignExtend, WIDE, bits, &[rows]);
        let column = self.wide(column, elem.dtype());
        let columns = self.coordinate(column, (0, low), bits);
        let (ptr, mask) = self.pointers(&d, &[rows, columns], bits);
        Ok((d, ptr, mask, dims))
    }

    fn load_masked(&mut self, op: &'m Op, d: &Desc, ptr: NodeId, mask: NodeId) -> Result<()> {
        if op.defined().next().is_none() {
            return Ok(());
        }
        let (elem, dims) = self.result(op, 0)?;
        let bits = index_bits(&dims);
        let word = cranelift_codegen::ir::types::I64;
        let padding = match elem.clif() {
            ty if ty == word => d.padding,
            ty if ty.is_float() => {
                let narrow = match ty.bits() {
                    64 => d.padding,
                    _ => self.b.ins().ireduce(cranelift_codegen::ir::types::I32, d.padding),
                };
                self.bitcast(narrow, ty)
            }
            ty => self.b.ins().ireduce(ty, d.padding),
        };
        let other = Some(self.uniform(padding, elem, bits));
        let site = self.site(op);
        let kind = Kind::Load { ptr, mask: Some(mask), other, site };
        let node = self.make(kind, elem, bits, op.decl().cost, &[ptr, mask]);
        self.pending.push(node);
        self.give_block(op, 0, node, dims)
    }

    pub(super) fn descriptor_load(&mut self, op: &'m Op) -> Result<()> {
        let (d, ptr, mask) = self.block_at(op, ops::DescriptorLoad::AT.offsets)?;
        self.load_masked(op, &d, ptr, mask)
    }

    pub(super) fn descriptor_gather(&mut self, op: &'m Op) -> Result<()> {
        let (d, ptr, mask, _) = self.rows_at(op, ops::DescriptorGather::AT.rows)?;
        self.load_masked(op, &d, ptr, mask)
    }

    pub(super) fn descriptor_store(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::DescriptorStore::AT;
        let (value, _) = self.tile(op, at.value)?;
        let (d, ptr, mask) = self.block_at(op, at.offsets)?;
        let site = self.site(op);
        self.store_block(&d.block, Store { ptr, value, mask: Some(mask), site })
    }

    pub(super) fn descriptor_scatter(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::DescriptorScatter::AT;
        let (value, _) = self.tile(op, at.value)?;
        let (_, ptr, mask, dims) = self.rows_at(op, at.rows)?;
        let site = self.site(op);
        self.store_block(&dims, Store { ptr, value, mask: Some(mask), site })
    }

    pub(super) fn descriptor_reduce(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::DescriptorReduce::AT;
        let (value, _) = self.tile(op, at.value)?;
        let (d, ptr, mask) = self.block_at(op, at.offsets)?;
        self.reduce_block(op, &d.block, (ptr, value, mask), d.elem)
    }
}

/// The bits of a quiet NaN.
fn nan(dtype: DType) -> i64 {
    match dtype {
        DType::F64 => 0x7ff8 << 48,
        DType::F32 => 0x7fc0_0000,
        DType::F16 => 0x7e00,
        DType::BF16 => 0x7fc0,
        DType::F8E4M3FN | DType::F8E5M2 => 0x7f,
        _ => 0x80,
    }
}
