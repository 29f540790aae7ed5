//! Inference requests and answers, as all protocols carry them.

mod classes;
mod data;
mod pace;
mod parameters;
mod reply;
mod varints;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use trident_serving::{DataType, RequestWatch, Timing};

pub use crate::builtin::PlayTicket;
pub(crate) use data::strings;
pub use data::{Data, JsonData, SharedRegion};
pub(crate) use pace::HeldRequests;
pub use pace::{Pace, Reading};
pub use parameters::{Parameter, Parameters};
pub(crate) use reply::CancelOnDrop;
pub use reply::{Replies, Reply, RunTicket};
pub use trident_serving::{Correlation, Fault, Sequence};
pub use varints::VarintData;

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
    /// When the client stops to wait.
    pub deadline: Option<Instant>,
    /// How fast the client reads the answers, if there may be many.
    pub pace: Option<Arc<Pace>>,
    /// Whether the answer tells how the run went.
    pub is_timed: bool,
    /// Sees the requests to the steps of an ensemble.
    pub watch: Option<Arc<dyn RequestWatch>>,
}

impl InferRequest {
    /// Adds an input, unless there is one of its name.
    pub(crate) fn add_input(&mut self, input: InferInput) -> Result<(), Fault> {
        if self.inputs.iter().any(|known| known.name == input.name) {
            return Err(self.repeated("input", &input.name));
        }
        self.inputs.push(input);
        Ok(())
    }

    /// Adds an output, unless there is one of its name.
    pub(crate) fn add_output(&mut self, output: InferOutput) -> Result<(), Fault> {
        if self.outputs.iter().any(|known| known.name == output.name) {
            return Err(self.repeated("output", &output.name));
        }
        self.outputs.push(output);
        Ok(())
    }

    fn repeated(&self, kind: &str, name: &str) -> Fault {
        let id = if self.id.is_empty() { "<id_unknown>" } else { &self.id };
        Fault::invalid(format_args!("[request id: {id}] {kind} '{name}' already exists in request"))
    }
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
    /// Parameters of the whole answer.
    pub parameters: Vec<(String, Parameter)>,
    /// The outputs, in the model's order.
    pub outputs: Vec<AnswerTensor>,
    /// How the model's run went, if the request asks for it.
    pub timing: Option<Box<Timing>>,
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
