//! Recurrent networks: RNN, GRU and LSTM. Input products of all steps are one matrix product per direction; each step
//! then multiplies the hidden state. Constant weights are packed once.

mod cell;
mod function;
#[cfg(test)]
mod tests;
mod weights;

use crate::kernel::{Call, Compile, Kernel};
use crate::real::{Real, in_real, produce, read};
use cell::{Cell, State};
use function::Functions;
use trident_ir::{OpKind, counted};
use trident_kernels::gemm::{Epilogue, Lhs, Rhs, Shape, Strided, gemm};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;
use weights::Weights;

/// The kernel for a recurrent op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    let name = match cx.op.kind {
        OpKind::RNN => "rnn",
        OpKind::GRU => "gru",
        OpKind::LSTM => "lstm",
        _ => return None,
    };
    let boxed: Result<Box<dyn Kernel>, KernelError> = in_real!(cx.dtype(0)?, R => {
        let packed = match (cx.constant(1), cx.constant(2)) {
            (Some(w), Some(r)) => Weights::<R>::new(Cell::new(cx.op), &w, &r).ok(),
            _ => None,
        };
        Ok(Box::new(Recurrent { name, packed }))
    });
    boxed.ok()
}

struct Recurrent<R> {
    name: &'static str,
    packed: Option<Weights<R>>,
}

impl<R: Real> Kernel for Recurrent<R> {
    fn name(&self) -> &str {
        self.name
    }

    fn packed(&self) -> &[usize] {
        if self.packed.is_some() { &[1, 2] } else { &[] }
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, Weights::bytes)
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(0)?;
        match &self.packed {
            Some(weights) => run(call, &x, weights),
            None => {
                let (w, r) = (call.tensor(1)?, call.tensor(2)?);
                let weights = Weights::<R>::new(Cell::new(call.op), &w, &r)?;
                run(call, &x, &weights)
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
            Err(KernelError::shape(format!("operand {i} has shape {got:?}, expected {dims:?}")))
        }
        _ => Ok(t),
    }
}

fn run<R: Real>(call: &mut Call<'_, '_>, x: &Tensor, w: &Weights<R>) -> Result<(), KernelError> {
    let cell = Cell::new(call.op);
    let batch_first = call.op.int("layout") == Some(1);
    let &[first, second, width] = x.dims() else {
        return Err(KernelError::shape(format!("the input has shape {:?}, not rank 3", x.dims())));
    };
    let (steps, batch) = if batch_first { (second, first) } else { (first, second) };
    let (directions, hidden, gates) = (w.directions.len(), w.hidden, cell.gates() * w.hidden);
    let reversed: &[bool] = match call.op.str("direction") {
        Some("forward") => &[false],
        Some("reverse") => &[true],
        Some("bidirectional") => &[false, true],
        other => return Err(KernelError::attr("direction", format!("unknown: {other:?}"))),
    };
    let named = call.op.int("hidden_size").is_some_and(|h| usize::try_from(h) != Ok(hidden));
    if directions != reversed.len() || width != w.input || named {
        return Err(KernelError::shape(format!(
            "weights of {}, {} and {} do not fit the input or the attributes",
            counted(directions, "direction"),
            counted(w.input, "input"),
            counted(hidden, "unit")
        )));
    }
    let at = Extents { steps, batch, directions, hidden, batch_first };
    let lens: Vec<usize> = match operand(call, 4, &[batch])? {
        None => vec![steps; batch],
        Some(t) => t.to_i64s()?.into_iter().map(|n| n.clamp(0, steps as i64) as usize).collect(),
    };
    let bias = operand(call, 3, &[directions, 2 * gates])?;
    let states = [operand(call, 5, &at.state_dims())?, operand(call, 6, &at.state_dims())?];
    let peepholes = operand(call, 7, &[directions, 3 * hidden])?;
    let functions = Functions::new(call.op, cell, directions)?;
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
        let shape = Shape { m: steps * batch, n: gates, k: width };
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
        let mut state = State::new(cell, &w.directions[d], functions.of(d), h, c);
        state.hidden_bias = bias.as_ref().map(|b| &b[d * 2 * gates + gates..][..gates]);
        state.peepholes = peepholes.as_ref().map(|p| &p[d * 3 * hidden..][..3 * hidden]);
        let parts = &products[d * steps * batch * gates..];
        for step in 0..steps {
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
    if call.wants(0) {
        let dims = match batch_first {
            true => [batch, steps, directions, hidden],
            false => [steps, directions, batch, hidden],
        };
        produce::<R>(call, 0, x.dtype(), &dims, |out| {
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
    for (result, offset) in [(1, y_len), (2, y_len + state_len)] {
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
