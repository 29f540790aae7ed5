//! Random numbers from a counter-based generator: element `i` of a call depends on the key and on `i` only, so results
//! do not depend on threads. With a seed every call gives the same numbers; without one an op draws on from call to call.

mod draw;
mod philox;

use crate::kernel::{Call, Compile, Kernel};
use philox::Stream;
use std::sync::atomic::{AtomicU64, Ordering};
use trident_ir::{Op, OpKind};
use trident_runtime::KernelError;

/// Where ops without a seed start.
const DEFAULT_SEED: u64 = 0x7472_6964_656e_7421;

struct Random {
    name: &'static str,
    draw: fn(&mut Call<'_, '_>, Stream) -> Result<(), KernelError>,
    key: u64,
    seeded: bool,
    calls: AtomicU64,
}

/// The seed as bits: an integer for Dropout, else a float.
fn seed(op: &Op) -> Option<u64> {
    op.int("seed").map(|s| s as u64).or_else(|| op.float("seed").map(|s| s.to_bits().into()))
}

/// The kernel for an op that draws random numbers.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    let (name, draw): (_, fn(&mut Call<'_, '_>, Stream) -> _) = match cx.op.kind {
        OpKind::Bernoulli => ("bernoulli", draw::bernoulli),
        OpKind::Dropout => ("dropout", draw::dropout),
        OpKind::Multinomial => ("multinomial", draw::multinomial),
        OpKind::RandomNormal | OpKind::RandomNormalLike => ("random_normal", draw::normal),
        OpKind::RandomUniform | OpKind::RandomUniformLike => ("random_uniform", draw::uniform),
        _ => return None,
    };
    let seed = seed(cx.op);
    // Ops without a seed get different numbers by the value they define.
    let place = cx.op.output(0).map_or(0, |v| v.index() as u64);
    let key = seed.unwrap_or(DEFAULT_SEED ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Some(Box::new(Random { name, draw, key, seeded: seed.is_some(), calls: AtomicU64::new(0) }))
}

impl Kernel for Random {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let nth = if self.seeded { 0 } else { self.calls.fetch_add(1, Ordering::Relaxed) };
        (self.draw)(call, Stream::new(self.key, nth))
    }
}
