//! Parameters of requests.

use std::time::Duration;

/// Parameters with a meaning, and others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The sequence that the request belongs to.
    pub sequence: Sequence,
    /// The level of the model's queue, 1 for the highest; 0 for the model's default.
    pub priority: u64,
    /// The longest time in the queue; zero for the model's default.
    pub timeout: Duration,
    /// Whether outputs that are not listed are given as bytes.
    pub binary_output: bool,
    /// Parameters without a meaning to the server, in the client's order.
    pub others: Vec<(String, Parameter)>,
}

/// A request's place in a sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The sequence's name.
    pub id: Correlation,
    /// Whether the request is the first one.
    pub start: bool,
    /// Whether the request is the last one.
    pub end: bool,
}

/// The name of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Correlation {
    /// A number; 0 for none.
    Number(u64),
    /// A text; empty for none.
    Text(String),
}

impl Default for Correlation {
    fn default() -> Correlation {
        Correlation::Number(0)
    }
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
}
