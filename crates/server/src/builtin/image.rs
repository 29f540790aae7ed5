//! Backend `trident_image`: image files become tensors, by the steps of `trident run --preprocess`.
//!
//! The parameter `steps` has the steps; settings that are missing follow from the output's type and dimensions, as they do there.

use bytes::Bytes;
use half::{bf16, f16};
use trident_image_steps::{CompleteSteps, ImageElements, ImageSteps, PixelLimits};
use trident_ir::{Dim, TensorType};
use trident_serving::{
    DataType, Fault, ModelConfig, NativeModel, NativeRequest, NativeRun, Output,
};

use super::room::RequestRoom;
use super::{only_parameters, unfit};
use crate::infer::strings;

pub(super) const NAME: &str = "trident_image";

/// 8192 × 8192 pixels in a file, of which 4096 × 4096 become elements.
const LIMITS: PixelLimits = PixelLimits { file: 1 << 26, tensor: 1 << 24 };

/// The bytes of memory for which an image may have one pixel in its file, and one that becomes elements: about twice the size of a
/// pixel of four channels of 16 bits, and of three elements in double precision.
const BYTES: PixelLimits = PixelLimits { file: 16, tensor: 64 };

/// The most pixels in the files of a request, which bound the time that it takes.
const PIXELS: u64 = 1 << 30;

pub(super) struct Images {
    steps: CompleteSteps,
    output: String,
    data_type: DataType,
    /// Dimensions of an image's tensor; -1 for those that follow from the image.
    dims: Vec<i64>,
    /// Whether the answer has a dimension for images.
    has_rows: bool,
    room: RequestRoom,
    /// The most pixels in the files of a request.
    most_pixels: u64,
}

impl Images {
    /// The model of a configuration. `log` gets a line if settings follow from the output.
    pub(super) fn of(
        config: &ModelConfig,
        memory_limit: Option<u64>,
        log: impl FnOnce(&str),
    ) -> Result<Images, Fault> {
        only_parameters(config, &["memory_limit", "steps"])?;
        let room = RequestRoom::of(config, memory_limit)?;
        let has_batch = config.max_batch_size > 0;
        let [input] = &config.input[..] else { return Err(unfit(config, "one input")) };
        let is_one = input.dims == [1];
        if input.data_type != DataType::String || !(is_one || input.dims == [-1] && !has_batch) {
            return Err(unfit(
                config,
                "an input of type TYPE_STRING and dims [ 1 ], or without a batch dimension also [ -1 ]",
            ));
        }
        let [output] = &config.output[..] else { return Err(unfit(config, "one output")) };
        let dims = match &output.dims[..] {
            [-1, dims @ ..] if !is_one => dims,
            dims if is_one => dims,
            _ => {
                return Err(unfit(config, "an output whose first dimension is -1, for the images"));
            }
        };
        let dtype = output.data_type.dtype().filter(|dtype| dtype.is_int() || dtype.is_float());
        let (Some(dtype), 2 | 3) = (dtype, dims.len()) else {
            return Err(unfit(
                config,
                "an output of numbers whose dims are those of an image: height and width, and channels before or after them",
            ));
        };
        let dim = |dim: &i64| match usize::try_from(*dim) {
            Ok(size) => Dim::Fixed(size),
            Err(_) => Dim::sym("n"),
        };
        let ty = TensorType { dtype, shape: Some(dims.iter().map(dim).collect()) };
        let text = config.parameter("steps").unwrap_or_default();
        let wrong = |error: &dyn std::fmt::Display| {
            Fault::invalid(format_args!("parameter 'steps' of model '{}': {error}", config.name))
        };
        let steps: ImageSteps = text.parse().map_err(|error| wrong(&error))?;
        let steps = steps.complete(&ty).map_err(|error| wrong(&error))?;
        let made = steps.dims();
        let fits = |(made, dim): (&Option<usize>, &i64)| {
            *dim < 0 || made.is_none_or(|made| usize::try_from(*dim) == Ok(made))
        };
        if made.len() != dims.len() || !made.iter().zip(dims).all(fits) {
            let made: Vec<String> = made.iter().map(shown).collect();
            return Err(wrong(&format_args!(
                "they make a tensor of dims [ {} ], and output '{}' has {dims:?}",
                made.join(", "),
                output.name
            )));
        }
        if !steps.assumed.is_empty() {
            log(&format!(
                "model '{}' has the steps {} besides its own",
                config.name, steps.assumed
            ));
        }
        let (output, data_type) = (output.name.clone(), output.data_type);
        let dims = dims.to_vec();
        Ok(Images {
            steps,
            output,
            data_type,
            dims,
            has_rows: has_batch || !is_one,
            room,
            most_pixels: PIXELS,
        })
    }

    /// The tensor of a request's images.
    fn answer(&self, request: &NativeRequest<'_>) -> Result<Vec<Output>, Fault> {
        let [given] = &request.inputs[..] else {
            return Err(Fault::internal("trident_image takes one input"));
        };
        let (mut data, mut dims, mut count, mut pixels) = (vec![], None, 0, 0);
        for file in strings(&given.data) {
            request.checkpoint.pass()?;
            let image = self.image(file).map_err(|reason| {
                Fault::invalid(format_args!("element {count} of input '{}': {reason}", given.name))
            })?;
            pixels += image.pixels;
            if pixels > self.most_pixels {
                return Err(Fault::invalid(format_args!(
                    "the images of input '{}' have more than the {} pixels that a request may have; hint: send fewer images in a \
                     request",
                    given.name, self.most_pixels
                )));
            }
            let first = dims.get_or_insert_with(|| image.dims.clone());
            if *first != image.dims {
                return Err(Fault::invalid(format_args!(
                    "element {count} of input '{}' becomes a tensor of dims {:?}, and those before it {first:?}; hint: the step \
                     'size' or 'crop' gives images the same size",
                    given.name, image.dims
                )));
            }
            let width = self.data_type.byte_size().unwrap_or(size_of::<f64>());
            let bytes = data.len().saturating_add(image.values.len().saturating_mul(width));
            self.room.hold(bytes as u64, format_args!("output '{}'", self.output))?;
            self.write(&image.values, &mut data).map_err(|value| {
                Fault::invalid(format_args!(
                    "element {count} of input '{}' has the value {value} after the steps, which is beyond {}; hint: set 'scale' to 1",
                    given.name,
                    self.data_type.protocol_name()
                ))
            })?;
            count += 1;
        }
        // Without images, unknown sizes are 0.
        let dims = dims.unwrap_or_else(|| {
            self.dims.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect()
        });
        let rows = self.has_rows.then_some(count);
        let shape = rows.into_iter().chain(dims.into_iter().map(|dim| dim as i64)).collect();
        let (name, data) = (self.output.as_str().into(), Bytes::from(data));
        Ok(vec![Output { at: 0, name, data_type: self.data_type, shape, data }])
    }

    /// The elements of an image.
    fn image(&self, file: &[u8]) -> Result<ImageElements, String> {
        let most = |most: u64, bytes: u64| most.min(self.room.bytes() / bytes);
        let limits = PixelLimits {
            file: most(LIMITS.file, BYTES.file),
            tensor: most(LIMITS.tensor, BYTES.tensor),
        };
        let image = self.steps.apply(file, limits).map_err(|error| error.to_string())?;
        let fits = |(made, dim): (&usize, &i64)| *dim < 0 || i64::try_from(*made) == Ok(*dim);
        match image.dims.iter().zip(&self.dims).all(fits) {
            true => Ok(image),
            false => Err(format!(
                "it becomes a tensor of dims {:?}, and output '{}' has {:?}",
                image.dims, self.output, self.dims
            )),
        }
    }

    /// Appends elements, or returns the first one that the type does not hold.
    fn write(&self, values: &[f64], to: &mut Vec<u8>) -> Result<(), f64> {
        macro_rules! integers {
            ($t:ty) => {
                append(values, to, |v| ((v as $t) as f64 == v).then(|| (v as $t).to_le_bytes()))
            };
        }
        match self.data_type {
            DataType::Uint8 => integers!(u8),
            DataType::Uint16 => integers!(u16),
            DataType::Uint32 => integers!(u32),
            DataType::Uint64 => integers!(u64),
            DataType::Int8 => integers!(i8),
            DataType::Int16 => integers!(i16),
            DataType::Int32 => integers!(i32),
            DataType::Int64 => integers!(i64),
            DataType::Fp16 => append(values, to, |v| {
                Some(f16::from_f64(v)).filter(|v| v.is_finite()).map(f16::to_le_bytes)
            }),
            DataType::Bf16 => append(values, to, |v| {
                Some(bf16::from_f64(v)).filter(|v| v.is_finite()).map(bf16::to_le_bytes)
            }),
            DataType::Fp64 => append(values, to, |v| Some(v.to_le_bytes())),
            _ => append(values, to, |v| {
                Some(v as f32).filter(|v| v.is_finite()).map(f32::to_le_bytes)
            }),
        }
    }
}

impl NativeModel for Images {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter().map(|request| self.answer(request)).collect();
        NativeRun { answers, ..NativeRun::default() }
    }

    fn is_steady(&self) -> bool {
        // A small file may hold a large image.
        false
    }
}

fn append<const N: usize>(
    values: &[f64],
    to: &mut Vec<u8>,
    element: impl Fn(f64) -> Option<[u8; N]>,
) -> Result<(), f64> {
    to.reserve(values.len() * N);
    for value in values {
        to.extend_from_slice(&element(*value).ok_or(*value)?);
    }
    Ok(())
}

fn shown(dim: &Option<usize>) -> String {
    dim.map_or_else(|| "-1".to_owned(), |dim| dim.to_string())
}

#[cfg(test)]
mod tests;
