//! The best classes as bars.

use super::escape;
use super::style::{BAR, DIM};
use crate::scalar::Scalar;
use trident_runtime::Tensor;

/// Characters of the longest bar.
const WIDTH: usize = 40;

/// The `k` greatest of each row along the last axis as (class, score), best first; NaN comes last. `None` if the tensor
/// is not made of rows of real numbers.
pub(crate) fn top_k(tensor: &Tensor, k: usize) -> Option<Vec<Vec<(usize, f64)>>> {
    let classes = *tensor.dims().last()?;
    let scores: Option<Vec<f64>> =
        (0..tensor.len()).map(|i| Scalar::get(tensor, i)?.to_f64()).collect();
    let rows = scores?;
    let rows = rows.chunks(classes.max(1)).map(|row| {
        let mut ranked: Vec<(usize, f64)> = row.iter().copied().enumerate().collect();
        let key = |v: f64| if v.is_nan() { f64::NEG_INFINITY } else { v };
        ranked.sort_by(|a, b| key(b.1).total_cmp(&key(a.1)));
        ranked.truncate(k);
        ranked
    });
    Some(rows.collect())
}

/// Whether every row along the last axis is a distribution over at least two classes.
pub(crate) fn looks_like_probabilities(tensor: &Tensor) -> bool {
    let Some(&classes) = tensor.dims().last() else { return false };
    if classes < 2 || tensor.is_empty() || !tensor.dtype().is_float() {
        return false;
    }
    let score = |i: usize| Scalar::get(tensor, i).and_then(|s| s.to_f64()).unwrap_or(f64::NAN);
    (0..tensor.len() / classes).all(|row| {
        let scores = (row * classes..(row + 1) * classes).map(score);
        let (mut sum, mut fine) = (0.0, true);
        for v in scores {
            fine &= (0.0..=1.0 + 1e-6).contains(&v);
            sum += v;
        }
        fine && (sum - 1.0).abs() < 1e-3
    })
}

/// One line for each class of a row, by its label if there are labels, else by its number. Bars of probabilities have a common scale, others that of the row.
pub(crate) fn bars(row: &[(usize, f64)], labels: &[String], probabilities: bool) -> String {
    let label =
        |class: usize| labels.get(class).map_or_else(|| class.to_string(), |name| escape(name));
    let widest = row.iter().map(|(c, _)| label(*c).chars().count()).max().unwrap_or(0);
    let (low, high) = match probabilities {
        true => (0.0, 1.0),
        false => {
            let finite = row.iter().map(|(_, v)| *v).filter(|v| v.is_finite());
            let (low, high) = finite.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            // The least of several scores still gets a visible bar.
            (low - (high - low) * 0.1, high)
        }
    };
    let mut text = String::new();
    for &(class, score) in row {
        let part = ((score - low) / (high - low)).clamp(0.0, 1.0);
        let eighths = if part.is_nan() { 0 } else { (part * (WIDTH * 8) as f64).round() as usize };
        let mut bar = "█".repeat(eighths / 8);
        bar.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]);
        let number = match probabilities {
            true => format!("{:6.2} %", score * 100.0),
            false => format!("{score:10.4}"),
        };
        let label = label(class);
        text.push_str(&format!(
            "  {label:>widest$} {DIM}│{DIM:#}{BAR}{bar:<WIDTH$}{BAR:#} {number}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_runtime::Pool;

    fn tensor(dims: &[usize], values: &[f32]) -> Tensor {
        Tensor::from_slice(&Pool::new(), dims, values).unwrap()
    }

    #[test]
    fn the_best_come_first_and_nan_last() {
        let t = tensor(&[2, 3], &[0.1, 0.7, 0.2, f32::NAN, 5.0, -1.0]);
        let rows = top_k(&t, 2).unwrap();
        let classes: Vec<Vec<usize>> =
            rows.iter().map(|r| r.iter().map(|(c, _)| *c).collect()).collect();
        assert_eq!(classes, [[1, 2], [1, 2]]);
        assert_eq!(top_k(&tensor(&[0, 3], &[]), 2).unwrap().len(), 0);
        assert!(top_k(&tensor(&[], &[1.0]), 2).is_none());
    }

    #[test]
    fn distributions_are_told_from_other_numbers() {
        assert!(looks_like_probabilities(&tensor(&[2, 2], &[0.5, 0.5, 0.0, 1.0])));
        assert!(!looks_like_probabilities(&tensor(&[2], &[1.5, -0.5])));
        assert!(!looks_like_probabilities(&tensor(&[2], &[0.5, 0.4])));
        assert!(!looks_like_probabilities(&tensor(&[2], &[f32::NAN, 1.0])));
        assert!(!looks_like_probabilities(&tensor(&[1], &[1.0])));
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        let labels = ["cat".to_owned(), "dog".to_owned()];
        let text = bars(&[(1, 0.75), (0, 0.25)], &labels, true);
        let text = anstream::adapter::strip_str(&text).to_string();
        let lengths: Vec<usize> = text.lines().map(|l| l.matches('█').count()).collect();
        assert_eq!(lengths, [30, 10]);
        assert!(text.lines().next().unwrap().contains("dog"), "{text}");
        assert!(bars(&[(0, f64::INFINITY), (1, 1.0), (7, f64::NAN)], &labels, false).contains('7'));
    }
}
