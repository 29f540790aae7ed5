//! Splitting the elements of a result over the threads.

use trident_simd::Isa;

use crate::threads::Threads;

/// Elements below which one thread is faster than waking others.
const GRAIN: usize = 16 << 10;

/// Calls `f(start, piece)` on pieces that together make up `out`, on several threads if there is enough to do.
/// `cost` is the work for one element in units of a simple arithmetic operation.
pub fn for_pieces<T: Send>(
    threads: &Threads,
    out: &mut [T],
    cost: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    for_rows(threads, out, 1, cost, f);
}

/// As [`for_pieces`], with pieces of whole rows of `row` elements; `start` is the index of the first row.
pub fn for_rows<T: Send>(
    threads: &Threads,
    out: &mut [T],
    row: usize,
    cost: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let (len, row) = (out.len(), row.max(1));
    let grain = (GRAIN / cost.max(1)).max(1);
    if len < 2 * grain || threads.count() == 1 {
        if len > 0 {
            f(0, out);
        }
        return;
    }
    threads.for_rows_mut(out, row, grain.div_ceil(row), f);
}

/// Runs a closure compiled for the machine's vector instructions, as far as it is inlined.
#[inline(always)]
pub fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = Isa::detect().avx2() {
        trident_simd::avx2! {
            fn avx2<R>(_: trident_simd::Avx2, f: impl FnOnce() -> R) -> R {
                f()
            }
        }
        // SAFETY: the token proves that the machine has the instructions.
        return unsafe { avx2(isa, f) };
    }
    let _ = Isa::detect;
    f()
}
