//! TopK: the greatest or least elements along an axis, in order.

use super::arg::{in_wide, number, widened};
use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::cast;
use trident_ir::ops::TopK;
use trident_ir::{DType, counted, geometry};
use trident_kernels::parallel::for_rows;
use trident_kernels::select::Selection;
use trident_runtime::{KernelError, Tensor};

/// The k greatest or least elements along the axis, equals by index.
pub(super) fn top_k(cx: &Compile<'_>) -> Made {
    let op = cx.view(TopK::of)?;
    let (axis, largest) = (op.axis(), op.largest());
    Prepared::boxed(cx, move |call| order_top(call, axis, largest))
}

/// Finds the places first; the values then follow from them.
fn order_top(call: &mut Call<'_, '_>, axis: i64, largest: bool) -> Result<(), KernelError> {
    let place = TopK::AT;
    let (dtype, x) = (call.tensor(place.x)?.dtype(), widened(call, place.x)?);
    let Around { outer, n, inner } = Around::axis(x.dims(), axis)?;
    let axis = geometry::axis(axis, x.rank())?;
    let k = number(call, place.k, "k")?;
    let k = usize::try_from(k).ok().filter(|&k| k <= n).ok_or_else(|| {
        KernelError::domain(format!("`k` is {k}, and the axis has {}", counted(n, "element")))
    })?;
    let mut dims = x.dims().to_vec();
    dims[axis] = k;
    let mut values = call.temp(x.dtype(), &dims)?;
    let mut indices = call.alloc(place.indices, DType::I64, &dims)?;
    let selection = Selection { outer, n, inner, k };
    match inner {
        1 => select(call, selection, &x, largest, indices.slice_mut()?)?,
        _ => {
            let mut places = call.temp(DType::I64, &[outer, inner, k])?;
            select(call, selection, &x, largest, places.slice_mut()?)?;
            let places = places.slice::<i64>()?;
            for_rows(call.threads, indices.slice_mut::<i64>()?, inner, 4, |first, rows| {
                for (row, out) in rows.chunks_mut(inner).enumerate() {
                    let from = (first + row) / k * inner * k + (first + row) % k;
                    let column = places[from..].iter().step_by(k);
                    out.iter_mut().zip(column).for_each(|(out, &place)| *out = place);
                }
            });
        }
    }
    let places = indices.slice::<i64>()?;
    in_wide!(x.dtype(), T => {
        let x = x.slice::<T>()?;
        for_rows(call.threads, values.slice_mut::<T>()?, 1, 4, |first, values| {
            for ((i, value), &p) in (first..).zip(values).zip(&places[first..]) {
                *value = x[(i / inner / k * n + p as usize) * inner + i % inner];
            }
        });
        Ok::<(), KernelError>(())
    })?;
    let values = cast(call.threads, call.pool(), &values, dtype)?;
    call.set(place.values, values);
    call.set(place.indices, indices);
    Ok(())
}

/// Writes the places of the elements, [outer, inner, k].
fn select(
    call: &Call<'_, '_>,
    selection: Selection,
    x: &Tensor,
    largest: bool,
    places: &mut [i64],
) -> Result<(), KernelError> {
    // Keys of elements of 32 bits have 32 bits for a place.
    let wide = match x.dtype() {
        DType::F32 if selection.n > u32::MAX as usize => DType::F64,
        DType::I32 if selection.n > u32::MAX as usize => DType::I64,
        dtype => dtype,
    };
    let x = cast(call.threads, call.pool(), x, wide)?;
    in_wide!(x.dtype(), T => {
        let bytes = selection.working_bytes::<T>(call.threads.count());
        let room = call.pool().charge(bytes);
        let _room = room.ok_or_else(|| {
            let dims = [selection.outer, selection.n, selection.inner].to_vec();
            KernelError::TooLarge { dtype: x.dtype(), dims }
        })?;
        selection.places(call.threads, x.slice::<T>()?, largest, places);
        Ok(())
    })
}
