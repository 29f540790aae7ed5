//! The reader of requests.

use std::time::Instant;

use bytes::Bytes;
use trident_serving::DataType;

use super::contents::Contents;
use super::parameters;
use crate::grpc::message::{InferInputTensor, InferRequestedOutputTensor, ModelInferRequest};
use crate::grpc::status::Status;
use crate::infer::{Data, InferInput, InferOutput, InferRequest};

/// A request as the stream and the single call need it.
#[derive(Debug)]
pub(in crate::grpc) struct Asked {
    /// The request.
    pub(in crate::grpc) request: InferRequest,
    /// Whether the client wants to see the end of a decoupled model's answers.
    pub(in crate::grpc) empty_final: bool,
}

/// Reads a request. Names, types and shapes are not compared with the model.
pub(in crate::grpc) fn read(
    message: ModelInferRequest,
    deadline: Option<Instant>,
) -> Result<Asked, Status> {
    let ModelInferRequest { model_name: model, id, parameters, raw_input_contents: raw, .. } =
        message;
    let (parameters, empty_final) = parameters::request(parameters)?;
    let mut raw = Raw { has_any: !raw.is_empty(), rest: raw.into_iter(), model: &model };
    let mut request = InferRequest { id, parameters, deadline, ..InferRequest::default() };
    request.inputs.reserve(message.inputs.len());
    for tensor in message.inputs {
        request.add_input(raw.input(tensor)?)?;
    }
    request.outputs.reserve(message.outputs.len());
    for tensor in message.outputs {
        request.add_output(output(tensor)?)?;
    }
    Ok(Asked { request, empty_final })
}

/// The field `raw_input_contents`, which inputs take in their order.
struct Raw<'m> {
    rest: std::vec::IntoIter<Bytes>,
    has_any: bool,
    model: &'m str,
}

impl Raw<'_> {
    fn input(&mut self, tensor: InferInputTensor) -> Result<InferInput, Status> {
        let InferInputTensor { name, datatype, shape, parameters, contents } = tensor;
        // An unknown type fits no model, whose check has the text.
        let data_type = DataType::of_protocol(&datatype).unwrap_or(DataType::Invalid);
        let model = self.model;
        let data = match parameters::region(&name, &parameters)? {
            Some(_) if !contents.is_empty() => {
                return Err(Status::invalid(format!(
                    "unexpected 'content' provided when using shared memory for input tensor '{name}' for model '{model}'"
                )));
            }
            Some(region) => Data::Shared(region),
            None if contents.is_empty() => {
                let bytes = self.rest.next().ok_or_else(|| {
                    Status::invalid(format!(
                        "unable to find data for input tensor '{name}' for model '{model}' in request."
                    ))
                })?;
                Data::Bytes(bytes)
            }
            None if self.has_any => {
                return Err(Status::invalid(format!(
                    "contents field must not be specified when using raw_input_contents for '{name}' for model '{model}'"
                )));
            }
            None => Contents::parse(&contents)?.data(data_type, &name, model)?,
        };
        Ok(InferInput { name, data_type, shape, data })
    }
}

fn output(tensor: InferRequestedOutputTensor) -> Result<InferOutput, Status> {
    let InferRequestedOutputTensor { name, parameters } = tensor;
    let region = parameters::region(&name, &parameters)?;
    let classes = parameters::classes(&parameters)?;
    if region.is_some() && classes > 0 {
        return Err(Status::invalid(
            "Output can't set both 'shared_memory_region' and 'classification'",
        ));
    }
    Ok(InferOutput { name, classes, binary: None, region })
}
