//! Matrix products: MatMul, Gemm and their fused forms.

use super::epilogue::activation;
use super::extents::{Extents, Transposed, columns, rows};
use super::integers::integers;
use super::packed::Widened;
use crate::kernel::{Call, Compile, CpuKernel, Made};
use crate::real::{Real, produce, read};
use trident_ir::DType;
use trident_ir::geometry::PackedWeights;
use trident_ir::ops::{FusedMatMul, Gemm, MatMul, MatMulNBits, MatMulNBitsAt};
use trident_kernels::UnaryFunction;
use trident_kernels::gemm::{Epilogue, GemmShape, Lhs, PackedB, Rhs, Strided, gemm, gemm_batch};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// Places of operands and results. The other products have some of them.
const AT: MatMulNBitsAt = MatMulNBits::AT;
const _: () = {
    assert!(AT.a == MatMul::AT.a && AT.b == MatMul::AT.b);
    assert!(AT.a == Gemm::AT.a && AT.b == Gemm::AT.b && AT.bias == Gemm::AT.c);
    assert!(AT.a == FusedMatMul::AT.a && AT.b == FusedMatMul::AT.b);
    assert!(AT.bias == FusedMatMul::AT.bias && AT.residual == FusedMatMul::AT.residual);
};

pub(super) fn matmul(cx: &Compile<'_>) -> Made {
    dense(cx, Form::PLAIN)
}

pub(super) fn gemm_kernel(cx: &Compile<'_>) -> Made {
    let op = cx.view(Gemm::of)?;
    let transposed = Transposed { a: op.trans_a(), b: op.trans_b() };
    let addend = Addition::Matrix { beta: op.beta() };
    dense(cx, Form { transposed, alpha: op.alpha(), addend, ..Form::PLAIN })
}

/// The product of two dense operands: float types narrower than f32 compute in f32, integers wrap.
fn dense(cx: &Compile<'_>, form: Form) -> Made {
    let beta = match form.addend {
        Addition::Matrix { beta } => beta,
        Addition::Bias => 1.0,
    };
    match cx.element(AT.a)? {
        DType::I32 => integers::<i32>(cx, form.transposed, form.alpha, beta),
        DType::I64 => integers::<i64>(cx, form.transposed, form.alpha, beta),
        DType::U32 => integers::<u32>(cx, form.transposed, form.alpha, beta),
        DType::U64 => integers::<u64>(cx, form.transposed, form.alpha, beta),
        _ => product(cx, form, None),
    }
}

pub(super) fn fused_matmul(cx: &Compile<'_>) -> Made {
    let op = cx.view(FusedMatMul::of)?;
    let transposed = Transposed { a: op.trans_a(), b: op.trans_b() };
    let activation = activation(op.activated());
    let form = Form { transposed, alpha: op.scale(), early: true, activation, ..Form::PLAIN };
    product(cx, form, None)
}

pub(super) fn matmul_n_bits(cx: &Compile<'_>) -> Made {
    let op = cx.view(MatMulNBits::of)?;
    let weights = PackedWeights::of(op).map_err(|e| cx.refused(e.into()))?;
    let transposed = Transposed { a: false, b: true };
    let activation = activation(op.activated());
    product(cx, Form { transposed, activation, ..Form::PLAIN }, Some(weights))
}

/// The product of floats; weights of a few bits are given their sizes.
fn product(cx: &Compile<'_>, form: Form, weights: Option<PackedWeights>) -> Made {
    match cx.element(AT.a)? {
        DType::F64 => Ok(Box::new(Product::<f64>::new(cx, form, weights))),
        DType::F32 | DType::F16 | DType::BF16 => {
            Ok(Box::new(Product::<f32>::new(cx, form, weights)))
        }
        other => Err(cx.declined(format!("multiplying matrices of {other} is not supported"))),
    }
}

/// Elements that a thread scales at a time.
const CHUNK: usize = 1 << 14;

/// The attributes of a product.
#[derive(Clone, Copy)]
struct Form {
    transposed: Transposed,
    /// Factor of the product.
    alpha: f32,
    /// Whether the factor may multiply the left operand before the product.
    early: bool,
    addend: Addition,
    activation: UnaryFunction,
}

impl Form {
    /// a·b.
    const PLAIN: Form = Form {
        transposed: Transposed::NONE,
        alpha: 1.0,
        early: false,
        addend: Addition::Bias,
        activation: UnaryFunction::None,
    };
}

/// The role of the third operand.
#[derive(Clone, Copy)]
enum Addition {
    /// One element for each column.
    Bias,
    /// Gemm's `c`, which broadcasts to the product of two matrices and has a factor.
    Matrix { beta: f32 },
}

struct Product<R: Real> {
    isa: Isa,
    form: Form,
    /// The sizes of weights of a few bits.
    weights: Option<PackedWeights>,
    /// The right operand if it is one constant matrix, with its dimensions.
    packed: Option<(PackedB<R>, Vec<usize>)>,
    /// The operands that are packed.
    operands: Vec<usize>,
    name: String,
}

/// Packs the constant right matrix.
fn pack<R: Real>(
    cx: &Compile<'_>,
    isa: Isa,
    transposed: Transposed,
) -> Option<(PackedB<R>, Vec<usize>)> {
    let b = cx.constant(AT.b).filter(|b| b.rank() == 2 && !b.is_empty())?;
    let (r, c) = (b.dims()[0], b.dims()[1]);
    let (k, n) = if transposed.b { (c, r) } else { (r, c) };
    let data = read::<R>(&b).ok()?;
    let source = columns(&data, GemmShape { m: 0, n, k }, transposed.b);
    Some((PackedB::by(cx.threads, isa, n, k, &source), b.dims().to_vec()))
}

/// Packs constant weights of a few bits.
fn pack_widened<R: Real>(
    cx: &Compile<'_>,
    isa: Isa,
    weights: PackedWeights,
    operands: &[usize],
) -> Option<(PackedB<R>, Vec<usize>)> {
    let tensors: Option<Vec<Tensor>> = operands.iter().map(|&i| cx.constant(i)).collect();
    let tensors = tensors?;
    let source = Widened::<R>::new(weights, &tensors[0], &tensors[1], tensors.get(2)).ok()?;
    let PackedWeights { n, k, .. } = weights;
    (n * k > 0).then(|| (PackedB::by(cx.threads, isa, n, k, &source), vec![n, k]))
}

impl<R: Real> Product<R> {
    fn new(cx: &Compile<'_>, form: Form, weights: Option<PackedWeights>) -> Self {
        let isa = Isa::detect();
        let (packed, right) = match weights {
            None => (pack(cx, isa, form.transposed), vec![AT.b]),
            Some(weights) => {
                let zeros = cx.op.input(AT.zero_points).map(|_| AT.zero_points);
                let right: Vec<usize> = [AT.b, AT.scales].into_iter().chain(zeros).collect();
                (pack_widened(cx, isa, weights, &right), right)
            }
        };
        let operands = if packed.is_some() { right } else { vec![] };
        let algorithm = if packed.is_some() { "packed" } else { "unpacked" };
        let name = format!("gemm.{algorithm}.{}", isa.name());
        Product { isa, form, weights, packed, operands, name }
    }
}

/// The summands that a third operand gives to the rows and columns of the result.
enum Addend<R> {
    Row(Vec<R>),
    Column(Vec<R>),
    Full(Vec<R>),
}

/// Gemm's `c`, which broadcasts to `m × n`, or the bias of a fused product, which has `n` elements.
fn addend<R: Real>(c: &Tensor, shape: GemmShape, how: Addition) -> Result<Addend<R>, KernelError> {
    let GemmShape { m, n, .. } = shape;
    let given = c.dims();
    let beta = match how {
        Addition::Matrix { beta } => R::of(beta.into()),
        Addition::Bias if given == [n] => R::one(),
        Addition::Bias => {
            let text = format!("the bias has dimensions {given:?}, expected [{n}]");
            return Err(KernelError::shape(text));
        }
    };
    let misfit = || {
        KernelError::shape(format!(
            "C has dimensions {given:?}, which do not broadcast to [{m}, {n}]"
        ))
    };
    let values: Vec<R> = read::<R>(c)?.iter().map(|&v| v * beta).collect();
    Ok(match *given {
        [] => Addend::Column(vec![values[0]; n]),
        [1] | [1, 1] => Addend::Column(vec![values[0]; n]),
        [d] | [1, d] if d == n => Addend::Column(values),
        [d, 1] if d == m => Addend::Row(values),
        [r, d] if (r, d) == (m, n) => Addend::Full(values),
        _ => return Err(misfit()),
    })
}

impl<R: Real> Product<R> {
    /// The right operand, where it is not packed.
    fn right(&self, call: &Call<'_, '_>) -> Result<Tensor, KernelError> {
        let b = call.tensor(AT.b)?;
        let Some(weights) = self.weights else { return Ok(b) };
        let (scales, zeros) = (call.tensor(AT.scales)?, call.opt(AT.zero_points)?);
        Widened::<R>::new(weights, &b, &scales, zeros.as_ref())?.columns(call.pool())
    }
}

impl<R: Real> Product<R> {
    /// The left operand, and what remains to multiply the product with. The scale of a fused product may have stood before
    /// it: a small one multiplies the operand, as the product could overflow without it.
    fn scaled(&self, call: &Call<'_, '_>, a: Tensor) -> Result<(Tensor, R), KernelError> {
        let alpha = R::of(self.form.alpha.into());
        if !self.form.early || alpha.abs() >= R::one() {
            return Ok((a, alpha));
        }
        let mut scaled = call.temp(R::DTYPE, a.dims())?;
        let from = read::<R>(&a)?;
        call.threads.for_chunks_mut(scaled.slice_mut::<R>()?, CHUNK, |i, to| {
            let from = &from[i * CHUNK..];
            to.iter_mut().zip(from).for_each(|(to, &x)| *to = x * alpha);
        });
        Ok((scaled, R::one()))
    }
}

impl<R: Real> CpuKernel for Product<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        &self.operands
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, |(b, _)| b.bytes())
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let (a, c, residual) = (call.tensor(AT.a)?, call.opt(AT.bias)?, call.opt(AT.residual)?);
        let dtype = a.dtype();
        let b = if self.packed.is_some() { None } else { Some(self.right(call)?) };
        let b_dims = match (&self.packed, &b) {
            (Some((_, dims)), _) => dims,
            (None, Some(b)) => b.dims(),
            (None, None) => return Err(KernelError::Missing(AT.b)),
        };
        let matrices = matches!(self.form.addend, Addition::Matrix { .. });
        if matrices && (a.rank() != 2 || b_dims.len() != 2) {
            let a = a.dims();
            return Err(KernelError::shape(format!(
                "A has dimensions {a:?} and B {b_dims:?}, expected matrices"
            )));
        }
        let extents = Extents::new(a.dims(), b_dims, self.form.transposed)?;
        let dims = extents.dims.clone();
        if residual.as_ref().is_some_and(|r| r.dims() != dims) {
            return Err(KernelError::shape(format!("the residual must have dimensions {dims:?}")));
        }
        let c = c.map(|c| addend::<R>(&c, extents.shape, self.form.addend)).transpose()?;
        let (a, alpha) = self.scaled(call, a)?;
        let left = read::<R>(&a)?;
        let right = b.as_ref().map(read::<R>).transpose()?;
        let residual = residual.as_ref().map(read::<R>).transpose()?;
        let mut epilogue = Epilogue {
            alpha,
            residual: residual.as_deref(),
            activation: self.form.activation,
            ..Epilogue::default()
        };
        match &c {
            Some(Addend::Row(v)) => epilogue.row_bias = Some(v),
            Some(Addend::Column(v)) => epilogue.col_bias = Some(v),
            Some(Addend::Full(v)) => epilogue.residual = Some(v),
            None => {}
        }
        let (threads, isa, transposed) = (call.threads, self.isa, self.form.transposed);
        produce::<R>(call, AT.y, dtype, &dims, |y| {
            let mut shape = extents.shape;
            if y.is_empty() {
                return Ok(());
            }
            // One right matrix for all rows of all batches: a single product.
            if extents.batch_b.iter().all(|&d| d == 1) && !transposed.a {
                shape.m *= extents.batch.iter().product::<usize>();
                let rows = Strided::rows(&left, shape.k);
                let lhs = Lhs::Source(&rows);
                let unpacked;
                let rhs = match (&self.packed, &right) {
                    (Some((b, _)), _) => Rhs::Packed(b),
                    (None, right) => {
                        unpacked = columns(right.as_deref().unwrap_or(&[]), shape, transposed.b);
                        Rhs::Source(&unpacked)
                    }
                };
                gemm(threads, isa, shape, lhs, rhs, &epilogue, y);
                return Ok(());
            }
            let GemmShape { m, n, k } = shape;
            let pairs = extents.pairs();
            let lefts: Vec<_> = pairs
                .iter()
                .map(|&(i, _)| rows(&left[i * m * k..(i + 1) * m * k], shape, transposed.a))
                .collect();
            let rights: Vec<_> = match &right {
                Some(b) => pairs
                    .iter()
                    .map(|&(_, i)| columns(&b[i * k * n..(i + 1) * k * n], shape, transposed.b))
                    .collect(),
                None => vec![],
            };
            let items: Vec<_> = lefts
                .iter()
                .enumerate()
                .map(|(i, a)| {
                    let rhs = match &self.packed {
                        Some((b, _)) => Rhs::Packed(b),
                        None => Rhs::Source(&rights[i]),
                    };
                    (Lhs::Source(a), rhs)
                })
                .collect();
            gemm_batch(threads, isa, shape, &items, &epilogue, y);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn batches_broadcast_and_vectors_lose_their_axis() {
        let a: Vec<f32> = (0..12).map(|v| v as f32).collect();
        let y = run(
            OpKind::MatMul,
            &[],
            vec![tensor(&[2, 1, 2, 3], &a), tensor(&[3, 1], &[1.0f32, 10.0, 100.0])],
        )
        .unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [2, 1, 2, 1]);
        assert_eq!(elements::<f32>(&y), [210.0, 543.0, 876.0, 1209.0]);
        let b: Vec<f32> = (0..12).map(|v| v as f32).collect();
        let y = run(
            OpKind::MatMul,
            &[],
            vec![tensor(&[3], &[1.0f32, 0.0, 2.0]), tensor(&[2, 3, 2], &b)],
        )
        .unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [2, 2]);
        assert_eq!(elements::<f32>(&y), [8.0, 11.0, 26.0, 29.0]);
        let misfit = vec![tensor(&[2], &[1.0f32; 2]), tensor(&[3], &[1.0f32; 3])];
        assert!(run(OpKind::MatMul, &[], misfit).is_err());
    }

    #[test]
    fn gemm_transposes_scales_and_adds() {
        let a = tensor(&[3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = tensor(&[1, 3], &[1.0f32, 1.0, 2.0]);
        let attrs = [
            ("trans_a", Attr::Int(1)),
            ("trans_b", Attr::Int(1)),
            ("alpha", Attr::Float(2.0)),
            ("beta", Attr::Float(0.5)),
        ];
        let c = tensor(&[2, 1], &[10.0f32, 20.0]);
        let y = run(OpKind::Gemm, &attrs, vec![a, b, c]).unwrap();
        assert_eq!(elements::<f32>(&y), [33.0, 46.0]);
    }

    #[test]
    fn fused_products_add_bias_and_residual_before_the_activation() {
        let a = tensor(&[1, 2, 2], &[1.0f32, 0.0, 0.0, 1.0]);
        let b = tensor(&[2, 2], &[1.0f32, -2.0, 3.0, 4.0]);
        let (bias, residual) =
            (tensor(&[2], &[0.5f32, 0.5]), tensor(&[1, 2, 2], &[0.0f32, 0.0, -9.0, 1.0]));
        let attrs = [("activation", Attr::Str("relu".into()))];
        let y = run(OpKind::FusedMatMul, &attrs, vec![a, b, bias, residual]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.5, 0.0, 0.0, 5.5]);
    }

    #[test]
    fn the_bias_of_a_fused_product_has_an_element_for_each_column() {
        let sizes = [("k", 16), ("n", 2), ("bits", 4), ("block_size", 16)];
        let sizes = sizes.map(|(name, n)| (name, Attr::Int(n)));
        for bias in [&[2, 1][..], &[1, 2], &[1], &[], &[2, 2], &[3]] {
            let x = || Some(tensor(&[2, 16], &[1.0f32; 32]));
            let bias = Some(tensor(bias, &vec![1.0f32; bias.iter().product()]));
            let w = Some(tensor(&[16, 2], &[1.0f32; 32]));
            let dense = run_on(1, OpKind::FusedMatMul, &[], vec![x(), w, bias.clone()], 1);
            assert!(dense.unwrap_err().to_string().contains("expected [2]"));
            let (w, scales) = (tensor(&[2, 1, 8], &[0u8; 16]), tensor(&[2], &[1.0f32; 2]));
            let operands = vec![x(), Some(w), bias, None, Some(scales)];
            let packed = run_on(1, OpKind::MatMulNBits, &sizes, operands, 1);
            assert!(packed.unwrap_err().to_string().contains("expected [2]"));
        }
    }
}
