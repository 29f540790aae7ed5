//! Images as inputs: their steps, and tensors of their elements.

use crate::failure::Failure;
use crate::scalar::{self, Scalar};
use std::collections::BTreeMap;
use trident_image_steps::{ImageSteps, PixelLimits};
use trident_ir::TensorType;
use trident_runtime::{Pool, Tensor};

/// The steps that a model's metadata name, if any.
pub(crate) fn own(metadata: &BTreeMap<String, String>) -> Result<ImageSteps, Failure> {
    let own = metadata.get("trident.preprocess").map_or("", String::as_str);
    own.parse().map_err(|e| {
        Failure::usage(format!("the model's own preprocessing `{own}` cannot be used: {e}"))
            .hint("`trident run` takes --preprocess")
    })
}

/// Makes a tensor of the contents of an image file, for an input of the given type. Also gives the assumptions and losses, in
/// sentences.
pub(crate) fn load(
    steps: &ImageSteps,
    pool: &Pool,
    bytes: &[u8],
    ty: &TensorType,
) -> Result<(Tensor, Vec<String>), String> {
    let steps = steps.complete(ty).map_err(|error| error.to_string())?;
    let elements = steps.apply(bytes, PixelLimits::NONE).map_err(|error| error.to_string())?;
    let mut notes = Vec::new();
    if !steps.assumed.is_empty() {
        notes.push(format!("assuming --preprocess {}", steps.assumed));
    }
    if elements.is_cut {
        let keep = "scale=257 keeps them where the type has room";
        notes.push(format!("16-bit pixels are rounded to 0 to 255; {keep}"));
    }
    let scalars: Vec<Scalar> = elements.values.into_iter().map(Scalar::Double).collect();
    Ok((scalar::tensor(pool, ty.dtype, &elements.dims, &scalars)?, notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::{DType, Dim};

    /// A PNG of 16 bits a channel: one gray pixel, 0x8000.
    const DEEP: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x10\x00\x00\x00\x00j\xeeG\x16\x00\x00\x00\x0bIDATx\x9cch`\x00\x00\x01\x03\x00\x81>L\xc5\x93\x00\x00\x00\x00IEND\xaeB`\x82";

    #[test]
    fn assumptions_and_losses_are_told() {
        let ty = TensorType { dtype: DType::U8, shape: Some(vec![Dim::Fixed(1), Dim::Fixed(1)]) };
        let load = |steps: &str| load(&steps.parse().unwrap(), &Pool::new(), DEEP, &ty);
        let (tensor, notes) = load("").unwrap();
        assert_eq!(tensor.slice::<u8>().unwrap(), [128]);
        let lost =
            "16-bit pixels are rounded to 0 to 255; scale=257 keeps them where the type has room";
        assert_eq!(notes, ["assuming --preprocess layout=nchw,gray,size=1x1", lost]);
        let error = load("scale=257").unwrap_err();
        assert_eq!(
            error,
            "32768 at [0, 0] is not an element of type u8, which holds 0 to 255: write it without point and exponent"
        );
    }
}
