//! The keys of answers: digests of requests.

use crate::batch::{InferenceRequest, Input, Part};
use crate::failure::Fault;
use std::borrow::Cow;

/// A digest of everything in a request that its answer depends on. Requests with equal digests are taken for equal, which is sound because
/// the hash function is a cryptographic one (BLAKE3).
pub(super) type Digest = [u8; 32];

/// The digest of a request to a model that has these outputs. Bytes that do not exist yet, or that a client may still write to, are first copied into the request, so that
/// the model reads the same ones.
///
/// # Errors
/// Bytes that cannot be written.
pub(super) fn digest(
    request: &mut InferenceRequest<'static>,
    outputs: &[String],
) -> Result<Digest, Fault> {
    for input in &mut request.inputs {
        if !matches!(&input.data[..], [Part::Shared(_)]) {
            input.data = vec![Part::Shared(Part::joined(&input.data)?)];
        }
    }
    let mut hasher = Hasher(blake3::Hasher::new());
    let mut inputs: Vec<&Input<'static>> = request.inputs.iter().collect();
    inputs.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    hasher.number(inputs.len());
    inputs.into_iter().for_each(|input| hasher.input(input));
    hasher.outputs(request.outputs.as_deref(), outputs);
    Ok(*hasher.0.finalize().as_bytes())
}

/// Every item has its length in front, so that different requests have different bytes.
struct Hasher(blake3::Hasher);

impl Hasher {
    fn input(&mut self, input: &Input<'_>) {
        let Input { name, data_type, shape, data } = input;
        self.bytes(name.as_bytes());
        self.bytes(data_type.name().as_bytes());
        self.number(shape.len());
        for dim in shape {
            self.0.update(&dim.to_le_bytes());
        }
        self.number(data.len());
        for part in data {
            if let Part::Shared(bytes) = part {
                self.bytes(bytes);
            }
        }
    }

    /// The outputs asked for, in any order: an answer has the model's. Without names, these are all.
    fn outputs(&mut self, names: Option<&[Cow<'_, str>]>, all: &[String]) {
        let mut names: Vec<&str> = match names {
            Some(names) => names.iter().map(|name| &**name).collect(),
            None => all.iter().map(String::as_str).collect(),
        };
        names.sort_unstable();
        names.dedup();
        self.number(names.len());
        names.into_iter().for_each(|name| self.bytes(name.as_bytes()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }
}
