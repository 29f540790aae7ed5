//! Between sequences and tensors: ConcatFromSequence, SplitToSequence.

use super::sequence::items;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::picks::Picks;
use trident_ir::DType;
use trident_ir::geometry::axis;
use trident_ir::ops::{ConcatFromSequence, SplitToSequence};
use trident_runtime::{KernelError, Value};

/// Rows that lie together when a tensor is cut along `axis`: outer count, length of the axis, elements per step.
fn cut(dims: &[usize], axis: usize) -> (usize, usize, usize) {
    (dims[..axis].iter().product(), dims[axis], dims[axis + 1..].iter().product())
}

/// Copies `count` steps of the axis between two tensors; `from` and `to` are (offset, axis length).
fn copy_rows<T: Copy>(
    src: &[T],
    dst: &mut [T],
    outer: usize,
    row: usize,
    count: usize,
    (from, to): ((usize, usize), (usize, usize)),
) {
    let place = |o: usize, (offset, len): (usize, usize)| (o * len + offset) * row;
    for o in 0..outer {
        let (f, t) = (place(o, from), place(o, to));
        dst[t..t + count * row].copy_from_slice(&src[f..f + count * row]);
    }
}

/// ConcatFromSequence.
pub(super) fn concat(cx: &Compile<'_>) -> Made {
    let op = cx.view(ConcatFromSequence::of)?;
    let (axis, stack) = (op.axis(), op.new_axis());
    Prepared::boxed(cx, move |call| joined(call, axis, stack))
}

/// Joins the tensors of a sequence along the axis, which is a new one if they are stacked.
fn joined(call: &mut Call<'_, '_>, along: i64, stack: bool) -> Result<(), KernelError> {
    let (xs, y) = (ConcatFromSequence::AT.xs, ConcatFromSequence::AT.y);
    let mut parts = Vec::new();
    for item in items(call, xs)? {
        let Value::Tensor(t) = item else {
            let (actual, expected) = (item.describe(), "a sequence of tensors");
            return Err(KernelError::Kind { index: xs, actual, expected });
        };
        parts.push(t);
    }
    let first = parts.first().ok_or_else(|| KernelError::domain("the sequence is empty"))?.clone();
    let at = axis(along, first.rank() + usize::from(stack))?;
    if stack {
        for part in &mut parts {
            let mut dims = part.dims().to_vec();
            if dims.len() != first.rank() {
                return Err(KernelError::shape("items of different rank cannot be stacked"));
            }
            dims.insert(at, 1);
            *part = part.clone().reshaped(&dims)?;
        }
    }
    let mut dims = parts[0].dims().to_vec();
    dims[at] = 0;
    for part in &parts {
        let other = |d: &[usize]| [&d[..at], &d[at + 1..]].concat();
        let same = part.rank() == dims.len() && other(part.dims()) == other(&dims);
        if !same || part.dtype() != first.dtype() {
            let (a, b) = (first.ty(), part.ty());
            return Err(KernelError::shape(format!(
                "{a} and {b} cannot be joined along axis {at}"
            )));
        }
        dims[at] += part.dims()[at];
    }
    let mut out = call.alloc(y, first.dtype(), &dims)?;
    let (mut offset, size) = (0, first.dtype().size());
    let mut picks = match first.dtype() {
        DType::Str => Some(Picks::empty(call.pool(), &out)?),
        _ => None,
    };
    for part in &parts {
        let (outer, n, row) = cut(part.dims(), at);
        let places = ((0, n), (offset, dims[at]));
        match &mut picks {
            Some(picks) => copy_rows(&Picks::of(call.pool(), part)?, picks, outer, row, n, places),
            None => copy_rows(part.bytes()?, out.bytes_mut()?, outer, row * size, n, places),
        }
        offset += n;
    }
    if let Some(picks) = picks {
        picks.write(out.write_strings()?)?;
    }
    call.set(y, out);
    Ok(())
}

/// SplitToSequence.
pub(super) fn split(cx: &Compile<'_>) -> Made {
    let op = cx.view(SplitToSequence::of)?;
    let (axis, keeps) = (op.axis(), op.keepdims());
    Prepared::boxed(cx, move |call| parted(call, axis, keeps))
}

/// Cuts a tensor along the axis, which slices of length 1 keep or not.
fn parted(call: &mut Call<'_, '_>, along: i64, keeps: bool) -> Result<(), KernelError> {
    let x = call.tensor(SplitToSequence::AT.x)?;
    let split = call.opt(SplitToSequence::AT.split)?;
    let squeeze = split.is_none() && !keeps;
    let at = axis(along, x.rank())?;
    let (outer, n, row) = cut(x.dims(), at);
    let sizes = match split {
        None => vec![1; n],
        Some(split) => {
            let bad = || {
                KernelError::domain(format!(
                    "`split` does not divide a length of {n} along axis {at}"
                ))
            };
            let sizes = split.to_i64s()?.into_iter().map(|s| usize::try_from(s).map_err(|_| bad()));
            let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
            match (split.rank(), &sizes[..]) {
                (0, [0]) => return Err(bad()),
                (0, &[s]) => (0..n.div_ceil(s)).map(|i| s.min(n - i * s)).collect(),
                (1, s) if s.iter().try_fold(0usize, |a, &b| a.checked_add(b)) == Some(n) => sizes,
                _ => return Err(bad()),
            }
        }
    };
    let (mut parts, mut offset) = (Vec::with_capacity(sizes.len()), 0);
    for size in sizes {
        let mut dims = x.dims().to_vec();
        dims[at] = size;
        let mut part = call.temp(x.dtype(), &dims)?;
        let places = ((offset, n), (0, size));
        if x.dtype() == DType::Str {
            let mut picks = Picks::empty(call.pool(), &part)?;
            copy_rows(&Picks::of(call.pool(), &x)?, &mut picks, outer, row, size, places);
            picks.write(part.write_strings()?)?;
        } else {
            let row = row * x.dtype().size();
            copy_rows(x.bytes()?, part.bytes_mut()?, outer, row, size, places);
        }
        if squeeze {
            dims.remove(at);
            part = part.reshaped(&dims)?;
        }
        parts.push(part.into());
        offset += size;
    }
    call.set(SplitToSequence::AT.y, Value::seq(parts));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, strings, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn splits_join_again() {
        let x = tensor(&[2, 5], &(0..10i32).collect::<Vec<_>>());
        for split in [tensor(&[], &[2i64]), tensor(&[3], &[0i64, 4, 1])] {
            let axis = [("axis", Attr::Int(-1))];
            let seq = run(OpKind::SplitToSequence, &axis, vec![x.clone(), split]).unwrap();
            let y = run(OpKind::ConcatFromSequence, &axis, vec![seq]).unwrap();
            assert_eq!(elements::<i32>(&y), elements::<i32>(&x));
        }
        let bad = tensor(&[2], &[2i64, 2]);
        assert!(
            run(OpKind::SplitToSequence, &[("axis", Attr::Int(1))], vec![x.clone(), bad]).is_err()
        );
        let rows =
            run(OpKind::SplitToSequence, &[("keepdims", Attr::Int(0))], vec![x.clone()]).unwrap();
        let stack = [("axis", Attr::Int(1)), ("new_axis", Attr::Int(1))];
        let y = run(OpKind::ConcatFromSequence, &stack, vec![rows]).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [5, 2]);
        assert_eq!(elements::<i32>(&y), [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]);
    }

    #[test]
    fn strings_join() {
        let seq =
            trident_runtime::Value::seq(vec![strings(&[1], &["a"]), strings(&[2], &["b", "c"])]);
        let y = run(OpKind::ConcatFromSequence, &[("axis", Attr::Int(0))], vec![seq]).unwrap();
        assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["a", "b", "c"]);
    }
}
