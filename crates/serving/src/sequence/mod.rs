//! Sequences of requests: their ids, the inputs that tell a model about them, and the states that they keep.

mod controls;
mod fault;
mod initial;
mod states;

pub(crate) use controls::{Controls, control_values};
pub use fault::SequenceFault;
pub(crate) use initial::InitialStates;
pub use initial::StateFault;
pub(crate) use states::{Kept, StateSpec, States};

use std::fmt;

/// A request's place in a sequence. Models without `sequence_batching` ignore it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The sequence's id.
    pub id: Correlation,
    /// Whether the request is the first one. If a sequence of this id has not ended, it starts anew.
    pub start: bool,
    /// Whether the request is the last one.
    pub end: bool,
}

/// The id of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Correlation {
    /// A number; 0 for none.
    Number(u64),
    /// A text; empty for none.
    Text(String),
}

impl Correlation {
    /// Whether it is no id.
    pub(crate) fn is_none(&self) -> bool {
        match self {
            Correlation::Number(number) => *number == 0,
            Correlation::Text(text) => text.is_empty(),
        }
    }
}

impl Default for Correlation {
    fn default() -> Correlation {
        Correlation::Number(0)
    }
}

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Correlation::Number(number) => number.fmt(f),
            Correlation::Text(text) => text.fmt(f),
        }
    }
}
