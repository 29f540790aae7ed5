//! Banks of threadgroup memory: words that follow each other lie in different banks, and lanes that access different words
//! of one bank take turns. An element that is left out after a power of two of them moves columns to different banks.

use super::layout::THREAD;
use super::reduce::LANES;
use trident_tile_analysis::{Bit, Index, log2};

/// Banks of threadgroup memory, each of words of [`WORD`] bytes.
const BANKS: usize = 32;

/// Bytes of a bank's word.
const WORD: usize = 4;

/// After how many elements a word is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Padding {
    /// log2 of the number of elements; none is left out if `None`.
    shift: Option<u8>,
    /// log2 of the elements of a word.
    width: u8,
}

impl Padding {
    /// No element is left out.
    pub(super) const NONE: Padding = Padding { shift: None, width: 0 };

    /// The padding with the fewest bank conflicts for lanes that write by one index and read by another; among equal
    /// ones the smallest.
    pub(super) fn of(write: &Index, read: &Index, size: usize) -> Padding {
        let width = log2((WORD / size.max(1)).max(1).next_power_of_two());
        let most = write.len() as u8;
        let shifts = [None].into_iter().chain((width + 2..most).rev().map(Some));
        let all = shifts.map(|shift| Padding { shift, width });
        let turns = |p: &Padding| p.turns(write, size) + p.turns(read, size);
        all.min_by_key(turns).unwrap_or(Padding { shift: None, width })
    }

    pub(super) fn shift(self) -> Option<u8> {
        self.shift
    }

    pub(super) fn width(self) -> u8 {
        self.width
    }

    /// The place of the element with this index.
    pub(super) fn place(self, index: usize) -> usize {
        match self.shift {
            Some(shift) => index + (index >> shift << self.width),
            None => index,
        }
    }

    /// Number of elements of memory for indices of this many bits.
    pub(super) fn len(self, bits: usize) -> usize {
        self.place((1 << bits) - 1) + 1
    }

    /// How often a bank is accessed, at most, when all lanes access their element of this index.
    fn turns(self, index: &Index, size: usize) -> usize {
        let mut words: [Vec<usize>; BANKS] = [const { vec![] }; BANKS];
        for lane in 0..1usize << LANES {
            let bit = |bit: &Bit| match *bit {
                Bit::Of { var: THREAD, bit } if bit < LANES => lane >> bit & 1,
                _ => 0,
            };
            let own = index.iter().enumerate().map(|(at, b)| bit(b) << at).sum();
            let word = self.place(own) * size / WORD;
            let bank = &mut words[word % BANKS];
            if !bank.contains(&word) {
                bank.push(word);
            }
        }
        words.iter().map(Vec::len).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::*;

    /// Turns without padding and with it, for rows that are written and columns that are read.
    fn turns(rows: u8, columns: u8, size: usize) -> (usize, usize) {
        let (dims, lanes) = ([1 << rows, 1 << columns], LANES);
        let write = Layout::blocked(&dims, 1, 0, lanes).at(0);
        let read = Layout::blocked(&dims, 0, 0, lanes).at(0);
        let padding = Padding::of(&write, &read, size);
        let none = Padding { shift: None, ..padding };
        assert!(padding.len(write.len()) <= (1 << (rows + columns)) * 5 / 4);
        (
            none.turns(&write, size).max(none.turns(&read, size)),
            padding.turns(&write, size).max(padding.turns(&read, size)),
        )
    }

    #[test]
    fn columns_of_padded_rows_lie_in_different_banks() {
        assert_eq!(turns(5, 5, 4), (32, 1));
        assert_eq!(turns(6, 6, 4), (32, 1));
        assert_eq!(turns(5, 7, 4), (32, 1));
        assert_eq!(turns(6, 6, 2), (32, 1));
        assert_eq!(turns(6, 6, 1), (16, 1));
        // Words of two banks: two turns are the least.
        assert_eq!(turns(5, 5, 8), (32, 2));
        // Lanes along a row.
        assert_eq!(turns(0, 10, 4), (1, 1));
    }
}
