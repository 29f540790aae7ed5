//! Borders around a tensor, added or cut off.

use super::view::with_elements;
use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::op::words::PadMode;
use trident_ir::ops::{CenterCropPad, Pad};
use trident_ir::{DType, geometry};
use trident_kernels::parallel::for_rows;
use trident_runtime::{KernelError, Tensor};

/// The source index for place `i` relative to a source of `n` elements.
fn source(mode: PadMode, i: i64, n: i64) -> Option<usize> {
    let inside = match mode {
        PadMode::Constant => return (0..n).contains(&i).then_some(i as usize),
        PadMode::Edge => i.clamp(0, n - 1),
        PadMode::Wrap => i.rem_euclid(n),
        PadMode::Reflect => {
            let period = (2 * (n - 1)).max(1);
            let folded = i.rem_euclid(period);
            if folded < n { folded } else { period - folded }
        }
    };
    Some(inside as usize)
}

/// Pads by the operands and the mode.
pub(super) fn pad(cx: &Compile<'_>) -> Made {
    let mode = cx.view(Pad::of)?.mode();
    Prepared::boxed(cx, move |call| padded(call, mode))
}

fn padded(call: &mut Call<'_, '_>, mode: PadMode) -> Result<(), KernelError> {
    let at = Pad::AT;
    let x = call.tensor(at.x)?;
    let (pads, axes) = (call.required_ints(at.pads)?, call.ints(at.axes)?);
    let (borders, dims) = geometry::pad(x.dims(), &pads, axes.as_deref())?;
    let fill = call.opt(at.value)?;
    if let Some(fill) = &fill {
        if fill.dtype() != x.dtype() {
            let expected = x.dtype().to_string();
            return Err(KernelError::DType { index: at.value, actual: fill.dtype(), expected });
        }
        if fill.len() != 1 {
            return Err(KernelError::shape("`constant_value` must have one element"));
        }
    }
    let y = border(call, at.y, &x, (&borders, &dims), mode, fill)?;
    call.set(at.y, y);
    Ok(())
}

/// Cuts or zero-pads axes around their centre.
pub(super) fn center(cx: &Compile<'_>) -> Made {
    let axes = cx.view(CenterCropPad::of)?.axes().map(<[i64]>::to_vec);
    let at = CenterCropPad::AT;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let sizes = call.required_ints(at.shape)?;
        let all: Vec<i64> = (0..x.rank() as i64).collect();
        let axes = axes.as_ref().unwrap_or(&all);
        let (borders, dims) = geometry::center_crop_pad(x.dims(), &sizes, axes)?;
        let y = border(call, at.y, &x, (&borders, &dims), PadMode::Constant, None)?;
        call.set(at.y, y);
        Ok(())
    })
}

/// Result `result` with `x` and these borders, which give it the dimensions `dims`.
fn border(
    call: &mut Call<'_, '_>,
    result: usize,
    x: &Tensor,
    (borders, dims): (&[(i64, i64)], &[usize]),
    mode: PadMode,
    fill: Option<Tensor>,
) -> Result<Tensor, KernelError> {
    let mut y = call.alloc(result, x.dtype(), dims)?;
    if y.is_empty() {
        return Ok(y);
    }
    // Elements that are cut off are not copied into added borders.
    let mut maps = vec![];
    for ((&d, &(before, after)), &out) in x.dims().iter().zip(borders).zip(dims) {
        let (low, high) = ((-before).max(0), d as i64 - (-after).max(0));
        let n = (high - low).max(0);
        if mode != PadMode::Constant && n == 0 {
            return Err(KernelError::shape(
                "an axis to pad is empty, so it has no elements to fill its border with",
            ));
        }
        let source = |i: usize| source(mode, i as i64 - before.max(0), n).map(|s| s + low as usize);
        maps.push((0..out).map(source).collect::<Vec<_>>());
    }
    let fill = match fill {
        Some(fill) => fill,
        None if x.dtype() == DType::Str => Tensor::from_strings(&[1], vec![String::new()])?,
        None => {
            let mut zero = call.temp(x.dtype(), &[1])?;
            zero.bytes_mut()?.fill(0);
            zero
        }
    };
    let strides = geometry::strides(x.dims());
    let inner = maps.pop().unwrap_or_else(|| vec![Some(0)]);
    // The longest run of the row that is contiguous in the source: all but the borders.
    let start = inner.iter().position(|s| s.is_some()).unwrap_or(0);
    let first = inner.get(start).copied().flatten().unwrap_or(0);
    let count = |s: usize, from: usize| {
        inner[s..].iter().enumerate().take_while(|(i, v)| **v == Some(from + i)).count()
    };
    let (mut run_at, mut run_from, mut run) =
        (start, first, if inner.is_empty() { 0 } else { count(start, first) });
    if mode != PadMode::Constant
        && let Some(at) = inner.iter().position(|s| *s == inner.iter().flatten().min().copied())
    {
        // Repeating modes: the run that starts at the least index.
        let from = inner[at].unwrap_or(0);
        let at = inner
            .iter()
            .rposition(|s| *s == Some(from))
            .filter(|&p| count(p, from) > count(at, from))
            .unwrap_or(at);
        if count(at, from) > run {
            (run_at, run_from, run) = (at, from, count(at, from));
        }
    }
    let row = inner.len();
    with_elements!(call, x, y, |src, dst| {
        let fill = match_first(&fill, src)?;
        for_rows(call.threads, dst, row, 1, |first, piece| {
            for (k, out) in piece.chunks_mut(row).enumerate() {
                let (mut rest, mut at) = (first + k, Some(0));
                for (map, &s) in maps.iter().zip(&strides).rev() {
                    let place = map[rest % map.len()];
                    at = at.zip(place).map(|(at, p)| at + p * s);
                    rest /= map.len();
                }
                let Some(at) = at else {
                    out.fill(fill);
                    continue;
                };
                for (i, slot) in out.iter_mut().enumerate() {
                    if i >= run_at && i < run_at + run {
                        continue;
                    }
                    *slot = inner[i].map_or(fill, |p| src[at + p]);
                }
                let from = at + run_from;
                if run > 0 {
                    out[run_at..run_at + run].copy_from_slice(&src[from..from + run]);
                }
            }
        });
    });
    Ok(y)
}

/// The first element of a tensor in the Rust type of a slice of the same element type.
fn match_first<'a, T: FromTensor<'a>>(t: &'a Tensor, _like: &[T]) -> Result<T, KernelError> {
    T::first(t)
}

trait FromTensor<'a>: Sized {
    fn first(t: &'a Tensor) -> Result<Self, KernelError>;
}

macro_rules! from_tensor {
    ($($t:ty),*) => { $(
        impl FromTensor<'_> for $t {
            fn first(t: &Tensor) -> Result<$t, KernelError> {
                let first = bytemuck::cast_slice(t.bytes()?).first().copied();
                first.ok_or_else(|| KernelError::shape("no element"))
            }
        }
    )* };
}
from_tensor!(u8, u16, u32, u64, [u64; 2]);

impl<'a> FromTensor<'a> for &'a str {
    fn first(t: &'a Tensor) -> Result<&'a str, KernelError> {
        t.strings()?.first().map(String::as_str).ok_or_else(|| KernelError::shape("no element"))
    }
}
