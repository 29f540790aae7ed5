//! Sampling grids of affine maps.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::ops::AffineGrid;
use trident_runtime::KernelError;

/// AffineGrid: [N, r, r + 1] matrices and the size [N, C, spatial…] give a grid [N, spatial…, r].
pub(super) fn affine_grid(cx: &Compile<'_>) -> Made {
    let corners = cx.view(AffineGrid::of)?.align_corners();
    for_real!(cx, AffineGrid::AT.theta, R => Prepared::boxed(cx, move |call| {
        grid::<R>(call, corners)
    }))
}

fn grid<R: Real>(call: &mut Call<'_, '_>, corners: bool) -> Result<(), KernelError> {
    let at = AffineGrid::AT;
    let (theta, size) = (call.tensor(at.theta)?, call.tensor(at.size)?.to_i64s()?);
    let dims = size.iter().map(|&n| usize::try_from(n)).collect::<Result<Vec<_>, _>>();
    let dims = dims.map_err(|_| {
        KernelError::domain(format!("`size` is {size:?}, expected sizes of 0 or more"))
    })?;
    let rank = dims.len().saturating_sub(2);
    if !(2..=3).contains(&rank) || theta.dims() != [dims[0], rank, rank + 1] {
        let theta = theta.dims();
        return Err(KernelError::shape(format!(
            "`theta` has dimensions {theta:?}, which do not fit a size of {dims:?}"
        )));
    }
    let space = &dims[2..];
    let out_dims = [&dims[..1], space, &[rank]].concat();
    let pixels: usize = space.iter().product();
    // From −1 to 1 over pixel centres, or over the outer borders of the pixels.
    let place = |i: usize, n: usize| match (corners, n) {
        (true, 1) => -1.0,
        (true, n) => 2.0 * i as f64 / (n - 1) as f64 - 1.0,
        (false, n) => (2.0 * i as f64 + 1.0) / n as f64 - 1.0,
    };
    let threads = call.threads;
    let maps = read::<R>(&theta)?;
    produce::<R>(call, at.grid, theta.dtype(), &out_dims, |out| {
        threads.for_chunks_mut(out, rank * 1024, |chunk, out| {
            for (k, slot) in out.chunks_exact_mut(rank).enumerate() {
                let i = chunk * 1024 + k;
                let map = &maps[i / pixels * rank * (rank + 1)..];
                // Coordinates go from the innermost axis outwards.
                let (mut at, mut pixel) = ([0.0; 3], i % pixels);
                for (c, &n) in at.iter_mut().zip(space.iter().rev()) {
                    *c = place(pixel % n, n);
                    pixel /= n;
                }
                for (row, slot) in map.chunks_exact(rank + 1).zip(slot) {
                    let sum = row.iter().zip(at).take(rank).map(|(m, c)| m.wide() * c);
                    *slot = R::of(sum.sum::<f64>() + row[rank].wide());
                }
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
    fn identity_and_shift() {
        let theta = tensor(&[1, 2, 3], &[1.0f32, 0.0, 0.5, 0.0, 1.0, 0.0]);
        let size = |v: &[i64]| tensor(&[v.len()], v);
        let y = run(OpKind::AffineGrid, &[], vec![theta.clone(), size(&[1, 1, 1, 2])]).unwrap();
        assert_eq!(elements::<f32>(&y), [0.0, 0.0, 1.0, 0.0]);
        let corners = [("align_corners", Attr::Int(1))];
        let y =
            run(OpKind::AffineGrid, &corners, vec![theta.clone(), size(&[1, 1, 2, 2])]).unwrap();
        assert_eq!(elements::<f32>(&y), [-0.5, -1.0, 1.5, -1.0, -0.5, 1.0, 1.5, 1.0]);
        assert!(run(OpKind::AffineGrid, &[], vec![theta, size(&[1, 1, -2, 2])]).is_err());
    }
}
