//! Where the pixels of an image go: resizing, cropping, and borders. Sizes and offsets are those of torchvision
//! (`Resize`, `CenterCrop`) and of the letterbox of YOLO models.

use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageBuffer, Rgb};

use crate::error::{ImageError, StepsError};
use crate::picture;

/// Antialiased bilinear interpolation, as Pillow's `BILINEAR`.
const FILTER: FilterType = FilterType::Triangle;

/// The longest side of an image that is resized, in pixels.
pub(crate) const LONGEST: u32 = 1 << 16;

/// The gray of a letterbox's borders.
const BORDER: u8 = 114;

/// How an image is resized. Sizes are width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resize {
    /// To this size, whatever its shape.
    Exact(u32, u32),
    /// Until its shorter side has this length.
    Short(u32),
    /// Until it fits into this size, with borders on both sides of the shorter dimension.
    Letterbox(u32, u32),
}

/// The steps before pixels become numbers, in their order: resizing, then cropping.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Geometry {
    pub(crate) resize: Option<Resize>,
    /// Width and height of the part in the middle that is kept.
    pub(crate) crop: Option<(u32, u32)>,
    /// The borders of a letterbox.
    pub(crate) fill: Option<u8>,
}

impl Geometry {
    /// An error if steps contradict each other.
    pub(crate) fn check(&self) -> Result<(), StepsError> {
        match (self.resize, self.crop, self.fill) {
            (Some(Resize::Letterbox(..)), Some(_), _) => Err(StepsError::LetterboxAndCrop),
            (Some(Resize::Letterbox(..)), None, _) | (_, _, None) => Ok(()),
            (_, _, Some(_)) => Err(StepsError::FillAlone),
        }
    }

    /// Has images get the size of the model's input, unless steps decide their size; returns the step that was added.
    pub(crate) fn complete(&mut self, w: u32, h: u32) -> Option<String> {
        match (self.resize, self.crop) {
            (None, None) => {
                self.resize = Some(Resize::Exact(w, h));
                Some(format!("size={w}x{h}"))
            }
            (Some(Resize::Short(_)), None) => {
                self.crop = Some((w, h));
                Some(format!("crop={w}x{h}"))
            }
            _ => None,
        }
    }

    /// Width and height of all images after the steps; `None` if they follow from the image.
    pub(crate) fn size(&self) -> Option<(u32, u32)> {
        self.crop.or(match self.resize {
            Some(Resize::Exact(w, h) | Resize::Letterbox(w, h)) => Some((w, h)),
            Some(Resize::Short(_)) | None => None,
        })
    }

    /// Resizes and crops. No image on the way has more than `most` pixels, but for the given one.
    pub(crate) fn apply(
        &self,
        mut image: DynamicImage,
        most: u64,
    ) -> Result<DynamicImage, ImageError> {
        let size = (image.width(), image.height());
        let (width, height) = match self.resize {
            // The crop alone decides.
            None => self.crop.unwrap_or(size),
            Some(Resize::Exact(w, h) | Resize::Letterbox(w, h)) => (w, h),
            Some(Resize::Short(n)) => short(size, n)?,
        };
        if u64::from(width) * u64::from(height) > most {
            return Err(ImageError::TooLarge { width, height, most });
        }
        image = match self.resize {
            None => image,
            Some(Resize::Exact(..) | Resize::Short(_)) => resized(image, (width, height)),
            Some(Resize::Letterbox(w, h)) => letterbox(image, (w, h), self.fill.unwrap_or(BORDER)),
        };
        let Some((w, h)) = self.crop else { return Ok(image) };
        if w > image.width() || h > image.height() {
            let image = (image.width(), image.height());
            return Err(ImageError::Crop { crop: (w, h), image });
        }
        Ok(image.crop_imm(before(image.width() - w), before(image.height() - h), w, h))
    }
}

fn resized(image: DynamicImage, (w, h): (u32, u32)) -> DynamicImage {
    match (image.width(), image.height()) == (w, h) {
        true => image,
        false => image.resize_exact(w, h, FILTER),
    }
}

/// The pixels in front of the middle, as torchvision rounds them.
fn before(rest: u32) -> u32 {
    (f64::from(rest) / 2.0).round_ties_even() as u32
}

/// The size with a shorter side of `n`. The longer one is rounded down.
fn short((w, h): (u32, u32), n: u32) -> Result<(u32, u32), ImageError> {
    let long = u64::from(n) * u64::from(w.max(h)) / u64::from(w.min(h).max(1));
    let long = u32::try_from(long).ok().filter(|long| *long <= LONGEST);
    let long = long.ok_or(ImageError::Long { short: n, width: w, height: h })?;
    Ok(if w <= h { (n, long) } else { (long, n) })
}

/// The size of the resized image in a letterbox, and its offset from the left and the top.
fn placed((w, h): (u32, u32), (width, height): (u32, u32)) -> ((u32, u32), (u32, u32)) {
    let [w, h, to_w, to_h] = [w, h, width, height].map(f64::from);
    let ratio = (to_h / h).min(to_w / w);
    let inner = |side: f64, most: u32| ((side * ratio).round_ties_even() as u32).clamp(1, most);
    let (w, h) = (inner(w, width), inner(h, height));
    // The odd pixel is on the right and at the bottom.
    ((w, h), ((width - w) / 2, (height - h) / 2))
}

fn letterbox(image: DynamicImage, to: (u32, u32), fill: u8) -> DynamicImage {
    let (size, (left, top)) = placed((image.width(), image.height()), to);
    let image = resized(image, size);
    let (left, top) = (i64::from(left), i64::from(top));
    if picture::is_deep(&image) {
        let border = Rgb([u16::from(fill) * 257; 3]);
        let mut canvas = ImageBuffer::from_pixel(to.0, to.1, border);
        imageops::replace(&mut canvas, &image.into_rgb16(), left, top);
        return canvas.into();
    }
    let mut canvas = ImageBuffer::from_pixel(to.0, to.1, Rgb([fill; 3]));
    imageops::replace(&mut canvas, &image.into_rgb8(), left, top);
    canvas.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::GrayImage;

    /// The image that the expected pixels below were made of, with Pillow 12 and NumPy.
    fn image() -> DynamicImage {
        GrayImage::from_fn(9, 6, |x, y| image::Luma([(x * 37 + y * 91 + x * y * 13) as u8])).into()
    }

    fn assert_near(geometry: &Geometry, width: u32, expected: &[u8]) {
        let image = geometry.apply(image(), u64::MAX).unwrap();
        assert_eq!((image.width(), image.height() * width), (width, expected.len() as u32));
        let pixels = image.into_luma8().into_raw();
        let near = pixels.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1);
        assert!(near, "{pixels:?}, expected {expected:?}");
    }

    #[test]
    fn pixels_are_those_of_pillow() {
        let short = Geometry { resize: Some(Resize::Short(4)), ..Geometry::default() };
        let whole = [
            50, 109, 137, 138, 145, 97, 156, 145, 147, 149, 115, 165, 95, 130, 159, 127, 143, 102,
            141, 114, 168, 131, 115, 174,
        ];
        assert_near(&short, 6, &whole);
        let cropped = Geometry { crop: Some((3, 2)), ..short };
        assert_near(&cropped, 3, &[147, 149, 115, 159, 127, 143]);
        let inner = [
            26, 69, 113, 132, 145, 190, 83, 75, 132, 169, 160, 146, 116, 117, 145, 205, 110, 155,
            135, 154, 160, 153, 89, 134, 88, 140, 109, 161, 113, 132, 156, 86, 164, 89, 157, 176,
            144, 97, 136, 199,
        ];
        for fill in [None, Some(0), Some(255)] {
            let resize = Some(Resize::Letterbox(8, 8));
            let border = fill.unwrap_or(114);
            let expected = [&[border; 8][..], &inner, &[border; 16]].concat();
            assert_near(&Geometry { resize, fill, crop: None }, 8, &expected);
        }
    }

    #[test]
    fn sizes_and_offsets_are_those_of_torchvision_and_yolo() {
        for (size, n, expected) in [
            ((500, 375), 256, (341, 256)),
            ((375, 500), 256, (256, 341)),
            ((333, 500), 256, (256, 384)),
            ((256, 256), 256, (256, 256)),
            ((640, 427), 256, (383, 256)),
            ((1000, 1), 8, (8000, 8)),
        ] {
            assert_eq!(short(size, n), Ok(expected));
        }
        assert!(short((1 << 16, 1), 2).is_err());
        for (rest, expected) in [(117, 58), (32, 16), (1, 0), (2, 1), (3, 2), (5, 2), (0, 0)] {
            assert_eq!(before(rest), expected, "{rest}");
        }
        for (size, to, expected) in [
            ((1920, 1080), (640, 640), ((640, 360), (0, 140))),
            ((1080, 1920), (640, 640), ((360, 640), (140, 0))),
            ((640, 480), (640, 640), ((640, 480), (0, 80))),
            ((500, 375), (640, 480), ((640, 480), (0, 0))),
            ((333, 500), (416, 416), ((277, 416), (69, 0))),
            ((1, 1000), (640, 640), ((1, 640), (319, 0))),
            ((9, 6), (8, 8), ((8, 5), (0, 1))),
        ] {
            assert_eq!(placed(size, to), expected);
        }
    }

    #[test]
    fn deep_images_stay_deep() {
        let deep = DynamicImage::from(ImageBuffer::from_pixel(2, 1, Rgb([1000u16, 2000, 3000])));
        let resize = Some(Resize::Letterbox(2, 3));
        let boxed = Geometry { resize, ..Geometry::default() }.apply(deep, u64::MAX).unwrap();
        let pixels = boxed.into_rgb16().into_raw();
        assert_eq!(pixels[..3], [114 * 257; 3]);
        assert_eq!(pixels[6..9], [1000, 2000, 3000]);
    }

    #[test]
    fn images_do_not_grow_beyond_the_limit() {
        let long = || DynamicImage::from(GrayImage::new(1, 292));
        let short = Geometry { resize: Some(Resize::Short(224)), ..Geometry::default() };
        let error = ImageError::TooLarge { width: 224, height: 65408, most: 1 << 20 };
        assert_eq!(short.apply(long(), 1 << 20), Err(error));
        let exact = Geometry { resize: Some(Resize::Exact(3, 2)), ..Geometry::default() };
        assert!(exact.apply(long(), 6).is_ok() && exact.apply(long(), 5).is_err());
        let crop = Geometry { crop: Some((1, 6)), ..Geometry::default() };
        assert!(crop.apply(long(), 6).is_ok());
        assert!(Geometry::default().apply(long(), 291).is_err());
    }

    #[test]
    fn a_crop_that_does_not_fit_is_an_error() {
        let error =
            Geometry { crop: Some((10, 4)), ..Geometry::default() }.apply(image(), u64::MAX);
        assert!(error.unwrap_err().to_string().contains("it has 9x6 pixels"));
    }
}
