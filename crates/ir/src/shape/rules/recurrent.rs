//! RNN, GRU and LSTM.

use crate::Dim;
use crate::op::words::RecurrentDirection;
use crate::ops;
use crate::shape::view::{Shapes, View, nothing};

/// Y [seq, directions, batch, hidden] and the last states [directions, batch, hidden];
/// with `layout` 1 batch comes first.
pub(crate) fn recurrent(cx: &View<'_>) -> Shapes {
    for i in 0..3 {
        cx.expect_rank(i, 3)?;
    }
    let Some([first, second, size]) = cx.shape(0) else { return nothing() };
    if let Some([_, _, expected]) = cx.shape(1) {
        cx.equal(size, expected, "input size of the operand and of the weights")?;
    }
    let Some(op) = ops::Recurrence::of(cx.op) else { return nothing() };
    let batch_first = op.layout();
    let (seq, batch) = if batch_first { (second, first) } else { (first, second) };
    let directions = match op.direction() {
        RecurrentDirection::Bidirectional => 2,
        RecurrentDirection::Forward | RecurrentDirection::Reverse => 1,
    };
    let mut hidden = match op.hidden_size() {
        Some(n) => crate::shape::Expr::from(n).dim(),
        None => Dim::Unknown,
    };
    if let Some([d, _, h]) = cx.shape(2) {
        cx.equal(d, &Dim::Fixed(directions), "directions of the recurrent weights")?;
        hidden = cx.equal(&hidden, h, "`hidden_size` and the recurrent weights")?;
    }
    let directions = Dim::Fixed(directions);
    let [seq, batch] = [seq, batch].map(Clone::clone);
    let (y, state) = if batch_first {
        let y = vec![batch.clone(), seq, directions.clone(), hidden.clone()];
        (y, vec![batch, directions, hidden])
    } else {
        let y = vec![seq, directions.clone(), batch.clone(), hidden.clone()];
        (y, vec![directions, batch, hidden])
    };
    Ok(vec![Some(y), Some(state.clone()), Some(state)])
}
