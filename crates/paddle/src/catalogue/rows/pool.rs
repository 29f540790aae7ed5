//! Pooling.

use super::conv::{in_format, padding, pads};
use crate::catalogue::field::Ints;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_PARTS, Outputs, Row};
use trident_ir::op::words::AutoPad;
use trident_ir::{DType, ValueId, ops};

signature! {
    Pool (x: ValueId, kernel_size: Ints = []) {
        strides: Vec<i64> = [1, 1],
        paddings: Vec<i64> = [0, 0],
        ceil_mode: bool = false,
        exclusive: bool = true,
        data_format: String = "NCHW",
        pooling_type: String = "",
        global_pooling: bool = false,
        adaptive: bool = false,
        padding_algorithm: String = "EXPLICIT",
        norm_type: f64 = 0.0,
    } -> out
}

signature! {
    IndexedPool (x: ValueId) {
        kernel_size: Vec<i64>,
        strides: Vec<i64> = [1, 1],
        paddings: Vec<i64> = [0, 0],
        global_pooling: bool = false,
        adaptive: bool = false,
        ceil_mode: bool = false,
    } -> out mask
}

signature! {
    Unpool (x: ValueId, indices: ValueId, output_size: Ints = []) {
        ksize: Vec<i64>,
        strides: Vec<i64> = [1, 1],
        padding: Vec<i64> = [0, 0],
        data_format: String = "NCHW",
        unpooling_type: String = "max",
    } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("lp_pool2d", Pool, pool),
    row!("max_pool2d_with_index", IndexedPool, indexed, "max_pool2d_with_index": "kernel_size=.ksize"),
    row!("max_pool3d_with_index", IndexedPool, indexed, "max_pool3d_with_index": "kernel_size=.ksize"),
    row!("pool2d", Pool, pool, "pool2d": "kernel_size=.ksize"),
    row!("pool3d", Pool, pool, "pool3d": "kernel_size=.ksize"),
    row!("unpool", Unpool, unpool, "unpool": "padding=.paddings"),
];

/// The ways to reduce a window.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Average,
    Max,
    /// The norm with this exponent, which is even.
    Norm(i64),
    /// The root of the sum of powers, which keep their signs.
    Powers(f64),
}

fn pool(c: &mut Call<'_, '_>, op: Pool) -> Made {
    let axes = c.rank(op.x)?.saturating_sub(2);
    let kind = match &*op.pooling_type {
        _ if !op.norm_type.is_finite() => {
            return c.refuse(format!(
                "`norm_type` {} is not supported; use max_pool2d for inf",
                op.norm_type
            ));
        }
        _ if op.norm_type != 0.0 && op.norm_type % 2.0 == 0.0 => Kind::Norm(op.norm_type as i64),
        _ if op.norm_type != 0.0 => Kind::Powers(op.norm_type),
        "avg" => Kind::Average,
        "max" => Kind::Max,
        other => return c.refuse(format!("`pooling_type` is `{other}`, expected avg or max")),
    };
    if matches!(kind, Kind::Powers(_)) && (op.adaptive || op.ceil_mode || op.global_pooling) {
        return c.refuse(format!(
            "`norm_type` {} with `adaptive`, `ceil_mode` or `global_pooling` is not supported",
            op.norm_type
        ));
    }
    if op.global_pooling {
        return in_format(c, op.x, &op.data_format, |c, x| global(c, x, kind));
    }
    let kernel = c.each("kernel_size", op.kernel_size.known("kernel_size")?, axes, 1)?;
    let (auto, pads, _) = padding(c, &op.padding_algorithm, &op.paddings, vec![1; axes])?;
    let strides = c.each("strides", &op.strides, axes, 1)?;
    in_format(c, op.x, &op.data_format, |c, x| {
        if op.adaptive && kernel.iter().all(|&k| k == 1) {
            return global(c, x, kind);
        }
        if op.adaptive {
            return adaptive(c, x, kind, &kernel);
        }
        let mut windows = Windows { kernel, strides, pads, auto, ceil: op.ceil_mode };
        windows.fit(c, x);
        if op.ceil_mode {
            check_last_windows(c, x, &windows)?;
        }
        match kind {
            Kind::Average if op.exclusive => windows.mean(c, x, false),
            Kind::Average => windows.mean_with_pads(c, x),
            Kind::Max => c.add(
                ops::MaxPool::new(x)
                    .kernel_shape(windows.kernel)
                    .strides(windows.strides)
                    .pads(windows.pads)
                    .auto_pad(auto)
                    .ceil_mode(windows.ceil),
            ),
            Kind::Norm(p) => c.add(
                ops::LpPool::new(x)
                    .kernel_shape(windows.kernel)
                    .strides(windows.strides)
                    .pads(windows.pads)
                    .auto_pad(auto)
                    .ceil_mode(windows.ceil)
                    .p(p),
            ),
            Kind::Powers(p) => {
                let area = windows.kernel.iter().map(|&size| size as f64).product();
                let (p, root) = (c.number_like(x, p)?, c.number_like(x, 1.0 / p)?);
                let powers = c.add(ops::Pow::new(x, p))?;
                let mean = windows.mean(c, powers, true)?;
                let area = c.number_like(x, area)?;
                let sum = c.add(ops::Mul::new(mean, area))?;
                c.add(ops::Pow::new(sum, root))
            }
        }
    })
}

/// Windows over the spatial axes: `pads` are those at the beginnings, then those at the ends.
struct Windows {
    kernel: Vec<i64>,
    strides: Vec<i64>,
    pads: Vec<i64>,
    auto: AutoPad,
    ceil: bool,
}

impl Windows {
    /// Lengthens the pads at the ends of axes on which Paddle has one window that is larger than the axis with its pads.
    /// Let `lacking` be the kernel's size minus the length of the axis with its pads. Paddle has one window if
    /// `lacking` < stride, or with `ceil_mode` if `lacking` < 2·stride − 1, because it divides −`lacking`, with `ceil_mode`
    /// −`lacking` + stride − 1, by the stride, rounds towards zero, and adds 1.
    fn fit(&mut self, c: &Call<'_, '_>, x: ValueId) {
        if self.auto != AutoPad::NotSet {
            return;
        }
        let axes = self.kernel.len();
        for (i, (&k, &stride)) in self.kernel.iter().zip(&self.strides).enumerate() {
            let Some(n) = c.dim(x, i + 2) else { continue };
            let lacking = k - (n as i64 + self.pads[i] + self.pads[axes + i]);
            let least = if self.ceil { 2 * stride - 1 } else { stride };
            if (1..least).contains(&lacking) {
                self.pads[axes + i] += lacking;
            }
        }
    }

    /// The mean of each window. Elements of pads count as zeros if `counts_pads`, else not at all.
    fn mean(self, c: &mut Call<'_, '_>, x: ValueId, counts_pads: bool) -> Made {
        c.add(
            ops::AveragePool::new(x)
                .kernel_shape(self.kernel)
                .strides(self.strides)
                .pads(self.pads)
                .auto_pad(self.auto)
                .ceil_mode(self.ceil)
                .count_include_pad(counts_pads),
        )
    }

    /// The mean of each window, where the elements of pads count as zeros. In Paddle, the pad at the end of an axis counts
    /// only as far as the pad at its beginning is long.
    fn mean_with_pads(mut self, c: &mut Call<'_, '_>, x: ValueId) -> Made {
        let axes = self.kernel.len();
        if self.auto != AutoPad::NotSet {
            self.resolve(c, x)?;
        }
        let (begin, end) = self.pads.split_at(axes);
        if begin.iter().zip(end).all(|(begin, end)| end <= begin) {
            return self.mean(c, x, true);
        }
        // Pads that count become elements; the others do not count.
        let pairs = || begin.iter().zip(end);
        let counted: Vec<i64> = pairs().map(|(&begin, &end)| begin.min(end)).collect();
        let left: Vec<i64> = pairs().map(|(&begin, &end)| (end - begin).max(0)).collect();
        let pads = c.ints(&[begin, &counted].concat())?;
        let spatial: Vec<i64> = (2..axes as i64 + 2).collect();
        let spatial = c.ints(&spatial)?;
        let x = c.add(ops::Pad::new(x, pads, None, Some(spatial)))?;
        self.pads = [vec![0; axes], left].concat();
        self.mean(c, x, false)
    }

    /// States the pads of `padding_algorithm` SAME as numbers.
    fn resolve(&mut self, c: &Call<'_, '_>, x: ValueId) -> Made<()> {
        let axes = self.kernel.len();
        for axis in 0..axes {
            let Some(n) = c.dim(x, axis + 2) else {
                return c
                    .refuse("`padding_algorithm` SAME with `exclusive` false needs fixed sizes");
            };
            let (n, stride) = (n as i64, self.strides[axis]);
            let steps = (n + stride - 1) / stride - 1;
            let sum = (steps * stride + self.kernel[axis] - n).max(0);
            (self.pads[axis], self.pads[axes + axis]) = (sum / 2, sum - sum / 2);
        }
        self.auto = AutoPad::NotSet;
        Ok(())
    }
}

/// Refuses windows that begin behind the operand and its first pads. Paddle has them, with results of no elements: NaN,
/// or the least number.
fn check_last_windows(c: &Call<'_, '_>, x: ValueId, windows: &Windows) -> Made<()> {
    let axes = windows.kernel.len();
    for (i, (&k, &stride)) in windows.kernel.iter().zip(&windows.strides).enumerate() {
        let (before, after) = (windows.pads[i], windows.pads[axes + i]);
        let can_be = stride + after > k;
        let is_there = match c.dim(x, i + 2) {
            Some(n) => {
                let n = n as i64;
                let room = n + before + after - k + stride - 1;
                room >= 0 && room / stride * stride >= n + before
            }
            None => true,
        };
        if can_be && is_there {
            return c.refuse(
                "with `ceil_mode`, the last windows would have no elements; use `ceil_mode` false",
            );
        }
    }
    Ok(())
}

fn global(c: &mut Call<'_, '_>, x: ValueId, kind: Kind) -> Made {
    match kind {
        Kind::Average => c.add(ops::GlobalAveragePool::new(x)),
        Kind::Max => c.add(ops::GlobalMaxPool::new(x)),
        Kind::Norm(p) => c.add(ops::GlobalLpPool::new(x).p(p)),
        Kind::Powers(p) => c.refuse(format!("`norm_type` {p}")),
    }
}

/// Pools each axis to a number of cells. A cell reaches from ⌊i·n/cells⌋ to ⌈(i + 1)·n/cells⌉.
fn adaptive(c: &mut Call<'_, '_>, x: ValueId, kind: Kind, cells: &[i64]) -> Made {
    if matches!(kind, Kind::Norm(_) | Kind::Powers(_)) {
        return c.refuse("adaptive pooling by a norm is not supported");
    }
    let cells = c.each("kernel_size", cells, cells.len(), 1)?;
    for &cells in &cells {
        c.within("kernel_size", cells, 1..=MOST_PARTS)?;
    }
    let sizes: Option<Vec<i64>> =
        (0..cells.len()).map(|i| c.dim(x, i + 2).map(|n| n as i64)).collect();
    if let Some(sizes) = sizes
        && sizes.iter().zip(&cells).all(|(n, cells)| n % cells == 0)
    {
        let kernel: Vec<i64> = sizes.iter().zip(&cells).map(|(n, cells)| n / cells).collect();
        return match kind {
            Kind::Max => c.add(ops::MaxPool::new(x).kernel_shape(kernel.clone()).strides(kernel)),
            _ => c.add(ops::AveragePool::new(x).kernel_shape(kernel.clone()).strides(kernel)),
        };
    }
    // The mean and the maximum of a rectangle are those of its rows.
    let mut y = x;
    for (i, &cells) in cells.iter().enumerate() {
        y = along(c, y, kind, i as i64 + 2, cells)?;
    }
    Ok(y)
}

/// Pools one axis to a number of cells.
fn along(c: &mut Call<'_, '_>, x: ValueId, kind: Kind, axis: i64, cells: i64) -> Made {
    let length = c.dim(x, axis as usize);
    let computed = c.dim_of(x, axis as usize)?;
    let divisor = c.ints(&[cells])?;
    let axes = c.ints(&[axis])?;
    let mut parts = vec![];
    for cell in 0..cells {
        let (start, end) = match length {
            Some(n) => {
                let n = n as i64;
                (c.ints(&[cell * n / cells])?, c.ints(&[((cell + 1) * n + cells - 1) / cells])?)
            }
            None => {
                let (first, next, round) =
                    (c.ints(&[cell])?, c.ints(&[cell + 1])?, c.ints(&[cells - 1])?);
                let start = c.add(ops::Mul::new(computed, first))?;
                let start = c.add(ops::Div::new(start, divisor))?;
                let end = c.add(ops::Mul::new(computed, next))?;
                let end = c.add(ops::Add::new(end, round))?;
                (start, c.add(ops::Div::new(end, divisor))?)
            }
        };
        let part = c.add(ops::Slice::new(x, start, end, Some(axes), None))?;
        parts.push(match kind {
            Kind::Max => c.add(ops::ReduceMax::new(part, Some(axes)))?,
            _ => c.add(ops::ReduceMean::new(part, Some(axes)))?,
        });
    }
    c.concat(&parts, axis)
}

/// Maxima with their places in the plane of their channel, as i32.
fn indexed(c: &mut Call<'_, '_>, op: IndexedPool) -> Made<Outputs> {
    let axes = c.rank(op.x)?.saturating_sub(2);
    let spatial: Option<Vec<i64>> =
        (0..axes).map(|i| c.dim(op.x, i + 2).map(|n| n as i64)).collect();
    let mut kernel = match op.global_pooling {
        true => vec![1; axes],
        false => c.each("kernel_size", &op.kernel_size, axes, 1)?,
    };
    let (mut strides, mut pads) =
        (c.each("strides", &op.strides, axes, 1)?, pads(c, &op.paddings, axes)?);
    if op.global_pooling || op.adaptive {
        let cells = kernel;
        let divides = |sizes: &Vec<i64>| sizes.iter().zip(&cells).all(|(n, cells)| n % cells == 0);
        let Some(sizes) = spatial.filter(divides) else {
            // Cells of several sizes: without their indices.
            return Ok(adaptive(c, op.x, Kind::Max, &cells)?.into());
        };
        kernel = sizes.iter().zip(&cells).map(|(n, cells)| n / cells).collect();
        (strides, pads) = (kernel.clone(), vec![0; 2 * axes]);
    }
    let mut windows = Windows { kernel, strides, pads, auto: AutoPad::NotSet, ceil: op.ceil_mode };
    windows.fit(c, op.x);
    if op.ceil_mode {
        check_last_windows(c, op.x, &windows)?;
    }
    let pool = ops::MaxPool::new(op.x)
        .kernel_shape(windows.kernel)
        .strides(windows.strides)
        .pads(windows.pads)
        .ceil_mode(op.ceil_mode);
    let found = c.add_all(pool, 2)?;
    let plane = c.add(ops::Shape::new(op.x).start(2))?;
    let plane = c.add(ops::ReduceProd::new(plane, None).keepdims(false))?;
    let place = c.add(ops::Mod::new(found[1], plane))?;
    let place = c.cast(place, DType::I32)?;
    Ok([found[0], place].into())
}

/// Puts elements at their places in planes of zeros.
fn unpool(c: &mut Call<'_, '_>, op: Unpool) -> Made {
    if op.unpooling_type != "max" {
        return c.refuse(format!("`unpooling_type` is `{}`, expected max", op.unpooling_type));
    }
    let rank = c.rank(op.x)?;
    let sizes = op.output_size.value(c)?;
    // Output sizes are those of the planes, or of the whole tensor.
    let count = c.dim(sizes, 0).unwrap_or(0);
    let plane = if count == rank { c.slice(sizes, 0, 2, i64::MAX)? } else { sizes };
    let head = c.add(ops::Shape::new(op.x).end(2))?;
    let all = c.add(ops::Shape::new(op.x).start(2))?;
    let all = c.add(ops::ReduceProd::new(all, None).keepdims(true))?;
    let flat = c.concat(&[head, all], 0)?;
    let (x, places) = (c.reshape_to(op.x, flat)?, c.reshape_to(op.indices, flat)?);
    let places = c.cast(places, DType::I64)?;
    let area = c.add(ops::ReduceProd::new(plane, None).keepdims(true))?;
    let shape = c.concat(&[head, area], 0)?;
    let zero = c.number_like(op.x, 0.0)?;
    let zeros = c.expand(zero, shape)?;
    let filled = c.add(ops::ScatterElements::new(zeros, places, x).axis(2))?;
    let shape = c.concat(&[head, plane], 0)?;
    c.reshape_to(filled, shape)
}
