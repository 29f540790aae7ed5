//! Where output coordinates of one axis come from.

use trident_runtime::KernelError;

/// How output coordinates map to input coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transform {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    CropAndResize,
    /// Of operator sets 11 and 12: the half-pixel map without its last half.
    TfHalfPixelForNearest,
}

impl Transform {
    pub(super) fn by_name(name: Option<&str>) -> Result<Transform, KernelError> {
        Ok(match name {
            Some("half_pixel") | None => Transform::HalfPixel,
            Some("half_pixel_symmetric") => Transform::HalfPixelSymmetric,
            Some("pytorch_half_pixel") => Transform::PytorchHalfPixel,
            Some("align_corners") => Transform::AlignCorners,
            Some("asymmetric") => Transform::Asymmetric,
            Some("tf_crop_and_resize") => Transform::CropAndResize,
            Some("tf_half_pixel_for_nn") => Transform::TfHalfPixelForNearest,
            Some(other) => {
                let name = "coordinate_transformation_mode";
                return Err(KernelError::attr(name, format!("unknown: {other}")));
            }
        })
    }
}

/// Which neighbour is nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nearest {
    PreferFloor,
    PreferCeil,
    Floor,
    Ceil,
}

/// How neighbours are weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Filter {
    /// The cubic coefficient; linear if there is none.
    pub(super) cubic: Option<f64>,
    pub(super) antialias: bool,
    pub(super) exclude_outside: bool,
}

/// One axis: lengths, scale, region and coordinate map.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) scale: f64,
    /// Normalised start and end of the region that is cropped.
    pub(super) roi: (f64, f64),
    pub(super) transform: Transform,
}

/// Input coordinates and weights for each output coordinate.
pub(super) struct Taps {
    pub(super) count: usize,
    pub(super) indices: Vec<usize>,
    pub(super) weights: Vec<f64>,
    /// Output coordinates outside the region; empty unless the map crops.
    pub(super) outside: Vec<bool>,
}

impl Axis {
    /// Whether the output is the input.
    pub(super) fn is_identity(&self) -> bool {
        let whole = self.transform != Transform::CropAndResize || self.roi == (0.0, 1.0);
        whole && self.input == self.output && (self.scale - 1.0).abs() < 1e-9
    }

    /// The input coordinate of output coordinate `i`; `None` outside the region.
    fn source(&self, i: usize) -> Option<f64> {
        let (x, input, scale) = (i as f64, self.input as f64, self.scale);
        let output = scale * input;
        Some(match self.transform {
            Transform::HalfPixel => (x + 0.5) / scale - 0.5,
            Transform::TfHalfPixelForNearest => (x + 0.5) / scale,
            Transform::HalfPixelSymmetric => {
                let offset = input / 2.0 * (1.0 - self.output as f64 / output);
                offset + (x + 0.5) / scale - 0.5
            }
            Transform::PytorchHalfPixel if output == 1.0 => 0.0,
            Transform::PytorchHalfPixel => (x + 0.5) / scale - 0.5,
            Transform::AlignCorners if output == 1.0 => 0.0,
            Transform::AlignCorners => x * (input - 1.0) / (output - 1.0),
            Transform::Asymmetric => x / scale,
            Transform::CropAndResize => {
                let (start, end) = self.roi;
                let step = match output == 1.0 {
                    true => (end - start) * (input - 1.0) / 2.0,
                    false => x * (end - start) * (input - 1.0) / (output - 1.0),
                };
                let at = step + start * (input - 1.0);
                return (0.0..=input - 1.0).contains(&at).then_some(at);
            }
        })
    }

    fn clamp(&self, i: f64) -> usize {
        // A cast takes NaN to 0 and saturates.
        (i.max(0.0) as usize).min(self.input.saturating_sub(1))
    }

    /// The nearest input coordinate for each output coordinate; `None` outside the region.
    pub(super) fn nearest(&self, mode: Nearest) -> Vec<Option<usize>> {
        if self.is_identity() {
            return (0..self.output).map(Some).collect();
        }
        let pick = |x: f64| {
            let (low, fraction) = (x.floor(), x - x.floor());
            let up = match mode {
                Nearest::PreferFloor => fraction > 0.5,
                Nearest::PreferCeil => fraction >= 0.5,
                Nearest::Floor => false,
                Nearest::Ceil => fraction > 0.0,
            };
            self.clamp(if up { low + 1.0 } else { low })
        };
        (0..self.output).map(|i| self.source(i).map(pick)).collect()
    }

    /// The first neighbour, counted from the input coordinate below, and the number of neighbours.
    pub(super) fn reach(&self, filter: Filter) -> (f64, usize) {
        let reach = if filter.cubic.is_some() { 2.0 } else { 1.0 };
        let first = (-reach / self.stretch(filter)).floor() + 1.0;
        (first, (2.0 - 2.0 * first) as usize)
    }

    /// An antialiasing filter is stretched by the inverse of this when the axis shrinks.
    fn stretch(&self, filter: Filter) -> f64 {
        if filter.antialias { self.scale.min(1.0) } else { 1.0 }
    }

    /// Weighted neighbours for each output coordinate; coordinates beyond the border stand for the border.
    pub(super) fn taps(&self, filter: Filter) -> Taps {
        let ((first, count), scale) = (self.reach(filter), self.stretch(filter));
        let mut taps =
            Taps { count, indices: Vec::new(), weights: Vec::new(), outside: Vec::new() };
        for i in 0..self.output {
            let source = self.source(i);
            if self.transform == Transform::CropAndResize {
                taps.outside.push(source.is_none());
            }
            let x = source.unwrap_or(0.0);
            let start = x.floor() + first;
            let row = taps.weights.len();
            for k in 0..count {
                let at = start + k as f64;
                let outside = at < 0.0 || at >= self.input as f64;
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
