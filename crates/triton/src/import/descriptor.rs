//! Descriptors of tensors in memory. The sign of their integers matters only to reductions; blocks of unsigned integers
//! are read and written as the signed numbers of Triton IR.

use super::emit::Keywords;
use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::Op;
use trident_ir::op::words::{DescriptorPadding, DescriptorReduction};
use trident_ir::types::{DescriptorType, PointerType};
use trident_ir::{DType, Op as IrOp, Type, ValueId, ops};

/// Reductions; `None` for those that are refused.
const UPDATES: Keywords<Option<DescriptorReduction>> = Keywords {
    known: &[
        ("add", Some(DescriptorReduction::Add)),
        ("min", Some(DescriptorReduction::Min)),
        ("max", Some(DescriptorReduction::Max)),
        ("inc", None),
        ("dec", None),
        ("and", Some(DescriptorReduction::And)),
        ("or", Some(DescriptorReduction::Or)),
        ("xor", Some(DescriptorReduction::Xor)),
    ],
};

impl Import<'_> {
    pub(super) fn descriptor(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "make_tensor_descriptor" {
            return self.make_descriptor(op, xs);
        }
        let described = match xs.first().map(|&d| self.ty(d)) {
            Some(Type::Descriptor(d)) => d.clone(),
            Some(other) => return self.wrong_type(op, "operand 0", other, "a descriptor"),
            None => return self.counted(op, "operand", 0, 1).map(|()| vec![]),
        };
        let axes = described.block.len();
        let made: IrOp = match name {
            "descriptor_load" => {
                let ([descriptor], offsets) = self.first(op, xs, axes)?;
                let hints = self.cache_hints(op)?;
                let mut load = ops::DescriptorLoad::new(descriptor, offsets);
                if let Some(cache) = hints.cache {
                    load = load.cache(cache);
                }
                if let Some(eviction) = hints.eviction {
                    load = load.eviction(eviction);
                }
                return self.read_described(op, load.into(), described.dtype);
            }
            "descriptor_gather" => {
                let [descriptor, rows, column] = self.exactly(op, xs)?;
                let gather = ops::DescriptorGather::new(descriptor, rows, column);
                return self.read_described(op, gather.into(), described.dtype);
            }
            "descriptor_scatter" => {
                // The text has the block last.
                let [descriptor, rows, column, block] = self.exactly(op, xs)?;
                let block = self.described(op, block, described.dtype)?;
                ops::DescriptorScatter::new(descriptor, block, rows, column).into()
            }
            "descriptor_reduce" => {
                let Some(update) = self.choice(op, "kind", &UPDATES)? else {
                    return self.attribute(op, "kind", "add, min, max, and, or or xor");
                };
                let ([descriptor, block], offsets) = self.first(op, xs, axes)?;
                let block = self.described(op, block, described.dtype)?;
                ops::DescriptorReduce::new(descriptor, block, offsets).op(update).into()
            }
            _ => {
                let ([descriptor, block], offsets) = self.first(op, xs, axes)?;
                let block = self.described(op, block, described.dtype)?;
                ops::DescriptorStore::new(descriptor, block, offsets).into()
            }
        };
        Ok(self.push(made, &[]))
    }

    /// The first `N` operands, and the others, one for each axis.
    fn first<'x, const N: usize>(
        &self,
        op: &Op,
        xs: &'x [ValueId],
        axes: usize,
    ) -> Result<([ValueId; N], &'x [ValueId]), Failure> {
        self.counted(op, "operand", xs.len(), N + axes)?;
        match xs.split_first_chunk() {
            Some((first, rest)) => Ok((*first, rest)),
            None => self.unknown(op),
        }
    }

    /// Appends an op that reads a block of these elements, and gives the block the type that the text says.
    fn read_described(&mut self, op: &Op, made: IrOp, of: DType) -> Lowered {
        let ty = self.result_type(op)?.clone();
        let Some(dtype) = ty.dtype() else {
            return self.wrong_type(op, "the result", &ty, "a block of numbers");
        };
        let block = self.emit(made, super::emit::elements(Some(&ty), of));
        Ok(vec![self.bitcast(block, dtype)])
    }

    /// A block that is written, as these elements.
    fn described(&mut self, op: &Op, block: ValueId, of: DType) -> Result<ValueId, Failure> {
        self.dtype(op, block)?;
        Ok(self.bitcast(block, of))
    }

    fn make_descriptor(&mut self, op: &Op, xs: &[ValueId]) -> Lowered {
        let ty = self.result_type(op)?.clone();
        let Type::Descriptor(DescriptorType { dtype, block }) = &ty else {
            return self.wrong_type(op, "the result", &ty, "a descriptor");
        };
        let ([base], dims) = self.first(op, xs, 2 * block.len())?;
        let base = self.pointer_to(op, base, *dtype)?;
        let mut descriptor = ops::MakeDescriptor::new(base, dims);
        match op.dict.get("padding").map(|a| (a.int(), a.word())) {
            None | Some((Some(1), _) | (_, Some("zero" | "PAD_ZERO"))) => {}
            Some((Some(2), _) | (_, Some("nan" | "PAD_NAN"))) => {
                descriptor = descriptor.padding(DescriptorPadding::Nan);
            }
            Some(_) => return self.attribute(op, "padding", "1 (zero) or 2 (NaN)"),
        }
        Ok(vec![self.emit(descriptor, ty)])
    }

    /// The pointer as one to elements of this type.
    fn pointer_to(&mut self, op: &Op, base: ValueId, dtype: DType) -> Result<ValueId, Failure> {
        match self.ty(base).clone() {
            Type::Pointer(p) if p.to == dtype => Ok(base),
            Type::Pointer(p) if p.to.bits() == dtype.bits() => {
                let ty = Type::Pointer(PointerType { to: dtype, ..p });
                Ok(self.emit(ops::PtrCast::new(base), ty))
            }
            other => self.wrong_type(op, "operand 0", &other, format!("a pointer to {dtype}")),
        }
    }
}
