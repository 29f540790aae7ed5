//! 64-bit integers at run time, as expressions over values that a code generator can evaluate.

use std::collections::HashMap;

use trident_ir::DType;
use trident_ir::dtype::Class;

use super::graph::{Graph, Leaf, NodeId};
use super::index::Index;

/// Identifies a term within an analysis.
pub type TermId = usize;

/// An integer; arithmetic is modulo 2^64.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term<L> {
    /// A constant.
    Const(i64),
    /// A scalar of this type, extended to 64 bits.
    Scalar(L, DType),
    /// The element of a block of integers or pointers at an index without counters, extended to 64 bits.
    Element(NodeId, Index),
    /// The least element of a block of integers.
    Least(NodeId),
    /// The greatest one.
    Greatest(NodeId),
    /// The lower 32 bits, sign-extended.
    Low(TermId),
    /// A function of two terms.
    Binary(Arith, TermId, TermId),
    /// Shifted right arithmetically by this many bits.
    Shifted(TermId, u8),
}

/// A function of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arith {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// The lesser, as signed numbers.
    Min,
    /// The greater.
    Max,
}

impl Arith {
    fn of(self, a: i64, b: i64) -> i64 {
        match self {
            Arith::Add => a.wrapping_add(b),
            Arith::Sub => a.wrapping_sub(b),
            Arith::Mul => a.wrapping_mul(b),
            Arith::Min => a.min(b),
            Arith::Max => a.max(b),
        }
    }
}

/// The terms of an analysis: each is stored once, after its operands.
#[derive(Clone, Debug)]
pub struct Terms<L> {
    all: Vec<Term<L>>,
    known: HashMap<Term<L>, TermId>,
    /// Low bits of terms that `hint` ops promise to be 0.
    zeros: HashMap<TermId, u32>,
}

impl<L> Default for Terms<L> {
    fn default() -> Self {
        Terms { all: vec![], known: HashMap::new(), zeros: HashMap::new() }
    }
}

impl<L> std::ops::Index<TermId> for Terms<L> {
    type Output = Term<L>;

    fn index(&self, term: TermId) -> &Term<L> {
        &self.all[term]
    }
}

impl<L: Leaf> Terms<L> {
    fn put(&mut self, term: Term<L>) -> TermId {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        self.all.push(term.clone());
        self.known.insert(term, self.all.len() - 1);
        self.all.len() - 1
    }

    /// The value, if it is known before run time.
    pub fn constant(&self, term: TermId) -> Option<i64> {
        match self.all[term] {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Records that this many low bits of a term are promised to be 0.
    pub(super) fn promise(&mut self, term: TermId, zeros: u32) {
        if zeros > 0 {
            let known = self.zeros.entry(term).or_default();
            *known = zeros.max(*known);
        }
    }

    /// The largest power of two, at most 2^63, that divides a term if promises hold.
    pub fn divisor(&self, term: TermId) -> u64 {
        1 << self.low_zeros(term, true).min(63)
    }

    /// The least and greatest value that the term can have, as far as known.
    pub(super) fn range(&self, term: TermId) -> [i64; 2] {
        match self.all[term] {
            Term::Const(value) => [value; 2],
            Term::Low(_) | Term::Scalar(_, DType::I32) => [i32::MIN, i32::MAX].map(i64::from),
            _ => [i64::MIN, i64::MAX],
        }
    }

    pub(super) fn int(&mut self, value: i64) -> TermId {
        self.put(Term::Const(value))
    }

    /// A scalar of the graph.
    pub(super) fn scalar(&mut self, graph: &Graph<'_, L>, scalar: L, dtype: DType) -> TermId {
        let Some(bits) = graph.constant(scalar) else {
            let term = self.put(Term::Scalar(scalar, dtype));
            self.promise(term, graph.zeros_of(scalar));
            return term;
        };
        let unused = 64 - 8 * dtype.size() as u32;
        self.int(match dtype.class() {
            Class::Int => ((bits << unused) as i64) >> unused,
            _ => (bits << unused >> unused) as i64,
        })
    }

    pub(super) fn element(&mut self, node: NodeId, index: Index) -> TermId {
        self.put(Term::Element(node, index))
    }

    /// The least and the greatest element of a block.
    pub(super) fn ends(&mut self, node: NodeId) -> [TermId; 2] {
        [self.put(Term::Least(node)), self.put(Term::Greatest(node))]
    }

    pub(super) fn low(&mut self, x: TermId) -> TermId {
        match self.all[x] {
            Term::Const(value) => self.int(i64::from(value as i32)),
            Term::Low(_) | Term::Scalar(_, DType::I32) => x,
            _ => self.put(Term::Low(x)),
        }
    }

    pub(super) fn shifted(&mut self, x: TermId, bits: u8) -> TermId {
        match self.all[x] {
            _ if bits == 0 => x,
            Term::Const(value) => self.int(value >> bits),
            _ => self.put(Term::Shifted(x, bits)),
        }
    }

    pub(super) fn binary(&mut self, op: Arith, a: TermId, b: TermId) -> TermId {
        match (op, self.constant(a), self.constant(b)) {
            (_, Some(x), Some(y)) => self.int(op.of(x, y)),
            (Arith::Add | Arith::Sub, _, Some(0)) | (Arith::Mul, _, Some(1)) => a,
            (Arith::Add, Some(0), _) | (Arith::Mul, Some(1), _) => b,
            (Arith::Mul, _, Some(0)) => b,
            (Arith::Mul, Some(0), _) => a,
            (Arith::Min | Arith::Max, ..) if a == b => a,
            _ => self.put(Term::Binary(op, a, b)),
        }
    }

    pub(super) fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Arith::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Arith::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(Arith::Mul, a, b)
    }

    /// Number of low bits that are 0, 64 if the term is 0: for certain or, with `promised`, if promises hold.
    pub(super) fn low_zeros(&self, term: TermId, promised: bool) -> u32 {
        let zeros = |term| self.low_zeros(term, promised);
        let found = match &self.all[term] {
            Term::Const(value) => value.trailing_zeros(),
            Term::Scalar(..) | Term::Element(..) | Term::Least(_) | Term::Greatest(_) => 0,
            &Term::Low(x) => match zeros(x) {
                0..32 => zeros(x),
                _ => 64,
            },
            &Term::Binary(Arith::Mul, a, b) => (zeros(a) + zeros(b)).min(64),
            &Term::Binary(_, a, b) => zeros(a).min(zeros(b)),
            &Term::Shifted(x, bits) => match zeros(x) {
                64 => 64,
                found => found.saturating_sub(bits.into()),
            },
        };
        let promise = self.zeros.get(&term).filter(|_| promised);
        promise.map_or(found, |&promise| found.max(promise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_known_fold() {
        let mut graph = Graph::<u32>::default();
        graph.set_constant(1, 0xffff_fffc);
        let mut t = Terms::default();
        let (x, four) = (t.scalar(&graph, 0, DType::I32), t.scalar(&graph, 1, DType::I32));
        assert_eq!(t.constant(four), Some(-4));
        let unsigned = t.scalar(&graph, 1, DType::U32);
        assert_eq!(t.constant(unsigned), Some(0xffff_fffc));
        let (zero, one) = (t.int(0), t.int(1));
        assert_eq!([t.add(x, zero), t.mul(one, x), t.low(x), t.shifted(x, 0)], [x; 4]);
        assert_eq!(t.mul(x, zero), zero);
        let product = t.mul(x, four);
        assert_eq!(t.mul(x, four), product);
        let most = t.int(i64::MAX);
        let wrapped = t.add(most, one);
        assert_eq!(t.constant(wrapped), Some(i64::MIN));
    }

    #[test]
    fn low_zeros_follow_arithmetic() {
        let graph = Graph::<u32>::default();
        let mut t = Terms::default();
        let [x, y] = [0, 1].map(|leaf| t.scalar(&graph, leaf, DType::I64));
        t.promise(x, 4);
        let eight = t.int(8);
        let product = t.mul(x, eight);
        let sum = t.add(product, x);
        let other = t.add(product, y);
        let shifted = t.shifted(product, 3);
        let found = [product, sum, other, shifted]
            .map(|term| [false, true].map(|promised| t.low_zeros(term, promised)));
        assert_eq!(found, [[3, 7], [0, 4], [0, 0], [0, 4]]);
    }
}
