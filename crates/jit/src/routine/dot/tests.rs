//! Products compared with a naive loop, for every instruction set: all types, small and odd extents, strides, batches.

use half::{bf16, f16};
use trident_ir::Element;
use trident_ir::element::{F4E2M1FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU};
use trident_simd::Isa;

use super::*;
use crate::routine::{c_function, table};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn value(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64 * 2.0 - 1.0
    }
}

/// A type that tests construct from and compare as `f64`.
trait Number: Element {
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
}
macro_rules! number {
    ($($t:ident: |$x:ident| $of:expr, |$y:ident| $value:expr;)*) => { $(
        impl Number for $t {
            fn of($x: f64) -> Self { $of }
            fn value(self) -> f64 { let $y = self; $value }
        }
    )* };
}
number! {
    f32: |x| x as f32, |y| y.into();
    f64: |x| x, |y| y;
    f16: |x| f16::from_f64(x), |y| y.to_f64();
    bf16: |x| bf16::from_f64(x), |y| y.to_f64();
    F8E4M3FN: |x| F8E4M3FN::from_f64(x, false), |y| y.to_f32().into();
    F8E5M2: |x| F8E5M2::from_f64(x, false), |y| y.to_f32().into();
    F8E4M3FNUZ: |x| F8E4M3FNUZ::from_f64(x, false), |y| y.to_f32().into();
    F8E5M2FNUZ: |x| F8E5M2FNUZ::from_f64(x, false), |y| y.to_f32().into();
    i8: |x| (x * 128.0) as i8, |y| y.into();
    u8: |x| (x.abs() * 255.0) as u8, |y| y.into();
    i32: |x| (x * 1e9) as i32, |y| y.into();
}

fn address(routine: Routine, isa: Isa) -> usize {
    table(isa)[routine.slot().unwrap_or_else(|| panic!("no {routine:?}"))]
}

#[derive(Clone, Copy)]
enum Layout {
    Rows,
    Columns,
    Gaps,
}

fn strides(layout: Layout, rows: usize, cols: usize) -> (isize, isize) {
    match layout {
        Layout::Rows => (cols as isize, 1),
        Layout::Columns => (1, rows as isize),
        Layout::Gaps => (2 * cols as isize + 3, 2),
    }
}

fn check<A: Number, B: Number, C: Number>(
    isa: Isa,
    extents: [usize; 4],
    layouts: [Layout; 2],
    tolerance: f64,
) {
    for fresh in [false, true] {
        check_sum::<A, B, C>(isa, extents, layouts, fresh, tolerance);
    }
}

fn check_sum<A: Number, B: Number, C: Number>(
    isa: Isa,
    [batch, m, n, k]: [usize; 4],
    layouts: [Layout; 2],
    fresh: bool,
    tolerance: f64,
) {
    let mut random = Random(7);
    let (a_row, a_col) = strides(layouts[0], m, k);
    let (b_row, b_col) = strides(layouts[1], k, n);
    let span = |r: usize, row: isize, c: usize, col: isize| {
        (r - 1) * row as usize + (c - 1) * col as usize + 1
    };
    let (a_batch, b_batch) = (span(m, a_row, k, a_col), span(k, b_row, n, b_col));
    let c_row = n + 3;
    // Exactly as long as the memory that may be read.
    let a: Vec<A> = (0..batch * a_batch).map(|_| A::of(random.value())).collect();
    let b: Vec<B> = (0..batch * b_batch).map(|_| B::of(random.value())).collect();
    let mut c: Vec<C> = (0..batch * m * c_row).map(|_| C::of(random.value())).collect();
    let before = c.clone();
    let dtypes = [A::DTYPE, B::DTYPE, C::DTYPE];
    let mut scratch = vec![0u64; dot_scratch_bytes(dtypes, m, n, k).unwrap() / 8 + 8];
    let ([a_format, b_format, c_format], wide) = Format::of(dtypes).unwrap();
    let d = Dot {
        batch,
        m,
        n,
        k,
        a_format,
        b_format,
        c_format,
        a: a.as_ptr().cast(),
        a_batch: a_batch as isize,
        a_row,
        a_col,
        b: b.as_ptr().cast(),
        b_batch: b_batch as isize,
        b_row,
        b_col,
        c: c.as_mut_ptr().cast(),
        c_batch: (m * c_row) as isize,
        c_row: c_row as isize,
        fresh: usize::from(fresh),
        scratch: scratch.as_mut_ptr().cast(),
    };
    let routine = Routine::Dot { wide };
    let f = c_function!(address(routine, isa); *const Dot);
    // SAFETY: `d` describes the vectors above.
    unsafe {
        f(&d);
    }
    for i in 0..batch {
        for r in 0..m {
            for j in 0..c_row {
                let at = i * m * c_row + r * c_row + j;
                if j >= n {
                    assert_eq!(c[at], before[at], "the gap at {r}, {j}");
                    continue;
                }
                let mut sum = if fresh { 0.0 } else { before[at].value() };
                for p in 0..k {
                    let x = a[i * a_batch + r * a_row as usize + p * a_col as usize].value();
                    sum += x * b[i * b_batch + p * b_row as usize + j * b_col as usize].value();
                }
                let got = c[at].value();
                assert!(
                    (got - sum).abs() <= tolerance * (1.0 + sum.abs()),
                    "{} {dtypes:?} {batch}x{m}x{n}x{k} fresh {fresh} at {i}, {r}, {j}: {got}, not {sum}",
                    isa.name()
                );
            }
        }
    }
}

#[test]
fn every_extent_and_layout() {
    use Layout::{Columns, Gaps, Rows};
    for isa in Isa::available() {
        for layouts in
            [[Rows, Rows], [Rows, Columns], [Columns, Rows], [Gaps, Gaps], [Columns, Columns]]
        {
            for m in [1, 2, 3, 7, 8, 9, 16, 33] {
                for n in [1, 2, 4, 8, 13, 16, 32, 47, 64] {
                    for k in [1, 2, 8, 17, 32] {
                        check::<f32, f32, f32>(isa, [1, m, n, k], layouts, 1e-5);
                    }
                }
            }
            for [m, n, k] in [[1, 1, 1], [5, 9, 3], [16, 16, 16], [17, 40, 20]] {
                check::<f64, f64, f64>(isa, [2, m, n, k], layouts, 1e-13);
                check::<f16, f16, f32>(isa, [3, m, n, k], layouts, 1e-5);
                check::<i8, i8, i32>(isa, [2, m, n, k], layouts, 0.0);
            }
        }
    }
}

#[test]
fn every_type() {
    use Layout::{Columns, Rows};
    let e = [2, 17, 24, 19];
    for isa in Isa::available() {
        for layout in [Rows, Columns] {
            let l = [Rows, layout];
            check::<f32, f32, f16>(isa, e, l, 1e-3);
            check::<f32, f32, bf16>(isa, e, l, 8e-3);
            check::<f16, f16, f16>(isa, e, l, 1e-3);
            check::<f16, f16, bf16>(isa, e, l, 8e-3);
            check::<bf16, bf16, f32>(isa, e, l, 1e-5);
            check::<bf16, bf16, bf16>(isa, e, l, 8e-3);
            check::<F8E4M3FN, F8E5M2, f32>(isa, e, l, 1e-5);
            check::<F8E5M2, F8E4M3FN, f16>(isa, e, l, 1e-3);
            check::<F8E4M3FNUZ, F8E5M2FNUZ, f32>(isa, e, l, 1e-5);
            check::<F8E5M2FNUZ, F8E5M2FNUZ, f32>(isa, e, l, 1e-5);
            check::<u8, u8, i32>(isa, e, l, 0.0);
        }
        let gaps = [Layout::Gaps, Layout::Gaps];
        check::<bf16, bf16, f32>(isa, e, gaps, 1e-5);
        check::<F8E4M3FN, F8E4M3FN, bf16>(isa, e, gaps, 8e-3);
        check::<u8, u8, i32>(isa, e, gaps, 0.0);
        // Longer than the exact partial sums of integers.
        check::<i8, i8, i32>(isa, [1, 3, 16, 2500], [Rows, Rows], 0.0);
        check::<u8, u8, i32>(isa, [1, 3, 16, 700], [Rows, Columns], 0.0);
    }
}

#[test]
fn formats_that_do_not_go_together_have_no_routine() {
    use DType::{F16, F32, F64, I8, I32, I64, U8};
    for dtypes in [
        [F64, F64, F32],
        [F32, F32, F64],
        [I8, I8, F32],
        [F16, F16, I32],
        [I8, F32, I32],
        [I32, I32, I32],
        [U8, U8, I64],
    ] {
        assert_eq!(Format::of(dtypes), None, "{dtypes:?}");
    }
}

#[test]
fn an_element_does_not_depend_on_its_place() {
    // All rows and all columns are equal, so all elements of c must have the same bits.
    let (m, n, k) = (19, 45, 37);
    let mut random = Random(3);
    let x: Vec<f32> = (0..k).map(|_| random.value() as f32).collect();
    for isa in Isa::available() {
        let a: Vec<f32> = (0..m * k).map(|i| x[i % k]).collect();
        let b: Vec<f32> = (0..n * k).map(|i| x[i / n] * 0.7).collect();
        let mut c = vec![0f32; m * n];
        let bytes = dot_scratch_bytes([DType::F32; 3], m, n, k).unwrap();
        let mut scratch = vec![0u64; bytes / 8];
        let d = Dot {
            batch: 1,
            m,
            n,
            k,
            a_format: Format::Wide,
            b_format: Format::Wide,
            c_format: Format::Wide,
            a: a.as_ptr().cast(),
            a_batch: 0,
            a_row: k as isize,
            a_col: 1,
            b: b.as_ptr().cast(),
            b_batch: 0,
            b_row: n as isize,
            b_col: 1,
            c: c.as_mut_ptr().cast(),
            c_batch: 0,
            c_row: n as isize,
            fresh: 0,
            scratch: scratch.as_mut_ptr().cast(),
        };
        let routine = Routine::Dot { wide: DType::F32 };
        let f = c_function!(address(routine, isa); *const Dot);
        // SAFETY: `d` describes the vectors above.
        unsafe {
            f(&d);
        }
        assert!(c.iter().all(|y| y.to_bits() == c[0].to_bits()), "{}", isa.name());
    }
}

/// The value of element `(r, j)` of a factor of `rows × columns`.
fn scaled_value(x: &[u8], format: Factor, along: bool, columns: usize, r: usize, j: usize) -> f64 {
    let at = r * columns + j;
    let two = |at: usize| u16::from_le_bytes([x[2 * at], x[2 * at + 1]]);
    match format {
        Factor::E4M3 => F8E4M3FN(x[at]).to_f32().into(),
        Factor::E5M2 => F8E5M2(x[at]).to_f32().into(),
        Factor::BF16 => bf16::from_bits(two(at)).to_f64(),
        Factor::FP16 => f16::from_bits(two(at)).to_f64(),
        Factor::E2M1 => {
            let (byte, high) = if along {
                (x[r * columns / 2 + j / 2], j % 2 == 1)
            } else {
                (x[r / 2 * columns + j], r % 2 == 1)
            };
            F4E2M1FN(if high { byte >> 4 } else { byte & 15 }).to_f32().into()
        }
    }
}

#[test]
fn scaled_products() {
    let formats = [Factor::E4M3, Factor::E5M2, Factor::E2M1, Factor::BF16, Factor::FP16];
    let (batch, m, n, k) = (2, 6, 34, 64);
    let mut random = Random(11);
    let mut factor = |format: Factor, elements: usize| -> Vec<u8> {
        let value = |random: &mut Random| random.value() * 4.0;
        (0..elements)
            .flat_map(|i| match format {
                Factor::E4M3 => vec![F8E4M3FN::from_f64(value(&mut random), true).0],
                Factor::E5M2 => vec![F8E5M2::from_f64(value(&mut random), true).0],
                Factor::E2M1 if i % 2 == 0 => vec![random.next() as u8],
                Factor::E2M1 => vec![],
                Factor::BF16 => bf16::from_f64(value(&mut random)).to_le_bytes().to_vec(),
                Factor::FP16 => f16::from_f64(value(&mut random)).to_le_bytes().to_vec(),
            })
            .collect()
    };
    for a_format in formats {
        for b_format in formats {
            for (pack, scale_format) in [(1, 0u32), (0, 1)] {
                let (a, b) = (factor(a_format, batch * m * k), factor(b_format, batch * k * n));
                let group = if scale_format == 0 { 32 } else { 16 };
                let scales = |count: usize| -> Vec<u8> {
                    (0..count)
                        .map(|i| {
                            if scale_format == 0 {
                                120 + (i * 7 % 13) as u8
                            } else {
                                0x30 + (i * 5 % 17) as u8
                            }
                        })
                        .collect()
                };
                let (sa, sb) = (scales(batch * m * k / group), scales(batch * n * k / group));
                let scale = |code: u8| -> f64 {
                    if scale_format == 0 {
                        F8E8M0FNU(code).to_f32().into()
                    } else {
                        F8E4M3FN(code).to_f32().into()
                    }
                };
                for isa in Isa::available() {
                    let mut c = vec![1f32; batch * m * n];
                    let bytes = dot_scaled_scratch_bytes(m, n, k).unwrap();
                    let mut scratch = vec![0u64; bytes / 8];
                    let of = |data: &[u8], format, scale: *const u8| ScaledFactor {
                        data: data.as_ptr(),
                        format,
                        k_pack: pack,
                        scale,
                        group: group as u32,
                        scale_format,
                    };
                    let d = DotScaled {
                        batch,
                        m,
                        n,
                        k,
                        a: of(&a, a_format, sa.as_ptr()),
                        b: of(&b, b_format, sb.as_ptr()),
                        c: c.as_mut_ptr(),
                        scratch: scratch.as_mut_ptr().cast(),
                    };
                    let f = c_function!(address(Routine::DotScaled, isa); *const DotScaled);
                    // SAFETY: `d` describes the vectors above.
                    unsafe {
                        f(&d);
                    }
                    for i in 0..batch {
                        let bytes_of = |x: &Vec<u8>| x.len() / batch;
                        let a = &a[i * bytes_of(&a)..][..bytes_of(&a)];
                        let b = &b[i * bytes_of(&b)..][..bytes_of(&b)];
                        for r in 0..m {
                            for j in 0..n {
                                let (mut sum, mut size) = (1.0, 1.0);
                                for p in 0..k {
                                    let x = scaled_value(a, a_format, pack == 1, k, r, p)
                                        * scale(sa[(i * m + r) * (k / group) + p / group]);
                                    let y = scaled_value(b, b_format, pack == 0, n, p, j)
                                        * scale(sb[(i * n + j) * (k / group) + p / group]);
                                    sum += x * y;
                                    size += (x * y).abs();
                                }
                                let got: f64 = c[(i * m + r) * n + j].into();
                                assert!(
                                    (got - sum).abs() <= 1e-5 * size,
                                    "{} {a_format:?} {b_format:?} {pack} at {i}, {r}, {j}: {got}, not {sum}",
                                    isa.name()
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
