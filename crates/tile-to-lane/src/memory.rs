//! The threadgroup's memory: one array. Each exchange takes a part of it for as long as threads may read it.

use std::ops::Range;

/// Parts begin at multiples of the widest access, in bytes.
const ALIGN: usize = 16;

/// Up to this many bytes, more memory costs less than waiting for the threads that read the previous part.
const CHEAP: usize = 4 << 10;

/// The state of threadgroup memory at the place where code is emitted.
pub(super) struct Memory {
    /// Bytes that there are.
    limit: usize,
    /// Bytes that were ever taken.
    size: usize,
    /// Ranges of values that are still needed.
    taken: Vec<Range<usize>>,
    /// Ranges that threads may have read since they last waited for each other.
    read: Vec<Range<usize>>,
    /// Bytes that would have been needed, had there been room.
    lacking: Option<usize>,
}

/// Ranges that threads may have read.
#[derive(Clone)]
pub(super) struct Reads(Vec<Range<usize>>);

impl Memory {
    pub(super) fn new(limit: usize) -> Memory {
        Memory { limit, size: 0, taken: vec![], read: vec![], lacking: None }
    }

    /// Bytes that there are.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that were ever taken.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Allocates `bytes` bytes, if available, preferably bytes that no thread may still read.
    pub(super) fn take(&mut self, bytes: usize) -> Option<Range<usize>> {
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        let cheap = self.size.max(CHEAP).min(self.limit);
        let unread: Vec<_> = self.taken.iter().chain(&self.read).cloned().collect();
        let found = gap(&unread, bytes, cheap).or_else(|| gap(&self.taken, bytes, self.limit))?;
        self.taken.push(found.clone());
        self.size = self.size.max(found.end);
        Some(found)
    }

    /// Records that `bytes` bytes are needed in addition to the allocated ones.
    pub(super) fn lacks(&mut self, bytes: usize) {
        let taken: usize = self.taken.iter().map(ExactSizeIterator::len).sum();
        self.lacking = Some(taken.saturating_add(bytes));
    }

    /// Bytes that would have been needed, had there been room.
    pub(super) fn lacking(&self) -> Option<usize> {
        self.lacking
    }

    /// Gives a part back.
    pub(super) fn release(&mut self, part: &Range<usize>) {
        self.taken.retain(|taken| taken != part);
    }

    /// Notes that threads read a part.
    pub(super) fn note_read(&mut self, part: &Range<usize>) {
        if !self.read.contains(part) {
            self.read.push(part.clone());
        }
    }

    /// Whether threads may still read this part, so that all have to wait before others write to it.
    pub(super) fn is_read(&self, part: &Range<usize>) -> bool {
        self.read.iter().any(|read| meet(read, part))
    }

    /// Notes that all threads have waited for each other.
    pub(super) fn waited(&mut self) {
        self.read.clear();
    }

    /// Notes that code which is not emitted yet may have run before: threads may read anything.
    pub(super) fn repeats(&mut self) {
        self.read.clear();
        self.read.push(0..usize::MAX);
    }

    pub(super) fn reads(&self) -> Reads {
        Reads(self.read.clone())
    }

    /// Returns to what threads may have read at a place of the code.
    pub(super) fn resume(&mut self, at: Reads) {
        self.read = at.0;
    }

    /// Adds what threads may have read on another way through the code.
    pub(super) fn join(&mut self, other: Reads) {
        other.0.iter().for_each(|part| self.note_read(part));
    }
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The first `bytes` bytes below `limit` that overlap none of `parts`.
fn gap(parts: &[Range<usize>], bytes: usize, limit: usize) -> Option<Range<usize>> {
    let mut starts: Vec<usize> =
        parts.iter().map(|part| part.end).chain([0]).filter(|&start| start < limit).collect();
    starts.sort_unstable();
    let ranges = starts.into_iter().map(|start| start..start.saturating_add(bytes));
    ranges.filter(|range| range.end <= limit).find(|range| !parts.iter().any(|p| meet(p, range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_meet_and_memory_is_used_again() {
        let mut memory = Memory::new(32 << 10);
        let a = memory.take(100).unwrap();
        let b = memory.take(16 << 10).unwrap();
        assert!((a.clone(), b.clone()) == (0..112, 112..(16 << 10) + 112));
        assert_eq!(memory.take(16 << 10), None);
        memory.note_read(&b);
        memory.release(&b);
        // Large parts are taken where threads still read.
        let c = memory.take(20 << 10).unwrap();
        assert!(c.start == 112 && memory.is_read(&c));
        memory.waited();
        assert!(!memory.is_read(&c) && memory.size() == 112 + (20 << 10));
        // Small parts are taken beside it.
        let mut memory = Memory::new(32 << 10);
        memory.note_read(&a);
        let d = memory.take(4).unwrap();
        assert!(d.start == a.end && !memory.is_read(&d));
    }

    #[test]
    fn after_a_repeat_all_is_read() {
        let mut memory = Memory::new(1 << 10);
        let before = memory.reads();
        memory.repeats();
        let part = memory.take(16).unwrap();
        assert!(memory.is_read(&part));
        memory.waited();
        memory.note_read(&part);
        let after = memory.reads();
        memory.resume(before);
        assert!(!memory.is_read(&part));
        memory.join(after);
        assert!(memory.is_read(&part));
    }
}
