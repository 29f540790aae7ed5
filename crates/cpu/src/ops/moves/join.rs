//! Concat and Split: runs of elements side by side.

use super::view::with_elements;
use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::geometry;
use trident_ir::ops::{Concat, Split};
use trident_ir::{DType, counted};
use trident_kernels::parallel::{for_pieces, for_rows};
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};

/// Operands joined along the axis.
pub(super) fn concat(cx: &Compile<'_>) -> Made {
    let axis = cx.view(Concat::of)?.axis();
    Prepared::boxed(cx, move |call| joined(call, axis))
}

fn joined(call: &mut Call<'_, '_>, at: i64) -> Result<(), KernelError> {
    let mut xs = (0..call.inputs()).map(|i| call.tensor(i)).collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<&[usize]> = xs.iter().map(Tensor::dims).collect();
    let dims = geometry::concat(&shapes, at)?;
    let axis = geometry::axis(at, dims.len())?;
    let dtype = xs[0].dtype();
    if let Some((index, x)) = xs.iter().enumerate().find(|(_, x)| x.dtype() != dtype) {
        return Err(KernelError::DType { index, actual: x.dtype(), expected: dtype.to_string() });
    }
    // A cache whose new rows follow the others stays where it is.
    if dtype != DType::Str && dims[..axis].iter().all(|&d| d == 1) {
        drop(xs.remove(0));
        let threads = call.threads;
        let rows = xs.iter().map(Tensor::bytes).collect::<Result<Vec<_>, _>>()?;
        let y = call.extend(Concat::AT.xs, &dims, |out| append(threads, out, &rows))?;
        if let Some(y) = y {
            call.set(Concat::AT.y, y);
            return Ok(());
        }
        xs.insert(0, call.tensor(Concat::AT.xs)?);
    }
    let mut y = call.alloc(Concat::AT.y, dtype, &dims)?;
    join(call, &xs, axis, &mut y)?;
    call.set(Concat::AT.y, y);
    Ok(())
}

/// Writes tensors of one type, joined along an axis, to `y`.
fn join(
    call: &Call<'_, '_>,
    xs: &[Tensor],
    axis: usize,
    y: &mut Tensor,
) -> Result<(), KernelError> {
    if y.is_empty() {
        return Ok(());
    }
    let run = |t: &Tensor| geometry::extent(&t.dims()[axis..]);
    let (row, runs): (usize, Vec<usize>) = (run(y), xs.iter().map(run).collect());
    let dtype = y.dtype();
    if dtype == DType::Str {
        let rows = y.len() / row;
        let mut out = y.write_strings()?;
        for i in 0..rows {
            for (x, &n) in xs.iter().zip(&runs) {
                out.extend(x.strings()?[i * n..(i + 1) * n].iter().map(String::as_str))?;
            }
        }
        return Ok(());
    }
    let (size, row) = (dtype.size(), row * dtype.size());
    let sources = xs.iter().zip(&runs).map(|(x, n)| Ok((x.bytes()?, n * size)));
    let sources = sources.collect::<Result<Vec<_>, KernelError>>()?;
    let out = y.bytes_mut()?;
    if out.len() == row {
        let sources: Vec<&[u8]> = sources.into_iter().map(|(bytes, _)| bytes).collect();
        append(call.threads, out, &sources);
        return Ok(());
    }
    for_rows(call.threads, out, row, 1, |first, piece| {
        for (i, out) in piece.chunks_mut(row).enumerate() {
            let mut at = 0;
            for &(bytes, n) in &sources {
                out[at..at + n].copy_from_slice(&bytes[(first + i) * n..(first + i + 1) * n]);
                at += n;
            }
        }
    });
    Ok(())
}

/// Writes sources one after the other.
fn append(threads: &Threads, out: &mut [u8], sources: &[&[u8]]) {
    let mut rest = out;
    for bytes in sources {
        let (part, tail) = rest.split_at_mut(bytes.len());
        for_pieces(threads, part, 1, |at, part| part.copy_from_slice(&bytes[at..at + part.len()]));
        rest = tail;
    }
}

/// The axis cut into parts.
pub(super) fn split(cx: &Compile<'_>) -> Made {
    let op = cx.view(Split::of)?;
    let (axis, count) = (op.axis(), op.ys().len());
    if op.split().is_none()
        && let Some(parts) = op.num_outputs().filter(|&n| usize::try_from(n) != Ok(count))
    {
        let results = counted(count, "result");
        return Err(cx.declined(format!("`num_outputs` is {parts}, and the node has {results}")));
    }
    Prepared::boxed(cx, move |call| cut(call, axis, count))
}

fn cut(call: &mut Call<'_, '_>, axis: i64, count: usize) -> Result<(), KernelError> {
    let x = call.tensor(Split::AT.x)?;
    let axis = geometry::axis(axis, x.rank())?;
    let sizes = call.ints(Split::AT.split)?;
    let lens = geometry::split(x.dims()[axis], sizes.as_deref(), count)?;
    if lens.len() != count {
        return Err(KernelError::shape(format!(
            "the input is split into {}, and the node has {}",
            counted(lens.len(), "part"),
            counted(count, "result")
        )));
    }
    let inner: usize = geometry::extent(&x.dims()[axis + 1..]);
    let row = x.dims()[axis] * inner;
    let mut start = 0;
    for (i, &len) in lens.iter().enumerate() {
        let place = Split::AT.ys + i;
        let mut dims = x.dims().to_vec();
        dims[axis] = len;
        let n = len * inner;
        if call.wants(place) {
            let mut y = call.alloc(place, x.dtype(), &dims)?;
            with_elements!(call, x, y, |src, dst| for_rows(
                call.threads,
                dst,
                n,
                1,
                |first, piece| {
                    for (j, out) in piece.chunks_mut(n).enumerate() {
                        let at = (first + j) * row + start;
                        out.copy_from_slice(&src[at..at + n]);
                    }
                }
            ));
            call.set(place, y);
        }
        start += n;
    }
    Ok(())
}
