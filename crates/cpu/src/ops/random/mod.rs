//! Random numbers from a counter-based generator: element `i` of a call depends on the key and on `i` only, so results
//! do not depend on threads. With a seed every call gives the same numbers; without one an op draws on from call to call.

mod draw;
mod philox;

use crate::kernel::{Entry, entry};
use philox::Stream;
use std::sync::atomic::{AtomicU64, Ordering};
use trident_ir::ValueId;
use trident_ir::ops::{
    Bernoulli, Dropout, Multinomial, RandomNormal, RandomNormalLike, RandomUniform,
    RandomUniformLike,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(Bernoulli::KIND, draw::bernoulli),
    entry(Dropout::KIND, draw::dropout),
    entry(Multinomial::KIND, draw::multinomial),
    entry(RandomNormal::KIND, draw::normal),
    entry(RandomNormalLike::KIND, draw::normal_like),
    entry(RandomUniform::KIND, draw::uniform),
    entry(RandomUniformLike::KIND, draw::uniform_like),
];

/// Where ops without a seed start.
const DEFAULT_SEED: u64 = 0x7472_6964_656e_7421;

/// The numbers of an op, call by call.
struct Source {
    key: u64,
    seeded: bool,
    calls: AtomicU64,
}

impl Source {
    /// The source of an op with this seed, if it has one, that defines this value.
    fn new(seed: Option<u64>, result: Option<ValueId>) -> Source {
        // Ops without a seed get different numbers by the value they define.
        let place = result.map_or(0, |v| v.index() as u64);
        let key = seed.unwrap_or(DEFAULT_SEED ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Source { key, seeded: seed.is_some(), calls: AtomicU64::new(0) }
    }

    /// Like [`Source::new`], with the bits of a float as seed.
    fn of_float(seed: Option<f32>, result: Option<ValueId>) -> Source {
        Source::new(seed.map(|s| s.to_bits().into()), result)
    }

    /// The numbers of a call. Each call asks once, and before it can fail.
    fn next(&self) -> Stream {
        let nth = if self.seeded { 0 } else { self.calls.fetch_add(1, Ordering::Relaxed) };
        Stream::new(self.key, nth)
    }
}
