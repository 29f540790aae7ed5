//! AVX-512 code of a [`Loop`].
//!
//! A first loop takes whole vectors of elements that are all on, several at a time where little is done with each; a
//! second one, with masks, takes the rest. Folds go by 64 elements, each of whose places has a lane of its own.

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
use crate::fold::Fold;

/// Bytes of a vector.
const BYTES: usize = 64;

/// Elements, or rather places of elements, that a fold keeps apart (see [`Fold`]).
const PLACES: usize = 64;

/// Registers for addresses of streams; those behind the first [`FREE`] belong to the caller.
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
        Sink::Fold { .. } => (most.min(PLACES / lanes), most.min(PLACES / lanes)),
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
        // NaN is left out, unless nothing else is there: then the result is the start, and the exact fold follows.
        body.start_fold(worst);
        body.elements(vectors, tail)?;
        body.fold_lanes();
        body.differs(worst);
        body.a.jump_if(Condition::NotZero, done);
        body.exact = true;
    }
    if let Sink::Fold { op, class, .. } = l.sink {
        body.start_fold(neutral(op, class, l.width));
    }
    body.elements(vectors, tail)?;
    body.fold_lanes();
    body.a.bind(done);
    body.store_result();
    saved.iter().rev().for_each(|&r| a.pop(r));
    a.leave();
    Some(a.finish())
}

/// The neutral element of a fold.
fn neutral(op: Fold, class: Class, width: Width) -> u64 {
    let bits = 8 * width.bytes() as u32;
    let all = u64::MAX >> (64 - bits);
    let float = |x: f64| match width {
        Width::Four => u64::from((x as f32).to_bits()),
        Width::Eight => x.to_bits(),
    };
    match (op, class) {
        (Fold::Sum, Class::Float) => float(-0.0),
        (Fold::Prod, Class::Float) => float(1.0),
        (Fold::Max, Class::Float) => float(f64::NEG_INFINITY),
        (Fold::Min, Class::Float) => float(f64::INFINITY),
        (Fold::MaxNum | Fold::MinNum, Class::Float) => float(f64::NAN),
        (Fold::Sum | Fold::Or | Fold::Xor, _) => 0,
        (Fold::Prod, _) => 1,
        (Fold::And, _) => all,
        (Fold::Max | Fold::MaxNum, Class::Int) => 1 << (bits - 1),
        (Fold::Min | Fold::MinNum, Class::Int) => all >> 1,
        (Fold::Max | Fold::MaxNum, _) => 0,
        (Fold::Min | Fold::MinNum, _) => all,
    }
}

impl Body<'_> {
    /// Sets the mask of the elements that are on, of those of vector `k` of the pass; and that of elements at all.
    fn on(&mut self, k: usize) {
        for (mask, end) in [(COUNT, RSI), (body::TOTAL, RDX)] {
            self.a.mov(RCX, end);
            self.a.sub(RCX, RAX);
            self.broadcast_register(SCRATCH, RCX);
            self.numbers_below(mask, k);
        }
    }

    /// The loops over all elements: whole passes of vectors that are on, then what is left.
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

    /// Of folds to the greatest (least) number: the bits of the least (greatest) one.
    fn quick_extreme(&self) -> Option<u64> {
        match self.l.sink {
            Sink::Fold { op: Fold::MaxNum, class: Class::Float, .. } => {
                Some(neutral(Fold::Max, Class::Float, self.l.width))
            }
            Sink::Fold { op: Fold::MinNum, class: Class::Float, .. } => {
                Some(neutral(Fold::Min, Class::Float, self.l.width))
            }
            _ => None,
        }
    }

    /// Folds the accumulators into all lanes of the first.
    fn fold_lanes(&mut self) {
        let Sink::Fold { op, class, .. } = self.l.sink else { return };
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

    /// Writes the result of a fold.
    fn store_result(&mut self) {
        if let Sink::Fold { to, .. } = self.l.sink {
            self.a.load_word(RCX, to);
            self.a.zero(RAX);
            self.store_first(self.accumulators[0], RCX);
        }
    }
}
