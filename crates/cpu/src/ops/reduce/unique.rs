//! Distinct elements or slices.

use super::arg::{in_wide, order, widened};
use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::moves::gather_rows;
use std::cmp::Ordering;
use trident_ir::ops::Unique;
use trident_ir::{DType, geometry};
use trident_runtime::{KernelError, Tensor};

pub(super) fn unique(cx: &Compile<'_>) -> Made {
    let op = cx.view(Unique::of)?;
    let (axis, ascending) = (op.axis(), op.sorted());
    Prepared::boxed(cx, move |call| run(call, axis, ascending))
}

fn run(call: &mut Call<'_, '_>, axis: Option<i64>, ascending: bool) -> Result<(), KernelError> {
    let place = Unique::AT;
    let x = call.tensor(place.x)?;
    let (at, axis) = match axis {
        Some(axis) => (Around::axis(x.dims(), axis)?, Some(geometry::axis(axis, x.rank())?)),
        None => (Around { outer: 1, n: x.len(), inner: 1 }, None),
    };
    if at.n > x.len() {
        return Err(KernelError::shape("the slices have no elements, so they cannot be compared"));
    }
    // Slice `i`, element by element.
    let places = |i: usize| {
        (0..at.outer * at.inner).map(move |k| (k / at.inner * at.n + i) * at.inner + k % at.inner)
    };
    let mut sorted: Vec<usize> = (0..at.n).collect();
    let mut same: Vec<bool> = vec![];
    macro_rules! sort {
        ($values:expr, $order:expr) => {{
            let values = $values;
            let compare = |a: &usize, b: &usize| {
                places(*a)
                    .zip(places(*b))
                    .map(|(a, b)| $order(&values[a], &values[b]))
                    .find(|o| o.is_ne())
                    .unwrap_or(Ordering::Equal)
            };
            // Stable, so that the first of equals comes first.
            sorted.sort_by(compare);
            same = sorted.windows(2).map(|w| compare(&w[0], &w[1]).is_eq()).collect();
        }};
    }
    if x.dtype() == DType::Str {
        sort!(x.strings()?, |a: &String, b: &String| a.cmp(b));
    } else {
        let wide = widened(call, place.x)?;
        in_wide!(wide.dtype(), T => {
            sort!(wide.slice::<T>()?, order::<T>);
            Ok::<(), KernelError>(())
        })?;
    }
    // Groups of equals in ascending order: the first index and the count of each, the group of each slice.
    let (mut firsts, mut counts, mut inverse) = (vec![], vec![], vec![0usize; at.n]);
    for (k, &i) in sorted.iter().enumerate() {
        if k == 0 || !same[k - 1] {
            firsts.push(i);
            counts.push(0i64);
        }
        if let Some(count) = counts.last_mut() {
            *count += 1;
        }
        inverse[i] = firsts.len() - 1;
    }
    if !ascending {
        let mut by_first: Vec<usize> = (0..firsts.len()).collect();
        by_first.sort_unstable_by_key(|&g| firsts[g]);
        let mut rank = vec![0; firsts.len()];
        by_first.iter().enumerate().for_each(|(r, &g)| rank[g] = r);
        inverse.iter_mut().for_each(|g| *g = rank[*g]);
        firsts = by_first.iter().map(|&g| firsts[g]).collect();
        counts = by_first.iter().map(|&g| counts[g]).collect();
    }
    let dims = match axis {
        Some(axis) => {
            let mut dims = x.dims().to_vec();
            dims[axis] = firsts.len();
            dims
        }
        None => vec![firsts.len()],
    };
    let mut y = call.alloc(place.y, x.dtype(), &dims)?;
    gather_rows(call, &x, (at.n, at.inner), &firsts, &mut y)?;
    call.set(place.y, y);
    let as_i64 = |v: &[usize]| v.iter().map(|&i| i as i64).collect::<Vec<_>>();
    for (result, values) in [
        (place.indices, as_i64(&firsts)),
        (place.inverse_indices, as_i64(&inverse)),
        (place.counts, counts),
    ] {
        if call.wants(result) {
            let t = Tensor::from_slice(call.pool(), &[values.len()], &values)?;
            call.set(result, t);
        }
    }
    Ok(())
}
