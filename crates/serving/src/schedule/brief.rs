//! Runs that take less time than a change of threads.

use std::time::Duration;

/// About the time that two changes of threads take: to a thread of the scheduler, and back with the answer.
pub(super) const BRIEF: Duration = Duration::from_micros(50);

/// The runs of a model that were brief, where the time of a run follows from the size of its inputs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BriefRuns {
    /// The largest inputs of a batch, in bytes, that took so little time.
    most: Option<usize>,
    /// The inputs of a batch that should have taken so little time and did not, unless larger ones did since. Once may be chance: a
    /// thread loses its core for a moment.
    late: Option<usize>,
}

impl BriefRuns {
    /// Notes that a batch with inputs of this size took so long.
    pub(super) fn record(&mut self, size: usize, time: Duration) {
        if time <= BRIEF {
            self.most = self.most.max(Some(size));
            self.late = self.late.filter(|&late| late > size);
        } else if self.has(size) {
            match self.late.take() {
                None => self.late = Some(size),
                Some(late) => self.most = late.min(size).checked_sub(1),
            }
        }
    }

    /// Whether any batch is known to be brief.
    pub(super) fn has_any(&self) -> bool {
        self.most.is_some()
    }

    /// Whether a batch with inputs of this size is known to be brief.
    pub(super) fn has(&self, size: usize) -> bool {
        self.most.is_some_and(|most| size <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_batches_are_not_known_to_be_brief() {
        let mut runs = BriefRuns::default();
        assert!(!runs.has(0) && !runs.has_any());
        runs.record(64, BRIEF);
        runs.record(16, BRIEF);
        assert!(runs.has_any());
        assert!(runs.has(64) && !runs.has(65));
        runs.record(65, BRIEF * 2);
        assert!(runs.has(64));
    }

    #[test]
    fn two_late_runs_are_no_chance() {
        let mut runs = BriefRuns::default();
        runs.record(64, BRIEF);
        runs.record(32, BRIEF * 2);
        runs.record(48, BRIEF);
        runs.record(32, BRIEF * 2);
        assert!(runs.has(64));
        // Smaller ones tell nothing about it.
        runs.record(16, BRIEF);
        runs.record(40, BRIEF * 2);
        assert!(runs.has(31) && !runs.has(32));
        runs.record(64, BRIEF);
        assert!(runs.has(64));
        runs.record(0, BRIEF * 2);
        runs.record(0, BRIEF * 2);
        assert!(!runs.has(0) && !runs.has_any());
    }
}
