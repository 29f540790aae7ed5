//! Output, assertions, promises and barriers.

use super::{Import, Lowered};
use crate::ttir::Op;
use trident_ir::{ValueId, ops};

impl Import<'_> {
    pub(super) fn effect(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "assert" {
            let [condition] = self.exactly(op, xs)?;
            let message = self.text(op, "message")?;
            return Ok(self.push(ops::Assert::new(condition).message(message), &[]));
        }
        let mut print = ops::Print::new(xs).prefix(self.text(op, "prefix")?);
        print = print.hex(self.flag(op, "hex"));
        let signed = op.dict.get("isSigned").and_then(|a| a.ints()).unwrap_or_default();
        if !signed.is_empty() {
            self.counted(op, "sign", signed.len(), xs.len())?;
            print = print.signed(signed);
        }
        for &x in xs {
            if self.ty(x).shape().is_none() {
                return self.wrong_type(op, "an operand", self.ty(x), "numbers or pointers");
            }
        }
        Ok(self.push(print, &[]))
    }

    pub(super) fn assume(&mut self, op: &Op, xs: &[ValueId]) -> Lowered {
        let [condition] = self.exactly(op, xs)?;
        Ok(self.push(ops::Assume::new(condition), &[]))
    }

    pub(super) fn barrier(&mut self, op: &Op, xs: &[ValueId]) -> Lowered {
        let [] = self.exactly(op, xs)?;
        Ok(self.push(ops::Barrier::new(), &[]))
    }

    pub(super) fn poison(&mut self, op: &Op) -> Lowered {
        let ty = self.result_type(op)?.clone();
        Ok(vec![self.emit(ops::Poison::new(), ty)])
    }
}
