//! From image files to tensors: `short=256,crop=224,gray,scale=1/255,mean=0.5,std=0.2,layout=nchw`.

mod geometry;
mod steps;

pub(crate) use steps::Preprocess;

use crate::failure::Failure;
use crate::input::picture;
use crate::render::counted;
use crate::scalar::{self, Scalar};
use image::DynamicImage;
use std::collections::BTreeMap;
use steps::{Channels, Layout};
use trident_ir::{Dim, TensorType};
use trident_runtime::{Pool, Tensor};

impl Preprocess {
    /// Fills in missing settings from the type of the model's input. Returns the image's axes in it, and a text of the
    /// assumptions, if any were made.
    fn complete(&mut self, ty: &TensorType) -> Result<String, String> {
        let dims: Vec<Option<usize>> = match &ty.shape {
            Some(shape) => shape.iter().map(Dim::fixed).collect(),
            None => vec![None; 4],
        };
        // Channels, height and width by layout; the batch axis may be missing, and so may the channels of gray images.
        let image = match dims.as_slice() {
            [_, rest @ ..] if rest.len() == 3 => rest,
            rest if rest.len() == 3 => rest,
            [h, w] => return self.complete_with(Some(1), *h, *w, Layout::Nchw),
            _ => return Err(format!("an image does not fit an input of type {}", describe(ty))),
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
        self.complete_with(c, h, w, layout)
    }

    fn complete_with(
        &mut self,
        c: Option<usize>,
        h: Option<usize>,
        w: Option<usize>,
        layout: Layout,
    ) -> Result<String, String> {
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
                Some(n) => {
                    return Err(format!(
                        "an image does not fit an input of {}",
                        counted(n, "channel")
                    ));
                }
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

    /// The steps that a model's metadata name, if any.
    pub(crate) fn own(metadata: &BTreeMap<String, String>) -> Result<Preprocess, Failure> {
        let own = metadata.get("trident.preprocess").map_or("", String::as_str);
        own.parse().map_err(|e| {
            Failure::usage(format!("the model's own preprocessing `{own}` cannot be used: {e}"))
                .hint("`trident run` takes --preprocess")
        })
    }

    /// Makes a tensor of the contents of an image file, for an input of the given type. Also gives what was assumed and
    /// lost, in sentences.
    pub(crate) fn load(
        &self,
        pool: &Pool,
        bytes: &[u8],
        ty: &TensorType,
    ) -> Result<(Tensor, Vec<String>), String> {
        let mut settings = self.clone();
        let whole = ty.dtype.is_int();
        if whole && settings.scale.is_none() {
            settings.scale = Some(1.0);
        }
        let assumed = settings.complete(ty)?;
        let image = picture::read(bytes)?;
        let mut notes = Vec::new();
        if !assumed.is_empty() {
            notes.push(format!("assuming --preprocess {assumed}"));
        }
        if whole && picture::is_deep(&image) && settings.scale == Some(1.0) {
            let keep = "scale=257 keeps them where the type has room";
            notes.push(format!("16-bit pixels are rounded to 0 to 255; {keep}"));
        }
        Ok((settings.apply(pool, image, ty)?, notes))
    }

    /// Resizes and crops, and turns pixels into elements; everything must be set but mean and std.
    fn apply(&self, pool: &Pool, image: DynamicImage, ty: &TensorType) -> Result<Tensor, String> {
        let image = self.geometry.apply(image)?;
        let (w, h) = (image.width() as usize, image.height() as usize);
        let channels = self.channels.unwrap_or(Channels::Rgb);
        let c = if channels == Channels::Gray { 1 } else { 3 };
        let pixels = picture::pixels(image, c == 1);
        let per_channel = |list: &[f64], k: usize, default: f64| match list {
            [] => Ok(default),
            [one] => Ok(*one),
            many => many.get(k).copied().filter(|_| many.len() == c).ok_or_else(|| {
                let values = counted(many.len(), "value");
                format!("{values} of mean or std for {}", counted(c, "channel"))
            }),
        };
        let scale = self.scale.unwrap_or(1.0);
        let layout = self.layout.unwrap_or(Layout::Nchw);
        let mut elements = vec![0.0f64; pixels.len()];
        for k in 0..c {
            let (mean, std) = (per_channel(&self.mean, k, 0.0)?, per_channel(&self.std, k, 1.0)?);
            let from = if channels == Channels::Bgr { c - 1 - k } else { k };
            for p in 0..w * h {
                let at = if layout == Layout::Nchw { k * w * h + p } else { p * c + k };
                elements[at] = (pixels[p * c + from] * scale - mean) / std;
            }
        }
        let full = match layout {
            Layout::Nchw => [1, c, h, w],
            Layout::Nhwc => [1, h, w, c],
        };
        let rank = ty.shape.as_ref().map_or(4, Vec::len);
        let dims = match rank {
            2 => vec![h, w],
            3 => full[1..].to_vec(),
            _ => full.to_vec(),
        };
        let scalars: Vec<Scalar> = elements
            .into_iter()
            .map(|v| if ty.dtype.is_int() { Scalar::Double(v.round()) } else { Scalar::Double(v) })
            .collect();
        scalar::tensor(pool, ty.dtype, &dims, &scalars)
    }
}

fn describe(ty: &TensorType) -> String {
    trident_ir::Type::Tensor(ty.clone()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageFormat, Luma, RgbImage};
    use std::io::Cursor;
    use trident_ir::DType;

    fn ty(dtype: DType, dims: &[usize]) -> TensorType {
        TensorType { dtype, shape: Some(dims.iter().map(|&d| Dim::Fixed(d)).collect()) }
    }

    /// Two pixels side by side: (255, 0, 51) and (0, 102, 255).
    fn image() -> DynamicImage {
        RgbImage::from_raw(2, 1, vec![255, 0, 51, 0, 102, 255]).unwrap().into()
    }

    fn apply(text: &str, ty: &TensorType) -> Tensor {
        let mut steps: Preprocess = text.parse().unwrap();
        steps.complete(ty).unwrap();
        steps.apply(&Pool::new(), image(), ty).unwrap()
    }

    #[test]
    fn layouts_channels_and_normalisation() {
        let nchw = apply("", &ty(DType::F32, &[1, 3, 1, 2]));
        assert_eq!(nchw.slice::<f32>().unwrap(), [1.0, 0.0, 0.0, 0.4, 0.2, 1.0]);
        let nhwc = apply("bgr,layout=nhwc", &ty(DType::F32, &[1, 1, 2, 3]));
        assert_eq!(nhwc.dims(), [1, 1, 2, 3]);
        assert_eq!(nhwc.slice::<f32>().unwrap(), [0.2, 0.0, 1.0, 1.0, 0.4, 0.0]);
        let normal = apply("scale=1/255,mean=1:0:0,std=0.5", &ty(DType::F32, &[3, 1, 2]));
        assert_eq!(normal.slice::<f32>().unwrap(), [0.0, -2.0, 0.0, 0.8, 0.4, 2.0]);
        let bytes = apply("scale=1", &ty(DType::U8, &[1, 3, 1, 2]));
        assert_eq!(bytes.slice::<u8>().unwrap(), [255, 0, 0, 102, 51, 255]);
        assert_eq!(apply("", &ty(DType::F32, &[1, 1, 4, 8])).dims(), [1, 1, 4, 8]);
    }

    #[test]
    fn images_of_16_bits_keep_them_or_it_is_told() {
        // One row: 0, 1, 255 and so on, up to all ones.
        let row: [u16; 6] = [0, 1, 255, 256, 0x8000, u16::MAX];
        let mut file = Cursor::new(Vec::new());
        let image = image::ImageBuffer::<Luma<u16>, _>::from_raw(6, 1, row.to_vec()).unwrap();
        DynamicImage::from(image).write_to(&mut file, ImageFormat::Png).unwrap();
        let load = |text: &str, ty: &TensorType| {
            text.parse::<Preprocess>().unwrap().load(&Pool::new(), file.get_ref(), ty).unwrap()
        };
        for channels in [1, 3] {
            let (t, notes) = load("", &ty(DType::F32, &[1, channels, 1, 6]));
            let expected = row.map(|v| f32::from(v) / 65535.0).repeat(channels);
            assert_eq!(t.slice::<f32>().unwrap(), expected);
            assert!(notes.len() == 1 && notes[0].starts_with("assuming"), "{notes:?}");
        }
        let lost = "16-bit pixels are rounded to 0 to 255; scale=257 keeps them";
        let (t, notes) = load("gray,layout=nchw,size=6x1", &ty(DType::U8, &[1, 6]));
        assert_eq!(t.slice::<u8>().unwrap(), [0, 0, 1, 1, 128, 255]);
        assert!(notes.len() == 1 && notes[0].starts_with(lost), "{notes:?}");
        let (t, notes) = load("scale=257,gray,layout=nchw,size=6x1", &ty(DType::U16, &[1, 6]));
        assert_eq!((t.slice::<u16>().unwrap(), notes.len()), (&row[..], 0));
        let (t, _) = load("size=3x1", &ty(DType::F32, &[1, 1, 1, 3]));
        let darkest = t.slice::<f32>().unwrap()[0];
        assert!(0.0 < darkest && darkest < 1.0 / 255.0, "{darkest}");
    }

    #[test]
    fn what_is_assumed_is_told() {
        let mut steps = Preprocess::default();
        let told = steps.complete(&ty(DType::F32, &[1, 224, 192, 3])).unwrap();
        assert_eq!(told, "layout=nhwc,rgb,size=192x224,scale=1/255");
        let mut steps: Preprocess = "scale=1/255,layout=nchw,size=8x8,gray".parse().unwrap();
        assert_eq!(steps.complete(&ty(DType::F32, &[1, 1, 8, 8])).unwrap(), "");
        assert!(Preprocess::default().complete(&ty(DType::F32, &[5])).is_err());
        assert!(Preprocess::default().complete(&ty(DType::F32, &[1, 4, 8, 8])).is_err());
    }

    #[test]
    fn usual_inputs_of_classifiers_and_detectors() {
        let input = ty(DType::F32, &[1, 3, 4, 4]);
        let mut steps: Preprocess = "short=6".parse().unwrap();
        assert_eq!(steps.complete(&input).unwrap(), "layout=nchw,rgb,crop=4x4,scale=1/255");
        assert_eq!(apply("short=6,crop=4", &input).dims(), [1, 3, 4, 4]);
        // The image is twice as wide as high.
        let boxed = apply("letterbox=4,fill=51", &input);
        let (top, middle) = (boxed.slice::<f32>().unwrap(), 4 * 4 / 2);
        assert_eq!((top[0], top[3], top[15]), (0.2, 0.2, 0.2));
        assert_eq!(top[middle], 1.0);
    }

    #[test]
    fn values_by_channel_fit_the_channels() {
        let steps: Preprocess = "mean=1:2,size=2x1,rgb,layout=nchw".parse().unwrap();
        assert!(steps.apply(&Pool::new(), image(), &ty(DType::F32, &[1, 3, 1, 2])).is_err());
    }
}
