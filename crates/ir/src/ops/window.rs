//! Sizes of sliding windows, for convolution and pooling.

use crate::op::kinds::Ints;
use crate::op::view;
use crate::op::words::AutoPad;
use crate::shape::{ShapeError, View, dims};
use crate::{AttrName, Dim, Shape, geometry, ops};

/// Kernel, strides, dilations and padding of an op, one entry a spatial axis.
pub(super) struct Windows {
    kernel: Shape,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    pads: Vec<i64>,
    auto_pad: AutoPad,
    ceil: bool,
}

/// The attribute `kernel_shape`, for `axes` spatial axes where their number is known; `None` if it is left out.
pub(super) fn kernel_shape(
    cx: &View<'_>,
    axes: Option<usize>,
) -> Result<Option<Shape>, ShapeError> {
    let Some(sizes) =
        ops::Window::of(cx.op).and_then(|op| op.kernel_shape()).filter(|sizes| !sizes.is_empty())
    else {
        return Ok(None);
    };
    let sizes = geometry::window_sizes("kernel_shape", sizes, axes.unwrap_or(sizes.len()));
    let sizes = sizes.map_err(|e| cx.error(e.to_string()))?;
    Ok(Some(sizes.into_iter().map(Dim::Fixed).collect()))
}

/// Numbers of an attribute, `each` of them for each of `axes` spatial axes.
fn list(
    cx: &View<'_>,
    name: AttrName<Ints>,
    (each, axes): (usize, usize),
    least: i64,
) -> Result<Vec<i64>, ShapeError> {
    let given = view::optional(cx.op, name);
    let values = geometry::per_axis(name.text(), given, (each, axes), least, least as usize);
    let values = values.map_err(|e| cx.error(e.to_string()))?;
    Ok(values.into_iter().map(|v| v as i64).collect())
}

/// Strides or dilations; 1 where they are left out.
pub(super) fn steps(
    cx: &View<'_>,
    name: AttrName<Ints>,
    axes: usize,
) -> Result<Vec<i64>, ShapeError> {
    list(cx, name, (1, axes), 1)
}

/// The borders at the beginning of each axis, then those at the end; 0 by default.
pub(super) fn borders(cx: &View<'_>, axes: usize) -> Result<Vec<i64>, ShapeError> {
    list(cx, ops::Window::AT.pads, (2, axes), 0)
}

/// One number for each spatial axis that may be 0; 0 where they are left out.
pub(super) fn extras(
    cx: &View<'_>,
    name: AttrName<Ints>,
    axes: usize,
) -> Result<Vec<i64>, ShapeError> {
    list(cx, name, (1, axes), 0)
}

impl Windows {
    /// Reads the op's attributes; the kernel's size is given by the caller, as it can come from weights.
    pub(super) fn read(cx: &View<'_>, kernel: Shape) -> Result<Windows, ShapeError> {
        let rank = kernel.len();
        let auto_pad = ops::AutoPadded::of(cx.op).map_or(AutoPad::NotSet, |op| op.auto_pad());
        let pads = borders(cx, rank)?;
        Ok(Windows {
            strides: steps(cx, ops::Window::AT.strides, rank)?,
            dilations: steps(cx, ops::Dilated::AT.dilations, rank)?,
            pads: match auto_pad {
                AutoPad::NotSet => pads,
                _ => vec![0; 2 * rank],
            },
            ceil: ops::Rounded::of(cx.op).is_some_and(|op| op.ceil_mode()),
            kernel,
            auto_pad,
        })
    }

    /// The number of windows along each axis of `input`.
    pub(super) fn count(&self, cx: &View<'_>, input: &[Dim]) -> Result<Shape, ShapeError> {
        let fixed = |shape: &[Dim]| shape.iter().map(Dim::fixed).collect::<Option<Vec<usize>>>();
        if let (Some(spatial), Some(kernel)) = (fixed(input), fixed(&self.kernel)) {
            let (strides, dilations) = (Some(&self.strides[..]), Some(&self.dilations[..]));
            let (pads, auto_pad) = (Some(&self.pads[..]), self.auto_pad);
            let windows =
                geometry::windows(&spatial, &kernel, strides, dilations, pads, auto_pad, self.ceil);
            let windows =
                windows.map_err(|e| cx.error(format!("{e}, for {}", cx.name_shape(0))))?;
            return Ok(windows.iter().map(|w| Dim::Fixed(w.out)).collect());
        }
        Ok(input.iter().enumerate().map(|(i, n)| self.along(i, n)).collect())
    }

    /// The number of windows along an axis for which some size is symbolic.
    fn along(&self, i: usize, n: &Dim) -> Dim {
        let stride = self.strides[i];
        if matches!(self.auto_pad, AutoPad::SameUpper | AutoPad::SameLower) {
            return dims::map(n, |e| e.div_ceil(stride));
        }
        if self.ceil && stride != 1 {
            return Dim::Unknown;
        }
        let (before, after) = (self.pads[i], self.pads[i + self.kernel.len()]);
        dims::combine(n, &self.kernel[i], |n, k| {
            let extent = k.sub(&1.into())?.mul(&self.dilations[i].into())?.add(&1.into())?;
            let room = n.add(&before.into())?.add(&after.into())?.sub(&extent)?;
            room.div_floor(&stride.into())?.add(&1.into())
        })
    }
}
