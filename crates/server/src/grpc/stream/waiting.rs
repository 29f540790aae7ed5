//! Requests of a stream that wait for their answers.

use std::collections::VecDeque;

use crate::grpc::call::Call;
use crate::grpc::infer;
use crate::grpc::message::{ModelInferResponse, ParameterChoice, ParameterEntry};
use crate::grpc::outgoing::Outgoing;
use crate::grpc::status::{Code, Status};
use crate::infer::{CancelOnDrop, InferAnswer, Reading, Reply};
use crate::observe::Observed;

/// A request whose answers have not all been sent.
pub(super) struct Waiting {
    pub(super) number: u64,
    /// The client's names, for messages without an answer.
    pub(super) id: String,
    pub(super) model: String,
    pub(super) version: String,
    pub(super) is_decoupled: bool,
    /// Whether the client wants to see the end of the answers.
    pub(super) empty_final: bool,
    pub(super) arrived: VecDeque<Arrived>,
    pub(super) ticket: CancelOnDrop,
    pub(super) reading: Reading,
    pub(super) observed: Observed,
}

/// Something to be sent for a request.
pub(super) enum Arrived {
    /// The request is refused before it reaches its model.
    Refused(Status),
    /// An answer.
    Reply(Reply),
}

impl Arrived {
    /// Whether nothing else follows.
    pub(super) fn is_last(&self) -> bool {
        match self {
            Arrived::Refused(_) => true,
            Arrived::Reply(reply) => reply.is_last,
        }
    }
}

impl Waiting {
    /// Notes that the call ends before the request has its answers.
    pub(super) fn fail(&mut self, status: &Status) {
        self.observed.end(status.code.name(), Some(&status.text));
    }

    /// Notes what is about to be sent.
    pub(super) fn observe(&mut self, arrived: &Arrived, call: &Call) {
        if !self.observed.is_watched() {
            return;
        }
        let failure = match arrived {
            Arrived::Refused(status) => Some(status.clone()),
            Arrived::Reply(Reply { answer: Some(answer), .. }) => {
                self.observed.answered(answer);
                answer.as_ref().err().map(|fault| call.failed(fault.clone().into()))
            }
            Arrived::Reply(Reply { answer: None, .. }) => None,
        };
        if let Some(Status { code, text }) = failure {
            self.observed.fails(code.name(), &text);
        }
        if arrived.is_last() {
            self.observed.end(Code::Ok.name(), None);
        }
    }

    /// The message to send; `None` for an end that the client does not want to see. With `fails_by_status`, the failure of a run is
    /// the outcome of the call.
    pub(super) fn message(
        &self,
        arrived: Arrived,
        call: &Call,
        fails_by_status: bool,
    ) -> Result<Option<Outgoing>, Status> {
        let (answer, is_last) = match arrived {
            Arrived::Refused(status) => return self.refused(&status, call).map(Some),
            Arrived::Reply(Reply { answer, is_last }) => (answer, is_last),
        };
        match answer {
            Some(Ok(answer)) => answered(answer, is_last, call).map(Some),
            Some(Err(fault)) => {
                let status = call.failed(fault.into());
                match status.code {
                    Code::InvalidArgument | Code::NotFound => self.refused(&status, call).map(Some),
                    _ if fails_by_status => Err(status),
                    _ => {
                        let response = self.named(String::new(), is_last);
                        Outgoing::streamed(&status.text, &response, vec![], call.packing).map(Some)
                    }
                }
            }
            None if self.empty_final => {
                let response = self.named(self.version.clone(), true);
                Outgoing::streamed("", &response, vec![], call.packing).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The message for a request that its model does not accept.
    fn refused(&self, status: &Status, call: &Call) -> Result<Outgoing, Status> {
        let response = ModelInferResponse { id: self.id.clone(), ..Default::default() };
        Outgoing::streamed(&status.text, &response, vec![], call.packing)
    }

    /// An answer without outputs.
    fn named(&self, model_version: String, is_final: bool) -> ModelInferResponse {
        ModelInferResponse {
            id: self.id.clone(),
            model_name: self.model.clone(),
            model_version,
            parameters: vec![final_response(is_final)],
            outputs: vec![],
        }
    }
}

fn answered(answer: InferAnswer, is_last: bool, call: &Call) -> Result<Outgoing, Status> {
    let (mut response, raw) = infer::answer(answer);
    response.parameters.push(final_response(is_last));
    Outgoing::streamed("", &response, raw, call.packing)
}

fn final_response(is_final: bool) -> ParameterEntry {
    ParameterEntry::new("triton_final_response", ParameterChoice::Bool(is_final))
}
