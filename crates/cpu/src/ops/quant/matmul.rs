//! MatMulInteger and QLinearMatMul.

use super::params::{factors, scales, signed, zero_points};
use crate::kernel::{Call, Compile, CpuKernel, Made};
use crate::ops::contract::extents::{Extents, Transposed};
use trident_ir::DType;
use trident_ir::ops::{MatMulInteger, QLinearMatMul};
use trident_kernels::gemm::int8::{Along, Epilogue8, Lhs8, Output8, PackedB8, Rhs8, Signs, gemm8};
use trident_kernels::gemm::{GemmShape, Strided};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

pub(super) fn matmul_integer(cx: &Compile<'_>) -> Made {
    let at = MatMulInteger::AT;
    let [a, a_zero, b, b_zero] = [at.a, at.a_zero_point, at.b, at.b_zero_point];
    Product8::boxed(cx, Places { a, a_zero, b, b_zero, scaled: false })
}

pub(super) fn qlinear_matmul(cx: &Compile<'_>) -> Made {
    let at = QLinearMatMul::AT;
    let [a, a_zero, b, b_zero] = [at.a, at.a_zero_point, at.b, at.b_zero_point];
    Product8::boxed(cx, Places { a, a_zero, b, b_zero, scaled: true })
}

/// Where the operands that both ops have are.
struct Places {
    a: usize,
    a_zero: usize,
    b: usize,
    b_zero: usize,
    /// Whether the sums are scaled and rounded to 8 bits, as [`QLinearMatMul`] does.
    scaled: bool,
}

struct Product8 {
    isa: Isa,
    at: Places,
    /// A constant right matrix, packed for a left operand of this sign, with its dimensions and type.
    packed: Option<(PackedB8, Signs, Vec<usize>, DType)>,
    packed_operands: Vec<usize>,
    name: String,
}

/// One value for all, or one for each row or column.
fn along<'a, T: Copy>(values: &'a [T], many: fn(&'a [T]) -> Along<'a, T>) -> Along<'a, T> {
    match values {
        [one] => Along::One(*one),
        values => many(values),
    }
}

impl Product8 {
    fn boxed(cx: &Compile<'_>, at: Places) -> Made {
        let isa = Isa::detect();
        let packed = cx.constant(at.b).filter(|b| b.rank() == 2 && !b.is_empty()).and_then(|b| {
            let signs = Signs { a: cx.dtype(at.a)? == DType::I8, b: signed(&b).ok()? };
            let (k, n) = (b.dims()[0], b.dims()[1]);
            let packed = PackedB8::new(isa, signs, n, k, &Strided::columns(b.bytes().ok()?, n));
            Some((packed, signs, b.dims().to_vec(), b.dtype()))
        });
        let algorithm = if packed.is_some() { "packed" } else { "unpacked" };
        let name = format!("gemm.int8.{algorithm}.{}", isa.name());
        let packed_operands = if packed.is_some() { vec![at.b] } else { vec![] };
        Ok(Box::new(Product8 { isa, at, packed, packed_operands, name }))
    }

    /// The product of all pairs of matrices, each finished by `epilogue`.
    fn products<O: Output8>(
        &self,
        call: &Call<'_, '_>,
        extents: &Extents,
        signs: Signs,
        (a, b): (&Tensor, Option<&Tensor>),
        epilogue: &Epilogue8<'_>,
        y: &mut [O],
    ) -> Result<(), KernelError> {
        let shape @ GemmShape { m, n, k } = extents.shape;
        let (left, right) = (a.bytes()?, b.map(Tensor::bytes).transpose()?.unwrap_or(&[]));
        for (y, (i, j)) in y.chunks_exact_mut((m * n).max(1)).zip(extents.pairs()) {
            let rows = Strided::rows(&left[i * m * k..(i + 1) * m * k], k);
            let columns;
            let rhs = match &self.packed {
                Some((packed, ..)) => Rhs8::Packed(packed),
                None => {
                    columns = Strided::columns(&right[j * k * n..(j + 1) * k * n], n);
                    Rhs8::Source(&columns)
                }
            };
            gemm8(call.threads, self.isa, signs, shape, Lhs8::Source(&rows), rhs, epilogue, y);
        }
        Ok(())
    }
}

impl CpuKernel for Product8 {
    fn name(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        &self.packed_operands
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, |(b, ..)| b.bytes())
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let Places { a, a_zero, b: right, b_zero, scaled } = self.at;
        let a = call.tensor(a)?;
        let b = if self.packed.is_some() { None } else { Some(call.tensor(right)?) };
        let (b_dims, b_type, b_signed) = match (&self.packed, &b) {
            (Some((_, signs, dims, dtype)), _) => (dims.as_slice(), *dtype, signs.b),
            (None, Some(b)) => (b.dims(), b.dtype(), signed(b)?),
            (None, None) => return Err(KernelError::Missing(right)),
        };
        let signs = Signs { a: signed(&a)?, b: b_signed };
        let extents = Extents::new(a.dims(), b_dims, Transposed::NONE)?;
        let GemmShape { m, n, .. } = extents.shape;
        let a_zero = zero_points(call, a_zero, a.dtype(), m)?;
        let b_zero = zero_points(call, b_zero, b_type, n)?;
        let mut epilogue = Epilogue8 {
            a_zero: along(&a_zero, Along::Rows),
            b_zero: along(&b_zero, Along::Columns),
            ..Epilogue8::default()
        };
        let operands = (&a, b.as_ref());
        if !scaled {
            let mut out = call.alloc(MatMulInteger::AT.y, DType::I32, &extents.dims)?;
            let y = out.slice_mut::<i32>()?;
            self.products(call, &extents, signs, operands, &epilogue, y)?;
            call.set(MatMulInteger::AT.y, out);
            return Ok(());
        }
        let at = QLinearMatMul::AT;
        let (a_scale, b_scale) = (scales(call, at.a_scale, m)?, scales(call, at.b_scale, n)?);
        if a_scale.len() > 1 && b_scale.len() > 1 {
            return Err(KernelError::shape(
                "scales for each row of A together with scales for each column of B are not supported",
            ));
        }
        let y_scale = scales(call, at.y_scale, 1)?[0];
        let factor = factors(call.tensor(at.a_scale)?.dtype(), &a_scale, &b_scale, y_scale);
        let by_row = a_scale.len() > 1;
        epilogue.scale = along(&factor, if by_row { Along::Rows } else { Along::Columns });
        let y_zero = call.tensor(at.y_zero_point)?;
        epilogue.zero = zero_points(call, at.y_zero_point, y_zero.dtype(), 1)?[0];
        let mut out = call.alloc(at.y, y_zero.dtype(), &extents.dims)?;
        if signed(&y_zero)? {
            self.products(call, &extents, signs, operands, &epilogue, out.slice_mut::<i8>()?)?;
        } else {
            self.products(call, &extents, signs, operands, &epilogue, out.slice_mut::<u8>()?)?;
        }
        call.set(at.y, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::OpKind;

    #[test]
    fn zero_points_by_row_and_column() {
        let a = tensor(&[2, 2], &[5u8, 6, 7, 8]);
        let b = tensor(&[2, 2], &[1i8, -1, 2, 3]);
        let inputs = vec![a, b, tensor(&[2], &[5u8, 7]), tensor(&[2], &[1i8, 0])];
        let y = run(OpKind::MatMulInteger, &[], inputs).unwrap();
        assert_eq!(elements::<i32>(&y), [1, 3, 1, 3]);
    }

    #[test]
    fn requantises() {
        let inputs = vec![
            tensor(&[1, 2], &[4u8, 2]),
            tensor(&[], &[0.5f32]),
            tensor(&[], &[0u8]),
            tensor(&[2, 1], &[3u8, 1]),
            tensor(&[], &[1.0f32]),
            tensor(&[], &[0u8]),
            tensor(&[], &[2.0f32]),
            tensor(&[], &[1u8]),
        ];
        // 14 · 0.25 = 3.5 → 4, plus 1.
        let y = run(OpKind::QLinearMatMul, &[], inputs).unwrap();
        assert_eq!(elements::<u8>(&y), [5]);
    }
}
