//! Effects of ops, besides their results.

use super::OpDecl;
use crate::{Block, Op, ops};

/// The effect of running an op on the world, or of the world on the op. The order is by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Nothing: the op may be dropped, doubled and moved.
    Pure,
    /// Reads memory: it may be dropped or doubled, and moved as long as it passes no write.
    Read,
    /// Writes memory, orders writes, waits for other threads, prints or stops: it stays, in its order.
    Write,
}

impl OpDecl {
    /// The effect of the op itself, without its regions. The callee of a `call` is not known here, so it counts as a
    /// write.
    pub fn effect(&self) -> Effect {
        self.effect
    }
}

impl Op {
    /// The strongest effect of the op and all in its regions. A volatile load counts as a write: it stays.
    pub fn effect(&self) -> Effect {
        let volatile = ops::Load::of(self).is_some_and(|load| load.volatile());
        let own = if volatile { Effect::Write } else { self.decl().effect };
        self.regions.iter().map(Block::effect).fold(own, Effect::max)
    }
}

impl Block {
    /// The strongest effect of the ops.
    pub fn effect(&self) -> Effect {
        self.ops.iter().map(Op::effect).max().unwrap_or(Effect::Pure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Func;

    fn effects(body: &str) -> Vec<Effect> {
        let text =
            format!("func @f tile (%p: ptr<f32>[], %c: bool[], %x: f32[]) {{ {body} return }}");
        let func: Func = text.parse().unwrap();
        func.verify().unwrap();
        func.body.ops.iter().map(Op::effect).collect()
    }

    #[test]
    fn the_strongest_inside_counts() {
        assert_eq!(
            effects(
                "%a = neg(%x) assume(%c) %b = load(%p) %v = load(%p) {volatile = 1} barrier store(%p, %x)"
            ),
            [Effect::Pure, Effect::Pure, Effect::Read, Effect::Write, Effect::Write, Effect::Write]
        );
        let branch = |op: &str| {
            effects(&format!("if(%c) region {{ %y = neg(%x) yield }} region {{ {op} yield }}"))
        };
        assert_eq!(branch("%z = load(%p)"), [Effect::Read]);
        assert_eq!(branch("store(%p, %x)"), [Effect::Write]);
        assert_eq!(branch("call(%x) {callee = \"g\"}"), [Effect::Write]);
        assert_eq!(branch(""), [Effect::Pure]);
    }
}
