//! The answers of an execution, and whether they stay in the model's memory.

use super::request::{Output, Response};
use crate::config::DataType;
use crate::failure::RequestError;
use bytes::Bytes;

/// The answer to a request.
pub(crate) type Answer = Result<Response, RequestError>;

/// Answers by the positions of their requests.
#[derive(Default)]
pub(crate) struct Answers {
    all: Vec<Answer>,
    /// Whether runs need the memory that responses would take.
    scarce: bool,
}

impl Answers {
    pub(crate) fn push(&mut self, answer: Answer) {
        self.all.push(answer);
    }

    /// Sets an answer, as it can be kept while others are made.
    pub(super) fn set(&mut self, at: usize, mut answer: Answer) {
        if self.scarce {
            leave(&mut answer);
        }
        self.all[at] = answer;
    }

    pub(crate) fn into_vec(self) -> Vec<Answer> {
        self.all
    }

    /// Moves all earlier and later responses out of the model's memory, because a run needs it.
    pub(crate) fn leave_memory(&mut self) {
        if !self.scarce {
            self.scarce = true;
            self.all.iter_mut().for_each(leave);
        }
    }
}

/// Copies the bytes that lie in the model's memory.
fn leave(answer: &mut Answer) {
    let outputs = answer.iter_mut().flat_map(|response| &mut response.outputs);
    let views = outputs.filter(|output| output.data_type != DataType::String);
    views.for_each(|Output { data, .. }| *data = Bytes::copy_from_slice(data));
}
