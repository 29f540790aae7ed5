//! Packing of runs along `k`: a transposition, eight by eight in registers where the machine can.

use std::ops::Range;

/// Writes `dst[p * width + i] = data[start + i * stride + p]` for `i < count`, and zero for the other `i < width`, for the
/// `p` of `0..k`.
pub(crate) fn pack_runs(
    data: &[f32],
    start: usize,
    stride: usize,
    count: usize,
    k: usize,
    width: usize,
    dst: &mut [f32],
) {
    let end = count
        .saturating_sub(1)
        .checked_mul(stride)
        .and_then(|last| start.checked_add(last)?.checked_add(k));
    assert!(k == 0 || count == 0 || end.is_some_and(|end| end <= data.len()));
    // SAFETY: the runs lie in `data`, as asserted.
    unsafe { pack_runs_at(data.as_ptr().wrapping_add(start), stride, count, k, width, dst) }
}

/// Writes `dst[p * width + i] = from[i * stride + p]` for `i < count`, and zero for the other `i < width`, for the `p`
/// of `0..k`; elements between the runs are ignored. Panics if `count` exceeds `width`, or the panel `dst`.
///
/// # Safety
/// `count` runs of `k` elements, `stride` apart, are readable.
pub unsafe fn pack_runs_at(
    from: *const f32,
    stride: usize,
    count: usize,
    k: usize,
    width: usize,
    dst: &mut [f32],
) {
    assert!(count <= width && k.checked_mul(width).is_some_and(|len| len <= dst.len()));
    #[cfg(target_arch = "x86_64")]
    if let Some(isa) = trident_simd::Isa::detect().avx2() {
        for first in (0..width).step_by(8) {
            let some = count.saturating_sub(first).min(8);
            let whole = k / 8 * 8;
            let lanes = first..width.min(first + 8);
            // SAFETY: the token proves that the machine has AVX2; the runs are readable, as the caller says.
            unsafe {
                let runs = from.wrapping_add(first * stride);
                x86::block(isa, runs, stride, some, whole, width, first, &mut dst[..k * width]);
                plain(from, stride, count, lanes, whole..k, width, dst);
            }
        }
        return;
    }
    // SAFETY: all `count` runs have `k` readable elements, and the panel holds `k` rows of `width`, as was asserted.
    unsafe { plain(from, stride, count, 0..width, 0..k, width, dst) }
}

/// # Safety
/// As for [`pack_runs_at`].
unsafe fn plain(
    from: *const f32,
    stride: usize,
    count: usize,
    lanes: Range<usize>,
    k: Range<usize>,
    width: usize,
    dst: &mut [f32],
) {
    for p in k {
        for i in lanes.clone() {
            // SAFETY: run `i` has element `p`.
            dst[p * width + i] = if i < count { unsafe { *from.add(i * stride + p) } } else { 0.0 };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use trident_simd::Avx2;

    /// Transposes `count <= 8` runs of `k` (a multiple of 8) elements into lanes `first..first + 8` of the panel `dst`. A
    /// store may cover lanes of the next step, which that step then overwrites.
    ///
    /// # Safety
    /// The runs are readable; those that do not exist are not read.
    #[target_feature(enable = "avx2")]
    #[allow(clippy::too_many_arguments)]
    pub(super) unsafe fn block(
        _: Avx2,
        from: *const f32,
        stride: usize,
        count: usize,
        k: usize,
        width: usize,
        first: usize,
        dst: &mut [f32],
    ) {
        for p in (0..k).step_by(8) {
            let mut r = [_mm256_setzero_ps(); 8];
            for (i, r) in r.iter_mut().enumerate().take(count) {
                // SAFETY: run `i` has elements `p..p + 8`.
                *r = unsafe { _mm256_loadu_ps(from.add(i * stride + p)) };
            }
            let r = transpose(r);
            for (i, r) in r.into_iter().enumerate() {
                let at = (p + i) * width + first;
                if at + 8 <= dst.len() {
                    // SAFETY: eight elements of the panel.
                    unsafe { _mm256_storeu_ps(dst.as_mut_ptr().add(at), r) };
                } else {
                    let to = &mut dst[at..];
                    let mut lanes = [0.0f32; 8];
                    // SAFETY: `lanes` has eight elements.
                    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), r) };
                    to.copy_from_slice(&lanes[..to.len()]);
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    fn transpose(r: [__m256; 8]) -> [__m256; 8] {
        let pair = |a, b| (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let ((a0, a1), (a2, a3)) = (pair(r[0], r[1]), pair(r[2], r[3]));
        let ((a4, a5), (a6, a7)) = (pair(r[4], r[5]), pair(r[6], r[7]));
        let low = |a, b| _mm256_shuffle_ps::<0x44>(a, b);
        let high = |a, b| _mm256_shuffle_ps::<0xee>(a, b);
        let (b0, b1, b2, b3) = (low(a0, a2), high(a0, a2), low(a1, a3), high(a1, a3));
        let (b4, b5, b6, b7) = (low(a4, a6), high(a4, a6), low(a5, a7), high(a5, a7));
        let first = |a, b| _mm256_permute2f128_ps::<0x20>(a, b);
        let second = |a, b| _mm256_permute2f128_ps::<0x31>(a, b);
        [
            first(b0, b4),
            first(b1, b5),
            first(b2, b6),
            first(b3, b7),
            second(b0, b4),
            second(b1, b5),
            second(b2, b6),
            second(b3, b7),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    #[test]
    fn panels_of_any_size() {
        for (width, count) in
            [(8, 8), (8, 3), (48, 48), (48, 17), (6, 6), (6, 1), (16, 9), (4, 4), (8, 0)]
        {
            for (k, stride) in [(0, 5), (1, 9), (8, 8), (19, 40), (64, 64)] {
                let data = Random::new(1).f32s(3 + width * stride + k);
                let mut dst = vec![f32::NAN; k * width];
                pack_runs(&data, 3, stride, count, k, width, &mut dst);
                for (at, got) in dst.iter().enumerate() {
                    let (p, i) = (at / width, at % width);
                    let want = if i < count { data[3 + i * stride + p] } else { 0.0 };
                    assert_eq!(*got, want, "{width} {count} {k} {stride} at {p}, {i}");
                }
            }
        }
    }
}
