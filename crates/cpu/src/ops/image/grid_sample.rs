//! GridSample over any number of spatial axes.
#![allow(unsafe_code)]

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::DType;
use trident_ir::geometry::strides;
use trident_ir::op::words::{Interpolation, SamplePadding};
use trident_ir::ops::GridSample;
use trident_runtime::KernelError;

/// The attributes.
#[derive(Clone, Copy)]
struct Form {
    mode: Interpolation,
    padding: SamplePadding,
    corners: bool,
}

/// Coordinates are kept on the stack up to this many spatial axes.
const MAX_AXES: usize = 4;

/// How grid coordinates become pixels.
struct Sampler<'a> {
    space: &'a [usize],
    strides: Vec<usize>,
    form: Form,
}

/// Folds `x` back into [low, high] at both ends.
fn reflect(x: f64, low: f64, high: f64) -> f64 {
    let range = high - low;
    if range <= 0.0 {
        return low;
    }
    let turns = (x - low).rem_euclid(2.0 * range);
    low + if turns > range { 2.0 * range - turns } else { turns }
}

/// Keys' cubic weights with coefficient −0.75 for the four neighbours at fraction `t`.
fn cubic(t: f64) -> [f64; 4] {
    let a = -0.75;
    let near = |d: f64| ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    let far = |d: f64| ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a;
    [far(1.0 + t), near(t), near(1.0 - t), far(2.0 - t)]
}

impl Sampler<'_> {
    fn borders(&self, n: usize) -> (f64, f64) {
        if self.form.corners { (0.0, n as f64 - 1.0) } else { (-0.5, n as f64 - 0.5) }
    }

    /// The input coordinate of a normalised one.
    fn place(&self, normal: f64, n: usize) -> f64 {
        let length = n as f64;
        let mut x = match self.form.corners {
            true => (normal + 1.0) / 2.0 * (length - 1.0),
            false => ((normal + 1.0) * length - 1.0) / 2.0,
        };
        if self.form.mode == Interpolation::Nearest {
            x = x.round_ties_even();
        }
        let (low, high) = self.borders(n);
        if x < low || x > high {
            x = match self.form.padding {
                SamplePadding::Zeros => x,
                SamplePadding::Border => x.clamp(0.0, length - 1.0),
                SamplePadding::Reflection => reflect(x, low, high),
            };
        }
        x
    }

    /// The pixel that an integral coordinate stands for; `None` for a zero.
    fn pixel(&self, x: f64, n: usize) -> Option<usize> {
        let last = n as f64 - 1.0;
        let x = match self.form.padding {
            SamplePadding::Zeros => x,
            SamplePadding::Border => x.clamp(0.0, last),
            SamplePadding::Reflection => {
                let (low, high) = self.borders(n);
                reflect(x, low, high).trunc().clamp(0.0, last)
            }
        };
        (x >= 0.0 && x <= last).then_some(x as usize)
    }

    /// Neighbours and weights along each axis for the place that `grid` names, innermost axis first.
    fn taps(&self, grid: impl Fn(usize) -> f64, taps: &mut [Vec<(Option<usize>, f64)>]) {
        let rank = self.space.len();
        for (d, (taps, &n)) in taps.iter_mut().zip(self.space).enumerate() {
            let x = self.place(grid(rank - 1 - d), n);
            let low = x.floor();
            let at = |k: f64| self.pixel(k, n).map(|p| p * self.strides[d]);
            taps.clear();
            match self.form.mode {
                Interpolation::Nearest => taps.push((at(x.trunc()), 1.0)),
                Interpolation::Linear => {
                    taps.push((at(low), 1.0 - (x - low)));
                    taps.push((at(low + 1.0), x - low));
                }
                Interpolation::Cubic => {
                    let weights = cubic(x - low).into_iter();
                    taps.extend(weights.enumerate().map(|(k, w)| (at(low - 1.0 + k as f64), w)));
                }
            }
        }
    }
}

/// The weighted sum over all combinations of neighbours.
fn sum<R: Real>(plane: &[R], taps: &[Vec<(Option<usize>, f64)>], at: usize) -> f64 {
    match taps.split_first() {
        None => plane[at].wide(),
        Some((axis, rest)) => {
            axis.iter().map(|&(p, w)| p.map_or(0.0, |p| w * sum(plane, rest, at + p))).sum()
        }
    }
}

pub(super) fn grid_sample(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(GridSample::of)?, GridSample::AT);
    let (mode, padding, corners) = (op.mode(), op.padding_mode(), op.align_corners());
    let form = Form { mode, padding, corners };
    match cx.element(at.x)? {
        d if d.is_int() || d == DType::Bool => {
            Prepared::boxed(cx, move |call| sample::<f64>(call, form))
        }
        _ => for_real!(cx, at.x, R => Prepared::boxed(cx, move |call| sample::<R>(call, form))),
    }
}

fn sample<R: Real>(call: &mut Call<'_, '_>, form: Form) -> Result<(), KernelError> {
    let at = GridSample::AT;
    let (x, grid) = (call.tensor(at.x)?, call.tensor(at.grid)?);
    let (xd, gd) = (x.dims(), grid.dims());
    let rank = xd.len().saturating_sub(2);
    let fits = (1..=MAX_AXES).contains(&rank)
        && gd.len() == rank + 2
        && gd[0] == xd[0]
        && gd[rank + 1] == rank;
    if !fits {
        return Err(KernelError::shape(format!(
            "a grid of dimensions {gd:?} does not fit an input of {xd:?}"
        )));
    }
    let (channels, space) = (xd[1], &xd[2..]);
    let sampler = Sampler { space, strides: strides(space), form };
    let dims = [&xd[..2], &gd[1..=rank]].concat();
    let (plane, pixels): (usize, usize) = (space.iter().product(), gd[1..=rank].iter().product());
    if plane == 0 && !dims.contains(&0) {
        return Err(KernelError::shape(format!(
            "an input of dimensions {xd:?} has no elements to sample"
        )));
    }
    let (values, grid) = (read::<R>(&x)?, read::<f64>(&grid)?);
    let threads = call.threads;
    produce::<R>(call, at.y, x.dtype(), &dims, |out| {
        // Neighbours are found once for all channels: a task takes a run of places of one sample.
        const RUN: usize = 256;
        let runs = pixels.div_ceil(RUN);
        let empty = out.is_empty();
        let parts = trident_kernels::disjoint::Disjoint::new(out);
        threads.run(if empty { 0 } else { xd[0] * runs }, |task| {
            let (b, first) = (task / runs, task % runs * RUN);
            let mut taps = vec![Vec::new(); rank];
            let end = pixels.min(first + RUN);
            let part = |c: usize| {
                let at = (b * channels + c) * pixels;
                // SAFETY: tasks have places of their own, and so have channels.
                unsafe { parts.part(at + first..at + end) }
            };
            let mut out: Vec<&mut [R]> = (0..channels).map(part).collect();
            for p in first..end {
                let at = (b * pixels + p) * rank;
                sampler.taps(|i| grid[at + i], &mut taps);
                for (c, out) in out.iter_mut().enumerate() {
                    let plane = &values[(b * channels + c) * plane..][..plane];
                    out[p - first] = R::of(sum(plane, &taps, 0));
                }
            }
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::reflect;
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn reflection_folds() {
        let folded = [-3.5, -1.0, 0.5, 4.0, 9.0].map(|x| reflect(x, -1.0, 3.0));
        assert_eq!(folded, [1.5, -1.0, 0.5, 2.0, 1.0]);
        assert_eq!(reflect(7.0, 0.0, 0.0), 0.0);
    }

    #[test]
    fn modes_and_paddings() {
        let x = tensor(&[1, 2, 1, 3], &[0.0f32, 1.0, 2.0, 10.0, 11.0, 12.0]);
        // (x, y) with corners aligned: half-way between the first two, and one pixel beyond the end.
        let grid = tensor(&[1, 1, 2, 2], &[-0.5f32, 0.0, 2.0, 0.0]);
        let go = |mode: &str, padding: &str| {
            let attrs = [
                ("mode", Attr::Str(mode.into())),
                ("padding_mode", Attr::Str(padding.into())),
                ("align_corners", Attr::Int(1)),
            ];
            elements::<f32>(
                &run(OpKind::GridSample, &attrs, vec![x.clone(), grid.clone()]).unwrap(),
            )
        };
        assert_eq!(go("linear", "zeros"), [0.5, 0.0, 10.5, 0.0]);
        assert_eq!(go("linear", "border"), [0.5, 2.0, 10.5, 12.0]);
        assert_eq!(go("linear", "reflection"), [0.5, 1.0, 10.5, 11.0]);
        assert_eq!(go("nearest", "border"), [0.0, 2.0, 10.0, 12.0]);
        // Weights at 1/2: −0.09375, 0.59375, 0.59375, −0.09375.
        assert_eq!(go("cubic", "border")[0], 0.59375 - 0.09375 * 2.0);
        let flat = tensor(&[1, 2, 2], &[0.0f32; 4]);
        assert!(run(OpKind::GridSample, &[], vec![x, flat]).is_err());
    }
}
