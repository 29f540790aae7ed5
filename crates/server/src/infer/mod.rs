//! Inference requests and answers, as all protocols carry them.

mod fault;
mod parameters;

use std::sync::Arc;

use bytes::Bytes;
use trident_serving::DataType;

use crate::json::{Document, JsonPlace};

pub use fault::Fault;
pub use parameters::{Correlation, Parameter, Parameters, Sequence};

/// A request.
#[derive(Debug, Default)]
pub struct InferRequest {
    /// The client's name for it; empty if there is none.
    pub id: String,
    /// Parameters of the whole request.
    pub parameters: Parameters,
    /// The inputs, in the client's order.
    pub inputs: Vec<InferInput>,
    /// The outputs that the client wants; all if there are none.
    pub outputs: Vec<InferOutput>,
}

/// An input of a request.
#[derive(Debug)]
pub struct InferInput {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements.
    pub data: Data,
}

/// A model's answer to a request.
#[derive(Debug, Default)]
pub struct InferAnswer {
    /// The request's name; empty if there is none.
    pub id: String,
    /// The model's name.
    pub model: String,
    /// The version that answered.
    pub version: u64,
    /// The outputs, in the model's order.
    pub outputs: Vec<AnswerTensor>,
}

/// An output of an answer.
#[derive(Debug)]
pub struct AnswerTensor {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements, as in [`Data::Bytes`]; none if they were written to shared memory.
    pub data: Option<Bytes>,
}

/// Elements of an input.
#[derive(Debug)]
pub enum Data {
    /// Row-major and little-endian; strings follow their lengths (u32).
    Bytes(Bytes),
    /// Numbers or truth values of a JSON text, which have been checked.
    Json {
        /// The text.
        document: Arc<Document>,
        /// The arrays in it.
        place: JsonPlace,
    },
    /// A part of a registered region of shared memory.
    Shared(SharedRegion),
}

/// A part of a region of shared memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedRegion {
    /// The region's name.
    pub name: String,
    /// Bytes before the part.
    pub offset: u64,
    /// Bytes of the part.
    pub size: u64,
}

/// An output that a client wants.
#[derive(Debug, Default)]
pub struct InferOutput {
    /// Its name.
    pub name: String,
    /// How many of the largest elements to give as classes; 0 for all elements as they are.
    pub classes: u64,
    /// Whether the elements follow the JSON text as bytes; `None` for the request's choice.
    pub binary: Option<bool>,
    /// Where the elements are to be written, instead of into the answer.
    pub region: Option<SharedRegion>,
}
