//! Pooling against the definition, window by window.

use super::*;
use crate::test_data::Random;

/// The offsets in a plane of each window's elements, and how many lie inside the padded input.
fn windows(spec: &PoolSpec, input: &[usize], output: &[usize]) -> Vec<(Vec<usize>, usize)> {
    let coordinates = |mut i: usize, extents: &[usize]| {
        let mut at = vec![0; extents.len()];
        for (x, n) in at.iter_mut().zip(extents).rev() {
            (*x, i) = (i % n, i / n);
        }
        at
    };
    (0..output.iter().product())
        .map(|pixel| {
            let o = coordinates(pixel, output);
            let (mut inside, mut padded) = (Vec::new(), 0);
            for tap in 0..spec.kernel.iter().product() {
                let t = coordinates(tap, &spec.kernel);
                let at: Vec<isize> = (0..o.len())
                    .map(|d| {
                        (o[d] * spec.strides[d] + t[d] * spec.dilations[d]) as isize
                            - spec.pads_begin[d] as isize
                    })
                    .collect();
                if (0..o.len()).all(|d| at[d] < (input[d] + spec.pads_end[d]) as isize) {
                    padded += 1;
                }
                if (0..o.len()).all(|d| at[d] >= 0 && at[d] < input[d] as isize) {
                    inside.push(at.iter().zip(input).fold(0, |a, (x, n)| a * n + *x as usize));
                }
            }
            (inside, padded)
        })
        .collect()
}

#[test]
fn nan_is_passed_over() {
    let (nan, low) = (f32::NAN, f32::NEG_INFINITY);
    // Windows of three, among them one of NaNs, and one of NaNs and infinities.
    let x: Vec<f32> = [nan, nan, nan, 1.0, nan, -2.0, nan, low, nan, 3.0, nan].repeat(4);
    let list = |n| vec![n];
    let spec = PoolSpec {
        kernel: list(3),
        strides: list(1),
        dilations: list(1),
        pads_begin: list(0),
        pads_end: list(0),
    };
    let (threads, input, output) = (Threads::new(1), [x.len()], [x.len() - 2]);
    let want: Vec<f32> = x.windows(3).map(|w| w.iter().copied().fold(low, f32::max)).collect();
    let (mut y, mut indices) = (vec![0.0; want.len()], vec![0; want.len()]);
    for isa in Isa::available() {
        max_pool(&threads, isa, &spec, 1, &input, &output, &x, &mut y);
        assert_eq!(y, want, "{isa:?}");
    }
    max_pool_with_indices(&threads, &spec, 1, &input, &output, true, &x, &mut y, &mut indices);
    assert_eq!(y, want);
    for (at, (&index, &want)) in indices.iter().zip(&want).enumerate() {
        let found = x[index as usize];
        assert!((at..at + 3).contains(&(index as usize)));
        assert!(found == want || found.is_nan() && want == low);
    }
}

fn check(spec: &PoolSpec, input: &[usize], ceil: bool, seed: u64) {
    let output = spec.output(input, ceil).unwrap();
    let windows = windows(spec, input, &output);
    let (planes, size) = (5, input.iter().product::<usize>());
    let x = Random::new(seed).f32s(planes * size);
    let x8: Vec<i8> = x.iter().map(|x| (x * 127.0) as i8).collect();
    let threads = Threads::new(3);
    let total = planes * windows.len();
    let (mut y8, mut indices) = (vec![0i8; total], vec![0i64; total]);
    max_pool(&threads, Isa::detect(), spec, planes, input, &output, &x8, &mut y8);
    for (i, y) in y8.iter().enumerate() {
        let plane = i / windows.len() * size;
        let want = windows[i % windows.len()].0.iter().map(|at| x8[plane + at]).max();
        assert_eq!(*y, want.unwrap_or(i8::MIN));
    }
    let mut y = vec![0.0; total];
    max_pool_with_indices(&threads, spec, planes, input, &output, true, &x, &mut y, &mut indices);
    for (i, y) in y.iter().enumerate() {
        let plane = i / windows.len() * size;
        let want = windows[i % windows.len()]
            .0
            .iter()
            .map(|at| x[plane + at])
            .fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(*y, want);
        assert!(if want == f32::NEG_INFINITY {
            indices[i] == -1
        } else {
            x[indices[i] as usize] == want
        });
    }
    for isa in Isa::available() {
        let mut again = vec![0.0; total];
        max_pool(&threads, isa, spec, planes, input, &output, &x, &mut again);
        assert_eq!(y, again, "{isa:?}");
        let wide: Vec<f64> = x.iter().copied().map(f64::from).collect();
        for count_pads in [false, true] {
            let (mut y, mut z) = (vec![0.0f32; total], vec![0.0f64; total]);
            average_pool(&threads, isa, spec, count_pads, planes, input, &output, &x, &mut y);
            average_pool(&threads, isa, spec, count_pads, planes, input, &output, &wide, &mut z);
            for i in 0..total {
                let plane = i / windows.len() * size;
                let (inside, padded) = &windows[i % windows.len()];
                let sum: f64 = inside.iter().map(|at| wide[plane + at]).sum();
                let want = sum / (if count_pads { *padded } else { inside.len() }).max(1) as f64;
                assert!(
                    (f64::from(y[i]) - want).abs() < 1e-6 && (z[i] - want).abs() < 1e-14,
                    "{isa:?} {spec:?} {input:?}"
                );
            }
        }
    }
    let mut y = vec![0.0f32; total];
    lp_pool(&threads, spec, 3, planes, input, &output, &x, &mut y);
    for (i, y) in y.iter().enumerate() {
        let plane = i / windows.len() * size;
        let sum: f64 = windows[i % windows.len()]
            .0
            .iter()
            .map(|at| f64::from(x[plane + at]).abs().powi(3))
            .sum();
        assert!((f64::from(*y) - sum.cbrt()).abs() < 1e-6);
    }
}

#[test]
fn windows_of_any_kind() {
    let mut random = Random::new(7);
    for seed in 0..60 {
        let dims = seed as usize % 4;
        let mut list =
            |low: usize, n: usize| (0..dims).map(|_| low + random.below(n)).collect::<Vec<_>>();
        let kernel = list(1, 4);
        let spec = PoolSpec {
            strides: list(1, 3),
            dilations: list(1, 2),
            pads_begin: list(0, 3),
            pads_end: list(0, 3),
            kernel,
        };
        assert!(spec.is_valid());
        let most = if dims > 2 { 4 } else { 30 };
        let input: Vec<usize> = (0..dims)
            .map(|d| (spec.kernel[d] - 1) * spec.dilations[d] + 1 + random.below(most))
            .collect();
        check(&spec, &input, random.below(2) == 0, seed);
    }
}

#[test]
fn output_sizes() {
    let spec = |kernel: usize, stride: usize, pads: [usize; 2]| PoolSpec {
        kernel: vec![kernel],
        strides: vec![stride],
        dilations: vec![1],
        pads_begin: vec![pads[0]],
        pads_end: vec![pads[1]],
    };
    assert_eq!(spec(3, 2, [0, 0]).output(&[6], false), Some(vec![2]));
    assert_eq!(spec(3, 2, [0, 0]).output(&[6], true), Some(vec![3]));
    // The third window would start after the input.
    assert_eq!(spec(1, 3, [0, 2]).output(&[4], true), Some(vec![2]));
    assert_eq!(spec(5, 1, [1, 1]).output(&[2], false), None);
    assert_eq!(spec(2, 1, [usize::MAX, 1]).output(&[2], false), None);
}

#[test]
fn indices_of_reversed_storage() {
    let spec = PoolSpec {
        kernel: vec![2, 2],
        strides: vec![1, 1],
        dilations: vec![1, 1],
        pads_begin: vec![0, 0],
        pads_end: vec![0, 0],
    };
    let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let (mut y, mut indices) = ([0.0; 2], [0; 2]);
    max_pool_with_indices(
        &Threads::new(1),
        &spec,
        1,
        &[2, 3],
        &[1, 2],
        false,
        &x,
        &mut y,
        &mut indices,
    );
    assert_eq!((y, indices), ([5.0, 6.0], [3, 5]));
}

#[test]
fn whole_planes() {
    let x = Random::new(3).f32s(7 * 33);
    let threads = Threads::new(2);
    for isa in Isa::available() {
        let (mut mean, mut max, mut norm) = ([0.0; 7], [0.0; 7], [0.0; 7]);
        global_average(&threads, isa, &x, &mut mean);
        global_max(&threads, &x, &mut max);
        global_lp(&threads, isa, 2, &x, &mut norm);
        for (i, plane) in x.chunks(33).enumerate() {
            let wide = || plane.iter().map(|&x| f64::from(x));
            assert!((f64::from(mean[i]) - wide().sum::<f64>() / 33.0).abs() < 1e-6);
            assert!((f64::from(norm[i]) - wide().map(|x| x * x).sum::<f64>().sqrt()).abs() < 1e-5);
            assert_eq!(max[i], plane.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        }
    }
}
