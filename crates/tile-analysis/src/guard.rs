//! Requirements of decisions at run time, as data, and why a requirement cannot be stated.

use std::fmt;

use super::graph::{Leaf, NodeId};
use super::row::Touch;
use super::term::{TermId, Terms};

/// A condition to test at run time.
#[derive(Clone, Debug)]
pub enum Test<L> {
    /// A number is at least -2^n and less than 2^n.
    Small(TermId, u8),
    /// A number is not negative and less than 2^n.
    Below(TermId, u8),
    /// The first is less than the second, as signed numbers.
    Less(TermId, TermId),
    /// The first is at most the second.
    AtMost(TermId, TermId),
    /// A truth value holds.
    Holds(L),
    /// All of these are multiples of this number of bytes, a power of two.
    Multiples(Vec<TermId>, usize),
    /// The memory from an address on belongs to the launch.
    Inside {
        /// The access.
        touch: Touch,
        /// The lowest address.
        low: TermId,
        /// The distance to the highest one.
        span: TermId,
        /// Bytes of an element.
        bytes: usize,
    },
}

impl<L: Leaf> Test<L> {
    /// Whether it is known to hold before run time.
    pub(super) fn is_sure(&self, terms: &Terms<L>) -> bool {
        let within = |x, from, to| terms.range(x).iter().all(|end| (from..to).contains(end));
        match *self {
            Test::Small(x, n) => within(x, -1i64 << n, 1 << n),
            Test::Below(x, n) => within(x, 0, 1 << n),
            Test::Less(x, y) => terms.range(x)[1] < terms.range(y)[0],
            Test::AtMost(x, y) => terms.range(x)[1] <= terms.range(y)[0],
            Test::Holds(_) | Test::Multiples(..) | Test::Inside { .. } => false,
        }
    }
}

/// A test and what it proves.
#[derive(Clone, Debug)]
pub struct Guard<L> {
    /// The condition.
    pub test: Test<L>,
    /// The fact that it proves, together with the other tests for the same fact.
    pub shows: Shows,
}

/// A fact that tests prove together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// No element of these integers wraps around.
    Exact(NodeId),
    /// The remainder equals the dividend for all elements.
    Remainder(NodeId),
    /// The integers are close enough to each other that addresses computed from them are exact.
    Near(NodeId),
    /// The mask holds for all elements.
    Mask(NodeId),
    /// The elements are aligned in memory.
    Aligned,
    /// All elements are inside the memory the pointers may access.
    Inside,
}

/// Why a block's lowest and highest address cannot be known without evaluating its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It has too many axes.
    Axes,
    /// It is not loaded.
    Computed(NodeId),
    /// It is not affine in the axes.
    Shape(NodeId),
    /// The mask is not known to hold everywhere.
    Mask(NodeId),
}

impl Unproved {
    /// The block responsible, if there is one.
    pub fn node(&self) -> Option<NodeId> {
        match *self {
            Unproved::Axes => None,
            Unproved::Computed(n) | Unproved::Shape(n) | Unproved::Mask(n) => Some(n),
        }
    }
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unproved::Axes => "it has too many axes",
            Unproved::Computed(_) => "it is computed, not loaded",
            Unproved::Shape(_) => "it is not affine",
            Unproved::Mask(_) => "it is not known to hold everywhere",
        })
    }
}
