//! From image files to the elements of a tensor, by steps such as `short=256,crop=224,gray,scale=1/255,mean=0.5,layout=nchw`.
//!
//! `--preprocess` of the command line and the server's backend `trident_image` have the same steps.

mod error;
mod geometry;
mod parse;
mod picture;

use image::DynamicImage;
use trident_ir::{Dim, TensorType};

pub use error::{ImageError, StepsError};
use geometry::Geometry;
use picture::Pixels;

/// Order of the axes of an image tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Nchw,
    Nhwc,
}

/// Order of an image's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channels {
    Gray,
    Rgb,
    Bgr,
}

/// How pixels become elements: `(pixel·scale − mean) / std`, with pixels 0 … 255, of 16-bit images 257th parts too.
/// Missing settings follow from the type of the tensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageSteps {
    scale: Option<f64>,
    /// By channel, or one for all.
    mean: Vec<f64>,
    /// By channel, or one for all.
    std: Vec<f64>,
    layout: Option<Layout>,
    geometry: Geometry,
    channels: Option<Channels>,
}

/// Steps without missing settings, for tensors of a type.
#[derive(Clone, Debug)]
pub struct CompleteSteps {
    steps: ImageSteps,
    /// Whether elements are whole numbers.
    whole: bool,
    rank: usize,
    /// The steps that follow from the type, as a text; empty if there are none.
    pub assumed: String,
}

/// The most pixels of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelLimits {
    /// Of the image in a file.
    pub file: u64,
    /// Of the tensor, and of the image between the steps.
    pub tensor: u64,
}

impl PixelLimits {
    /// No limits, for files that the user of this machine names.
    pub const NONE: PixelLimits = PixelLimits { file: u64::MAX, tensor: u64::MAX };
}

/// The elements of a tensor, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageElements {
    /// The dimensions.
    pub dims: Vec<usize>,
    /// The elements; whole numbers for a tensor of integers.
    pub values: Vec<f64>,
    /// Whether the image has 16 bits a channel, of which integers from 0 to 255 keep 8.
    pub is_cut: bool,
    /// The pixels of the image in the file.
    pub pixels: u64,
}

impl ImageSteps {
    /// Fills in missing settings from the type of a tensor.
    ///
    /// # Errors
    /// A type that no image fits.
    pub fn complete(&self, ty: &TensorType) -> Result<CompleteSteps, ImageError> {
        let mut steps = self.clone();
        let whole = ty.dtype.is_int();
        if whole && steps.scale.is_none() {
            steps.scale = Some(1.0);
        }
        let assumed = steps.fill_in(ty)?;
        let rank = ty.shape.as_ref().map_or(4, Vec::len);
        let complete = CompleteSteps { steps, whole, rank, assumed };
        complete.check().map(|()| complete)
    }

    /// The same in place. Returns the settings that follow from the type.
    fn fill_in(&mut self, ty: &TensorType) -> Result<String, ImageError> {
        let dims: Vec<Option<usize>> = match &ty.shape {
            Some(shape) => shape.iter().map(Dim::fixed).collect(),
            None => vec![None; 4],
        };
        // Channels, height and width by layout; the batch axis may be missing, and so may the channels of gray images.
        let image = match dims.as_slice() {
            [_, rest @ ..] if rest.len() == 3 => rest,
            rest if rest.len() == 3 => rest,
            [h, w] => return self.fill_in_with(Some(1), *h, *w, Layout::Nchw),
            _ => return Err(ImageError::Type(ty.clone())),
        };
        let is_channels = |d: Option<usize>| matches!(d, Some(1 | 3));
        let layout = self.layout.unwrap_or_else(|| {
            if is_channels(image[2]) && !is_channels(image[0]) {
                Layout::Nhwc
            } else {
                Layout::Nchw
            }
        });
        let (c, h, w) = match layout {
            Layout::Nchw => (image[0], image[1], image[2]),
            Layout::Nhwc => (image[2], image[0], image[1]),
        };
        self.fill_in_with(c, h, w, layout)
    }

    fn fill_in_with(
        &mut self,
        c: Option<usize>,
        h: Option<usize>,
        w: Option<usize>,
        layout: Layout,
    ) -> Result<String, ImageError> {
        let mut assumed = Vec::new();
        if self.layout.is_none() {
            self.layout = Some(layout);
            assumed
                .push(format!("layout={}", if layout == Layout::Nchw { "nchw" } else { "nhwc" }));
        }
        if self.channels.is_none() {
            let channels = match c {
                Some(1) => Channels::Gray,
                Some(3) | None => Channels::Rgb,
                Some(n) => return Err(ImageError::Channels(n)),
            };
            self.channels = Some(channels);
            assumed.push(if channels == Channels::Gray { "gray" } else { "rgb" }.to_owned());
        }
        let fixed = |d: Option<usize>| d.and_then(|d| u32::try_from(d).ok()).filter(|d| *d > 0);
        if let (Some(w), Some(h)) = (fixed(w), fixed(h)) {
            assumed.extend(self.geometry.complete(w, h));
        }
        if self.scale.is_none() {
            self.scale = Some(1.0 / 255.0);
            assumed.push("scale=1/255".to_owned());
        }
        Ok(assumed.join(","))
    }
}

impl CompleteSteps {
    /// An error if settings do not fit the number of channels.
    fn check(&self) -> Result<(), ImageError> {
        let channels = self.channels();
        if self.rank == 2 && channels > 1 {
            return Err(ImageError::NoChannels);
        }
        let fits = |list: &&Vec<f64>| list.len() <= 1 || list.len() == channels;
        match [&self.steps.mean, &self.steps.std].into_iter().find(|list| !fits(list)) {
            Some(list) => Err(ImageError::Values { values: list.len(), channels }),
            None => Ok(()),
        }
    }

    /// The dimensions of the tensors; `None` for those that follow from the image.
    pub fn dims(&self) -> Vec<Option<usize>> {
        let (w, h) = self.steps.geometry.size().unzip();
        let (w, h) = (w.map(|w| w as usize), h.map(|h| h as usize));
        self.dims_of(Some(self.channels()), h, w, Some(1))
    }

    fn channels(&self) -> usize {
        if self.steps.channels == Some(Channels::Gray) { 1 } else { 3 }
    }

    /// Channels, height and width in the order of the tensor.
    fn dims_of<T>(&self, c: T, h: T, w: T, one: T) -> Vec<T> {
        let layout = self.steps.layout.unwrap_or(Layout::Nchw);
        match (self.rank, layout) {
            (2, _) => vec![h, w],
            (3, Layout::Nchw) => vec![c, h, w],
            (3, Layout::Nhwc) => vec![h, w, c],
            (_, Layout::Nchw) => vec![one, c, h, w],
            (_, Layout::Nhwc) => vec![one, h, w, c],
        }
    }

    /// The elements of an image file.
    ///
    /// # Errors
    /// A file that is not an image, one that the steps cannot be applied to, and one beyond the limits.
    pub fn apply(&self, file: &[u8], limits: PixelLimits) -> Result<ImageElements, ImageError> {
        let image = picture::read(file, limits.file)?;
        let pixels = u64::from(image.width()) * u64::from(image.height());
        let is_cut = self.whole && picture::is_deep(&image) && self.steps.scale == Some(1.0);
        let (dims, values) = self.elements(image, limits.tensor)?;
        Ok(ImageElements { dims, values, is_cut, pixels })
    }

    /// Resizes and crops, and turns pixels into elements.
    fn elements(
        &self,
        image: DynamicImage,
        most: u64,
    ) -> Result<(Vec<usize>, Vec<f64>), ImageError> {
        let steps = &self.steps;
        let image = steps.geometry.apply(image, most)?;
        let (w, h) = (image.width() as usize, image.height() as usize);
        let channels = steps.channels.unwrap_or(Channels::Rgb);
        let c = self.channels();
        let pixels = Pixels::of(image, c == 1);
        let per_channel = |list: &[f64], k: usize, default: f64| match list {
            [] => default,
            [one] => *one,
            many => many[k],
        };
        let scale = steps.scale.unwrap_or(1.0);
        let layout = steps.layout.unwrap_or(Layout::Nchw);
        let mut values = vec![0.0f64; pixels.len()];
        for k in 0..c {
            let (mean, std) = (per_channel(&steps.mean, k, 0.0), per_channel(&steps.std, k, 1.0));
            let from = if channels == Channels::Bgr { c - 1 - k } else { k };
            for p in 0..w * h {
                let at = if layout == Layout::Nchw { k * w * h + p } else { p * c + k };
                values[at] = (pixels.get(p * c + from) * scale - mean) / std;
            }
        }
        if self.whole {
            values.iter_mut().for_each(|value| *value = value.round());
        }
        let dims = self.dims_of(c, h, w, 1);
        Ok((dims, values))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{ImageFormat, Luma, RgbImage};
    use trident_ir::DType;

    use super::*;

    fn ty(dtype: DType, dims: &[usize]) -> TensorType {
        TensorType { dtype, shape: Some(dims.iter().map(|&d| Dim::Fixed(d)).collect()) }
    }

    /// Two pixels side by side: (255, 0, 51) and (0, 102, 255).
    fn image() -> DynamicImage {
        RgbImage::from_raw(2, 1, vec![255, 0, 51, 0, 102, 255]).unwrap().into()
    }

    fn complete(text: &str, ty: &TensorType) -> Result<CompleteSteps, ImageError> {
        text.parse::<ImageSteps>().unwrap().complete(ty)
    }

    /// Dimensions and elements, in single precision.
    fn apply(text: &str, ty: &TensorType) -> (Vec<usize>, Vec<f32>) {
        let (dims, values) = complete(text, ty).unwrap().elements(image(), u64::MAX).unwrap();
        (dims, values.into_iter().map(|value| value as f32).collect())
    }

    #[test]
    fn layouts_channels_and_normalisation() {
        let (_, nchw) = apply("", &ty(DType::F32, &[1, 3, 1, 2]));
        assert_eq!(nchw, [1.0, 0.0, 0.0, 0.4, 0.2, 1.0]);
        let (dims, nhwc) = apply("bgr,layout=nhwc", &ty(DType::F32, &[1, 1, 2, 3]));
        assert_eq!(
            (&dims[..], &nhwc[..]),
            (&[1, 1, 2, 3][..], &[0.2, 0.0, 1.0, 1.0, 0.4, 0.0][..])
        );
        let (_, normal) = apply("scale=1/255,mean=1:0:0,std=0.5", &ty(DType::F32, &[3, 1, 2]));
        assert_eq!(normal, [0.0, -2.0, 0.0, 0.8, 0.4, 2.0]);
        let (_, bytes) = apply("scale=1", &ty(DType::U8, &[1, 3, 1, 2]));
        assert_eq!(bytes, [255.0, 0.0, 0.0, 102.0, 51.0, 255.0]);
        assert_eq!(apply("", &ty(DType::F32, &[1, 1, 4, 8])).0, [1, 1, 4, 8]);
    }

    #[test]
    fn images_of_16_bits_keep_them_or_it_is_told() {
        // One row: 0, 1, 255 and so on, up to all ones.
        let row: [u16; 6] = [0, 1, 255, 256, 0x8000, u16::MAX];
        let mut file = Cursor::new(Vec::new());
        let image = image::ImageBuffer::<Luma<u16>, _>::from_raw(6, 1, row.to_vec()).unwrap();
        DynamicImage::from(image).write_to(&mut file, ImageFormat::Png).unwrap();
        let apply = |text: &str, ty: &TensorType| {
            complete(text, ty).unwrap().apply(file.get_ref(), PixelLimits::NONE).unwrap()
        };
        for channels in [1, 3] {
            let image = apply("", &ty(DType::F32, &[1, channels, 1, 6]));
            let expected = row.map(|v| f32::from(v) / 65535.0).repeat(channels);
            let values: Vec<f32> = image.values.iter().map(|value| *value as f32).collect();
            assert_eq!((values, image.is_cut), (expected, false));
        }
        let cut = apply("gray,layout=nchw,size=6x1", &ty(DType::U8, &[1, 6]));
        assert_eq!((&cut.values[..], cut.is_cut), (&[0.0, 0.0, 1.0, 1.0, 128.0, 255.0][..], true));
        let whole = apply("scale=257,gray,layout=nchw,size=6x1", &ty(DType::U16, &[1, 6]));
        assert_eq!((whole.values, whole.is_cut), (row.map(f64::from).to_vec(), false));
        let darkest = apply("size=3x1", &ty(DType::F32, &[1, 1, 1, 3])).values[0];
        assert!(0.0 < darkest && darkest < 1.0 / 255.0, "{darkest}");
    }

    #[test]
    fn assumptions_are_told() {
        let steps = complete("", &ty(DType::F32, &[1, 224, 192, 3])).unwrap();
        assert_eq!(steps.assumed, "layout=nhwc,rgb,size=192x224,scale=1/255");
        let given = "scale=1/255,layout=nchw,size=8x8,gray";
        assert_eq!(complete(given, &ty(DType::F32, &[1, 1, 8, 8])).unwrap().assumed, "");
        assert_eq!(
            complete("", &ty(DType::U8, &[8, 8])).unwrap().assumed,
            "layout=nchw,gray,size=8x8"
        );
        let flat = complete("", &ty(DType::F32, &[5])).unwrap_err().to_string();
        assert_eq!(flat, "an image does not fit an input of type f32[5]");
        let channels = complete("", &ty(DType::F32, &[1, 4, 8, 8])).unwrap_err();
        assert_eq!(channels, ImageError::Channels(4));
    }

    #[test]
    fn usual_inputs_of_classifiers_and_detectors() {
        let input = ty(DType::F32, &[1, 3, 4, 4]);
        let steps = complete("short=6", &input).unwrap();
        assert_eq!(steps.assumed, "layout=nchw,rgb,crop=4x4,scale=1/255");
        assert_eq!(apply("short=6,crop=4", &input).0, [1, 3, 4, 4]);
        // The image is twice as wide as high.
        let (_, boxed) = apply("letterbox=4,fill=51", &input);
        assert_eq!((boxed[0], boxed[3], boxed[15]), (0.2, 0.2, 0.2));
        assert_eq!(boxed[4 * 4 / 2], 1.0);
    }

    #[test]
    fn values_by_channel_fit_the_channels() {
        let error = complete("mean=1:2,rgb", &ty(DType::F32, &[1, 3, 1, 2])).unwrap_err();
        assert_eq!(error, ImageError::Values { values: 2, channels: 3 });
        assert_eq!(error.to_string(), "2 values of mean or std for 3 channels");
        let flat = complete("rgb", &ty(DType::F32, &[8, 8])).unwrap_err();
        assert_eq!(flat, ImageError::NoChannels);
    }

    #[test]
    fn dimensions_are_known_before_the_image() {
        let dims = |steps: &str, dims: &[Dim]| {
            let ty = TensorType { dtype: DType::F32, shape: Some(dims.to_vec()) };
            complete(steps, &ty).unwrap().dims()
        };
        let free = || Dim::sym("n");
        let complete = [Some(3), Some(4), Some(5)];
        assert_eq!(dims("", &[Dim::Fixed(3), Dim::Fixed(4), Dim::Fixed(5)]), complete);
        assert_eq!(dims("size=5x4", &[free(), free(), free()]), complete);
        assert_eq!(dims("short=5,layout=nhwc", &[free(), free(), free()]), [None, None, Some(3)]);
        assert_eq!(dims("short=9,crop=8", &[free(), free()]), [Some(8), Some(8)]);
    }
}
