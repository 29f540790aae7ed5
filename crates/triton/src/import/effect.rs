//! Output, assertions, promises and barriers.

use super::{Import, Lowered};
use crate::syntax::Op;
use trident_ir::op::OpKind as K;
use trident_ir::{Attr, ValueId};

impl Import<'_, '_> {
    pub(super) fn effect(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "assert" {
            let [condition] = self.exactly(op, xs)?;
            let message = Attr::Str(self.text(op, "message")?);
            return Ok(self.push(K::Assert, vec![Some(condition)], [("message", message)], &[]));
        }
        let mut attrs = vec![("prefix", Attr::Str(self.text(op, "prefix")?))];
        if op.attrs.get("hex").and_then(|a| a.int()).is_some_and(|v| v != 0) {
            attrs.push(("hex", Attr::Int(1)));
        }
        let signed = op.attrs.get("isSigned").and_then(|a| a.ints()).unwrap_or_default();
        if !signed.is_empty() {
            self.counted(op, "sign", signed.len(), xs.len())?;
            attrs.push(("signed", Attr::Ints(signed)));
        }
        for &x in xs {
            if self.ty(x).shape().is_none() {
                return self.wrong_type(op, "an operand", self.ty(x), "numbers or pointers");
            }
        }
        Ok(self.push(K::Print, xs.iter().copied().map(Some).collect(), attrs, &[]))
    }

    pub(super) fn assume(&mut self, op: &Op<'_>, xs: &[ValueId]) -> Lowered {
        let [condition] = self.exactly(op, xs)?;
        Ok(self.push(K::Assume, vec![Some(condition)], [], &[]))
    }

    pub(super) fn barrier(&mut self, op: &Op<'_>, xs: &[ValueId]) -> Lowered {
        let [] = self.exactly(op, xs)?;
        Ok(self.push(K::Barrier, vec![], [], &[]))
    }

    pub(super) fn poison(&mut self, op: &Op<'_>) -> Lowered {
        let ty = self.result_type(op)?.clone();
        Ok(vec![self.emit(K::Poison, &[], &[], ty)])
    }
}
