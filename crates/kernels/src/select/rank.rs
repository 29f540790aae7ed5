//! Orders of elements as integers.

use std::ops::BitXor;

/// An element with a rank: ranks compare as the elements do, with NaN above everything. Both zeros have the same rank, and so
/// have all NaNs.
pub trait Ranked: Copy + PartialOrd + Send + Sync {
    /// The type of the ranks.
    type Rank: Rank;

    /// The element's place in the order of all values of its type.
    fn rank(self) -> Self::Rank;

    /// An element of this rank.
    fn of_rank(rank: Self::Rank) -> Self;
}

/// An unsigned integer that ranks elements.
pub trait Rank:
    Copy + Ord + BitXor<Output = Self> + Into<u64> + TryFrom<u64> + Send + Sync
{
    /// A rank and a place in one integer. Keys compare by rank, then by place.
    type Key: Copy + Ord + Default + Send + Sync;
    /// The greatest number of places that keys can tell apart.
    const PLACES: u64;

    /// The number that inverts the order of ranks by exclusive or with each, or that leaves it as it is.
    fn flip(inverts: bool) -> Self;

    /// The key of a rank at a place below [`PLACES`](Self::PLACES).
    fn key(self, place: usize) -> Self::Key;

    /// The rank of a key.
    fn of(key: Self::Key) -> Self;

    /// The place of a key.
    fn place(key: Self::Key) -> usize;
}

macro_rules! rank {
    ($rank:ident, $key:ident) => {
        impl Rank for $rank {
            type Key = $key;
            const PLACES: u64 = $rank::MAX as u64;

            #[inline(always)]
            fn flip(inverts: bool) -> $rank {
                if inverts { $rank::MAX } else { 0 }
            }

            #[inline(always)]
            fn key(self, place: usize) -> $key {
                $key::from(self) << $rank::BITS | place as $key
            }

            #[inline(always)]
            fn of(key: $key) -> $rank {
                (key >> $rank::BITS) as $rank
            }

            #[inline(always)]
            fn place(key: $key) -> usize {
                key as $rank as usize
            }
        }
    };
}
rank!(u32, u64);
rank!(u64, u128);

macro_rules! ranked_float {
    ($float:ident, $rank:ident) => {
        impl Ranked for $float {
            type Rank = $rank;

            #[inline(always)]
            fn rank(self) -> $rank {
                if self.is_nan() {
                    return $rank::MAX;
                }
                // The sum turns -0 into 0.
                let bits = (self + 0.0).to_bits();
                let sign = 1 << ($rank::BITS - 1);
                if bits & sign == 0 { bits | sign } else { !bits }
            }

            #[inline(always)]
            fn of_rank(rank: $rank) -> $float {
                let sign = 1 << ($rank::BITS - 1);
                $float::from_bits(if rank & sign == 0 { !rank } else { rank & !sign })
            }
        }
    };
}
ranked_float!(f32, u32);
ranked_float!(f64, u64);

macro_rules! ranked_int {
    ($int:ident, $rank:ident) => {
        impl Ranked for $int {
            type Rank = $rank;

            #[inline(always)]
            fn rank(self) -> $rank {
                self.cast_unsigned() ^ (1 << ($rank::BITS - 1))
            }

            #[inline(always)]
            fn of_rank(rank: $rank) -> $int {
                (rank ^ (1 << ($rank::BITS - 1))).cast_signed()
            }
        }
    };
}
ranked_int!(i32, u32);
ranked_int!(i64, u64);

impl Ranked for u64 {
    type Rank = u64;

    #[inline(always)]
    fn rank(self) -> u64 {
        self
    }

    #[inline(always)]
    fn of_rank(rank: u64) -> u64 {
        rank
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::fmt::Debug;

    use super::*;

    /// Ranks of all pairs compare as the elements do, NaN above everything.
    #[allow(clippy::eq_op)]
    fn agree<T: Ranked + Debug>(elements: &[T]) {
        for &a in elements {
            for &b in elements {
                let order = a.partial_cmp(&b).unwrap_or_else(|| (a != a).cmp(&(b != b)));
                assert_eq!(a.rank().cmp(&b.rank()), order, "{a:?} and {b:?}");
            }
            assert!(T::of_rank(a.rank()).rank() == a.rank(), "{a:?}");
        }
    }

    #[test]
    fn ranks_compare_as_elements_do() {
        let nan = f32::from_bits(0xffc0_0001);
        let tiny = f32::from_bits(1);
        let floats = [f32::NEG_INFINITY, f32::MIN, -1.5, -tiny, -0.0, 0.0, tiny, 1.5, f32::MAX];
        let floats = [&floats[..], &[f32::INFINITY, f32::NAN, nan]].concat();
        agree(&floats);
        agree(&floats.iter().map(|&f| f64::from(f) * 1.000_000_001).collect::<Vec<_>>());
        agree(&[i32::MIN, -1, 0, 1, i32::MAX]);
        agree(&[i64::MIN, -1, 0, 1, i64::MAX]);
        agree(&[0, 1, u64::MAX / 2 + 1, u64::MAX]);
    }

    #[test]
    fn keys_hold_a_rank_and_a_place() {
        let place = u32::MAX as usize - 1;
        for rank in [0u32, 1, u32::MAX] {
            let key = rank.key(place);
            assert_eq!((u32::of(key), u32::place(key)), (rank, place));
            assert_eq!(rank.key(3).cmp(&rank.key(place)), Ordering::Less);
        }
        let key = u64::MAX.key(place);
        assert_eq!((u64::of(key), u64::place(key)), (u64::MAX, place));
        assert!(7u64.key(place) < 8u64.key(0));
    }
}
