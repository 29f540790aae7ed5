//! AVX-512 code of a [`Loop`].
//!
//! A first loop takes whole vectors of enabled elements, several at a time if little is done with each. A second loop,
//! with masks, takes the rest. Reductions take 64 elements at a time, each in a separate lane.

mod assemble;
mod body;
mod divide;
mod needs;
mod opcodes;

use self::assemble::{Assembler, Condition, Gpr, Masking, Place, RAX, RCX, RDX, RSI};
use self::body::{Body, COUNT, SCRATCH};
use self::needs::Needs;
use self::opcodes::later;
use super::{Class, Loop, Sink, Width};
use crate::reduction::Reduction;

/// Bytes of a vector.
const BYTES: usize = 64;

/// Partial results of a reduction: element `i` goes into number `i % PLACES` (see [`Reduction`]).
const PLACES: usize = 64;

/// Registers for addresses of streams; those after the first [`FREE`] are saved for the caller.
const STREAMS: [Gpr; 10] = [8, 9, 10, 11, 3, 5, 12, 13, 14, 15];
const FREE: usize = 4;

/// Loops that do less than this with a vector take 4, or 2, at a time.
const FEW: usize = 8;
const SOME: usize = 20;

/// The code, if the values find room in the registers.
pub(super) fn compile(l: &Loop) -> Option<Vec<u8>> {
    let lanes = BYTES / l.width.bytes();
    let most = l.len / lanes;
    let needs = Needs::of(l)?;
    let (vectors, tail) = match &l.sink {
        Sink::Reduce { .. } => (most.min(PLACES / lanes), most.min(PLACES / lanes)),
        Sink::Store { .. } if needs.steps <= FEW => (most.min(4), 1),
        Sink::Store { .. } if needs.steps <= SOME => (most.min(2), 1),
        Sink::Store { .. } => (1, 1),
    };
    if needs.streams.len() > STREAMS.len() {
        return None;
    }
    let mut a = Assembler::default();
    let saved: Vec<Gpr> = STREAMS[..needs.streams.len()].iter().copied().skip(FREE).collect();
    saved.iter().for_each(|&r| a.push(r));
    for (&r, &word) in STREAMS.iter().zip(&needs.streams) {
        a.load_word(r, word);
    }
    let mut body = Body::new(l, &needs, &mut a)?;
    let done = body.a.label();
    if let Some(worst) = body.quick_extreme() {
        // The quick reduction ignores NaN. If its result is the start value, all elements may be NaN, and the exact
        // reduction follows.
        body.start_reduction(worst);
        body.elements(vectors, tail)?;
        body.reduce_lanes();
        body.differs(worst);
        body.a.jump_if(Condition::NotZero, done);
        body.exact = true;
    }
    if let Sink::Reduce { op, class, .. } = l.sink {
        body.start_reduction(neutral(op, class, l.width));
    }
    body.elements(vectors, tail)?;
    body.reduce_lanes();
    body.a.bind(done);
    body.store_result();
    saved.iter().rev().for_each(|&r| a.pop(r));
    a.leave();
    Some(a.finish())
}

/// The neutral element of a reduction.
fn neutral(op: Reduction, class: Class, width: Width) -> u64 {
    let bits = 8 * width.bytes() as u32;
    let all = u64::MAX >> (64 - bits);
    let float = |x: f64| match width {
        Width::Four => u64::from((x as f32).to_bits()),
        Width::Eight => x.to_bits(),
    };
    match (op, class) {
        (Reduction::Sum, Class::Float) => float(-0.0),
        (Reduction::Prod, Class::Float) => float(1.0),
        (Reduction::Max, Class::Float) => float(f64::NEG_INFINITY),
        (Reduction::Min, Class::Float) => float(f64::INFINITY),
        (Reduction::MaxNum | Reduction::MinNum, Class::Float) => float(f64::NAN),
        (Reduction::Sum | Reduction::Or | Reduction::Xor, _) => 0,
        (Reduction::Prod, _) => 1,
        (Reduction::And, _) => all,
        (Reduction::Max | Reduction::MaxNum, Class::Int) => 1 << (bits - 1),
        (Reduction::Min | Reduction::MinNum, Class::Int) => all >> 1,
        (Reduction::Max | Reduction::MaxNum, _) => 0,
        (Reduction::Min | Reduction::MinNum, _) => all,
    }
}

impl Body<'_> {
    /// Sets the masks of vector `k` of the pass: of its enabled elements, and of all its elements.
    fn on(&mut self, k: usize) {
        for (mask, end) in [(COUNT, RSI), (body::TOTAL, RDX)] {
            self.a.mov(RCX, end);
            self.a.sub(RCX, RAX);
            self.broadcast_register(SCRATCH, RCX);
            self.numbers_below(mask, k);
        }
    }

    /// The loops over all elements: whole passes of enabled vectors, then the rest.
    fn elements(&mut self, vectors: usize, tail: usize) -> Option<()> {
        let lanes = BYTES / self.l.width.bytes();
        let (rest, done) = (self.a.label(), self.a.label());
        let step = (vectors * lanes) as i32;
        self.a.zero(RAX);
        self.a.mov(RCX, RSI);
        self.a.add_constant(RCX, -step);
        self.a.cmp(RAX, RCX);
        self.a.jump_if(Condition::Greater, rest);
        self.a.align();
        let head = self.a.label();
        self.a.bind(head);
        (0..vectors).try_for_each(|k| self.vector(k, false))?;
        self.a.add_constant(RAX, step);
        self.a.cmp(RAX, RCX);
        self.a.jump_if(Condition::LessOrEqual, head);
        self.a.bind(rest);
        self.a.cmp(RAX, RDX);
        self.a.jump_if(Condition::GreaterOrEqual, done);
        let head = self.a.label();
        self.a.bind(head);
        for k in 0..tail {
            self.on(k);
            self.vector(k, true)?;
        }
        self.a.add_constant(RAX, (tail * lanes) as i32);
        self.a.cmp(RAX, RDX);
        self.a.jump_if(Condition::Less, head);
        self.a.bind(done);
        Some(())
    }

    /// The bits of the least number for reductions to the greatest one, and the other way round.
    fn quick_extreme(&self) -> Option<u64> {
        match self.l.sink {
            Sink::Reduce { op: Reduction::MaxNum, class: Class::Float, .. } => {
                Some(neutral(Reduction::Max, Class::Float, self.l.width))
            }
            Sink::Reduce { op: Reduction::MinNum, class: Class::Float, .. } => {
                Some(neutral(Reduction::Min, Class::Float, self.l.width))
            }
            _ => None,
        }
    }

    /// Reductions the accumulators into all lanes of the first.
    fn reduce_lanes(&mut self) {
        let Sink::Reduce { op, class, .. } = self.l.sink else { return };
        let width = self.l.width;
        let lanes = BYTES / width.bytes();
        let count = self.accumulators.len();
        let mut half = PLACES / lanes / 2;
        while half > 0 {
            for k in 0..half.min(count) {
                let other = self.accumulators.get(k + half).copied();
                if let Some(other) = other {
                    self.combine(op, class, self.accumulators[k], Place::Reg(other));
                }
            }
            half /= 2;
        }
        let first = self.accumulators[0];
        let mut half = lanes / 2;
        while half > 0 {
            // The lanes from `half` on come down.
            let rotate = later(width, 3, 0x03);
            let to = (SCRATCH, 0, Masking::Keep);
            self.a.vector(rotate, to, first, Place::Reg(first), Some(half as u8));
            self.combine(op, class, first, Place::Reg(SCRATCH));
            half /= 2;
        }
    }

    /// Writes the result of a reduction.
    fn store_result(&mut self) {
        if let Sink::Reduce { to, .. } = self.l.sink {
            self.a.load_word(RCX, to);
            self.a.zero(RAX);
            self.store_first(self.accumulators[0], RCX);
        }
    }
}
