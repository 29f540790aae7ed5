//! Ops that make tensors.

use crate::catalogue::field::{Ints, Number, Values};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use crate::error::PaddleErrorKind;
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    Full () { shape: Ints = [], value: Number = 0.0, dtype: Option<DType> } -> out
}

signature! {
    FullWithTensor (value: Number, shape: Ints = []) { dtype: Option<DType> } -> out
}

signature! {
    FullLike (x: ValueId, value: Number = 0.0) { dtype: Option<DType> } -> out
}

signature! {
    FullBatchSizeLike (input: ValueId) {
        shape: Vec<i64>, dtype: Option<DType>, value: Number = 0.0, input_dim_idx: i64 = 0, output_dim_idx: i64 = 0,
    } -> out
}

signature! {
    FullIntArray () { value: Vec<i64> = [], dtype: Option<DType> } -> out
}

signature! {
    AssignValue () { shape: Vec<i64>, dtype: Option<DType>, values: Values } -> out
}

signature! {
    Arange (start: Number, end: Number, step: Number) { dtype: Option<DType> } -> out
}

signature! {
    Linspace (start: Number, stop: Number, number: Number) { dtype: Option<DType> } -> out
}

signature! {
    Eye (num_rows: Number, num_columns: Number = -1i64) { dtype: Option<DType> } -> out
}

signature! {
    Gaussian (shape: Ints = []) { mean: f64 = 0.0, std: f64 = 1.0, seed: i64 = 0, dtype: Option<DType> } -> out
}

signature! {
    Uniform (shape: Ints = [], min: Number = -1.0, max: Number = 1.0) {
        seed: i64 = 0, dtype: Option<DType>, diag_num: i64 = 0,
    } -> out
}

signature! {
    Randint (shape: Ints = []) { low: i64 = 0, high: i64 = 0, dtype: Option<DType>, seed: i64 = 0 } -> out
}

signature! {
    Bernoulli (x: ValueId) {} -> out
}

signature! {
    Dropout (x: ValueId, seed_tensor: Option<ValueId>, p: Number = 0.5) {
        is_test: bool = false, mode: String = "downgrade_in_infer",
    } -> out
}

signature! {
    Empty (shape: Ints = []) { dtype: Option<DType> } -> out
}

/// The places of shapes in older programs.
macro_rules! shaped {
    ($name:literal, $signature:ty, $build:expr, $old:literal) => {
        row!($name, $signature, $build, $old: "shape=ShapeTensor,ShapeTensorList,.shape value=ValueTensor,.str_value,.value")
    };
}

pub(super) static ROWS: &[Row] = &[
    row!("arange", Arange, arange, "range"),
    row!("assign_value", AssignValue, |c, op| {
        let dtype = op.dtype.or(c.declared_dtype()).unwrap_or(DType::F32);
        constant(c, &op.values.0, &op.shape, dtype)
    }, "assign_value": "values=.values,.fp32_values,.fp64_values,.int32_values,.int64_values,.bool_values"),
    row!("bernoulli", Bernoulli, |c, op| c.add(ops::Bernoulli::new(op.x))),
    row!("dropout", Dropout, dropout, "dropout": "seed_tensor=Seed p=.dropout_prob mode=.dropout_implementation"),
    shaped!("empty", Empty, |c, op| full(c, op.shape, Number::Float(0.0), op.dtype), "empty"),
    row!("eye", Eye, eye, "eye"),
    shaped!("full", Full, |c, op| full(c, op.shape, op.value, op.dtype), "fill_constant"),
    row!("full_batch_size_like", FullBatchSizeLike, full_batch_size_like, "fill_constant_batch_size_like": "value=.str_value,.value"),
    row!("full_int_array", FullIntArray, |c, op| {
        let dtype = op.dtype.unwrap_or(DType::I64);
        let values = c.ints(&op.value)?;
        c.cast(values, dtype)
    }),
    row!(
        "full_like",
        FullLike,
        |c, op| {
            let dtype = match op.dtype {
                Some(dtype) => dtype,
                None => c.declared_dtype().map_or_else(|| c.dtype(op.x), Ok)?,
            };
            let (shape, value) = (c.shape_of(op.x)?, op.value.value(c, dtype)?);
            c.expand(value, shape)
        },
        "fill_any_like",
        "fill_zeros_like"
    ),
    row!("full_with_tensor", FullWithTensor, |c, op| full(c, op.shape, op.value, op.dtype)),
    shaped!("gaussian", Gaussian, gaussian, "gaussian_random"),
    row!("linspace", Linspace, linspace, "linspace": "number=Num"),
    shaped!("randint", Randint, randint, "randint"),
    row!("uniform", Uniform, uniform, "uniform_random": "shape=ShapeTensor,ShapeTensorList,.shape"),
];

/// The element type that an op states or that the program declares.
fn stated(c: &Call<'_, '_>, dtype: Option<DType>) -> DType {
    dtype.or(c.declared_dtype()).unwrap_or(DType::F32)
}

/// A tensor of these dimensions with all elements equal.
fn full(c: &mut Call<'_, '_>, shape: Ints, value: Number, dtype: Option<DType>) -> Made {
    let dtype = stated(c, dtype);
    let number = value.value(c, dtype)?;
    match shape {
        Ints::Known(dims) if dims.is_empty() => Ok(number),
        Ints::Known(dims) => {
            if dims.iter().any(|&n| n < 0) {
                return c.refuse(format!("`shape` is {dims:?}"));
            }
            // Small constants take part in the shapes of other ops.
            let is_small =
                dims.iter().try_fold(1i64, |n, &dim| n.checked_mul(dim)).is_some_and(|n| n <= 64);
            if let (true, Number::Int(_) | Number::Float(_)) = (is_small, value) {
                let count = dims.iter().product::<i64>() as usize;
                return constant(c, &vec![value; count], &dims, dtype);
            }
            let shape = c.ints(&dims)?;
            c.expand(number, shape)
        }
        Ints::Computed(shape) => c.expand(number, shape),
    }
}

/// A constant of these elements.
pub(super) fn constant(
    c: &mut Call<'_, '_>,
    values: &[Number],
    shape: &[i64],
    dtype: DType,
) -> Made {
    let dims: Vec<usize> = match shape.iter().map(|&n| usize::try_from(n).ok()).collect() {
        Some(dims) => dims,
        None => return c.refuse(format!("`shape` is {shape:?}")),
    };
    let one = |value: &Number| -> Result<Vec<u8>, PaddleErrorKind> {
        let literal = match *value {
            Number::Int(value) if dtype == DType::I64 => Literal::scalar(value),
            value => Literal::number(dtype, value.known("values")?),
        };
        match literal.data() {
            trident_ir::literal::LiteralData::Bytes(bytes) => Ok(bytes.to_vec()),
            trident_ir::literal::LiteralData::Strings(_) => Ok(vec![]),
        }
    };
    let bytes = values.iter().map(one).collect::<Result<Vec<_>, _>>()?.concat();
    c.literal(Literal::from_bytes(dtype, dims, bytes.into())?)
}

fn full_batch_size_like(c: &mut Call<'_, '_>, op: FullBatchSizeLike) -> Made {
    let last = |rank: usize| rank as i64 - 1;
    let from = c.within("input_dim_idx", op.input_dim_idx, 0..=last(c.rank(op.input)?))?;
    let to = c.within("output_dim_idx", op.output_dim_idx, 0..=last(op.shape.len()))? as usize;
    let own = c.dim_of(op.input, from as usize)?;
    let (before, after) = (c.ints(&op.shape[..to])?, c.ints(&op.shape[to + 1..])?);
    let shape = c.concat(&[before, own, after], 0)?;
    full(c, Ints::Computed(shape), op.value, op.dtype)
}

fn arange(c: &mut Call<'_, '_>, op: Arange) -> Made {
    let dtype = stated(c, op.dtype);
    let (start, end) = (op.start.value(c, dtype)?, op.end.value(c, dtype)?);
    let step = op.step.value(c, dtype)?;
    c.add(ops::Range::new(start, end, step))
}

/// Numbers of equal distance, from both ends to the middle. Computed in f64, from ends of the result's type.
fn linspace(c: &mut Call<'_, '_>, op: Linspace) -> Made {
    let (dtype, wide) = (stated(c, op.dtype), DType::F64);
    let (start, stop) = (op.start.value(c, dtype)?, op.stop.value(c, dtype)?);
    let (start, stop) = (c.cast(start, wide)?, c.cast(stop, wide)?);
    let count = op.number.value(c, DType::I64)?;
    let count = c.vector(count)?;
    let places = c.range(count)?;
    let (one, two) = (c.ints(&[1])?, c.ints(&[2])?);
    let last = c.add(ops::Sub::new(count, one))?;
    let half = c.add(ops::Div::new(count, two))?;
    let is_first = c.add(ops::Less::new(places, half))?;
    let left = c.add(ops::Sub::new(last, places))?;
    let steps = c.add(ops::Max::new(&[last, one]))?;
    let steps = c.cast(steps, wide)?;
    let span = c.add(ops::Sub::new(stop, start))?;
    let step = c.add(ops::Div::new(span, steps))?;
    let (places, left) = (c.cast(places, wide)?, c.cast(left, wide)?);
    let forth = c.add(ops::Mul::new(step, places))?;
    let forth = c.add(ops::Add::new(start, forth))?;
    let back = c.add(ops::Mul::new(step, left))?;
    let back = c.add(ops::Sub::new(stop, back))?;
    let found = c.add(ops::Where::new(is_first, forth, back))?;
    // A single number is the first one.
    let alone = c.number(DType::I64, 0.0)?;
    let alone = c.add(ops::Equal::new(last, alone))?;
    let found = c.add(ops::Where::new(alone, start, found))?;
    c.cast(found, dtype)
}

fn eye(c: &mut Call<'_, '_>, op: Eye) -> Made {
    let dtype = stated(c, op.dtype);
    let rows = op.num_rows.value(c, DType::I64)?;
    let columns = match op.num_columns {
        Number::Int(-1) => rows,
        columns => columns.value(c, DType::I64)?,
    };
    let (rows, columns) = (c.vector(rows)?, c.vector(columns)?);
    let (i, j) = (c.range(rows)?, c.range(columns)?);
    let i = c.unsqueeze(i, &[1])?;
    let ones = c.add(ops::Equal::new(i, j))?;
    c.cast(ones, dtype)
}

/// A tensor of zeros of a shape, of which random ops take the shape.
fn zeros(c: &mut Call<'_, '_>, shape: Ints, dtype: DType) -> Made {
    let (shape, zero) = (shape.value(c)?, c.number(dtype, 0.0)?);
    c.expand(zero, shape)
}

fn gaussian(c: &mut Call<'_, '_>, op: Gaussian) -> Made {
    let dtype = stated(c, op.dtype);
    let like = zeros(c, op.shape, dtype)?;
    let mut random = ops::RandomNormalLike::new(like).mean(op.mean as f32).scale(op.std as f32);
    if op.seed != 0 {
        random = random.seed(op.seed as f32);
    }
    c.add(random)
}

fn uniform(c: &mut Call<'_, '_>, op: Uniform) -> Made {
    c.within("diag_num", op.diag_num, 0..=0)?;
    let dtype = stated(c, op.dtype);
    let (low, high) = (op.min.known("min")? as f32, op.max.known("max")? as f32);
    let like = zeros(c, op.shape, dtype)?;
    let mut random = ops::RandomUniformLike::new(like).low(low).high(high);
    if op.seed != 0 {
        random = random.seed(op.seed as f32);
    }
    c.add(random)
}

fn randint(c: &mut Call<'_, '_>, op: Randint) -> Made {
    let dtype = stated(c, op.dtype);
    let like = zeros(c, op.shape, DType::F64)?;
    let mut random = ops::RandomUniformLike::new(like).low(op.low as f32).high(op.high as f32);
    if op.seed != 0 {
        random = random.seed(op.seed as f32);
    }
    let numbers = c.add(random)?;
    let whole = c.add(ops::Floor::new(numbers))?;
    c.cast(whole, dtype)
}

/// In inference, the operand itself, times 1 − p with the mode `downgrade_in_infer`.
fn dropout(c: &mut Call<'_, '_>, op: Dropout) -> Made {
    if !op.is_test {
        return c.refuse("it is in training mode; export the model after `eval()`");
    }
    if op.mode == "upscale_in_train" {
        return c.add(ops::Identity::new(op.x));
    }
    let keep = 1.0 - op.p.known("p")?;
    let keep = c.number_like(op.x, keep)?;
    c.add(ops::Mul::new(op.x, keep))
}
