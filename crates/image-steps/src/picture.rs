//! Image files.

use std::fmt::Display;
use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageReader};

use crate::error::ImageError;

/// The image that a file holds, the right way up: turned and mirrored as its EXIF data say. It has at most so many pixels.
pub(crate) fn read(bytes: &[u8], most: u64) -> Result<DynamicImage, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::Empty);
    }
    let failed = |error: &dyn Display| ImageError::Decode(error.to_string());
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let reader = reader.map_err(|error| failed(&error))?;
    let mut decoder = reader.into_decoder().map_err(|error| failed(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > most {
        return Err(ImageError::TooLarge { width, height, most });
    }
    let orientation = decoder.orientation().map_err(|error| failed(&error))?;
    let image = DynamicImage::from_decoder(decoder);
    let mut image = image.map_err(|error| failed(&error))?;
    image.apply_orientation(orientation);
    Ok(image)
}

/// Whether its pixels have more than 8 bits a channel.
pub(crate) fn is_deep(image: &DynamicImage) -> bool {
    let color = image.color();
    color.bits_per_pixel() > 8 * u16::from(color.channel_count())
}

/// The channels of all pixels, row by row.
pub(crate) enum Pixels {
    Plain(Vec<u8>),
    /// Channels of 16 bits.
    Deep(Vec<u16>),
}

impl Pixels {
    pub(crate) fn of(image: DynamicImage, gray: bool) -> Pixels {
        match (is_deep(&image), gray) {
            (true, true) => Pixels::Deep(image.into_luma16().into_raw()),
            (true, false) => Pixels::Deep(image.into_rgb16().into_raw()),
            (false, true) => Pixels::Plain(image.into_luma8().into_raw()),
            (false, false) => Pixels::Plain(image.into_rgb8().into_raw()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Pixels::Plain(raw) => raw.len(),
            Pixels::Deep(raw) => raw.len(),
        }
    }

    /// A channel of a pixel, from 0 to 255: those of 16 bits in steps of 1/257.
    pub(crate) fn get(&self, at: usize) -> f64 {
        match self {
            Pixels::Plain(raw) => raw[at].into(),
            Pixels::Deep(raw) => f64::from(raw[at]) / 257.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::{jpeg::JpegEncoder, png::PngEncoder};
    use image::{ExtendedColorType, ImageEncoder};

    /// Three columns, two rows.
    const PIXELS: [u8; 6] = [0, 50, 100, 150, 200, 250];

    /// EXIF data of one field: the orientation.
    fn exif(orientation: u8) -> Vec<u8> {
        let mut bytes = b"II*\0\x08\0\0\0\x01\0".to_vec();
        bytes.extend([0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    }

    /// The visible picture, in rows, for each orientation, as `PIL.ImageOps.exif_transpose` returns it.
    const SEEN: [(u8, u32, [u8; 6]); 8] = [
        (1, 3, [0, 50, 100, 150, 200, 250]),
        (2, 3, [100, 50, 0, 250, 200, 150]),
        (3, 3, [250, 200, 150, 100, 50, 0]),
        (4, 3, [150, 200, 250, 0, 50, 100]),
        (5, 2, [0, 150, 50, 200, 100, 250]),
        (6, 2, [150, 0, 200, 50, 250, 100]),
        (7, 2, [250, 100, 200, 50, 150, 0]),
        (8, 2, [100, 250, 50, 200, 0, 150]),
    ];

    #[test]
    fn every_orientation_is_turned_upright() {
        for (orientation, width, expected) in SEEN {
            let mut file = Vec::new();
            let mut encoder = PngEncoder::new(&mut file);
            encoder.set_exif_metadata(exif(orientation)).unwrap();
            encoder.write_image(&PIXELS, 3, 2, ExtendedColorType::L8).unwrap();
            let image = read(&file, u64::MAX).unwrap();
            assert_eq!((image.width(), image.height()), (width, 6 / width), "{orientation}");
            assert_eq!(image.into_luma8().into_raw(), expected, "{orientation}");
        }
    }

    #[test]
    fn photographs_are_turned_as_well() {
        for (orientation, width, expected) in SEEN {
            // Blocks of 16 × 16 pixels of one shade, which compression leaves alone.
            let shade = |i: usize| PIXELS[i / (48 * 16) * 3 + i % 48 / 16];
            let pixels: Vec<u8> = (0..48 * 32).map(shade).collect();
            let mut file = Vec::new();
            let mut encoder = JpegEncoder::new_with_quality(&mut file, 100);
            encoder.set_exif_metadata(exif(orientation)).unwrap();
            encoder.write_image(&pixels, 48, 32, ExtendedColorType::L8).unwrap();
            let image = read(&file, u64::MAX).unwrap().into_luma8();
            assert_eq!((image.width(), image.height()), (16 * width, 96 / width), "{orientation}");
            for (i, expected) in expected.iter().enumerate() {
                let (x, y) = (i as u32 % width * 16 + 8, i as u32 / width * 16 + 8);
                let actual = image.get_pixel(x, y).0[0];
                assert!(actual.abs_diff(*expected) <= 2, "{orientation}: {actual}, {expected}");
            }
        }
    }

    #[test]
    fn files_without_an_image_are_refused() {
        assert_eq!(read(&[], u64::MAX), Err(ImageError::Empty));
        assert!(matches!(read(b"no image", u64::MAX), Err(ImageError::Decode(_))));
    }

    #[test]
    fn images_beyond_the_limit_are_not_decoded() {
        let mut file = Vec::new();
        let encoder = PngEncoder::new(&mut file);
        encoder.write_image(&PIXELS, 3, 2, ExtendedColorType::L8).unwrap();
        assert!(read(&file, 6).is_ok());
        let error = ImageError::TooLarge { width: 3, height: 2, most: 5 };
        assert_eq!(read(&file, 5), Err(error));
    }
}
