//! Division by a divisor that all elements share.

use super::super::{Binary, Class, Id, Relation, Value, Width};
use super::assemble::{Condition, Masking, Place, Zmm};
use super::body::{Body, ORDERED, SCRATCH, UNIFORM};
use super::opcodes::{binary, comparison, later};

/// A divisor that all elements share, and the values needed to divide by it with products alone (see [`Body::divide`]).
#[derive(Clone, Copy)]
pub(super) struct Divisor {
    pub(super) value: Zmm,
    pub(super) reciprocal: Zmm,
    /// The width of the range of dividends; 0 if the divisor is out of range.
    pub(super) range: Zmm,
}

/// The bits of 2^-60, the least magnitude that [`Body::divide`] takes, and the difference to the bits of 2^60. Both are
/// doubled, which drops the sign.
const LEAST: u64 = 67 << 24;
const RANGE: u64 = 120 << 24;

impl Body<'_> {
    /// Uniform values by which `f32` numbers are divided.
    pub(super) fn shared_divisors(&self) -> Vec<Id> {
        let mut found = vec![];
        for (id, value) in self.l.values.iter().enumerate() {
            if let Value::Binary(Binary::Div, _, by) = *value
                && self.l.width == Width::Four
                && self.needs.uses[0][id] > 0
                && self.l.values[by].is_uniform()
                && !found.contains(&by)
            {
                found.push(by);
            }
        }
        found
    }

    pub(super) fn prepare(&mut self, d: Divisor) {
        let width = self.l.width;
        let plain = |to: Zmm| (to, 0, Masking::Keep);
        let [one, range] = [f32::to_bits(1.0).into(), RANGE].map(|bits| self.pooled(bits));
        self.broadcast(UNIFORM, one);
        let (divide, _) = binary(Binary::Div, width);
        self.a.vector(divide, plain(d.reciprocal), UNIFORM, Place::Reg(d.value), None);
        self.magnitude(d.value);
        let (less, number) = comparison(Class::Uint, Relation::Less, width);
        self.a.vector(less, plain(ORDERED), SCRATCH, range, Some(number));
        let broadcast = later(width, 2, 0x18);
        self.a.vector(broadcast, (d.range, ORDERED, Masking::Zero), 0, range, None);
    }

    /// The place of a magnitude in the range of [`Self::divide`], to [`SCRATCH`].
    fn magnitude(&mut self, x: Zmm) {
        let least = self.pooled(LEAST);
        let plain = (SCRATCH, 0, Masking::Keep);
        let [(add, _), (sub, _)] =
            [Binary::IntAdd, Binary::IntSub].map(|op| binary(op, self.l.width));
        self.a.vector(add, plain, x, Place::Reg(x), None);
        self.a.vector(sub, plain, SCRATCH, least, None);
    }

    /// `to = x / d`, correctly rounded by a product and its correction, the reciprocal being correctly rounded (Markstein;
    /// Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point division when the divisor is known in
    /// advance", 2004), in half the time of a division. Dividends out of range, where the remainder may be subnormal, are
    /// divided.
    pub(super) fn divide(&mut self, to: Zmm, x: Zmm, d: Divisor) -> Option<()> {
        let width = self.l.width;
        let plain = |to: Zmm| (to, 0, Masking::Keep);
        self.magnitude(x);
        let out = self.take_mask()?;
        let (not_less, number) = comparison(Class::Uint, Relation::GreaterOrEqual, width);
        self.a.vector(not_less, plain(out), SCRATCH, Place::Reg(d.range), Some(number));
        let (multiply, _) = binary(Binary::Mul, width);
        self.a.vector(multiply, plain(to), x, Place::Reg(d.reciprocal), None);
        // The remainder, x less the product.
        self.copy(SCRATCH, Place::Reg(to));
        self.a.vector(later(width, 2, 0xac), plain(SCRATCH), d.value, Place::Reg(x), None);
        let reciprocal = Place::Reg(d.reciprocal);
        self.a.vector(later(width, 2, 0xb8), plain(to), SCRATCH, reciprocal, None);
        let done = self.a.label();
        self.a.test_mask(out);
        self.a.jump_if(Condition::Zero, done);
        let (divide, _) = binary(Binary::Div, width);
        self.a.vector(divide, (to, out, Masking::Keep), x, Place::Reg(d.value), None);
        self.a.bind(done);
        self.free_masks |= 1 << out;
        Some(())
    }
}
