//! Where the elements of a resized axis come from.

use super::{GeometryError, axes, axis, invalid};
use crate::Op;

/// How output coordinates map to input coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Pixels have their centre at one half.
    HalfPixel,
    /// The same, around the middle of the axis.
    HalfPixelSymmetric,
    /// The same, but an axis of length 1 is at 0.
    PytorchHalfPixel,
    /// The first and last pixels of both sides meet.
    AlignCorners,
    /// Coordinates are divided by the scale.
    Asymmetric,
    /// A region is cut out; places outside of the operand have a value of their own.
    CropAndResize,
    /// Of operator sets 11 and 12: the half-pixel map without its last half.
    TfHalfPixelForNearest,
}

impl Transform {
    /// The transform that attribute `coordinate_transformation_mode` names.
    pub fn by_name(name: Option<&str>) -> Result<Transform, GeometryError> {
        Ok(match name {
            Some("half_pixel") | None => Transform::HalfPixel,
            Some("half_pixel_symmetric") => Transform::HalfPixelSymmetric,
            Some("pytorch_half_pixel") => Transform::PytorchHalfPixel,
            Some("align_corners") => Transform::AlignCorners,
            Some("asymmetric") => Transform::Asymmetric,
            Some("tf_crop_and_resize") => Transform::CropAndResize,
            Some("tf_half_pixel_for_nn") => Transform::TfHalfPixelForNearest,
            Some(other) => {
                return invalid(format!(
                    "attribute `coordinate_transformation_mode`: unknown: {other}"
                ));
            }
        })
    }
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
}

impl ResizedAxis {
    /// Whether the output is the input.
    pub fn is_identity(&self) -> bool {
        let whole = self.transform != Transform::CropAndResize || self.roi == (0.0, 1.0);
        whole && self.input == self.output && (self.scale - 1.0).abs() < 1e-9
    }

    /// The input coordinate of an output coordinate, of which it is an affine function.
    pub fn position(&self, x: f64) -> f64 {
        let (input, scale) = (self.input as f64, self.scale);
        let output = scale * input;
        match self.transform {
            Transform::HalfPixel => (x + 0.5) / scale - 0.5,
            Transform::TfHalfPixelForNearest => (x + 0.5) / scale,
            Transform::HalfPixelSymmetric => {
                let offset = input / 2.0 * (1.0 - self.output as f64 / output);
                offset + (x + 0.5) / scale - 0.5
            }
            Transform::PytorchHalfPixel | Transform::AlignCorners if output == 1.0 => 0.0,
            Transform::PytorchHalfPixel => (x + 0.5) / scale - 0.5,
            Transform::AlignCorners => x * (input - 1.0) / (output - 1.0),
            Transform::Asymmetric => x / scale,
            Transform::CropAndResize => {
                let (start, end) = self.roi;
                let step = match output == 1.0 {
                    true => (end - start) * (input - 1.0) / 2.0,
                    false => x * (end - start) * (input - 1.0) / (output - 1.0),
                };
                step + start * (input - 1.0)
            }
        }
    }

    /// The input coordinate of output coordinate `i`; `None` outside of the region.
    pub fn source(&self, i: usize) -> Option<f64> {
        let at = self.position(i as f64);
        let crops = self.transform == Transform::CropAndResize;
        (!crops || (0.0..=self.input as f64 - 1.0).contains(&at)).then_some(at)
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
        if antialias { self.scale.min(1.0) } else { 1.0 }
    }
}

/// The axes of a resize of an array with dimensions `x`, by the op's attributes and operands; operands without elements
/// are absent.
pub fn resize(
    op: &Op,
    x: &[usize],
    roi: Option<&[f64]>,
    scales: Option<&[f64]>,
    sizes: Option<&[i64]>,
) -> Result<Vec<ResizedAxis>, GeometryError> {
    let transform = Transform::by_name(op.str("coordinate_transformation_mode"))?;
    let named: Vec<usize> = match op.ints("axes") {
        Some(given) => {
            axes(given, x.len())?;
            given.iter().map(|&a| axis(a, x.len())).collect::<Result<_, _>>()?
        }
        None => (0..x.len()).collect(),
    };
    let length = |what: &str, got: usize, want: usize| match got == want {
        true => Ok(()),
        false => invalid(format!("{got} {what} where {want} are needed")),
    };
    let whole =
        |&n: &usize| ResizedAxis { input: n, output: n, scale: 1.0, roi: (0.0, 1.0), transform };
    let mut found: Vec<ResizedAxis> = x.iter().map(whole).collect();
    match (scales, sizes) {
        (Some(scales), None) => {
            length("scales", scales.len(), named.len())?;
            for (&a, &scale) in named.iter().zip(scales) {
                if !(scale > 0.0 && scale.is_finite()) {
                    return invalid(format!("scale {scale} is not positive and finite"));
                }
                let output = scale * found[a].input as f64;
                found[a] = ResizedAxis { scale, output: output as usize, ..found[a].clone() };
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
            keep_aspect_ratio(op, &named, &mut found)?;
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
    Ok(found)
}

/// One scale for all named axes, so that no size is exceeded (or none is missed).
fn keep_aspect_ratio(
    op: &Op,
    named: &[usize],
    axes: &mut [ResizedAxis],
) -> Result<(), GeometryError> {
    let scales = named.iter().map(|&a| axes[a].scale);
    let scale = match op.str("keep_aspect_ratio_policy") {
        Some("stretch") | None => return Ok(()),
        Some("not_larger") => scales.fold(f64::INFINITY, f64::min),
        Some("not_smaller") => scales.fold(f64::NEG_INFINITY, f64::max),
        Some(other) => {
            return invalid(format!("attribute `keep_aspect_ratio_policy`: unknown: {other}"));
        }
    };
    for &a in named {
        let output = (scale * axes[a].input as f64 + 0.5) as usize;
        axes[a] = ResizedAxis { scale, output, ..axes[a].clone() };
    }
    Ok(())
}
