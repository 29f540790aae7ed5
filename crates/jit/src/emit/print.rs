//! Prints.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::{DType, Op, ops};
use trident_tile_analysis::Elem;

use super::node::Val;
use super::{Emitter, Result, refused, view};
use crate::routine::{Print, Routine};

impl<'m> Emitter<'m, '_> {
    /// Writes bytes to scratch and returns their address.
    fn text(&mut self, bytes: &[u8]) -> Value {
        let address = self.reserve(bytes.len());
        for (i, &byte) in bytes.iter().enumerate() {
            let value = self.b.ins().iconst(types::I8, i64::from(byte));
            self.put(address, i, value);
        }
        address
    }

    pub(super) fn print(&mut self, op: &'m Op) -> Result<()> {
        let print = view(op, ops::Print::of)?;
        let prefix = print.prefix().as_bytes();
        let signed = print.signed().unwrap_or_default();
        let operands = op.inputs.len();
        for operand in 0..operands.max(1) {
            let (data, dims, elem) = match operands {
                0 => (self.int(0), vec![], None),
                _ => {
                    if matches!(self.operand(op, operand)?, Val::Descriptor(_)) {
                        return Err(refused(op, "a descriptor cannot be printed"));
                    }
                    let (node, dims) = self.tile(op, operand)?;
                    (self.address(node, &dims)?, dims, Some(self.nodes[node].elem))
                }
            };
            let top = self.scratch.top;
            let record = self.reserve(size_of::<Print>());
            let lengths = self.reserve(8 * dims.len());
            let text = self.text(prefix);
            self.scratch.top = top;
            for (i, &n) in dims.iter().enumerate() {
                let n = self.int(n as i64);
                self.put(lengths, 8 * i, n);
            }
            let dtype = match elem {
                Some(Elem::Data(d)) => DType::ALL.iter().position(|&o| o == d).unwrap_or(0) as i64,
                _ => i64::from(u32::MAX),
            };
            let is_signed = signed.get(operand).map_or_else(
                || elem.is_some_and(|e| e.dtype().class() == trident_ir::dtype::Class::Int),
                |&s| s != 0,
            );
            self.put(record, offset_of!(Print, prefix), text);
            let length = self.int(prefix.len() as i64);
            self.put(record, offset_of!(Print, prefix_len), length);
            for axis in 0..3 {
                let id = self.program.ids[axis];
                self.put(record, offset_of!(Print, program) + 4 * axis, id);
            }
            self.put(record, offset_of!(Print, dims), lengths);
            self.put(record, offset_of!(Print, data), data);
            for (offset, value) in [
                (offset_of!(Print, rank), dims.len() as i64),
                (offset_of!(Print, dtype), dtype),
                (offset_of!(Print, operand), operand as i64),
                (offset_of!(Print, operands), operands as i64),
                (offset_of!(Print, hex), i64::from(print.hex())),
                (offset_of!(Print, signed), i64::from(is_signed)),
            ] {
                let value = self.b.ins().iconst(types::I32, value);
                self.put(record, offset, value);
            }
            self.call_routine(op, Routine::Print, &[record])?;
        }
        Ok(())
    }
}
