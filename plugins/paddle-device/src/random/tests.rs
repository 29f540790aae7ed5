use super::*;
use crate::abi::memory::TensorMemory;

/// Results of `N` elements of 8 bytes, in which a draw writes.
fn drawn<const N: usize>(
    draw: Draw,
    arguments: &[(&'static str, Argument<'_>)],
    element: &str,
    key: u64,
) -> Result<[u64; N], Failure> {
    let mut words = [0u64; N];
    let element = Element::named(element).unwrap();
    let dims = Extents::new(1, |_| N as i64).unwrap();
    let memory = TensorMemory::of_test(&mut words);
    let result = Operand { element, dims, memory };
    draw.write(&Named(arguments), &[result], &Stream::new(key))?;
    Ok(words)
}

fn floats(words: &[u64]) -> Vec<f64> {
    words.iter().map(|word| f64::from_bits(*word)).collect()
}

#[test]
fn moments_are_those_of_the_distributions() {
    const N: usize = 20_000;
    let of = |draw, arguments: &[_]| {
        let x = floats(&drawn::<N>(draw, arguments, "f64", 7).unwrap());
        let mean = x.iter().sum::<f64>() / N as f64;
        let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / N as f64;
        (mean, variance, x)
    };
    let number = |name, value| (name, Argument::Float(value));
    let (mean, variance, _) = of(Draw::Gaussian, &[number("mean", 2.0), number("std", 3.0)]);
    assert!((mean - 2.0).abs() < 0.08 && (variance - 9.0).abs() < 0.4, "{mean} {variance}");
    let (mean, variance, x) = of(Draw::Uniform, &[number("min", -1.0), number("max", 5.0)]);
    assert!((mean - 2.0).abs() < 0.05 && (variance - 3.0).abs() < 0.1, "{mean} {variance}");
    assert!(x.iter().all(|v| (-1.0..5.0).contains(v)));
    let (mean, variance, _) = of(Draw::Exponential, &[number("lambda", 0.5)]);
    assert!((mean - 2.0).abs() < 0.06 && (variance - 4.0).abs() < 0.3, "{mean} {variance}");
    let bounded = |a, b| {
        let arguments = [number("mean", 1.0), number("std", 2.0), number("a", a), number("b", b)];
        let (mean, _, x) = of(Draw::TruncatedGaussian, &arguments);
        assert!(x.iter().all(|v| (a..=b).contains(v)), "{a} {b}");
        mean
    };
    assert!((bounded(-3.0, 5.0) - 1.0).abs() < 0.05);
    // φ(4) / (1 − Φ(4)) = 4.2256, times 2, plus 1.
    assert!((bounded(9.0, f64::INFINITY) - 9.451).abs() < 0.02);
}

#[test]
fn every_number_comes_once_in_a_permutation() {
    let mut order = drawn::<100>(Draw::Randperm, &[], "i64", 3).unwrap();
    assert!(order.windows(2).any(|pair| pair[0] > pair[1]));
    order.sort();
    assert!(order.iter().enumerate().all(|(i, n)| i as u64 == *n));
    let range = [("low", Argument::Int(-2)), ("high", Argument::Int(1))];
    let numbers = drawn::<200>(Draw::Randint, &range, "i64", 3).unwrap();
    let numbers: std::collections::BTreeSet<i64> = numbers.iter().map(|n| *n as i64).collect();
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), [-2, -1, 0]);
    let range = [("low", Argument::Int(1)), ("high", Argument::Int(1))];
    assert!(drawn::<1>(Draw::Randint, &range, "i64", 3).is_err());
}

#[test]
fn choices_follow_the_weights() {
    let s = Stream::new(11);
    let found = choices(&s, &[0.0, 1.0, 3.0, 0.0], 4, 4_000, true).unwrap();
    let twos = found.iter().filter(|class| **class == 2).count();
    assert!(found.iter().all(|class| [1, 2].contains(class)) && (2_850..3_150).contains(&twos));
    let rows = choices(&s, &[1.0, 0.0, 2.0, 5.0, 5.0, 0.0], 3, 2, false).unwrap();
    let (mut first, mut second) = (rows[..2].to_vec(), rows[2..].to_vec());
    first.sort();
    second.sort();
    assert_eq!((first, second), (vec![0, 2], vec![0, 1]));
    assert!(choices(&s, &[1.0, 0.0], 2, 2, false).is_err());
    assert!(choices(&s, &[0.0, 0.0], 2, 1, true).is_err());
    assert!(choices(&s, &[-1.0, 2.0], 2, 1, true).is_err());
}

#[test]
fn a_stated_seed_is_the_key() {
    let key = |arguments: &[_]| stated_key(&Named(arguments)).unwrap();
    let seed = |value| ("seed", Argument::Int(value));
    assert_eq!((key(&[seed(5)]), key(&[seed(0)]), key(&[])), (Some(5), None, None));
    assert_eq!(key(&[seed(0), ("fix_seed", Argument::Bool(true))]), Some(0));
    assert_eq!(key(&[seed(5), ("fix_seed", Argument::Bool(false))]), None);
}
