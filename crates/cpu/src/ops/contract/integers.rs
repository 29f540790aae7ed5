//! Matrix products of integers, which wrap.

use super::extents::{Extents, Transposed, columns, rows};
use crate::kernel::{Call, Compile, CpuKernel, Made};
use num_traits::{NumCast, WrappingAdd, WrappingMul, Zero};
use trident_ir::Element;
use trident_ir::geometry::{broadcast, broadcast_strides};
use trident_ir::ops::{Gemm, GemmAt, MatMul};
use trident_kernels::gemm::GemmShape;
use trident_kernels::threads::checkpoint;
use trident_runtime::KernelError;

/// Places of operands and results. [`MatMul`] has the first of them.
const AT: GemmAt = Gemm::AT;
const _: () = assert!(AT.a == MatMul::AT.a && AT.b == MatMul::AT.b);

/// The kernel of MatMul and Gemm for integers of type `T`.
pub(super) fn integers<T>(cx: &Compile<'_>, transposed: Transposed, alpha: f32, beta: f32) -> Made
where
    T: Element + WrappingAdd + WrappingMul + Zero + NumCast,
{
    let factor = |name: &'static str, v: f32| match num_traits::cast::<f32, T>(v) {
        Some(t) if v.fract() == 0.0 => Ok(t),
        _ => {
            let reason = format!("{v} is not an integer of type {}", T::DTYPE);
            Err(cx.refused(KernelError::attr(name, reason)))
        }
    };
    let factors = [factor("alpha", alpha)?, factor("beta", beta)?];
    Ok(Box::new(Integers { transposed, factors }))
}

struct Integers<T> {
    transposed: Transposed,
    /// Of the product and of the third operand.
    factors: [T; 2],
}

impl<T> CpuKernel for Integers<T>
where
    T: Element + WrappingAdd + WrappingMul + Zero,
{
    fn name(&self) -> &str {
        "matmul.integer"
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        product(call, self.transposed, self.factors)
    }
}

fn product<T>(
    call: &mut Call<'_, '_>,
    transposed: Transposed,
    [alpha, beta]: [T; 2],
) -> Result<(), KernelError>
where
    T: Element + WrappingAdd + WrappingMul + Zero,
{
    let (a, b, c) = (call.tensor(AT.a)?, call.tensor(AT.b)?, call.opt(AT.c)?);
    let extents = Extents::new(a.dims(), b.dims(), transposed)?;
    let GemmShape { m, n, k } = extents.shape;
    let added = match &c {
        None => None,
        Some(c) => {
            if broadcast(c.dims(), &extents.dims)? != extents.dims {
                return Err(KernelError::shape(format!(
                    "C has dimensions {:?}, which do not broadcast to the product",
                    c.dims()
                )));
            }
            Some((c.slice::<T>()?, broadcast_strides(c.dims(), &extents.dims)))
        }
    };
    let mut out = call.alloc(AT.y, T::DTYPE, &extents.dims)?;
    let (x, y) = (a.slice::<T>()?, b.slice::<T>()?);
    let z = out.slice_mut::<T>()?;
    for (z, (i, j)) in z.chunks_exact_mut((m * n).max(1)).zip(extents.pairs()) {
        let (left, right) = (&x[i * m * k..(i + 1) * m * k], &y[j * k * n..(j + 1) * k * n]);
        let (left, right) =
            (rows(left, extents.shape, transposed.a), columns(right, extents.shape, transposed.b));
        for (at, slot) in z.iter_mut().enumerate() {
            let (r, c) = (at / n, at % n);
            if c == 0 {
                checkpoint();
            }
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
    call.set(AT.y, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

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

    #[test]
    fn factors_are_integers() {
        let run = |name, factor| {
            let operands = vec![tensor(&[1, 1], &[3i32]), tensor(&[1, 1], &[5i32])];
            run(OpKind::Gemm, &[(name, Attr::Float(factor))], operands)
        };
        assert_eq!(elements::<i32>(&run("alpha", 2.0).unwrap()), [30]);
        for name in ["alpha", "beta"] {
            let error = run(name, 0.5).unwrap_err().to_string();
            assert!(error.contains(&format!("attribute `{name}`: 0.5")), "{error}");
        }
    }
}
