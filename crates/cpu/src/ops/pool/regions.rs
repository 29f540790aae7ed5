//! MaxRoiPool (Girshick, "Fast R-CNN", 2015).

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::geometry::window_sizes;
use trident_ir::ops::MaxRoiPool;
use trident_runtime::KernelError;

/// Each region [image, x1, y1, x2, y2] is cut into `pooled_shape` cells; the result holds their maxima, 0 for empty cells.
pub(super) fn max(cx: &Compile<'_>) -> Made {
    let op = cx.view(MaxRoiPool::of)?;
    let cells = window_sizes("pooled_shape", op.pooled_shape(), 2);
    let cells = cells.map_err(|e| cx.refused(e.into()))?;
    let (cells, scale) = ([cells[0], cells[1]], op.spatial_scale());
    for_real!(cx, MaxRoiPool::AT.x, R => Prepared::boxed(cx, move |call| {
        pool::<R>(call, cells, R::of(scale.into()))
    }))
}

fn pool<R: Real>(
    call: &mut Call<'_, '_>,
    [rows, columns]: [usize; 2],
    scale: R,
) -> Result<(), KernelError> {
    let at = MaxRoiPool::AT;
    let (x, rois) = (call.tensor(at.x)?, call.tensor(at.rois)?);
    let (&[batch, channels, height, width], &[count, 5]) = (x.dims(), rois.dims()) else {
        let (x, r) = (x.dims(), rois.dims());
        return Err(KernelError::shape(format!(
            "`X` has dimensions {x:?} and `rois` {r:?}, expected [N, C, H, W] and [R, 5]"
        )));
    };
    let (data, regions) = (read::<R>(&x)?, read::<R>(&rois)?);
    let threads = call.threads;
    let images = regions
        .chunks_exact(5)
        .map(|r| {
            let image = r[0].wide();
            let inside = image >= 0.0 && image < batch as f64 && image.fract() == 0.0;
            inside.then_some(image as usize).ok_or_else(|| {
                KernelError::domain(format!("`rois` names image {image}, and there are {batch}"))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    produce::<R>(call, at.y, x.dtype(), &[count, channels, rows, columns], |y| {
        threads.for_chunks_mut(y, channels * rows * columns, |i, y| {
            let corner = |j: usize| (regions[i * 5 + j] * scale).round().wide() as i64;
            let (left, top) = (corner(1), corner(2));
            let extent =
                |low: i64, high: i64| high.saturating_sub(low).saturating_add(1).max(1) as f64;
            let (w, h) = (extent(left, corner(3)), extent(top, corner(4)));
            let cell = |p: usize, size: f64, n: usize, low: i64, limit: usize| {
                let edge = |e: f64| (e as i64).saturating_add(low).clamp(0, limit as i64) as usize;
                let step = size / n as f64;
                edge((p as f64 * step).floor())..edge(((p + 1) as f64 * step).ceil())
            };
            for (at, slot) in y.iter_mut().enumerate() {
                let (c, r, s) = (at / (rows * columns), at / columns % rows, at % columns);
                let plane = &data[(images[i] * channels + c) * height * width..][..height * width];
                let across = cell(s, w, columns, left, width);
                let values = cell(r, h, rows, top, height)
                    .flat_map(|row| plane[row * width..][across.clone()].iter());
                *slot =
                    values.copied().reduce(|a, b| if b > a { b } else { a }).unwrap_or(R::zero());
            }
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn cells_of_a_region() {
        let x: Vec<f32> = (0..16).map(|v| v as f32).collect();
        let rois = tensor(&[1, 5], &[0.0f32, 0.0, 0.0, 3.0, 3.0]);
        let attrs = [("pooled_shape", Attr::Ints(vec![2, 2]))];
        let y = run(OpKind::MaxRoiPool, &attrs, vec![tensor(&[1, 1, 4, 4], &x), rois]).unwrap();
        assert_eq!(elements::<f32>(&y), [5.0, 7.0, 13.0, 15.0]);
    }
}
