//! The turns of requests to a model with decoupled answers: the scheduler says when the answers of a request begin.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trident_serving::{
    Fault, InferenceRequest, Input, ModelConfig, NativeInput, NativeModel, NativeRequest,
    NativeRun, Part, Priority,
};

use super::ending::{PlayTicket, Receiver};
use super::play::Play;
use super::{BuiltIn, Decoupled, Steps, Wanted};
use crate::infer::{InferInput, InferOutput, InferRequest, Replies, Reply, RunTicket};
use crate::memory::Regions;
use crate::model::{HostedModel, input};

/// A model whose requests are answered elsewhere, once each has had its turn.
pub(super) struct Turns(pub(super) Arc<dyn Decoupled>);

impl NativeModel for Turns {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let pauses = batch.iter().map(|request| self.0.pause(&request.inputs));
        let time = pauses.max().unwrap_or(Duration::ZERO);
        let answers = batch.iter().map(|_| Ok(vec![])).collect();
        NativeRun { answers, time, answers_at_start: true }
    }

    fn is_steady(&self) -> bool {
        // Answers may be many.
        false
    }
}

impl BuiltIn {
    /// Answers a request of so many rows that fits the model, and arrived at a time.
    pub(crate) fn submit(
        &self,
        model: &Arc<HostedModel>,
        mut request: InferRequest,
        regions: &Regions,
        (arrival, rows): (Instant, u64),
        mut replies: Replies,
    ) -> RunTicket {
        let (wanted, steps, turn) = match self.prepare(model.config(), &mut request, regions) {
            Ok(prepared) => prepared,
            Err(fault) => {
                replies(Reply::only(Err(fault)));
                return RunTicket::Answered;
            }
        };
        let InferRequest { id, deadline, pace, is_timed, .. } = request;
        let receiver = Receiver::new(Arc::clone(model), id.clone(), arrival, replies);
        if let Some(deadline) = deadline {
            let late = Arc::downgrade(&receiver);
            let expire = move || late.upgrade().iter().for_each(|late| late.expire());
            self.alarm.set(deadline, Box::new(expire));
        }
        let (model, alarm, own) =
            (Arc::clone(model), Arc::clone(&self.alarm), Arc::clone(&receiver));
        let ticket = self.scheduled.submit_or_run(turn, move |turn| match turn {
            Ok(response) => {
                let start = response.timing.map_or_else(Instant::now, |timing| timing.start);
                let times = (arrival, start);
                let (client, rows) = ((own, pace), (rows, is_timed));
                Play::new(model, id, wanted, steps, client, times, rows).go(&alarm);
            }
            Err(error) => own.fail(&error),
        });
        RunTicket::BuiltIn(PlayTicket::of(&receiver, ticket))
    }

    /// The outputs and the answers of a request, and the request that waits for its turn.
    fn prepare(
        &self,
        config: &ModelConfig,
        request: &mut InferRequest,
        regions: &Regions,
    ) -> Result<(Wanted, Steps, InferenceRequest<'static>), Fault> {
        let place = |output: &InferOutput| {
            let part = output.region.as_ref().map(|region| regions.part(region)).transpose()?;
            Ok((output.name.clone(), part))
        };
        let wanted = request.outputs.iter().map(place).collect::<Result<Wanted, Fault>>()?;
        let inputs = given(config, std::mem::take(&mut request.inputs), regions)?;
        let steps = self.code.0.answers(&inputs)?;
        let inputs = inputs.into_iter().map(|NativeInput { name, data_type, shape, data }| {
            let (name, data) = (Cow::Owned(name.to_owned()), vec![Part::Shared(data)]);
            Input { name, data_type, shape, data }
        });
        let parameters = std::mem::take(&mut request.parameters);
        let turn = InferenceRequest {
            inputs: inputs.collect(),
            priority: Priority::level(parameters.priority),
            timeout: (!parameters.timeout.is_zero()).then_some(parameters.timeout),
            deadline: request.deadline,
            sequence: parameters.sequence,
            ..InferenceRequest::default()
        };
        Ok((wanted, steps, turn))
    }
}

/// The inputs of a request, in the order of the configuration.
fn given<'c>(
    config: &'c ModelConfig,
    inputs: Vec<InferInput>,
    regions: &Regions,
) -> Result<Vec<NativeInput<'c>>, Fault> {
    let mut found = vec![];
    for given in inputs {
        let Some(at) = config.input.iter().position(|own| own.name == given.name) else { continue };
        let Input { data_type, shape, data, .. } = input(given, regions)?;
        let (name, data) = (&*config.input[at].name, Part::joined(&data)?);
        found.push((at, NativeInput { name, data_type, shape, data }));
    }
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, input)| input).collect())
}
