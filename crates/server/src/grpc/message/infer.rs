//! Inference.

use bytes::Bytes;
use prost::{Message, Oneof};

use super::MapEntry;

#[derive(Clone, PartialEq, Message)]
pub struct ModelInferRequest {
    #[prost(string, tag = "1")]
    pub model_name: String,
    #[prost(string, tag = "2")]
    pub model_version: String,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(message, repeated, tag = "4")]
    pub parameters: Vec<ParameterEntry>,
    #[prost(message, repeated, tag = "5")]
    pub inputs: Vec<InferInputTensor>,
    #[prost(message, repeated, tag = "6")]
    pub outputs: Vec<InferRequestedOutputTensor>,
    #[prost(bytes = "bytes", repeated, tag = "7")]
    pub raw_input_contents: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferInputTensor {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    pub parameters: Vec<ParameterEntry>,
    /// A message `InferTensorContents`, undecoded: its numbers are decoded in the batch's tensor. A message that is given in several
    /// pieces is the pieces' concatenation.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub contents: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferRequestedOutputTensor {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub parameters: Vec<ParameterEntry>,
}

/// Without `raw_output_contents`, which has tag 6: it is written without a copy.
#[derive(Clone, PartialEq, Message)]
pub struct ModelInferResponse {
    #[prost(string, tag = "1")]
    pub model_name: String,
    #[prost(string, tag = "2")]
    pub model_version: String,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(message, repeated, tag = "4")]
    pub parameters: Vec<ParameterEntry>,
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<InferOutputTensor>,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferOutputTensor {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
}

pub type ParameterEntry = MapEntry<InferParameter>;

#[derive(Clone, PartialEq, Message)]
pub struct InferParameter {
    #[prost(oneof = "ParameterChoice", tags = "1, 2, 3, 4, 5")]
    pub choice: Option<ParameterChoice>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum ParameterChoice {
    #[prost(bool, tag = "1")]
    Bool(bool),
    #[prost(int64, tag = "2")]
    Int64(i64),
    #[prost(string, tag = "3")]
    String(String),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(uint64, tag = "5")]
    Uint64(u64),
}

impl ParameterEntry {
    pub fn new(key: &str, choice: ParameterChoice) -> ParameterEntry {
        let value = Some(InferParameter { choice: Some(choice) });
        ParameterEntry { key: key.to_owned(), value }
    }

    /// The value, if one is given.
    pub fn choice(&self) -> Option<&ParameterChoice> {
        self.value.as_ref()?.choice.as_ref()
    }
}
