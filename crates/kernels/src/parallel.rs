//! Splitting the elements of a result over the threads.

use std::ops::Range;

use trident_simd::Isa;

use crate::disjoint::Disjoint;
use crate::threads::Threads;

/// Simple operations below which one thread is faster than waking others.
const GRAIN: usize = 16 << 10;

/// Elements of this cost below which one thread is faster than waking others.
fn grain(cost: usize) -> usize {
    (GRAIN / cost.max(1)).max(1)
}

/// Whether [`for_pieces`] does this much on the calling thread alone.
pub fn is_short(len: usize, cost: usize) -> bool {
    len < 2 * grain(cost)
}

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

/// Like [`for_pieces`], with pieces of whole rows of `row` elements; `start` is the index of the first row.
pub fn for_rows<T: Send>(
    threads: &Threads,
    out: &mut [T],
    row: usize,
    cost: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let len = out.len();
    let out = Disjoint::new(out);
    split(threads, len, row.max(1), cost, &|first, elements| {
        // SAFETY: the ranges do not overlap, and each comes once.
        f(first, unsafe { out.part(elements) });
    });
}

/// Calls `f` with the first row and the elements of each piece. `f` is called by address, so that the code of a kernel
/// exists once; a kernel takes much longer than the call.
fn split(
    threads: &Threads,
    len: usize,
    row: usize,
    cost: usize,
    f: &(dyn Fn(usize, Range<usize>) + Sync),
) {
    let grain = grain(cost);
    if is_short(len, cost) {
        if len > 0 {
            f(0, 0..len);
        }
        return;
    }
    threads.for_range(len.div_ceil(row), grain.div_ceil(row), |rows| {
        f(rows.start, rows.start * row..(rows.end * row).min(len));
    });
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
