//! Indices of elements as bits.
//!
//! Dimensions are powers of two, so a linear index is a sequence of bits, and every rearrangement of a block (permute,
//! broadcast, reshape, join …) only renames them: each bit of an operand's index is a bit of the result's, 0 or 1.

use std::rc::Rc;

/// One bit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    /// Always this value.
    Const(bool),
    /// A bit of a loop's counter or, in a [`Rename`], of the result's index.
    Of {
        /// The counter's name.
        var: u16,
        /// Which of its bits.
        bit: u8,
    },
}

/// The bits of a linear index, the lowest first.
pub type Index = Rc<[Bit]>;

/// The bits of an operand's index in terms of the result's: `Bit::Of` has `var` 0.
pub type Rename = Rc<[Bit]>;

/// The name of the counter of a row's elements while no loop is open for it.
pub const INNER: u16 = u16::MAX - 1;

/// Whether the bit is one of the inner counter.
pub fn is_inner(bit: &Bit) -> bool {
    matches!(bit, Bit::Of { var: INNER, .. })
}

/// Whether an index does not depend on the inner counter.
pub fn uniform(index: &Index) -> bool {
    !index.iter().any(is_inner)
}

/// log2 of `n`, a power of two.
pub fn log2(n: usize) -> u8 {
    n.trailing_zeros() as u8
}

/// Bit `bit` of the result's index.
pub fn own(bit: u8) -> Bit {
    Bit::Of { var: 0, bit }
}

/// All bits of a loop's counter.
pub fn counter(var: u16, bits: u8) -> impl Iterator<Item = Bit> {
    (0..bits).map(move |bit| Bit::Of { var, bit })
}

/// The operand's index when the result's is `index`.
pub fn rename(map: &Rename, index: &Index) -> Index {
    let bit = |b: &Bit| match *b {
        Bit::Of { bit, .. } => index.get(usize::from(bit)).copied().unwrap_or(Bit::Const(false)),
        constant => constant,
    };
    map.iter().map(bit).collect()
}

/// Number of bits of the index of a block with these dimensions.
pub fn index_bits(dims: &[usize]) -> u8 {
    dims.iter().map(|&n| log2(n)).sum()
}

/// The index with another counter in place of `old`.
pub fn substitute(index: &Index, old: u16, new: u16) -> Index {
    let bit = |b: &Bit| match *b {
        Bit::Of { var, bit } if var == old => Bit::Of { var: new, bit },
        other => other,
    };
    index.iter().map(bit).collect()
}

/// First bit and number of bits of each axis in a row-major index.
pub fn axes(dims: &[usize]) -> Vec<(u8, u8)> {
    let mut shift = 0;
    let mut found: Vec<(u8, u8)> = dims
        .iter()
        .rev()
        .map(|&n| {
            let axis = (shift, log2(n));
            shift += axis.1;
            axis
        })
        .collect();
    found.reverse();
    found
}

/// Renames the index for a permutation: axis i of the result is axis `order[i]` of the operand, which has dimensions
/// `dims`.
pub fn permuted(dims: &[usize], order: &[usize]) -> Rename {
    let to: Vec<usize> = order.iter().map(|&axis| dims[axis]).collect();
    let result = axes(&to);
    let mut map = vec![Bit::Const(false); axes(dims).iter().map(|a| usize::from(a.1)).sum()];
    for (&axis, &(start, bits)) in order.iter().zip(&result) {
        let at = usize::from(axes(dims)[axis].0);
        for bit in 0..bits {
            map[at + usize::from(bit)] = own(start + bit);
        }
    }
    map.into()
}

/// Renames the index for a broadcast: axes of length 1 of the operand repeat in the result.
pub fn broadcast(from: &[usize], to: &[usize]) -> Rename {
    let kept = from.iter().zip(axes(to)).rev().filter(|(n, _)| **n != 1);
    kept.flat_map(|(_, (start, bits))| (start..start + bits).map(own)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(map: &Rename, i: usize) -> usize {
        let bit = |b: &Bit| match *b {
            Bit::Const(c) => usize::from(c),
            Bit::Of { bit, .. } => i >> bit & 1,
        };
        map.iter().enumerate().map(|(k, b)| bit(b) << k).sum()
    }

    #[test]
    fn bits_follow_axes() {
        let map = permuted(&[2, 8, 4], &[2, 0, 1]);
        for (i, (k, r)) in (0..4).flat_map(|k| (0..16).map(move |r| (k, r))).enumerate() {
            assert_eq!(at(&map, i), r * 4 + k);
        }
        let map = broadcast(&[1, 4, 1], &[2, 4, 8]);
        for i in 0..64 {
            assert_eq!(at(&map, i), i / 8 % 4);
        }
    }
}
