//! Findings of the checker.

use std::fmt;

/// The rule of Metal that a kernel breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// An access outside of the buffers bound to the kernel, its threadgroup variables and the thread's own variables, or
    /// an index outside of an array.
    OutOfBounds,
    /// A read of memory that nothing has written: threadgroup memory, or a buffer whose content was discarded.
    Uninitialised,
    /// Two unordered accesses by different threads, at least one of them a write and at least one not atomic.
    Race,
    /// A `threadgroup_barrier` that some threads of the threadgroup do not reach, or reach elsewhere.
    DivergentBarrier,
    /// A function of a simdgroup, or a `simdgroup_barrier`, that some lanes do not reach, or reach elsewhere.
    DivergentSimd,
    /// An argument of a function of a simdgroup that must be the same in all lanes.
    NotUniform,
    /// A lane that does not exist, or does not take part, is read.
    BadLane,
    /// An address that is not a multiple of the type's alignment.
    Misaligned,
    /// Two buffers of a dispatch share memory that the kernel may write.
    Overlap,
    /// Threads have returned before a barrier or a function of a simdgroup. Apple's GPUs allow it, others do not.
    EarlyReturn,
}

impl FindingKind {
    /// Whether the kernel is right on Apple's GPUs, but not portable.
    pub fn is_warning(self) -> bool {
        self == FindingKind::EarlyReturn
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out of bounds",
            FindingKind::Uninitialised => "uninitialised read",
            FindingKind::Race => "race",
            FindingKind::DivergentBarrier => "divergent barrier",
            FindingKind::DivergentSimd => "divergent simdgroup function",
            FindingKind::NotUniform => "not uniform",
            FindingKind::BadLane => "bad lane",
            FindingKind::Misaligned => "misaligned access",
            FindingKind::Overlap => "overlapping buffers",
            FindingKind::EarlyReturn => "early return",
        }
    }
}

/// A place in the source, after `#line`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessPlace {
    /// The file that the last `#line` names; empty without one.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for AccessPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() { "msl" } else { &self.file };
        write!(f, "{file}:{}", self.line)
    }
}

/// A defect of a kernel. The same defect at the same place is reported once for each dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The rule.
    pub kind: FindingKind,
    /// The kernel.
    pub kernel: String,
    /// Where it happened.
    pub place: AccessPlace,
    /// The other access of a race.
    pub other: Option<AccessPlace>,
    /// The buffer's parameter or threadgroup variable, where there is one.
    pub variable: String,
    /// Position of the threadgroup in the grid.
    pub group: [u32; 3],
    /// Position of the thread in the threadgroup.
    pub thread: [u32; 3],
    /// The event, with bytes and lanes.
    pub detail: String,
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, thread) = (self.group, self.thread);
        write!(f, "{}: {}: {}", self.kind.name(), self.place, self.detail)?;
        write!(f, ", by thread {thread:?} of threadgroup {group:?} in kernel `{}`", self.kernel)?;
        self.other.as_ref().map_or(Ok(()), |other| write!(f, "; the other access: {other}"))
    }
}
