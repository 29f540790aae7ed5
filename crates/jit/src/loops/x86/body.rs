//! The instructions for one vector of elements, and the registers that its values are in.

use std::collections::HashMap;

use super::super::{Binary, Class, Format, Id, Logic, Loop, Relation, Sink, Unary, Value, Width};
use super::assemble::{Assembler, Gpr, Mask, Masking, Opcode, Place, RAX, Zmm};
use super::divide::Divisor;
use super::needs::{Needs, resolve, resolved};
use super::opcodes::{binary, commutes, comparison, integer, later, packed, short};
use super::{BYTES, FEW, PLACES, STREAMS};
use crate::reduction::Reduction;

/// The mask of enabled elements, and that of all elements.
pub(super) const COUNT: Mask = 1;
pub(super) const TOTAL: Mask = 2;
/// Masks for truth values.
pub(super) const MASKS: std::ops::Range<Mask> = 3..8;

/// The mask of comparisons that are not values: at the end of a body and before it, where no truth value is live.
pub(super) const ORDERED: Mask = 7;

/// The vector register for temporaries of single instructions.
pub(super) const SCRATCH: Zmm = 31;
pub(super) const UNIFORM: Zmm = 30;
/// Registers for everything else.
const REGISTERS: usize = 30;

/// Maximum distance in bytes between a load and its prefetch.
const AHEAD: usize = 4096;

/// Generates the instructions.
pub(super) struct Body<'a> {
    pub(super) l: &'a Loop,
    pub(super) a: &'a mut Assembler,
    pub(super) needs: &'a Needs,
    /// The accumulators of a reduction.
    pub(super) accumulators: Vec<Zmm>,
    /// Whether a reduction to the greatest or least number starts with NaN, which any number replaces.
    pub(super) exact: bool,
    /// The places of uniform values.
    uniforms: HashMap<Id, Place>,
    divisors: HashMap<Id, Divisor>,
    /// Free registers for the values of a vector, as bits.
    free: u32,
    pub(super) free_masks: u8,
    /// Where the values of the current vector are, and how often they are still needed.
    at: HashMap<Id, u8>,
    left: Vec<usize>,
}

impl<'a> Body<'a> {
    /// Loads the values that stay in registers.
    pub(super) fn new(l: &'a Loop, needs: &'a Needs, a: &'a mut Assembler) -> Option<Self> {
        let lanes = BYTES / l.width.bytes();
        let accumulators = match l.sink {
            Sink::Reduce { .. } => (l.len / lanes).min(PLACES / lanes),
            Sink::Store { .. } => 0,
        };
        let room = REGISTERS.checked_sub(needs.alive + accumulators)?;
        let mut body = Body {
            l,
            a,
            needs,
            accumulators: (0..accumulators as u8).collect(),
            exact: false,
            uniforms: HashMap::new(),
            divisors: HashMap::new(),
            free: 0,
            free_masks: 0,
            at: HashMap::new(),
            left: vec![],
        };
        let mut next = accumulators as u8;
        for (i, &id) in needs.uniforms.iter().enumerate() {
            let place = match l.values[id] {
                Value::Const(bits) => body.pooled(bits),
                Value::Scalar(word) => Place::Word { offset: 8 * word as i32 },
                _ => continue,
            };
            let place = match i < room {
                true => {
                    body.broadcast(next, place);
                    next += 1;
                    Place::Reg(next - 1)
                }
                false => place,
            };
            body.uniforms.insert(id, place);
        }
        let room = (REGISTERS - needs.alive).saturating_sub(next.into()) / 2;
        for id in body.shared_divisors().into_iter().take(room) {
            if let Some(&Place::Reg(value)) = body.uniforms.get(&id) {
                let divisor = Divisor { value, reciprocal: next, range: next + 1 };
                body.prepare(divisor);
                body.divisors.insert(id, divisor);
                next += 2;
            }
        }
        body.free = (u32::MAX >> (32 - REGISTERS)) & (u32::MAX << next);
        body.free_masks = MASKS.fold(0, |set, k| set | 1 << k);
        Some(body)
    }

    /// A constant in memory.
    pub(super) fn pooled(&mut self, bits: u64) -> Place {
        let bytes = &bits.to_le_bytes()[..self.l.width.bytes()];
        Place::Pool { at: self.a.constant(bytes), vector: false }
    }

    /// The positions of the lanes of vector `k` of a pass.
    fn numbers(&mut self, k: usize) -> Place {
        let size = self.l.width.bytes();
        let lanes = BYTES / size;
        let numbers = (k * lanes..(k + 1) * lanes).map(|n| (n as u64).to_le_bytes());
        let bytes: Vec<u8> = numbers.flat_map(|n| n.into_iter().take(size)).collect();
        Place::Pool { at: self.a.constant(&bytes), vector: true }
    }

    /// Broadcasts an element in memory to all lanes.
    pub(super) fn broadcast(&mut self, to: Zmm, from: Place) {
        let byte = if self.l.width == Width::Eight { 0x19 } else { 0x18 };
        self.a.vector(later(self.l.width, 2, byte), (to, 0, Masking::Keep), 0, from, None);
    }

    /// Initialises the accumulators.
    pub(super) fn start_reduction(&mut self, bits: u64) {
        let start = self.pooled(bits);
        self.accumulators.clone().into_iter().for_each(|r| self.broadcast(r, start));
    }

    /// Tests whether the first accumulator differs from these bits of a float.
    pub(super) fn differs(&mut self, bits: u64) {
        let start = self.pooled(bits);
        let to = (ORDERED, 0, Masking::Keep);
        // Not equal, or NaN.
        self.a.vector(packed(self.l.width, 0xc2), to, self.accumulators[0], start, Some(4));
        self.a.test_mask(ORDERED);
    }

    /// Broadcasts a general register to all lanes.
    pub(super) fn broadcast_register(&mut self, to: Zmm, from: Gpr) {
        let op = later(self.l.width, 2, 0x7c);
        self.a.vector(op, (to, 0, Masking::Keep), 0, Place::Reg(from), None);
    }

    /// Copies a vector from a register or from memory.
    pub(super) fn copy(&mut self, to: Zmm, from: Place) {
        self.a.vector(packed(self.l.width, 0x10), (to, 0, Masking::Keep), 0, from, None);
    }

    /// Sets a mask of the lanes of vector `k` of a pass whose numbers are below that in all lanes of [`SCRATCH`].
    pub(super) fn numbers_below(&mut self, mask: Mask, k: usize) {
        let numbers = self.numbers(k);
        let (greater, number) = comparison(Class::Int, Relation::Greater, self.l.width);
        self.a.vector(greater, (mask, 0, Masking::Keep), SCRATCH, numbers, Some(number));
    }

    /// Writes the first lane to an address.
    pub(super) fn store_first(&mut self, from: Zmm, base: Gpr) {
        // A mask of one lane: only position 0 is below 1.
        let width = self.l.width;
        let one = self.pooled(1);
        self.broadcast(SCRATCH, one);
        self.numbers_below(COUNT, 0);
        let size = width.bytes();
        let to = Place::Stream { base, scale: size as u8, offset: 0, bytes: size as i32 };
        self.a.vector(packed(width, 0x11), (from, COUNT, Masking::Keep), 0, to, None);
    }

    fn stream(&self, word: usize, k: usize, format: Format) -> Place {
        let base = self.needs.streams.iter().position(|&w| w == word).unwrap_or(0);
        let size = format.bytes(self.l.width);
        let bytes = (BYTES / self.l.width.bytes() * size) as i32;
        Place::Stream { base: STREAMS[base], scale: size as u8, offset: bytes * k as i32, bytes }
    }

    fn store(
        &mut self,
        from: Zmm,
        mask: Mask,
        to: Place,
        format: Format,
        streaming: bool,
    ) -> Option<()> {
        let width = self.l.width;
        let masking = |r: Zmm| (r, mask, Masking::Keep);
        match (format, width) {
            (Format::Same, _) => {
                let op = packed(width, if streaming { 0x2b } else { 0x11 });
                self.a.vector(op, masking(from), 0, to, None);
            }
            // vcvtps2ph, to nearest even.
            (Format::F16, Width::Four) => {
                self.a.vector(later(width, 3, 0x1d), masking(from), 0, to, Some(0));
            }
            (Format::BF16, Width::Four) => {
                self.unary(Unary::ShiftRight(16), SCRATCH, Place::Reg(from));
                let (_, store) = short(Format::U16, width)?;
                self.a.vector(store, masking(SCRATCH), 0, to, None);
            }
            _ => self.a.vector(short(format, width)?.1, masking(from), 0, to, None),
        }
        Some(())
    }

    /// Loads elements where the mask holds; the others become 0 or keep the register's contents.
    fn load(
        &mut self,
        to: Zmm,
        (mask, masking): (Mask, Masking),
        from: Place,
        format: Format,
    ) -> Option<()> {
        let width = self.l.width;
        let how = (to, mask, masking);
        match (format, width) {
            (Format::Same, _) => match (from, &self.l.sink) {
                (Place::Stream { base, scale, offset, .. }, Sink::Store { .. })
                    if mask == 0 && self.needs.steps <= FEW =>
                {
                    let bytes = BYTES as i32 / 2;
                    let half = |k| Place::Stream { base, scale, offset: offset + k * bytes, bytes };
                    self.load_halves(to, [half(0), half(1)]);
                }
                _ => self.a.vector(packed(width, 0x10), how, 0, from, None),
            },
            // vcvtph2ps
            (Format::F16, Width::Four) => {
                self.a.vector(later(width, 2, 0x13), how, 0, from, None);
            }
            (Format::BF16, Width::Four) => {
                // The copy preserves the lanes that are masked off.
                let zero = if mask == 0 { Masking::Keep } else { Masking::Zero };
                let (load, _) = short(Format::U16, width)?;
                self.a.vector(load, (SCRATCH, mask, zero), 0, from, None);
                self.unary(Unary::ShiftLeft(16), SCRATCH, Place::Reg(SCRATCH));
                self.a.vector(packed(width, 0x10), how, 0, Place::Reg(SCRATCH), None);
            }
            _ => self.a.vector(short(format, width)?.0, how, 0, from, None),
        }
        Some(())
    }

    /// Loads a vector as two halves. Zen 4 delays a 512-bit load if bits 6 to 11 of its address equal those of a store
    /// in progress, as is common for arrays that lie next to each other; half-width loads are not delayed. Loops that
    /// compute more do not wait for loads.
    fn load_halves(&mut self, to: Zmm, [low, high]: [Place; 2]) {
        let half = Opcode { half: true, ..packed(Width::Four, 0x10) };
        self.a.vector(half, (to, 0, Masking::Keep), 0, low, None);
        // vinsertf64x4
        let insert = later(Width::Eight, 3, 0x1a);
        self.a.vector(insert, (to, 0, Masking::Keep), to, high, Some(1));
    }

    fn take(&mut self) -> Option<Zmm> {
        let r = self.free.trailing_zeros();
        self.free &= self.free.checked_sub(1)?;
        Some(r as Zmm)
    }

    pub(super) fn take_mask(&mut self) -> Option<Mask> {
        let k = self.free_masks.trailing_zeros();
        self.free_masks &= self.free_masks.checked_sub(1)?;
        Some(k as Mask)
    }

    /// The place of a value.
    pub(super) fn place(&self, id: Id) -> Option<Place> {
        let own = self.at.get(&id).map(|&r| Place::Reg(r));
        own.or_else(|| self.uniforms.get(&id).copied())
    }

    /// The value, in a register.
    pub(super) fn register(&mut self, id: Id) -> Option<Zmm> {
        match self.place(id)? {
            Place::Reg(r) => Some(r),
            memory => {
                self.broadcast(UNIFORM, memory);
                Some(UNIFORM)
            }
        }
    }

    /// Records one use of a value, and frees its register if it was the last.
    fn used(&mut self, id: Id) {
        self.left[id] -= 1;
        if self.left[id] == 0
            && let Some(r) = self.at.remove(&id)
        {
            match self.l.values[id].is_truth() {
                true => self.free_masks |= 1 << r,
                false => self.free |= 1 << r,
            }
        }
    }

    /// Whether this use is the last of a value that occupies a register.
    fn dies(&self, id: Id) -> bool {
        self.left[id] == 1 && self.at.contains_key(&id)
    }

    /// Generates the instructions for vector `k` of a pass.
    pub(super) fn vector(&mut self, k: usize, masked: bool) -> Option<()> {
        let l = self.l;
        self.left = self.needs.uses[usize::from(masked)].clone();
        if !masked {
            for &(word, format) in &l.ahead {
                if let Place::Stream { base, scale, offset, .. } = self.stream(word, k, format) {
                    let distance = (l.len * usize::from(scale)).min(AHEAD) as i32;
                    self.a.prefetch(base, scale, offset + distance);
                }
            }
        }
        for id in 0..l.values.len() {
            if self.left[id] > 0 && !l.values[id].is_uniform() {
                self.value(id, resolved(l, id, masked), (k, masked))?;
            }
        }
        match &l.sink {
            Sink::Store { values, streaming } => {
                for &(id, stream, format) in values {
                    let id = resolve(l, id, masked);
                    let from = self.register(id)?;
                    let mask = if masked { TOTAL } else { 0 };
                    let to = self.stream(stream, k, format);
                    // Non-temporal stores have no mask.
                    self.store(from, mask, to, format, *streaming && !masked)?;
                    self.used(id);
                }
            }
            &Sink::Reduce { op, class, value, .. } => {
                let id = resolve(l, value, masked);
                let from = self.place(id)?;
                self.combine(op, class, self.accumulators[k], from);
                self.used(id);
            }
        }
        Some(())
    }

    /// `into = into op from`, as `routine::reduce` does it.
    pub(super) fn combine(&mut self, op: Reduction, class: Class, into: Zmm, from: Place) {
        let width = self.l.width;
        let simple = match (op, class) {
            (Reduction::Sum, Class::Float) => Some(Binary::Add),
            (Reduction::Prod, Class::Float) => Some(Binary::Mul),
            (_, Class::Float) => None,
            (Reduction::Sum, _) => Some(Binary::IntAdd),
            (Reduction::Prod, _) => Some(Binary::IntMul),
            (Reduction::And, _) => Some(Binary::And),
            (Reduction::Or, _) => Some(Binary::Or),
            (Reduction::Xor, _) => Some(Binary::Xor),
            (Reduction::Max | Reduction::MaxNum, Class::Int) => Some(Binary::IntMax),
            (Reduction::Min | Reduction::MinNum, Class::Int) => Some(Binary::IntMin),
            (Reduction::Max | Reduction::MaxNum, Class::Uint) => Some(Binary::UintMax),
            (Reduction::Min | Reduction::MinNum, Class::Uint) => Some(Binary::UintMin),
        };
        if let Some(simple) = simple {
            let (op, immediate) = binary(simple, width);
            return self.a.vector(op, (into, 0, Masking::Keep), into, from, immediate);
        }
        let greater = matches!(op, Reduction::Max | Reduction::MaxNum);
        let (extreme, _) = binary(if greater { Binary::Max } else { Binary::Min }, width);
        let compare = packed(width, 0xc2);
        let to = |mask: Mask| (into, mask, Masking::Keep);
        if matches!(op, Reduction::MaxNum | Reduction::MinNum) {
            // Lanes whose new element is NaN keep their value; NaN in the accumulator is replaced.
            let number = match from {
                Place::Reg(r) => r,
                memory => {
                    self.broadcast(UNIFORM, memory);
                    UNIFORM
                }
            };
            if !self.exact {
                // The second operand wins where the first is NaN.
                return self.a.vector(extreme, to(0), number, Place::Reg(into), None);
            }
            let ordered = (ORDERED, 0, Masking::Keep);
            self.a.vector(compare, ordered, number, Place::Reg(number), Some(7));
            return self.a.vector(extreme, to(ORDERED), into, from, None);
        }
        // Lanes that are NaN already stay so; a new NaN is the second operand, which wins.
        self.a.vector(compare, (ORDERED, 0, Masking::Keep), into, Place::Reg(into), Some(7));
        self.a.vector(extreme, to(ORDERED), into, from, None);
    }

    fn value(&mut self, id: Id, value: Value, (k, masked): (usize, bool)) -> Option<()> {
        let width = self.l.width;
        let plain = |to: u8| (to, 0, Masking::Keep);
        let to = match value {
            Value::Scalar(_) | Value::Const(_) => return Some(()),
            Value::Load { stream, other, format } => {
                let from = self.stream(stream, k, format);
                let (to, how) = match other {
                    // Memory past the last element may not exist.
                    None if masked => (self.take()?, (TOTAL, Masking::Zero)),
                    None => (self.take()?, (0, Masking::Keep)),
                    Some(other) if self.l.values[other] == Value::Const(0) => {
                        (self.take()?, (COUNT, Masking::Zero))
                    }
                    Some(other) => (self.reuse(other)?, (COUNT, Masking::Keep)),
                };
                self.load(to, how, from, format)?;
                to
            }
            Value::Number => {
                let to = self.take()?;
                self.broadcast_register(to, RAX);
                let numbers = self.numbers(k);
                let (add, _) = binary(Binary::IntAdd, width);
                self.a.vector(add, plain(to), to, numbers, None);
                to
            }
            Value::Compare(class, relation, a, b) => {
                let (op, immediate) = comparison(class, relation, width);
                let (a, b) = (self.register(a)?, self.place(b)?);
                let to = self.take_mask()?;
                self.a.vector(op, plain(to), a, b, Some(immediate));
                to
            }
            Value::Logic(op, a, b) => {
                let opcode = match op {
                    Logic::And => 0x41,
                    Logic::Or => 0x45,
                    Logic::Xor => 0x47,
                };
                let to = self.take_mask()?;
                self.a.masks(opcode, to, *self.at.get(&a)?, *self.at.get(&b)?);
                to
            }
            Value::Not(a) => {
                let to = self.take_mask()?;
                self.a.masks(0x44, to, 0, *self.at.get(&a)?);
                to
            }
            Value::On(yes, no) => self.blend(COUNT, yes, no)?,
            Value::Select(condition, yes, no) => self.blend(*self.at.get(&condition)?, yes, no)?,
            Value::MulAdd(a, b, c) => self.multiply_add(a, b, c)?,
            Value::Unary(op, a) => {
                let a = match op {
                    Unary::F16 => self.half(a, 0)?,
                    Unary::F16TowardZero => self.half(a, 3)?,
                    _ => self.place(a)?,
                };
                let to = self.take()?;
                self.unary(op, to, a);
                to
            }
            Value::Binary(Binary::Div, a, b) if self.divisors.contains_key(&b) => {
                let (x, divisor) = (self.register(a)?, *self.divisors.get(&b)?);
                let to = self.take()?;
                self.divide(to, x, divisor)?;
                to
            }
            Value::Binary(op, mut a, mut b) => {
                let in_memory = |e: &Self, id| !matches!(e.place(id), Some(Place::Reg(_)));
                if commutes(op) && in_memory(self, a) && !in_memory(self, b) {
                    (a, b) = (b, a);
                }
                let (a, b) = (self.register(a)?, self.place(b)?);
                let to = self.take()?;
                let (op, immediate) = binary(op, width);
                self.a.vector(op, plain(to), a, b, immediate);
                to
            }
        };
        // The operands were used: the last use of one gives its register back.
        value.operands().for_each(|o| self.used(o));
        self.at.insert(id, to);
        Some(())
    }

    /// The first value in lanes that the mask has, else the second.
    fn blend(&mut self, mask: Mask, yes: Id, no: Id) -> Option<Zmm> {
        let (no, yes) = (self.register(no)?, self.place(yes)?);
        let to = self.take()?;
        let op = later(self.l.width, 2, 0x65);
        self.a.vector(op, (to, mask, Masking::Keep), no, yes, None);
        Some(to)
    }

    /// A register that holds a copy of the value.
    fn reuse(&mut self, id: Id) -> Option<Zmm> {
        let from = self.place(id)?;
        let to = self.take()?;
        match from {
            Place::Reg(_) => self.copy(to, from),
            memory => self.broadcast(to, memory),
        }
        Some(to)
    }

    fn multiply_add(&mut self, mut a: Id, mut b: Id, c: Id) -> Option<Zmm> {
        let width = self.l.width;
        let in_register = |e: &Self, id: Id| matches!(e.place(id), Some(Place::Reg(_)));
        // The result goes to the addend's register if that is no longer needed, else to a factor's.
        if self.dies(c) && c != a && c != b {
            if !in_register(self, a) {
                (a, b) = (b, a);
            }
            let to = *self.at.get(&c)?;
            let (a, b) = (self.register(a)?, self.place(b)?);
            self.a.vector(later(width, 2, 0xb8), (to, 0, Masking::Keep), a, b, None);
            self.at.remove(&c);
            self.left[c] = usize::MAX;
            return Some(to);
        }
        if a != b && !self.dies(a) && self.dies(b) {
            (a, b) = (b, a);
        }
        let own = self.dies(a) && a != b && a != c;
        let to = match own {
            true => *self.at.get(&a)?,
            false => self.reuse(a)?,
        };
        let (b, c) = (self.register(b)?, self.place(c)?);
        self.a.vector(later(width, 2, 0xa8), (to, 0, Masking::Keep), b, c, None);
        if own {
            self.at.remove(&a);
            self.left[a] = usize::MAX;
        }
        Some(to)
    }

    /// The value in `f16`, rounded to nearest even (0) or toward zero (3), which [`Unary::F16`] reads back.
    fn half(&mut self, a: Id, rounding: u8) -> Option<Place> {
        let from = self.register(a)?;
        let half = Place::Reg(SCRATCH);
        let op = later(self.l.width, 3, 0x1d);
        self.a.vector(op, (from, 0, Masking::Keep), 0, half, Some(rounding));
        Some(half)
    }

    fn unary(&mut self, op: Unary, to: Zmm, a: Place) {
        let width = self.l.width;
        let round = if width == Width::Eight { 0x09 } else { 0x08 };
        let (op, first, immediate, reg) = match op {
            Unary::Sqrt => (packed(width, 0x51), 0, None, to),
            // To nearest even, down, up; without exceptions.
            Unary::Round => (later(width, 3, round), 0, Some(0x08), to),
            Unary::Floor => (later(width, 3, round), 0, Some(0x09), to),
            Unary::Ceil => (later(width, 3, round), 0, Some(0x0a), to),
            Unary::FromInt => {
                // Of 64 bits it is an instruction with the prefix F3 and W.
                let prefix = if width == Width::Eight { 2 } else { 0 };
                let byte = if width == Width::Eight { 0xe6 } else { 0x5b };
                let wide = width == Width::Eight;
                (Opcode { map: 1, prefix, wide, byte, half: false }, 0, None, to)
            }
            Unary::ToInt => {
                // Of 64 bits it is an instruction with the prefix 66 and W.
                let wide = width == Width::Eight;
                let (prefix, byte) = if wide { (1, 0x7a) } else { (2, 0x5b) };
                (Opcode { map: 1, prefix, wide, byte, half: false }, 0, None, to)
            }
            // The number of the operation stands where a register would.
            Unary::ShiftRight(n) => (integer(width, 0x72, 0x73), to, Some(n), 2),
            Unary::ShiftLeft(n) => (integer(width, 0x72, 0x73), to, Some(n), 6),
            Unary::ShiftArithmetic(n) => (integer(width, 0x72, 0x72), to, Some(n), 4),
            // See `half`.
            Unary::F16 | Unary::F16TowardZero => (later(width, 2, 0x13), 0, None, to),
        };
        self.a.vector(op, (reg, 0, Masking::Keep), first, a, immediate);
    }
}
