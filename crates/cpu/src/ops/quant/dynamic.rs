//! DynamicQuantizeLinear.

use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::DType;
use trident_ir::ops::DynamicQuantizeLinear;
use trident_kernels::parallel::{for_pieces, vectorised};
use trident_kernels::rows;
use trident_runtime::KernelError;
use trident_simd::Isa;

/// The range of the elements, widened to hold 0, is spread over 0 … 255.
pub(super) fn dynamic_quantize(cx: &Compile<'_>) -> Made {
    Prepared::boxed(cx, quantize)
}

fn quantize(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = DynamicQuantizeLinear::AT;
    let x = call.tensor(at.x)?;
    let (data, isa) = (x.slice::<f32>()?, Isa::detect());
    let range = |v: f32| if x.is_empty() { 0.0 } else { v };
    let least = range(rows::min(isa, data)).min(0.0);
    let most = range(rows::max(isa, data)).max(0.0);
    let scale = (most - least) / 255.0;
    // A tensor of zeros has no range; any scale but 0 will do.
    let scale = if scale == 0.0 { 1.0 } else { scale };
    let zero = (-least / scale).round_ties_even().clamp(0.0, 255.0);
    let mut y = call.alloc(at.y, DType::U8, x.dims())?;
    for_pieces(call.threads, y.slice_mut::<u8>()?, 2, |first, y| {
        let x = &data[first..first + y.len()];
        vectorised(
            #[inline(always)]
            || {
                for (y, &x) in y.iter_mut().zip(x) {
                    *y = ((x / scale).round_ties_even() + zero).clamp(0.0, 255.0) as u8;
                }
            },
        );
    });
    let (mut s, mut z) =
        (call.alloc(at.y_scale, DType::F32, &[])?, call.alloc(at.y_zero_point, DType::U8, &[])?);
    s.slice_mut::<f32>()?[0] = scale;
    z.slice_mut::<u8>()?[0] = zero as u8;
    call.set(at.y, y);
    call.set(at.y_scale, s);
    call.set(at.y_zero_point, z);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run_on, tensor};
    use trident_ir::OpKind;

    #[test]
    fn spreads_the_range_over_a_byte() {
        let x = tensor(&[4], &[0.0f32, 2.0, -3.0, 1.0]);
        let y = run_on(1, OpKind::DynamicQuantizeLinear, &[], vec![Some(x)], 3).unwrap();
        assert_eq!(elements::<u8>(&y[0]), [153, 255, 0, 204]);
        assert_eq!(elements::<f32>(&y[1]), [5.0 / 255.0]);
        assert_eq!(elements::<u8>(&y[2]), [153]);
    }
}
