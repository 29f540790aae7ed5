//! Windows that slide over spatial axes: convolution and pooling.

use super::{GeometryError, invalid};
use crate::counted;
use crate::op::words::AutoPad;

/// A window along one spatial axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of taps.
    pub kernel: usize,
    /// Distance of two windows.
    pub stride: usize,
    /// Distance of two taps.
    pub dilation: usize,
    /// Border before the first element.
    pub before: usize,
    /// Border after the last element.
    pub after: usize,
    /// Number of windows.
    pub out: usize,
}

impl Window {
    /// Elements from the first to the last tap.
    pub fn extent(&self) -> usize {
        (self.kernel - 1) * self.dilation + 1
    }
}

/// Numbers of a window are below this, so that sums and products of two have 64 bits.
const MOST: i64 = 1 << 31;

/// Checks that there are `count` numbers, for `axes` spatial axes, and that each is from `least` on and below [`MOST`].
fn check(
    name: &str,
    values: impl ExactSizeIterator<Item = i64> + Clone,
    count: usize,
    axes: usize,
    least: i64,
) -> Result<(), GeometryError> {
    if values.len() != count {
        let (given, axes) = (counted(values.len(), "entry"), counted(axes, "spatial axis"));
        return invalid(format!("`{name}` has {given}, expected {count} for {axes}"));
    }
    if let Some(low) = values.clone().find(|&v| v < least) {
        return invalid(format!("`{name}` holds {low}, expected at least {least}"));
    }
    if let Some(high) = values.clone().find(|&v| v >= MOST) {
        return invalid(format!("`{name}` holds {high}, expected less than {MOST}"));
    }
    Ok(())
}

/// A list attribute with `each` numbers for each of `axes` spatial axes, or `default` for each if it is left out or empty.
///
/// # Errors
/// A wrong count, a number below `least`, or a number of 2^31 or more. Each has its own message, which names
/// the attribute.
pub fn per_axis(
    name: &str,
    values: Option<&[i64]>,
    (each, axes): (usize, usize),
    least: i64,
    default: usize,
) -> Result<Vec<usize>, GeometryError> {
    let count = each * axes;
    let Some(values) = values.filter(|values| !values.is_empty()) else {
        return Ok(vec![default; count]);
    };
    check(name, values.iter().copied(), count, axes, least)?;
    Ok(values.iter().map(|&v| v as usize).collect())
}

/// The sizes of a window, in the attribute or operand `name`, for `axes` spatial axes.
///
/// # Errors
/// As [`per_axis`]; the sizes must be there and at least 1.
pub fn window_sizes(name: &str, sizes: &[i64], axes: usize) -> Result<Vec<usize>, GeometryError> {
    check(name, sizes.iter().copied(), axes, axes, 1)?;
    Ok(sizes.iter().map(|&size| size as usize).collect())
}

/// A size in the attribute `name`.
///
/// # Errors
/// One below 1, or of 2^31 and more.
pub fn window_size(name: &str, size: i64) -> Result<usize, GeometryError> {
    check(name, [size].into_iter(), 1, 1, 1)?;
    Ok(size as usize)
}

/// The sizes of an unpooled image: the smallest image that the windows of `pooled` cover.
pub fn unpooled(
    pooled: &[usize],
    kernel: &[i64],
    strides: Option<&[i64]>,
    pads: Option<&[i64]>,
) -> Result<Vec<usize>, GeometryError> {
    let n = pooled.len();
    let kernel = window_sizes("kernel_shape", kernel, n)?;
    let strides = per_axis("strides", strides, (1, n), 1, 1)?;
    let pads = per_axis("pads", pads, (2, n), 0, 0)?;
    (0..n)
        .map(|i| {
            let last = i64::try_from(pooled[i])
                .ok()
                .and_then(|len| (len - 1).checked_mul(strides[i] as i64));
            let border = (pads[i] + pads[n + i]) as i64;
            let size = last.and_then(|last| last.checked_add(kernel[i] as i64 - border));
            let size = size.ok_or(GeometryError::TooLarge)?;
            usize::try_from(size).or_else(|_| {
                invalid(format!("spatial axis {i} of the result would have size {size}"))
            })
        })
        .collect()
}

/// The windows over the spatial axes, with borders from `pads` (all beginnings, then all ends) or by `auto_pad`. With
/// `ceil` a last window may extend past the end, if it starts before the end.
pub fn windows(
    spatial: &[usize],
    kernel: &[usize],
    strides: Option<&[i64]>,
    dilations: Option<&[i64]>,
    pads: Option<&[i64]>,
    auto_pad: AutoPad,
    ceil: bool,
) -> Result<Vec<Window>, GeometryError> {
    let n = spatial.len();
    let taps = kernel.iter().map(|&k| i64::try_from(k).unwrap_or(i64::MAX));
    check("kernel_shape", taps, n, n, 1)?;
    let strides = per_axis("strides", strides, (1, n), 1, 1)?;
    let dilations = per_axis("dilations", dilations, (1, n), 1, 1)?;
    let pads = per_axis("pads", pads, (2, n), 0, 0)?;
    (0..n)
        .map(|i| {
            let mut w = Window {
                kernel: kernel[i],
                stride: strides[i],
                dilation: dilations[i],
                before: 0,
                after: 0,
                out: 0,
            };
            let extent = ((w.kernel - 1) as u64)
                .checked_mul(w.dilation as u64)
                .and_then(|e| usize::try_from(e + 1).ok())
                .filter(|&e| e < 1 << 62)
                .ok_or(GeometryError::TooLarge)?;
            let dim = spatial[i];
            match auto_pad {
                AutoPad::SameUpper | AutoPad::SameLower => {
                    w.out = dim.div_ceil(w.stride);
                    let covered = w.out.saturating_sub(1) * w.stride + extent;
                    let total = if w.out == 0 { 0 } else { covered.saturating_sub(dim) };
                    let (less, more) = (total / 2, total - total / 2);
                    (w.before, w.after) =
                        if auto_pad == AutoPad::SameUpper { (less, more) } else { (more, less) };
                    return Ok(w);
                }
                AutoPad::Valid => {}
                AutoPad::NotSet => (w.before, w.after) = (pads[i], pads[n + i]),
            }
            let padded = dim.checked_add(w.before + w.after).ok_or(GeometryError::TooLarge)?;
            let Some(room) = padded.checked_sub(extent) else {
                return invalid(format!(
                    "a window of {} does not fit an axis of {padded} with its borders",
                    counted(extent, "element")
                ));
            };
            w.out = if ceil { room.div_ceil(w.stride) } else { room / w.stride } + 1;
            if ceil && (w.out - 1) * w.stride >= dim + w.before {
                w.out -= 1;
            }
            Ok(w)
        })
        .collect()
}

/// Checks an attribute `kernel_shape` against the weights.
fn check_kernel(kernel: Option<&[i64]>, w: &[usize]) -> Result<(), GeometryError> {
    let Some(kernel) = kernel.filter(|kernel| !kernel.is_empty()) else { return Ok(()) };
    if window_sizes("kernel_shape", kernel, w.len() - 2)? != w[2..] {
        return invalid(format!(
            "`kernel_shape` is {kernel:?}, and the weights have dimensions {w:?}"
        ));
    }
    Ok(())
}

/// The result dimensions of a convolution of `x` [N, C, …] with `w` [M, C/group, …], and the windows.
#[allow(clippy::too_many_arguments)]
pub fn conv_dims(
    x: &[usize],
    w: &[usize],
    group: i64,
    kernel: Option<&[i64]>,
    strides: Option<&[i64]>,
    dilations: Option<&[i64]>,
    pads: Option<&[i64]>,
    auto_pad: AutoPad,
) -> Result<(Vec<usize>, Vec<Window>), GeometryError> {
    let shape = || GeometryError::Invalid(format!("x {x:?} and w {w:?} do not fit a convolution"));
    if x.len() < 2 || w.len() != x.len() {
        return Err(shape());
    }
    let group = usize::try_from(group).ok().filter(|&g| g > 0).ok_or_else(shape)?;
    if w[1].checked_mul(group) != Some(x[1]) || !w[0].is_multiple_of(group) {
        return Err(shape());
    }
    check_kernel(kernel, w)?;
    let windows = windows(&x[2..], &w[2..], strides, dilations, pads, auto_pad, false)?;
    let dims = [x[0], w[0]].into_iter().chain(windows.iter().map(|w| w.out)).collect();
    Ok((dims, windows))
}

/// Geometry of a transposed convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransposedConv {
    /// Dimensions of the result [N, M, spatial…].
    pub dims: Vec<usize>,
    /// Taps and borders; `out` is the spatial size of the result. Borders may be negative: then the result has room that
    /// no tap reaches.
    pub axes: Vec<TransposedAxis>,
}

/// One spatial axis of a transposed convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransposedAxis {
    /// Number of taps.
    pub kernel: usize,
    /// Distance in the result of what neighbouring inputs spread to.
    pub stride: usize,
    /// Distance of two taps.
    pub dilation: usize,
    /// How much is cut off before the first element.
    pub before: i64,
    /// Size of the result.
    pub out: usize,
}

/// The geometry of the transposed convolution of `x` [N, C, …] with `w` [C, M/group, …].
#[allow(clippy::too_many_arguments)]
pub fn transposed_conv(
    x: &[usize],
    w: &[usize],
    group: i64,
    kernel: Option<&[i64]>,
    strides: Option<&[i64]>,
    dilations: Option<&[i64]>,
    pads: Option<&[i64]>,
    output_padding: Option<&[i64]>,
    output_shape: Option<&[i64]>,
    auto_pad: AutoPad,
) -> Result<TransposedConv, GeometryError> {
    let shape = || {
        GeometryError::Invalid(format!("x {x:?} and w {w:?} do not fit a transposed convolution"))
    };
    if x.len() < 2 || w.len() != x.len() {
        return Err(shape());
    }
    let group = usize::try_from(group).ok().filter(|&g| g > 0).ok_or_else(shape)?;
    if w[0] != x[1] || !x[1].is_multiple_of(group) || w[2..].contains(&0) {
        return Err(shape());
    }
    check_kernel(kernel, w)?;
    let n = x.len() - 2;
    let strides = per_axis("strides", strides, (1, n), 1, 1)?;
    let dilations = per_axis("dilations", dilations, (1, n), 1, 1)?;
    let mut pads = per_axis("pads", pads, (2, n), 0, 0)?;
    if auto_pad == AutoPad::Valid {
        pads.fill(0);
    }
    let extra = per_axis("output_padding", output_padding, (1, n), 0, 0)?;
    // Some exporters write the whole shape.
    let output_shape = output_shape.filter(|s| !s.is_empty());
    let output_shape = output_shape.map(|s| if s.len() == n + 2 { &s[2..] } else { s });
    let sizes =
        output_shape.map(|s| per_axis("output_shape", Some(s), (1, n), 0, 0)).transpose()?;
    let mut dims = vec![x[0], w[1].checked_mul(group).ok_or(GeometryError::TooLarge)?];
    let mut axes = Vec::with_capacity(n);
    for i in 0..n {
        let big = |v: usize| i64::try_from(v).map_err(|_| GeometryError::TooLarge);
        let extent = (big(w[i + 2])? - 1).checked_mul(big(dilations[i])?);
        let span = (big(x[i + 2])? - 1).max(0).checked_mul(big(strides[i])?);
        let full = extent
            .zip(span)
            .and_then(|(e, s)| e.checked_add(s)?.checked_add(1 + extra[i] as i64))
            .ok_or(GeometryError::TooLarge)?;
        let full = if x[i + 2] == 0 { 0 } else { full };
        let same = matches!(auto_pad, AutoPad::SameUpper | AutoPad::SameLower);
        let wanted = match &sizes {
            Some(s) => Some(big(s[i])?),
            None if same => Some(big(x[i + 2].saturating_mul(strides[i]))?),
            None => None,
        };
        let (before, out) = match wanted {
            Some(out) => {
                let total = full - out;
                let less = total.max(0) / 2;
                // The standard puts the odd one at the beginning, except for SAME_UPPER.
                let before =
                    if auto_pad == AutoPad::SameUpper { less } else { total.max(0) - less };
                (before, out)
            }
            None => (pads[i] as i64, full - pads[i] as i64 - pads[n + i] as i64),
        };
        let out = usize::try_from(out)
            .or_else(|_| invalid(format!("the result of axis {i} would have a negative size")))?;
        dims.push(out);
        axes.push(TransposedAxis {
            kernel: w[i + 2],
            stride: strides[i],
            dilation: dilations[i],
            before,
            out,
        });
    }
    Ok(TransposedConv { dims, axes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outs(w: &[Window]) -> Vec<usize> {
        w.iter().map(|w| w.out).collect()
    }

    #[test]
    fn sizes_of_windows() {
        let w = windows(
            &[7, 8],
            &[3, 2],
            Some(&[2, 3]),
            None,
            Some(&[1, 0, 1, 0]),
            AutoPad::NotSet,
            false,
        );
        assert_eq!(outs(&w.unwrap()), [4, 3]);
        let w = windows(&[5], &[2], Some(&[2]), None, None, AutoPad::NotSet, true).unwrap();
        assert_eq!(outs(&w), [3]);
        // The third window would start past the input.
        let w =
            windows(&[4], &[1], Some(&[2]), None, Some(&[0, 1]), AutoPad::NotSet, true).unwrap();
        assert_eq!(outs(&w), [2]);
        let w = windows(&[6], &[3], Some(&[2]), None, None, AutoPad::SameUpper, false).unwrap();
        assert_eq!((w[0].out, w[0].before, w[0].after), (3, 0, 1));
        assert!(windows(&[2], &[3], None, None, None, AutoPad::Valid, false).is_err());
        assert!(windows(&[2], &[1], Some(&[0]), None, None, AutoPad::Valid, false).is_err());
        assert!(windows(&[2], &[1], None, None, Some(&[-1, 0]), AutoPad::NotSet, false).is_err());
    }

    #[test]
    fn sizes_of_convolutions() {
        let (dims, _) =
            conv_dims(&[1, 4, 5, 5], &[6, 2, 3, 3], 2, None, None, None, None, AutoPad::NotSet)
                .unwrap();
        assert_eq!(dims, [1, 6, 3, 3]);
        assert!(
            conv_dims(&[1, 4, 5], &[6, 3, 3], 2, None, None, None, None, AutoPad::NotSet).is_err()
        );
        let t = transposed_conv(
            &[1, 1, 3, 3],
            &[1, 2, 3, 3],
            1,
            None,
            Some(&[3, 2]),
            None,
            None,
            Some(&[1, 1]),
            None,
            AutoPad::NotSet,
        );
        assert_eq!(t.unwrap().dims, [1, 2, 10, 8]);
        let (x, w, pads) = ([1, 1, 3], [1, 1, 3], [1, 1]);
        let t = |auto_pad| {
            transposed_conv(&x, &w, 1, None, None, None, Some(&pads), None, None, auto_pad)
        };
        assert_eq!(t(AutoPad::NotSet).unwrap().dims, [1, 1, 3]);
        assert_eq!(t(AutoPad::Valid).unwrap().dims, [1, 1, 5]);
    }

    #[test]
    fn refusals_name_the_cause() {
        let text = |strides: &[i64], dilations: &[i64], pads: &[i64]| {
            let some = (Some(strides), Some(dilations), Some(pads));
            let window = windows(&[7, 8], &[3, 2], some.0, some.1, some.2, AutoPad::NotSet, false);
            let (x, w) = ([1, 2, 7, 8], [2, 3, 3, 2]);
            let transposed = transposed_conv(
                &x,
                &w,
                1,
                None,
                some.0,
                some.1,
                some.2,
                None,
                None,
                AutoPad::NotSet,
            );
            let text = window.unwrap_err().to_string();
            assert_eq!(transposed.unwrap_err().to_string(), text);
            text
        };
        let ones = &[1, 1];
        assert_eq!(text(ones, ones, &[0, 0, 0, -1]), "`pads` holds -1, expected at least 0");
        let count = "`pads` has 3 entries, expected 4 for 2 spatial axes";
        assert_eq!(text(ones, ones, &[0, 0, 0]), count);
        assert_eq!(text(&[0, 1], ones, &[]), "`strides` holds 0, expected at least 1");
        assert_eq!(text(ones, &[1, 0], &[]), "`dilations` holds 0, expected at least 1");
        let size = "`strides` holds 1099511627776, expected less than 2147483648";
        assert_eq!(text(&[1 << 40, 1], ones, &[]), size);
        let count = "`dilations` has 1 entry, expected 2 for 2 spatial axes";
        assert_eq!(text(ones, &[1], &[]), count);
        let kernel = |kernel: &[usize]| {
            let window = windows(&[7, 8], kernel, None, None, None, AutoPad::NotSet, false);
            window.unwrap_err().to_string()
        };
        assert_eq!(kernel(&[3, 0]), "`kernel_shape` holds 0, expected at least 1");
        assert_eq!(kernel(&[3]), "`kernel_shape` has 1 entry, expected 2 for 2 spatial axes");
        let unpool = |kernel: &[i64], strides: &[i64], pads: &[i64]| {
            unpooled(&[3, 3], kernel, Some(strides), Some(pads)).unwrap_err().to_string()
        };
        assert_eq!(unpool(&[2, 0], ones, &[]), "`kernel_shape` holds 0, expected at least 1");
        assert_eq!(
            unpool(&[2], ones, &[]),
            "`kernel_shape` has 1 entry, expected 2 for 2 spatial axes"
        );
        assert_eq!(unpool(&[2, 2], &[1, 0], &[]), "`strides` holds 0, expected at least 1");
        assert_eq!(unpool(&[2, 2], ones, &[0, 0, 0, -1]), "`pads` holds -1, expected at least 0");
        let size = "spatial axis 1 of the result would have size -1";
        assert_eq!(unpool(&[2, 2], ones, &[0, 5, 0, 0]), size);
        assert_eq!(unpooled(&[3, 2], &[2, 3], Some(&[2, 1]), None), Ok(vec![6, 4]));
        let (x, w) = ([1, 2, 7], [2, 3, 3]);
        let kernel = |k| conv_dims(&x, &[2, 2, 3], 1, Some(k), None, None, None, AutoPad::NotSet);
        let other = "`kernel_shape` is [2], and the weights have dimensions [2, 2, 3]";
        assert_eq!(kernel(&[2]).unwrap_err().to_string(), other);
        let negative = "`kernel_shape` holds -3, expected at least 1";
        assert_eq!(kernel(&[-3]).unwrap_err().to_string(), negative);
        let extra =
            |p| transposed_conv(&x, &w, 1, None, None, None, None, Some(p), None, AutoPad::NotSet);
        let text = extra(&[-1]).unwrap_err().to_string();
        assert_eq!(text, "`output_padding` holds -1, expected at least 0");
    }
}
