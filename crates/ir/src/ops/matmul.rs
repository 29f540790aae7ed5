//! Matrix products.

use crate::axes::{self, Axes, Axis, Label, OperandAxes, ResultAxes};
use crate::cost::{Work, two_each};
use crate::geometry::{Equation, GeometryError, Label as Name, PackedWeights};
use crate::op::grammar::ops;
use crate::op::view;
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing, one};
use crate::{Dim, Shape, counted};
use std::collections::{BTreeMap, HashMap};

ops! {
    /// Determinant of the matrices in the last two axes.
    Det "det" Contract (x) -> (y: Elem(0)) {} onnx "" 11 shape det flops two_each axes "...__ -> ...";
    /// Sums of products by an equation in Einstein's notation. `...` stands for axes that broadcast. Without `->` the
    /// result has the letters that occur once, in alphabetical order.
    Einsum "einsum" Contract (xs[many]: Any T) -> (y: Elem(0)) { equation: Str } onnx "" 12 shape einsum flops einsum_flops axes einsum_axes;
    /// alpha·op(a)·op(b) + beta·c for matrices, op transposing where `trans_*` says so, `c` broadcast to the result.
    Gemm "gemm" Contract (a: Number T, b[weight]: Number T, c[opt weight]: Number T) -> (y: Elem(0)) {
        alpha: Float = 1.0, beta: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false,
    } onnx "" 1 shape gemm flops transposed_flops axes gemm_axes;
    /// Matrix product over the last two axes, batch axes broadcast, rank-1 operands as row or column (NumPy's matmul).
    MatMul "matmul" Contract (a: Number T, b[weight]: Number T) -> (y: Elem(0)) {} onnx "" 1 shape matmul flops matmul_flops axes "_, _ -> | ...m_, _ -> ...m | _, ..._k -> ...k | ...m_, ..._k -> ...mk";
    /// activation(scale·op(a)·op(b) + bias + residual): what fusion makes of a matrix product and its neighbours.
    /// `trans_*` swap the last two axes; `bias` has one element per column, the residual the shape of the result;
    /// activations as for `fused_conv`.
    FusedMatMul "fused_matmul" Contract (a: Any T, b[weight]: Any T, bias[opt weight]: Any T, residual[opt]: Any T) -> (y: Elem(0)) {
        scale: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false,
        activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0,
    } shape fused_matmul flops transposed_flops axes fused_matmul_axes;
    /// Integer matrix product of (a − a_zero_point) and (b − b_zero_point), accumulated in i32; zero points have one
    /// element, or one per row of `a` and column of `b`.
    MatMulInteger "matmul_integer" Quant (a: Any T, b[weight]: Any U, a_zero_point[opt weight]: Any T, b_zero_point[opt weight]: Any U) -> (y: Is(DType::I32)) {}
        onnx "" 10 shape matmul flops matmul_flops axes integer_axes;
    /// activation(a·w + bias + residual) as ONNX Runtime's operator of that name, with a matrix w [k, n] of quantised
    /// weights, which are widened where they are used: (q − zero point)·scale in a's type. `b` [n, blocks,
    /// block_size·bits/8] has the numbers q column by column, in blocks of `block_size` along k, of 2, 4 or 8 `bits`,
    /// lowest bits first. Each block has a scale, and a zero point in the type of the scales, or packed like `b` with
    /// each column starting at a new byte, or 2^(bits − 1). The other operands are those of `fused_matmul`.
    MatMulNBits "matmul_n_bits" Contract
        (a: Float T, b[weight], bias[opt weight]: Float T, residual[opt]: Float T, scales[weight]: Float T, zero_points[opt weight])
        -> (y: Elem(0)) {
        k: Int, n: Int, bits: Int = 4, block_size: Int,
        activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0,
    } shape n_bits flops matmul_flops axes "...m_, *, *, ...m_, * -> ...m_";
    /// `matmul_integer` of quantised tensors, requantised to y's scale and zero point. The scales of `a` and `b` may
    /// have one element per row and column.
    QLinearMatMul "qlinear_matmul" Quant (a: Any T, a_scale[weight], a_zero_point[weight]: Any T, b[weight]: Any U, b_scale[weight], b_zero_point[weight]: Any U, y_scale[weight], y_zero_point[weight])
        -> (y: Elem(7)) {} onnx "" 10 shape qlinear_matmul flops matmul_flops axes qlinear_axes;
}

/// NumPy's matmul: MatMul, MatMulInteger.
fn matmul(cx: &View<'_>) -> Shapes {
    product(cx, ops::MatMul::AT.a, ops::MatMul::AT.b, false, false)
}

/// QLinearMatMul.
fn qlinear_matmul(cx: &View<'_>) -> Shapes {
    product(cx, ops::QLinearMatMul::AT.a, ops::QLinearMatMul::AT.b, false, false)
}

/// FusedMatMul.
fn fused_matmul(cx: &View<'_>) -> Shapes {
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
        cx.equal(n, columns, format_args!("bias {} and columns", cx.name_shape(2)))?;
    }
    Ok(())
}

/// MatMulNBits.
fn n_bits(cx: &View<'_>) -> Shapes {
    let invalid = |error: GeometryError| cx.error(error.to_string());
    let Some(op) = ops::MatMulNBits::of(cx.op) else { return nothing() };
    let weights = PackedWeights::of(op).map_err(invalid)?;
    weights.check(|i| Some((cx.dtype(i)?, cx.ty(i)?.dims()?))).map_err(invalid)?;
    bias(cx, &Dim::Fixed(weights.n))?;
    cx.expect_rank_from(0, 1)?;
    let Some((depth, rows)) = cx.shape(0).and_then(<[_]>::split_last) else { return nothing() };
    cx.equal(depth, &Dim::Fixed(weights.k), format_args!("{} and `k`", cx.name_shape(0)))?;
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
    let (left, right) = (cx.name_shape(a), cx.name_shape(b));
    cx.equal(&inner_a, &inner_b, format_args!("{left} times {right}"))?;
    let mut shape = dims::broadcast(&batch_a, &batch_b)
        .ok_or_else(|| cx.error(format!("{left} times {right}: batches do not broadcast")))?;
    if x.len() > 1 {
        shape.push(rows);
    }
    if y.len() > 1 {
        shape.push(columns);
    }
    one(shape)
}

/// Gemm.
fn gemm(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 2)?;
    cx.expect_rank(1, 2)?;
    let at = ops::Transposed::AT;
    let side = |i: usize, flag| match cx.shape(i) {
        Some([r, c]) if view::attr(cx.op, flag) => (c.clone(), r.clone()),
        Some([r, c]) => (r.clone(), c.clone()),
        _ => (Dim::Unknown, Dim::Unknown),
    };
    let ((rows, inner_a), (inner_b, columns)) = (side(0, at.trans_a), side(1, at.trans_b));
    cx.equal(&inner_a, &inner_b, format_args!("{} times {}", cx.name_shape(0), cx.name_shape(1)))?;
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
fn det(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let (batch, m) = x.split_at(x.len() - 2);
    cx.equal(&m[0], &m[1], format_args!("rows and columns of {}", cx.name_shape(0)))?;
    one(batch.to_vec())
}

/// Einsum.
fn einsum(cx: &View<'_>) -> Shapes {
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
        found.ok_or_else(|| cx.error(format!("{equation:?}: {c} is in no input")))
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

/// Of a product whose first factor is the first operand.
fn matmul_flops(work: &Work<'_>) -> f64 {
    work.product(ops::MatMul::AT.a, false)
}

fn transposed_flops(work: &Work<'_>) -> f64 {
    let trans_a = ops::Transposed::of(work.op).is_some_and(|op| op.trans_a());
    work.product(ops::Gemm::AT.a, trans_a)
}

/// Every combination of all labels is one multiply-add for each operand after the first.
fn einsum_flops(work: &Work<'_>) -> f64 {
    let Some(op) = ops::Einsum::of(work.op) else { return 0.0 };
    let inputs = op.equation().split("->").next().unwrap_or_default();
    let mut sizes = BTreeMap::new();
    for (term, dims) in inputs.split(',').zip(work.operands) {
        let labels: Vec<char> = term.chars().filter(|c| c.is_alphabetic()).collect();
        // Dimensions under an ellipsis have no label of their own.
        let (head, tail) = match term.split_once("...") {
            Some((head, _)) => {
                let before = head.chars().filter(|c| c.is_alphabetic()).count();
                (before, labels.len() - before)
            }
            None => (labels.len(), 0),
        };
        let rest = dims.len().saturating_sub(tail);
        for (&label, &d) in labels.iter().zip(dims.iter().take(head).chain(dims.iter().skip(rest)))
        {
            let size = sizes.entry(label).or_insert(1);
            *size = d.max(*size);
        }
    }
    let combinations: f64 = sizes.values().map(|&d| d as f64).product();
    2.0 * combinations * work.operands.len().saturating_sub(1).max(1) as f64
}

/// Gemm: `c` broadcasts to the rows and columns.
fn gemm_axes(cx: &View<'_>) -> Option<Axes> {
    let op = ops::Transposed::of(cx.op)?;
    let a = if op.trans_a() { "_m" } else { "m_" };
    let b = if op.trans_b() { "n_" } else { "_n" };
    let c = match axes::rank(cx, ops::Gemm::AT.c) {
        Some(0) | None => "",
        Some(1) => "n?",
        Some(_) => "m?n?",
    };
    Axes::pattern(cx, &format!("{a}, {b}, {c} -> mn"))
}

/// FusedMatMul.
fn fused_matmul_axes(cx: &View<'_>) -> Option<Axes> {
    let op = ops::Transposed::of(cx.op)?;
    let (a, b) = (if op.trans_a() { "_m" } else { "m_" }, if op.trans_b() { "n_" } else { "_n" });
    let forms = "_, _, *, -> | _, ...{b}, n, ...n -> ...n | ...{a}, _, *, ...m -> ...m | ...{a}, ...{b}, n, ...mn -> ...mn";
    Axes::pattern(cx, &forms.replace("{a}", a).replace("{b}", b))
}

/// MatMulInteger.
fn integer_axes(cx: &View<'_>) -> Option<Axes> {
    let at = ops::MatMulInteger::AT;
    let (a, b) = (per_row(cx, at.a_zero_point), per_column(cx, at.b_zero_point));
    Axes::pattern(
        cx,
        &format!(
            "_, _, *, * -> | ...m_, _, {a}, * -> ...m | _, ..._n, *, {b} -> ...n | ...m_, ..._n, {a}, {b} -> ...mn"
        ),
    )
}

/// QLinearMatMul.
fn qlinear_axes(cx: &View<'_>) -> Option<Axes> {
    let at = ops::QLinearMatMul::AT;
    let [a, zero_a] = [at.a_scale, at.a_zero_point].map(|i| per_row(cx, i));
    let [b, zero_b] = [at.b_scale, at.b_zero_point].map(|i| per_column(cx, i));
    Axes::pattern(cx, &format!("...m_, {a}, {zero_a}, ..._n, {b}, {zero_b}, * -> ...mn"))
}

/// The term of a scale or zero point: one element, or one for each row.
fn per_row(cx: &View<'_>, operand: usize) -> &'static str {
    match axes::rank(cx, operand) {
        None | Some(0) => "*",
        Some(1) => "m?",
        Some(_) => "...m?_",
    }
}

/// The term of a scale or zero point: one element, or one for each column.
fn per_column(cx: &View<'_>, operand: usize) -> &'static str {
    match axes::rank(cx, operand) {
        None | Some(0) => "*",
        Some(1) => "n?",
        Some(_) => "..._n?",
    }
}

/// Einsum: letters that results have are carried, unless an operand has one twice.
fn einsum_axes(cx: &View<'_>) -> Option<Axes> {
    let ranks = (0..cx.op.inputs.len()).map(|i| axes::rank(cx, i)).collect::<Option<Vec<_>>>()?;
    let equation = Equation::parse(ops::Einsum::of(cx.op)?.equation(), &ranks).ok()?;
    let place = |label: &Name| equation.result.iter().position(|own| own == label);
    let axis = |term: &[Name], label: &Name| match place(label) {
        Some(at) if term.iter().filter(|own| *own == label).count() == 1 => {
            Axis::Carried { label: Label::from_end(at), broadcasts: true }
        }
        _ => Axis::Mixed,
    };
    let source = |term: &Vec<Name>| {
        OperandAxes::Elements(term.iter().map(|label| axis(term, label)).collect())
    };
    let result = (0..equation.result.len()).map(|at| Some(Label::from_end(at))).collect();
    let operands = equation.terms.iter().map(source).collect();
    Some(Axes { operands, results: vec![ResultAxes::Labels(result)] })
}
