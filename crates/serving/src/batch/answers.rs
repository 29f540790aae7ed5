//! The answers of an execution, and whether they stay in the model's memory.

use super::request::{Output, Response};
use crate::config::DataType;
use crate::failure::RequestError;
use bytes::Bytes;

/// The answer to a request.
pub(super) type Answer = Result<Response, RequestError>;

/// Answers by the positions of their requests.
#[derive(Default)]
pub(super) struct Answers {
    all: Vec<Answer>,
    /// Whether runs need the memory that responses would take.
    scarce: bool,
}

impl Answers {
    pub(super) fn push(&mut self, answer: Answer) {
        self.all.push(answer);
    }

    pub(super) fn set(&mut self, at: usize, answer: Answer) {
        self.all[at] = answer;
    }

    pub(super) fn into_vec(self) -> Vec<Answer> {
        self.all
    }

    /// Moves all earlier and later responses out of the model's memory, because a run needs it.
    pub(super) fn leave_memory(&mut self) {
        if !self.scarce {
            self.scarce = true;
            self.all.iter_mut().for_each(leave);
        }
    }

    /// An answer as it can be kept while others are made.
    pub(super) fn kept(&self, mut answer: Answer) -> Answer {
        if self.scarce {
            leave(&mut answer);
        }
        answer
    }
}

/// Copies the bytes that lie in the model's memory.
fn leave(answer: &mut Answer) {
    let outputs = answer.iter_mut().flat_map(|response| &mut response.outputs);
    let views = outputs.filter(|output| output.data_type != DataType::String);
    views.for_each(|Output { data, .. }| *data = Bytes::copy_from_slice(data));
}
