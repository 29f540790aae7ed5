//! Deformable convolution (Dai et al. 2017, Zhu et al. 2018 for the mask): displaced taps are sampled into a matrix of
//! columns, which the weights multiply.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::window::WindowSpec;
use crate::real::{Real, for_real, produce, read};
use trident_ir::counted;
use trident_ir::geometry::strides;
use trident_ir::op::words::AutoPad;
use trident_ir::ops::{DeformConv, DeformConvAt};
use trident_kernels::gemm::{Epilogue, GemmShape, Lhs, Rhs, Strided, gemm};
use trident_runtime::KernelError;
use trident_simd::Isa;

const AT: DeformConvAt = DeformConv::AT;

/// DeformConv, with any number of spatial axes.
pub(super) fn deform_conv(cx: &Compile<'_>) -> Made {
    let op = cx.view(DeformConv::of)?;
    let count = |name: &'static str, n: i64| {
        let count = usize::try_from(n).ok().filter(|&n| n > 0);
        let reason = || KernelError::attr(name, format!("{n} is not positive"));
        count.ok_or_else(|| cx.refused(reason()))
    };
    let form = Form {
        windows: WindowSpec::new(op.window(), op.dilated(), AutoPad::NotSet),
        group: count("group", op.group())?,
        offset_group: count("offset_group", op.offset_group())?,
    };
    for_real!(cx, AT.x, R => Prepared::boxed(cx, move |call| convolve::<R>(call, &form)))
}

/// The attributes.
struct Form {
    windows: WindowSpec,
    group: usize,
    offset_group: usize,
}

/// Row-major index tuple of `i`.
fn unravel(mut i: usize, dims: &[usize], out: &mut [usize]) {
    for (slot, &d) in out.iter_mut().zip(dims).rev() {
        (*slot, i) = (i % d, i / d);
    }
}

fn convolve<R: Real>(call: &mut Call<'_, '_>, form: &Form) -> Result<(), KernelError> {
    let (x, w, offset) = (call.tensor(AT.x)?, call.tensor(AT.w)?, call.tensor(AT.offset)?);
    let (bias, mask) = (call.opt(AT.b)?, call.opt(AT.mask)?);
    let Form { group, offset_group, .. } = *form;
    let (xd, wd) = (x.dims(), w.dims());
    let misfit = || {
        let od = offset.dims();
        KernelError::shape(format!(
            "input {xd:?}, weight {wd:?}, offset {od:?}, bias and mask do not fit {}",
            counted(group, "group")
        ))
    };
    let n = xd.len().checked_sub(2).filter(|&n| (1..=8).contains(&n)).ok_or_else(misfit)?;
    if wd.len() != n + 2 || offset.rank() != n + 2 {
        return Err(misfit());
    }
    let (batch, channels, image) = (xd[0], xd[1], &xd[2..]);
    let (maps, kernel) = (wd[0], &wd[2..]);
    let (_, windows) = form.windows.convolve(xd, wd, group as i64)?;
    let out_image: Vec<usize> = windows.iter().map(|w| w.out).collect();
    let (taps, pixels): (usize, usize) = (kernel.iter().product(), out_image.iter().product());
    let with_image = |n: usize| [&[batch, n][..], &out_image[..]].concat();
    let fits = channels == wd[1] * group
        && maps % group == 0
        && channels % offset_group == 0
        && offset.dims() == with_image(offset_group * taps * n)
        && bias.as_ref().is_none_or(|b| b.dims() == [maps])
        && mask.as_ref().is_none_or(|m| m.dims() == with_image(offset_group * taps));
    if !fits {
        return Err(misfit());
    }
    let (xs, ws, offsets) = (read::<R>(&x)?, read::<R>(&w)?, read::<R>(&offset)?);
    let bias = bias.as_ref().map(read::<R>).transpose()?;
    let mask = mask.as_ref().map(read::<R>).transpose()?;
    let (image_len, image_strides) = (image.iter().product::<usize>(), strides(image));
    let per_group = channels / group;
    let mut columns = call.temp(R::DTYPE, &[per_group * taps, pixels])?;
    let threads = call.threads;
    let columns = columns.slice_mut::<R>()?;
    produce::<R>(call, AT.y, x.dtype(), &with_image(maps), |out| {
        let rows = maps / group;
        for (item, out) in out.chunks_exact_mut((rows * pixels).max(1)).enumerate() {
            let (b, g) = (item / group, item % group);
            threads.for_chunks_mut(columns, pixels, |row, column| {
                let (channel, tap) = (g * per_group + row / taps, row % taps);
                let part = channel / (channels / offset_group);
                let plane = &xs[(b * channels + channel) * image_len..][..image_len];
                let first = (b * offset_group + part) * taps + tap;
                let (mut k, mut p) = ([0; 8], [0; 8]);
                unravel(tap, kernel, &mut k[..n]);
                for (i, slot) in column.iter_mut().enumerate() {
                    unravel(i, &out_image, &mut p[..n]);
                    let mut place = [0.0; 8];
                    for d in 0..n {
                        let w = &windows[d];
                        let start = (p[d] * w.stride + k[d] * w.dilation) as i64 - w.before as i64;
                        place[d] = start as f64 + offsets[(first * n + d) * pixels + i].wide();
                    }
                    let weight = mask.as_ref().map_or(R::one(), |m| m[first * pixels + i]);
                    *slot = sample(plane, image, &image_strides, &place[..n]) * weight;
                }
            });
            let k = per_group * taps;
            let (a, b) = (Strided::rows(&ws[g * rows * k..], k), Strided::columns(columns, pixels));
            let row_bias = bias.as_ref().map(|b| &b[g * rows..(g + 1) * rows]);
            let epilogue = Epilogue { row_bias, ..Epilogue::default() };
            let shape = GemmShape { m: rows, n: pixels, k };
            gemm(threads, Isa::detect(), shape, Lhs::Source(&a), Rhs::Source(&b), &epilogue, out);
        }
        Ok(())
    })
}

/// Multilinear sample; what lies outside the image is 0.
fn sample<R: Real>(plane: &[R], image: &[usize], strides: &[usize], place: &[f64]) -> R {
    let mut sum = R::zero();
    for corner in 0..1usize << place.len() {
        let (mut at, mut weight, mut inside) = (0, 1.0, true);
        for (d, &p) in place.iter().enumerate() {
            let low = p.floor();
            let upper = (corner >> d & 1) as f64;
            weight *= if upper == 1.0 { p - low } else { 1.0 - (p - low) };
            let index = low + upper;
            inside &= index >= 0.0 && index < image[d] as f64;
            at += if inside { index as usize * strides[d] } else { 0 };
        }
        if inside {
            sum += plane[at] * R::of(weight);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use crate::testing::{ABSENT, elements, run_on, tensor};
    use trident_ir::OpKind;

    #[test]
    fn shifts_by_the_offset() {
        let x = Some(tensor(&[1, 1, 2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let w = Some(tensor(&[1, 1, 1, 1], &[2.0f32]));
        // Each tap half a pixel to the right; the mask halves the last pixel.
        let offset = [[0.0f32; 6], [0.5; 6]].concat();
        let offset = Some(tensor(&[1, 2, 2, 3], &offset));
        let mask = Some(tensor(&[1, 1, 2, 3], &[1.0f32, 1.0, 1.0, 1.0, 1.0, 0.5]));
        let bias = Some(tensor(&[1], &[1.0f32]));
        let y =
            run_on(2, OpKind::DeformConv, &[], vec![x.clone(), w.clone(), offset, bias, mask], 1);
        assert_eq!(elements::<f32>(&y.unwrap()[0]), [4.0, 6.0, 4.0, 10.0, 12.0, 4.0]);
        let short = Some(tensor(&[1, 1, 2, 3], &[0.0f32; 6]));
        assert!(run_on(1, OpKind::DeformConv, &[], vec![x, w, short, ABSENT], 1).is_err());
    }
}
