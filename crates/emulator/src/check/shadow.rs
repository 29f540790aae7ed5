//! Which threads have accessed a byte of memory, and whether the accesses are ordered.
//!
//! Each unit of 1, 2 or 4 bytes of a range has the last write and what is known of the reads and atomics since. A range
//! begins with units of 4 bytes, and is divided when an access needs smaller ones, so threads that write neighbouring
//! bytes are never taken for a race.

use std::fmt;

/// Who accesses, and when: epochs count the barriers that order this kind of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Linear index of the threadgroup.
    pub group: u32,
    /// Index of the thread in its threadgroup.
    pub thread: u32,
    /// Barriers of threadgroups so far, in this dispatch; at least 1.
    pub epoch: u32,
    /// Barriers of the simdgroup so far, in this threadgroup.
    pub simd_epoch: u32,
    /// Whether a fence was passed, after which accesses do not race with other threadgroups.
    pub fenced: bool,
    /// Address of the code, from the start of its image.
    pub pc: u32,
}

/// The effect of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub read: bool,
    pub write: bool,
    pub atomic: bool,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.atomic { "atomic " } else { "" })?;
        f.write_str(match (self.read, self.write) {
            (true, true) => "read and write",
            (true, false) => "read",
            _ => "write",
        })
    }
}

/// Accesses of one sort.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    epoch: u32,
    simd_epoch: u32,
    group: u32,
    thread: u16,
    flags: u16,
    pc: u32,
}

const MANY_GROUPS: u16 = 1;
const MANY_SIMDGROUPS: u16 = 2;
const MANY_LANES: u16 = 4;
const WRITES: u16 = 8;

impl Record {
    /// Whether all the accesses come before, by barriers or in the same thread.
    fn before(&self, now: &Moment) -> bool {
        if self.epoch == 0 {
            return true;
        }
        if self.flags & MANY_GROUPS != 0 || self.group != now.group {
            return now.fenced;
        }
        if self.epoch < now.epoch {
            return true;
        }
        if self.flags & MANY_SIMDGROUPS != 0 || u32::from(self.thread) / 32 != now.thread / 32 {
            return false;
        }
        self.simd_epoch < now.simd_epoch
            || self.flags & MANY_LANES == 0 && u32::from(self.thread) == now.thread
    }

    fn add(&mut self, now: &Moment) {
        let fresh = Record {
            epoch: now.epoch,
            simd_epoch: now.simd_epoch,
            group: now.group,
            thread: now.thread as u16, // below 1,024
            flags: 0,
            pc: now.pc,
        };
        let kept = self.flags & (MANY_GROUPS | WRITES);
        if self.epoch == 0 {
            *self = fresh;
        } else if self.group != now.group {
            *self = Record { flags: kept | MANY_GROUPS, ..fresh };
        } else if self.epoch < now.epoch {
            *self = Record { flags: kept, ..fresh };
        } else if u32::from(self.thread) / 32 != now.thread / 32 {
            self.flags |= MANY_SIMDGROUPS;
        } else if self.simd_epoch < now.simd_epoch {
            *self = Record { flags: kept | self.flags & MANY_SIMDGROUPS, ..fresh };
        } else if u32::from(self.thread) != now.thread {
            self.flags |= MANY_LANES;
        }
    }
}

/// Knowledge about a unit. All zeros: never accessed.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Record,
    read: Record,
    atomic: Record,
    written: bool,
}

/// Cells of a part of a range.
type Chunk = Box<[Cell]>;

/// The most cells of a chunk.
const CHUNK: usize = 4096;

/// The accesses to a range of memory. Parts that are never accessed take no memory.
pub(crate) struct Shadow {
    chunks: Vec<Option<Chunk>>,
    /// Cells of a chunk.
    length: usize,
    /// log2 of a unit's bytes.
    unit: u32,
    /// Whether reads must follow writes.
    tracked: bool,
}

/// A finding about an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A read of a byte that was never written, at an offset in bytes.
    Unwritten(usize),
    /// A race at an offset, with the other access.
    Race { offset: usize, thread: u32, group: u32, pc: u32, wrote: bool },
}

impl Shadow {
    /// For `bytes` bytes at an address that is a multiple of 4.
    pub(crate) fn new(bytes: usize, tracked: bool) -> Shadow {
        let cells = bytes.div_ceil(4).max(1);
        let length = cells.min(CHUNK);
        let chunks = vec![None; cells.div_ceil(length)];
        Shadow { chunks, length, unit: 2, tracked }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.chunks.iter_mut().flatten().for_each(|chunk| chunk.fill(Cell::default()));
    }

    /// The cell of a unit.
    fn cell(&mut self, index: usize) -> &mut Cell {
        let length = self.length;
        let chunk = &mut self.chunks[index / length];
        let chunk = chunk.get_or_insert_with(|| vec![Cell::default(); length].into());
        &mut chunk[index % length]
    }

    /// Marks bytes that were written before the dispatch. Their number is that of the range.
    pub(crate) fn set_written(&mut self, written: &[bool]) {
        while self.unit > 0
            && written
                .chunks(1 << self.unit)
                .any(|unit| unit.contains(&true) == unit.contains(&false))
        {
            self.divide();
        }
        for (index, unit) in written.chunks(1 << self.unit).enumerate() {
            if unit[0] {
                self.cell(index).written = true;
            }
        }
    }

    /// Adds what the dispatch has written to `written`.
    pub(crate) fn add_written(&self, written: &mut [bool]) {
        for (chunk, bytes) in self.chunks.iter().zip(written.chunks_mut(self.length << self.unit)) {
            let units = bytes.chunks_mut(1 << self.unit);
            for (cell, unit) in chunk.iter().flatten().zip(units) {
                if cell.written {
                    unit.fill(true);
                }
            }
        }
    }

    /// Halves the units.
    fn divide(&mut self) {
        self.unit -= 1;
        let length = self.length;
        let halves = |chunk: Option<Chunk>| {
            let half = |range: std::ops::Range<usize>| {
                let cells = chunk.as_ref()?;
                Some(range.map(|i| cells[i / 2]).collect::<Chunk>())
            };
            [half(0..length), half(length..2 * length)]
        };
        self.chunks = std::mem::take(&mut self.chunks).into_iter().flat_map(halves).collect();
    }

    /// Records an access to `bytes` bytes from `offset`, which lie in the range, and returns its faults.
    pub(crate) fn access(
        &mut self,
        offset: usize,
        bytes: usize,
        access: Access,
        now: &Moment,
    ) -> Option<Finding> {
        while self.unit > 0 && (offset | bytes) & ((1 << self.unit) - 1) != 0 {
            self.divide();
        }
        let (unit, tracked) = (self.unit, self.tracked);
        let mut finding = None;
        for index in offset >> unit..(offset + bytes) >> unit {
            let found = self.cell(index).access(access, now, tracked);
            if finding.is_none()
                && let Some(found) = found
            {
                let offset = index << unit;
                finding = Some(match found {
                    None => Finding::Unwritten(offset),
                    Some((record, wrote)) => Finding::Race {
                        offset,
                        thread: record.thread.into(),
                        group: record.group,
                        pc: record.pc,
                        wrote,
                    },
                });
            }
        }
        finding
    }
}

impl Cell {
    /// The fault: a read of memory that was not written (`None`), or a race with a record.
    fn access(
        &mut self,
        access: Access,
        now: &Moment,
        tracked: bool,
    ) -> Option<Option<(Record, bool)>> {
        let mut found = None;
        if !self.write.before(now) {
            found = Some(Some((self.write, true)));
        } else if access.write && !self.read.before(now) {
            found = Some(Some((self.read, false)));
        } else if !access.atomic
            && (access.write || self.atomic.flags & WRITES != 0)
            && !self.atomic.before(now)
        {
            found = Some(Some((self.atomic, self.atomic.flags & WRITES != 0)));
        } else if access.read && tracked && !self.written {
            found = Some(None);
        }
        if matches!(found, Some(Some(_))) {
            // One report: what follows is compared with this access only.
            *self = Cell { written: self.written, ..Cell::default() };
        }
        if access.atomic {
            self.atomic.add(now);
            if access.write {
                self.atomic.flags |= WRITES;
            }
        } else {
            if access.read {
                self.read.add(now);
            }
            if access.write {
                self.write = Record::default();
                self.write.add(now);
            }
        }
        self.written |= access.write;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Access = Access { read: true, write: false, atomic: false };
    const WRITE: Access = Access { read: false, write: true, atomic: false };
    const ADD: Access = Access { read: true, write: true, atomic: true };
    const LOAD: Access = Access { read: true, write: false, atomic: true };

    fn at(group: u32, thread: u32, epoch: u32, simd_epoch: u32) -> Moment {
        Moment { group, thread, epoch, simd_epoch, fenced: false, pc: 0 }
    }

    fn races(steps: &[(Access, Moment)]) -> bool {
        let mut shadow = Shadow::new(4, false);
        steps.iter().any(|(access, now)| shadow.access(0, 4, *access, now).is_some())
    }

    #[test]
    fn barriers_order_what_they_cover() {
        for (first, second) in
            [(WRITE, READ), (READ, WRITE), (WRITE, WRITE), (ADD, READ), (WRITE, ADD), (LOAD, WRITE)]
        {
            assert!(races(&[(first, at(0, 0, 1, 0)), (second, at(0, 1, 1, 0))]));
            assert!(races(&[(first, at(0, 0, 1, 0)), (second, at(1, 0, 2, 0))]));
            assert!(races(&[(first, at(0, 0, 1, 0)), (second, at(0, 33, 1, 1))]));
            assert!(!races(&[(first, at(0, 0, 1, 0)), (second, at(0, 0, 1, 0))]));
            assert!(!races(&[(first, at(0, 0, 1, 0)), (second, at(0, 1, 2, 0))]));
            assert!(!races(&[(first, at(0, 0, 1, 0)), (second, at(0, 1, 1, 1))]));
        }
        for (first, second) in [(READ, READ), (ADD, ADD), (LOAD, READ), (LOAD, ADD)] {
            assert!(!races(&[(first, at(0, 0, 1, 0)), (second, at(1, 1, 2, 0))]));
        }
    }

    #[test]
    fn behind_a_fence_other_threadgroups_do_not_race() {
        let fenced = |group, epoch| Moment { fenced: true, ..at(group, 0, epoch, 0) };
        assert!(!races(&[(WRITE, at(0, 0, 1, 0)), (READ, fenced(1, 2)), (WRITE, fenced(2, 3))]));
        assert!(races(&[(WRITE, fenced(0, 1)), (READ, at(1, 0, 2, 0))]));
        assert!(races(&[(WRITE, fenced(0, 1)), (READ, Moment { thread: 1, ..fenced(0, 1) })]));
    }

    #[test]
    fn no_reader_is_forgotten() {
        // The writer's own read is the last of several.
        assert!(races(&[(READ, at(0, 1, 1, 0)), (READ, at(0, 0, 1, 0)), (WRITE, at(0, 0, 1, 0))]));
        assert!(races(&[(READ, at(0, 40, 1, 0)), (READ, at(0, 0, 1, 0)), (WRITE, at(0, 0, 1, 0))]));
        assert!(races(&[(READ, at(0, 0, 1, 0)), (READ, at(1, 0, 2, 0)), (WRITE, at(1, 0, 2, 0))]));
        assert!(races(&[(ADD, at(0, 0, 1, 0)), (ADD, at(1, 0, 2, 0)), (READ, at(1, 0, 3, 0))]));
        // A barrier of one simdgroup does not order the reads of another.
        assert!(races(&[
            (READ, at(0, 40, 1, 0)),
            (READ, at(0, 0, 1, 0)),
            (READ, at(0, 0, 1, 1)),
            (WRITE, at(0, 0, 1, 1))
        ]));
    }

    #[test]
    fn neighbouring_bytes_are_apart() {
        let mut shadow = Shadow::new(7, true);
        for byte in 0..7 {
            assert_eq!(shadow.access(byte, 1, WRITE, &at(0, byte as u32, 1, 0)), None);
        }
        assert!(shadow.access(3, 1, READ, &at(0, 0, 1, 0)).is_some());
        assert!(shadow.access(4, 2, READ, &at(0, 0, 2, 0)).is_none());
    }

    #[test]
    fn bytes_become_written_one_by_one() {
        let mut shadow = Shadow::new(8, true);
        shadow.set_written(&[true, true, true, false, false, false, false, false]);
        assert_eq!(shadow.access(0, 2, READ, &at(0, 0, 1, 0)), None);
        assert_eq!(shadow.access(0, 4, READ, &at(0, 0, 1, 0)), Some(Finding::Unwritten(3)));
        shadow.access(4, 4, WRITE, &at(0, 0, 1, 0));
        assert_eq!(shadow.access(4, 4, READ, &at(0, 0, 1, 0)), None);
    }
}
