//! From image files to tensors: `scale=1/255,mean=0.5:0.5:0.5,std=0.2:0.2:0.2,layout=nchw,size=224x224,gray`.

use crate::failure::Failure;
use crate::input::picture;
use crate::scalar::{self, Scalar};
use image::DynamicImage;
use image::imageops::FilterType;
use std::collections::BTreeMap;
use std::str::FromStr;
use trident_ir::{Dim, TensorType};
use trident_runtime::Tensor;

/// Order of the axes of an image tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Nchw,
    Nhwc,
}

/// Order of an image's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    Gray,
    Rgb,
    Bgr,
}

/// How pixels become elements: `(pixel·scale − mean) / std`, with pixels 0 … 255. What is not set follows from the
/// model's input.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preprocess {
    pub(crate) scale: Option<f64>,
    /// By channel, or one for all.
    pub(crate) mean: Vec<f64>,
    /// By channel, or one for all.
    pub(crate) std: Vec<f64>,
    pub(crate) layout: Option<Layout>,
    /// Width and height.
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) channels: Option<Channels>,
}

impl FromStr for Preprocess {
    type Err = String;

    fn from_str(text: &str) -> Result<Preprocess, String> {
        let mut result = Preprocess::default();
        let mut given: BTreeMap<&str, &str> = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let kind = if value.is_empty() { "channels" } else { key };
            match (key, value) {
                ("scale", v) => result.scale = Some(number(v)?),
                ("mean", v) => result.mean = numbers(v)?,
                ("std", v) => result.std = numbers(v)?,
                ("layout", "nchw") => result.layout = Some(Layout::Nchw),
                ("layout", "nhwc") => result.layout = Some(Layout::Nhwc),
                ("size", v) => result.size = Some(size(v)?),
                ("gray" | "grey", "") => result.channels = Some(Channels::Gray),
                ("rgb", "") => result.channels = Some(Channels::Rgb),
                ("bgr", "") => result.channels = Some(Channels::Bgr),
                _ => {
                    return Err(format!(
                        "`{part}` is no preprocessing step; known are scale=1/255, mean=A:B:C, std=A:B:C, \
                         layout=nchw, layout=nhwc, size=WIDTHxHEIGHT, gray, rgb, bgr"
                    ));
                }
            }
            if let Some(before) = given.insert(kind, part) {
                return Err(format!("`{kind}` is given twice: `{before}` and `{part}`"));
            }
        }
        if result.std.contains(&0.0) {
            return Err("a standard deviation is 0".into());
        }
        Ok(result)
    }
}

/// `0.5` or `1/255`.
fn number(text: &str) -> Result<f64, String> {
    let parse = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let value = match text.split_once('/') {
        Some((a, b)) => parse(a).zip(parse(b)).map(|(a, b)| a / b).filter(|v| v.is_finite()),
        None => parse(text),
    };
    value.ok_or_else(|| format!("`{text}` is no number"))
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(':').map(number).collect()
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |t: &str| t.parse::<u32>().ok().filter(|n| (1..=1 << 16).contains(n));
    let both = text.split_once('x').and_then(|(w, h)| parse(w).zip(parse(h)));
    both.ok_or_else(|| format!("`{text}` is no size such as 224x224"))
}

impl Preprocess {
    /// Fills in what is not set from the type of the model's input. Gives the axes the image has in it, and what was
    /// assumed, in words, if anything was.
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
                Some(n) => return Err(format!("an image does not fit an input of {n} channels")),
            };
            self.channels = Some(channels);
            assumed.push(if channels == Channels::Gray { "gray" } else { "rgb" }.to_owned());
        }
        let fixed = |d: Option<usize>| d.and_then(|d| u32::try_from(d).ok()).filter(|d| *d > 0);
        if let (None, Some(w), Some(h)) = (self.size, fixed(w), fixed(h)) {
            self.size = Some((w, h));
            assumed.push(format!("size={w}x{h}"));
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

    /// Makes a tensor of the contents of an image file, for an input of the given type. Also gives what was assumed.
    pub(crate) fn load(&self, bytes: &[u8], ty: &TensorType) -> Result<(Tensor, String), String> {
        let mut settings = self.clone();
        if ty.dtype.is_int() && settings.scale.is_none() {
            settings.scale = Some(1.0);
        }
        let assumed = settings.complete(ty)?;
        Ok((settings.apply(picture::read(bytes)?, ty)?, assumed))
    }

    /// Resizes (triangle filter) and turns pixels into elements; everything must be set but mean and std.
    fn apply(&self, mut image: DynamicImage, ty: &TensorType) -> Result<Tensor, String> {
        if let Some((w, h)) = self.size
            && (image.width(), image.height()) != (w, h)
        {
            image = image.resize_exact(w, h, FilterType::Triangle);
        }
        let (w, h) = (image.width() as usize, image.height() as usize);
        let channels = self.channels.unwrap_or(Channels::Rgb);
        let (pixels, c) = match channels {
            Channels::Gray => (image.into_luma8().into_raw(), 1),
            Channels::Rgb | Channels::Bgr => (image.into_rgb8().into_raw(), 3),
        };
        let per_channel = |list: &[f64], k: usize, default: f64| match list {
            [] => Ok(default),
            [one] => Ok(*one),
            many => many.get(k).copied().filter(|_| many.len() == c).ok_or_else(|| {
                format!("{} values of mean or std do not fit {c} channels", many.len())
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
                elements[at] = (f64::from(pixels[p * c + from]) * scale - mean) / std;
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
        scalar::tensor(ty.dtype, &dims, &scalars)
    }
}

fn describe(ty: &TensorType) -> String {
    trident_ir::Type::Tensor(ty.clone()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
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
        steps.apply(image(), ty).unwrap()
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
    fn wrong_steps_are_named() {
        for text in ["scal=1", "scale=1/0", "mean=a", "size=0x3", "layout=chwn", "std=0", "gray=1"]
        {
            assert!(text.parse::<Preprocess>().is_err(), "{text}");
        }
        for (text, twice) in [
            ("scale=1/255,mean=0,scale=1", "`scale` is given twice: `scale=1/255` and `scale=1`"),
            ("gray,size=8x8,rgb", "`channels` is given twice: `gray` and `rgb`"),
            ("layout=nchw,layout=nchw", "`layout` is given twice"),
        ] {
            let error = text.parse::<Preprocess>().unwrap_err();
            assert!(error.contains(twice), "{error}");
        }
        let steps: Preprocess = "mean=1:2,size=2x1,rgb,layout=nchw".parse().unwrap();
        assert!(steps.apply(image(), &ty(DType::F32, &[1, 3, 1, 2])).is_err());
    }
}
