//! Ops that move elements.

use crate::shape::dims;
use crate::shape::expr::Expr;
use crate::shape::known::Elem;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape, counted, geometry, ops};

/// ConstantOfShape.
pub(crate) fn filled(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 1)?;
    no_negative(cx, 0)?;
    Ok(vec![cx.dims_in(0)])
}

/// Fails if an operand that holds dimensions holds a negative one.
fn no_negative(cx: &View<'_>, i: usize) -> Result<(), crate::shape::ShapeError> {
    let negative = |e: &Elem| e.constant().is_some_and(|n| n < 0);
    match cx.known(i).is_some_and(|k| k.elems.iter().any(negative)) {
        true => Err(cx.error(format!("{} holds a negative dimension", cx.name(i)))),
        false => Ok(()),
    }
}

/// Concat.
pub(crate) fn concat(cx: &View<'_>) -> Shapes {
    let count = cx.op.inputs.len();
    let Some(rank) = (0..count).find_map(|i| cx.rank(i)) else { return nothing() };
    let axis = cx.axis("axis", rank)?;
    let mut shape = dims::unknown(rank);
    shape[axis] = Dim::Fixed(0);
    for i in 0..count {
        cx.expect_rank(i, rank)?;
        let Some(x) = cx.shape(i) else {
            shape[axis] = Dim::Unknown;
            continue;
        };
        for (j, (to, from)) in shape.iter_mut().zip(x).enumerate() {
            *to = if j == axis {
                dims::add(to, from)
            } else {
                cx.equal(to, from, &format!("axis {j} of {}", cx.name_shape(i)))?
            };
        }
    }
    one(shape)
}

/// DepthToSpace.
pub(crate) fn depth_to_space(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    let block = block_size(cx)?;
    let Some([n, c, h, w]) = cx.shape(0) else { return one(dims::unknown(4)) };
    let area = block.checked_mul(block).unwrap_or(i64::MAX);
    divides(cx, c, area)?;
    one(vec![n.clone(), dims::part(c, area), dims::times(h, block), dims::times(w, block)])
}

/// SpaceToDepth.
pub(crate) fn space_to_depth(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 4)?;
    let block = block_size(cx)?;
    let Some([n, c, h, w]) = cx.shape(0) else { return one(dims::unknown(4)) };
    divides(cx, h, block)?;
    divides(cx, w, block)?;
    let area = block.checked_mul(block).unwrap_or(i64::MAX);
    one(vec![n.clone(), dims::times(c, area), dims::part(h, block), dims::part(w, block)])
}

fn block_size(cx: &View<'_>) -> Result<i64, crate::shape::ShapeError> {
    match ops::Blocks::of(cx.op).map(|op| op.blocksize()) {
        Some(b) if b > 0 => Ok(b),
        other => Err(cx.error(format!("`blocksize` is {}", other.unwrap_or(0)))),
    }
}

fn divides(cx: &View<'_>, dim: &Dim, k: i64) -> Result<(), crate::shape::ShapeError> {
    match dim.fixed() {
        Some(n) if n as i64 % k != 0 => {
            Err(cx.error(format!("{n} of {} is no multiple of {k}", cx.name_shape(0))))
        }
        _ => Ok(()),
    }
}

/// Expand.
pub(crate) fn expand(cx: &View<'_>) -> Shapes {
    cx.expect_rank(1, 1)?;
    no_negative(cx, 1)?;
    let (Some(x), Some(to)) = (cx.shape(0), cx.dims_in(1)) else { return nothing() };
    let shape = dims::broadcast(x, &to);
    one(shape.ok_or_else(|| {
        cx.error(format!("{} does not expand to {}", cx.name_shape(0), dims::show(&to)))
    })?)
}

/// Gather.
pub(crate) fn gather(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 1)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", x.len())?;
    let Some(indices) = cx.shape(1) else { return nothing() };
    one([&x[..axis], indices, &x[axis + 1..]].concat())
}

/// GatherElements.
pub(crate) fn gather_elements(cx: &View<'_>) -> Shapes {
    if let (Some(a), Some(b)) = (cx.rank(0), cx.rank(1))
        && a != b
    {
        let (x, indices) = (cx.name_shape(0), cx.name_shape(1));
        return Err(cx.error(format!("{x} and indices {indices} differ in rank")));
    }
    if let Some(rank) = cx.rank(0) {
        cx.axis("axis", rank)?;
    }
    Ok(vec![cx.shape(1).map(<[_]>::to_vec)])
}

/// GatherND.
pub(crate) fn gather_nd(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(1, 1)?;
    let (Some(x), Some(indices)) = (cx.shape(0), cx.shape(1)) else { return nothing() };
    let Some(op) = ops::GatherND::of(cx.op) else { return nothing() };
    let batch = usize::try_from(op.batch_dims()).unwrap_or(usize::MAX);
    let Some(Some(depth)) = indices.last().map(Dim::fixed) else { return nothing() };
    let used = batch.checked_add(depth).filter(|&n| n <= x.len() && batch < indices.len());
    let used = used.ok_or_else(|| {
        let (x, indices) = (cx.name_shape(0), cx.name_shape(1));
        cx.error(format!("indices {indices} address more axes than {x} has"))
    })?;
    one([&indices[..indices.len() - 1], &x[used..]].concat())
}

/// NonZero: one row an axis.
pub(crate) fn non_zero(cx: &View<'_>) -> Shapes {
    let rows = cx.rank(0).filter(|r| *r > 0).map_or(Dim::Unknown, Dim::Fixed);
    one(vec![rows, Dim::Unknown])
}

/// OneHot.
pub(crate) fn one_hot(cx: &View<'_>) -> Shapes {
    let Some(indices) = cx.shape(0) else { return nothing() };
    let axis = cx.axis("axis", indices.len() + 1)?;
    let depth = match cx.known(1).and_then(|k| k.elems.first()) {
        Some(Elem::Int(e)) => Some(e.clone()),
        Some(Elem::Float(v)) if v.fract() == 0.0 && v.abs() < 9e15 => Some(Expr::from(*v as i64)),
        _ => None,
    };
    let mut shape = indices.to_vec();
    shape.insert(axis, depth.map_or(Dim::Unknown, |e| e.dim()));
    one(shape)
}

/// Range.
pub(crate) fn range(cx: &View<'_>) -> Shapes {
    one(vec![range_len(cx).unwrap_or(Dim::Unknown)])
}

fn range_len(cx: &View<'_>) -> Option<Dim> {
    let elem = |i: usize| cx.known(i)?.elems.first().cloned();
    match (elem(0)?, elem(1)?, elem(2)?) {
        (Elem::Int(start), Elem::Int(limit), Elem::Int(delta)) => {
            let step = delta.constant().filter(|d| *d != 0)?;
            let room = limit.sub(&start)?;
            let room = if step < 0 { room.mul(&Expr::from(-1))? } else { room };
            let count = room.div_ceil(step.checked_abs()?)?;
            match count.constant() {
                Some(n) => Some(Expr::from(n.max(0)).dim()),
                None => count.at_least_zero().then(|| count.dim()),
            }
        }
        // The standard's formula in the operands' precision; only where rounding cannot matter.
        (Elem::Float(start), Elem::Float(limit), Elem::Float(delta)) => {
            let count = (limit - start) / delta;
            let clear = (count - count.round()).abs() > 1e-3 || count == count.round();
            (clear && count.is_finite() && count.abs() < 1e6)
                .then(|| Dim::Fixed(count.ceil().max(0.0) as usize))
        }
        _ => None,
    }
}

/// Shape.
pub(crate) fn shape(cx: &View<'_>) -> Shapes {
    let Some(rank) = cx.rank(0) else { return one(vec![Dim::Unknown]) };
    let (start, end) = shape_bounds(cx, rank);
    one(vec![Dim::Fixed(end.saturating_sub(start))])
}

/// The first axis that a Shape op gives, and the one behind the last.
pub(crate) fn shape_bounds(cx: &View<'_>, rank: usize) -> (usize, usize) {
    let (start, end) = ops::Shape::of(cx.op).map_or((0, None), |op| (op.start(), op.end()));
    geometry::shape_bounds(start, end, rank)
}

/// Tile.
pub(crate) fn tile(cx: &View<'_>) -> Shapes {
    cx.expect_rank(1, 1)?;
    no_negative(cx, 1)?;
    let Some(x) = cx.shape(0) else {
        return Ok(vec![cx.count(1).map(dims::unknown)]);
    };
    let Some(repeats) = cx.dims_in(1) else { return one(dims::unknown(x.len())) };
    if repeats.len() != x.len() {
        let (x, count) = (cx.name_shape(0), repeats.len());
        return Err(cx.error(format!("{count} repeats for {x}")));
    }
    one(x.iter().zip(&repeats).map(|(d, k)| dims::mul(d, k)).collect())
}

/// Transpose.
pub(crate) fn transpose(cx: &View<'_>) -> Shapes {
    let perm = ops::Transpose::of(cx.op).and_then(|op| op.perm());
    let Some(x) = cx.shape(0) else {
        return Ok(vec![perm.map(|p| dims::unknown(p.len()))]);
    };
    let Some(perm) = perm else { return one(x.iter().rev().cloned().collect()) };
    let axes = cx.wrap_all(perm, x.len())?;
    if axes.len() != x.len() {
        let given = counted(axes.len(), "axis");
        return Err(cx.error(format!("`perm` has {given} for {}", cx.name_shape(0))));
    }
    let permuted: Result<Shape, _> =
        perm.iter().map(|&p| cx.wrap(p, x.len()).map(|p| x[p].clone())).collect();
    one(permuted?)
}
