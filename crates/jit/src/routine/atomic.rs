//! Atomic operations on elements anywhere in memory.
//!
//! All are sequentially consistent, which every order and scope of a kernel permits. Floats are updated by
//! compare-and-exchange on their bits, repeated until no other update intervened.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use half::{bf16, f16};
use trident_ir::Element;
use trident_simd::narrow::Rounding;

use super::memory::holds;
use super::narrow::Narrow;
use super::{Registry, Rmw, Routine, any_isa};

/// Replaces the bits at an address by `f` of them, and returns the previous ones.
macro_rules! update {
    ($atomic:ident, $address:expr, |$old:ident| $f:expr) => {{
        let place = $atomic::from_ptr($address as *mut _);
        let mut $old = place.load(SeqCst);
        loop {
            match place.compare_exchange_weak($old, $f, SeqCst, SeqCst) {
                Ok(former) => break former,
                Err(seen) => $old = seen,
            }
        }
    }};
}

/// Registers read-modify-writes: for each position, `$former` is the result of `$operation` on `$address` with
/// `$value`.
macro_rules! rmw {
    ($registry:ident; $t:ty as $bits:ty; $($op:ident => |$address:ident, $value:ident| $operation:expr;)*) => { $({
        let addresses = any_isa!(fn(
            former: *mut $bits, addresses: *const u64, values: *const $bits, mask: *const u8, n: usize,
        ) {
            for i in 0..n {
                // SAFETY: the spans have `n` elements; addresses whose mask holds are valid and aligned, and accessed
                // by others only atomically while the kernel runs.
                unsafe {
                    if holds(mask, i) {
                        let ($address, $value) = (*addresses.add(i), *values.add(i));
                        let old = $operation;
                        if !former.is_null() {
                            *former.add(i) = old;
                        }
                    }
                }
            }
        });
        $registry.add(Routine::AtomicRmw { op: Rmw::$op, dtype: <$t as Element>::DTYPE }, addresses);
    })* };
}

pub(super) fn register(registry: &mut Registry) {
    macro_rules! integers {
        ($($t:ident as $bits:ident $atomic:ident;)*) => { $(
            rmw!(registry; $t as $bits;
                Add => |p, x| $atomic::from_ptr(p as *mut $bits).fetch_add(x, SeqCst);
                And => |p, x| $atomic::from_ptr(p as *mut $bits).fetch_and(x, SeqCst);
                Or => |p, x| $atomic::from_ptr(p as *mut $bits).fetch_or(x, SeqCst);
                Xor => |p, x| $atomic::from_ptr(p as *mut $bits).fetch_xor(x, SeqCst);
                Max => |p, x| update!($atomic, p, |old| (old as $t).max(x as $t) as $bits);
                Min => |p, x| update!($atomic, p, |old| (old as $t).min(x as $t) as $bits);
                Exchange => |p, x| $atomic::from_ptr(p as *mut $bits).swap(x, SeqCst);
            );
        )* };
    }
    integers! {
        i8 as u8 AtomicU8; u8 as u8 AtomicU8; i16 as u16 AtomicU16; u16 as u16 AtomicU16;
        i32 as u32 AtomicU32; u32 as u32 AtomicU32; i64 as u64 AtomicU64; u64 as u64 AtomicU64;
    }
    macro_rules! floats {
        ($($t:ident as $bits:ident $atomic:ident, |$x:ident| $decode:expr, |$y:ident| $encode:expr;)*) => { $(
            rmw!(registry; $t as $bits;
                Add => |p, x| {
                    let added = { let $x = x; $decode };
                    update!($atomic, p, |old| { let $x = old; let $y = $decode + added; $encode })
                };
                Max => |p, x| {
                    let other = { let $x = x; $decode };
                    update!($atomic, p, |old| { let $x = old; let $y = $decode.max(other); $encode })
                };
                Min => |p, x| {
                    let other = { let $x = x; $decode };
                    update!($atomic, p, |old| { let $x = old; let $y = $decode.min(other); $encode })
                };
                Exchange => |p, x| $atomic::from_ptr(p as *mut $bits).swap(x, SeqCst);
            );
        )* };
    }
    floats! {
        f64 as u64 AtomicU64, |x| f64::from_bits(x), |y| y.to_bits();
        f32 as u32 AtomicU32, |x| f32::from_bits(x), |y| y.to_bits();
        f16 as u16 AtomicU16, |x| f16::from_bits(x).decode(),
            |y| f16::encode(y, Rounding::NearestEven, false).to_bits();
        bf16 as u16 AtomicU16, |x| bf16::from_bits(x).decode(),
            |y| bf16::encode(y, Rounding::NearestEven, false).to_bits();
    }
    access(registry);
}

/// Exchanges, loads, stores and waits, by the size of elements.
fn access(registry: &mut Registry) {
    macro_rules! sizes {
        ($($bits:ident $atomic:ident;)*) => { $({
            let bytes = size_of::<$bits>() as u8;
            let cas = any_isa!(fn(
                former: *mut $bits, addresses: *const u64, expected: *const $bits, values: *const $bits,
                mask: *const u8, n: usize,
            ) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; addresses whose mask holds are valid and aligned, and accessed by
                    // others only atomically while the kernel runs.
                    unsafe {
                        if holds(mask, i) {
                            let place = $atomic::from_ptr(*addresses.add(i) as *mut $bits);
                            let result =
                                place.compare_exchange(*expected.add(i), *values.add(i), SeqCst, SeqCst);
                            if !former.is_null() {
                                *former.add(i) = match result { Ok(old) | Err(old) => old };
                            }
                        }
                    }
                }
            });
            registry.add(Routine::AtomicCas { bytes }, cas);
            let load = any_isa!(fn(out: *mut $bits, addresses: *const u64, mask: *const u8, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; addresses whose mask holds are valid and aligned, and accessed by
                    // others only atomically while the kernel runs.
                    unsafe {
                        if holds(mask, i) {
                            *out.add(i) = $atomic::from_ptr(*addresses.add(i) as *mut $bits).load(SeqCst);
                        }
                    }
                }
            });
            registry.add(Routine::AtomicLoad { bytes }, load);
            let store = any_isa!(fn(addresses: *const u64, values: *const $bits, mask: *const u8, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; addresses whose mask holds are valid and aligned, and accessed by
                    // others only atomically while the kernel runs.
                    unsafe {
                        if holds(mask, i) {
                            $atomic::from_ptr(*addresses.add(i) as *mut $bits).store(*values.add(i), SeqCst);
                        }
                    }
                }
            });
            registry.add(Routine::AtomicStore { bytes }, store);
            let poll = any_isa!(fn(
                done: *mut u8, addresses: *const u64, expected: *const $bits, timeout: i64, n: usize,
            ) {
                let mut patience = Patience::new(timeout);
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; all addresses are valid and aligned, and accessed by others only
                    // atomically while the kernel runs.
                    unsafe {
                        let place = $atomic::from_ptr(*addresses.add(i) as *mut $bits);
                        let seen = loop {
                            if place.load(SeqCst) == *expected.add(i) {
                                break true;
                            }
                            if patience.is_over() {
                                break false;
                            }
                        };
                        *done.add(i) = seen.into();
                    }
                }
            });
            registry.add(Routine::AtomicPoll { bytes }, poll);
        })* };
    }
    sizes! { u8 AtomicU8; u16 AtomicU16; u32 AtomicU32; u64 AtomicU64; }
}

/// The waiting of a poll: it spins a little, then yields to other threads, possibly the ones that it waits for.
struct Patience {
    end: Option<Instant>,
    tries: u32,
}

impl Patience {
    fn new(timeout: i64) -> Self {
        // A limit beyond the clock's range means no limit.
        let end = u64::try_from(timeout).ok();
        let end = end.and_then(|t| Instant::now().checked_add(Duration::from_nanos(t)));
        Self { end, tries: 0 }
    }

    fn is_over(&mut self) -> bool {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return true;
        }
        self.tries = self.tries.saturating_add(1);
        if self.tries < 64 {
            std::hint::spin_loop()
        } else {
            std::thread::yield_now()
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routine::{c_function, table};
    use trident_simd::Isa;

    fn address(routine: Routine) -> usize {
        table(Isa::detect())[routine.slot().unwrap_or_else(|| panic!("no {routine:?}"))]
    }

    fn rmw<T: Element>(op: Rmw, places: &mut [T], values: &[T], mask: &[u8]) -> Vec<T> {
        let addresses: Vec<u64> = places.iter_mut().map(|p| &raw mut *p as u64).collect();
        let mut former = vec![T::default(); values.len()];
        let f = c_function!(
            address(Routine::AtomicRmw { op, dtype: T::DTYPE });
            *mut T, *const u64, *const T, *const u8, usize
        );
        // SAFETY: the spans are equally long; the addresses are those of `places`.
        unsafe {
            f(
                former.as_mut_ptr(),
                addresses.as_ptr(),
                values.as_ptr(),
                mask.as_ptr(),
                values.len(),
            );
        }
        former
    }

    #[test]
    fn operations_give_the_former_elements() {
        let mut x = [1i32, 2, 3, 4];
        assert_eq!(rmw(Rmw::Add, &mut x, &[10, 20, 30, 40], &[1, 1, 0, 1]), [1, 2, 0, 4]);
        assert_eq!(x, [11, 22, 3, 44]);
        assert_eq!(rmw(Rmw::Max, &mut x, &[-5, 100, 3, 44], &[1; 4]), [11, 22, 3, 44]);
        assert_eq!(x, [11, 100, 3, 44]);
        let mut x = [250u8, 3];
        rmw(Rmw::Add, &mut x, &[10, 1], &[1; 2]);
        assert_eq!(x, [4, 4]);
        rmw(Rmw::Min, &mut x, &[200, 1], &[1; 2]);
        assert_eq!(x, [4, 1]);
        let mut x = [-1i8, 3];
        rmw(Rmw::Min, &mut x, &[2, -8], &[1; 2]);
        assert_eq!(x, [-1, -8]);
        let mut x = [0b1100u64; 3];
        rmw(Rmw::And, &mut x[..1], &[0b1010], &[1]);
        rmw(Rmw::Or, &mut x[1..2], &[0b1010], &[1]);
        rmw(Rmw::Xor, &mut x[2..], &[0b1010], &[1]);
        assert_eq!(x, [0b1000, 0b1110, 0b0110]);
        let mut x = [1.5f32, f32::NAN];
        assert_eq!(rmw(Rmw::Add, &mut x, &[0.25, 1.0], &[1; 2])[0], 1.5);
        assert!(x[0] == 1.75 && x[1].is_nan());
        rmw(Rmw::Max, &mut x, &[-3.0, 1.0], &[1; 2]);
        assert_eq!(x, [1.75, 1.0]);
        let mut x = [f16::from_f32(2048.0)];
        rmw(Rmw::Add, &mut x, &[f16::from_f32(1.0)], &[1]);
        assert_eq!(x[0].to_f32(), 2048.0);
        let mut x = [bf16::from_f32(3.0)];
        assert_eq!(rmw(Rmw::Exchange, &mut x, &[bf16::from_f32(4.0)], &[1])[0].to_f32(), 3.0);
        assert_eq!(x[0].to_f32(), 4.0);
    }

    #[test]
    fn nothing_is_lost_between_threads() {
        let mut sums = [0f32, 0.0];
        let mut counts = [0i16; 2];
        let (s, c) = (&raw mut sums as u64, &raw mut counts as u64);
        let add = |dtype| address(Routine::AtomicRmw { op: Rmw::Add, dtype });
        let floats =
            c_function!(add(f32::DTYPE); *mut f32, *const u64, *const f32, *const u8, usize);
        let shorts =
            c_function!(add(i16::DTYPE); *mut i16, *const u64, *const i16, *const u8, usize);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    let (no_floats, no_shorts) = (std::ptr::null_mut(), std::ptr::null_mut());
                    for _ in 0..2000 {
                        let (to, x) = ([s, s + 4], [1.0, 2.0]);
                        let (to_shorts, ones) = ([c, c + 2], [1, 2]);
                        // SAFETY: the addresses are those of `sums` and `counts`, which outlive the threads.
                        unsafe {
                            floats(no_floats, to.as_ptr(), x.as_ptr(), std::ptr::null(), 2);
                            let (to, x) = (to_shorts.as_ptr(), ones.as_ptr());
                            shorts(no_shorts, to, x, std::ptr::null(), 2);
                        }
                    }
                });
            }
        });
        assert_eq!(sums, [8000.0, 16000.0]);
        assert_eq!(counts, [8000, 16000]);
    }

    #[test]
    fn exchanges_loads_stores_and_polls() {
        let mut x = [5u32, 6];
        let addresses = [&raw mut x[0] as u64, &raw mut x[1] as u64];
        let cas = c_function!(
            address(Routine::AtomicCas { bytes: 4 });
            *mut u32, *const u64, *const u32, *const u32, *const u8, usize
        );
        let load = c_function!(
            address(Routine::AtomicLoad { bytes: 4 });
            *mut u32, *const u64, *const u8, usize
        );
        let store = c_function!(
            address(Routine::AtomicStore { bytes: 4 });
            *const u64, *const u32, *const u8, usize
        );
        let poll = c_function!(
            address(Routine::AtomicPoll { bytes: 4 });
            *mut u8, *const u64, *const u32, i64, usize
        );
        // SAFETY: the spans have 2 elements; the addresses are those of `x`.
        unsafe {
            let mut former = [0u32; 2];
            cas(
                former.as_mut_ptr(),
                addresses.as_ptr(),
                [5, 7].as_ptr(),
                [50, 60].as_ptr(),
                std::ptr::null(),
                2,
            );
            assert_eq!(former, [5, 6]);
            load(former.as_mut_ptr(), addresses.as_ptr(), std::ptr::null(), 2);
            assert_eq!(former, [50, 6]);
            store(addresses.as_ptr(), [1, 2].as_ptr(), [0u8, 1].as_ptr(), 2);
            load(former.as_mut_ptr(), addresses.as_ptr(), std::ptr::null(), 2);
            assert_eq!(former, [50, 2]);
            let mut done = [9u8; 2];
            poll(done.as_mut_ptr(), addresses.as_ptr(), [50, 3].as_ptr(), 0, 2);
            assert_eq!(done, [1, 0]);
            let at = addresses[1];
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(5));
                    store([at].as_ptr(), [3u32].as_ptr(), std::ptr::null(), 1);
                });
                poll(done.as_mut_ptr(), addresses.as_ptr(), [50, 3].as_ptr(), -1, 2);
            });
            assert_eq!(done, [1, 1]);
        }
    }
}
