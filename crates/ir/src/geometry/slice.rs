//! Parts of axes: slices, splits, concatenation, borders, reductions.

use super::{GeometryError, axes, axis, invalid, wrong};
use crate::counted;

/// Every `step`-th of `len` indices of an axis, from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The first index; of no meaning if `len` is 0.
    pub start: usize,
    /// How many indices.
    pub len: usize,
    /// The distance of two; negative runs backwards, never 0.
    pub step: i64,
}

/// The indices from `start` to before `end` in steps: negative bounds count from the end, and bounds are clamped, `start`
/// to an element also where a step back begins before the first (unlike Python).
pub fn slice(dim: usize, start: i64, end: i64, step: i64) -> Result<Cut, GeometryError> {
    if step == 0 {
        return wrong("a slice has step 0");
    }
    let n = dim as i64;
    let wrap = |i: i64| if i < 0 { i.saturating_add(n) } else { i };
    // Running backwards, the bound before the first element is -1.
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let start = wrap(start).clamp(high.min(0), high.max(low));
    let end = wrap(end).clamp(low, high.max(low));
    let distance = if step > 0 { end - start } else { start - end };
    let len = if distance <= 0 { 0 } else { (distance as u64).div_ceil(step.unsigned_abs()) };
    Ok(Cut { start: start.max(0) as usize, len: len as usize, step })
}

/// One cut for each axis, from starts, ends, axes (all by default) and steps (1 by default).
pub fn slices(
    dims: &[usize],
    starts: &[i64],
    ends: &[i64],
    named: Option<&[i64]>,
    steps: Option<&[i64]>,
) -> Result<Vec<Cut>, GeometryError> {
    let n = starts.len();
    let at: Vec<usize> = match named {
        Some(named) => {
            axes(named, dims.len())?;
            named.iter().map(|&a| axis(a, dims.len())).collect::<Result<_, _>>()?
        }
        None => (0..n).collect(),
    };
    if ends.len() != n || at.len() != n || steps.is_some_and(|s| s.len() != n) || n > dims.len() {
        return invalid("starts, ends, axes and steps of a slice differ in length");
    }
    let mut cuts: Vec<Cut> = dims.iter().map(|&d| Cut { start: 0, len: d, step: 1 }).collect();
    for (i, &a) in at.iter().enumerate() {
        cuts[a] = slice(dims[a], starts[i], ends[i], steps.map_or(1, |s| s[i]))?;
    }
    Ok(cuts)
}

/// The bounds that the `start` and `end` attributes of `shape` give within a rank.
pub fn shape_bounds(start: i64, end: Option<i64>, rank: usize) -> (usize, usize) {
    let n = rank as i64;
    let wrap = |i: i64| (if i < 0 { i.saturating_add(n) } else { i }).clamp(0, n) as usize;
    let (start, end) = (wrap(start), wrap(end.unwrap_or(n)));
    (start, end.max(start))
}

/// The lengths of the parts of an axis: the sizes given, or `parts` equal ones of which the last may be smaller.
pub fn split(dim: usize, sizes: Option<&[i64]>, parts: usize) -> Result<Vec<usize>, GeometryError> {
    if let Some(sizes) = sizes {
        let total = sizes.iter().try_fold(0i64, |n, &s| n.checked_add(s).filter(|_| s >= 0));
        if total != Some(dim as i64) {
            return invalid(format!("an axis of length {dim} cannot be split into {sizes:?}"));
        }
        return Ok(sizes.iter().map(|&s| s as usize).collect());
    }
    if parts == 0 {
        return invalid("a split into no parts");
    }
    let size = dim.div_ceil(parts);
    Ok((0..parts).map(|i| size.min(dim.saturating_sub(size.saturating_mul(i)))).collect())
}

/// The dimensions of tensors joined along an axis.
pub fn concat(shapes: &[&[usize]], at: i64) -> Result<Vec<usize>, GeometryError> {
    let Some(first) = shapes.first() else { return invalid("nothing to concatenate") };
    let at = axis(at, first.len())?;
    let mut dims = first.to_vec();
    for s in &shapes[1..] {
        let fits = s.len() == dims.len() && (0..dims.len()).all(|i| i == at || s[i] == dims[i]);
        if !fits {
            return invalid(format!("{first:?} and {s:?} cannot be joined along axis {at}"));
        }
        dims[at] = dims[at].checked_add(s[at]).ok_or(GeometryError::TooLarge)?;
    }
    Ok(dims)
}

/// Numbers of elements added before and after each axis; negative ones are cut off.
pub type Borders = Vec<(i64, i64)>;

/// The borders of all axes and the padded dimensions, from the list of all beginnings, then all ends.
pub fn pad(
    dims: &[usize],
    pads: &[i64],
    named: Option<&[i64]>,
) -> Result<(Borders, Vec<usize>), GeometryError> {
    let at: Vec<usize> = match named {
        Some(named) => {
            axes(named, dims.len())?;
            named.iter().map(|&a| axis(a, dims.len())).collect::<Result<_, _>>()?
        }
        None => (0..dims.len()).collect(),
    };
    if pads.len() != 2 * at.len() {
        return invalid(format!(
            "{} for {}",
            counted(pads.len(), "pad"),
            counted(at.len(), "axis")
        ));
    }
    let mut borders = vec![(0, 0); dims.len()];
    for (i, &a) in at.iter().enumerate() {
        borders[a] = (pads[i], pads[at.len() + i]);
    }
    let out = dims.iter().zip(&borders).map(|(&d, &(before, after))| {
        let n = (d as i64).checked_add(before).and_then(|n| n.checked_add(after));
        match n {
            Some(n) if n >= 0 => Ok(n as usize),
            Some(_) => invalid(format!("pads {before} and {after} cut more than {d}")),
            None => Err(GeometryError::TooLarge),
        }
    });
    let out = out.collect::<Result<Vec<_>, _>>()?;
    Ok((borders, out))
}

/// Borders and dimensions of an array whose axes are cut, or extended, to sizes around their middle. An odd element is
/// cut from, or added to, the end.
pub fn center_crop_pad(
    dims: &[usize],
    sizes: &[i64],
    named: &[i64],
) -> Result<(Borders, Vec<usize>), GeometryError> {
    if named.len() != sizes.len() {
        return invalid(format!(
            "{} for {}",
            counted(sizes.len(), "size"),
            counted(named.len(), "axis")
        ));
    }
    axes(named, dims.len())?;
    let (mut begins, mut ends) = (vec![], vec![]);
    for (&a, &size) in named.iter().zip(sizes) {
        if size < 0 {
            return invalid(format!("size {size} is negative"));
        }
        let change = size - dims[axis(a, dims.len())?] as i64;
        begins.push(change / 2);
        ends.push(change - change / 2);
    }
    begins.extend(ends);
    pad(dims, &begins, Some(named))
}

/// The axes to reduce, sorted: the named axes. If none is named, all axes, or no axis with `noop`.
pub fn reduction_axes(
    rank: usize,
    named: Option<&[i64]>,
    noop: bool,
) -> Result<Vec<usize>, GeometryError> {
    match named {
        Some(named) if !named.is_empty() => axes(named, rank),
        _ if noop => Ok(vec![]),
        _ => Ok((0..rank).collect()),
    }
}

/// The dimensions after a reduction of some axes, which are kept with length 1 or removed.
pub fn reduced(dims: &[usize], axes: &[usize], keep: bool) -> Vec<usize> {
    let left = dims.iter().enumerate().filter(|(i, _)| keep || !axes.contains(i));
    left.map(|(i, &d)| if axes.contains(&i) { 1 } else { d }).collect()
}

/// How many numbers `start`, `start + delta`, … come before `limit`.
pub fn range_len(start: f64, limit: f64, delta: f64) -> Result<usize, GeometryError> {
    if delta == 0.0 {
        return wrong("a range has step 0");
    }
    let n = ((limit - start) / delta).ceil();
    match n {
        n if n.is_nan() => wrong("a range has a bound that is not a number"),
        n if n <= 0.0 => Ok(0),
        n if n < isize::MAX as f64 => Ok(n as usize),
        _ => Err(GeometryError::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(dim: usize, start: i64, end: i64, step: i64) -> Vec<i64> {
        let c = slice(dim, start, end, step).unwrap();
        (0..c.len as i64).map(|i| c.start as i64 + i * c.step).collect()
    }

    #[test]
    fn slices_follow_the_standard() {
        assert_eq!(indices(5, 1, -1, 1), [1, 2, 3]);
        assert_eq!(indices(5, -1, i64::MIN, -2), [4, 2, 0]);
        assert_eq!(indices(5, 100, -100, -1), [4, 3, 2, 1, 0]);
        assert_eq!(indices(5, 3, 1, 1), [0i64; 0]);
        assert_eq!(indices(0, 0, i64::MAX, 1), [0i64; 0]);
        assert_eq!(indices(0, -1, i64::MIN, -1), [0i64; 0]);
        assert_eq!(indices(5, 0, 5, i64::MAX), [0]);
        assert_eq!(indices(5, 4, -6, i64::MIN), [4]);
        assert_eq!(indices(3, -7, -8, -1), [0]);
        assert_eq!(indices(3, i64::MIN, i64::MIN, -2), [0]);
        assert_eq!(indices(3, -7, i64::MAX, -1), [0i64; 0]);
        assert_eq!(indices(0, -7, i64::MIN, -1), [0i64; 0]);
        assert!(slice(3, 0, 1, 0).is_err());
        assert!(slices(&[3], &[0, 0], &[1, 1], None, None).is_err());
    }

    #[test]
    fn parts_and_borders() {
        assert_eq!(split(7, None, 3), Ok(vec![3, 3, 1]));
        assert_eq!(split(2, None, 3), Ok(vec![1, 1, 0]));
        assert!(split(4, Some(&[5, -1]), 2).is_err());
        assert_eq!(concat(&[&[2, 3], &[2, 1]], -1), Ok(vec![2, 4]));
        assert!(concat(&[&[2, 3], &[3, 1]], 1).is_err());
        assert_eq!(pad(&[2, 3], &[1, -2], Some(&[-1])).unwrap().1, [2, 2]);
        assert!(pad(&[2], &[-3, 0], None).is_err());
        assert_eq!(reduced(&[2, 3], &[1], true), [2, 1]);
        assert_eq!(shape_bounds(-2, None, 3), (1, 3));
        assert_eq!(shape_bounds(2, Some(1), 3), (2, 2));
        assert_eq!(range_len(0.0, 1.0, 0.3), Ok(4));
        assert_eq!(range_len(10.0, 4.0, -2.0), Ok(3));
        assert!(range_len(0.0, 1.0, 0.0).is_err());
    }
}
