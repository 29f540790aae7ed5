//! RoiAlign (He et al. 2017).

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::counted;
use trident_ir::geometry::{GeometryError, window_size};
use trident_ir::op::words::{RoiPooling, RoiTransform};
use trident_ir::ops::RoiAlign;
use trident_runtime::KernelError;

/// The attributes.
#[derive(Clone, Copy)]
struct Form {
    /// Cells of a region.
    rows: usize,
    columns: usize,
    /// Samples of a cell along each axis; by the size of the cell if it is not positive.
    ratio: i64,
    scale: f64,
    transform: RoiTransform,
    pooling: RoiPooling,
}

impl Form {
    fn of(op: RoiAlign<'_>) -> Result<Form, GeometryError> {
        Ok(Form {
            rows: window_size("output_height", op.output_height())?,
            columns: window_size("output_width", op.output_width())?,
            ratio: op.sampling_ratio(),
            scale: op.spatial_scale().into(),
            transform: op.coordinate_transformation_mode(),
            pooling: op.mode(),
        })
    }
}

pub(super) fn roi_align(cx: &Compile<'_>) -> Made {
    let form = Form::of(cx.view(RoiAlign::of)?).map_err(|e| cx.refused(e.into()))?;
    for_real!(cx, RoiAlign::AT.x, R => Prepared::boxed(cx, move |call| align::<R>(call, form)))
}

/// Four neighbours with their weights; weights of 0 outside the image.
type Sample = [(usize, f64); 4];

fn bilinear(y: f64, x: f64, height: usize, width: usize) -> Sample {
    if y < -1.0 || y > height as f64 || x < -1.0 || x > width as f64 || (y + x).is_nan() {
        return [(0, 0.0); 4];
    }
    // Neighbours along one axis; beyond the last pixel both are the last.
    let pair = |v: f64, n: usize| {
        let v = v.max(0.0);
        let low = v as usize;
        if low >= n - 1 { (n - 1, n - 1, 0.0) } else { (low, low + 1, v - low as f64) }
    };
    let ((y0, y1, fy), (x0, x1, fx)) = (pair(y, height), pair(x, width));
    let at = |y: usize, x: usize| y * width + x;
    [
        (at(y0, x0), (1.0 - fy) * (1.0 - fx)),
        (at(y0, x1), (1.0 - fy) * fx),
        (at(y1, x0), fy * (1.0 - fx)),
        (at(y1, x1), fy * fx),
    ]
}

/// Samples of one region that are held at a time at most.
const MAX_SAMPLES: usize = 1 << 24;

/// Samples of one region: for each output place `per` of them.
struct Region {
    samples: Vec<Sample>,
    per: usize,
}

fn align<R: Real>(call: &mut Call<'_, '_>, form: Form) -> Result<(), KernelError> {
    let place = RoiAlign::AT;
    let x = call.tensor(place.x)?;
    let (rois, indices) = (call.tensor(place.rois)?, call.tensor(place.batch_indices)?);
    let Form { rows, columns, ratio, scale, transform, pooling } = form;
    let half_pixel = transform == RoiTransform::HalfPixel;
    let (&[batch, channels, height, width], &[count, 4]) = (x.dims(), rois.dims()) else {
        let (x, rois) = (x.dims(), rois.dims());
        return Err(KernelError::shape(format!(
            "`X` has dimensions {x:?} and `rois` {rois:?}, expected [N, C, H, W] and [regions, 4]"
        )));
    };
    let indices = indices.to_i64s()?;
    if indices.len() != count || height == 0 || width == 0 {
        let (n, regions) = (counted(indices.len(), "batch index"), counted(count, "region"));
        return Err(KernelError::shape(format!(
            "there are {n} for {regions} of {height}x{width} images"
        )));
    }
    let images: Vec<usize> = indices
        .iter()
        .map(|&i| {
            let domain = || {
                KernelError::domain(format!(
                    "`batch_indices` names image {i}, and there are {batch}"
                ))
            };
            usize::try_from(i).ok().filter(|&i| i < batch).ok_or_else(domain)
        })
        .collect::<Result<_, _>>()?;
    let rois = read::<f64>(&rois)?;
    // A region far larger than the image is sampled at no more places than this along an axis of a cell.
    let most = 4 * (height.max(width) as i64 + 2);
    let cells = |length: f64, n: usize| match ratio > 0 {
        true => ratio,
        false => (length / n as f64).ceil() as i64,
    };
    let region = |roi: &[f64]| -> Result<Region, KernelError> {
        let offset = if half_pixel { 0.5 } else { 0.0 };
        let at = |i: usize| roi[i] * scale - offset;
        let least = |v: f64| if half_pixel { v } else { v.max(1.0) };
        let (w, h) = (least(at(2) - at(0)), least(at(3) - at(1)));
        let (ny, nx) = (cells(h, rows), cells(w, columns));
        if ny > most || nx > most {
            return Err(KernelError::domain(format!(
                "a region of {h} by {w} pixels asks for {ny} by {nx} samples a cell"
            )));
        }
        let (ny, nx) = (ny.max(0) as usize, nx.max(0) as usize);
        let total = [rows, columns, ny, nx].iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        if total.is_none_or(|n| n > MAX_SAMPLES) {
            return Err(KernelError::domain(format!(
                "a region of {rows} by {columns} cells of {ny} by {nx} samples"
            )));
        }
        let (dy, dx) = (h / rows as f64, w / columns as f64);
        let mut samples = Vec::new();
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            for (iy, ix) in (0..ny).flat_map(|y| (0..nx).map(move |x| (y, x))) {
                let y = at(1) + row as f64 * dy + (iy as f64 + 0.5) * dy / ny as f64;
                let x = at(0) + column as f64 * dx + (ix as f64 + 0.5) * dx / nx as f64;
                samples.push(bilinear(y, x, height, width));
            }
        }
        Ok(Region { samples, per: ny * nx })
    };
    let values = read::<R>(&x)?;
    let (threads, dims) = (call.threads, [count, channels, rows, columns]);
    produce::<R>(call, place.y, x.dtype(), &dims, |out| {
        let per_roi = channels * rows * columns;
        for (n, out) in out.chunks_exact_mut(per_roi.max(1)).enumerate() {
            let region = region(&rois[n * 4..n * 4 + 4])?;
            threads.for_chunks_mut(out, rows * columns, |c, out| {
                let plane = &values[(images[n] * channels + c) * height * width..];
                for (i, slot) in out.iter_mut().enumerate() {
                    let samples = &region.samples[i * region.per..][..region.per];
                    let terms = samples.iter().map(|s| s.map(|(p, w)| plane[p].wide() * w));
                    let pooled = match pooling {
                        RoiPooling::Max => terms.flatten().reduce(f64::max).unwrap_or(0.0),
                        RoiPooling::Average => {
                            terms.flatten().sum::<f64>() / region.per.max(1) as f64
                        }
                    };
                    *slot = R::of(pooled);
                }
            });
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn cells_average_their_samples() {
        let x = tensor(&[1, 1, 4, 4], &(0..16).map(|v| v as f32).collect::<Vec<_>>());
        let rois = tensor(&[1, 4], &[0.5f32, 0.5, 2.5, 2.5]);
        let go = |index: i64, ratio: i64| {
            let attrs = [
                ("output_height", Attr::Int(2)),
                ("output_width", Attr::Int(2)),
                ("sampling_ratio", Attr::Int(ratio)),
            ];
            run(OpKind::RoiAlign, &attrs, vec![x.clone(), rois.clone(), tensor(&[1], &[index])])
        };
        // Half-pixel centres: the region covers 0…2, cells have their centres at 0.5 and 1.5.
        assert_eq!(elements::<f32>(&go(0, 1).unwrap()), [2.5, 3.5, 6.5, 7.5]);
        assert_eq!(elements::<f32>(&go(0, 2).unwrap()), [2.5, 3.5, 6.5, 7.5]);
        assert!(go(1, 1).is_err() && go(0, i64::MAX).is_err());
    }
}
