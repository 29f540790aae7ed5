//! RNN, GRU and LSTM.

use crate::Dim;
use crate::axes::Axes;
use crate::cost::{Work, elements};
use crate::op::grammar::ops;
use crate::op::words::RecurrentDirection;
use crate::ops;
use crate::shape::{Expr, Shapes, View, nothing};

ops! {
    /// Gated recurrent unit over a sequence, gates z, r, h: h' = g(Wh·x + Rh·(r∘h)), or with `linear_before_reset`
    /// g(Wh·x + r∘(Rh·h + bias)); the state is (1 − z)∘h' + z∘h. Activations are sigmoid and tanh if absent, `clip`
    /// bounds their arguments.
    GRU "gru" Recurrent (x: Any T, w[weight]: Any T, r[weight]: Any T, b[opt weight]: Any T, sequence_lens[opt], initial_h[opt]: Any T) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, layout: Flag = false, linear_before_reset: Flag = false,
    } onnx "" 1 shape recurrent flops recurrent_flops axes recurrent_axes;
    /// Long short-term memory over a sequence, gates i, o, f, c with peepholes `p`: c = f∘c + i∘g, h = o∘tanh(c);
    /// `input_forget` couples f = 1 − i. Activations are sigmoid, tanh, tanh if absent, `clip` bounds their arguments.
    LSTM "lstm" Recurrent (x: Any T, w[weight]: Any T, r[weight]: Any T, b[opt weight]: Any T, sequence_lens[opt], initial_h[opt]: Any T, initial_c[opt]: Any T, p[opt weight]: Any T)
        -> (y[opt]: Elem(0), y_h[opt]: Elem(0), y_c[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, input_forget: Flag = false, layout: Flag = false,
    } onnx "" 1 shape recurrent flops recurrent_flops axes recurrent_axes;
    /// Elman network over a sequence: h = f(W·x + R·h + biases), f tanh if absent, `clip` bounds its argument.
    RNN "rnn" Recurrent (x: Any T, w[weight]: Any T, r[weight]: Any T, b[opt weight]: Any T, sequence_lens[opt], initial_h[opt]: Any T) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, layout: Flag = false,
    } onnx "" 1 shape recurrent flops recurrent_flops axes recurrent_axes;
}

/// Y [seq, directions, batch, hidden] and the last states [directions, batch, hidden];
/// with `layout` 1 batch comes first.
fn recurrent(cx: &View<'_>) -> Shapes {
    for i in 0..3 {
        cx.expect_rank(i, 3)?;
    }
    let Some([first, second, size]) = cx.shape(0) else { return nothing() };
    if let Some([_, _, expected]) = cx.shape(1) {
        cx.equal(size, expected, "input size of the input and of the weights")?;
    }
    let Some(op) = ops::Recurrence::of(cx.op) else { return nothing() };
    let batch_first = op.layout();
    let (seq, batch) = if batch_first { (second, first) } else { (first, second) };
    let directions = match op.direction() {
        RecurrentDirection::Bidirectional => 2,
        RecurrentDirection::Forward | RecurrentDirection::Reverse => 1,
    };
    let mut hidden = match op.hidden_size() {
        Some(n) => Expr::from(n).dim(),
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

/// Both products of every step, x·w and h·r, for each sequence and batch entry.
fn recurrent_flops(work: &Work<'_>) -> f64 {
    let at = ops::RNN::AT;
    let steps = elements(work.operand(at.x).get(..2).unwrap_or_default());
    2.0 * steps * (elements(work.operand(at.w)) + elements(work.operand(at.r)))
}

/// RNN, GRU, LSTM: entries of the batch are on their own. The weights mix.
fn recurrent_axes(cx: &View<'_>) -> Option<Axes> {
    Axes::pattern(
        cx,
        match ops::Recurrence::of(cx.op)?.layout() {
            true => "n__, *, *, *, n, n__, n__, * -> n___, n__",
            false => "_n_, *, *, *, n, _n_, _n_, * -> __n_, _n_",
        },
    )
}
