//! Matrix products.

use crate::geometry::{GeometryError, PackedWeights};
use crate::ops;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::view::{Shapes, View, nothing, one};
use crate::{Dim, Shape, counted};
use std::collections::HashMap;

/// NumPy's matmul: MatMul, MatMulInteger.
pub(crate) fn matmul(cx: &View<'_>) -> Shapes {
    product(cx, ops::MatMul::AT.a, ops::MatMul::AT.b, false, false)
}

/// QLinearMatMul.
pub(crate) fn qlinear_matmul(cx: &View<'_>) -> Shapes {
    product(cx, ops::QLinearMatMul::AT.a, ops::QLinearMatMul::AT.b, false, false)
}

/// FusedMatMul.
pub(crate) fn fused_matmul(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Transposed::of(cx.op) else { return nothing() };
    let trans_b = op.trans_b();
    let columns = match cx.shape(1) {
        Some([.., r, c]) => (if trans_b { r } else { c }).clone(),
        _ => Dim::Unknown,
    };
    bias(cx, &columns)?;
    product(cx, 0, 1, op.trans_a(), trans_b)
}

/// The bias of a fused product: one element for each column.
fn bias(cx: &View<'_>, columns: &Dim) -> Result<(), ShapeError> {
    cx.expect_rank(2, 1)?;
    if let Some([n]) = cx.shape(2) {
        cx.equal(n, columns, &format!("bias {} and columns", cx.name_shape(2)))?;
    }
    Ok(())
}

/// MatMulNBits.
pub(crate) fn n_bits(cx: &View<'_>) -> Shapes {
    let invalid = |error: GeometryError| cx.error(error.to_string());
    let weights = PackedWeights::of(cx.op).map_err(invalid)?;
    weights.check(|i| Some((cx.dtype(i)?, cx.ty(i)?.dims()?))).map_err(invalid)?;
    bias(cx, &Dim::Fixed(weights.n))?;
    cx.expect_rank_from(0, 1)?;
    let Some((depth, rows)) = cx.shape(0).and_then(<[_]>::split_last) else { return nothing() };
    cx.equal(depth, &Dim::Fixed(weights.k), &format!("{} and `k`", cx.name_shape(0)))?;
    one(rows.iter().cloned().chain([Dim::Fixed(weights.n)]).collect())
}

fn product(cx: &View<'_>, a: usize, b: usize, trans_a: bool, trans_b: bool) -> Shapes {
    for i in [a, b] {
        cx.expect_rank_from(i, 1)?;
    }
    let (Some(x), Some(y)) = (cx.shape(a), cx.shape(b)) else { return nothing() };
    let one_dim = Dim::Fixed(1);
    let matrix = |s: &[Dim], row: bool, trans: bool| -> (Shape, Dim, Dim) {
        match s {
            [n] if row => (vec![], one_dim.clone(), n.clone()),
            [n] => (vec![], n.clone(), one_dim.clone()),
            _ => {
                let (batch, m) = s.split_at(s.len() - 2);
                let (r, c) = if trans { (&m[1], &m[0]) } else { (&m[0], &m[1]) };
                (batch.to_vec(), r.clone(), c.clone())
            }
        }
    };
    let (batch_a, rows, inner_a) = matrix(x, true, trans_a);
    let (batch_b, inner_b, columns) = matrix(y, false, trans_b);
    let names = format!("{} times {}", cx.name_shape(a), cx.name_shape(b));
    cx.equal(&inner_a, &inner_b, &names)?;
    let batch = dims::broadcast(&batch_a, &batch_b);
    let mut shape = batch.ok_or_else(|| cx.error(format!("{names}: batches do not broadcast")))?;
    if x.len() > 1 {
        shape.push(rows);
    }
    if y.len() > 1 {
        shape.push(columns);
    }
    one(shape)
}

/// Gemm.
pub(crate) fn gemm(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 2)?;
    cx.expect_rank(1, 2)?;
    let side = |i: usize, flag: &str| match cx.shape(i) {
        Some([r, c]) if cx.op.flag(flag) => (c.clone(), r.clone()),
        Some([r, c]) => (r.clone(), c.clone()),
        _ => (Dim::Unknown, Dim::Unknown),
    };
    let ((rows, inner_a), (inner_b, columns)) = (side(0, "trans_a"), side(1, "trans_b"));
    cx.equal(&inner_a, &inner_b, &format!("{} times {}", cx.name_shape(0), cx.name_shape(1)))?;
    let shape = vec![rows, columns];
    if let Some(c) = cx.shape(2) {
        let fits = dims::broadcast(&shape, c).is_some_and(|s| {
            s.len() == 2 && s.iter().zip(&shape).all(|(a, b)| dims::unify(a, b).is_some())
        });
        if !fits {
            let shape = dims::show(&shape);
            return Err(cx.error(format!("{} does not broadcast to {shape}", cx.name_shape(2))));
        }
    }
    one(shape)
}

/// Det.
pub(crate) fn det(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let (batch, m) = x.split_at(x.len() - 2);
    cx.equal(&m[0], &m[1], &format!("rows and columns of {}", cx.name_shape(0)))?;
    one(batch.to_vec())
}

/// Einsum.
pub(crate) fn einsum(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::Einsum::of(cx.op) else { return nothing() };
    let equation: String = op.equation().chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left.to_owned(), Some(right.to_owned())),
        None => (equation.clone(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != cx.op.inputs.len() {
        let terms = counted(terms.len(), "term");
        let operands = counted(cx.op.inputs.len(), "operand");
        return Err(cx.error(format!("{equation:?} has {terms} for {operands}")));
    }
    let mut sizes: HashMap<char, Dim> = HashMap::new();
    let mut ellipsis: Shape = vec![];
    for (i, term) in terms.iter().enumerate() {
        let Some(x) = cx.shape(i) else { return nothing() };
        let labels = term.replace("...", "");
        let named = labels.chars().count();
        let extra = match x.len().checked_sub(named) {
            Some(extra) if extra == 0 || labels.len() != term.len() => extra,
            _ => return Err(cx.error(format!("term {term:?} does not fit {}", cx.name_shape(i)))),
        };
        let before = term.find("...").map_or(named, |at| term[..at].chars().count());
        let (head, rest) = x.split_at(before);
        let (middle, tail) = rest.split_at(extra);
        ellipsis = dims::broadcast(&ellipsis, middle)
            .ok_or_else(|| cx.error(format!("{equation:?}: the dots do not broadcast")))?;
        for (label, dim) in labels.chars().zip(head.iter().chain(tail)) {
            let known = sizes.entry(label).or_insert(Dim::Fixed(1));
            // A dimension of 1 broadcasts.
            let both = dims::broadcast(std::slice::from_ref(known), std::slice::from_ref(dim));
            let [both] = both.as_deref().unwrap_or_default() else {
                let x = cx.name_shape(i);
                return Err(cx.error(format!("{equation:?}: {label} is {known}, and {dim} in {x}")));
            };
            *known = both.clone();
        }
    }
    let right = right.unwrap_or_else(|| {
        let labels: String = left.chars().filter(|c| c.is_alphabetic()).collect();
        let mut once: Vec<char> =
            labels.chars().filter(|c| labels.matches(*c).count() == 1).collect();
        once.sort_unstable();
        let dots = if left.contains("...") { "..." } else { "" };
        dots.to_owned() + &once.into_iter().collect::<String>()
    });
    let mut shape = Shape::new();
    let (head, tail) = right.split_once("...").unwrap_or((&right, ""));
    let dots = if right.contains("...") { ellipsis } else { vec![] };
    let size = |c: char| {
        let found = sizes.get(&c).cloned();
        found.ok_or_else(|| cx.error(format!("{equation:?}: {c} is in no operand")))
    };
    for c in head.chars() {
        shape.push(size(c)?);
    }
    shape.extend(dots);
    for c in tail.chars() {
        shape.push(size(c)?);
    }
    one(shape)
}
