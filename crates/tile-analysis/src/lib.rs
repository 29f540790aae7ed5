//! Analysis of tile functions.
//!
//! A block is an expression, a node of a [`Graph`], until an op needs its elements; the [`Index`] of an element is a
//! sequence of bits, which views rename. The analysis determines:
//!
//! * [`Materialisation`]: which blocks are computed once, into memory, and how long values live,
//! * [`Row`]: the row segments of a block that vectors can compute, and the conditions on one at run time,
//! * [`RowRefusal`]: why there is no such segment,
//! * [`StridedBlock`]: where a block lies in memory by rows and columns, and what that requires,
//! * [`Corners`]: the accesses of a loop over elements that are inside memory, and their conditions,
//! * [`Trend`]: how elements change along short vectors, and which are neighbours in memory, aligned,
//! * [`Overlap`]: which loads a store may overlap,
//! * [`AnalysisReport`]: all of it as text, for file tests.
//!
//! Run-time values, the leaves of expressions, have a type that the code generator chooses.

mod affine;
mod carried;
mod cost;
mod expression;
mod graph;
mod guard;
mod index;
mod lifetime;
mod mask;
mod materialise;
mod overlap;
mod proof;
mod report;
mod row;
mod stride;
mod term;
mod vector;
mod words;

pub use self::affine::{Affine, StridedBlock};
pub use self::carried::Carried;
pub use self::expression::Expression;
pub use self::graph::{Elem, Fun, Graph, Kind, Leaf, Node, NodeId, Scope, block_type};
pub use self::guard::{Guard, Shows, Test, Unproved};
pub use self::index::{
    Bit, INNER, Index, Rename, axes, broadcast, counter, index_bits, is_inner, log2, own, permuted,
    rename, substitute, uniform,
};
pub use self::materialise::{
    Materialisation, function_name, is_block_function, is_lazy, is_volatile,
};
pub use self::overlap::Overlap;
pub use self::proof::{Access, Corners, Inside, Proved};
pub use self::report::AnalysisReport;
pub use self::row::{
    Destination, GROUP, Limit, Load, Mask, PASS, Row, RowOperand, RowRefusal, Span, Touch,
    VectorTarget, element, place, start,
};
pub use self::term::{Arith, Term, TermId, Terms};
pub use self::vector::{LaneBits, Trend};
