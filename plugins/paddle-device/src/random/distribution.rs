//! Distributions that need more than one formula.

use super::Stream;
use crate::failure::Failure;

/// The numbers below `count` in random order (Fisher and Yates).
pub(super) fn permutation(s: &Stream, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, s.below(at, at as u64 + 1) as usize);
    }
    order
}

/// A number of the standard normal distribution between two bounds, by rejection. Proposals are normal, or uniform where normal ones
/// would seldom fit (Robert: "Simulation of truncated normal variables", 1995).
pub(super) fn truncated(s: &Stream, at: usize, low: f64, high: f64) -> f64 {
    // The most likely number between the bounds.
    let mode = 0.0f64.clamp(low, high);
    let normally = low <= 0.0 && high >= 0.0 && high - low > 2.5;
    // Beyond these, less than e^-40 of the distribution is left.
    let reach = 40.0 / mode.abs().max(4.0);
    let (low, high) = (low.max(mode - reach), high.min(mode + reach));
    let mut round = 1;
    loop {
        let [u, v] = s.trial(at, round);
        round += 1;
        if normally {
            let radius = (-2.0 * (1.0 - u).ln()).sqrt();
            let proposed = radius * (std::f64::consts::TAU * v).cos();
            if (low..=high).contains(&proposed) {
                return proposed;
            }
        } else {
            let proposed = low + (high - low) * u;
            if v <= ((mode * mode - proposed * proposed) / 2.0).exp() {
                return proposed;
            }
        }
    }
}

/// For each row of `classes` weights, `samples` positions, with probabilities in proportion to the weights. Without `replacement`,
/// no position of a row is chosen twice (Efraimidis and Spirakis: "Weighted random sampling with a reservoir", 2006).
pub(super) fn choices(
    s: &Stream,
    weights: &[f64],
    classes: usize,
    samples: usize,
    replacement: bool,
) -> Result<Vec<usize>, Failure> {
    let mut found = vec![];
    for (row, weights) in weights.chunks_exact(classes.max(1)).enumerate() {
        if let Some(weight) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
            return Err(Failure::invalid(format!("a probability is {weight}")));
        }
        let positive = weights.iter().filter(|w| **w > 0.0).count();
        if positive == 0 || !replacement && samples > positive {
            return Err(Failure::invalid(format!(
                "{positive} of the probabilities are not 0, and {samples} samples are wanted"
            )));
        }
        if replacement {
            let sums: Vec<f64> = weights
                .iter()
                .scan(0.0, |sum, weight| {
                    *sum += weight;
                    Some(*sum)
                })
                .collect();
            let total = sums.last().copied().unwrap_or_default();
            // Rounding must not lead to a class without probability behind the last one.
            let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or_default();
            found.extend((0..samples).map(|i| {
                let place = s.uniform(row * samples + i, 53) * total;
                sums.partition_point(|sum| *sum <= place).min(last)
            }));
        } else {
            let time =
                |class: usize| -(1.0 - s.uniform(row * classes + class, 53)).ln() / weights[class];
            let mut order: Vec<(f64, usize)> =
                (0..classes).filter(|c| weights[*c] > 0.0).map(|c| (time(c), c)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            found.extend(order.iter().take(samples).map(|(_, class)| *class));
        }
    }
    Ok(found)
}
