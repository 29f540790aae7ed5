//! Greatest and least floats of many. Metal's own functions leave NaN and the signs of zeros open, and an op that defines both
//! takes several instructions for each element.

use trident_ir::op::words::SimdReduction;
use trident_ir::{Block, DType, OpKind as K, ValueId, ops};

use super::emit::{Emitter, Result};

/// An extreme of f32 numbers.
#[derive(Clone, Copy)]
pub(super) struct Extreme {
    /// The op that finds it among numbers.
    kind: K,
    /// Whether a NaN among the elements is the result, instead of left out.
    takes_nan: bool,
}

impl Extreme {
    /// The least number of elements for which handling zeros and NaN once for all pays off.
    pub(super) const LEAST: usize = 4;

    /// The extreme that an op finds.
    pub(super) fn of(kind: K) -> Option<Extreme> {
        let (kind, takes_nan) = match kind {
            K::Max => (K::MaxNum, true),
            K::MaxNum => (K::MaxNum, false),
            K::Min => (K::MinNum, true),
            K::MinNum => (K::MinNum, false),
            _ => return None,
        };
        Some(Extreme { kind, takes_nan })
    }
}

impl Emitter<'_, '_> {
    /// The extreme of a thread's elements. Only if it is a zero do the signs of zeros matter.
    pub(super) fn extreme_of(&mut self, extreme: Extreme, elements: &[ValueId]) -> Result<ValueId> {
        let found = self.of_all(extreme, elements, false)?;
        let zero = self.literal(DType::F32, vec![0; 4].into())?;
        let is_zero = self.op(K::Equal, &[found, zero])?;
        let exact = self.region(vec![], |e| Ok(vec![e.of_all(extreme, elements, true)?]))?;
        let inexact = Block { results: vec![found], ..Block::default() };
        let ty = self.out.ty(found).clone();
        let found = self.nest(ops::If::new(is_zero), vec![ty], vec![exact, inexact])?;
        if !extreme.takes_nan {
            return Ok(found[0]);
        }
        let are_nan = elements.iter().map(|&x| self.op(K::IsNaN, &[x]));
        let are_nan = are_nan.collect::<Result<Vec<_>>>()?;
        let some = self.fold(&are_nan, |e, a, b| e.op(K::Or, &[a, b]))?;
        let nan = self.literal(DType::F32, f32::NAN.to_le_bytes().to_vec().into())?;
        self.op(K::Where, &[some, nan, found[0]])
    }

    /// The extreme of a simdgroup's values: that of integers in the same order.
    pub(super) fn extreme_of_simdgroup(
        &mut self,
        extreme: Extreme,
        value: ValueId,
    ) -> Result<ValueId> {
        let is_max = extreme.kind == K::MaxNum;
        // The greatest and the least integer are both those of a NaN.
        let nan = if is_max == extreme.takes_nan { i32::MAX } else { i32::MIN };
        let key = self.in_order(value, DType::I32)?;
        let (is_nan, nan) = (self.op(K::IsNaN, &[value])?, self.int(nan)?);
        let key = self.op(K::Where, &[is_nan, nan, key])?;
        let op = if is_max { SimdReduction::Max } else { SimdReduction::Min };
        let found = self.add(ops::SimdReduce::new(key).op(op))?;
        self.in_order(found, DType::F32)
    }

    /// The bits of a float as an integer in the order of floats, where -0 is below 0, or the float of such an integer.
    fn in_order(&mut self, value: ValueId, to: DType) -> Result<ValueId> {
        let bits = self.bitcast(value, DType::I32)?;
        let (last, magnitude) = (self.int(31)?, self.int(i32::MAX)?);
        let sign = self.shift_right(bits, last)?;
        let flipped = self.op(K::BitwiseAnd, &[sign, magnitude])?;
        let ordered = self.op(K::BitwiseXor, &[bits, flipped])?;
        self.bitcast(ordered, to)
    }

    /// The extreme of some values. Unless signs of zeros matter, either zero may stand for the other.
    fn of_all(
        &mut self,
        extreme: Extreme,
        values: &[ValueId],
        signed_zeros: bool,
    ) -> Result<ValueId> {
        self.fold(values, |e, a, b| match (extreme.kind, signed_zeros) {
            (kind, true) => e.op(kind, &[a, b]),
            (K::MaxNum, false) => e.add(ops::MaxNum::new(a, b).signed_zeros(false)),
            (_, false) => e.add(ops::MinNum::new(a, b).signed_zeros(false)),
        })
    }

    /// The values combined one after the other.
    fn fold(
        &mut self,
        values: &[ValueId],
        mut combine: impl FnMut(&mut Self, ValueId, ValueId) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let [first, rest @ ..] = values else { return Err(self.malformed("nothing to combine")) };
        rest.iter().try_fold(*first, |left, &right| combine(self, left, right))
    }
}
