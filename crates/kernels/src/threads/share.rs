//! Numbers distributed among the members of a team so that each gets adjacent ones and all finish together.

use std::ops::Range;

use super::Padded;
use crate::sync::{AtomicUsize, Ordering};

/// A range split into one share for each member. A member takes pieces of its own share, progressively shorter ones,
/// and then of shares that others have not reached: for an equal range it gets the same part of memory at every launch.
///
/// Every share is taken from its front, and the shares of others in order from the first. The first number not yet done
/// is therefore either in progress or the next that some member takes, so a piece may wait for earlier pieces.
pub struct Shares {
    shares: Vec<Padded<Share>>,
    least: usize,
}

struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Shares {
    /// Splits `range` among `members`, in pieces of at least `least` unless that would be too uneven.
    pub fn new(range: Range<usize>, members: usize, least: usize) -> Self {
        let (each, more) = (range.len() / members, range.len() % members);
        let bound = |i: usize| range.start + i * each + i.min(more);
        let share = |i| Padded(Share { next: AtomicUsize::new(bound(i)), end: bound(i + 1) });
        Self { shares: (0..members).map(share).collect(), least: least.clamp(1, each / 4 + 1) }
    }

    /// The next piece for a member, `None` when nothing is left.
    pub fn take(&self, member: usize) -> Option<Range<usize>> {
        let own = self.shares[member].0.take(self.least);
        own.or_else(|| self.shares.iter().find_map(|share| share.0.take(self.least)))
    }
}

impl Share {
    fn take(&self, least: usize) -> Option<Range<usize>> {
        let mut first = self.next.load(Ordering::Relaxed);
        while first < self.end {
            let end = (first + least.max((self.end - first) / 2)).min(self.end);
            match self.next.compare_exchange_weak(first, end, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some(first..end),
                Err(now) => first = now,
            }
        }
        None
    }
}
