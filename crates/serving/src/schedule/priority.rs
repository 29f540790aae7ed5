//! The order of the requests of one model.

use std::cmp::Ordering;
use std::num::NonZeroU64;

/// The urgency of a request among the requests of its model. The more urgent one is the greater one.
///
/// Configurations and protocols number levels from 1, the most urgent one. Only this type compares levels.
///
/// ```
/// use trident_serving::Priority;
///
/// assert!(Priority::level(1) > Priority::level(2));
/// assert_eq!(Priority::level(1), Some(Priority::HIGHEST));
/// assert_eq!(Priority::level(0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Priority(NonZeroU64);

impl Priority {
    /// Level 1.
    pub const HIGHEST: Priority = Priority(NonZeroU64::MIN);

    /// A level, from 1 on. Level 0 stands for none: the model's default applies.
    pub fn level(level: u64) -> Option<Priority> {
        NonZeroU64::new(level).map(Priority)
    }

    /// The number of the level.
    pub fn number(self) -> u64 {
        self.0.get()
    }
}

impl Ord for Priority {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.cmp(&self.0)
    }
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
