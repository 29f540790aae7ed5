//! Other dimensions for the same elements: reshape, squeeze, expand, transpose, blocks.

use super::{GeometryError, axes, axis, broadcast, invalid};
use crate::counted;
use crate::literal::checked_len;

/// The dimensions that `target` asks for: 0 copies the dimension at its place (unless `allow_zero`), one −1 is inferred.
pub fn reshape(
    from: &[usize],
    target: &[i64],
    allow_zero: bool,
) -> Result<Vec<usize>, GeometryError> {
    let mismatch = || GeometryError::Invalid(format!("{from:?} cannot be reshaped to {target:?}"));
    if target.iter().filter(|&&t| t == -1).count() > 1 {
        let text = format!("{from:?} cannot be reshaped to {target:?}, which has more than one -1");
        return Err(GeometryError::Value(text));
    }
    let len = checked_len(from).ok_or(GeometryError::TooLarge)?;
    let mut dims = Vec::with_capacity(target.len());
    let mut inferred = None;
    for (i, &t) in target.iter().enumerate() {
        dims.push(match t {
            0 if !allow_zero => *from.get(i).ok_or_else(mismatch)?,
            -1 if inferred.is_none() => {
                inferred = Some(i);
                1
            }
            t => usize::try_from(t).map_err(|_| mismatch())?,
        });
    }
    if let Some(i) = inferred {
        let known = checked_len(&dims).ok_or(GeometryError::TooLarge)?;
        dims[i] = match (known, len) {
            // If another dimension is 0, any value would fit, so the standard infers none.
            (0, _) => {
                let text = format!("the -1 of {target:?} cannot be inferred from {from:?}");
                return Err(GeometryError::Invalid(text));
            }
            _ if len.is_multiple_of(known) => len / known,
            _ => return Err(mismatch()),
        };
    }
    if checked_len(&dims) == Some(len) { Ok(dims) } else { Err(mismatch()) }
}

/// The dimensions without the axes of length 1 named, or without all of them.
pub fn squeeze(dims: &[usize], named: Option<&[i64]>) -> Result<Vec<usize>, GeometryError> {
    let Some(named) = named else { return Ok(dims.iter().copied().filter(|&d| d != 1).collect()) };
    let drop = axes(named, dims.len())?;
    if let Some(&a) = drop.iter().find(|&&a| dims[a] != 1) {
        return invalid(format!("axis {a} of {dims:?} has not length 1"));
    }
    Ok(dims.iter().enumerate().filter(|(i, _)| !drop.contains(i)).map(|(_, &d)| d).collect())
}

/// The dimensions with axes of length 1 inserted, at the named positions of the result.
pub fn unsqueeze(dims: &[usize], named: &[i64]) -> Result<Vec<usize>, GeometryError> {
    let rank = dims.len() + named.len();
    let added = axes(named, rank)?;
    let mut own = dims.iter();
    Ok((0..rank)
        .map(|i| if added.contains(&i) { 1 } else { own.next().copied().unwrap_or(1) })
        .collect())
}

/// Rows and columns of the matrix that has the axes before `axis` as rows; `axis` may equal the rank.
pub fn flatten(dims: &[usize], at: i64) -> Result<[usize; 2], GeometryError> {
    let at = if at == dims.len() as i64 { dims.len() } else { axis(at, dims.len())? };
    let part = |d: &[usize]| checked_len(d).ok_or(GeometryError::TooLarge);
    Ok([part(&dims[..at])?, part(&dims[at..])?])
}

/// The shape to which dimensions and a requested shape broadcast each other.
pub fn expand(dims: &[usize], to: &[i64]) -> Result<Vec<usize>, GeometryError> {
    let to = to.iter().map(|&d| usize::try_from(d)).collect::<Result<Vec<_>, _>>();
    let Ok(to) = to else { return invalid("a dimension to expand to is negative") };
    broadcast(dims, &to)
}

/// A permutation of the axes, checked; all axes reversed if it is not given.
pub fn permutation(perm: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, GeometryError> {
    let Some(perm) = perm else { return Ok((0..rank).rev().collect()) };
    if perm.len() != rank {
        return invalid(format!(
            "a permutation of {} for rank {rank}",
            counted(perm.len(), "axis")
        ));
    }
    axes(perm, rank)?;
    perm.iter().map(|&a| axis(a, rank)).collect()
}

/// The dimensions in the order of a checked permutation.
pub fn transpose(dims: &[usize], perm: &[usize]) -> Vec<usize> {
    perm.iter().map(|&a| dims[a]).collect()
}

/// The dimensions with an axis divided into blocks, whose size is the last dimension.
pub fn pack(dims: &[usize], at: i64, block: i64) -> Result<Vec<usize>, GeometryError> {
    let (at, size) = (axis(at, dims.len())?, block_size(block)?);
    if !dims[at].is_multiple_of(size) {
        return invalid(format!("axis {at} of {dims:?} does not divide into blocks of {block}"));
    }
    let mut packed = [dims, &[size]].concat();
    packed[at] /= size;
    Ok(packed)
}

/// The dimensions whose axis `at` is in blocks of the last dimension.
pub fn unpack(packed: &[usize], at: i64, block: i64) -> Result<Vec<usize>, GeometryError> {
    let size = block_size(block)?;
    let Some((&last, outer)) = packed.split_last().filter(|(last, _)| **last == size) else {
        return invalid(format!("{packed:?} does not end in blocks of {block}"));
    };
    let mut dims = outer.to_vec();
    let at = axis(at, dims.len())?;
    dims[at] = dims[at].checked_mul(last).ok_or(GeometryError::TooLarge)?;
    Ok(dims)
}

fn block_size(block: i64) -> Result<usize, GeometryError> {
    let size = usize::try_from(block).ok().filter(|size| *size > 0);
    size.ok_or_else(|| GeometryError::Invalid(format!("`block` is {block}, expected at least 1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_and_unpack_are_inverse() {
        assert_eq!(pack(&[2, 8, 5], 1, 4), Ok(vec![2, 2, 5, 4]));
        assert_eq!(pack(&[2, 0, 5], -2, 4), Ok(vec![2, 0, 5, 4]));
        assert_eq!(unpack(&[2, 2, 5, 4], 1, 4), Ok(vec![2, 8, 5]));
        for (dims, axis, block) in
            [(&[2, 6][..], 1, 4), (&[2, 8], 2, 4), (&[2, 8], 1, 0), (&[], 0, 1)]
        {
            assert!(pack(dims, axis, block).is_err(), "{dims:?}");
        }
        for (dims, axis, block) in [
            (&[2, 2, 3][..], 1, 4),
            (&[4], 0, 4),
            (&[], 0, 1),
            (&[2, 2, 4], 2, 4),
            (&[1 << 62, 8], 0, 8),
        ] {
            assert!(unpack(dims, axis, block).is_err(), "{dims:?}");
        }
    }

    #[test]
    fn reshape_infers_and_copies() {
        assert_eq!(reshape(&[2, 3, 4], &[0, -1], false), Ok(vec![2, 12]));
        assert_eq!(reshape(&[2, 0], &[0, 0], false), Ok(vec![2, 0]));
        assert_eq!(reshape(&[0, 3], &[3, 0], true), Ok(vec![3, 0]));
        assert_eq!(reshape(&[], &[1, -1], false), Ok(vec![1, 1]));
        assert_eq!(reshape(&[0, 3], &[-1, 3], false), Ok(vec![0, 3]));
        for bad in [&[-1, -1][..], &[5], &[-2], &[0, 0, 0, 0], &[i64::MAX, i64::MAX]] {
            assert!(reshape(&[2, 3, 4], bad, false).is_err(), "{bad:?}");
        }
        for allow_zero in [false, true] {
            let error = reshape(&[0, 3], &[0, -1], allow_zero).map_err(|e| e.to_string());
            assert_eq!(error, Err("the -1 of [0, -1] cannot be inferred from [0, 3]".to_owned()));
        }
    }

    #[test]
    fn squeeze_and_unsqueeze_are_inverse() {
        assert_eq!(squeeze(&[1, 3, 1], None), Ok(vec![3]));
        assert_eq!(squeeze(&[1, 3, 1], Some(&[-1])), Ok(vec![1, 3]));
        assert!(squeeze(&[1, 3], Some(&[1])).is_err());
        assert_eq!(unsqueeze(&[3], &[0, -1]), Ok(vec![1, 3, 1]));
        assert!(unsqueeze(&[3], &[0, -3]).is_err());
        assert_eq!(flatten(&[2, 3, 4], -1), Ok([6, 4]));
        assert_eq!(flatten(&[2, 3], 2), Ok([6, 1]));
        assert_eq!(permutation(Some(&[1, 0]), 2), Ok(vec![1, 0]));
        assert!(permutation(Some(&[1, 1]), 2).is_err());
    }
}
