//! 8-bit convolutions against exact integer loops, in every layout.

use super::*;
use crate::blocked::BlockedChannels;
use crate::test_data::Random;

fn number(byte: u8, signed: bool) -> i64 {
    if signed { i64::from(byte as i8) } else { i64::from(byte) }
}

fn coordinates(mut index: usize, extents: &[usize]) -> Vec<usize> {
    let mut at = vec![0; extents.len()];
    for (x, n) in at.iter_mut().zip(extents).rev() {
        (*x, index) = (index % n, index / n);
    }
    at
}

/// A convolution with its operands.
struct Case {
    spec: ConvSpec,
    batch: usize,
    input: Vec<usize>,
    output: Vec<usize>,
    x: Vec<u8>,
    w: Vec<u8>,
    x_signed: bool,
    w_signed: bool,
    x_zero: i32,
    w_zero: Vec<i32>,
    bias: Vec<i32>,
    scale: Vec<f32>,
}

impl Case {
    fn new(
        spec: ConvSpec,
        batch: usize,
        input: &[usize],
        [w_signed, x_signed]: [bool; 2],
        seed: u64,
    ) -> Self {
        let Some(output) = spec.output(input) else { panic!("{spec:?} does not fit {input:?}") };
        let mut random = Random::new(seed);
        let mut bytes = |n: usize| (0..n).map(|_| random.below(256) as u8).collect::<Vec<_>>();
        let x = bytes(batch * spec.in_channels * input.iter().product::<usize>());
        let w = bytes(spec.out_channels * spec.depth());
        let m = spec.out_channels as i32;
        // Half of the cases have the zero points of weights that need no sums of columns.
        let symmetric = seed.is_multiple_of(2);
        let w_zero = match (symmetric, w_signed) {
            (true, true) => vec![0],
            (true, false) => vec![128],
            (false, true) => (0..m).map(|i| i % 3 - 1).collect(),
            (false, false) => (0..m).map(|i| (120 + i) % 256).collect(),
        };
        Self {
            batch,
            x,
            w,
            x_signed,
            w_signed,
            x_zero: if x_signed { -5 } else { 130 },
            w_zero,
            bias: (0..m).map(|i| i * 100 - 150).collect(),
            scale: (0..m).map(|i| 0.002 + 0.0003 * i as f32).collect(),
            input: input.to_vec(),
            output,
            spec,
        }
    }

    /// The definition.
    fn sums(&self) -> Vec<i32> {
        let (spec, input) = (&self.spec, &self.input);
        let pixels_in: usize = input.iter().product();
        let (taps, per_group) = (spec.taps(), spec.in_channels / spec.groups);
        let mut sums = Vec::new();
        for (b, m) in (0..self.batch).flat_map(|b| (0..spec.out_channels).map(move |m| (b, m))) {
            let group = m / (spec.out_channels / spec.groups);
            let w_zero = self.w_zero[m % self.w_zero.len()];
            for pixel in 0..self.output.iter().product() {
                let o = coordinates(pixel, &self.output);
                let mut sum = 0;
                for tap in 0..taps {
                    let t = coordinates(tap, &spec.kernel);
                    let place = (0..input.len()).try_fold(0, |at, d| {
                        let i = (o[d] * spec.strides[d] + t[d] * spec.dilations[d])
                            .checked_sub(spec.pads_begin[d])?;
                        (i < input[d]).then_some(at * input[d] + i)
                    });
                    let Some(place) = place else { continue };
                    for c in 0..per_group {
                        let channel = b * spec.in_channels + group * per_group + c;
                        let x = number(self.x[channel * pixels_in + place], self.x_signed);
                        let w = number(self.w[(m * per_group + c) * taps + tap], self.w_signed);
                        sum += (x - i64::from(self.x_zero)) * (w - i64::from(w_zero));
                    }
                }
                sums.push(sum as i32);
            }
        }
        sums
    }

    fn blocked(&self, channels: usize, pixels: &[usize], element_size: usize) -> BlockedChannels {
        let (outer, inner) = (self.batch, pixels.iter().product());
        BlockedChannels { outer, channels, inner, block: ConvLayout8::BLOCK, element_size }
    }

    fn run<O: Output8>(
        &self,
        threads: &Threads,
        isa: Isa,
        layout: ConvLayout8,
        epilogue: &ConvEpilogue8<'_>,
    ) -> Vec<O> {
        let spec = &self.spec;
        let plan = ConvPlan8::new(isa, spec.clone(), self.w_signed, self.x_signed, &self.w, layout);
        let mut x = self.x.clone();
        if layout.blocked_image {
            self.blocked(spec.in_channels, &self.input, 1).pack(threads, isa, &self.x, &mut x);
        }
        let len = self.batch * spec.out_channels * self.output.iter().product::<usize>();
        let mut y = vec![O::zeroed(); len];
        // Images are bytes, and may start anywhere.
        for start in [0, 1] {
            let mut bytes = vec![0; x.len() + start];
            bytes[start..].copy_from_slice(&x);
            let (input, output) = (&self.input[..], &self.output[..]);
            let images = Images { batch: self.batch, input, output, x: &bytes[start..] };
            plan.run(threads, &images, epilogue, &mut y);
        }
        if layout.blocked_result {
            let packed = y.clone();
            let (from, to) = (bytemuck::cast_slice(&packed), bytemuck::cast_slice_mut(&mut y));
            let blocked = self.blocked(spec.out_channels, &self.output, size_of::<O>());
            blocked.unpack(threads, isa, from, to);
        }
        y
    }

    /// Compares every layout that fits with the definition; returns how many there are.
    fn check(&self) -> usize {
        let exact = self.sums();
        let pixels = self.output.iter().product::<usize>();
        let sum = ConvEpilogue8::sum(self.x_zero, &self.w_zero);
        let epilogue = ConvEpilogue8 {
            bias: &self.bias,
            scale: &self.scale,
            zero: 3,
            limits: (3, 250),
            ..sum
        };
        let want: Vec<i64> = exact
            .iter()
            .enumerate()
            .map(|(i, exact)| {
                let o = i / pixels % self.spec.out_channels;
                let real = (exact + self.bias[o]) as f32 * self.scale[o];
                (real.round_ties_even() as i64 + 3).clamp(3, 250)
            })
            .collect();
        let layouts = [(false, false), (true, false), (false, true), (true, true)]
            .map(|(blocked_image, blocked_result)| ConvLayout8 { blocked_image, blocked_result });
        let fitting = layouts.into_iter().filter(|layout| layout.fits(&self.spec));
        for (isa, layout) in
            Isa::available().into_iter().flat_map(|isa| fitting.clone().map(move |l| (isa, l)))
        {
            for threads in [1, 3].map(Threads::new) {
                let what = format!("{isa:?} {layout:?} {:?} {:?}", self.spec, self.input);
                let sums: Vec<i32> = self.run(&threads, isa, layout, &sum);
                assert!(sums == exact, "{what}");
                let results: Vec<u8> = self.run(&threads, isa, layout, &epilogue);
                assert!(results.iter().map(|y| i64::from(*y)).eq(want.iter().copied()), "{what}");
                let results: Vec<i8> = self.run(&threads, isa, layout, &epilogue);
                assert!(
                    results.iter().map(|y| i64::from(*y)).eq(want.iter().map(|y| *y.min(&127))),
                    "{what}"
                );
                let reals: Vec<f32> = self.run(&threads, isa, layout, &epilogue);
                for (i, real) in reals.iter().enumerate() {
                    let o = i / pixels % self.spec.out_channels;
                    assert_eq!(*real, (exact[i] + self.bias[o]) as f32 * self.scale[o], "{what}");
                }
            }
        }
        fitting.count()
    }
}

const SIGNS: [[bool; 2]; 4] = [[true, false], [true, true], [false, false], [false, true]];

#[test]
fn sums_and_results_are_exact_in_every_layout() {
    for (seed, (c, m, groups, kernel, stride, pad, size, layouts)) in [
        (3, 8, 1, 3, 1, 1, 9, 2),
        (4, 3, 1, 3, 2, 1, 9, 2),
        (16, 20, 1, 1, 1, 0, 7, 4),
        (8, 28, 1, 3, 1, 1, 14, 4),
        (24, 8, 2, 3, 2, 1, 11, 4),
        (16, 12, 1, 1, 2, 0, 9, 4),
        (6, 6, 6, 3, 1, 1, 20, 1),
        (4, 8, 4, 5, 2, 2, 13, 1),
        (4, 16, 4, 3, 1, 1, 6, 2),
        (8, 8, 8, 3, 1, 1, 15, 4),
        (12, 12, 12, 5, 2, 2, 13, 4),
        (4, 4, 4, 3, 3, 0, 11, 4),
        // More taps than sums in `f32` are exact.
        (4, 4, 4, 17, 1, 8, 9, 1),
    ]
    .into_iter()
    .enumerate()
    {
        for (signs, seed) in SIGNS.into_iter().zip(seed as u64..) {
            let spec = ConvSpec::square(c, m, groups, kernel, stride, pad);
            let case = Case::new(spec, 2, &[size, size + 1], signs, seed);
            assert_eq!(case.check(), layouts, "{:?}", case.spec);
        }
    }
}

#[test]
fn random_geometries_are_exact_in_every_layout() {
    let mut random = Random::new(28);
    let mut up_to = |n: usize| 1 + random.below(n);
    let mut layouts = 0;
    for seed in 0..60 {
        let dims = up_to(3);
        let mut each = |n: usize| (0..dims).map(|_| up_to(n)).collect::<Vec<usize>>();
        let kernel = each(3);
        let (strides, dilations) = (each(3), each(2));
        let less = |list: Vec<usize>| list.into_iter().map(|x| x - 1).collect::<Vec<_>>();
        let (pads_begin, pads_end) = (less(each(3)), less(each(3)));
        let input: Vec<usize> = each([70, 13, 6][dims - 1]).into_iter().map(|x| x + 4).collect();
        let groups = [1, 1, 2, 3][up_to(4) - 1];
        let (mut c, mut m) = (4 * groups * up_to(4), 4 * groups * up_to(5));
        let groups = match seed % 3 {
            0 => {
                m = c;
                c
            }
            _ => groups,
        };
        if seed % 5 == 1 {
            c = groups * up_to(5);
        }
        let spec = ConvSpec {
            in_channels: c,
            out_channels: m,
            groups,
            kernel,
            strides,
            dilations,
            pads_begin,
            pads_end,
        };
        let case = Case::new(spec, up_to(2), &input, SIGNS[seed % 4], (seed + seed / 4) as u64);
        layouts += case.check();
    }
    assert!(layouts > 120, "{layouts} layouts fit");
}

#[test]
fn layouts_that_do_not_fit_are_refused() {
    let blocked = ConvLayout8 { blocked_image: true, blocked_result: true };
    for (c, m, groups, fits) in [
        (4, 8, 1, true),
        (3, 8, 1, false),
        (8, 6, 1, false),
        (8, 8, 2, true),
        (8, 8, 4, false),
        (8, 8, 8, true),
        (8, 16, 8, false),
        (6, 6, 6, false),
    ] {
        let spec = ConvSpec::square(c, m, groups, 3, 1, 1);
        assert_eq!(blocked.fits(&spec), fits, "{spec:?}");
        assert!(ConvLayout8::DENSE.fits(&spec));
        let make = || {
            let w = vec![0; spec.out_channels * spec.depth()];
            ConvPlan8::new(Isa::detect(), spec.clone(), true, false, &w, blocked)
        };
        assert_eq!(std::panic::catch_unwind(make).is_ok(), fits);
    }
}
