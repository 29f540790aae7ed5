//! Image files.

use image::{DynamicImage, ImageDecoder, ImageReader};
use std::io::Cursor;

/// The image that a file holds, the right way up: turned and mirrored as its EXIF data say.
pub(crate) fn read(bytes: &[u8]) -> Result<DynamicImage, String> {
    if bytes.is_empty() {
        return Err("it is empty".into());
    }
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let mut decoder =
        reader.map_err(|e| e.to_string())?.into_decoder().map_err(|e| e.to_string())?;
    let orientation = decoder.orientation().map_err(|e| e.to_string())?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(|e| e.to_string())?;
    image.apply_orientation(orientation);
    Ok(image)
}

/// Whether its pixels have more than 8 bits a channel.
pub(crate) fn is_deep(image: &DynamicImage) -> bool {
    let color = image.color();
    color.bits_per_pixel() > 8 * u16::from(color.channel_count())
}

/// The channels of all pixels, row by row, from 0 to 255: those of 16 bits in steps of 1/257.
pub(crate) fn pixels(image: DynamicImage, gray: bool) -> Vec<f64> {
    let deep = |raw: Vec<u16>| raw.into_iter().map(|v| f64::from(v) / 257.0).collect();
    let plain = |raw: Vec<u8>| raw.into_iter().map(f64::from).collect();
    match (is_deep(&image), gray) {
        (true, true) => deep(image.into_luma16().into_raw()),
        (true, false) => deep(image.into_rgb16().into_raw()),
        (false, true) => plain(image.into_luma8().into_raw()),
        (false, false) => plain(image.into_rgb8().into_raw()),
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
            let image = read(&file).unwrap();
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
            let image = read(&file).unwrap().into_luma8();
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
        assert_eq!(read(&[]).unwrap_err(), "it is empty");
        assert!(read(b"no image").is_err());
    }
}
