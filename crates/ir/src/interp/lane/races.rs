//! Finds races: unordered accesses of different threads to the same byte, unless all are reads or all are atomic.
//!
//! Barriers order accesses to the memory that they name: a threadgroup's barrier orders its threads, a simdgroup's its
//! lanes. So an access has two epochs, the numbers of barriers of each kind before it, and of two accesses the one with
//! the lesser epoch comes first. No barrier orders threadgroups. For each byte, only accesses that later ones may race
//! with are kept. An access that precedes a kept one also precedes everything after the kept one. By fences and atomics
//! a threadgroup may order itself after others: its accesses after a fence do not race with theirs.

use crate::Op;
use crate::lane::{MAX_THREADS, SIMDGROUP};
use crate::op::words::BarrierMemory;
use crate::types::Space;
use std::collections::HashMap;
use std::ops::Range;

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Read,
    Write,
    Atomic,
}

impl Manner {
    pub(super) fn name(self) -> &'static str {
        match self {
            Manner::Read => "read",
            Manner::Write => "write",
            Manner::Atomic => "atomic access",
        }
    }
}

/// The origin of an access: one lane, or a whole simdgroup when its lanes' shares are not specified.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    simdgroup: usize,
    /// A bit for each lane.
    lanes: u32,
    whole: bool,
}

impl Who {
    pub(super) fn thread(thread: usize) -> Who {
        Who { simdgroup: thread / SIMDGROUP, lanes: 1 << (thread % SIMDGROUP), whole: false }
    }

    pub(super) fn simdgroup_of(thread: usize) -> Who {
        Who { simdgroup: thread / SIMDGROUP, lanes: u32::MAX, whole: true }
    }
}

/// Accesses by lanes of one simdgroup in one epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'m> {
    pub(super) op: &'m Op,
    threadgroup: [u32; 3],
    who: Who,
    /// Barriers of the threadgroup, and then of the simdgroup, before it.
    epoch: (u32, u32),
    /// Whether its threadgroup had a fence before it.
    fenced: bool,
}

impl<'m> Seen<'m> {
    /// Whether nothing orders this access and a later one by another thread.
    fn races(&self, later: &Seen<'m>) -> bool {
        if self.threadgroup != later.threadgroup {
            return !later.fenced;
        }
        let same = self.who.simdgroup == later.who.simdgroup;
        match self.epoch.0 == later.epoch.0 {
            false => false,
            true if !same => true,
            true => {
                self.epoch.1 == later.epoch.1 && (self.who.lanes | later.who.lanes).count_ones() > 1
            }
        }
    }

    /// Whether both can be kept as one.
    fn joins(&self, other: &Seen<'m>) -> bool {
        self.threadgroup == other.threadgroup && self.who.simdgroup == other.who.simdgroup
    }

    /// The accesses by threads other than this one.
    fn without(mut self, now: &Seen<'m>) -> Seen<'m> {
        let rest = self.who.lanes & !now.who.lanes;
        if self.joins(now) && rest != 0 {
            self.who.lanes = rest;
        }
        self
    }

    /// The one who did it, as seen from a threadgroup.
    pub(super) fn name(&self, from: [u32; 3]) -> String {
        let Who { simdgroup, lanes, whole } = self.who;
        let who = match whole {
            true => format!("simdgroup {simdgroup}"),
            false => format!("thread {}", simdgroup * SIMDGROUP + lanes.trailing_zeros() as usize),
        };
        match self.threadgroup == from {
            true => who,
            false => {
                let [x, y, z] = self.threadgroup;
                format!("{who} of threadgroup ({x}, {y}, {z})")
            }
        }
    }
}

/// Accesses to a byte.
#[derive(Debug, Default)]
struct Cell<'m> {
    written: Option<Seen<'m>>,
    read: Vec<Seen<'m>>,
    atomic: Vec<Seen<'m>>,
}

/// Memory with its barriers.
#[derive(Debug, Default)]
struct Domain<'m> {
    cells: HashMap<u64, Cell<'m>>,
    barriers: u32,
    /// By simdgroup.
    simd_barriers: [u32; MAX_THREADS as usize / SIMDGROUP],
}

/// An earlier access that races.
pub(super) struct Conflict<'m> {
    /// The byte.
    pub(super) address: u64,
    pub(super) other: Seen<'m>,
    /// Whether it was no mere read.
    pub(super) write: bool,
}

/// All accesses to the device's memory and to the threadgroup's.
#[derive(Debug, Default)]
pub(super) struct Races<'m> {
    id: [u32; 3],
    fenced: bool,
    device: Domain<'m>,
    threadgroup: Domain<'m>,
}

impl<'m> Races<'m> {
    /// Another threadgroup runs.
    pub(super) fn start(&mut self, id: [u32; 3]) {
        self.id = id;
        self.fenced = false;
        self.threadgroup = Domain::default();
    }

    /// A fence between threadgroups.
    pub(super) fn fence(&mut self) {
        self.fenced = true;
    }

    /// A barrier of the threadgroup, or of one of its simdgroups, for this memory.
    pub(super) fn barrier(&mut self, memory: BarrierMemory, simdgroup: Option<usize>) {
        let (device, threadgroup) = match memory {
            BarrierMemory::Threadgroup => (false, true),
            BarrierMemory::Device => (true, false),
            BarrierMemory::Both => (true, true),
            BarrierMemory::None => (false, false),
        };
        for (domain, orders) in [(&mut self.device, device), (&mut self.threadgroup, threadgroup)] {
            match simdgroup.filter(|_| orders) {
                Some(i) => domain.simd_barriers[i] += 1,
                None if orders => domain.barriers += 1,
                None => {}
            }
        }
    }

    /// Adds an access to bytes that comes after all others, or gives one with which it races.
    pub(super) fn record(
        &mut self,
        space: Space,
        bytes: Range<u64>,
        op: &'m Op,
        manner: Manner,
        who: Who,
    ) -> Result<(), Box<Conflict<'m>>> {
        let domain = match space {
            Space::Threadgroup => &mut self.threadgroup,
            _ => &mut self.device,
        };
        let epoch = (domain.barriers, domain.simd_barriers[who.simdgroup]);
        let fenced = self.fenced && space == Space::Device;
        let now = Seen { op, threadgroup: self.id, who, epoch, fenced };
        for address in bytes {
            let cell = domain.cells.entry(address).or_default();
            let former = [
                (cell.written.as_slice(), true),
                (if manner == Manner::Atomic { &[] } else { &cell.atomic }, true),
                (if manner == Manner::Read { &[] } else { &cell.read }, false),
            ];
            for (seen, write) in former {
                if let Some(other) = seen.iter().find(|seen| seen.races(&now)) {
                    let other = other.without(&now);
                    return Err(Box::new(Conflict { address, other, write }));
                }
            }
            match manner {
                Manner::Read => add(&mut cell.read, now),
                Manner::Atomic => add(&mut cell.atomic, now),
                // All former accesses come before this one.
                Manner::Write => *cell = Cell { written: Some(now), ..Cell::default() },
            }
        }
        Ok(())
    }
}

fn add<'m>(list: &mut Vec<Seen<'m>>, now: Seen<'m>) {
    // All other threadgroups race, so one of them is enough.
    if list.last().is_some_and(|last| last.threadgroup != now.threadgroup) {
        list.truncate(1);
    }
    match list.iter_mut().find(|seen| seen.joins(&now)) {
        Some(seen) if seen.epoch == now.epoch => {
            seen.who.lanes |= now.who.lanes;
            seen.who.whole |= now.who.whole;
        }
        Some(seen) => *seen = now,
        None => list.push(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpKind;

    /// An access in a list of all, and the barriers before it.
    struct Access {
        threadgroup: u32,
        thread: usize,
        manner: Manner,
        barriers: u32,
        simd_barriers: [u32; 2],
    }

    /// Whether two accesses race, as the module's documentation defines.
    fn race(a: &Access, b: &Access) -> bool {
        let (same_group, same_simd) =
            (a.threadgroup == b.threadgroup, a.thread / 32 == b.thread / 32);
        let simd = a.thread / 32;
        let ordered = same_group
            && (a.thread == b.thread
                || a.barriers < b.barriers
                || (same_simd && a.simd_barriers[simd] < b.simd_barriers[simd]));
        let harmless = a.manner == b.manner && a.manner != Manner::Write;
        !ordered && !harmless
    }

    /// Accesses to one byte and barriers, in random order: the first access that races with any before it is found.
    #[test]
    fn accesses_that_are_kept_are_enough() {
        let op = Op::new(OpKind::Load, vec![], vec![]);
        let mut seed = 1u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        let (mut found, mut fine) = (0, 0);
        for _ in 0..20_000 {
            let (mut races, mut all): (Races<'_>, Vec<Access>) = (Races::default(), vec![]);
            let (mut threadgroup, mut barriers, mut simd_barriers) = (0, 0, [0; 2]);
            races.start([0; 3]);
            // Writes are rare in some runs, barriers in others.
            let (writes, rests) = (1 + below(50), 1 + below(8));
            for _ in 0..40 {
                match below(6 * rests) {
                    0 => {
                        threadgroup += 1;
                        races.start([threadgroup, 0, 0]);
                    }
                    1..=3 => {
                        barriers += 1;
                        races.barrier(BarrierMemory::Both, None);
                    }
                    4 | 5 => {
                        let simdgroup = below(2) as usize;
                        simd_barriers[simdgroup] += 1;
                        races.barrier(BarrierMemory::Device, Some(simdgroup));
                    }
                    _ => {}
                }
                let manner = match below(writes) {
                    0 => Manner::Write,
                    1 => Manner::Atomic,
                    _ => Manner::Read,
                };
                let thread = [0, 1, 2, 32, 33][below(5) as usize];
                let now = Access { threadgroup, thread, manner, barriers, simd_barriers };
                let expected = all.iter().any(|former| race(former, &now));
                let who = Who::thread(thread);
                let outcome = races.record(Space::Device, 8..9, &op, manner, who);
                assert_eq!(outcome.is_err(), expected, "{manner:?} by {thread}");
                if expected {
                    found += 1;
                    break;
                }
                fine += 1;
                all.push(now);
            }
        }
        assert!(found > 10_000 && fine > 50_000, "{found} races, {fine} others");
    }
}
