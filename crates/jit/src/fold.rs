//! Folds, by the names that loops and routines share.

/// How elements are folded into one.
///
/// They become 64 partial results, element i part of number i modulo 64 in ascending order, and these by halves one. So the
/// bits depend on the number of elements alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
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
