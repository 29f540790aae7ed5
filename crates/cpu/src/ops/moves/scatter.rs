//! Ops that write elements to places given by index.

use super::gather::{element_offsets, slice_offsets};
use super::view::with_elements;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use crate::picks::Picks;
use trident_ir::literal::checked_len;
use trident_ir::op::words::{AutoPad, CacheMode, ScatterReduction};
use trident_ir::ops::{Col2Im, ScatterElements, ScatterND, TensorScatter};
use trident_ir::{DType, counted, geometry};
use trident_runtime::{KernelError, Tensor};

/// Takes the operand at `from` as result `result`, to be overwritten: its own memory if it is not shared, else a copy.
/// A lent operand stays in place if its elements are only replaced. Strings are copied by [`scatter`], which knows the
/// strings that are kept.
fn take_copy(
    call: &mut Call<'_, '_>,
    (from, result): (usize, usize),
    how: ScatterReduction,
) -> Result<Tensor, KernelError> {
    let x = call.tensor(from)?;
    let (dtype, dims) = (x.dtype(), x.dims().to_vec());
    if dtype == DType::Str {
        return Ok(x);
    }
    drop(x);
    let lent = if how == ScatterReduction::Replace { call.take_lent(from) } else { None };
    if let Some(t) = lent.or_else(|| call.reuse(from, dtype, &dims)) {
        return Ok(t);
    }
    let (x, mut y) = (call.tensor(from)?, call.alloc(result, dtype, &dims)?);
    with_elements!(call, x, y, |src, dst| dst.copy_from_slice(src));
    Ok(y)
}

fn replace<T: Copy>(dst: &mut [T], offsets: &[usize], inner: usize, updates: &[T]) {
    for (&at, update) in offsets.iter().zip(updates.chunks(inner)) {
        dst[at..at + inner].copy_from_slice(update);
    }
}

/// Runs of `inner` elements of `updates`, operand `at`, meet those of `y` at the offsets, in order.
fn scatter(
    call: &Call<'_, '_>,
    mut y: Tensor,
    offsets: &[usize],
    inner: usize,
    (at, updates): (usize, &Tensor),
    how: ScatterReduction,
) -> Result<Tensor, KernelError> {
    if updates.dtype() != y.dtype() {
        let expected = y.dtype().to_string();
        return Err(KernelError::DType { index: at, actual: updates.dtype(), expected });
    }
    if offsets.len().checked_mul(inner) != Some(updates.len()) {
        return Err(KernelError::shape(format!(
            "`updates` has dimensions {:?}, which do not fill {} of {}",
            updates.dims(),
            counted(offsets.len(), "slice"),
            counted(inner, "element")
        )));
    }
    if inner == 0 || offsets.is_empty() {
        return Ok(y);
    }
    if how == ScatterReduction::Replace && y.dtype() == DType::Str {
        let mut picks = Picks::of(call.pool(), &y)?;
        replace(&mut picks, offsets, inner, &Picks::of(call.pool(), updates)?);
        return Tensor::gather_strings(call.pool(), y.dims(), picks.iter().copied());
    }
    if how == ScatterReduction::Replace && y.is_lent() {
        let (size, bytes) = (y.dtype().size(), updates.bytes()?);
        for (&at, update) in offsets.iter().zip(bytes.chunks(inner * size)) {
            y.patch(at * size, update)?;
        }
        return Ok(y);
    }
    if how == ScatterReduction::Replace {
        with_elements!(call, updates, y, |src, dst| replace(dst, offsets, inner, src));
        return Ok(y);
    }
    let (dtype, compute) = (y.dtype(), compute_dtype(y.dtype()));
    // Numbers of a narrow type are widened, and the result goes back to the memory that was allocated for it.
    let (mut acc, narrow) = match compute == dtype {
        true => (y, None),
        false => (cast(call.threads, call.pool(), &y, compute)?, Some(y)),
    };
    let updates = cast(call.threads, call.pool(), updates, compute)?;
    macro_rules! combine {
        ($t:ident, $add:expr, $mul:expr) => {{
            let f: fn($t, $t) -> $t = match how {
                ScatterReduction::Add => $add,
                ScatterReduction::Mul => $mul,
                ScatterReduction::Max => |a, b| if a > b || a != a { a } else { b },
                ScatterReduction::Min => |a, b| if a < b || a != a { a } else { b },
                ScatterReduction::Replace => |_, b| b,
            };
            let dst = acc.slice_mut::<$t>()?;
            for (&at, update) in offsets.iter().zip(updates.slice::<$t>()?.chunks(inner)) {
                dst[at..at + inner].iter_mut().zip(update).for_each(|(d, &u)| *d = f(*d, u));
            }
        }};
    }
    match compute {
        DType::F32 => combine!(f32, |a, b| a + b, |a, b| a * b),
        DType::F64 => combine!(f64, |a, b| a + b, |a, b| a * b),
        DType::I32 => combine!(i32, i32::wrapping_add, i32::wrapping_mul),
        DType::I64 => combine!(i64, i64::wrapping_add, i64::wrapping_mul),
        DType::U64 => combine!(u64, u64::wrapping_add, u64::wrapping_mul),
        other => return Err(KernelError::Unsupported(other)),
    }
    let Some(mut y) = narrow else { return Ok(acc) };
    convert_into(call.threads, &acc, &mut y, Default::default())?;
    Ok(y)
}

/// Elements at indices along one axis.
pub(super) fn elements(cx: &Compile<'_>) -> Made {
    let (at, op) = (ScatterElements::AT, cx.view(ScatterElements::of)?);
    let (axis, how) = (op.axis(), op.reduction());
    Prepared::boxed(cx, move |call| {
        let (indices, updates) = (call.tensor(at.indices)?, call.tensor(at.updates)?);
        let dims = call.tensor(at.x)?.dims().to_vec();
        let axis = geometry::axis(axis, dims.len())?;
        let (i, u) = (indices.dims(), updates.dims());
        if i != u {
            let differ =
                format!("indices of dimensions {i:?} and updates of {u:?} differ in shape");
            return Err(KernelError::shape(differ));
        }
        let offsets = element_offsets(&dims, axis, &indices)?;
        let y = take_copy(call, (at.x, at.y), how)?;
        let y = scatter(call, y, &offsets, 1, (at.updates, &updates), how)?;
        call.set(at.y, y);
        Ok(())
    })
}

/// Slices at index tuples.
pub(super) fn nd(cx: &Compile<'_>) -> Made {
    let (at, how) = (ScatterND::AT, cx.view(ScatterND::of)?.reduction());
    Prepared::boxed(cx, move |call| {
        let (indices, updates) = (call.tensor(at.indices)?, call.tensor(at.updates)?);
        let dims = call.tensor(at.x)?.dims().to_vec();
        let (offsets, inner) = slice_offsets(&dims, &indices, 0, updates.len())?;
        let y = take_copy(call, (at.x, at.y), how)?;
        let y = scatter(call, y, &offsets, inner, (at.updates, &updates), how)?;
        call.set(at.y, y);
        Ok(())
    })
}

/// A cache with an update at each batch entry's place along the axis.
pub(super) fn cache(cx: &Compile<'_>) -> Made {
    let op = cx.view(TensorScatter::of)?;
    let (axis, circular) = (op.axis(), op.mode() == CacheMode::Circular);
    Prepared::boxed(cx, move |call| write_cache(call, axis, circular))
}

fn write_cache(call: &mut Call<'_, '_>, axis: i64, circular: bool) -> Result<(), KernelError> {
    let at = TensorScatter::AT;
    let update = call.tensor(at.update)?;
    let dims = call.tensor(at.past_cache)?.dims().to_vec();
    let axis = geometry::axis(axis, dims.len())?;
    let fits = axis > 0
        && update.rank() == dims.len()
        && (0..dims.len()).all(|i| i == axis || update.dims()[i] == dims[i])
        && update.dims()[axis] <= dims[axis];
    if !fits {
        return Err(KernelError::shape(format!(
            "`update` has dimensions {:?}, which do not fit a cache of {dims:?}",
            update.dims()
        )));
    }
    let (batch, most, steps) = (dims[0], dims[axis], update.dims()[axis]);
    let starts = call.ints(at.write_indices)?.unwrap_or_else(|| vec![0; batch]);
    if starts.len() != batch {
        return Err(KernelError::shape(format!(
            "{} given for a batch of {batch}",
            counted(starts.len(), "write index")
        )));
    }
    let inner: usize = geometry::extent(&dims[axis + 1..]);
    let middle: usize = geometry::extent(&dims[1..axis]);
    let count = checked_len(&update.dims()[..=axis]).ok_or(geometry::GeometryError::TooLarge)?;
    let mut offsets = Vec::with_capacity(if inner == 0 { 0 } else { count });
    for (b, &start) in starts.iter().enumerate() {
        let last = start
            .checked_add(steps as i64)
            .filter(|&l| start >= 0 && (circular || l <= most as i64));
        if last.is_none() {
            return Err(KernelError::domain(format!(
                "write index {start} is outside a cache of {most} rows"
            )));
        }
        if inner == 0 {
            continue;
        }
        for m in 0..middle {
            for s in 0..steps {
                let place = (start as usize + s) % most.max(1);
                offsets.push(((b * middle + m) * most + place) * inner);
            }
        }
    }
    let y = take_copy(call, (at.past_cache, at.y), ScatterReduction::Replace)?;
    let y = if inner == 0 {
        y
    } else {
        scatter(call, y, &offsets, inner, (at.update, &update), ScatterReduction::Replace)?
    };
    call.set(at.y, y);
    Ok(())
}

/// Columns summed into the image they were cut from.
pub(super) fn col2im(cx: &Compile<'_>) -> Made {
    let op = cx.view(Col2Im::of)?;
    let [strides, dilations, pads] =
        [op.strides(), op.dilations(), op.pads()].map(|ints| ints.map(<[i64]>::to_vec));
    Prepared::boxed(cx, move |call| {
        sum_columns(call, [strides.as_deref(), dilations.as_deref(), pads.as_deref()])
    })
}

fn sum_columns(
    call: &mut Call<'_, '_>,
    [strides, dilations, pads]: [Option<&[i64]>; 3],
) -> Result<(), KernelError> {
    let at = Col2Im::AT;
    let x = call.tensor(at.x)?;
    let (image, block) = (call.required_ints(at.image_shape)?, call.required_ints(at.block_shape)?);
    let n = image.len();
    let image = geometry::per_axis("image_shape", Some(&image), (1, n), 0, 0)?;
    let block = geometry::window_sizes("block_shape", &block, n)?;
    let given = AutoPad::NotSet;
    let windows = geometry::windows(&image, &block, strides, dilations, pads, given, false)?;
    let taps = checked_len(&block).ok_or(geometry::GeometryError::TooLarge)?;
    let places: Vec<usize> = windows.iter().map(|w| w.out).collect();
    let count = checked_len(&places).ok_or(geometry::GeometryError::TooLarge)?;
    let &[batch, rows, columns] = x.dims() else {
        return Err(KernelError::shape(format!(
            "the input has dimensions {:?}, expected [N, C·taps, columns]",
            x.dims()
        )));
    };
    if !rows.is_multiple_of(taps) || columns != count {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} does not hold blocks of {block:?} from an image of {image:?}",
            x.dims()
        )));
    }
    let dims = [&[batch, rows / taps], &image[..]].concat();
    let (dtype, compute) = (x.dtype(), compute_dtype(x.dtype()));
    let x = cast(call.threads, call.pool(), &x, compute)?;
    let mut acc = call.temp(compute, &dims)?;
    let pixels = checked_len(&image).ok_or(geometry::GeometryError::TooLarge)?;
    let strides = geometry::strides(&image);
    // The pixel of each tap and column, if it is not in the border.
    let pixel = |tap: usize, column: usize| -> Option<usize> {
        let (mut tap, mut column, mut at) = (tap, column, 0);
        for (w, (&d, &s)) in windows.iter().zip(image.iter().zip(&strides)).rev() {
            let place =
                (column % w.out * w.stride + tap % w.kernel * w.dilation).checked_sub(w.before);
            at += place.filter(|&p| p < d)? * s;
            (tap, column) = (tap / w.kernel, column / w.out);
        }
        Some(at)
    };
    macro_rules! sum {
        ($t:ident, $add:expr) => {{
            let add: fn($t, $t) -> $t = $add;
            let (src, dst) = (x.slice::<$t>()?, acc.slice_mut::<$t>()?);
            dst.fill(0 as $t);
            for (i, &v) in src.iter().enumerate() {
                let (row, column) = (i / columns, i % columns);
                if let Some(at) = pixel(row % taps, column) {
                    let slot = &mut dst[row / taps * pixels + at];
                    *slot = add(*slot, v);
                }
            }
        }};
    }
    match compute {
        DType::F32 => sum!(f32, |a, b| a + b),
        DType::F64 => sum!(f64, |a, b| a + b),
        DType::I32 => sum!(i32, i32::wrapping_add),
        DType::I64 => sum!(i64, i64::wrapping_add),
        DType::U64 => sum!(u64, u64::wrapping_add),
        other => return Err(KernelError::Unsupported(other)),
    }
    let y = cast(call.threads, call.pool(), &acc, dtype)?;
    call.set(at.y, y);
    Ok(())
}
