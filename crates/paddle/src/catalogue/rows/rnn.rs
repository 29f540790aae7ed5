//! Recurrent networks.

use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_PARTS, MOST_SIZE, Out, Outputs, Row};
use trident_ir::op::words::RecurrentDirection;
use trident_ir::{DType, ValueId, ops};

signature! {
    Rnn (x: ValueId, pre_state: Vec<ValueId>, weight_list: Vec<ValueId>, sequence_length: Option<ValueId>) {
        is_bidirec: bool = false,
        hidden_size: i64 = 100,
        num_layers: i64 = 1,
        mode: String = "RNN_TANH",
        dropout_prob: f64 = 0.0,
        is_test: bool = false,
    } -> out dropout_state_out state
}

pub(super) static ROWS: &[Row] =
    &[row!("rnn", Rnn, rnn, "rnn": "x=Input dropout_state_out=DropoutState")];

/// The order of our gates by Paddle's places: Paddle has i, f, c, o for LSTM and r, z, c for GRU.
fn gates(mode: &str) -> &'static [i64] {
    match mode {
        "LSTM" => &[0, 3, 1, 2],
        "GRU" => &[1, 0, 2],
        _ => &[0],
    }
}

/// Rows of weights or biases in the order of our gates.
fn reordered(c: &mut Call<'_, '_>, x: ValueId, mode: &str, hidden: i64) -> Made {
    let gates = gates(mode);
    if gates.len() == 1 {
        return Ok(x);
    }
    let mut parts = vec![];
    for &gate in gates {
        parts.push(c.slice(x, 0, gate * hidden, (gate + 1) * hidden)?);
    }
    c.concat(&parts, 0)
}

/// The weights of a layer: one tensor [directions, …] from those of each direction.
fn stacked(c: &mut Call<'_, '_>, parts: &[ValueId]) -> Made {
    let mut own = vec![];
    for &part in parts {
        own.push(c.unsqueeze(part, &[0])?);
    }
    c.concat(&own, 0)
}

/// Layers over a sequence [length, batch, size]. States are [layers·directions, batch, hidden]. Weights are those of all
/// layers and directions, and then the biases of all: for the input and for the state.
fn rnn(c: &mut Call<'_, '_>, op: Rnn) -> Made<Outputs> {
    if !op.is_test && op.dropout_prob != 0.0 {
        return c.refuse("it is in training mode; export the model after `eval()`");
    }
    let directions = if op.is_bidirec { 2 } else { 1 };
    let layers = c.within("num_layers", op.num_layers, 1..=MOST_PARTS)? as usize;
    c.within("hidden_size", op.hidden_size, 1..=MOST_SIZE / 4)?;
    let count = 2 * layers * directions;
    let has_bias = op.weight_list.len() == 2 * count;
    if !has_bias && op.weight_list.len() != count {
        return c.refuse(format!(
            "{} weights for {layers} layers in {directions} directions",
            op.weight_list.len()
        ));
    }
    let is_lstm = op.mode == "LSTM";
    if op.pre_state.len() != if is_lstm { 2 } else { 1 } {
        return c.refuse(format!("{} states for mode {}", op.pre_state.len(), op.mode));
    }
    let lengths = match op.sequence_length {
        Some(lengths) => Some(c.cast(lengths, DType::I32)?),
        None => None,
    };
    let mut x = op.x;
    let mut states: Vec<Vec<ValueId>> = vec![vec![]; op.pre_state.len()];
    for layer in 0..layers {
        let at = |direction: usize, kind: usize| 2 * (layer * directions + direction) + kind;
        let (mut w, mut r, mut b) = (vec![], vec![], vec![]);
        for direction in 0..directions {
            w.push(reordered(c, op.weight_list[at(direction, 0)], &op.mode, op.hidden_size)?);
            r.push(reordered(c, op.weight_list[at(direction, 1)], &op.mode, op.hidden_size)?);
            if has_bias {
                let own = reordered(
                    c,
                    op.weight_list[count + at(direction, 0)],
                    &op.mode,
                    op.hidden_size,
                )?;
                let state = reordered(
                    c,
                    op.weight_list[count + at(direction, 1)],
                    &op.mode,
                    op.hidden_size,
                )?;
                b.push(c.concat(&[own, state], 0)?);
            }
        }
        let (w, r) = (stacked(c, &w)?, stacked(c, &r)?);
        let b = if has_bias { Some(stacked(c, &b)?) } else { None };
        let first = (layer * directions) as i64;
        let mut initial = vec![];
        for &state in &op.pre_state {
            initial.push(match layers {
                1 => state,
                _ => c.slice(state, 0, first, first + directions as i64)?,
            });
        }
        let weights = Layer { w, r, b, lengths, initial, hidden: op.hidden_size, directions };
        let found = run(c, x, &op.mode, weights)?;
        for (states, &last) in states.iter_mut().zip(&found[1..]) {
            states.push(last);
        }
        // [length, directions, batch, hidden] to [length, batch, directions·hidden].
        let y = c.transpose(found[0], &[0, 2, 1, 3])?;
        x = c.reshape(y, &[0, 0, op.hidden_size * directions as i64])?;
    }
    let mut last = vec![];
    for states in states {
        last.push(c.concat(&states, 0)?);
    }
    Ok(Outputs(vec![Out::Tensor(x), Out::Nothing, Out::List(last)]))
}

/// The operands of one layer.
struct Layer {
    w: ValueId,
    r: ValueId,
    b: Option<ValueId>,
    lengths: Option<ValueId>,
    initial: Vec<ValueId>,
    hidden: i64,
    directions: usize,
}

/// The outputs of a layer and its last states.
fn run(c: &mut Call<'_, '_>, x: ValueId, mode: &str, layer: Layer) -> Made<Vec<ValueId>> {
    let Layer { w, r, b, lengths, initial, hidden, directions } = layer;
    let direction = match directions {
        1 => RecurrentDirection::Forward,
        _ => RecurrentDirection::Bidirectional,
    };
    let state = initial.first().copied();
    match mode {
        "LSTM" => {
            let cell = initial.last().copied();
            let op = ops::LSTM::new(x, w, r, b, lengths, state, cell, None);
            c.add_all(op.hidden_size(hidden).direction(direction), 3)
        }
        "GRU" => {
            let op = ops::GRU::new(x, w, r, b, lengths, state);
            c.add_all(op.hidden_size(hidden).direction(direction).linear_before_reset(true), 2)
        }
        "RNN_TANH" | "RNN_RELU" => {
            let activation = if mode == "RNN_RELU" { "Relu" } else { "Tanh" };
            let activations = vec![activation.to_owned(); directions];
            let op = ops::RNN::new(x, w, r, b, lengths, state).activations(activations);
            c.add_all(op.hidden_size(hidden).direction(direction), 2)
        }
        other => c.refuse(format!("`mode` is `{other}`, expected LSTM, GRU, RNN_TANH or RNN_RELU")),
    }
}
