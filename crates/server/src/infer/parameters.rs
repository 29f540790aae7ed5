//! Parameters of requests.

use std::time::Duration;

use trident_serving::Sequence;

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
