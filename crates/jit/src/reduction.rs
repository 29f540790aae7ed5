//! Reductions, by the names that loops and routines share.

/// How elements are reduced to one.
///
/// They are combined into 64 partial results, element i into number i modulo 64 in ascending order, and these into one
/// by repeated halving. The bits of the result therefore depend on the number of elements, not on vector width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum; integers wrap around.
    Sum,
    /// The product; integers wrap around.
    Prod,
    /// The greatest; NaN if any is NaN.
    Max,
    /// The least; NaN if any is NaN.
    Min,
    /// The greatest of those that are not NaN.
    MaxNum,
    /// The least of those that are not NaN.
    MinNum,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}
