//! Packed weights.

use super::cell::Cell;
use crate::real::{Real, read};
use trident_kernels::gemm::{PackedB, Strided};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// Weights of all directions.
pub(super) struct Weights<R> {
    pub(super) input: usize,
    pub(super) hidden: usize,
    pub(super) directions: Vec<Direction<R>>,
}

/// Weights of one direction, transposed: columns are gates.
pub(super) struct Direction<R> {
    pub(super) input: PackedB<R>,
    /// Recurrent weights of the gates that see the hidden state as it is.
    pub(super) hidden: PackedB<R>,
    /// The recurrent weights of the candidate, if it sees the hidden state after the reset gate.
    pub(super) candidate: Option<PackedB<R>>,
}

impl<R: Real> Weights<R> {
    /// From `w` [directions, gates·hidden, input] and `r` [directions, gates·hidden, hidden].
    pub(super) fn new(cell: Cell, w: &Tensor, r: &Tensor) -> Result<Weights<R>, KernelError> {
        let misfit = || {
            let (w, r) = (w.dims(), r.dims());
            KernelError::shape(format!("weights {w:?} and {r:?} do not fit"))
        };
        let (&[directions, rows, input], &[rd, r_rows, hidden]) = (w.dims(), r.dims()) else {
            return Err(misfit());
        };
        let gates = hidden.checked_mul(cell.gates()).ok_or_else(misfit)?;
        if [rd, r_rows, rows] != [directions, gates, gates] {
            return Err(misfit());
        }
        let (w, r, isa) = (read::<R>(w)?, read::<R>(r)?, Isa::detect());
        let pack = |data: &[R], columns: usize, k: usize| {
            PackedB::new(isa, columns, k, &Strided { data, outer_stride: k, k_stride: 1 })
        };
        let direct = cell.direct_gates() * hidden;
        let directions = (0..directions).map(|d| {
            let r = &r[d * gates * hidden..][..gates * hidden];
            let (now, later) = r.split_at(direct * hidden);
            Direction {
                input: pack(&w[d * gates * input..][..gates * input], gates, input),
                hidden: pack(now, direct, hidden),
                candidate: (!later.is_empty()).then(|| pack(later, gates - direct, hidden)),
            }
        });
        Ok(Weights { input, hidden, directions: directions.collect() })
    }

    pub(super) fn bytes(&self) -> usize {
        let each = |d: &Direction<R>| {
            d.input.bytes() + d.hidden.bytes() + d.candidate.as_ref().map_or(0, PackedB::bytes)
        };
        self.directions.iter().map(each).sum()
    }
}
