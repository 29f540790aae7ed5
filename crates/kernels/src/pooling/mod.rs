//! Pooling over windows of any number of spatial dimensions, channels first.
//!
//! A *plane* is one channel of one image; planes are independent and are what threads share out.

mod global;
mod plan;

pub use global::{global_average, global_lp, global_max};

use std::ops::{Add, Range};

use half::{bf16, f16};

use crate::disjoint::Disjoint;
use crate::threads::Threads;
use plan::PoolPlan;
use trident_simd::{Arithmetic, Isa, Lanes, Portable, Simd, Vector, kernel};

/// A window that slides over the spatial dimensions; the lists have one entry per dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolSpec {
    /// The window's extents.
    pub kernel: Vec<usize>,
    /// Its steps.
    pub strides: Vec<usize>,
    /// Distances of neighbouring taps.
    pub dilations: Vec<usize>,
    /// Padding before the input.
    pub pads_begin: Vec<usize>,
    /// Padding after the input.
    pub pads_end: Vec<usize>,
}

impl PoolSpec {
    /// Whether the lists have one length and nothing that divides is zero.
    pub fn is_valid(&self) -> bool {
        let n = self.kernel.len();
        let lists = [&self.strides, &self.dilations, &self.pads_begin, &self.pads_end];
        lists.iter().all(|l| l.len() == n)
            && self.strides.iter().chain(&self.dilations).chain(&self.kernel).all(|&x| x > 0)
    }

    /// The output's spatial extents. With `ceil` a last partial window counts, unless it would start in the padding after
    /// the input. `None` if the window is larger than the padded input or a number overflows.
    pub fn output(&self, input: &[usize], ceil: bool) -> Option<Vec<usize>> {
        if input.len() != self.kernel.len() {
            return None;
        }
        (0..input.len())
            .map(|i| {
                let start = input[i].checked_add(self.pads_begin[i])?;
                let window = (self.kernel[i] - 1).checked_mul(self.dilations[i])?.checked_add(1)?;
                let room = start.checked_add(self.pads_end[i])?.checked_sub(window)?;
                let stride = self.strides[i];
                let steps = if ceil { room.div_ceil(stride) } else { room / stride };
                let last_is_inside = steps.checked_mul(stride)? < start;
                Some(if ceil && !last_is_inside { steps } else { steps + 1 })
            })
            .collect()
    }
}

/// Elements of max pooling.
pub trait PoolElement: Copy + PartialOrd + Send + Sync + 'static {
    /// Not greater than any element.
    const LEAST: Self;
    #[doc(hidden)]
    fn plane(isa: Isa, plan: &PoolPlan, x: &[Self], y: &mut [Self]) {
        let _ = isa;
        max_plain(plan, x, y);
    }
}

macro_rules! pool_elements {
    ($($t:ty: $least:expr),*) => { $(
        #[allow(private_interfaces, reason = "plans are made in this module only")]
        impl PoolElement for $t {
            const LEAST: Self = $least;
        }
    )* };
}
pool_elements!(u8: 0, i8: i8::MIN, u16: 0, i16: i16::MIN, u32: 0, i32: i32::MIN, u64: 0, i64: i64::MIN,
    f64: f64::NEG_INFINITY, f16: f16::NEG_INFINITY, bf16: bf16::NEG_INFINITY);

#[allow(private_interfaces, reason = "plans are made in this module only")]
impl PoolElement for f32 {
    const LEAST: Self = f32::NEG_INFINITY;
    fn plane(isa: Isa, plan: &PoolPlan, x: &[f32], y: &mut [f32]) {
        max_f32(isa, plan, x, y);
    }
}

/// The greatest element of each window: `planes` of `input` to `planes` of `output`. A window of padding only gives
/// [`PoolElement::LEAST`], and so does one of NaNs: a NaN is passed over.
#[allow(clippy::too_many_arguments)]
pub fn max_pool<T: PoolElement>(
    threads: &Threads,
    isa: Isa,
    spec: &PoolSpec,
    planes: usize,
    input: &[usize],
    output: &[usize],
    x: &[T],
    y: &mut [T],
) {
    let plan = PoolPlan::new(spec, input, output);
    each_plane(threads, &plan, planes, x, y, |_, x, y| T::plane(isa, &plan, x, y));
}

/// Like [`max_pool`], with the position of each greatest element (the first of equal ones and of NaNs; -1 in padding
/// only): its offset in `x`, or with `last_fastest` false its offset if the spatial dimensions of each plane were
/// stored in reverse order.
#[allow(clippy::too_many_arguments)]
pub fn max_pool_with_indices<T: PoolElement>(
    threads: &Threads,
    spec: &PoolSpec,
    planes: usize,
    input: &[usize],
    output: &[usize],
    last_fastest: bool,
    x: &[T],
    y: &mut [T],
    indices: &mut [i64],
) {
    let plan = PoolPlan::new(spec, input, output);
    let size = plan.pixels_out();
    let indices = Disjoint::new(indices);
    each_plane(threads, &plan, planes, x, y, |i, x, y| {
        // SAFETY: the indices of plane `i` are a part of their own.
        let indices = unsafe { indices.part(i * size..(i + 1) * size) };
        plan.for_each_window(|pixel, window| {
            let mut best: Option<(usize, T)> = None;
            for at in window {
                // `LEAST` stands for a NaN: any number replaces it.
                let value = if is_nan(x[at]) { T::LEAST } else { x[at] };
                let replaces =
                    |(place, v): (usize, T)| value > v || is_nan(x[place]) && !is_nan(x[at]);
                if best.is_none_or(replaces) {
                    best = Some((at, value));
                }
            }
            y[pixel] = best.map_or(T::LEAST, |b| b.1);
            indices[pixel] = best.map_or(-1, |(at, _)| {
                let at = if last_fastest { at } else { plan.transposed(at) };
                (i * x.len() + at) as i64
            });
        });
    });
}

/// Whether an element is not a number.
fn is_nan<T: PoolElement>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}

/// Elements of average and Lp pooling: `f32` and `f64`.
pub trait PoolFloat: Copy + Send + Sync + Into<f64> + 'static {
    #[doc(hidden)]
    fn sums(isa: Isa, plan: &PoolPlan, divisors: &[Self], x: &[Self], y: &mut [Self]);
    #[doc(hidden)]
    fn narrow(x: f64) -> Self;
}

#[allow(private_interfaces, reason = "plans are made in this module only")]
impl PoolFloat for f32 {
    fn sums(isa: Isa, plan: &PoolPlan, divisors: &[f32], x: &[f32], y: &mut [f32]) {
        average_f32(isa, plan, divisors, x, y);
    }
    fn narrow(x: f64) -> f32 {
        x as f32
    }
}

#[allow(private_interfaces, reason = "plans are made in this module only")]
impl PoolFloat for f64 {
    fn sums(_: Isa, plan: &PoolPlan, divisors: &[f64], x: &[f64], y: &mut [f64]) {
        average::<Lanes<f64, 2>>(Portable::TOKEN, plan, divisors, x, y);
    }
    fn narrow(x: f64) -> f64 {
        x
    }
}

/// The mean of each window: over the elements inside the input or, with `count_pads`, over those inside the padded input.
#[allow(clippy::too_many_arguments)]
pub fn average_pool<T: PoolFloat>(
    threads: &Threads,
    isa: Isa,
    spec: &PoolSpec,
    count_pads: bool,
    planes: usize,
    input: &[usize],
    output: &[usize],
    x: &[T],
    y: &mut [T],
) {
    let plan = PoolPlan::new(spec, input, output);
    let divisors: Vec<T> =
        plan.counts(spec, count_pads).into_iter().map(|n| T::narrow(n as f64)).collect();
    each_plane(threads, &plan, planes, x, y, |_, x, y| T::sums(isa, &plan, &divisors, x, y));
}

/// `(Σ |x|^p)^(1/p)` over each window.
#[allow(clippy::too_many_arguments)]
pub fn lp_pool<T: PoolFloat>(
    threads: &Threads,
    spec: &PoolSpec,
    p: i32,
    planes: usize,
    input: &[usize],
    output: &[usize],
    x: &[T],
    y: &mut [T],
) {
    let plan = PoolPlan::new(spec, input, output);
    each_plane(threads, &plan, planes, x, y, |_, x, y| {
        plan.for_each_window(|pixel, window| {
            let sum: f64 = window.map(|at| x[at].into().abs().powi(p)).sum();
            y[pixel] = T::narrow(root(sum, p));
        });
    });
}

/// The `p`-th root; the first two exactly as arithmetic has them.
fn root(x: f64, p: i32) -> f64 {
    match p {
        1 => x,
        2 => x.sqrt(),
        _ => x.powf(1.0 / f64::from(p)),
    }
}

/// Calls `f(plane, its input, its output)` for each plane.
fn each_plane<T: Send + Sync>(
    threads: &Threads,
    plan: &PoolPlan,
    planes: usize,
    x: &[T],
    y: &mut [T],
    f: impl Fn(usize, &[T], &mut [T]) + Sync,
) {
    let (pixels_in, pixels_out) = (plan.pixels_in(), plan.pixels_out());
    assert!(
        x.len() == planes * pixels_in && y.len() == planes * pixels_out,
        "planes of other sizes"
    );
    if y.is_empty() {
        return;
    }
    let cost = pixels_out * plan.taps() + 1;
    threads.for_rows_mut(y, pixels_out, (1 << 17) / cost + 1, |first, y| {
        for (i, y) in y.chunks_exact_mut(pixels_out).enumerate() {
            let plane = first + i;
            f(plane, &x[plane * pixels_in..(plane + 1) * pixels_in], y);
        }
    });
}

fn max_plain<T: PoolElement>(plan: &PoolPlan, x: &[T], y: &mut [T]) {
    y.fill(T::LEAST);
    plan.for_each_span(|span| {
        let y = &mut y[span.to..span.to + span.len];
        for (i, y) in y.iter_mut().enumerate() {
            let x = x[span.from + i * plan.stride];
            if x > *y {
                *y = x;
            }
        }
    });
}

kernel! {
    fn max_f32(plan: &PoolPlan, x: &[f32], y: &mut [f32]) => max_lanes
}
#[inline(always)]
fn max_lanes<S: Simd>(s: S, plan: &PoolPlan, x: &[f32], y: &mut [f32]) {
    // In this order, a NaN among the elements leaves the greatest so far as it is.
    let greater = |best: f32, x: f32| if x > best { x } else { best };
    reduce::<S::F32>(s, plan, x, y, f32::NEG_INFINITY, |best, x| x.max(best), greater);
}

kernel! {
    fn average_f32(plan: &PoolPlan, divisors: &[f32], x: &[f32], y: &mut [f32]) => average_lanes
}
#[inline(always)]
fn average_lanes<S: Simd>(s: S, plan: &PoolPlan, divisors: &[f32], x: &[f32], y: &mut [f32]) {
    average::<S::F32>(s, plan, divisors, x, y);
}

#[inline(always)]
fn average<V: Vector>(
    isa: V::Isa,
    plan: &PoolPlan,
    divisors: &[V::Elem],
    x: &[V::Elem],
    y: &mut [V::Elem],
) where
    V::Elem: Add<Output = V::Elem>,
{
    reduce::<V>(isa, plan, x, y, V::Elem::default(), |sum, x| sum.add(x), |sum, x| sum + x);
    for (y, divisors) in y.chunks_mut(V::LANES).zip(divisors.chunks(V::LANES)) {
        let sum = V::load_up_to(isa, y);
        sum.div(V::load_up_to(isa, divisors)).store_up_to(y);
    }
}

/// Reduces each window from `start` on, its taps in order: neighbouring outputs whose windows lie between the borders of
/// the inner dimension by vectors, the others one by one.
#[inline(always)]
fn reduce<V: Vector>(
    isa: V::Isa,
    plan: &PoolPlan,
    x: &[V::Elem],
    y: &mut [V::Elem],
    start: V::Elem,
    vectors: impl Fn(V, V) -> V,
    elements: impl Fn(V::Elem, V::Elem) -> V::Elem,
) {
    let Range { start: first, end } = plan.interior;
    plan.for_each_row(y, |rows, y| {
        for o in (0..first).chain(end..y.len()) {
            let inputs = rows.iter().flat_map(|row| plan.inner_window(o).map(move |i| row + i));
            y[o] = inputs.fold(start, |acc, at| elements(acc, x[at]));
        }
    });
    match plan.stride {
        1 => reduce_interior::<V, 1>(isa, plan, x, y, start, vectors),
        2 => reduce_interior::<V, 2>(isa, plan, x, y, start, vectors),
        _ => reduce_interior::<V, 0>(isa, plan, x, y, start, vectors),
    }
}

/// [`reduce`] of the interior, at a stride of 1, 2 or, for 0, any.
#[inline(always)]
fn reduce_interior<V: Vector, const STRIDE: usize>(
    isa: V::Isa,
    plan: &PoolPlan,
    x: &[V::Elem],
    y: &mut [V::Elem],
    start: V::Elem,
    f: impl Fn(V, V) -> V,
) {
    let Range { start: first, end } = plan.interior;
    let stride = if STRIDE == 0 { plan.stride } else { STRIDE };
    let (taps, dilation) = plan.inner_taps();
    plan.for_each_row(y, |rows, y| {
        for (i, y) in y[first..end].chunks_mut(V::LANES).enumerate() {
            let from = plan.inner_start(first + i * V::LANES);
            let reach = (y.len() - 1) * stride + 1;
            let mut acc = V::new(isa, start);
            for row in rows {
                let mut from = row + from;
                for _ in 0..taps {
                    let x = &x[from..from + reach];
                    acc = f(
                        acc,
                        match STRIDE {
                            1 => V::load_up_to(isa, x),
                            2 => V::load_even(isa, x),
                            _ => load_strided(isa, x, stride),
                        },
                    );
                    from += dilation;
                }
            }
            acc.store_up_to(y);
        }
    });
}

/// Elements that are `stride` apart, with arbitrary lanes where there are none.
#[inline(always)]
fn load_strided<V: Vector>(isa: V::Isa, x: &[V::Elem], stride: usize) -> V {
    let mut lanes = [V::Elem::default(); 16];
    for (lane, x) in lanes.iter_mut().zip(x.iter().step_by(stride)) {
        *lane = *x;
    }
    V::load(isa, &lanes)
}

#[cfg(test)]
mod tests;
