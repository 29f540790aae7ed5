//! Products of matrices and vectors.

use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::{ValueId, ops};

signature! {
    MatMul (x: ValueId, y: ValueId) { transpose_x: bool = false, transpose_y: bool = false } -> out
}

signature! {
    /// The product of older programs, which scales.
    LegacyMatMul (x: ValueId, y: ValueId) {
        transpose_x: bool = false, transpose_y: bool = false, alpha: f64 = 1.0,
    } -> out
}

signature! {
    Pair (x: ValueId, y: ValueId) {} -> out
}

signature! {
    MatVec (x: ValueId, vec: ValueId) {} -> out
}

signature! {
    Addmm (input: ValueId, x: ValueId, y: ValueId) { beta: f64 = 1.0, alpha: f64 = 1.0 } -> out
}

signature! {
    Flattened (x: ValueId, y: ValueId) { x_num_col_dims: i64 = 1, y_num_col_dims: i64 = 1 } -> out
}

signature! {
    Fc (input: ValueId, w: ValueId, bias: Option<ValueId>) {
        in_num_col_dims: i64 = 1, activation_type: String = "", padding_weights: bool = false,
    } -> out
}

signature! {
    Einsum (x: Vec<ValueId>) { equation: String } -> out
}

signature! {
    MultiDot (x: Vec<ValueId>) {} -> out
}

signature! {
    Bilinear (x: ValueId, y: ValueId, weight: ValueId, bias: Option<ValueId>) {} -> out
}

signature! {
    Square (x: ValueId) {} -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("addmm", Addmm, addmm, "addmm": "beta=.Beta alpha=.Alpha"),
    row!("baddbmm", Addmm, addmm, "baddbmm": "beta=.Beta alpha=.Alpha"),
    row!("bilinear", Bilinear, bilinear, "bilinear_tensor_product"),
    row!("bmm", Pair, |c, op| c.add(ops::MatMul::new(op.x, op.y))),
    row!("det", Square, |c, op| c.add(ops::Det::new(op.x)), "determinant": "x=Input"),
    row!("dot", Pair, |c, op| {
        let product = c.add(ops::Mul::new(op.x, op.y))?;
        let axes = c.ints(&[-1])?;
        c.add(ops::ReduceSum::new(product, Some(axes)).keepdims(false))
    }),
    row!("einsum", Einsum, |c, op| {
        c.add(ops::Einsum::new(&op.x).equation(op.equation.replace(' ', "")))
    }, "einsum": "x=Operands"),
    row!("fc", Fc, fc),
    row!("kron", Pair, kron),
    row!("legacy_matmul", LegacyMatMul, |c, op| {
        let product = matmul(c, MatMul { x: op.x, y: op.y, transpose_x: op.transpose_x, transpose_y: op.transpose_y })?;
        if op.alpha == 1.0 {
            return Ok(product);
        }
        let alpha = c.number_like(product, op.alpha)?;
        c.add(ops::Mul::new(product, alpha))
    }, "matmul": "transpose_x=.transpose_X transpose_y=.transpose_Y"),
    row!("matmul", MatMul, matmul, "matmul_v2": "transpose_x=.trans_x transpose_y=.trans_y"),
    row!("matmul_with_flatten", Flattened, flattened, "mul"),
    row!("multi_dot", MultiDot, |c, op| {
        let mut parts = op.x.into_iter();
        let Some(first) = parts.next() else { return c.refuse("it has no operands") };
        parts.try_fold(first, |product, next| c.add(ops::MatMul::new(product, next)))
    }),
    row!("mv", MatVec, |c, op| c.add(ops::MatMul::new(op.x, op.vec))),
];

/// A tensor with its last two axes swapped; a vector as it is.
fn transposed(c: &mut Call<'_, '_>, x: ValueId, is_transposed: bool) -> Made {
    let rank = c.rank(x)? as i64;
    if !is_transposed || rank < 2 {
        return Ok(x);
    }
    let perm: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
    c.transpose(x, &perm)
}

fn matmul(c: &mut Call<'_, '_>, op: MatMul) -> Made {
    let (x, y) = (transposed(c, op.x, op.transpose_x)?, transposed(c, op.y, op.transpose_y)?);
    c.add(ops::MatMul::new(x, y))
}

/// beta·input + alpha·x·y.
fn addmm(c: &mut Call<'_, '_>, op: Addmm) -> Made {
    let product = c.add(ops::MatMul::new(op.x, op.y))?;
    let (alpha, beta) = (c.number_like(product, op.alpha)?, c.number_like(product, op.beta)?);
    let product = c.add(ops::Mul::new(product, alpha))?;
    let input = c.add(ops::Mul::new(op.input, beta))?;
    c.add(ops::Add::new(input, product))
}

/// A matrix: the first `rows` axes as rows, the others as columns.
fn matrix(c: &mut Call<'_, '_>, x: ValueId, rows: i64) -> Made {
    c.add(ops::Flatten::new(x).axis(rows))
}

/// The product of x and y as matrices, in the dimensions of their rows and columns.
fn flattened(c: &mut Call<'_, '_>, op: Flattened) -> Made {
    let (a, b) = (matrix(c, op.x, op.x_num_col_dims)?, matrix(c, op.y, op.y_num_col_dims)?);
    let product = c.add(ops::MatMul::new(a, b))?;
    if (c.rank(op.x)?, op.x_num_col_dims, c.rank(op.y)?) == (2, 1, 2) {
        return Ok(product);
    }
    let rows = c.add(ops::Shape::new(op.x).end(op.x_num_col_dims))?;
    let columns = c.add(ops::Shape::new(op.y).start(op.y_num_col_dims))?;
    let shape = c.concat(&[rows, columns], 0)?;
    c.reshape_to(product, shape)
}

fn fc(c: &mut Call<'_, '_>, op: Fc) -> Made {
    if op.padding_weights {
        return c.refuse("padded weights are not supported");
    }
    let rows = op.in_num_col_dims;
    let y =
        flattened(c, Flattened { x: op.input, y: op.w, x_num_col_dims: rows, y_num_col_dims: 1 })?;
    let y = match op.bias {
        Some(bias) => {
            let bias = c.vector(bias)?;
            c.add(ops::Add::new(y, bias))?
        }
        None => y,
    };
    match &*op.activation_type {
        "" => Ok(y),
        "relu" => c.add(ops::Relu::new(y)),
        other => c.refuse(format!("activation `{other}`")),
    }
}

/// y[n, k] = Σ x[n, i]·weight[k, i, j]·y[n, j] + bias[k].
fn bilinear(c: &mut Call<'_, '_>, op: Bilinear) -> Made {
    let equation = "ni,kij,nj->nk".to_owned();
    let y = c.add(ops::Einsum::new(&[op.x, op.weight, op.y]).equation(equation))?;
    match op.bias {
        Some(bias) => c.add(ops::Add::new(y, bias)),
        None => Ok(y),
    }
}

/// Every element of x times all of y, block by block.
fn kron(c: &mut Call<'_, '_>, op: Pair) -> Made {
    let rank = c.rank(op.x)?.max(c.rank(op.y)?);
    let full = |c: &mut Call<'_, '_>, x: ValueId| {
        let missing: Vec<i64> = (0..(rank - c.rank(x)?) as i64).collect();
        c.unsqueeze(x, &missing)
    };
    let (x, y) = (full(c, op.x)?, full(c, op.y)?);
    let (odd, even): (Vec<i64>, Vec<i64>) =
        ((0..rank as i64).map(|i| 2 * i + 1).collect(), (0..rank as i64).map(|i| 2 * i).collect());
    let (a, b) = (c.unsqueeze(x, &odd)?, c.unsqueeze(y, &even)?);
    let product = c.add(ops::Mul::new(a, b))?;
    let (m, n) = (c.shape_of(x)?, c.shape_of(y)?);
    let shape = c.add(ops::Mul::new(m, n))?;
    c.reshape_to(product, shape)
}
