//! Concat and Split: runs of elements side by side.

use super::view::with_elements;
use crate::kernel::Call;
use trident_ir::geometry;
use trident_ir::{DType, counted};
use trident_kernels::parallel::{for_pieces, for_rows};
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};

/// Operands joined along the axis.
pub(super) fn concat(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let mut xs = (0..call.inputs()).map(|i| call.tensor(i)).collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<&[usize]> = xs.iter().map(Tensor::dims).collect();
    let at = call.op.int("axis").ok_or_else(|| KernelError::attr("axis", "is absent"))?;
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
        if let Some(y) = call.extend(0, &dims, |out| append(threads, out, &rows))? {
            call.set(0, y);
            return Ok(());
        }
        xs.insert(0, call.tensor(0)?);
    }
    let mut y = call.alloc(0, dtype, &dims)?;
    join(call, &xs, axis, &mut y)?;
    call.set(0, y);
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
pub(super) fn split(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let axis = geometry::axis(call.op.int("axis").unwrap_or(0), x.rank())?;
    let sizes = call.ints(1)?;
    let parts = match call.op.int("num_outputs") {
        Some(n) => {
            usize::try_from(n).map_err(|_| KernelError::attr("num_outputs", "is negative"))?
        }
        None => call.op.outputs.len(),
    };
    let count = call.op.outputs.len();
    if sizes.is_none() && parts != count {
        return Err(KernelError::attr(
            "num_outputs",
            format!("is {parts}, and the node has {}", counted(count, "result")),
        ));
    }
    let lens = geometry::split(x.dims()[axis], sizes.as_deref(), parts)?;
    if lens.len() != count {
        return Err(KernelError::shape(format!(
            "a split into {} for {}",
            counted(lens.len(), "part"),
            counted(count, "result")
        )));
    }
    let inner: usize = geometry::extent(&x.dims()[axis + 1..]);
    let row = x.dims()[axis] * inner;
    let mut start = 0;
    for (i, &len) in lens.iter().enumerate() {
        let mut dims = x.dims().to_vec();
        dims[axis] = len;
        let n = len * inner;
        if call.wants(i) {
            let mut y = call.alloc(i, x.dtype(), &dims)?;
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
            call.set(i, y);
        }
        start += n;
    }
    Ok(())
}
