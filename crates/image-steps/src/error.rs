//! Errors, as sentences about the text or the image that a user gave.

use trident_ir::{TensorType, Type};

use crate::geometry::LONGEST;

/// Why steps cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepsError {
    /// Not a step.
    #[error(
        "`{0}` is not a preprocessing step; known are scale=1/255, mean=A:B:C, std=A:B:C, layout=nchw, layout=nhwc, \
         size=WIDTHxHEIGHT, short=SIDE, crop=SIDE or crop=WIDTHxHEIGHT, letterbox=SIDE or letterbox=WIDTHxHEIGHT, fill=GRAY, \
         gray, rgb, bgr"
    )]
    Unknown(String),
    /// Two steps of a kind.
    #[error("`{kind}` is given twice: `{first}` and `{second}`")]
    Twice {
        /// The kind.
        kind: String,
        /// The step that comes first.
        first: String,
        /// The other one.
        second: String,
    },
    /// Neither `0.5` nor `1/255`.
    #[error("`{0}` is not a number")]
    Number(String),
    /// Not the length of a side.
    #[error("`{0}` is not a number of pixels from 1 to {LONGEST}")]
    Side(String),
    /// Not a width and a height.
    #[error("`{0}` is not a size such as 224x224")]
    Size(String),
    /// Not a level of gray.
    #[error("fill={0} is not a gray from 0 to 255")]
    Gray(String),
    /// A division by zero.
    #[error("a standard deviation is 0")]
    ZeroDeviation,
    /// Steps that contradict each other.
    #[error("`letterbox` and `crop` contradict each other: a letterbox keeps the whole image")]
    LetterboxAndCrop,
    /// A border of nothing.
    #[error("`fill` is the border of `letterbox`, which is not given")]
    FillAlone,
}

/// Why an image cannot become a tensor.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImageError {
    /// A type whose dimensions are not those of an image.
    #[error("an image does not fit an input of type {}", Type::Tensor(.0.clone()))]
    Type(TensorType),
    /// As many channels as no image has.
    #[error("an image does not fit an input of {0} channels")]
    Channels(usize),
    /// Colours for a type without a dimension for them.
    #[error("an input without a dimension for channels takes gray images: use the step gray")]
    NoChannels,
    /// A file without content.
    #[error("it is empty")]
    Empty,
    /// A file that is not an image, or a damaged one.
    #[error("{0}")]
    Decode(String),
    /// More pixels than asked for at most.
    #[error("an image of {width}x{height} pixels is too large: it may have {most} in all")]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// The most pixels.
        most: u64,
    },
    /// A part that is larger than the image.
    #[error(
        "crop={}x{} needs an image of at least that size, and it has {}x{} pixels; resize it first, for example with short={}",
        .crop.0, .crop.1, .image.0, .image.1, .crop.0.max(.crop.1)
    )]
    Crop {
        /// Width and height of the part.
        crop: (u32, u32),
        /// Width and height of the image.
        image: (u32, u32),
    },
    /// A scaled image that is too long.
    #[error("short={short} makes an image of {width}x{height} pixels longer than {LONGEST} pixels")]
    Long {
        /// The length of the shorter side.
        short: u32,
        /// The image's width.
        width: u32,
        /// The image's height.
        height: u32,
    },
    /// Values by channel for another number of channels.
    #[error("{values} values of mean or std for {}", in_words(*.channels))]
    Values {
        /// How many values.
        values: usize,
        /// How many channels.
        channels: usize,
    },
}

fn in_words(count: usize) -> String {
    if count == 1 { "1 channel".to_owned() } else { format!("{count} channels") }
}
