//! Where the elements of a resized axis come from.

use super::{GeometryError, axes, axis, invalid};
use crate::op::words::{AspectRatioPolicy, CoordinateTransform as Transform, Interpolation};
use crate::ops;

/// Fractions that are this close to one half are ties of the nearest modes that round: f32 coordinates miss exact halves by
/// a few units of the last place. ONNX Runtime has the same bound.
pub const TIE: f32 = 1e-6;

/// Whole numbers below this are exact in f32, in which lengths and coordinates are computed.
const EXACT: usize = 1 << 24;

/// The nearest f32, widened again. An f64 sum, product or quotient of f32s that is rounded this way is the one that f32
/// arithmetic gives.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Length of an axis of `n` elements that is scaled: the product in f32, as ONNX Runtime computes it. Where f32 no longer
/// holds every integer, the product is in f64.
pub fn scaled_len(n: usize, scale: f64) -> usize {
    let product = n as f64 * scale;
    let short = n < EXACT && single(product) < EXACT as f64;
    if short { single(product) as usize } else { product as usize }
}

/// One axis of a resize: lengths, scale, region and coordinate map.
#[derive(Clone, Debug)]
pub struct ResizedAxis {
    /// Length of the operand.
    pub input: usize,
    /// Length of the result.
    pub output: usize,
    /// Result by operand.
    pub scale: f64,
    /// Normalised start and end of the region that is cropped.
    pub roi: (f64, f64),
    /// How coordinates map.
    pub transform: Transform,
    /// Whether coordinates are computed in f64: those of axes that are too long for f32. Kernels set it for weights of f64
    /// operands.
    pub wide: bool,
}

/// The coordinate map of an axis: `((x + offset)·span·length) / divisor + shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoordinateMap {
    /// Added first.
    pub offset: f64,
    /// The first factor.
    pub span: f64,
    /// The second factor.
    pub length: f64,
    /// Divides the product.
    pub divisor: f64,
    /// Added last.
    pub shift: f64,
    /// Whether only the result is rounded to f32, not every step.
    pub fused: bool,
}

impl ResizedAxis {
    /// Whether the output is the input.
    pub fn is_identity(&self) -> bool {
        let whole = self.transform != Transform::CropAndResize || self.roi == (0.0, 1.0);
        whole && self.input == self.output && self.scale == 1.0
    }

    /// Whether an axis is too long for coordinates in f32.
    pub fn is_long(&self) -> bool {
        self.input.max(self.output) >= EXACT
    }

    fn round(&self, x: f64) -> f64 {
        if self.wide { x } else { single(x) }
    }

    /// The map from output to input coordinates, in the order of operations of ONNX Runtime.
    pub fn map(&self) -> CoordinateMap {
        let (input, output, scale) =
            (self.input as f64, self.output as f64, self.round(self.scale));
        // An axis with one output coordinate, 0, needs neither a factor nor a divisor.
        let alone = self.output <= 1;
        let identity = CoordinateMap {
            offset: 0.0,
            span: 1.0,
            length: 1.0,
            divisor: 1.0,
            shift: 0.0,
            fused: false,
        };
        let scaled = CoordinateMap { divisor: scale, ..identity };
        let centred = CoordinateMap { offset: 0.5, shift: -0.5, ..scaled };
        match self.transform {
            Transform::Asymmetric => scaled,
            Transform::TfHalfPixelForNearest => CoordinateMap { offset: 0.5, ..scaled },
            Transform::PytorchHalfPixel | Transform::AlignCorners if alone => identity,
            Transform::HalfPixel | Transform::PytorchHalfPixel => centred,
            Transform::HalfPixelSymmetric => {
                let adjustment = self.round(output / self.round(scale * input));
                let offset = self.round(input / 2.0 * self.round(1.0 - adjustment));
                CoordinateMap { shift: offset - 0.5, fused: true, ..centred }
            }
            Transform::AlignCorners => {
                CoordinateMap { length: input - 1.0, divisor: output - 1.0, ..identity }
            }
            Transform::CropAndResize => {
                let (start, end) = (self.round(self.roi.0), self.round(self.roi.1));
                if alone {
                    let middle = 0.5 * self.round(start + end) * (input - 1.0);
                    return CoordinateMap { shift: self.round(middle), ..identity };
                }
                CoordinateMap {
                    span: self.round(end - start),
                    length: input - 1.0,
                    divisor: output - 1.0,
                    shift: self.round(start * (input - 1.0)),
                    ..identity
                }
            }
        }
    }

    /// The input coordinate of an output coordinate.
    pub fn position(&self, x: usize) -> f64 {
        let map = self.map();
        let round = |x: f64| if map.fused { x } else { self.round(x) };
        let at = round(x as f64 + map.offset);
        let at = round(round(at * map.span) * map.length);
        self.round(round(at / map.divisor) + map.shift)
    }

    /// The input coordinate of output coordinate `i`; `None` outside of the region.
    pub fn source(&self, i: usize) -> Option<f64> {
        let at = self.position(i);
        let crops = self.transform == Transform::CropAndResize;
        (!crops || (0.0..=self.input as f64 - 1.0).contains(&at)).then_some(at)
    }

    /// The input coordinate around which neighbours are weighed, for one that [`position`](Self::position) gives. ONNX
    /// Runtime positions an antialiasing filter by the edges of pixels, half a pixel further on, which rounds once
    /// more.
    pub fn centre(&self, at: f64, antialias: bool) -> f64 {
        if antialias { self.round(self.round(at + 0.5) - 0.5) } else { at }
    }

    /// The first neighbour that is weighed, counted from the input coordinate below, and the number of neighbours. A filter
    /// reaches 1 (`linear`) or 2 (`cubic`) to each side, an antialiasing one further where the axis shrinks.
    pub fn reach(&self, cubic: bool, antialias: bool) -> (f64, usize) {
        let reach = if cubic { 2.0 } else { 1.0 };
        let first = (-reach / self.stretch(antialias)).floor() + 1.0;
        (first, (2.0 - 2.0 * first) as usize)
    }

    /// An antialiasing filter is stretched by the inverse of this when the axis shrinks.
    pub fn stretch(&self, antialias: bool) -> f64 {
        if antialias { self.round(self.scale).min(1.0) } else { 1.0 }
    }
}

/// The attributes of a resize that its geometry depends on.
#[derive(Clone, Debug)]
pub struct ResizeSpec {
    /// How coordinates map.
    pub transform: Transform,
    /// How values between elements are computed.
    pub mode: Interpolation,
    /// Whether the filter is stretched on axes that shrink.
    pub antialias: bool,
    /// The axes of scales, sizes and regions; all axes if there is no list.
    pub axes: Option<Vec<i64>>,
    /// Whether all of them have one scale.
    pub policy: AspectRatioPolicy,
}

impl ResizeSpec {
    /// The attributes of an op.
    pub fn of(op: ops::Resize<'_>) -> ResizeSpec {
        ResizeSpec {
            transform: op.coordinate_transformation_mode(),
            mode: op.mode(),
            antialias: op.antialias(),
            axes: op.axes().map(<[i64]>::to_vec),
            policy: op.keep_aspect_ratio_policy(),
        }
    }
}

/// The axes of a resize of an array with dimensions `x`, by the op's attributes and operands; operands without elements
/// are absent.
pub fn resize(
    spec: &ResizeSpec,
    x: &[usize],
    roi: Option<&[f64]>,
    scales: Option<&[f64]>,
    sizes: Option<&[i64]>,
) -> Result<Vec<ResizedAxis>, GeometryError> {
    let transform = spec.transform;
    let named: Vec<usize> = match spec.axes.as_deref() {
        Some(given) => {
            axes(given, x.len())?;
            given.iter().map(|&a| axis(a, x.len())).collect::<Result<_, _>>()?
        }
        None => (0..x.len()).collect(),
    };
    let length = |what: &str, got: usize, want: usize| match got == want {
        true => Ok(()),
        false => invalid(format!("there are {got} {what}, expected {want}")),
    };
    let whole = |&n: &usize| {
        let roi = (0.0, 1.0);
        ResizedAxis { input: n, output: n, scale: 1.0, roi, transform, wide: false }
    };
    let mut found: Vec<ResizedAxis> = x.iter().map(whole).collect();
    match (scales, sizes) {
        (Some(scales), None) => {
            length("scales", scales.len(), named.len())?;
            for (&a, &scale) in named.iter().zip(scales) {
                if !(scale > 0.0 && scale.is_finite()) {
                    return invalid(format!("scale {scale} is not positive and finite"));
                }
                let output = scaled_len(found[a].input, scale);
                found[a] = ResizedAxis { scale, output, ..found[a].clone() };
            }
        }
        (None, Some(sizes)) => {
            length("sizes", sizes.len(), named.len())?;
            for (&a, &size) in named.iter().zip(sizes) {
                let Ok(output) = usize::try_from(size) else {
                    return invalid(format!("a size of {size}"));
                };
                let scale = output as f64 / found[a].input as f64;
                found[a] = ResizedAxis { scale, output, ..found[a].clone() };
            }
            keep_aspect_ratio(spec.policy, &named, &mut found);
        }
        (None, None) if named.is_empty() => {}
        _ => return invalid("either scales or sizes are needed"),
    }
    if transform == Transform::CropAndResize {
        let Some(roi) = roi else { return invalid("the region that is cropped is missing") };
        length("bounds of the region", roi.len(), 2 * named.len())?;
        for (i, &a) in named.iter().enumerate() {
            found[a].roi = (roi[i], roi[named.len() + i]);
        }
    }
    copy_what_keeps_its_length(spec, &mut found);
    found.iter_mut().for_each(|axis| axis.wide = axis.is_long());
    Ok(found)
}

/// Makes axes whose lengths stay the same identities, though their scales may differ from 1: all axes if no length changes,
/// and each axis of an antialiased resize. ONNX Runtime and PyTorch copy these. A cubic resize is computed, as in PyTorch and
/// the reference.
fn copy_what_keeps_its_length(spec: &ResizeSpec, axes: &mut [ResizedAxis]) {
    let kept = |axis: &ResizedAxis| axis.input == axis.output;
    let all = spec.mode != Interpolation::Cubic && axes.iter().all(kept);
    if spec.transform != Transform::CropAndResize && (spec.antialias || all) {
        axes.iter_mut().filter(|axis| kept(axis)).for_each(|axis| axis.scale = 1.0);
    }
}

/// One scale for all named axes, so that no size is exceeded (or none is missed).
fn keep_aspect_ratio(policy: AspectRatioPolicy, named: &[usize], axes: &mut [ResizedAxis]) {
    let long = named.iter().any(|&a| axes[a].is_long());
    let round = |x: f64| if long { x } else { single(x) };
    let scales = named.iter().map(|&a| round(axes[a].scale));
    let scale = match policy {
        AspectRatioPolicy::Stretch => return,
        AspectRatioPolicy::NotLarger => scales.fold(f64::INFINITY, f64::min),
        AspectRatioPolicy::NotSmaller => scales.fold(f64::NEG_INFINITY, f64::max),
    };
    for &a in named {
        let output = round(scale * axes[a].input as f64).round() as usize;
        axes[a] = ResizedAxis { scale, output, ..axes[a].clone() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(transform: Transform, input: usize, scale: f32) -> ResizedAxis {
        let scale = f64::from(scale);
        let output = scaled_len(input, scale);
        ResizedAxis { input, output, scale, roi: (0.25, 1.5), transform, wide: false }
    }

    #[test]
    fn lengths_are_products_in_f32() {
        // 40 times the f32 below 1.4 is 55.99… in f64.
        assert_eq!(scaled_len(40, 1.4f32.into()), 56);
        assert_eq!(scaled_len(10, 0.7f32.into()), 7);
        assert_eq!(scaled_len(3, 0.1f32.into()), 0);
        for n in [0, 1, 7, 40, 224, 1999] {
            for i in 1..400 {
                let scale = i as f32 * 0.01;
                assert_eq!(scaled_len(n, scale.into()), (n as f32 * scale) as usize, "{n}·{scale}");
            }
        }
        // f32 holds neither the length nor the product.
        assert_eq!(scaled_len((1 << 24) + 1, 1.0), (1 << 24) + 1);
        assert_eq!(scaled_len((1 << 23) + 1, 3.0), 3 * ((1 << 23) + 1));
        assert_eq!(scaled_len((1 << 24) + 2, 0.5), (1 << 23) + 1);
    }

    /// Coordinates, computed with f32 variables.
    fn in_f32(a: &ResizedAxis, x: usize) -> f32 {
        let (x, n, m, s) = (x as f32, a.input as f32, a.output as f32, a.scale as f32);
        let (start, end) = (a.roi.0 as f32, a.roi.1 as f32);
        match a.transform {
            Transform::PytorchHalfPixel | Transform::AlignCorners if a.output == 1 => 0.0,
            Transform::HalfPixel | Transform::PytorchHalfPixel => (x + 0.5) / s - 0.5,
            Transform::HalfPixelSymmetric => {
                let offset = n / 2.0 * (1.0 - m / (s * n));
                (f64::from(offset) + (f64::from(x) + 0.5) / f64::from(s) - 0.5) as f32
            }
            Transform::AlignCorners => x * (n - 1.0) / (m - 1.0),
            Transform::Asymmetric => x / s,
            Transform::TfHalfPixelForNearest => (x + 0.5) / s,
            Transform::CropAndResize if a.output == 1 => 0.5 * (start + end) * (n - 1.0),
            Transform::CropAndResize => {
                start * (n - 1.0) + (x * (end - start) * (n - 1.0)) / (m - 1.0)
            }
        }
    }

    #[test]
    fn coordinates_are_those_of_f32() {
        for transform in [
            Transform::HalfPixel,
            Transform::HalfPixelSymmetric,
            Transform::PytorchHalfPixel,
            Transform::AlignCorners,
            Transform::Asymmetric,
            Transform::TfHalfPixelForNearest,
            Transform::CropAndResize,
        ] {
            for (n, scale) in [(1, 1.0), (5, 0.2), (5, 0.39), (40, 1.4), (120, 0.6), (333, 2.7)] {
                let axis = axis(transform, n, scale);
                for x in 0..axis.output {
                    assert_eq!(axis.position(x), in_f32(&axis, x).into(), "{axis:?} at {x}");
                }
            }
        }
    }

    #[test]
    fn the_centre_of_an_antialiasing_filter_rounds_once_more() {
        let mut axis = axis(Transform::Asymmetric, 120, 1.4);
        // 89 / 1.4 + 0.5 is just above 64, where f32 has fewer binary places.
        let at = axis.position(89);
        assert_eq!(axis.centre(at, false), at);
        assert_eq!(axis.centre(at, true), f64::from((at as f32 + 0.5) - 0.5));
        assert_ne!(axis.centre(at, true), at);
        axis.wide = true;
        assert!((axis.centre(at, true) - at).abs() < 1e-12);
    }

    #[test]
    fn long_axes_have_coordinates_in_f64() {
        let mut axis = axis(Transform::Asymmetric, (1 << 24) + 1, 1.5);
        assert!(axis.is_long());
        axis.wide = true;
        let last = axis.output - 1;
        assert_eq!(axis.position(last).floor(), (last as f64 / 1.5).floor());
        assert_ne!(axis.position(last), axis.position(last - 1));
    }
}
