//! Sizes of sliding windows, for convolution and pooling.

use super::expect_len;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::view::View;
use crate::{Dim, Shape, geometry};

/// Kernel, strides, dilations and padding of an op, one entry a spatial axis.
pub(super) struct Windows {
    kernel: Shape,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    pads: Vec<i64>,
    auto_pad: AutoPad,
    ceil: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum AutoPad {
    Explicit,
    Same,
    Valid,
}

impl Windows {
    /// Reads the op's attributes; the kernel's size is given by the caller, as it can come from weights.
    pub(super) fn read(cx: &View<'_>, kernel: Shape) -> Result<Windows, ShapeError> {
        let rank = kernel.len();
        let list = |name: &'static str, default: i64, len: usize, least: i64| {
            let given = cx.op.ints(name).filter(|v| !v.is_empty());
            let values = given.map_or_else(|| vec![default; len], <[i64]>::to_vec);
            expect_len(cx, name, &values, len)?;
            match values.iter().find(|v| **v < least) {
                Some(v) => Err(cx.error(format!("`{name}` holds {v}, expected at least {least}"))),
                None => Ok(values),
            }
        };
        let auto_pad = match cx.op.str("auto_pad").unwrap_or("NOTSET") {
            "NOTSET" | "" => AutoPad::Explicit,
            "SAME_UPPER" | "SAME_LOWER" => AutoPad::Same,
            "VALID" => AutoPad::Valid,
            other => return Err(cx.error(format!("`auto_pad` is {other:?}"))),
        };
        Ok(Windows {
            strides: list("strides", 1, rank, 1)?,
            dilations: list("dilations", 1, rank, 1)?,
            pads: match auto_pad {
                AutoPad::Explicit => list("pads", 0, 2 * rank, i64::MIN)?,
                _ => vec![0; 2 * rank],
            },
            ceil: cx.op.flag("ceil_mode"),
            kernel,
            auto_pad,
        })
    }

    /// The number of windows along each axis of `input`.
    pub(super) fn count(&self, cx: &View<'_>, input: &[Dim]) -> Result<Shape, ShapeError> {
        let fixed = |shape: &[Dim]| shape.iter().map(Dim::fixed).collect::<Option<Vec<usize>>>();
        if let (Some(spatial), Some(kernel)) = (fixed(input), fixed(&self.kernel)) {
            let (strides, dilations) = (Some(&self.strides[..]), Some(&self.dilations[..]));
            let auto_pad = cx.op.str("auto_pad").unwrap_or("NOTSET");
            let pads = Some(&self.pads[..]);
            let windows =
                geometry::windows(&spatial, &kernel, strides, dilations, pads, auto_pad, self.ceil);
            let windows =
                windows.map_err(|e| cx.error(format!("{e}, for {}", cx.name_shape(0))))?;
            return Ok(windows.iter().map(|w| Dim::Fixed(w.out)).collect());
        }
        Ok(input.iter().enumerate().map(|(i, n)| self.along(i, n)).collect())
    }

    /// The number of windows along an axis of which something is not a number.
    fn along(&self, i: usize, n: &Dim) -> Dim {
        let stride = self.strides[i];
        if self.auto_pad == AutoPad::Same {
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
