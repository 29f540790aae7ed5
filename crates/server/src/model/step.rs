//! Models as steps of ensembles.

use std::sync::Arc;

use trident_serving::{
    Cancel, Fault, InferenceRequest, Input, ModelConfig, Output, Part, Response, StepAnswer,
    StepModel, StepReply,
};

use super::HostedModel;
use crate::infer::{
    AnswerTensor, Data, InferAnswer, InferInput, InferOutput, InferRequest, Parameters, Reading,
    Replies, Reply, RunTicket,
};
use crate::memory::Regions;

/// A model as a step: its requests are checked, counted and answered as those of clients.
pub(crate) struct StepOf(pub(crate) Arc<HostedModel>);

impl StepModel for StepOf {
    fn config(&self) -> &ModelConfig {
        self.0.config()
    }

    fn version(&self) -> u64 {
        self.0.version()
    }

    fn submit(
        &self,
        id: &str,
        request: InferenceRequest<'static>,
        mut reply: StepReply,
    ) -> Box<dyn Cancel> {
        let InferenceRequest {
            inputs, outputs, deadline, priority, timeout, sequence, watch, ..
        } = request;
        let outputs = outputs.unwrap_or_default().into_iter();
        let output = |name: std::borrow::Cow<'static, str>| InferOutput {
            name: name.into_owned(),
            ..InferOutput::default()
        };
        let parameters = Parameters {
            sequence,
            priority: priority.map_or(0, |priority| priority.number()),
            timeout: timeout.unwrap_or_default(),
            ..Parameters::default()
        };
        let reading = self.0.is_decoupled().then(|| Arc::new(Reading::default()));
        let request = InferRequest {
            id: id.to_owned(),
            parameters,
            inputs: inputs.into_iter().map(input).collect(),
            outputs: outputs.map(output).collect(),
            deadline,
            pace: reading.as_ref().map(|reading| reading.pace()),
            is_timed: true,
            watch,
        };
        let own = reading.clone();
        let replies: Replies = Box::new(move |Reply { answer, is_last }| {
            // It reads until the last answer.
            let _reading = &own;
            reply(StepAnswer { answer: answer.map(response), is_last });
        });
        // Tensors of steps lie in no region.
        let ticket = self.0.infer(request, &Regions::default(), replies);
        Box::new(StepTicket { ticket, reading })
    }
}

/// A request to a model as a step.
struct StepTicket {
    ticket: RunTicket,
    /// How fast the ensemble uses the answers, if there may be several.
    reading: Option<Arc<Reading>>,
}

impl Cancel for StepTicket {
    fn cancel(&self) {
        self.ticket.cancel();
    }

    fn read(&self, answers: usize) {
        let reading = self.reading.iter();
        reading.for_each(|reading| (0..answers).for_each(|_| reading.read()));
    }
}

fn input(given: Input<'static>) -> InferInput {
    let Input { name, data_type, shape, mut data } = given;
    let data = match data.pop() {
        Some(Part::Shared(bytes)) if data.is_empty() => Data::Bytes(bytes),
        last => {
            data.extend(last);
            Data::Parts(data)
        }
    };
    InferInput { name: name.into_owned(), data_type, shape, data }
}

fn response(answer: Result<InferAnswer, Fault>) -> Result<Response, Fault> {
    let InferAnswer { outputs, timing, .. } = answer?;
    let timing = timing.map(|timing| *timing);
    let output = |(at, tensor): (usize, AnswerTensor)| {
        let AnswerTensor { name, data_type, shape, data } = tensor;
        Output { at, name: name.into(), data_type, shape, data: data.unwrap_or_default() }
    };
    Ok(Response { outputs: outputs.into_iter().enumerate().map(output).collect(), timing })
}
