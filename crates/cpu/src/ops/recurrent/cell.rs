//! One step of a cell for a batch.

use super::function::Function;
use super::weights::Direction;
use crate::real::Real;
use trident_kernels::gemm::{Epilogue, GemmShape, Lhs, PackedB, Rhs, Strided, gemm};
use trident_kernels::threads::Threads;
use trident_simd::Isa;

/// The kind of a cell, with its clip bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    kind: Kind,
    clip: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Rnn,
    /// Gates in the order update, reset, candidate.
    Gru {
        linear_before_reset: bool,
    },
    /// Gates in the order input, output, forget, candidate.
    Lstm {
        input_forget: bool,
    },
}

impl Cell {
    pub(super) fn rnn(clip: Option<f32>) -> Cell {
        Cell { kind: Kind::Rnn, clip }
    }

    pub(super) fn gru(clip: Option<f32>, linear_before_reset: bool) -> Cell {
        Cell { kind: Kind::Gru { linear_before_reset }, clip }
    }

    pub(super) fn lstm(clip: Option<f32>, input_forget: bool) -> Cell {
        Cell { kind: Kind::Lstm { input_forget }, clip }
    }

    pub(super) fn gates(self) -> usize {
        match self.kind {
            Kind::Rnn => 1,
            Kind::Gru { .. } => 3,
            Kind::Lstm { .. } => 4,
        }
    }

    /// Gates, from the first on, whose recurrent product takes the hidden state as it is.
    pub(super) fn direct_gates(self) -> usize {
        match self.kind {
            Kind::Gru { linear_before_reset: false } => 2,
            _ => self.gates(),
        }
    }

    pub(super) fn default_functions(self) -> &'static [&'static str] {
        match self.kind {
            Kind::Rnn => &["Tanh"],
            Kind::Gru { .. } => &["Sigmoid", "Tanh"],
            Kind::Lstm { .. } => &["Sigmoid", "Tanh", "Tanh"],
        }
    }

    /// Sums the parts of a bias (input's, then recurrent) that can be added to the input products.
    pub(super) fn input_bias<R: Real>(self, bias: &[R]) -> Vec<R> {
        let (input, hidden) = bias.split_at(bias.len() / 2);
        let mut sum: Vec<R> = input.iter().zip(hidden).map(|(&a, &b)| a + b).collect();
        if self.kind == (Kind::Gru { linear_before_reset: true }) {
            let candidate = sum.len() / 3 * 2;
            sum[candidate..].copy_from_slice(&input[candidate..]);
        }
        sum
    }
}

/// The running state of one direction.
pub(super) struct State<'a, R> {
    cell: Cell,
    weights: &'a Direction<R>,
    functions: &'a [Function],
    pub(super) hidden_bias: Option<&'a [R]>,
    pub(super) peepholes: Option<&'a [R]>,
    h: &'a mut [R],
    c: &'a mut [R],
    batch: usize,
    size: usize,
    /// Products with the hidden state, a row for each sample.
    recurrent: Vec<R>,
    /// Products with the hidden state after the reset gate.
    candidate: Vec<R>,
    reset: Vec<R>,
    gates: Vec<R>,
}

impl<'a, R: Real> State<'a, R> {
    /// Hidden and cell state, `[batch, hidden]`, hold the initial values.
    pub(super) fn new(
        cell: Cell,
        weights: &'a Direction<R>,
        functions: &'a [Function],
        h: &'a mut [R],
        c: &'a mut [R],
    ) -> State<'a, R> {
        let size = weights.hidden.k();
        let batch = h.len() / size.max(1);
        let zeros = |n: usize| vec![R::zero(); batch * n];
        let later = if weights.candidate.is_some() { size } else { 0 };
        State {
            recurrent: zeros(cell.direct_gates() * size),
            candidate: zeros(later),
            reset: zeros(later),
            gates: zeros(cell.gates() * size),
            hidden_bias: None,
            peepholes: None,
            cell,
            weights,
            functions,
            h,
            c,
            batch,
            size,
        }
    }

    /// The hidden state of a sample.
    pub(super) fn hidden(&self, b: usize) -> &[R] {
        &self.h[b * self.size..][..self.size]
    }

    fn clip(&self, values: &mut [R]) {
        if let Some(clip) = self.cell.clip {
            let clip = R::of(clip.into());
            values.iter_mut().for_each(|v| *v = v.max(-clip).min(clip));
        }
    }

    fn activate(&self, function: usize, values: &mut [R]) {
        self.clip(values);
        self.functions[function].apply(values);
    }

    /// Advances each sample for which `input` returns products.
    pub(super) fn step<'x>(
        &mut self,
        threads: &Threads,
        isa: Isa,
        input: impl Fn(usize) -> Option<&'x [R]>,
    ) where
        R: 'x,
    {
        let (batch, size, gates) = (self.batch, self.size, self.cell.gates() * self.size);
        if size == 0 {
            return;
        }
        let product = |rows: &[R], weights: &PackedB<R>, out: &mut [R]| {
            let shape = GemmShape { m: batch, n: out.len() / batch.max(1), k: size };
            let (rows, rhs) = (Strided::rows(rows, size), Rhs::Packed(weights));
            gemm(threads, isa, shape, Lhs::Source(&rows), rhs, &Epilogue::default(), out);
        };
        product(self.h, &self.weights.hidden, &mut self.recurrent);
        let mut all = std::mem::take(&mut self.gates);
        if let Some(weights) = &self.weights.candidate {
            // The reset gate comes first, so that its product with the hidden state can be multiplied.
            for (b, row) in all.chunks_exact_mut(gates).enumerate() {
                let Some(x) = input(b) else { continue };
                let (_, r, _) = thirds(row, size);
                let recurrent = &self.recurrent[b * 2 * size + size..][..size];
                add_into(r, &x[size..2 * size], recurrent);
                self.activate(0, r);
                let h = &self.h[b * size..][..size];
                let slot = &mut self.reset[b * size..][..size];
                slot.iter_mut().zip(r.iter().zip(h)).for_each(|(s, (&r, &h))| *s = r * h);
            }
            product(&self.reset, weights, &mut self.candidate);
        }
        for (b, row) in all.chunks_exact_mut(gates).enumerate() {
            let Some(x) = input(b) else { continue };
            match self.cell.kind {
                Kind::Rnn => self.rnn(b, x, row),
                Kind::Gru { linear_before_reset } => self.gru(b, x, row, linear_before_reset),
                Kind::Lstm { input_forget } => self.lstm(b, x, row, input_forget),
            }
        }
        self.gates = all;
    }

    fn rnn(&mut self, b: usize, x: &[R], row: &mut [R]) {
        let size = self.size;
        add_into(row, x, &self.recurrent[b * size..][..size]);
        self.activate(0, row);
        self.h[b * size..][..size].copy_from_slice(row);
    }

    fn gru(&mut self, b: usize, x: &[R], row: &mut [R], linear_before_reset: bool) {
        let size = self.size;
        let (z, r, n) = thirds(row, size);
        let direct = self.cell.direct_gates() * size;
        let recurrent = &self.recurrent[b * direct..][..direct];
        add_into(z, &x[..size], &recurrent[..size]);
        self.activate(0, z);
        if linear_before_reset {
            add_into(r, &x[size..2 * size], &recurrent[size..2 * size]);
            self.activate(0, r);
            for i in 0..size {
                let bias = self.hidden_bias.map_or(R::zero(), |b| b[2 * size + i]);
                n[i] = x[2 * size + i] + r[i] * (recurrent[2 * size + i] + bias);
            }
        } else {
            add_into(n, &x[2 * size..], &self.candidate[b * size..][..size]);
        }
        self.activate(1, n);
        for (i, h) in self.h[b * size..][..size].iter_mut().enumerate() {
            *h = (R::one() - z[i]) * n[i] + z[i] * *h;
        }
    }

    fn lstm(&mut self, b: usize, x: &[R], row: &mut [R], input_forget: bool) {
        let size = self.size;
        add_into(row, x, &self.recurrent[b * 4 * size..][..4 * size]);
        let (io, fc) = row.split_at_mut(2 * size);
        let ((i, o), (f, c)) = (io.split_at_mut(size), fc.split_at_mut(size));
        let peephole = |gate: &mut [R], which: usize, cell: &[R]| {
            if let Some(p) = self.peepholes {
                let p = &p[which * size..][..size];
                gate.iter_mut().zip(p.iter().zip(cell)).for_each(|(g, (&p, &c))| *g += p * c);
            }
        };
        let cell = &self.c[b * size..][..size];
        peephole(i, 0, cell);
        peephole(f, 2, cell);
        self.activate(0, i);
        self.activate(1, c);
        if input_forget {
            f.iter_mut().zip(&*i).for_each(|(f, &i)| *f = R::one() - i);
        } else {
            self.activate(0, f);
        }
        // From here on `c` holds the cell state that is reached.
        for (k, slot) in c.iter_mut().enumerate() {
            *slot = f[k] * cell[k] + i[k] * *slot;
        }
        peephole(o, 1, c);
        self.activate(0, o);
        self.c[b * size..][..size].copy_from_slice(c);
        self.functions[2].apply(c);
        let h = &mut self.h[b * size..][..size];
        h.iter_mut().zip(o.iter().zip(&*c)).for_each(|(h, (&o, &c))| *h = o * c);
    }
}

fn thirds<R>(row: &mut [R], size: usize) -> (&mut [R], &mut [R], &mut [R]) {
    let (a, rest) = row.split_at_mut(size);
    let (b, c) = rest.split_at_mut(size);
    (a, b, c)
}

fn add_into<R: Real>(out: &mut [R], a: &[R], b: &[R]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (&a, &b))| *o = a + b);
}
