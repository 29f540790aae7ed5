//! Reports of kernels: lines that they print, and conditions that do not hold.

use trident_ir::op::New;
use trident_ir::{Block, Op, ValueId, ops};

use super::emit::{Emitter, Result};
use super::error::Unsupported;

impl Emitter<'_, '_> {
    /// Each thread prints the elements that it holds, of copies the first.
    pub(super) fn print(&mut self, op: &Op) -> Result<()> {
        let view = self.view(op, ops::Print::of)?;
        let (prefix, hex) = (view.prefix(), view.hex());
        let operands: Vec<ValueId> = op.used().collect();
        if operands.is_empty() {
            let first = self.has_bits((1 << self.plan.threads) - 1, 0)?;
            let print = ops::Print::new(&[]).prefix(prefix.to_owned()).hex(hex);
            return self.printed_by(first, print);
        }
        for (i, &id) in operands.iter().enumerate() {
            let own = match operands.len() {
                1 => prefix.to_owned(),
                _ => format!("{prefix}(operand {i}) "),
            };
            let signed = view.signed().and_then(|signed| signed.get(i).copied());
            let dims = self.func.ty(id).dims().unwrap_or_default();
            let line = |given: &[ValueId]| {
                let print = ops::Print::new(given).prefix(own.clone()).hex(hex);
                let print = print.signed(signed.into_iter().collect());
                print.dims(dims.iter().map(|&n| n as i64).collect())
            };
            let node = self.plan.node_of(id);
            let node = node.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
            let layout = self.plan.layout_of(id);
            let first = self.is_first(&layout)?;
            for register in 0..layout.registers() {
                let index = layout.at(register);
                let mut given = vec![self.operand(node, &index)?];
                if !dims.is_empty() {
                    given.push(self.iota(0, &index)?);
                }
                match first {
                    Some(first) => self.printed_by(first, line(&given))?,
                    None => self.act(line(&given))?,
                }
            }
        }
        Ok(())
    }

    fn printed_by(&mut self, who: ValueId, print: New<ops::Print<'static>>) -> Result<()> {
        let then = self.region(vec![], |e| e.act(print).map(|()| vec![]))?;
        self.nest(ops::If::new(who), vec![], vec![then, Block::default()]).map(drop)
    }

    /// Each thread looks at the elements that it holds.
    pub(super) fn assert(&mut self, op: &Op) -> Result<()> {
        let view = self.view(op, ops::Assert::of)?;
        let id = view.condition();
        let node = self.plan.node_of(id);
        let node = node.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
        let layout = self.plan.layout_of(id);
        for register in 0..layout.registers() {
            let holds = self.operand(node, &layout.at(register))?;
            self.act(ops::Assert::new(holds).message(view.message().to_owned()))?;
        }
        Ok(())
    }
}
