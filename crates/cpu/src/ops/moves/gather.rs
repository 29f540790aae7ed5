//! Ops that pick elements by index.

use super::view::with_elements;
use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::element::B8;
use trident_ir::geometry;
use trident_ir::literal::checked_len;
use trident_ir::ops::{
    Compress, Gather, GatherElements, GatherND, NonZero, OneHot, ReverseSequence,
};
use trident_ir::{DType, counted};
use trident_kernels::parallel::{for_pieces, for_rows};
use trident_runtime::{KernelError, Tensor};

/// Indices below `dim`; negative ones count from the end.
pub(super) fn wrap(indices: &[i64], dim: usize) -> Result<Vec<usize>, KernelError> {
    let n = dim as i64;
    indices
        .iter()
        .map(|&i| {
            let wrapped = if i < 0 { i.saturating_add(n) } else { i };
            if (0..n).contains(&wrapped) {
                Ok(wrapped as usize)
            } else {
                Err(KernelError::domain(format!("index {i} is outside an axis of length {dim}")))
            }
        })
        .collect()
}

/// Rows of `inner` elements of `x`, seen as [outer, dim, inner], at the indices.
pub(crate) fn rows(
    call: &Call<'_, '_>,
    x: &Tensor,
    (dim, inner): (usize, usize),
    indices: &[usize],
    y: &mut Tensor,
) -> Result<(), KernelError> {
    if y.is_empty() {
        return Ok(());
    }
    with_elements!(call, x, y, |src, dst| for_rows(call.threads, dst, inner, 1, |first, piece| {
        let (mut outer, mut k) = (first / indices.len(), first % indices.len());
        for out in piece.chunks_mut(inner) {
            let at = (outer * dim + indices[k]) * inner;
            out.copy_from_slice(&src[at..at + inner]);
            k += 1;
            if k == indices.len() {
                (outer, k) = (outer + 1, 0);
            }
        }
    }));
    Ok(())
}

/// Slices along an axis.
pub(super) fn gather(cx: &Compile<'_>) -> Made {
    let (at, axis) = (Gather::AT, cx.view(Gather::of)?.axis());
    Prepared::boxed(cx, move |call| {
        let (x, indices) = (call.tensor(at.x)?, call.tensor(at.indices)?);
        let axis = geometry::axis(axis, x.rank())?;
        let dim = x.dims()[axis];
        let picked = wrap(&indices.to_i64s()?, dim)?;
        let dims = [&x.dims()[..axis], indices.dims(), &x.dims()[axis + 1..]].concat();
        let inner = geometry::extent(&x.dims()[axis + 1..]);
        let mut y = call.alloc(at.y, x.dtype(), &dims)?;
        rows(call, &x, (dim, inner), &picked, &mut y)?;
        call.set(at.y, y);
        Ok(())
    })
}

/// Slices along an axis, or elements, where the condition holds.
pub(super) fn compress(cx: &Compile<'_>) -> Made {
    let axis = cx.view(Compress::of)?.axis();
    Prepared::boxed(cx, move |call| compressed(call, axis))
}

fn compressed(call: &mut Call<'_, '_>, axis: Option<i64>) -> Result<(), KernelError> {
    let (x, condition) = (call.tensor(Compress::AT.x)?, call.tensor(Compress::AT.condition)?);
    let (before, dim, after) = match axis {
        Some(axis) => {
            let axis = geometry::axis(axis, x.rank())?;
            (&x.dims()[..axis], x.dims()[axis], &x.dims()[axis + 1..])
        }
        None => (&[][..], x.len(), &[][..]),
    };
    let holds = condition.slice::<B8>()?;
    if condition.rank() != 1 || holds.len() > dim {
        return Err(KernelError::shape(format!(
            "`condition` has dimensions {:?}, expected at most {dim} elements in one dimension",
            condition.dims()
        )));
    }
    let at: Vec<usize> = (0..holds.len()).filter(|&i| bool::from(holds[i])).collect();
    let mut y = call.alloc(Compress::AT.y, x.dtype(), &[before, &[at.len()], after].concat())?;
    rows(call, &x, (dim, geometry::extent(after)), &at, &mut y)?;
    call.set(Compress::AT.y, y);
    Ok(())
}

/// The offsets in `data` of dimensions `dims` of the elements at `indices` (shape `at`) along the axis.
pub(super) fn element_offsets(
    dims: &[usize],
    axis: usize,
    indices: &Tensor,
) -> Result<Vec<usize>, KernelError> {
    let at = indices.dims();
    let fits = at.len() == dims.len() && (0..dims.len()).all(|i| i == axis || at[i] <= dims[i]);
    if !fits {
        return Err(KernelError::shape(format!(
            "indices of dimensions {at:?} do not fit an input of {dims:?} along axis {axis}"
        )));
    }
    let mut offsets = wrap(&indices.to_i64s()?, dims[axis])?;
    let strides = geometry::strides(dims);
    let mut index = vec![0usize; at.len()];
    for slot in &mut offsets {
        let place = |i: usize| if i == axis { *slot } else { index[i] };
        *slot = (0..index.len()).map(|i| place(i) * strides[i]).sum();
        for i in (0..index.len()).rev() {
            index[i] += 1;
            if index[i] < at[i] {
                break;
            }
            index[i] = 0;
        }
    }
    Ok(offsets)
}

/// Elements at indices along an axis.
pub(super) fn gather_elements(cx: &Compile<'_>) -> Made {
    let (at, axis) = (GatherElements::AT, cx.view(GatherElements::of)?.axis());
    Prepared::boxed(cx, move |call| {
        let (x, indices) = (call.tensor(at.x)?, call.tensor(at.indices)?);
        let axis = geometry::axis(axis, x.rank())?;
        let offsets = element_offsets(x.dims(), axis, &indices)?;
        let mut y = call.alloc(at.y, x.dtype(), indices.dims())?;
        with_elements!(call, x, y, |src, dst| for_pieces(call.threads, dst, 2, |start, piece| {
            for (o, &at) in piece.iter_mut().zip(&offsets[start..]) {
                *o = src[at];
            }
        }));
        call.set(at.y, y);
        Ok(())
    })
}

/// The offset in elements of each slice that the index tuples name, and the slices' size: `batch` leading axes of data
/// and indices are combined. All slices together must have `total` elements.
pub(super) fn slice_offsets(
    dims: &[usize],
    indices: &Tensor,
    batch: usize,
    total: usize,
) -> Result<(Vec<usize>, usize), KernelError> {
    let at = indices.dims();
    let bad = || {
        let axes = counted(batch, "batch axis");
        KernelError::shape(format!(
            "indices of dimensions {at:?} do not fit an input of {dims:?} with {axes}"
        ))
    };
    let (&tuple, outer) = at.split_last().ok_or_else(bad)?;
    if batch > outer.len() || batch + tuple > dims.len() || at[..batch] != dims[..batch] {
        return Err(bad());
    }
    let inner = checked_len(&dims[batch + tuple..]).ok_or(geometry::GeometryError::TooLarge)?;
    let count = checked_len(outer).ok_or(geometry::GeometryError::TooLarge)?;
    if count.checked_mul(inner) != Some(total) {
        return Err(KernelError::shape(format!(
            "the indices take {} of {}, and the result has {total} elements",
            counted(count, "slice"),
            counted(inner, "element")
        )));
    }
    if total == 0 {
        return Ok((vec![], inner));
    }
    let batches = checked_len(&dims[..batch]).ok_or(geometry::GeometryError::TooLarge)?;
    let per_batch = count.checked_div(batches).unwrap_or(0);
    let span = checked_len(&dims[batch..]).ok_or(geometry::GeometryError::TooLarge)?;
    let values = indices.to_i64s()?;
    let strides = geometry::strides(&dims[batch..]);
    let mut offsets = Vec::new();
    offsets.try_reserve_exact(count).map_err(|_| geometry::GeometryError::TooLarge)?;
    for i in 0..count {
        let mut offset = i / per_batch.max(1) * span;
        for (k, &v) in values[i * tuple..(i + 1) * tuple].iter().enumerate() {
            let dim = dims[batch + k];
            let wrapped = if v < 0 { v.saturating_add(dim as i64) } else { v };
            if wrapped < 0 || wrapped >= dim as i64 {
                return Err(KernelError::domain(format!(
                    "index {v} is outside an axis of length {dim}"
                )));
            }
            offset += wrapped as usize * strides[k];
        }
        offsets.push(offset);
    }
    Ok((offsets, inner))
}

/// Slices at index tuples.
pub(super) fn gather_nd(cx: &Compile<'_>) -> Made {
    let batch = usize::try_from(cx.view(GatherND::of)?.batch_dims())
        .map_err(|_| cx.declined("attribute `batch_dims` is negative"))?;
    Prepared::boxed(cx, move |call| gather_slices(call, batch))
}

fn gather_slices(call: &mut Call<'_, '_>, batch: usize) -> Result<(), KernelError> {
    let (x, indices) = (call.tensor(GatherND::AT.x)?, call.tensor(GatherND::AT.indices)?);
    let (&tuple, outer) = indices.dims().split_last().ok_or_else(|| {
        KernelError::shape("`indices` is a scalar, expected at least one dimension")
    })?;
    let rest = batch.checked_add(tuple).and_then(|n| x.dims().get(n..));
    let rest = rest.ok_or_else(|| {
        KernelError::shape(format!(
            "an index of {tuple} numbers is too long for dimensions {:?}",
            x.dims()
        ))
    })?;
    let mut y = call.alloc(GatherND::AT.y, x.dtype(), &[outer, rest].concat())?;
    let (offsets, inner) = slice_offsets(x.dims(), &indices, batch, y.len())?;
    if !y.is_empty() {
        with_elements!(call, x, y, |src, dst| for_rows(
            call.threads,
            dst,
            inner,
            1,
            |first, piece| {
                for (out, &at) in piece.chunks_mut(inner).zip(&offsets[first..]) {
                    out.copy_from_slice(&src[at..at + inner]);
                }
            }
        ));
    }
    call.set(GatherND::AT.y, y);
    Ok(())
}

/// Coordinates of the elements that are not zero, one column each.
pub(super) fn non_zero(cx: &Compile<'_>) -> Made {
    cx.view(NonZero::of)?;
    Prepared::boxed(cx, coordinates)
}

fn coordinates(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(NonZero::AT.x)?;
    let flags = if x.dtype() == DType::Str {
        let set: Vec<B8> = x.strings()?.iter().map(|s| B8::from(!s.is_empty())).collect();
        Tensor::from_slice(call.pool(), x.dims(), &set)?
    } else {
        crate::ops::convert::cast(call.threads, call.pool(), &x, DType::Bool)?
    };
    let set: Vec<usize> = flags
        .slice::<B8>()?
        .iter()
        .enumerate()
        .filter(|(_, v)| bool::from(**v))
        .map(|(i, _)| i)
        .collect();
    let strides = geometry::strides(x.dims());
    let n = set.len();
    let mut y = call.alloc(NonZero::AT.y, DType::I64, &[x.rank(), n])?;
    if n > 0 {
        for ((row, &s), &d) in y.slice_mut::<i64>()?.chunks_mut(n).zip(&strides).zip(x.dims()) {
            row.iter_mut().zip(&set).for_each(|(o, &i)| *o = (i / s % d) as i64);
        }
    }
    call.set(NonZero::AT.y, y);
    Ok(())
}

/// The first `sequence_lens[b]` slices along the time axis of each batch entry, reversed.
pub(super) fn reverse_sequence(cx: &Compile<'_>) -> Made {
    let op = cx.view(ReverseSequence::of)?;
    let time_first = match (op.batch_axis(), op.time_axis()) {
        (1, 0) => true,
        (0, 1) => false,
        (batch, time) => {
            return Err(cx.declined(format!(
                "`batch_axis` is {batch} and `time_axis` {time}: one must be 0, the other 1"
            )));
        }
    };
    Prepared::boxed(cx, move |call| reverse(call, time_first))
}

fn reverse(call: &mut Call<'_, '_>, time_first: bool) -> Result<(), KernelError> {
    let at = ReverseSequence::AT;
    let (x, lens) = (call.tensor(at.x)?, call.required_ints(at.sequence_lens)?);
    if x.rank() < 2 {
        return Err(KernelError::shape("the input must have rank 2 or more"));
    }
    let (d0, d1) = (x.dims()[0], x.dims()[1]);
    let (batches, steps) = if time_first { (d1, d0) } else { (d0, d1) };
    if lens.len() != batches || lens.iter().any(|&l| l < 0 || l > steps as i64) {
        return Err(KernelError::domain(format!(
            "`sequence_lens` is {lens:?}, expected {} from 0 to {steps}",
            counted(batches, "sequence")
        )));
    }
    let inner: usize = geometry::extent(&x.dims()[2..]);
    let mut y = call.alloc(at.y, x.dtype(), x.dims())?;
    if !y.is_empty() {
        with_elements!(call, x, y, |src, dst| for_rows(
            call.threads,
            dst,
            inner,
            1,
            |first, piece| {
                for (k, out) in piece.chunks_mut(inner).enumerate() {
                    let (i, j) = ((first + k) / d1, (first + k) % d1);
                    let (b, t) = if time_first { (j, i) } else { (i, j) };
                    let len = lens[b] as usize;
                    let t = if t < len { len - 1 - t } else { t };
                    let at = (if time_first { t * d1 + b } else { b * d1 + t }) * inner;
                    out.copy_from_slice(&src[at..at + inner]);
                }
            }
        ));
    }
    call.set(at.y, y);
    Ok(())
}

/// One-hot vectors along a further axis.
pub(super) fn one_hot(cx: &Compile<'_>) -> Made {
    let axis = cx.view(OneHot::of)?.axis();
    Prepared::boxed(cx, move |call| hot(call, axis))
}

fn hot(call: &mut Call<'_, '_>, axis: i64) -> Result<(), KernelError> {
    let place = OneHot::AT;
    let (indices, values) = (call.tensor(place.indices)?, call.tensor(place.values)?);
    let to_i64 = |t: &Tensor| crate::ops::convert::cast(call.threads, call.pool(), t, DType::I64);
    let (at, depth) = (to_i64(&indices)?, to_i64(&call.tensor(place.depth)?)?);
    let &[depth] = depth.slice::<i64>()? else {
        return Err(KernelError::shape("`depth` must be one number"));
    };
    let n = usize::try_from(depth)
        .map_err(|_| KernelError::domain(format!("`depth` is {depth}, expected 0 or more")))?;
    if values.dims() != [2] {
        return Err(KernelError::shape(format!(
            "`values` has dimensions {:?}, expected [2]: the values for off and on",
            values.dims()
        )));
    }
    let axis = geometry::axis(axis, indices.rank() + 1)?;
    let mut dims = indices.dims().to_vec();
    dims.insert(axis, n);
    let inner: usize = geometry::extent(&indices.dims()[axis..]);
    let at = at.slice::<i64>()?;
    let mut y = call.alloc(place.y, values.dtype(), &dims)?;
    with_elements!(call, values, y, |values, dst| {
        dst.fill(values[0]);
        for (k, &i) in at.iter().enumerate() {
            let wrapped = if i < 0 { i.saturating_add(depth) } else { i };
            if (0..depth).contains(&wrapped) {
                let (outer, inside) = (k / inner, k % inner);
                dst[(outer * n + wrapped as usize) * inner + inside] = values[1];
            }
        }
    });
    call.set(place.y, y);
    Ok(())
}
