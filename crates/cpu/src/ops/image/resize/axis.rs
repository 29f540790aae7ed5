//! Where output coordinates of one axis come from.

use trident_ir::geometry::{ResizedAxis, TIE};
use trident_ir::op::words::{CoordinateTransform, NearestMode};

/// How neighbours are weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Filter {
    /// The cubic coefficient; linear if there is none.
    pub(super) cubic: Option<f64>,
    pub(super) antialias: bool,
    pub(super) exclude_outside: bool,
}

/// One axis, with the interpolation methods on it.
pub(super) struct Axis(pub(super) ResizedAxis);

/// Input coordinates and weights for each output coordinate.
pub(super) struct Taps {
    pub(super) count: usize,
    pub(super) indices: Vec<usize>,
    pub(super) weights: Vec<f64>,
    /// Output coordinates outside the region; empty unless the map crops.
    pub(super) outside: Vec<bool>,
}

impl Axis {
    fn clamp(&self, i: f64) -> usize {
        // A cast takes NaN to 0 and saturates.
        (i.max(0.0) as usize).min(self.0.input.saturating_sub(1))
    }

    /// The nearest input coordinate for each output coordinate; `None` outside the region.
    pub(super) fn nearest(&self, mode: NearestMode) -> Vec<Option<usize>> {
        if self.0.is_identity() {
            return (0..self.0.output).map(Some).collect();
        }
        let pick = |x: f64| {
            let (low, fraction) = (x.floor(), x - x.floor());
            let up = match mode {
                NearestMode::PreferFloor => fraction > f64::from(0.5 + TIE),
                NearestMode::PreferCeil => fraction >= f64::from(0.5 - TIE),
                NearestMode::Floor => false,
                NearestMode::Ceil => fraction > 0.0,
                NearestMode::CeilWhenShrinking => fraction > 0.0 && self.0.scale < 1.0,
            };
            self.clamp(if up { low + 1.0 } else { low })
        };
        (0..self.0.output).map(|i| self.0.source(i).map(pick)).collect()
    }

    /// Weighted neighbours for each output coordinate; coordinates beyond the border stand for the border.
    pub(super) fn taps(&self, filter: Filter) -> Taps {
        let (first, count) = self.0.reach(filter.cubic.is_some(), filter.antialias);
        let scale = self.0.stretch(filter.antialias);
        let mut taps =
            Taps { count, indices: Vec::new(), weights: Vec::new(), outside: Vec::new() };
        for i in 0..self.0.output {
            let source = self.0.source(i);
            if self.0.transform == CoordinateTransform::CropAndResize {
                taps.outside.push(source.is_none());
            }
            let x = self.0.centre(source.unwrap_or(0.0), filter.antialias);
            let start = x.floor() + first;
            let row = taps.weights.len();
            for k in 0..count {
                let at = start + k as f64;
                let outside = at < 0.0 || at >= self.0.input as f64;
                let weight = match filter.exclude_outside && outside {
                    true => 0.0,
                    false => kernel(((at - x) * scale).abs(), filter.cubic),
                };
                taps.indices.push(self.clamp(at));
                taps.weights.push(weight);
            }
            let weights = &mut taps.weights[row..];
            let sum: f64 = weights.iter().sum();
            if (filter.antialias || filter.exclude_outside) && sum != 0.0 {
                weights.iter_mut().for_each(|w| *w /= sum);
            }
        }
        taps
    }
}

/// The triangle, or Keys' cubic convolution kernel with coefficient `a` (1981), at distance `d`.
fn kernel(d: f64, cubic: Option<f64>) -> f64 {
    match cubic {
        None => (1.0 - d).max(0.0),
        Some(a) if d <= 1.0 => ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0,
        Some(a) if d < 2.0 => ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a,
        Some(_) => 0.0,
    }
}
