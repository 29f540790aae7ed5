//! Functions of rows against sums in `f64`.

use super::*;
use crate::test_data::Random;
use crate::unary::UnaryFunction;

/// Distance in units of the last place of `want`, where subnormal numbers count as the least normal one's.
fn ulps(got: f32, want: f64) -> f64 {
    let step = f64::from(f32::EPSILON) * want.abs().max(f64::from(f32::MIN_POSITIVE));
    // Half an exponent's range makes this at most twice the true distance.
    (f64::from(got) - want).abs() / step * 2.0
}

fn inputs() -> Vec<f32> {
    let mut random = Random::new(11);
    let mut x: Vec<f32> = [1e-6, 0.01, 0.7, 2.0, 6.0, 30.0, 90.0, 1e4]
        .into_iter()
        .flat_map(|s| random.f32s(501).into_iter().map(move |x| x * s))
        .collect();
    x.extend([
        0.0,
        -0.0,
        1.0,
        -1.0,
        88.7,
        -87.4,
        -103.9,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-42,
    ]);
    x
}

#[test]
fn functions_are_accurate() {
    let x = inputs();
    for isa in Isa::available() {
        let run = |a: UnaryFunction| {
            let mut y = vec![0.0; x.len()];
            a.apply_to(isa, &x, &mut y);
            y
        };
        let check = |a: UnaryFunction, ok: &dyn Fn(f32, f64, f64) -> bool| {
            for (&x, got) in x.iter().zip(run(a)) {
                let want = a.eval(x.into());
                // What overflows must overflow here too.
                let fine = if want.abs() > f64::from(f32::MAX) {
                    f64::from(got) == f64::INFINITY.copysign(want)
                } else {
                    ok(got, want, x.into())
                };
                assert!(fine, "{isa:?} {a:?}({x:e}) = {got:e}, not {want:e}");
            }
        };
        check(UnaryFunction::Exp, &|got, want, _| ulps(got, want) <= 4.0);
        check(UnaryFunction::Erf, &|got, want, _| {
            (f64::from(got) - want).abs() < 1.2e-7 && ulps(got, want) < 8.0
        });
        check(UnaryFunction::Tanh, &|got, want, _| ulps(got, want) < 8.0);
        check(UnaryFunction::Sigmoid, &|got, want, _| (f64::from(got) - want).abs() < 1.2e-7);
        check(UnaryFunction::Elu(1.5), &|got, want, _| ulps(got, want) < 8.0);
        check(UnaryFunction::Softplus, &|got, want, _| ulps(got, want) < 10.0);
        for a in [
            UnaryFunction::Gelu,
            UnaryFunction::GeluTanh,
            UnaryFunction::Mish,
            UnaryFunction::Swish(1.0),
            UnaryFunction::Swish(0.7),
        ] {
            check(a, &|got, want, x| (f64::from(got) - want).abs() <= 3e-7 * x.abs().max(1e-6));
        }
        for a in [
            UnaryFunction::None,
            UnaryFunction::Relu,
            UnaryFunction::Clip { lo: -0.5, hi: 3.0 },
            UnaryFunction::LeakyRelu(0.1),
            UnaryFunction::HardSigmoid { alpha: 0.2, beta: 0.5 },
            UnaryFunction::HardSwish,
        ] {
            check(a, &|got, want, x| {
                (f64::from(got) - want).abs() <= 2e-7 * (want.abs() + x.abs().min(6.0)).max(1e-6)
            });
        }
        let mut y = vec![0.0; x.len()];
        ln(isa, &x, &mut y);
        for (&x, y) in x.iter().zip(y) {
            if x > 0.0 {
                let want = f64::from(x).ln();
                assert!(
                    ulps(y, want) <= 6.0 || (f64::from(y) - want).abs() < 1e-9,
                    "ln({x:e}) = {y:e}"
                );
            } else {
                assert!(
                    if x == 0.0 { y == f32::NEG_INFINITY } else { y.is_nan() },
                    "ln({x}) = {y}"
                );
            }
        }
    }
}

#[test]
fn limits_and_nan() {
    use UnaryFunction::*;
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let all = [
        None,
        Relu,
        Clip { lo: -1.0, hi: 1.0 },
        LeakyRelu(0.1),
        HardSigmoid { alpha: 0.2, beta: 0.5 },
        HardSwish,
        Sigmoid,
        Tanh,
        Swish(1.0),
        Gelu,
        GeluTanh,
        Elu(1.0),
        Softplus,
        Mish,
        Erf,
        Exp,
    ];
    for isa in Isa::available() {
        for a in all {
            let mut y = [nan, inf, nan];
            a.apply(isa, &mut y);
            assert!(y[0].is_nan() && y[2].is_nan(), "{isa:?} {a:?}: {y:?}");
            let want = match a {
                Clip { .. } | HardSigmoid { .. } | Sigmoid | Tanh | Erf => 1.0,
                _ => inf,
            };
            assert_eq!(y[1], want, "{isa:?} {a:?} at ∞");
        }
        for (a, want) in [
            (Exp, 0.0),
            (Tanh, -1.0),
            (Erf, -1.0),
            (Sigmoid, 0.0),
            (Relu, 0.0),
            (Elu(2.0), -2.0),
            (Softplus, 0.0),
            (Gelu, nan),
            (GeluTanh, nan),
        ] {
            let mut y = [-inf];
            a.apply(isa, &mut y);
            let same = y[0] == want || (y[0].is_nan() && want.is_nan());
            assert!(same, "{isa:?} {a:?} at -∞: {y:?}");
        }
        let mut y = [0.0; 3];
        ln(isa, &[inf, nan, -inf], &mut y);
        assert!(y[0] == inf && y[1].is_nan() && y[2].is_nan());
    }
}

#[test]
fn reductions_of_any_length() {
    for isa in Isa::available() {
        for n in [0, 1, 3, 15, 16, 17, 63, 64, 65, 200, 4096, 10_000] {
            let x = Random::new(n as u64).f32s(n);
            let wide = || x.iter().map(|&x| f64::from(x));
            assert!((sum(isa, &x) - wide().sum::<f64>()).abs() < 1e-4);
            assert!(
                (sum_abs(isa, &x) - wide().map(f64::abs).sum::<f64>()).abs() <= 2e-6 * n as f64
            );
            assert!(
                (sum_squares(isa, &x) - wide().map(|x| x * x).sum::<f64>()).abs()
                    <= 2e-6 * n as f64
            );
            assert_eq!(max(isa, &x), x.iter().copied().fold(f32::NEG_INFINITY, f32::max));
            assert_eq!(min(isa, &x), x.iter().copied().fold(f32::INFINITY, f32::min));
            for at in [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&at| at < n) {
                let mut x = x.clone();
                x[at] = f32::NAN;
                assert!(max(isa, &x).is_nan() && min(isa, &x).is_nan(), "{isa:?} {n} {at}");
                x[at] = f32::INFINITY;
                assert_eq!(max(isa, &x), f32::INFINITY);
            }
        }
    }
}

#[test]
fn softmax_and_norms_of_any_length() {
    for isa in Isa::available() {
        for n in [1, 2, 15, 16, 33, 100, 1000, 5000] {
            let x: Vec<f32> =
                Random::new(n as u64).f32s(n).into_iter().map(|x| x * 20.0 - 100.0).collect();
            let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
            let total: f64 = wide.iter().map(|x| (x + 100.0).exp()).sum();
            let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
            softmax(isa, &x, &mut y);
            log_softmax(isa, &x, &mut z);
            for i in 0..n {
                let want = (wide[i] + 100.0).exp() / total;
                assert!((f64::from(y[i]) - want).abs() <= 1e-6 * want + 1e-12);
                assert!((f64::from(z[i]) - want.ln()).abs() < 1e-5, "{} {}", z[i], want.ln());
            }
            let mut again = x.clone();
            softmax_in_place(isa, &mut again);
            assert_eq!(y, again);
            let (gamma, beta) = (Random::new(1).f32s(n), Random::new(2).f32s(n));
            let mean = wide.iter().sum::<f64>() / n as f64;
            let variance = wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            layer_norm(isa, &x, Some(&gamma), Some(&beta), 1e-5, &mut y);
            rms_norm(isa, &x, Some(&gamma), 1e-5, &mut z);
            let rms = (wide.iter().map(|x| x * x).sum::<f64>() / n as f64 + 1e-5).sqrt();
            for i in 0..n {
                let g = f64::from(gamma[i]);
                let want = (wide[i] - mean) / (variance + 1e-5).sqrt() * g + f64::from(beta[i]);
                assert!((f64::from(y[i]) - want).abs() < 2e-5, "{isa:?} {n}: {} {want}", y[i]);
                assert!((f64::from(z[i]) - wide[i] / rms * g).abs() < 1e-5);
            }
        }
        let mut y = [0.0; 3];
        softmax(isa, &[1.0, f32::NAN, 2.0], &mut y);
        assert!(y.iter().all(|y| y.is_nan()));
        softmax(isa, &[f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY], &mut y);
        assert_eq!(y, [0.0, 1.0, 0.0]);
    }
}
#[test]
fn rows_of_other_lengths_are_refused() {
    let refused = |f: &dyn Fn()| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_err();
    };
    let x = vec![1.0; 100];
    for isa in Isa::available() {
        for n in [0, 99, 101, 4000] {
            let y = || vec![0.0; n];
            refused(&|| softmax(isa, &x, &mut y()));
            refused(&|| log_softmax(isa, &x, &mut y()));
            refused(&|| ln(isa, &x, &mut y()));
            refused(&|| scale_shift(isa, &x, 1.0, 1.0, &mut y()));
            refused(&|| UnaryFunction::Exp.apply_to(isa, &x, &mut y()));
            refused(&|| UnaryFunction::None.apply_to(isa, &x, &mut y()));
            refused(&|| _ = layer_norm(isa, &x, None, None, 1.0, &mut y()));
            refused(&|| _ = rms_norm(isa, &x, Some(&y()), 1.0, &mut x.clone()));
            refused(&|| _ = layer_norm(isa, &x, Some(&x), Some(&y()), 1.0, &mut x.clone()));
        }
    }
}
