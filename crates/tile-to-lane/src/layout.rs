//! The assignment of a block's elements to threads and their registers.
//!
//! A layout gives each bit of an element's index a source: a bit of the register's number, or one of the thread's. Views
//! rename the bits of an index, so a view of a block in registers costs nothing: its layout has the same sources in other places.

use std::fmt;
use std::ops::Range;

use super::plan::WIDEST;
use super::reduce::Reduced;
use trident_tile_analysis::{Bit, Index, Rename, axes};

/// The name of the counter of a thread's registers.
pub(super) const REGISTER: u16 = 1;
/// The name of the counter of a threadgroup's threads.
pub(super) const THREAD: u16 = 2;
/// The name of the counter of a loop that the code of one op has.
pub(super) const STEP: u16 = 3;

/// Which register of which thread holds each element of a block. Threads that differ only in bits that no bit of the
/// index has as its source hold copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The source of each bit of an element's index.
    index: Index,
    /// log2 of the number of registers.
    registers: u8,
}

/// Where a bit of an index comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A bit of the register's number.
    Register(u8),
    /// A bit of the thread's number.
    Thread(u8),
    /// It is the same for all registers and threads.
    None,
}

impl Layout {
    /// The layout of a block in which each thread holds vectors of 2^`vector` elements along `axis`, and consecutive
    /// threads hold consecutive vectors. Elements beyond 2^`threads` threads are in additional registers.
    pub(super) fn blocked(dims: &[usize], axis: usize, vector: u8, threads: u8) -> Layout {
        Layout::spread(dims, (axis, vector), axis, threads)
    }

    /// Like [`Self::blocked`], but consecutive threads hold vectors that are neighbours along another axis.
    pub(super) fn spread(
        dims: &[usize],
        (axis, vector): (usize, u8),
        along: usize,
        threads: u8,
    ) -> Layout {
        let axes = axes(dims);
        // The bits of an index, those of one axis first.
        let places = |first: usize| {
            let fastest = axes.get(first).copied().into_iter();
            let others = axes.iter().enumerate().rev().filter(move |(i, _)| *i != first);
            fastest.chain(others.map(|(_, a)| *a)).flat_map(|(start, bits)| start..start + bits)
        };
        let own: Vec<u8> = places(axis).take(vector.into()).collect();
        let rest = places(along).filter(|place| !own.contains(place));
        let total: u8 = axes.iter().map(|a| a.1).sum();
        let mut index = vec![Bit::Const(false); usize::from(total)];
        let mut registers = 0;
        for (order, place) in (0u8..).zip(own.iter().copied().chain(rest)) {
            index[usize::from(place)] = match order.checked_sub(own.len() as u8) {
                Some(bit) if bit < threads => Bit::Of { var: THREAD, bit },
                _ => {
                    registers += 1;
                    Bit::Of { var: REGISTER, bit: registers - 1 }
                }
            };
        }
        Layout { index: index.into(), registers }
    }

    /// The layout in which the bits of an index have these sources.
    pub(super) fn of_bits(index: Vec<Bit>) -> Layout {
        let registers = index.iter().map(|bit| match *bit {
            Bit::Of { var: REGISTER, bit } => bit + 1,
            _ => 0,
        });
        Layout { registers: registers.max().unwrap_or(0), index: index.into() }
    }

    /// The layout of a view of the block, whose elements are the block's at a renamed index. `None` if the view repeats
    /// or omits elements.
    pub(super) fn renamed(&self, map: &Rename, bits: u8) -> Option<Layout> {
        let mut index = vec![None; usize::from(bits)];
        for (source, bit) in self.index.iter().zip(map.iter()) {
            let Bit::Of { bit, .. } = *bit else { return None };
            *index.get_mut(usize::from(bit))? = Some(*source);
        }
        Some(Layout { index: index.into_iter().collect::<Option<_>>()?, ..*self })
    }

    /// Number of registers that each thread needs.
    pub fn registers(&self) -> usize {
        1 << self.registers
    }

    /// The index of a register's element.
    pub(super) fn at(&self, register: usize) -> Index {
        let bit = |bit: &Bit| match *bit {
            Bit::Of { var: REGISTER, bit } => Bit::Const(register >> bit & 1 == 1),
            other => other,
        };
        self.index.iter().map(bit).collect()
    }

    /// The register that holds the element with this index in the same thread.
    pub(super) fn find(&self, index: &Index) -> Option<usize> {
        let mut register = 0;
        for (source, bit) in self.index.iter().zip(index.iter()) {
            match (source, bit) {
                (Bit::Of { var: REGISTER, bit }, Bit::Const(one)) => {
                    register |= usize::from(*one) << bit;
                }
                (source, bit) if source == bit => {}
                _ => return None,
            }
        }
        Some(register)
    }

    /// Number of bits of an element's index.
    pub(super) fn rank(&self) -> usize {
        self.index.len()
    }

    /// The layout of a part of the block, in which these bits of an index are the same.
    pub(super) fn without(&self, bits: Range<u8>) -> Layout {
        let kept = (0u8..).zip(self.index.iter()).filter(|(at, _)| !bits.contains(at));
        Layout { index: kept.map(|(_, bit)| *bit).collect(), ..*self }
    }

    /// The layout of a block that a loop's steps take part by part, each spread like this: `bits` bits of an index from
    /// `start` on are the step.
    pub(super) fn in_steps(&self, start: u8, bits: u8) -> Layout {
        let (low, high) = self.index.split_at(usize::from(start));
        let step = (0..bits).map(|bit| Bit::Of { var: STEP, bit });
        let index = low.iter().copied().chain(step).chain(high.iter().copied()).collect();
        Layout { index, ..*self }
    }

    /// This layout taken by a loop whose steps are positions along these bits of an index. Each step has `kept`
    /// registers (log2), or more if other bits have to stay in registers. Vectors are not divided.
    pub(super) fn looped(&self, along: Range<u8>, kept: u8) -> Layout {
        let mut steps: Vec<u8> = along.filter_map(|at| self.register_of(at)).collect();
        steps.retain(|&bit| bit >= WIDEST);
        steps.sort_unstable();
        let steps =
            &steps[steps.len().saturating_sub(self.registers.saturating_sub(kept).into())..];
        let bit = |bit: &Bit| match *bit {
            Bit::Of { var: REGISTER, bit } => match steps.binary_search(&bit) {
                Ok(step) => Bit::Of { var: STEP, bit: step as u8 },
                Err(before) => Layout::register(bit - before as u8),
            },
            other => other,
        };
        let registers = self.registers - steps.len() as u8;
        Layout { index: self.index.iter().map(bit).collect(), registers }
    }

    /// The bit of the register's number that is the source of a bit of the index.
    fn register_of(&self, at: u8) -> Option<u8> {
        match self.source(at) {
            Source::Register(bit) => Some(bit),
            _ => None,
        }
    }

    /// A bit of the register's number as the source of a bit of an index.
    pub(super) fn register(bit: u8) -> Bit {
        Bit::Of { var: REGISTER, bit }
    }

    /// A bit of the thread's number as the source of a bit of an index.
    pub(super) fn thread(bit: u8) -> Bit {
        Bit::Of { var: THREAD, bit }
    }

    /// The source of a bit of the index.
    pub(super) fn source(&self, bit: u8) -> Source {
        match self.index.get(usize::from(bit)) {
            Some(Bit::Of { var: REGISTER, bit }) => Source::Register(*bit),
            Some(Bit::Of { var: THREAD, bit }) => Source::Thread(*bit),
            _ => Source::None,
        }
    }

    /// Number of bits of an element's index.
    pub(super) fn bits(&self) -> usize {
        self.index.len()
    }

    /// The bits of the thread's number that are sources.
    pub(super) fn threads(&self) -> impl Iterator<Item = u8> {
        self.index.iter().filter_map(|bit| match *bit {
            Bit::Of { var: THREAD, bit } => Some(bit),
            _ => None,
        })
    }

    /// The layout of a block without the axis that `bits` bits of the index from `start` on tell.
    pub(super) fn reduced(&self, start: u8, bits: u8) -> Reduced {
        let axis = usize::from(start)..usize::from(start + bits);
        let mut registers = 0;
        // The new number of each bit of a register that stays.
        let mut renumbered = [None; 32];
        let mut index = vec![];
        for (_, bit) in self.index.iter().enumerate().filter(|(at, _)| !axis.contains(at)) {
            index.push(match *bit {
                Bit::Of { var: REGISTER, bit } => {
                    renumbered[usize::from(bit) % 32] = Some(registers);
                    registers += 1;
                    Bit::Of { var: REGISTER, bit: registers - 1 }
                }
                other => other,
            });
        }
        let of = |register: usize| {
            let stays = renumbered
                .iter()
                .enumerate()
                .filter_map(|(old, new)| new.map(|new: u8| (register >> old & 1) << new));
            let along = self.index[axis.clone()].iter().enumerate().map(|(at, bit)| match *bit {
                Bit::Of { var: REGISTER, bit } => (register >> bit & 1) << at,
                _ => 0,
            });
            (stays.sum(), along.sum())
        };
        let threads = self.index[axis.clone()].iter().filter_map(|bit| match *bit {
            Bit::Of { var: THREAD, bit } => Some(bit),
            _ => None,
        });
        Reduced {
            layout: Layout { index: index.into(), registers },
            of: (0..self.registers()).map(of).collect(),
            threads: threads.collect(),
        }
    }

    /// The bits of the thread's number on which no element depends, of `threads`.
    pub(super) fn copies(&self, threads: u8) -> i32 {
        let used = self.index.iter().map(|bit| match bit {
            Bit::Of { var: THREAD, bit } => 1 << bit,
            _ => 0,
        });
        used.fold((1 << threads) - 1, |free, bit: i32| free & !bit)
    }
}

impl fmt::Display for Layout {
    /// The sources, highest bit of the index first: `r` for registers and `t` for threads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, bit) in self.index.iter().rev().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            match bit {
                Bit::Of { var: REGISTER, bit } => write!(f, "{gap}r{bit}")?,
                Bit::Of { var: STEP, bit } => write!(f, "{gap}k{bit}")?,
                Bit::Of { bit, .. } => write!(f, "{gap}t{bit}")?,
                Bit::Const(one) => write!(f, "{gap}{}", u8::from(*one))?,
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The element that a register of a thread holds.
    fn element(layout: &Layout, register: usize, thread: usize) -> usize {
        let bit = |bit: &Bit| match *bit {
            Bit::Of { var: THREAD, bit } => thread >> bit & 1,
            Bit::Of { .. } => 0,
            Bit::Const(one) => usize::from(one),
        };
        layout.at(register).iter().enumerate().map(|(at, b)| bit(b) << at).sum()
    }

    #[test]
    fn each_element_has_a_register_and_vectors_are_consecutive() {
        for (dims, axis) in [(&[1024][..], 0), (&[16, 64], 1), (&[16, 64], 0), (&[2, 4, 2], 1)] {
            let layout = Layout::blocked(dims, axis, 1, 5);
            let mut found = vec![0; dims.iter().product()];
            let step: usize = dims[axis + 1..].iter().product();
            for thread in 0..32 {
                for register in 0..layout.registers() {
                    let at = element(&layout, register, thread);
                    found[at] += 1;
                    if register % 2 == 1 {
                        assert_eq!(at, element(&layout, register - 1, thread) + step);
                    }
                    assert_eq!(layout.find(&layout.at(register)), Some(register));
                }
            }
            let copies = 1 << layout.copies(5).count_ones();
            assert!(found.iter().all(|&n| n == copies), "{dims:?} {found:?}");
        }
    }
}
