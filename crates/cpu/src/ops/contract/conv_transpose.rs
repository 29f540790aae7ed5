//! Transposed convolution: a product that spreads each pixel over its taps, and a sum of what falls on each result.

use crate::Isa;
use crate::gemm::{Epilogue, Lhs, Rhs, Shape, Strided, gemm};
use crate::kernel::Call;
use crate::real::{Real, in_real, produce, read};
use trident_ir::geometry::{TransposedAxis, transposed_conv};
use trident_runtime::{KernelError, Tensor};

/// ConvTranspose over any number of spatial axes.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    in_real!(x.dtype(), R => transpose::<R>(call, &x))
}

fn transpose<R: Real>(call: &mut Call<'_, '_>, x: &Tensor) -> Result<(), KernelError> {
    let (w, bias) = (call.tensor(1)?, call.opt(2)?);
    let op = call.op;
    let geometry = transposed_conv(
        x.dims(),
        w.dims(),
        op.int("group").unwrap_or(1),
        op.ints("kernel_shape"),
        op.ints("strides"),
        op.ints("dilations"),
        op.ints("pads"),
        op.ints("output_padding"),
        op.ints("output_shape"),
        op.str("auto_pad").unwrap_or("NOTSET"),
    )?;
    let groups = op.int("group").map_or(1, |g| g as usize);
    let maps = geometry.dims[1];
    if bias.as_ref().is_some_and(|b| b.dims() != [maps]) {
        return Err(KernelError::shape(format!("the bias must have dimensions [{maps}]")));
    }
    let (batch, channels, image) = (x.dims()[0], x.dims()[1] / groups, &x.dims()[2..]);
    let group_maps = w.dims()[1];
    let taps: usize = w.dims()[2..].iter().product();
    let pixels: usize = image.iter().product();
    let rows = group_maps.checked_mul(taps).ok_or(KernelError::shape("too many taps"))?;
    let mut spread = call.temp(R::DTYPE, &[rows, pixels])?;
    let (input, weights) = (read::<R>(x)?, read::<R>(&w)?);
    let bias = bias.as_ref().map(read::<R>).transpose()?;
    let threads = call.threads;
    let out_pixels: usize = geometry.dims[2..].iter().product();
    produce::<R>(call, 0, x.dtype(), &geometry.dims, |y| {
        if y.is_empty() {
            return Ok(());
        }
        for (i, y) in y.chunks_exact_mut(group_maps * out_pixels).enumerate().take(batch * groups) {
            let g = i % groups;
            let a = Strided {
                data: &weights[g * channels * rows..(g + 1) * channels * rows],
                outer_stride: 1,
                k_stride: rows,
            };
            let b = Strided::columns(&input[i * channels * pixels..][..channels * pixels], pixels);
            let spread = spread.slice_mut::<R>()?;
            let shape = Shape { m: rows, n: pixels, k: channels };
            let (a, b) = (Lhs::Source(&a), Rhs::Source(&b));
            gemm(threads, Isa::detect(), shape, a, b, &Epilogue::default(), spread);
            let spread = &*spread;
            threads.for_chunks_mut(y, out_pixels, |map, y| {
                y.fill(bias.as_ref().map_or(R::zero(), |b| b[g * group_maps + map]));
                let spread = &spread[map * taps * pixels..(map + 1) * taps * pixels];
                gather(spread, image, &geometry.axes, y);
            });
        }
        Ok(())
    })
}

/// Adds what each tap of each pixel gives to the result of one map.
fn gather<R: Real>(spread: &[R], image: &[usize], axes: &[TransposedAxis], y: &mut [R]) {
    let pixels: usize = image.iter().product();
    let mut tap = vec![0; axes.len()];
    for spread in spread.chunks_exact(pixels.max(1)) {
        let start: Vec<i64> =
            axes.iter().zip(&tap).map(|(a, t)| (t * a.dilation) as i64 - a.before).collect();
        add_tap(spread, image, axes, &start, y);
        step(&mut tap, axes.iter().map(|a| a.kernel));
    }
}

/// Adds one tap: pixel `p` falls on `start + p * stride` of each axis, or outside.
fn add_tap<R: Real>(
    spread: &[R],
    image: &[usize],
    axes: &[TransposedAxis],
    start: &[i64],
    y: &mut [R],
) {
    let Some((&width, outer)) = image.split_last() else {
        y[0] += spread[0];
        return;
    };
    let last = axes[outer.len()];
    let mut at = vec![0; outer.len()];
    for row in spread.chunks_exact(width) {
        let mut base = Some(0usize);
        for (i, axis) in axes[..outer.len()].iter().enumerate() {
            let place = usize::try_from(start[i] + (at[i] * axis.stride) as i64).ok();
            let place = place.filter(|&p| p < axis.out);
            base = base.zip(place).map(|(b, p)| b * axis.out + p);
        }
        if let Some(base) = base {
            let y = &mut y[base * last.out..(base + 1) * last.out];
            for (j, &v) in row.iter().enumerate() {
                let place = start[outer.len()] + (j * last.stride) as i64;
                if let Some(slot) = usize::try_from(place).ok().and_then(|p| y.get_mut(p)) {
                    *slot += v;
                }
            }
        }
        step(&mut at, outer.iter().copied());
    }
}

/// The next index tuple in row-major order.
fn step(at: &mut [usize], dims: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator) {
    for (i, d) in at.iter_mut().zip(dims).rev() {
        *i += 1;
        if *i < d {
            return;
        }
        *i = 0;
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn spreads_pixels_over_their_taps() {
        let x = tensor(&[1, 1, 2], &[1.0f32, 10.0]);
        let w = tensor(&[1, 1, 3], &[1.0f32, 2.0, 3.0]);
        let strides = [("strides", Attr::Ints(vec![2]))];
        let y = run(OpKind::ConvTranspose, &strides, vec![x, w]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 2.0, 13.0, 20.0, 30.0]);
    }

    #[test]
    fn groups_have_their_own_maps_and_borders_are_cut() {
        let x = tensor(&[1, 2, 2], &[1.0f64, 2.0, 3.0, 4.0]);
        let w = tensor(&[2, 1, 2], &[1.0f64, 10.0, 1.0, 100.0]);
        let b = tensor(&[2], &[0.5f64, 0.0]);
        let attrs = [("group", Attr::Int(2)), ("pads", Attr::Ints(vec![1, 0]))];
        let y = run(OpKind::ConvTranspose, &attrs, vec![x, w, b]).unwrap();
        assert_eq!(elements::<f64>(&y), [12.5, 20.5, 304.0, 400.0]);
    }
}
