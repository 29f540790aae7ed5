//! Moves and sums elements as the axes tell.

use super::axis::Taps;
use crate::dispatch_width;
use crate::real::{Real, narrow};
use trident_ir::DType;
use trident_ir::geometry::strides;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Pool, Tensor};

/// Elements that one task computes at least.
const GRAIN: usize = 4096;

/// `out[o, j, i] = Σₖ weight[j, k]·x[o, index[j, k], i]`, for an axis of `input` coordinates with `inner` elements each.
pub(super) fn weigh<R: Real>(
    threads: &Threads,
    x: &[R],
    out: &mut [R],
    (input, inner): (usize, usize),
    taps: &Taps,
    outside: R,
) {
    let output = taps.indices.len() / taps.count.max(1);
    let weights: Vec<R> = taps.weights.iter().map(|&w| R::of(w)).collect();
    if inner == 1 && output > 0 {
        return weigh_lines(threads, x, out, input, taps, &weights, outside);
    }
    let masked = |j: usize| taps.outside.get(j).copied().unwrap_or(false);
    let rows = (GRAIN / inner.max(1)).max(1);
    threads.for_chunks_mut(out, rows * inner, |chunk, out| {
        for (r, row) in out.chunks_exact_mut(inner).enumerate() {
            let at = chunk * rows + r;
            let (o, j) = (at / output, at % output);
            if masked(j) {
                row.fill(outside);
                continue;
            }
            let span = j * taps.count..(j + 1) * taps.count;
            let plane = &x[o * input * inner..][..input * inner];
            row.fill(R::zero());
            for (&index, &w) in taps.indices[span.clone()].iter().zip(&weights[span]) {
                let from = &plane[index * inner..][..inner];
                row.iter_mut().zip(from).for_each(|(y, &x)| *y += w * x);
            }
        }
    });
}

/// The same for the last axis, where `inner` is 1.
fn weigh_lines<R: Real>(
    threads: &Threads,
    x: &[R],
    out: &mut [R],
    input: usize,
    taps: &Taps,
    weights: &[R],
    outside: R,
) {
    let output = taps.indices.len() / taps.count;
    let lines = (GRAIN / output).max(1);
    let pairs = (taps.indices.as_chunks::<2>().0, weights.as_chunks::<2>().0);
    threads.for_chunks_mut(out, lines * output, |chunk, out| {
        for (l, line) in out.chunks_exact_mut(output).enumerate() {
            let from = &x[(chunk * lines + l) * input..][..input];
            if taps.count == 2 {
                for ((y, [a, b]), [v, w]) in line.iter_mut().zip(pairs.0).zip(pairs.1) {
                    // From zero, as sums of other counts: a sum of negative zeros is positive.
                    *y = R::zero() + *v * from[*a] + *w * from[*b];
                }
            } else {
                let indices = taps.indices.chunks_exact(taps.count);
                let weights = weights.chunks_exact(taps.count);
                for ((y, indices), weights) in line.iter_mut().zip(indices).zip(weights) {
                    let terms = indices.iter().zip(weights).map(|(&index, &w)| w * from[index]);
                    *y = terms.fold(R::zero(), |sum, term| sum + term);
                }
            }
            for (y, _) in line.iter_mut().zip(&taps.outside).filter(|(_, outside)| **outside) {
                *y = outside;
            }
        }
    });
}

/// Copies the element that the maps name for each place of `out`.
pub(super) fn copy(
    threads: &Threads,
    x: &Tensor,
    mut out: Tensor,
    maps: &[Vec<Option<usize>>],
    outside: f32,
) -> Result<Tensor, KernelError> {
    if out.is_empty() {
        return Ok(out);
    }
    let from = strides(x.dims());
    let dims = out.dims().to_vec();
    let last = dims.last().copied().unwrap_or(1);
    // The start of the input row for the `row`-th output row.
    let start = |mut row: usize| {
        let mut sum = Some(0);
        for d in (0..dims.len().saturating_sub(1)).rev() {
            let index = maps[d][row % dims[d]];
            sum = sum.zip(index).map(|(s, i)| s + i * from[d]);
            row /= dims[d];
        }
        sum
    };
    let column = |j: usize| maps.last().map_or(Some(0), |m| m[j]);
    if x.dtype() == DType::Str {
        let x = x.strings()?;
        let at = |i: usize| Some(start(i / last)? + column(i % last)?);
        let n = out.len();
        out.write_strings()?.extend((0..n).map(|i| at(i).map_or("", |at| &x[at])))?;
        return Ok(out);
    }
    let fill = match maps.iter().flatten().any(Option::is_none) {
        true => narrow(&[f64::from(outside)], Tensor::alloc(&Pool::new(), x.dtype(), &[1])?)?,
        false => Tensor::alloc(&Pool::new(), x.dtype(), &[1])?,
    };
    let rows = (GRAIN / last).max(1);
    dispatch_width!(x.dtype(), T => {
        let fill: T = bytemuck::pod_read_unaligned(fill.bytes()?);
        let x: &[T] = bytemuck::cast_slice(x.bytes()?);
        let out: &mut [T] = bytemuck::cast_slice_mut(out.bytes_mut()?);
        threads.for_chunks_mut(out, rows * last, |chunk, out| {
            for (r, row) in out.chunks_exact_mut(last).enumerate() {
                let start = start(chunk * rows + r);
                for (j, slot) in row.iter_mut().enumerate() {
                    *slot = start.zip(column(j)).map_or(fill, |(r, c)| x[r + c]);
                }
            }
        });
    }, else => return Err(KernelError::Unsupported(x.dtype())));
    Ok(out)
}
