//! The grid, and ops that make blocks and move their elements.

use super::{Import, Lowered};
use crate::syntax::Op;
use trident_ir::op::OpKind as K;
use trident_ir::{Attr, OpKind, ValueId};

impl Import<'_, '_> {
    pub(super) fn shape(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        let (kind, count): (OpKind, usize) = match name {
            "get_program_id" => (K::ProgramId, 0),
            "get_num_programs" => (K::NumPrograms, 0),
            "make_range" => (K::Arange, 0),
            "splat" => (K::Splat, 1),
            "unsplat" => (K::Unsplat, 1),
            "expand_dims" => (K::ExpandDims, 1),
            "broadcast" => (K::Broadcast, 1),
            "reshape" => (K::View, 1),
            "trans" => (K::Permute, 1),
            "cat" => (K::Cat, 2),
            "join" => (K::Join, 2),
            "split" => (K::Unjoin, 1),
            "gather" => (K::TakeAlongAxis, 2),
            _ => (K::Histogram, if xs.len() == 2 { 2 } else { 1 }),
        };
        self.counted(op, "operand", xs.len(), count)?;
        let mut attrs = vec![];
        match kind {
            K::ProgramId | K::NumPrograms => {
                let axes = ["x", "y", "z"];
                let axis = self.keyword(op, "axis", &axes)?;
                let axis = axes.iter().position(|a| *a == axis).unwrap_or(0);
                attrs.push(("axis", Attr::Int(axis as i64)));
            }
            K::Arange => {
                let (start, end) = (self.int(op, "start")?, self.int(op, "end")?);
                let ty = self.result_type(op)?;
                if ty.dims() != end.checked_sub(start).and_then(|n| Some(vec![n.try_into().ok()?]))
                {
                    let length = format!("a block of the numbers {start} … {end} − 1");
                    return self.wrong_type(op, "the result", ty, length);
                }
                attrs.extend([("start", Attr::Int(start)), ("end", Attr::Int(end))]);
            }
            K::ExpandDims | K::TakeAlongAxis => {
                attrs.push(("axis", Attr::Int(self.int(op, "axis")?)));
            }
            K::View
                if op.attrs.get("allow_reorder").and_then(|a| a.int()).is_some_and(|v| v != 0) =>
            {
                attrs.push(("reorder", Attr::Int(1)));
            }
            K::Permute => match op.attrs.get("order").and_then(|a| a.ints()) {
                Some(order) => attrs.push(("order", Attr::Ints(order))),
                None => return self.attribute(op, "order", "a list of axes"),
            },
            _ => {}
        }
        // Blocks without axes are scalars.
        if let (K::Splat | K::Unsplat | K::Broadcast | K::View, &[x]) = (kind, xs)
            && op.result_types.first() == Some(self.ty(x))
        {
            return Ok(vec![x]);
        }
        let inputs = xs.iter().copied().map(Some).collect();
        Ok(self.push(kind, inputs, attrs, &op.result_types))
    }
}
