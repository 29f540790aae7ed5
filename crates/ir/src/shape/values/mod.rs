//! Partial evaluation of small values: which elements of a result follow from those of the operands.

mod arith;
mod moves;

use super::expr::Expr;
use super::known::{Elem, Known};
use super::view::View;
use crate::{Attr, OpKind as K};

/// What is known of the values of the results, in order.
pub(super) fn evaluate(cx: &View<'_>) -> Vec<Option<Known>> {
    if cx.op.kind == K::Split {
        return moves::split(cx).unwrap_or_default();
    }
    vec![first(cx)]
}

fn first(cx: &View<'_>) -> Option<Known> {
    match cx.op.kind {
        K::Constant => match cx.op.attrs.get("value") {
            Some(Attr::Tensor(literal)) => Known::of(literal),
            _ => None,
        },
        K::ConstantOfShape => moves::filled(cx),
        K::Identity => cx.known(0).cloned(),
        K::Shape => {
            let x = cx.shape(0)?;
            let (start, end) = super::rules::shape_bounds(cx, x.len());
            let dims = x.get(start..end.max(start))?;
            Known::vector(dims.iter().map(|d| Elem::from(Expr::of(d))).collect())
        }
        K::Size => Some(Known::scalar(Expr::of(&super::dims::product(cx.shape(0)?)).into())),
        K::Reshape | K::Squeeze | K::Unsqueeze | K::Flatten => moves::reshaped(cx),
        K::Concat => moves::concat(cx),
        K::Gather => moves::gather(cx),
        K::GatherElements => moves::gather_elements(cx),
        K::Slice => moves::slice(cx),
        K::Expand => moves::expand(cx),
        K::Tile => moves::tile(cx),
        K::Transpose => moves::transpose(cx),
        K::Range => moves::range(cx),
        K::ReduceProd | K::ReduceSum | K::ReduceMax | K::ReduceMin => arith::reduce(cx),
        _ => arith::elementwise(cx),
    }
}
