//! Findings of the checker.

use std::fmt;

/// The rule of Metal that a kernel breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An access outside of the buffers bound to the kernel, its threadgroup variables and the thread's own variables, or
    /// an index outside of an array.
    OutOfBounds,
    /// A read of memory that nothing has written: threadgroup memory, or a buffer whose content was discarded.
    Uninitialised,
    /// Two accesses by different threads that nothing orders, at least one of which writes and one of which is not
    /// atomic.
    Race,
    /// A `threadgroup_barrier` that some threads of the threadgroup do not reach, or reach elsewhere.
    DivergentBarrier,
    /// A function of a simdgroup, or a `simdgroup_barrier`, that some lanes do not reach, or reach elsewhere.
    DivergentSimd,
    /// An argument of a function of a simdgroup that must be the same in all lanes.
    NotUniform,
    /// A lane that does not exist, or does not take part, is read.
    BadLane,
    /// An address that is no multiple of the type's alignment.
    Misaligned,
    /// Two buffers of a dispatch share memory that the kernel may write.
    Overlap,
    /// Threads have returned before a barrier or a function of a simdgroup. Apple's GPUs allow it, others do not.
    EarlyReturn,
}

impl Kind {
    /// Whether the kernel is right on Apple's GPUs, but not portable.
    pub fn is_warning(self) -> bool {
        self == Kind::EarlyReturn
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OutOfBounds => "out of bounds",
            Kind::Uninitialised => "uninitialised read",
            Kind::Race => "race",
            Kind::DivergentBarrier => "divergent barrier",
            Kind::DivergentSimd => "divergent simdgroup function",
            Kind::NotUniform => "not uniform",
            Kind::BadLane => "bad lane",
            Kind::Misaligned => "misaligned access",
            Kind::Overlap => "overlapping buffers",
            Kind::EarlyReturn => "early return",
        }
    }
}

/// A place in the source, after `#line`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file that the last `#line` names; empty without one.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() { "msl" } else { &self.file };
        write!(f, "{file}:{}", self.line)
    }
}

/// A defect of a kernel. The same defect at the same place is reported once for each dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The rule.
    pub kind: Kind,
    /// The kernel.
    pub kernel: String,
    /// Where it happened.
    pub place: Place,
    /// The other access of a race.
    pub other: Option<Place>,
    /// The buffer's parameter or threadgroup variable, where there is one.
    pub variable: String,
    /// Position of the threadgroup in the grid.
    pub group: [u32; 3],
    /// Position of the thread in the threadgroup.
    pub thread: [u32; 3],
    /// The event, with bytes and lanes.
    pub detail: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, thread) = (self.group, self.thread);
        write!(f, "{}: {}: {}", self.kind.name(), self.place, self.detail)?;
        write!(f, ", by thread {thread:?} of threadgroup {group:?} in kernel `{}`", self.kernel)?;
        self.other.as_ref().map_or(Ok(()), |other| write!(f, "; the other access: {other}"))
    }
}
