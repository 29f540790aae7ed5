//! Descriptors of tensors in memory. The sign of their integers matters to reductions alone; blocks of unsigned ones are
//! read and written as the signed numbers that Triton IR has.

use super::{Import, Lowered};
use crate::Failure;
use crate::syntax::Op;
use trident_ir::op::OpKind as K;
use trident_ir::types::{DescriptorType, PointerType};
use trident_ir::{Attr, Type, ValueId};

const UPDATES: &[&str] = &["", "add", "min", "max", "inc", "dec", "and", "or", "xor"];

impl Import<'_, '_> {
    pub(super) fn descriptor(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "make_tensor_descriptor" {
            return self.make_descriptor(op, xs);
        }
        let described = match xs.first().map(|&d| self.ty(d)) {
            Some(Type::Descriptor(d)) => d.clone(),
            Some(other) => return self.wrong_type(op, "operand 0", other, "a descriptor"),
            None => return self.counted(op, "operand", 0, 1).map(|()| vec![]),
        };
        let mut inputs = xs.to_vec();
        let mut attrs = vec![];
        let kind = match name {
            "descriptor_load" => {
                attrs = self.cache_hints(op, K::DescriptorLoad)?;
                K::DescriptorLoad
            }
            "descriptor_gather" => K::DescriptorGather,
            "descriptor_scatter" => {
                // The text has the block last.
                let [d, rows, column, block] = self.exactly(op, xs)?;
                inputs = vec![d, block, rows, column];
                K::DescriptorScatter
            }
            "descriptor_reduce" => {
                match self.keyword(op, "kind", UPDATES)? {
                    "inc" | "dec" => {
                        return self.attribute(op, "kind", "add, min, max, and, or or xor");
                    }
                    update => attrs.push(("op", Attr::Str(update.into()))),
                }
                K::DescriptorReduce
            }
            _ => K::DescriptorStore,
        };
        match kind {
            K::DescriptorGather => self.counted(op, "operand", xs.len(), 3)?,
            K::DescriptorScatter => {}
            _ => {
                let block = usize::from(kind != K::DescriptorLoad);
                self.counted(op, "operand", xs.len(), 1 + block + described.block.len())?;
            }
        }
        if matches!(kind, K::DescriptorLoad | K::DescriptorGather) {
            let ty = self.result_type(op)?.clone();
            let Some(dtype) = ty.dtype() else {
                return self.wrong_type(op, "the result", &ty, "a block of numbers");
            };
            let read = super::emit::elements(Some(&ty), described.dtype);
            let inputs = inputs.into_iter().map(Some).collect();
            let block = self.push(kind, inputs, attrs, &[read]);
            let block = block.into_iter().map(|x| self.bitcast(x, dtype)).collect();
            return Ok(block);
        }
        if let Some(block) = inputs.get_mut(1) {
            self.dtype(op, *block)?;
            *block = self.bitcast(*block, described.dtype);
        }
        Ok(self.push(kind, inputs.into_iter().map(Some).collect(), attrs, &[]))
    }

    fn make_descriptor(&mut self, op: &Op<'_>, xs: &[ValueId]) -> Lowered {
        let ty = self.result_type(op)?.clone();
        let Type::Descriptor(DescriptorType { dtype, block }) = &ty else {
            return self.wrong_type(op, "the result", &ty, "a descriptor");
        };
        self.counted(op, "operand", xs.len(), 1 + 2 * block.len())?;
        let mut inputs = xs.to_vec();
        if let Some(base) = inputs.first_mut() {
            *base = self.pointer_to(op, *base, *dtype)?;
        }
        let mut attrs = vec![];
        match op.attrs.get("padding").map(|a| (a.int(), a.word())) {
            None | Some((Some(1), _) | (_, Some("zero" | "PAD_ZERO"))) => {}
            Some((Some(2), _) | (_, Some("nan" | "PAD_NAN"))) => {
                attrs.push(("padding", Attr::Str("nan".into())));
            }
            Some(_) => return self.attribute(op, "padding", "1 (zero) or 2 (NaN)"),
        }
        Ok(self.push(K::MakeDescriptor, inputs.into_iter().map(Some).collect(), attrs, &[ty]))
    }

    /// The pointer as one to elements of this type.
    fn pointer_to(
        &mut self,
        op: &Op<'_>,
        base: ValueId,
        dtype: trident_ir::DType,
    ) -> Result<ValueId, Failure> {
        match self.ty(base).clone() {
            Type::Pointer(p) if p.to == dtype => Ok(base),
            Type::Pointer(p) if p.to.bits() == dtype.bits() => {
                let ty = Type::Pointer(PointerType { to: dtype, ..p });
                Ok(self.emit(K::PtrCast, &[base], &[], ty))
            }
            other => self.wrong_type(op, "operand 0", &other, format!("a pointer to {dtype}")),
        }
    }
}
