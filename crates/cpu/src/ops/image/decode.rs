//! ImageDecoder: files of the usual formats to pixels.

use crate::kernel::{Call, Compile, Made, Prepared};
use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};
use image::{DynamicImage, ImageReader, RgbImage};
use std::io::Cursor;
use trident_ir::op::words::PixelFormat;
use trident_ir::ops::ImageDecoder;
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// The most pixels of one image, a limit for untrusted files.
const MAX_PIXELS: usize = 1 << 28;

/// How a JPEG 2000 file begins: its signature box, or a bare codestream.
const JPEG2000: [&[u8]; 2] = [b"\0\0\0\x0cjP  \r\n\x87\n", &[0xff, 0x4f, 0xff, 0x51]];

fn failed(reason: impl std::fmt::Display) -> KernelError {
    KernelError::domain(format!("the image cannot be decoded: {reason}"))
}

/// Decodes a JPEG 2000 file to RGB.
fn jpeg2000(stream: &[u8]) -> Result<RgbImage, KernelError> {
    let image = Image::new(stream, &DecodeSettings::default()).map_err(failed)?;
    let (width, height) = (image.width(), image.height());
    let pixels = width as usize * height as usize;
    if pixels > MAX_PIXELS {
        return Err(failed(format!("{width}x{height} pixels are too many")));
    }
    let alpha = usize::from(image.has_alpha());
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context).map_err(failed)?;
    let data = decoded.data_u8();
    let channels = data.len() / pixels.max(1);
    let rgb: Vec<u8> = match channels - alpha.min(channels) {
        1 => data.chunks_exact(channels).flat_map(|p| [p[0]; 3]).collect(),
        3 => data.chunks_exact(channels).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        other => return Err(failed(counted(other, "colour channel"))),
    };
    RgbImage::from_raw(width, height, rgb).ok_or_else(|| failed("pixels are missing"))
}

fn decode(stream: &[u8]) -> Result<RgbImage, KernelError> {
    if JPEG2000.iter().any(|magic| stream.starts_with(magic)) {
        return jpeg2000(stream);
    }
    let reader = ImageReader::new(Cursor::new(stream)).with_guessed_format().map_err(failed)?;
    reader.decode().map(DynamicImage::into_rgb8).map_err(failed)
}

pub(super) fn image_decoder(cx: &Compile<'_>) -> Made {
    let format = cx.view(ImageDecoder::of)?.pixel_format();
    Prepared::boxed(cx, move |call| run(call, format))
}

fn run(call: &mut Call<'_, '_>, format: PixelFormat) -> Result<(), KernelError> {
    let at = ImageDecoder::AT;
    let stream = call.tensor(at.stream)?;
    let image = decode(stream.slice::<u8>()?)?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    // Luma as ITU-R BT.601 weighs it, in 16-bit fixed point.
    let luma = |[r, g, b]: [u8; 3]| {
        let sum = u32::from(r) * 19595 + u32::from(g) * 38470 + u32::from(b) * 7471;
        ((sum + 0x8000) >> 16) as u8
    };
    let pixels = image.as_raw().chunks_exact(3).map(|p| [p[0], p[1], p[2]]);
    let (channels, data): (usize, Vec<u8>) = match format {
        PixelFormat::Rgb => (3, pixels.flatten().collect()),
        PixelFormat::Bgr => (3, pixels.flat_map(|[r, g, b]| [b, g, r]).collect()),
        PixelFormat::Grayscale => (1, pixels.map(luma).collect()),
    };
    let mut out = call.alloc(at.image, DType::U8, &[height, width, channels])?;
    out.slice_mut::<u8>()?.copy_from_slice(&data);
    call.set(at.image, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn portable_pixmaps_and_damaged_files() {
        let file = b"P6\n2 1\n255\n\x0a\x14\x1e\xff\x00\x00";
        let go = |bytes: &[u8], format: &str| {
            let attrs = [("pixel_format", Attr::Str(format.into()))];
            run(OpKind::ImageDecoder, &attrs, vec![tensor(&[bytes.len()], bytes)])
        };
        let rgb = go(file, "RGB").unwrap();
        assert_eq!(rgb.as_tensor().unwrap().dims(), [1, 2, 3]);
        assert_eq!(elements::<u8>(&rgb), [10, 20, 30, 255, 0, 0]);
        assert_eq!(elements::<u8>(&go(file, "BGR").unwrap()), [30, 20, 10, 0, 0, 255]);
        assert_eq!(elements::<u8>(&go(file, "Grayscale").unwrap()), [18, 76]);
        assert!(go(&file[..12], "RGB").is_err() && go(b"", "RGB").is_err());
        assert!(go(b"\0\0\0\x0cjP  \r\n\x87\n\0", "RGB").is_err() && go(file, "YUV").is_err());
    }
}
