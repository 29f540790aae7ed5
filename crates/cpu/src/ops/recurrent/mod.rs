//! Recurrent networks: RNN, GRU and LSTM. Input products of all steps are one matrix product per direction; each step
//! then multiplies the hidden state. Constant weights are packed once.

mod cell;
mod function;
#[cfg(test)]
mod tests;
mod weights;

use crate::kernel::{Call, Compile, CpuKernel, Entry, Made, entry};
use crate::real::{Real, for_real, produce, read};
use cell::{Cell, State};
use function::{Functions, Named};
use trident_ir::counted;
use trident_ir::op::words::RecurrentDirection;
use trident_ir::ops::{GRU, LSTM, LSTMAt, RNN, Recurrence};
use trident_kernels::gemm::{Epilogue, GemmShape, Lhs, Rhs, Strided, gemm};
use trident_kernels::threads::checkpoint;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;
use weights::Weights;

pub(super) const KERNELS: &[Entry] =
    &[entry(GRU::KIND, gru), entry(LSTM::KIND, lstm), entry(RNN::KIND, rnn)];

/// Places of operands and results. The other networks have the first of them.
const AT: LSTMAt = LSTM::AT;
const _: () = {
    assert!(AT.x == RNN::AT.x && AT.w == RNN::AT.w && AT.r == RNN::AT.r && AT.b == RNN::AT.b);
    assert!(AT.x == GRU::AT.x && AT.w == GRU::AT.w && AT.r == GRU::AT.r && AT.b == GRU::AT.b);
    assert!(AT.sequence_lens == RNN::AT.sequence_lens && AT.initial_h == RNN::AT.initial_h);
    assert!(AT.sequence_lens == GRU::AT.sequence_lens && AT.initial_h == GRU::AT.initial_h);
    assert!(AT.y == RNN::AT.y && AT.y == GRU::AT.y);
    assert!(AT.y_h == RNN::AT.y_h && AT.y_h == GRU::AT.y_h);
};

fn rnn(cx: &Compile<'_>) -> Made {
    let op = cx.view(RNN::of)?;
    let named = Named::of(op.activations(), op.activation_alpha(), op.activation_beta());
    kernel(cx, Cell::rnn(op.clip()), op.recurrence(), named)
}

fn gru(cx: &Compile<'_>) -> Made {
    let op = cx.view(GRU::of)?;
    let named = Named::of(op.activations(), op.activation_alpha(), op.activation_beta());
    kernel(cx, Cell::gru(op.clip(), op.linear_before_reset()), op.recurrence(), named)
}

fn lstm(cx: &Compile<'_>) -> Made {
    let op = cx.view(LSTM::of)?;
    let named = Named::of(op.activations(), op.activation_alpha(), op.activation_beta());
    kernel(cx, Cell::lstm(op.clip(), op.input_forget()), op.recurrence(), named)
}

fn kernel(cx: &Compile<'_>, cell: Cell, op: Recurrence<'_>, named: Named<'_>) -> Made {
    let reversed: &[bool] = match op.direction() {
        RecurrentDirection::Forward => &[false],
        RecurrentDirection::Reverse => &[true],
        RecurrentDirection::Bidirectional => &[false, true],
    };
    let functions = Functions::new(named, cell, reversed.len()).map_err(|e| cx.refused(e))?;
    let (hidden, batch_first) = (op.hidden_size(), op.layout());
    let form = Form { cell, reversed, functions, hidden, batch_first };
    for_real!(cx, AT.x, R => {
        let packed = match (cx.constant(AT.w), cx.constant(AT.r)) {
            (Some(w), Some(r)) => Weights::<R>::new(cell, &w, &r).ok(),
            _ => None,
        };
        Ok(Box::new(Recurrent { name: cx.op.decl().name, form, packed }))
    })
}

/// The attributes.
struct Form {
    cell: Cell,
    /// For each direction, whether it begins with the last step.
    reversed: &'static [bool],
    functions: Functions,
    /// The units, if they are stated.
    hidden: Option<i64>,
    /// Whether the batch is the outermost axis.
    batch_first: bool,
}

struct Recurrent<R> {
    name: &'static str,
    form: Form,
    packed: Option<Weights<R>>,
}

impl<R: Real> CpuKernel for Recurrent<R> {
    fn name(&self) -> &str {
        self.name
    }

    fn packed(&self) -> &[usize] {
        if self.packed.is_some() { &[AT.w, AT.r] } else { &[] }
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, Weights::bytes)
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(AT.x)?;
        match &self.packed {
            Some(weights) => run(call, &self.form, &x, weights),
            None => {
                let (w, r) = (call.tensor(AT.w)?, call.tensor(AT.r)?);
                let weights = Weights::<R>::new(self.form.cell, &w, &r)?;
                run(call, &self.form, &x, &weights)
            }
        }
    }
}

/// Extents of one call.
#[derive(Clone, Copy)]
struct Extents {
    steps: usize,
    batch: usize,
    directions: usize,
    hidden: usize,
    /// Whether the batch is the outermost axis (layout 1).
    batch_first: bool,
}

impl Extents {
    /// The row of an operand `[steps, batch]` or, batch first, `[batch, steps]`.
    fn row(&self, step: usize, b: usize) -> usize {
        if self.batch_first { b * self.steps + step } else { step * self.batch + b }
    }

    fn state_dims(&self) -> [usize; 3] {
        let Extents { batch, directions, hidden, .. } = *self;
        if self.batch_first { [batch, directions, hidden] } else { [directions, batch, hidden] }
    }

    /// Where the state of a direction and sample starts.
    fn state(&self, d: usize, b: usize) -> usize {
        let at = if self.batch_first { b * self.directions + d } else { d * self.batch + b };
        at * self.hidden
    }
}

/// Operand `i`, checked to have these dimensions.
fn operand(call: &Call<'_, '_>, i: usize, dims: &[usize]) -> Result<Option<Tensor>, KernelError> {
    let t = call.opt(i)?;
    match &t {
        Some(t) if t.dims() != dims => {
            let got = t.dims();
            Err(KernelError::operand(i, format!("has shape {got:?}, expected {dims:?}")))
        }
        _ => Ok(t),
    }
}

fn run<R: Real>(
    call: &mut Call<'_, '_>,
    form: &Form,
    x: &Tensor,
    w: &Weights<R>,
) -> Result<(), KernelError> {
    let Form { cell, reversed, batch_first, .. } = *form;
    let &[first, second, width] = x.dims() else {
        return Err(KernelError::operand(
            AT.x,
            format!("has shape {:?}, expected rank 3", x.dims()),
        ));
    };
    let (steps, batch) = if batch_first { (second, first) } else { (first, second) };
    let (directions, hidden, gates) = (w.directions.len(), w.hidden, cell.gates() * w.hidden);
    let named = form.hidden.is_some_and(|h| usize::try_from(h) != Ok(hidden));
    if directions != reversed.len() || width != w.input || named {
        return Err(KernelError::shape(format!(
            "weights of {}, {} and {} do not fit the input or the attributes",
            counted(directions, "direction"),
            counted(w.input, "input"),
            counted(hidden, "unit")
        )));
    }
    let at = Extents { steps, batch, directions, hidden, batch_first };
    let lens: Vec<usize> = match operand(call, AT.sequence_lens, &[batch])? {
        None => vec![steps; batch],
        Some(t) => t.to_i64s()?.into_iter().map(|n| n.clamp(0, steps as i64) as usize).collect(),
    };
    let bias = operand(call, AT.b, &[directions, 2 * gates])?;
    let states = [AT.initial_h, AT.initial_c].map(|i| operand(call, i, &at.state_dims()));
    let states = states.into_iter().collect::<Result<Vec<_>, _>>()?;
    let peepholes = operand(call, AT.p, &[directions, 3 * hidden])?;
    let values = read::<R>(x)?;
    let bias = bias.as_ref().map(read::<R>).transpose()?;
    let peepholes = peepholes.as_ref().map(read::<R>).transpose()?;
    let mut initial = Vec::new();
    for s in &states {
        initial.push(s.as_ref().map(read::<R>).transpose()?);
    }

    // For each direction: the outputs of all steps, then hidden and cell state.
    let (y_len, state_len) = (steps * batch * hidden, batch * hidden);
    let mut work = call.temp(R::DTYPE, &[directions, y_len + 2 * state_len])?;
    let mut products = call.temp(R::DTYPE, &[directions, steps * batch * gates])?;
    let (threads, isa) = (call.threads, Isa::detect());
    let products = products.slice_mut::<R>()?;
    for (d, part) in products.chunks_exact_mut((steps * batch * gates).max(1)).enumerate() {
        let col_bias = bias.as_ref().map(|b| cell.input_bias(&b[d * 2 * gates..][..2 * gates]));
        let epilogue = Epilogue { col_bias: col_bias.as_deref(), ..Epilogue::default() };
        let shape = GemmShape { m: steps * batch, n: gates, k: width };
        let rows = Strided::rows(&values, width);
        let rhs = Rhs::Packed(&w.directions[d].input);
        gemm(threads, isa, shape, Lhs::Source(&rows), rhs, &epilogue, part);
    }
    let products = &*products;
    threads.for_chunks_mut(work.slice_mut::<R>()?, y_len + 2 * state_len, |d, chunk| {
        let (y, states) = chunk.split_at_mut(y_len);
        let (h, c) = states.split_at_mut(state_len);
        for (state, initial) in [&mut *h, &mut *c].into_iter().zip(&initial) {
            for (b, row) in state.chunks_exact_mut(hidden.max(1)).enumerate() {
                match initial {
                    Some(v) => row.copy_from_slice(&v[at.state(d, b)..][..hidden]),
                    None => row.fill(R::zero()),
                }
            }
        }
        y.fill(R::zero());
        let mut state = State::new(cell, &w.directions[d], form.functions.of(d), h, c);
        state.hidden_bias = bias.as_ref().map(|b| &b[d * 2 * gates + gates..][..gates]);
        state.peepholes = peepholes.as_ref().map(|p| &p[d * 3 * hidden..][..3 * hidden]);
        let parts = &products[d * steps * batch * gates..];
        for step in 0..steps {
            checkpoint();
            state.step(threads, isa, |b| {
                let t = if reversed[d] { lens[b].checked_sub(step + 1)? } else { step };
                (step < lens[b]).then(|| &parts[at.row(t, b) * gates..][..gates])
            });
            for b in (0..batch).filter(|&b| step < lens[b]) {
                let t = if reversed[d] { lens[b] - 1 - step } else { step };
                y[(t * batch + b) * hidden..][..hidden].copy_from_slice(state.hidden(b));
            }
        }
    });
    let work = work.slice::<R>()?;
    let direction = |d: usize| &work[d * (y_len + 2 * state_len)..][..y_len + 2 * state_len];
    if call.wants(AT.y) {
        let dims = match batch_first {
            true => [batch, steps, directions, hidden],
            false => [steps, directions, batch, hidden],
        };
        produce::<R>(call, AT.y, x.dtype(), &dims, |out| {
            for d in 0..directions {
                for (i, row) in direction(d)[..y_len].chunks_exact(hidden.max(1)).enumerate() {
                    let (t, b) = (i / batch, i % batch);
                    let to = match batch_first {
                        true => (b * steps + t) * directions + d,
                        false => (t * directions + d) * batch + b,
                    };
                    out[to * hidden..][..hidden].copy_from_slice(row);
                }
            }
            Ok(())
        })?;
    }
    for (result, offset) in [(AT.y_h, y_len), (AT.y_c, y_len + state_len)] {
        if !call.wants(result) {
            continue;
        }
        produce::<R>(call, result, x.dtype(), &at.state_dims(), |out| {
            for (d, b) in (0..directions).flat_map(|d| (0..batch).map(move |b| (d, b))) {
                let from = &direction(d)[offset + b * hidden..][..hidden];
                out[at.state(d, b)..][..hidden].copy_from_slice(from);
            }
            Ok(())
        })?;
    }
    Ok(())
}
