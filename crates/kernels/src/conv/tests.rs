//! Convolutions against a naive loop in `f64`.

use super::*;
use crate::test_data::Random;

/// The definition, over any number of dimensions.
fn naive(
    spec: &ConvSpec,
    batch: usize,
    input: &[usize],
    output: &[usize],
    x: &[f32],
    w: &[f32],
) -> Vec<f64> {
    let (pixels_in, pixels_out): (usize, usize) = (input.iter().product(), output.iter().product());
    let (taps, per_group) = (spec.taps(), spec.in_channels / spec.groups);
    let coordinates = |mut i: usize, extents: &[usize]| {
        let mut at = vec![0; extents.len()];
        for (x, n) in at.iter_mut().zip(extents).rev() {
            (*x, i) = (i % n, i / n);
        }
        at
    };
    let mut y = Vec::new();
    for b in 0..batch {
        for m in 0..spec.out_channels {
            let group = m / (spec.out_channels / spec.groups);
            for pixel in 0..pixels_out {
                let o = coordinates(pixel, output);
                let mut sum = 0.0;
                for c in 0..per_group {
                    'tap: for tap in 0..taps {
                        let t = coordinates(tap, &spec.kernel);
                        let mut at = 0;
                        for d in 0..input.len() {
                            let i = (o[d] * spec.strides[d] + t[d] * spec.dilations[d]) as isize
                                - spec.pads_begin[d] as isize;
                            if i < 0 || i >= input[d] as isize {
                                continue 'tap;
                            }
                            at = at * input[d] + i as usize;
                        }
                        let x =
                            x[((b * spec.in_channels) + group * per_group + c) * pixels_in + at];
                        sum += f64::from(x) * f64::from(w[(m * per_group + c) * taps + tap]);
                    }
                }
                y.push(sum);
            }
        }
    }
    y
}

fn check(spec: &ConvSpec, batch: usize, input: &[usize], seed: u64) {
    assert!(spec.is_valid());
    let Some(output) = spec.output(input) else { panic!("{spec:?} does not fit {input:?}") };
    let mut random = Random::new(seed);
    let x = random.f32s(batch * spec.in_channels * input.iter().product::<usize>());
    let w = random.f32s(spec.out_channels * spec.depth());
    let bias = random.f32s(spec.out_channels);
    let sums = naive(spec, batch, input, &output, &x, &w);
    let residual = random.f32s(sums.len());
    for isa in Isa::available() {
        let plan = ConvPlan::new(&Threads::new(2), isa, spec.clone(), &w);
        for activation in [UnaryFunction::Relu, UnaryFunction::HardSwish] {
            let epilogue =
                ConvEpilogue { bias: Some(&bias[..]), residual: Some(&residual[..]), activation };
            let run = |threads| {
                let mut y = vec![f32::NAN; sums.len()];
                let images = Images { batch, input, output: &output, x: &x };
                plan.run(&Threads::new(threads), &images, &epilogue, &mut y);
                y
            };
            let y = run(1);
            let per_channel = output.iter().product::<usize>();
            for (i, (&got, sum)) in y.iter().zip(&sums).enumerate() {
                let v = sum
                    + f64::from(bias[i / per_channel % spec.out_channels])
                    + f64::from(residual[i]);
                let want = activation.eval(v);
                let limit = 2e-7 * (spec.depth() as f64 + 10.0);
                assert!(
                    (f64::from(got) - want).abs() <= limit,
                    "{isa:?} {} {spec:?} {input:?} at {i}: {got} for {want}",
                    plan.name()
                );
            }
            for threads in [2, 3] {
                let bits = |y: &[f32]| y.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&y), bits(&run(threads)), "{isa:?} {spec:?} on {threads} threads");
            }
        }
    }
}

#[test]
fn usual_layers() {
    for (i, (c, m, g, kernel, stride, pad, size)) in [
        (3, 16, 1, 7, 2, 3, 33),
        (16, 24, 1, 3, 1, 1, 14),
        (20, 32, 1, 3, 2, 1, 15),
        (16, 40, 1, 1, 1, 0, 7),
        (16, 20, 1, 1, 2, 0, 13),
        (24, 48, 3, 1, 1, 0, 9),
        (16, 16, 4, 3, 1, 1, 10),
        (12, 12, 12, 3, 1, 1, 20),
        (12, 12, 12, 3, 2, 1, 21),
        (6, 12, 6, 5, 1, 2, 18),
        (5, 5, 5, 5, 2, 2, 37),
        (5, 5, 5, 7, 3, 3, 40),
        (8, 3, 1, 11, 4, 2, 45),
    ]
    .into_iter()
    .enumerate()
    {
        check(
            &ConvSpec::square(c, m, g, kernel, stride, pad),
            1 + i % 3,
            &[size, size + i % 2],
            i as u64,
        );
    }
}

#[test]
fn any_number_of_dimensions_strides_dilations_and_pads() {
    let mut random = Random::new(1);
    for seed in 0..60 {
        let dims = seed as usize % 5;
        let groups = [1, 1, 2, 3][random.below(4)];
        let depthwise = random.below(3) == 0;
        let in_channels = if depthwise { groups } else { groups * (1 + random.below(4)) };
        let mut list =
            |low: usize, n: usize| (0..dims).map(|_| low + random.below(n)).collect::<Vec<_>>();
        let spec = ConvSpec {
            in_channels,
            out_channels: groups * 2,
            groups,
            kernel: list(1, 3),
            strides: list(1, 3),
            dilations: list(1, 2),
            pads_begin: list(0, 4),
            pads_end: list(0, 3),
        };
        let most = if dims >= 3 { 3 } else { 20 };
        let input: Vec<usize> = (0..dims)
            .map(|d| (spec.kernel[d] - 1) * spec.dilations[d] + 1 + random.below(most))
            .collect();
        check(&spec, 1 + random.below(2), &input, seed);
    }
}

#[test]
fn empty_batches_and_impossible_sizes() {
    let spec = ConvSpec::square(2, 3, 1, 3, 1, 0);
    assert_eq!(spec.output(&[2, 5]), None);
    assert_eq!(spec.output(&[usize::MAX, 5]), Some(vec![usize::MAX - 2, 3]));
    assert_eq!(ConvSpec::square(2, 3, 1, 3, 1, 1).output(&[usize::MAX, 5]), None);
    let plan = ConvPlan::new(&Threads::new(1), Isa::detect(), spec, &[0.0f32; 54]);
    let none = Images { batch: 0, input: &[5, 5], output: &[3, 3], x: &[] };
    plan.run(&Threads::new(2), &none, &ConvEpilogue::default(), &mut []);
}

#[test]
fn doubles() {
    let spec = ConvSpec::square(4, 6, 2, 3, 2, 1);
    let (input, output) = ([9, 8], [5, 4]);
    let mut random = Random::new(2);
    let (x, w) = (random.f32s(2 * 4 * 72), random.f32s(6 * 18));
    let want = naive(&spec, 2, &input, &output, &x, &w);
    let wide = |x: &[f32]| x.iter().copied().map(f64::from).collect::<Vec<_>>();
    for isa in Isa::available() {
        let mut y = vec![0.0; want.len()];
        let plan = ConvPlan::new(&Threads::new(2), isa, spec.clone(), &wide(&w));
        let images = Images { batch: 2, input: &input, output: &output, x: &wide(&x) };
        plan.run(&Threads::new(2), &images, &ConvEpilogue::default(), &mut y);
        assert!(y.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-13));
    }
}

#[test]
fn operands_of_other_sizes_are_refused() {
    let (input, output) = ([5, 6], [5, 6]);
    let ones = vec![1.0f32; 1000];
    for isa in Isa::available() {
        // By product with patches, pointwise, and depthwise.
        for (groups, kernel) in [(1, 3), (1, 1), (4, 3)] {
            let spec = ConvSpec::square(4, 4, groups, kernel, 1, kernel / 2);
            let plan =
                ConvPlan::new(&Threads::new(2), isa, spec.clone(), &ones[..4 * spec.depth()]);
            let run = |x: usize, bias: usize, residual: usize, y: usize, output: &[usize]| {
                let mut y = vec![0.0; y];
                let images = Images { batch: 1, input: &input, output, x: &ones[..x] };
                let epilogue = ConvEpilogue {
                    bias: Some(&ones[..bias]),
                    residual: Some(&ones[..residual]),
                    activation: UnaryFunction::Relu,
                };
                let call = || plan.run(&Threads::new(1), &images, &epilogue, &mut y);
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
            };
            assert!(run(120, 4, 120, 120, &output));
            assert!(!run(119, 4, 120, 120, &output));
            assert!(!run(120, 3, 120, 120, &output));
            assert!(!run(120, 4, 119, 120, &output));
            assert!(!run(120, 4, 120, 119, &output));
            assert!(!run(120, 4, 120, 121, &output));
        }
    }
}
