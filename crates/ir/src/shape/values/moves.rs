//! Moving elements of small values.

use crate::shape::expr::Expr;
use crate::shape::known::{Elem, Known, size};
use crate::shape::rules::axes_in;
use crate::shape::view::View;
use crate::{Attr, geometry};

/// A tensor of these dimensions, each element from the index into `x` that `source` gives for it.
fn gathered(
    x: &Known,
    dims: Vec<usize>,
    source: impl Fn(&[usize]) -> Option<usize>,
) -> Option<Known> {
    let count = size(&dims)?;
    let strides = geometry::strides(&dims);
    let elems = (0..count).map(|flat| {
        let index: Vec<usize> = dims.iter().zip(&strides).map(|(n, s)| flat / s % n).collect();
        x.elems.get(source(&index)?).cloned()
    });
    let elems: Option<Vec<Elem>> = elems.collect();
    Known::new(dims, elems?)
}

/// ConstantOfShape.
pub(super) fn filled(cx: &View<'_>) -> Option<Known> {
    let dims: Vec<usize> =
        cx.ints(0)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    let fill = match cx.op.attrs.get("value") {
        Some(Attr::Tensor(t)) => Known::of(t)?.elems.first()?.clone(),
        _ => Elem::Float(0.0),
    };
    let count = size(&dims)?;
    Known::new(dims, vec![fill; count])
}

/// The same elements in the dimensions that the shape rule gives.
pub(super) fn reshaped(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let shapes = (cx.op.decl().shape)(cx).ok()?;
    let dims = shapes.first()?.as_ref()?.iter().map(|d| d.fixed()).collect::<Option<Vec<_>>>()?;
    Known::new(dims, x.elems.clone())
}

/// Concat along the first axis. Operands that are not known but for their length count as such.
pub(super) fn concat(cx: &View<'_>) -> Option<Known> {
    if cx.op.inputs.is_empty() || cx.rank(0)? != 1 {
        return None;
    }
    let mut elems = vec![];
    for i in 0..cx.op.inputs.len() {
        match cx.known(i) {
            Some(known) => elems.extend_from_slice(&known.elems),
            None => elems.resize(elems.len().checked_add(cx.count(i)?)?, Elem::Unknown),
        }
    }
    Known::vector(elems)
}

/// Gather.
pub(super) fn gather(cx: &View<'_>) -> Option<Known> {
    let (x, indices) = (cx.known(0)?, cx.known(1)?);
    let at = indices.ints()?;
    let axis = geometry::axis(cx.op.int("axis")?, x.dims.len()).ok()?;
    let dims = [&x.dims[..axis], &indices.dims, &x.dims[axis + 1..]].concat();
    let (own, inner) = (geometry::strides(&x.dims), geometry::strides(&indices.dims));
    let middle = indices.dims.len();
    gathered(x, dims, |index| {
        let which: usize = index[axis..axis + middle].iter().zip(&inner).map(|(i, s)| i * s).sum();
        let picked = geometry::axis(*at.get(which)?, x.dims[axis]).ok()?;
        let before: usize = index[..axis].iter().zip(&own).map(|(i, s)| i * s).sum();
        let after: usize =
            index[axis + middle..].iter().zip(&own[axis + 1..]).map(|(i, s)| i * s).sum();
        Some(before + picked * own[axis] + after)
    })
}

/// GatherElements.
pub(super) fn gather_elements(cx: &View<'_>) -> Option<Known> {
    let (x, indices) = (cx.known(0)?, cx.known(1)?);
    let at = indices.ints()?;
    if x.dims.len() != indices.dims.len() {
        return None;
    }
    let axis = geometry::axis(cx.op.int("axis")?, x.dims.len()).ok()?;
    let (own, other) = (geometry::strides(&x.dims), geometry::strides(&indices.dims));
    gathered(x, indices.dims.clone(), |index| {
        let which: usize = index.iter().zip(&other).map(|(i, s)| i * s).sum();
        let picked = geometry::axis(*at.get(which)?, x.dims[axis]).ok()?;
        let place = |(d, i): (usize, &usize)| own[d] * if d == axis { picked } else { *i };
        Some(index.iter().enumerate().map(place).sum())
    })
}

/// Slice.
pub(super) fn slice(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let (starts, ends) = (cx.ints(1)?, cx.ints(2)?);
    let axes = axes_in(cx, 3, starts.len(), x.dims.len()).ok()??;
    let steps = if cx.has(4) { cx.ints(4)? } else { vec![1; axes.len()] };
    if ends.len() != axes.len() || steps.len() != axes.len() || steps.contains(&0) {
        return None;
    }
    let mut from = vec![(0i64, 1i64); x.dims.len()];
    let mut dims = x.dims.clone();
    for (j, &axis) in axes.iter().enumerate() {
        let cut = geometry::slice(dims[axis], starts[j], ends[j], steps[j]).ok()?;
        from[axis] = (i64::try_from(cut.start).ok()?, steps[j]);
        dims[axis] = cut.len;
    }
    let own = geometry::strides(&x.dims);
    gathered(x, dims, |index| {
        index.iter().enumerate().try_fold(0usize, |at, (d, i)| {
            let place = from[d].0.checked_add(from[d].1.checked_mul(*i as i64)?)?;
            at.checked_add(usize::try_from(place).ok()?.checked_mul(own[d])?)
        })
    })
}

/// Expand.
pub(super) fn expand(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let to: Vec<usize> =
        cx.ints(1)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    let dims = geometry::broadcast(&x.dims, &to).ok()?;
    let strides = geometry::broadcast_strides(&x.dims, &dims);
    gathered(x, dims, |index| Some(index.iter().zip(&strides).map(|(i, s)| i * s).sum()))
}

/// Tile.
pub(super) fn tile(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let repeats: Vec<usize> =
        cx.ints(1)?.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    if repeats.len() != x.dims.len() {
        return None;
    }
    let dims =
        x.dims.iter().zip(&repeats).map(|(n, k)| n.checked_mul(*k)).collect::<Option<_>>()?;
    let own = geometry::strides(&x.dims);
    gathered(x, dims, |index| {
        Some(index.iter().enumerate().map(|(d, i)| i % x.dims[d] * own[d]).sum())
    })
}

/// Transpose.
pub(super) fn transpose(cx: &View<'_>) -> Option<Known> {
    let x = cx.known(0)?;
    let rank = x.dims.len();
    let perm: Vec<usize> = match cx.op.ints("perm") {
        Some(p) => p.iter().map(|&p| geometry::axis(p, rank).ok()).collect::<Option<_>>()?,
        None => (0..rank).rev().collect(),
    };
    if perm.len() != rank {
        return None;
    }
    let own = geometry::strides(&x.dims);
    let dims = perm.iter().map(|&p| x.dims[p]).collect();
    gathered(x, dims, |index| Some(index.iter().zip(&perm).map(|(i, &p)| i * own[p]).sum()))
}

/// Range of integers.
pub(super) fn range(cx: &View<'_>) -> Option<Known> {
    let (start, limit, delta) = (cx.int(0)?, cx.int(1)?, cx.int(2)?);
    if delta == 0 {
        return None;
    }
    let mut elems = vec![];
    let mut next = start;
    while (delta > 0 && next < limit) || (delta < 0 && next > limit) {
        elems.push(Elem::Int(Expr::from(next)));
        if elems.len() > crate::shape::known::MAX_ELEMS {
            return None;
        }
        next = next.checked_add(delta)?;
    }
    Known::vector(elems)
}

/// Split of a vector.
pub(super) fn split(cx: &View<'_>) -> Option<Vec<Option<Known>>> {
    let x = cx.known(0)?;
    if x.dims.len() != 1 {
        return None;
    }
    let mut rest = x.elems.as_slice();
    let shapes = (cx.op.decl().shape)(cx).ok()?;
    let parts = shapes.iter().map(|shape| {
        let n = shape.as_ref()?.first()?.fixed()?;
        let (part, left) = rest.split_at_checked(n)?;
        rest = left;
        Known::vector(part.to_vec())
    });
    let parts: Option<Vec<_>> = parts.map(|p| p.map(Some)).collect();
    parts
}
