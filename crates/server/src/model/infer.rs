//! A request on its way to the scheduler, and its answer on the way back.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use trident_serving::{
    AnswerPace, CacheLookup, Correlation, Fault, InferenceRequest, Input, ModelInput, ModelOutput,
    Part, Priority, RequestError, Response, Sequence, SequenceFault, StepAnswer, StringsFault,
};

use super::check::{check, reshape};
use super::deferred::SMALL;
use super::{Backend, CachedModel, HostedModel};
use crate::infer::{
    AnswerTensor, Data, HeldRequests, InferAnswer, InferInput, InferOutput, InferRequest, Pace,
    Parameter, Replies, Reply, RunTicket,
};
use crate::memory::{RegionPart, Regions};

/// The parts of a request that are needed for its answer.
struct Asked {
    id: String,
    /// Outputs that are written to regions of shared memory.
    places: Vec<(String, RegionPart)>,
    /// Outputs that become classes, and how many.
    classes: Vec<(String, u64)>,
    /// Whether the answer tells how the run went.
    is_timed: bool,
    /// Parameters of the answer.
    parameters: Vec<(String, Parameter)>,
}

/// Submits a request to the model's scheduler, or to the models of an ensemble's steps.
pub(super) fn submit(
    model: &Arc<HostedModel>,
    request: InferRequest,
    regions: &Regions,
    mut replies: Replies,
) -> RunTicket {
    let arrival = Instant::now();
    let rows = match check(&model.config, &request) {
        Ok(rows) => rows,
        Err(fault) => {
            replies(Reply::only(Err(fault)));
            return RunTicket::Answered;
        }
    };
    if let Backend::BuiltIn(backend) = &model.backend {
        let mut request = request;
        request.inputs.iter_mut().for_each(|input| model.reshape_input(input));
        return backend.submit(model, request, regions, (arrival, rows), replies);
    }
    let pace = request.pace.clone();
    let (request, asked) = match prepare(model, request, regions) {
        Ok(prepared) => prepared,
        Err(fault) => {
            replies(Reply::only(Err(fault)));
            return RunTicket::Answered;
        }
    };
    let prepared = Prepared { request, asked, rows, pace, replies };
    match &model.cache {
        Some(CachedModel { answers, thread }) if answers.takes_long(&prepared.request, SMALL) => {
            let model = Arc::clone(model);
            thread.begin(move |has_left| match has_left {
                true => {
                    let (error, Prepared { asked, mut replies, .. }) =
                        (RequestError::Cancelled, prepared);
                    model.counters.fail(arrival, &error);
                    replies(Reply::only(Err(fault(&asked.id, &error))));
                    RunTicket::Answered
                }
                false => begin(&model, prepared, arrival),
            })
        }
        _ => begin(model, prepared, arrival),
    }
}

/// A request that fits its model.
struct Prepared {
    request: InferenceRequest<'static>,
    asked: Asked,
    rows: u64,
    pace: Option<Arc<Pace>>,
    replies: Replies,
}

/// Answers a request that came at a time from the cache, or submits it.
fn begin(model: &Arc<HostedModel>, prepared: Prepared, arrival: Instant) -> RunTicket {
    let Prepared { mut request, mut asked, rows, pace, mut replies } = prepared;
    let miss = match model.cache.as_ref().and_then(|own| own.answers.find(&mut request)) {
        Some(CacheLookup::Hit(response, search)) => {
            model.counters.hit(arrival, search);
            // As in the server, which finds an ensemble's answer without parameters.
            asked.parameters.clear();
            replies(Reply::only(model.answer(Ok(response), &asked)));
            return RunTicket::Answered;
        }
        Some(CacheLookup::Miss(miss)) => Some(miss),
        None => None,
    };
    let owner = Arc::clone(model);
    match &model.backend {
        Backend::Scheduled(scheduled) => scheduled.submit(request, move |result| {
            if let Some(miss) = &miss {
                owner.counters.miss(miss.keep(&result));
            }
            match &result {
                Ok(response) => {
                    owner.counters.succeed(arrival, rows, response.timing.as_ref());
                    owner.tell(response.timing.as_ref());
                }
                Err(error) => owner.counters.fail(arrival, error),
            }
            replies(Reply::only(owner.answer(result, &asked)));
        }),
        Backend::Ensemble(ensemble) => {
            let id = asked.id.clone();
            // A single answer waits for nobody.
            let pace = pace.filter(|_| ensemble.is_decoupled());
            let holds = pace.clone().map(|pace| -> Arc<dyn AnswerPace> {
                Arc::new(HeldEnsemble { pace, held: model.held.clone() })
            });
            let mut is_first = true;
            RunTicket::Ensemble(ensemble.submit_paced(
                &id,
                request,
                holds,
                move |StepAnswer { answer, is_last }| {
                    pace.iter().for_each(|pace| pace.give());
                    if std::mem::take(&mut is_first) {
                        owner.counters.answer_first(arrival);
                    }
                    if let (Some(miss), Some(answer)) = (&miss, &answer) {
                        owner.counters.miss(miss.keep(answer));
                    }
                    if is_last {
                        owner.counters.end(arrival, rows, answer.as_ref());
                    }
                    let answer = answer.map(|answer| owner.answer(answer, &asked));
                    replies(Reply { answer, is_last });
                },
            ))
        }
        // It has its request.
        Backend::BuiltIn(_) => RunTicket::Answered,
    }
}

/// Holds a request to an ensemble while its client reads slowly.
struct HeldEnsemble {
    pace: Arc<Pace>,
    held: HeldRequests,
}

impl AnswerPace for HeldEnsemble {
    fn may_go_on(&self, go_on: Box<dyn FnOnce() + Send>) -> bool {
        self.pace.hold(go_on, &self.held, |go_on| go_on).is_some()
    }
}

/// The request as a scheduler takes it.
fn prepare(
    model: &HostedModel,
    request: InferRequest,
    regions: &Regions,
) -> Result<(InferenceRequest<'static>, Asked), Fault> {
    let InferRequest { id, parameters, mut inputs, outputs, deadline, is_timed, watch, .. } =
        request;
    inputs.iter_mut().for_each(|input| model.reshape_input(input));
    // Not collected: that would use the memory again, and then give a part of it back.
    let mut own = Vec::with_capacity(inputs.len());
    for given in inputs {
        own.push(input(given, regions)?);
    }
    let place = |output: &InferOutput| {
        let part = output.region.as_ref().map(|region| regions.part(region)).transpose()?;
        Ok(part.map(|part| (output.name.clone(), part)))
    };
    let places = outputs.iter().filter_map(|output| place(output).transpose());
    let places = places.collect::<Result<Vec<_>, Fault>>()?;
    let classes = outputs.iter().filter(|output| output.classes > 0);
    let classes = classes.map(|output| (output.name.clone(), output.classes)).collect();
    let names = outputs.into_iter().map(|output| Cow::Owned(output.name)).collect::<Vec<_>>();
    let of_sequence = match &model.backend {
        Backend::Ensemble(_) => of_sequence(&parameters.sequence),
        Backend::Scheduled(_) | Backend::BuiltIn(_) => vec![],
    };
    let request = InferenceRequest {
        inputs: own,
        outputs: (!names.is_empty()).then_some(names),
        priority: Priority::level(parameters.priority),
        deadline,
        timeout: (!parameters.timeout.is_zero()).then_some(parameters.timeout),
        sequence: parameters.sequence,
        watch,
        ..InferenceRequest::default()
    };
    Ok((request, Asked { id, places, classes, is_timed, parameters: of_sequence }))
}

/// The parameters of an ensemble's answers: the server has them there, though no step has changed them.
fn of_sequence(sequence: &Sequence) -> Vec<(String, Parameter)> {
    let id = match &sequence.id {
        // The protocol has no unsigned numbers here.
        Correlation::Number(id) => Parameter::Integer(id.cast_signed()),
        Correlation::Text(id) => Parameter::Text(id.clone()),
    };
    let flag = |name: &str, value| (name.to_owned(), Parameter::Bool(value));
    vec![
        ("sequence_id".to_owned(), id),
        flag("sequence_start", sequence.start),
        flag("sequence_end", sequence.end),
    ]
}

/// An input as a scheduler takes it.
pub(crate) fn input(given: InferInput, regions: &Regions) -> Result<Input<'static>, Fault> {
    let InferInput { name, data_type, shape, data } = given;
    let part = match data {
        Data::Bytes(bytes) => Part::Shared(bytes),
        Data::Json(json) => Part::Fill(Arc::new(json)),
        Data::Varints(varints) => Part::Fill(Arc::new(varints)),
        Data::Shared(place) => Part::Fill(Arc::new(regions.part(&place)?)),
        Data::Parts(data) => return Ok(Input { name: Cow::Owned(name), data_type, shape, data }),
    };
    Ok(Input { name: Cow::Owned(name), data_type, shape, data: vec![part] })
}

impl HostedModel {
    /// Gives an input the shape that the model itself has for it.
    fn reshape_input(&self, input: &mut InferInput) {
        let own = self.config.input.iter().find(|own| own.name == input.name);
        if let Some(ModelInput { dims, reshape: Some(model), .. }) = own {
            let has_batch = self.config.max_batch_size > 0;
            input.shape = reshape(&input.shape, dims, &model.shape, has_batch);
        }
    }

    /// The shape of an output as the configuration has it.
    fn reshape_output(&self, name: &str, shape: Vec<i64>) -> Vec<i64> {
        let own = self.config.output.iter().find(|own| own.name == name);
        match own {
            Some(ModelOutput { dims, reshape: Some(model), .. }) => {
                reshape(&shape, &model.shape, dims, self.config.max_batch_size > 0)
            }
            _ => shape,
        }
    }

    /// The answer of a result. Outputs with places are written there, and those with a number of classes become classes.
    fn answer(
        &self,
        result: Result<Response, RequestError>,
        asked: &Asked,
    ) -> Result<InferAnswer, Fault> {
        let Asked { id, places, classes, is_timed, parameters } = asked;
        let response = result.map_err(|error| fault(id, &error))?;
        let timing = response.timing.filter(|_| *is_timed).map(Box::new);
        let outputs = response.outputs.into_iter().map(|output| {
            let place = places.iter().find(|(name, _)| **name == *output.name);
            let data = match place {
                Some((name, part)) => part.write(name, &output.data).map(|()| None)?,
                None => Some(output.data),
            };
            let (name, data_type) = (output.name.to_string(), output.data_type);
            let shape = self.reshape_output(&name, output.shape);
            let tensor = AnswerTensor { name, data_type, shape, data };
            match classes.iter().find(|(name, _)| *name == tensor.name) {
                Some(&(_, count)) => {
                    tensor.classes(count, self.config.max_batch_size > 0, &self.labels)
                }
                None => Ok(tensor),
            }
        });
        let outputs = outputs.collect::<Result<_, Fault>>()?;
        let (id, model) = (id.clone(), self.name().to_owned());
        let (version, parameters) = (self.version, parameters.clone());
        Ok(InferAnswer { id, model, version, parameters, outputs, timing })
    }
}

/// An error as clients see it: texts about the request as a whole name it.
pub(crate) fn fault(id: &str, error: &RequestError) -> Fault {
    let (code, id) = (error.code(), if id.is_empty() { "<id_unknown>" } else { id });
    let text = match error {
        RequestError::DataType { .. }
        | RequestError::Shape { .. }
        | RequestError::BatchSize { .. }
        | RequestError::TooManyRows { .. }
        | RequestError::ByteSize { .. }
        | RequestError::Missing { .. }
        | RequestError::Twice { .. }
        | RequestError::Sequence(SequenceFault::IdType { .. })
        | RequestError::QueueFull => format!("[request id: {id}] {error}"),
        RequestError::Strings { fault, .. } => {
            let buffer = match fault {
                StringsFault::Length { .. } => {
                    ". Please make sure the string length indicator is in one buffer."
                }
                _ => "",
            };
            format!("[request id: {id}] {error}{buffer}")
        }
        _ => error.to_string(),
    };
    Fault { code, text }
}
