//! What kernels tell: lines that they print, and conditions that do not hold.

use trident_ir::{Attr, Block, Op, OpKind as K, ValueId};

use super::emit::{Emitter, Result};
use super::error::Unsupported;

impl Emitter<'_, '_> {
    /// Each thread prints the elements that it holds, of copies the first.
    pub(super) fn print(&mut self, op: &Op) -> Result<()> {
        let prefix = op.str("prefix").unwrap_or_default().to_owned();
        let hex = ("hex", op.attr("hex").unwrap_or(Attr::Int(0)));
        let operands: Vec<ValueId> = op.used().collect();
        if operands.is_empty() {
            let first = self.has_bits((1 << self.plan.threads) - 1, 0)?;
            return self.printed_by(first, &[], &[("prefix", Attr::Str(prefix)), hex]);
        }
        for (i, &id) in operands.iter().enumerate() {
            let own = match operands.len() {
                1 => prefix.clone(),
                _ => format!("{prefix}(operand {i}) "),
            };
            let signed = op.ints("signed").and_then(|signed| signed.get(i).copied());
            let dims = self.func.ty(id).dims().unwrap_or_default();
            let attrs = [
                ("prefix", Attr::Str(own)),
                hex.clone(),
                ("signed", Attr::Ints(signed.into_iter().collect())),
                ("dims", Attr::Ints(dims.iter().map(|&n| n as i64).collect())),
            ];
            let node = self.plan.node_of(id);
            let node = node.ok_or_else(|| Unsupported::new(op, "takes no block"))?;
            let layout = self.plan.layout_of(id);
            let first = self.is_first(&layout)?;
            for register in 0..layout.registers() {
                let index = layout.at(register);
                let mut given = vec![self.operand(node, &index)?];
                if !dims.is_empty() {
                    given.push(self.iota(0, &index)?);
                }
                match first {
                    Some(first) => self.printed_by(first, &given, &attrs)?,
                    None => self.printed(&given, &attrs)?,
                }
            }
        }
        Ok(())
    }

    fn printed(&mut self, given: &[ValueId], attrs: &[(&'static str, Attr)]) -> Result<()> {
        let inputs: Vec<Option<ValueId>> = given.iter().copied().map(Some).collect();
        self.build("print", |b| b.ops(K::Print, &inputs, attrs, 0)).map(drop)
    }

    fn printed_by(
        &mut self,
        who: ValueId,
        given: &[ValueId],
        attrs: &[(&'static str, Attr)],
    ) -> Result<()> {
        let then = self.region(vec![], |e| e.printed(given, attrs).map(|()| vec![]))?;
        self.nest(K::If, &[who], vec![], vec![then, Block::default()]).map(drop)
    }

    /// Each thread looks at the elements that it holds.
    pub(super) fn assert(&mut self, op: &Op) -> Result<()> {
        let id = op.input(0);
        let found = id.and_then(|id| Some((id, self.plan.node_of(id)?)));
        let (id, node) = found.ok_or_else(|| Unsupported::new(op, "takes no block"))?;
        let attrs = [("message", op.attr("message").unwrap_or(Attr::Str(String::new())))];
        let layout = self.plan.layout_of(id);
        for register in 0..layout.registers() {
            let holds = self.operand(node, &layout.at(register))?;
            self.build("assert", |b| b.ops(K::Assert, &[Some(holds)], &attrs, 0))?;
        }
        Ok(())
    }
}
