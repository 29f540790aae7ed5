//! The order of a block's elements in threadgroup memory.
//!
//! Each bit of an element's index adds a weight to the element's position. Padded rows, and fragments that are kept
//! together, are such orders. The chosen order puts the elements of a simdgroup's threads, and of a fragment, into
//! different banks.

use crate::layout::{Layout, Source};
use crate::reduce::LANES;
use trident_tile_analysis::{Bit, Index};

/// log2 of the rows and of the columns of a fragment.
pub(crate) const SIDE: u8 = 3;

/// The banks of threadgroup memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Banks {
    /// How many there are.
    pub(crate) count: usize,
    /// Bytes of a bank's word.
    pub(crate) word: usize,
}

impl Banks {
    /// How many more turns than necessary the accesses of these bytes take, each a first byte and a number of bytes.
    fn conflicts(self, accesses: &[(usize, usize)]) -> usize {
        let mut words: Vec<usize> = accesses
            .iter()
            .flat_map(|&(first, bytes)| first / self.word..=(first + bytes - 1) / self.word)
            .collect();
        words.sort_unstable();
        words.dedup();
        let mut turns = vec![0; self.count];
        words.iter().for_each(|word| turns[word % self.count] += 1);
        turns.into_iter().max().unwrap_or(0) - words.len().div_ceil(self.count).min(words.len())
    }
}

/// Where each element of a block lies in an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The distance that each bit of an index adds to the place.
    weights: Vec<usize>,
    /// Elements of the array.
    pub(crate) len: usize,
}

/// A block as matrices after a batch axis. Neighbours along one axis are neighbours in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// log2 of the number of rows.
    pub(crate) rows: u8,
    /// log2 of the number of columns.
    pub(crate) columns: u8,
    /// log2 of the number of matrices.
    pub(crate) batch: u8,
    /// Whether neighbours in a column are neighbours in memory, instead of those in a row.
    pub(crate) by_columns: bool,
}

/// How threads access an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'a> {
    /// Which thread accesses which elements.
    pub(crate) layout: &'a Layout,
    /// log2 of the elements that a thread accesses at once.
    pub(crate) vector: u8,
    /// log2 of the sides of fragments that are read or written too, 0 without.
    pub(crate) side: u8,
}

impl Order {
    /// Lines with `pad` elements between the end of one and the next.
    fn lines(shape: Shape, pad: usize) -> Order {
        let Shape { rows, columns, batch, by_columns } = shape;
        let (fast, slow) = if by_columns { (rows, columns) } else { (columns, rows) };
        let line = (1 << fast) + pad;
        let along: Vec<usize> = (0..fast).map(|bit| 1 << bit).collect();
        let across: Vec<usize> = (0..slow).map(|bit| line << bit).collect();
        let matrices = (0..batch).map(|bit| line << (slow + bit));
        let (low, high) = if by_columns { (across, along) } else { (along, across) };
        let weights = low.into_iter().chain(high).chain(matrices).collect();
        Order { weights, len: line << (slow + batch) }
    }

    /// Fragments made of consecutive lines, with `pad` elements between them.
    fn fragments(shape: Shape, pad: usize) -> Order {
        let Shape { rows, columns, batch, by_columns } = shape;
        let each = (1 << (2 * SIDE)) + pad;
        let (low, high) = if by_columns { (SIDE, 0) } else { (0, SIDE) };
        let inside = |from: u8| (0..SIDE).map(move |bit| 1 << (from + bit));
        let outside = |from: u8, bits: u8| (0..bits).map(move |bit| each << (from + bit));
        let (across, down) = (columns - SIDE, rows - SIDE);
        let weights = inside(low)
            .chain(outside(0, across))
            .chain(inside(high))
            .chain(outside(across, down + batch));
        Order { weights: weights.collect(), len: each << (across + down + batch) }
    }

    /// The best order for a block of elements of `size` bytes, and its number of conflicts.
    pub(crate) fn best(shape: Shape, size: usize, used: Use<'_>, banks: Banks) -> (Order, usize) {
        // Larger fragments have lines at the distance of the whole block's lines.
        let tiled = used.side == SIDE && shape.rows >= SIDE && shape.columns >= SIDE;
        // Vectors stay aligned.
        let steps = (0..=4).map(|step| step * (16 / size).max(1));
        let orders = steps.flat_map(|pad| {
            let fragments = tiled.then(|| Order::fragments(shape, pad));
            std::iter::once(Order::lines(shape, pad)).chain(fragments)
        });
        let rated = orders.map(|order| {
            let conflicts = order.conflicts(shape, size, used, banks);
            (order, conflicts)
        });
        let least = rated.min_by_key(|(order, conflicts)| (*conflicts, order.len));
        least.unwrap_or_else(|| (Order::lines(shape, 0), 0))
    }

    fn conflicts(&self, shape: Shape, size: usize, used: Use<'_>, banks: Banks) -> usize {
        let bytes = size << used.vector;
        let lanes = 1 << LANES;
        // Wide accesses take turns.
        let turn = (banks.count * banks.word / bytes).clamp(1, lanes);
        let of = |lane: usize| {
            let own = |(at, weight): (usize, &usize)| match used.layout.source(at as u8) {
                Source::Thread(bit) if bit < LANES => (lane >> bit & 1) * weight,
                _ => 0,
            };
            self.weights.iter().enumerate().map(own).sum::<usize>() * size
        };
        let all: Vec<(usize, usize)> = (0..lanes).map(|lane| (of(lane), bytes)).collect();
        let threads = all.chunks(turn).map(|turn| banks.conflicts(turn)).max().unwrap_or(0);
        // How tensor operations access larger fragments is not known; llama.cpp gives them lines without padding.
        if used.side != SIDE {
            return threads;
        }
        let fragment: Vec<(usize, usize)> = (0..1 << (2 * SIDE))
            .map(|at: usize| {
                let bit = |bit: u8, place: u8| {
                    (at >> bit & 1) * self.weights.get(usize::from(place)).copied().unwrap_or(0)
                };
                let column = (0..SIDE).map(|n| bit(n, n));
                let row = (0..SIDE).map(|n| bit(SIDE + n, shape.columns + n));
                (column.chain(row).sum::<usize>() * size, size)
            })
            .collect();
        threads + banks.conflicts(&fragment)
    }

    /// The distance that a bit of an index adds to the place.
    pub(crate) fn weight(&self, bit: u8) -> usize {
        self.weights.get(usize::from(bit)).copied().unwrap_or(0)
    }

    /// The place of an element: the part that is known, and the weights of the bits that are not.
    pub(crate) fn place(&self, index: &Index) -> (usize, Vec<(u8, usize)>) {
        let (mut known, mut open) = (0, vec![]);
        for (bit, &weight) in index.iter().zip(&self.weights) {
            match *bit {
                Bit::Const(one) => known += usize::from(one) * weight,
                Bit::Of { bit, .. } => open.push((bit, weight)),
            }
        }
        (known, open)
    }
}
