//! Masked, scattered and counted elements in memory.

use super::{Registry, Routine, any_isa, each_isa};

/// Whether the mask holds at position `i`; a null mask holds everywhere.
///
/// # Safety
/// `mask` is null or has an element `i`.
#[inline(always)]
pub(super) unsafe fn holds(mask: *const u8, i: usize) -> bool {
    // SAFETY: a mask that is not null has an element `i`.
    mask.is_null() || unsafe { *mask.add(i) } != 0
}

pub(super) fn register(registry: &mut Registry) {
    macro_rules! sizes {
        ($($t:ty)*) => { $({
            let bytes = size_of::<$t>() as u8;
            let gather = each_isa!(fn(out: *mut $t, addresses: *const u64, mask: *const u8, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; addresses whose mask holds are readable.
                    unsafe {
                        if holds(mask, i) {
                            *out.add(i) = (*addresses.add(i) as *const $t).read_unaligned();
                        }
                    }
                }
            });
            registry.add(Routine::Gather { bytes }, gather);
            let scatter = any_isa!(fn(addresses: *const u64, values: *const $t, mask: *const u8, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; addresses whose mask holds are writable.
                    unsafe {
                        if holds(mask, i) {
                            (*addresses.add(i) as *mut $t).write_unaligned(*values.add(i));
                        }
                    }
                }
            });
            registry.add(Routine::Scatter { bytes }, scatter);
            let copy = each_isa!(fn(out: *mut $t, x: *const $t, mask: *const u8, n: usize) {
                // SAFETY: `out` and `x` have `n` elements where the mask holds.
                unsafe { copy_masked::<$t>(out, x, mask, n) }
            });
            registry.add(Routine::CopyMasked { bytes }, copy);
        })* };
    }
    sizes!(u8 u16 u32 u64);
    macro_rules! histograms {
        ($($t:ty)*) => { $({
            let count = any_isa!(fn(bins: *mut i32, bin_count: usize, x: *const $t, mask: *const u8, n: usize) {
                for i in 0..n {
                    // SAFETY: the spans have `n` elements; only existing bins are written.
                    unsafe {
                        // A negative number is not a bin.
                        let bin = usize::try_from(*x.add(i)).unwrap_or(usize::MAX);
                        if bin < bin_count && holds(mask, i) {
                            *bins.add(bin) = (*bins.add(bin)).wrapping_add(1);
                        }
                    }
                }
            });
            registry.add(Routine::Histogram { dtype: <$t as trident_ir::Element>::DTYPE }, count);
        })* };
    }
    histograms!(i8 i16 i32 i64 u8 u16 u32 u64);
}

/// Copies in segments over which the mask is constant; most masks consist of few such segments.
///
/// # Safety
/// `mask` is null or has `n` elements. Those of `x` where it holds are readable, and those of `out` writable.
#[inline(always)]
unsafe fn copy_masked<T: Copy>(out: *mut T, x: *const T, mask: *const u8, n: usize) {
    const RUN: usize = 32;
    let mut i = 0;
    // SAFETY: a mask that is not null has `n` elements, and so have `out` and `x` where it holds. A segment is copied at once only if
    // its mask holds everywhere.
    unsafe {
        if mask.is_null() {
            std::ptr::copy(x, out, n);
            return;
        }
        while i < n {
            let run = RUN.min(n - i);
            let mut count = 0;
            for j in 0..run {
                count += usize::from(*mask.add(i + j) != 0);
            }
            if count == run {
                std::ptr::copy(x.wrapping_add(i), out.wrapping_add(i), run);
            } else if count > 0 {
                for j in i..i + run {
                    if *mask.add(j) != 0 {
                        *out.wrapping_add(j) = *x.wrapping_add(j);
                    }
                }
            }
            i += run;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routine::{c_function, table};
    use trident_simd::Isa;

    fn address(routine: Routine, isa: Isa) -> usize {
        table(isa)[routine.slot().unwrap_or_else(|| panic!("no {routine:?}"))]
    }

    #[test]
    fn gathers_and_scatters_where_the_mask_holds() {
        for isa in Isa::available() {
            for n in 0..70usize {
                let source: Vec<u32> = (0..200).collect();
                let mask: Vec<u8> = (0..n).map(|i| u8::from(i % 3 != 1)).collect();
                // Where the mask does not hold, an address may have any value.
                let addresses: Vec<u64> = (0..n)
                    .map(|i| if mask[i] == 0 { 1 } else { &raw const source[i * 37 % 200] as u64 })
                    .collect();
                let mut out = vec![7u32; n];
                let f = c_function!(
                    address(Routine::Gather { bytes: 4 }, isa);
                    *mut u32, *const u64, *const u8, usize
                );
                // SAFETY: the spans have `n` elements, the addresses are those of `source`.
                unsafe {
                    f(out.as_mut_ptr(), addresses.as_ptr(), mask.as_ptr(), n);
                }
                for i in 0..n {
                    assert_eq!(out[i], if mask[i] == 0 { 7 } else { source[i * 37 % 200] });
                }
                let mut target = vec![0u32; 200];
                let addresses: Vec<u64> = (0..n)
                    .map(|i| if mask[i] == 0 { 1 } else { &raw mut target[i * 37 % 200] as u64 })
                    .collect();
                let values: Vec<u32> = (0..n as u32).map(|i| i + 1).collect();
                let f = c_function!(
                    address(Routine::Scatter { bytes: 4 }, isa);
                    *const u64, *const u32, *const u8, usize
                );
                // SAFETY: `values` and the mask have `n` elements; the addresses are those of elements of `target` where the mask
                // holds.
                unsafe {
                    f(addresses.as_ptr(), values.as_ptr(), mask.as_ptr(), n);
                }
                for i in 0..n {
                    let expected = if mask[i] == 0 { 0 } else { i as u32 + 1 };
                    assert_eq!(target[i * 37 % 200], expected);
                }
            }
        }
    }

    #[test]
    fn copies_where_the_mask_holds() {
        for isa in Isa::available() {
            for n in 0..100usize {
                for step in [1, 2, 5, 40] {
                    let x: Vec<u16> = (0..n as u16).collect();
                    let mask: Vec<u8> = (0..n).map(|i| u8::from(i / step % 2 == 0)).collect();
                    let mut out = vec![999u16; n];
                    let f = c_function!(
                        address(Routine::CopyMasked { bytes: 2 }, isa);
                        *mut u16, *const u16, *const u8, usize
                    );
                    // SAFETY: the spans have `n` elements.
                    unsafe {
                        f(out.as_mut_ptr(), x.as_ptr(), mask.as_ptr(), n);
                        for i in 0..n {
                            assert_eq!(out[i], if mask[i] == 0 { 999 } else { x[i] });
                        }
                        f(out.as_mut_ptr(), x.as_ptr(), std::ptr::null(), n);
                        assert_eq!(out, x);
                    }
                }
            }
        }
    }

    #[test]
    fn counts_what_has_a_bin() {
        let x = [0i32, 3, -1, 3, 4, 9, i32::MIN, i32::MAX, 1];
        let mask = [1u8, 1, 1, 0, 1, 1, 1, 1, 1];
        for isa in Isa::available() {
            let mut bins = [10i32; 4];
            let f = c_function!(
                address(Routine::Histogram { dtype: trident_ir::DType::I32 }, isa);
                *mut i32, usize, *const i32, *const u8, usize
            );
            // SAFETY: the spans have 9 elements, the histogram 4.
            unsafe {
                f(bins.as_mut_ptr(), 4, x.as_ptr(), mask.as_ptr(), 9);
            }
            assert_eq!(bins, [11, 11, 10, 11]);
        }
    }
}
