//! The grid, and ops that make blocks and move their elements.

use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::Op;
use trident_ir::{Op as IrOp, ValueId, ops};

impl Import<'_> {
    pub(super) fn shape(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        let made: IrOp = match name {
            "get_program_id" => {
                let [] = self.exactly(op, xs)?;
                ops::ProgramId::new().axis(self.grid_axis(op)?).into()
            }
            "get_num_programs" => {
                let [] = self.exactly(op, xs)?;
                ops::NumPrograms::new().axis(self.grid_axis(op)?).into()
            }
            "make_range" => {
                let [] = self.exactly(op, xs)?;
                let (start, end) = self.range(op)?;
                ops::Arange::new().start(start).end(end).into()
            }
            "splat" => {
                let [x] = self.exactly(op, xs)?;
                return self.reshaped(op, x, ops::Splat::new(x).into());
            }
            "unsplat" => {
                let [x] = self.exactly(op, xs)?;
                return self.reshaped(op, x, ops::Unsplat::new(x).into());
            }
            "broadcast" => {
                let [x] = self.exactly(op, xs)?;
                return self.reshaped(op, x, ops::Broadcast::new(x).into());
            }
            "reshape" => {
                let [x] = self.exactly(op, xs)?;
                let reorder = self.flag(op, "allow_reorder");
                return self.reshaped(op, x, ops::View::new(x).reorder(reorder).into());
            }
            "expand_dims" => {
                let [x] = self.exactly(op, xs)?;
                ops::ExpandDims::new(x).axis(self.int(op, "axis")?).into()
            }
            "trans" => {
                let [x] = self.exactly(op, xs)?;
                match op.dict.get("order").and_then(|a| a.ints()) {
                    Some(order) => ops::Permute::new(x).order(order).into(),
                    None => return self.attribute(op, "order", "a list of axes"),
                }
            }
            "cat" => {
                let [a, b] = self.exactly(op, xs)?;
                ops::Cat::new(a, b).into()
            }
            "join" => {
                let [a, b] = self.exactly(op, xs)?;
                ops::Join::new(a, b).into()
            }
            "split" => {
                let [x] = self.exactly(op, xs)?;
                ops::Unjoin::new(x).into()
            }
            "gather" => {
                let [x, indices] = self.exactly(op, xs)?;
                ops::TakeAlongAxis::new(x, indices).axis(self.int(op, "axis")?).into()
            }
            _ => {
                let ([x], [mask]) = self.up_to(op, xs)?;
                ops::Histogram::new(x, mask).into()
            }
        };
        Ok(self.push(made, &self.result_types(op)))
    }

    /// Appends an op that changes the shape of its operand. Blocks without axes are scalars, which need none.
    fn reshaped(&mut self, op: &Op, x: ValueId, made: IrOp) -> Lowered {
        match self.result_types(op).first() == Some(self.ty(x)) {
            true => Ok(vec![x]),
            false => Ok(self.push(made, &self.result_types(op))),
        }
    }

    /// The axis of the grid that an op asks about.
    fn grid_axis(&self, op: &Op) -> Result<i64, Failure> {
        let axes = ["x", "y", "z"];
        let axis = self.keyword(op, "axis", &axes)?;
        Ok(axes.iter().position(|name| *name == axis).unwrap_or(0) as i64)
    }

    /// The first and the last number of a range, which the result has a place for.
    fn range(&self, op: &Op) -> Result<(i64, i64), Failure> {
        let (start, end) = (self.int(op, "start")?, self.int(op, "end")?);
        let ty = self.result_type(op)?;
        if ty.dims() != end.checked_sub(start).and_then(|n| Some(vec![n.try_into().ok()?])) {
            let length = format!("a block of the numbers {start} … {end} − 1");
            return self.wrong_type(op, "the result", ty, length);
        }
        Ok((start, end))
    }
}
