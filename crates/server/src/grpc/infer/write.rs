//! The writer of answers.

use bytes::Bytes;

use crate::grpc::message::{
    InferOutputTensor, ModelInferResponse, ParameterChoice, ParameterEntry,
};
use crate::infer::{InferAnswer, Parameter};

/// The message of an answer, and the contents of its outputs, one for each.
pub(in crate::grpc) fn answer(answer: InferAnswer) -> (ModelInferResponse, Vec<Bytes>) {
    let InferAnswer { id, model, version, parameters, outputs, .. } = answer;
    let mut raw = Vec::with_capacity(outputs.len());
    let outputs = outputs.into_iter().map(|output| {
        // Shared memory has the elements of an output without data; its contents here are empty.
        raw.push(output.data.unwrap_or_default());
        let (datatype, shape) = (output.data_type.protocol_name().to_owned(), output.shape);
        InferOutputTensor { name: output.name, datatype, shape }
    });
    let outputs = outputs.collect();
    let (model_name, model_version) = (model, version.to_string());
    let parameters = parameters.into_iter().map(|(name, value)| {
        let choice = match value {
            Parameter::Bool(value) => ParameterChoice::Bool(value),
            Parameter::Integer(value) => ParameterChoice::Int64(value),
            Parameter::Float(value) => ParameterChoice::Double(value),
            Parameter::Text(value) => ParameterChoice::String(value),
        };
        ParameterEntry::new(&name, choice)
    });
    let parameters = parameters.collect();
    (ModelInferResponse { model_name, model_version, id, parameters, outputs }, raw)
}
