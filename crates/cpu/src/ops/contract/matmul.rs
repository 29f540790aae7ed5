//! Matrix products: MatMul, Gemm and what fusion makes of them.

use super::epilogue::activation;
use super::packed::Widened;
use crate::dispatch;
use crate::kernel::{Call, Compile, Kernel, Plain};
use crate::real::{Real, produce, read};
use num_traits::{WrappingAdd, WrappingMul, Zero};
use trident_ir::geometry::{PackedWeights, broadcast, broadcast_strides};
use trident_ir::{DType, Element, Op, OpKind};
use trident_kernels::Activation;
use trident_kernels::gemm::{Epilogue, Lhs, PackedB, Rhs, Shape, Strided, gemm, gemm_batch};
use trident_runtime::{Declined, KernelError, Tensor};
use trident_simd::Isa;

/// The kernel of a product; float types narrower than f32 compute in f32, integers wrap.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    match cx.dtype(0) {
        Some(DType::F64) => Ok(Box::new(Product::<f64>::new(cx)?)),
        Some(DType::F32 | DType::F16 | DType::BF16) => Ok(Box::new(Product::<f32>::new(cx)?)),
        Some(DType::I32 | DType::I64 | DType::U32 | DType::U64)
            if !matches!(cx.op.kind, OpKind::FusedMatMul | OpKind::MatMulNBits) =>
        {
            Ok(Plain::boxed("matmul.integer", integers))
        }
        other => Err(cx.declined(format!("there is no product of element type {other:?}"))),
    }
}

/// Elements that a thread scales at a time.
const CHUNK: usize = 1 << 14;

/// How the last two axes of an operand are read, and what the op adds.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Form {
    trans_a: bool,
    trans_b: bool,
    alpha: f32,
    /// Factor of Gemm's third operand.
    beta: f32,
}

impl Form {
    pub(in crate::ops) fn of(op: &Op) -> Form {
        Form {
            trans_a: op.flag("trans_a"),
            trans_b: op.flag("trans_b") || op.kind == OpKind::MatMulNBits,
            alpha: match op.kind {
                OpKind::Gemm => op.float("alpha"),
                OpKind::FusedMatMul => op.float("scale"),
                _ => None,
            }
            .unwrap_or(1.0),
            beta: if op.kind == OpKind::Gemm { op.float("beta").unwrap_or(1.0) } else { 1.0 },
        }
    }
}

/// The extents of a product of operands with these dimensions.
pub(in crate::ops) struct Extents {
    pub(in crate::ops) shape: Shape,
    /// Leading dimensions of the operands and of the result.
    batch_a: Vec<usize>,
    batch_b: Vec<usize>,
    batch: Vec<usize>,
    /// The result's dimensions; those that a rank-1 operand brought are left out.
    pub(in crate::ops) dims: Vec<usize>,
}

impl Extents {
    pub(in crate::ops) fn new(
        a: &[usize],
        b: &[usize],
        form: Form,
    ) -> Result<Extents, KernelError> {
        let misfit =
            || KernelError::shape(format!("matrices of dimensions {a:?} and {b:?} do not fit"));
        let matrix = |d: &[usize], trans: bool, column: bool| match *d {
            [] => Err(misfit()),
            [n] if column => Ok((vec![], n, 1)),
            [n] => Ok((vec![], 1, n)),
            [ref batch @ .., r, c] if trans => Ok((batch.to_vec(), c, r)),
            [ref batch @ .., r, c] => Ok((batch.to_vec(), r, c)),
        };
        let (batch_a, m, k) = matrix(a, form.trans_a, false)?;
        let (batch_b, kb, n) = matrix(b, form.trans_b, true)?;
        if k != kb {
            return Err(misfit());
        }
        let batch = broadcast(&batch_a, &batch_b)?;
        let mut dims = batch.clone();
        if a.len() > 1 {
            dims.push(m);
        }
        if b.len() > 1 {
            dims.push(n);
        }
        Ok(Extents { shape: Shape { m, n, k }, batch_a, batch_b, batch, dims })
    }

    /// For each product of the batch the numbers of its left and right matrix.
    pub(in crate::ops) fn pairs(&self) -> Vec<(usize, usize)> {
        let count: usize = self.batch.iter().product();
        let sa = broadcast_strides(&self.batch_a, &self.batch);
        let sb = broadcast_strides(&self.batch_b, &self.batch);
        let place = |mut i: usize, strides: &[usize]| {
            let mut at = 0;
            for (&d, &s) in self.batch.iter().zip(strides).rev() {
                (at, i) = (at + i % d * s, i / d);
            }
            at
        };
        (0..count).map(|i| (place(i, &sa), place(i, &sb))).collect()
    }
}

struct Product<R: Real> {
    isa: Isa,
    form: Form,
    activation: Activation,
    /// The right operand if it is one constant matrix, with its dimensions.
    packed: Option<(PackedB<R>, Vec<usize>)>,
    /// The operands that are packed.
    operands: Vec<usize>,
    name: String,
}

/// The operands that make up the right matrix.
fn right(op: &Op) -> Vec<usize> {
    match op.kind {
        OpKind::MatMulNBits => {
            let zeros = op.input(PackedWeights::ZEROS).map(|_| PackedWeights::ZEROS);
            [PackedWeights::WEIGHTS, PackedWeights::SCALES].into_iter().chain(zeros).collect()
        }
        _ => vec![1],
    }
}

/// Packs constant weights of a few bits.
fn packed_weights<R: Real>(cx: &Compile<'_>, isa: Isa) -> Option<(PackedB<R>, Vec<usize>)> {
    let tensors: Option<Vec<Tensor>> = right(cx.op).into_iter().map(|i| cx.constant(i)).collect();
    let tensors = tensors?;
    let weights = PackedWeights::of(cx.op).ok()?;
    let source = Widened::<R>::new(cx.op, &tensors[0], &tensors[1], tensors.get(2)).ok()?;
    let PackedWeights { n, k, .. } = weights;
    (n * k > 0).then(|| (PackedB::by(cx.threads, isa, n, k, &source), vec![n, k]))
}

/// A right operand `k × n`, stored transposed or not.
fn columns<R>(data: &[R], shape: Shape, trans: bool) -> Strided<'_, R> {
    if trans {
        Strided { data, outer_stride: shape.k, k_stride: 1 }
    } else {
        Strided::columns(data, shape.n)
    }
}

/// A left operand `m × k`, stored transposed or not.
fn rows<R>(data: &[R], shape: Shape, trans: bool) -> Strided<'_, R> {
    if trans {
        Strided { data, outer_stride: 1, k_stride: shape.m }
    } else {
        Strided::rows(data, shape.k)
    }
}

impl<R: Real> Product<R> {
    fn new(cx: &Compile<'_>) -> Result<Self, Declined> {
        let (isa, form) = (Isa::detect(), Form::of(cx.op));
        let matrix = |b: Tensor| {
            let (r, c) = (b.dims()[0], b.dims()[1]);
            let (k, n) = if form.trans_b { (c, r) } else { (r, c) };
            let data = read::<R>(&b).ok()?;
            let source = columns(&data, Shape { m: 0, n, k }, form.trans_b);
            Some((PackedB::by(cx.threads, isa, n, k, &source), b.dims().to_vec()))
        };
        let packed = match cx.op.kind {
            OpKind::MatMulNBits => packed_weights(cx, isa),
            _ => cx.constant(1).filter(|b| b.rank() == 2 && !b.is_empty()).and_then(matrix),
        };
        let operands = if packed.is_some() { right(cx.op) } else { vec![] };
        let algorithm = if packed.is_some() { "packed" } else { "unpacked" };
        let name = format!("gemm.{algorithm}.{}", isa.name());
        Ok(Product { isa, form, activation: activation(cx.op)?, packed, operands, name })
    }
}

/// What a third operand adds to the rows and columns of the result.
enum Addend<R> {
    Row(Vec<R>),
    Column(Vec<R>),
    Full(Vec<R>),
}

/// Gemm's `c`, which broadcasts to `m × n`, or the bias of a fused product, which has `n` elements.
fn addend<R: Real>(c: &Tensor, shape: Shape, op: &Op) -> Result<Addend<R>, KernelError> {
    let Shape { m, n, .. } = shape;
    let given = c.dims();
    if op.kind != OpKind::Gemm && given != [n] {
        return Err(KernelError::shape(format!("a bias of dimensions {given:?}, expected [{n}]")));
    }
    let misfit =
        || KernelError::shape(format!("operand 2 of dimensions {given:?} does not fit [{m}, {n}]"));
    let beta = R::of(Form::of(op).beta.into());
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
        let b = call.tensor(1)?;
        if call.op.kind != OpKind::MatMulNBits {
            return Ok(b);
        }
        let scales = call.tensor(PackedWeights::SCALES)?;
        let zeros = call.opt(PackedWeights::ZEROS)?;
        Widened::<R>::new(call.op, &b, &scales, zeros.as_ref())?.columns(call.pool())
    }
}

impl<R: Real> Product<R> {
    /// The left operand, and what remains to multiply the product with. The scale of a fused product may have stood before
    /// it: a small one multiplies the operand, as the product could overflow without it.
    fn scaled(&self, call: &Call<'_, '_>, a: Tensor) -> Result<(Tensor, R), KernelError> {
        let alpha = R::of(self.form.alpha.into());
        if call.op.kind != OpKind::FusedMatMul || alpha.abs() >= R::one() {
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

impl<R: Real> Kernel for Product<R> {
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
        let (a, c, residual) = (call.tensor(0)?, call.opt(2)?, call.opt(3)?);
        let dtype = a.dtype();
        let b = if self.packed.is_some() { None } else { Some(self.right(call)?) };
        let b_dims = match (&self.packed, &b) {
            (Some((_, dims)), _) => dims,
            (None, Some(b)) => b.dims(),
            (None, None) => return Err(KernelError::Missing(1)),
        };
        if call.op.kind == OpKind::Gemm && (a.rank() != 2 || b_dims.len() != 2) {
            let a = a.dims();
            return Err(KernelError::shape(format!("gemm of {a:?} and {b_dims:?}: not matrices")));
        }
        let extents = Extents::new(a.dims(), b_dims, self.form)?;
        let dims = extents.dims.clone();
        if residual.as_ref().is_some_and(|r| r.dims() != dims) {
            return Err(KernelError::shape(format!("the residual must have dimensions {dims:?}")));
        }
        let c = c.map(|c| addend::<R>(&c, extents.shape, call.op)).transpose()?;
        let (a, alpha) = self.scaled(call, a)?;
        let left = read::<R>(&a)?;
        let right = b.as_ref().map(read::<R>).transpose()?;
        let residual = residual.as_ref().map(read::<R>).transpose()?;
        let mut epilogue = Epilogue {
            alpha,
            residual: residual.as_deref(),
            activation: self.activation,
            ..Epilogue::default()
        };
        match &c {
            Some(Addend::Row(v)) => epilogue.row_bias = Some(v),
            Some(Addend::Column(v)) => epilogue.col_bias = Some(v),
            Some(Addend::Full(v)) => epilogue.residual = Some(v),
            None => {}
        }
        let (threads, isa, form) = (call.threads, self.isa, self.form);
        produce::<R>(call, 0, dtype, &dims, |y| {
            let mut shape = extents.shape;
            if y.is_empty() {
                return Ok(());
            }
            // One right matrix for all rows of all batches: a single product.
            if extents.batch_b.iter().all(|&d| d == 1) && !form.trans_a {
                shape.m *= extents.batch.iter().product::<usize>();
                let rows = Strided::rows(&left, shape.k);
                let lhs = Lhs::Source(&rows);
                let unpacked;
                let rhs = match (&self.packed, &right) {
                    (Some((b, _)), _) => Rhs::Packed(b),
                    (None, right) => {
                        unpacked = columns(right.as_deref().unwrap_or(&[]), shape, form.trans_b);
                        Rhs::Source(&unpacked)
                    }
                };
                gemm(threads, isa, shape, lhs, rhs, &epilogue, y);
                return Ok(());
            }
            let Shape { m, n, k } = shape;
            let pairs = extents.pairs();
            let lefts: Vec<_> = pairs
                .iter()
                .map(|&(i, _)| rows(&left[i * m * k..(i + 1) * m * k], shape, form.trans_a))
                .collect();
            let rights: Vec<_> = match &right {
                Some(b) => pairs
                    .iter()
                    .map(|&(_, i)| columns(&b[i * k * n..(i + 1) * k * n], shape, form.trans_b))
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

/// MatMul and Gemm of integers.
fn integers(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let dtype = call.tensor(0)?.dtype();
    dispatch!(dtype, [I32, I64, U32, U64] as T => product::<T>(call),
        else => Err(KernelError::Unsupported(dtype)))
}

fn product<T>(call: &mut Call<'_, '_>) -> Result<(), KernelError>
where
    T: Element + WrappingAdd + WrappingMul + Zero + num_traits::NumCast,
{
    let (a, b, c) = (call.tensor(0)?, call.tensor(1)?, call.opt(2)?);
    let form = Form::of(call.op);
    let scale = |v: f32| match num_traits::cast::<f32, T>(v) {
        Some(t) if v.fract() == 0.0 => Ok(t),
        _ => Err(KernelError::attr("alpha", format!("{v} is no integer of type {}", T::DTYPE))),
    };
    let (alpha, beta) = (scale(form.alpha)?, scale(form.beta)?);
    let extents = Extents::new(a.dims(), b.dims(), form)?;
    let Shape { m, n, k } = extents.shape;
    let added = match &c {
        None => None,
        Some(c) => {
            if broadcast(c.dims(), &extents.dims)? != extents.dims {
                return Err(KernelError::shape(format!("operand 2 {:?} is too large", c.dims())));
            }
            Some((c.slice::<T>()?, broadcast_strides(c.dims(), &extents.dims)))
        }
    };
    let mut out = call.alloc(0, T::DTYPE, &extents.dims)?;
    let (x, y) = (a.slice::<T>()?, b.slice::<T>()?);
    let z = out.slice_mut::<T>()?;
    for (z, (i, j)) in z.chunks_exact_mut((m * n).max(1)).zip(extents.pairs()) {
        let (left, right) = (&x[i * m * k..(i + 1) * m * k], &y[j * k * n..(j + 1) * k * n]);
        let (left, right) =
            (rows(left, extents.shape, form.trans_a), columns(right, extents.shape, form.trans_b));
        for (at, slot) in z.iter_mut().enumerate() {
            let (r, c) = (at / n, at % n);
            let term = |p: usize| {
                left.data[r * left.outer_stride + p * left.k_stride]
                    .wrapping_mul(&right.data[c * right.outer_stride + p * right.k_stride])
            };
            let sum = (0..k).fold(T::zero(), |sum, p| sum.wrapping_add(&term(p)));
            *slot = sum.wrapping_mul(&alpha);
            if let Some((data, s)) = &added {
                *slot = slot.wrapping_add(&data[r * s[0] + c * s[1]].wrapping_mul(&beta));
            }
        }
    }
    call.set(0, out);
    Ok(())
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

    #[test]
    fn integers_wrap() {
        let y = run(
            OpKind::MatMul,
            &[],
            vec![tensor(&[1, 2], &[i32::MAX, 1]), tensor(&[2, 1], &[2, 5])],
        )
        .unwrap();
        assert_eq!(elements::<i32>(&y), [i32::MAX.wrapping_mul(2).wrapping_add(5)]);
    }
}
