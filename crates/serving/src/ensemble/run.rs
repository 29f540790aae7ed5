//! A request on its way through the steps of an ensemble.

use super::gates::Gates;
use super::progress::{Needs, Progress, Spent, Tensor};
use super::{AnswerPace, Cancel, Ensemble, RequestWatch, StepAnswer, StepError, StepModel};
use crate::batch::{InferenceRequest, Input, Output, Part, Response, Timing, own_flag};
use crate::failure::{ErrorCode, Fault, RequestError};
use crate::schedule::Priority;
use crate::sequence::Sequence;
use crate::sync::{Mutex, MutexGuard};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};
use trident_engine::CancelFlag;

/// Receives the answers to a request.
pub(super) type Reply = Box<dyn FnMut(StepAnswer<RequestError>) + Send>;

/// A step that runs for a request, with tensors of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Turn {
    pub(super) step: usize,
    pub(super) round: u64,
}

/// A request to an ensemble.
pub(super) struct Run {
    ensemble: Arc<Ensemble>,
    /// The models of the steps, as they are when the request comes. They are not unloaded before its end.
    models: Vec<Arc<dyn StepModel>>,
    id: String,
    cancel: CancelFlag,
    deadline: Option<Instant>,
    priority: Option<Priority>,
    timeout: Option<Duration>,
    sequence: Sequence,
    watch: Option<Arc<dyn RequestWatch>>,
    start: Instant,
    /// Its rows; `None` if the ensemble has no batches.
    rows: Option<i64>,
    needs: Needs,
    /// Without it, decoupled steps do not wait for the client.
    pace: Option<Arc<dyn AnswerPace>>,
    progress: Mutex<Progress>,
}

/// Cancels a request to an ensemble. Dropping it changes nothing.
pub struct EnsembleTicket(Weak<Run>);

impl EnsembleTicket {
    /// Answers the request with [`RequestError::Cancelled`], unless it is answered. Its steps are cancelled.
    pub fn cancel(&self) {
        if let Some(run) = self.0.upgrade() {
            run.fail(RequestError::Cancelled);
        }
    }
}

impl Cancel for EnsembleTicket {
    fn cancel(&self) {
        EnsembleTicket::cancel(self);
    }
}

/// Starts a request.
pub(super) fn submit(
    ensemble: &Arc<Ensemble>,
    id: &str,
    request: InferenceRequest<'static>,
    pace: Option<Arc<dyn AnswerPace>>,
    mut reply: Reply,
) -> EnsembleTicket {
    let models = ensemble.check(&request).and_then(|()| ensemble.find());
    let models = match models {
        Ok(models) => models,
        Err(error) => {
            reply(StepAnswer::only(Err(error)));
            return EnsembleTicket(Weak::new());
        }
    };
    let InferenceRequest { inputs, outputs, cancel, deadline, priority, timeout, sequence, watch } =
        request;
    let config = &ensemble.config;
    let is_wanted = |name: &String| {
        outputs.as_ref().is_none_or(|wanted| wanted.iter().any(|wanted| wanted == name))
    };
    let wanted = config.output.iter().filter(|output| is_wanted(&output.name));
    let wanted = wanted.filter_map(|output| ensemble.number(&output.name)).collect();
    let mut progress = Progress::new(ensemble, reply);
    for number in config.input.iter().filter_map(|input| ensemble.number(&input.name)) {
        progress.tensors[number].insert(0, None);
    }
    let has_batch = config.max_batch_size > 0;
    let mut rows = None;
    for Input { name, data_type, shape, data } in inputs {
        rows = rows.or(shape.first().copied().filter(|_| has_batch));
        if let Some(number) = ensemble.number(&name) {
            let tensor = Tensor { data_type, shape, data, has_batch };
            progress.tensors[number].insert(0, Some(tensor));
        }
    }
    let run = Arc::new(Run {
        ensemble: Arc::clone(ensemble),
        models,
        id: id.to_owned(),
        cancel: own_flag(cancel),
        deadline,
        priority,
        timeout,
        sequence,
        watch,
        start: Instant::now(),
        rows,
        needs: Needs::of(ensemble, wanted),
        pace,
        progress: Mutex::new(progress),
    });
    run.go_on();
    EnsembleTicket(Arc::downgrade(&run))
}

impl Ensemble {
    /// The models of the steps, as they are now.
    fn find(&self) -> Result<Vec<Arc<dyn StepModel>>, RequestError> {
        let mut found: BTreeMap<(&str, i64), Arc<dyn StepModel>> = BTreeMap::new();
        let mut models = vec![];
        for step in &self.steps {
            let model = match found.entry((&step.model, step.version)) {
                Entry::Occupied(known) => Arc::clone(known.get()),
                Entry::Vacant(place) => {
                    let model = self.models.find(&step.model, step.version);
                    Arc::clone(place.insert(model.map_err(|fault| self.error(fault))?))
                }
            };
            models.push(model);
        }
        Ok(models)
    }

    /// The error of a step as the ensemble's.
    fn error(&self, Fault { code, text }: Fault) -> RequestError {
        match code {
            ErrorCode::Cancelled => RequestError::Cancelled,
            code => {
                let ensemble = self.config.name.clone();
                RequestError::Step(StepError { ensemble, code, text })
            }
        }
    }
}

impl Run {
    pub(super) fn gates(&self) -> &Gates {
        &self.ensemble.gates
    }

    /// Starts the steps whose inputs are there, and makes the answers whose outputs are there.
    fn go_on(self: &Arc<Self>) {
        let mut progress = self.lock();
        if progress.has_ended {
            return;
        }
        let turns = progress.ready(&self.ensemble, &self.needs);
        let request = |turn: Turn| (turn, self.request(turn, &progress));
        let ready: Vec<_> = turns.into_iter().map(request).collect();
        let answered = self.answer(&mut progress);
        progress.forget(&self.ensemble, &self.needs);
        drop(progress);
        if let Err(error) = answered {
            return self.fail(error);
        }
        self.give();
        for (turn, request) in ready {
            Gates::pass(self, turn, request);
        }
        self.read();
    }

    /// Lets decoupled steps that wait until their responses have been used go on, unless the client has too many answers to read.
    fn read(self: &Arc<Self>) {
        if let Some(pace) = &self.pace {
            // The steps own the request; the client's side must not, which the request owns.
            let run = Arc::downgrade(self);
            let go_on = move || run.upgrade().iter().for_each(Run::read);
            if !pace.may_go_on(Box::new(go_on)) {
                return;
            }
        }
        let read = self.lock().read(&self.needs);
        read.iter().for_each(|(ticket, answers)| ticket.read(*answers));
    }

    /// Adds the answers that are complete. The last one follows when no step runs.
    fn answer(&self, progress: &mut Progress) -> Result<(), RequestError> {
        let is_over = progress.running.is_empty();
        if self.ensemble.is_decoupled() {
            while let Some(outputs) = progress.outputs(&self.needs) {
                let answer = Some(Ok(self.response(outputs)?));
                progress.answers.push_back(StepAnswer { answer, is_last: false });
            }
            if is_over {
                self.close(progress, Ok(None));
            }
        } else if is_over {
            let mut response = match progress.outputs(&self.needs) {
                Some(outputs) => self.response(outputs)?,
                None if self.needs.outputs.is_empty() => Response::default(),
                None => {
                    let text = "unexpected deadlock, at least one output is not set while no more ensemble steps can be made";
                    return Err(self.ensemble.error(Fault::invalid(text)));
                }
            };
            response.timing = Some(self.timing(progress));
            self.close(progress, Ok(Some(response)));
        }
        Ok(())
    }

    /// Adds the last answer.
    fn close(&self, progress: &mut Progress, answer: Result<Option<Response>, RequestError>) {
        progress.answers.push_back(StepAnswer { answer: answer.transpose(), is_last: true });
        progress.has_ended = true;
        progress.tensors.iter_mut().for_each(BTreeMap::clear);
    }

    /// Gives the answers that wait. One thread at a time does, so that they keep their order.
    fn give(&self) {
        let mut progress = self.lock();
        while let Some(mut reply) = progress.reply.take() {
            let Some(answer) = progress.answers.pop_front() else {
                progress.reply = Some(reply);
                return;
            };
            let is_last = answer.is_last;
            drop(progress);
            reply(answer);
            progress = self.lock();
            if is_last {
                return;
            }
            progress.reply = Some(reply);
        }
    }

    /// Starts a step.
    pub(super) fn start(self: &Arc<Self>, turn: Turn, mut request: InferenceRequest<'static>) {
        if self.lock().has_ended {
            return self.left(turn);
        }
        let model = &self.models[turn.step];
        request.watch = self.watch.as_ref().map(|watch| watch.step(&**model, &request));
        let (run, watch) = (Arc::clone(self), request.watch.clone());
        let reply = Box::new(move |answer| {
            watch.iter().for_each(|watch| watch.answered(&answer));
            run.take(turn, answer);
        });
        let ticket: Arc<dyn Cancel> = Arc::from(model.submit(&self.id, request, reply));
        let mut progress = self.lock();
        if progress.has_ended {
            drop(progress);
            ticket.cancel();
        } else if let Some(place) = progress.running.get_mut(&turn) {
            *place = Some(ticket);
            drop(progress);
            self.read();
        }
    }

    /// The request of a step whose inputs are there.
    fn request(&self, turn: Turn, progress: &Progress) -> InferenceRequest<'static> {
        let (own, model) = (&self.ensemble.steps[turn.step], &self.models[turn.step]);
        let inputs = own.inputs.iter().filter_map(|(name, number)| {
            let tensor = progress.tensors[*number].get(&turn.round)?.as_ref()?;
            let spec = model.config().input.iter().find(|input| input.name == *name);
            let dims = spec.map_or(&[][..], |input| &input.dims);
            let shape = reshaped(tensor, dims, model.config().max_batch_size > 0);
            let (data_type, data) = (tensor.data_type, tensor.data.clone());
            Some(Input { name: Cow::Owned(name.clone()), data_type, shape, data })
        });
        InferenceRequest {
            inputs: inputs.collect(),
            outputs: Some(own.outputs.iter().map(|(name, _)| Cow::Owned(name.clone())).collect()),
            cancel: Some(self.cancel.clone()),
            deadline: self.deadline,
            priority: self.priority,
            timeout: self.timeout,
            sequence: self.sequence.clone(),
            // It is made when the step starts.
            watch: None,
        }
    }

    /// Takes an answer of a step.
    fn take(self: &Arc<Self>, turn: Turn, answer: StepAnswer) {
        let StepAnswer { answer, is_last } = answer;
        let mut progress = self.lock();
        let error = match answer {
            Some(Ok(response)) if !progress.has_ended => {
                progress.take(&self.ensemble, turn, response);
                None
            }
            Some(Err(fault)) => Some(self.ensemble.error(fault)),
            _ => None,
        };
        if is_last {
            progress.end(turn);
        }
        drop(progress);
        if is_last {
            self.gates().leave(turn.step);
        }
        match error {
            Some(error) => self.fail(error),
            None => self.go_on(),
        }
    }

    /// Notes that a step is not needed any more, before it has started.
    fn left(&self, turn: Turn) {
        self.lock().end(turn);
        self.gates().leave(turn.step);
    }

    /// An answer of these outputs.
    fn response(&self, outputs: Vec<(usize, Option<Tensor>)>) -> Result<Response, RequestError> {
        let config = &self.ensemble.config;
        let mut found = vec![];
        for (number, tensor) in outputs {
            let Some(tensor) = tensor else { continue };
            let name = &self.ensemble.names[number];
            let at = config.output.iter().position(|output| output.name == *name).unwrap_or(0);
            let own = &config.output[at];
            let dims = own.reshape.as_ref().map_or(&own.dims, |reshape| &reshape.shape);
            let shape = reshaped(&tensor, dims, config.max_batch_size > 0);
            let data = Part::joined(&tensor.data).map_err(|fault| self.ensemble.error(fault))?;
            let (name, data_type) = (name.as_str().into(), tensor.data_type);
            found.push(Output { at, name, data_type, shape, data });
        }
        Ok(Response { outputs: found, timing: None })
    }

    /// The times of all steps together. The ensemble has no queue of its own.
    fn timing(&self, progress: &Progress) -> Timing {
        let rows = self.rows.and_then(|rows| usize::try_from(rows).ok()).unwrap_or(1);
        let Spent { input, run, output } = progress.spent;
        Timing { start: self.start, input, run, output, rows, leads: true }
    }

    /// Answers the request with an error, unless its last answer is given, and cancels the steps that run.
    fn fail(&self, error: RequestError) {
        let mut progress = self.lock();
        if progress.has_ended {
            return;
        }
        self.close(&mut progress, Err(error));
        // A ticket may be the last owner of a model, which is not dropped under the lock.
        let running = std::mem::take(&mut progress.running);
        drop(progress);
        self.cancel.cancel();
        running.values().flatten().for_each(|ticket| ticket.cancel());
        self.give();
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shape of a tensor between an ensemble and a model of which only one has batches: a batch of one row is the row itself. `dims` are
/// those of the other side, without the batch dimension.
fn reshaped(tensor: &Tensor, dims: &[i64], has_batch: bool) -> Vec<i64> {
    let fits = |shape: &[i64]| {
        let same = |(own, given): (&i64, &i64)| own == given || *own == -1 || *given == -1;
        shape.len() == dims.len() && dims.iter().zip(shape).all(same)
    };
    let shape = &tensor.shape;
    match (tensor.has_batch, has_batch) {
        (false, true) if fits(shape) => std::iter::once(1).chain(shape.iter().copied()).collect(),
        (true, false) if !fits(shape) && shape.first() == Some(&1) => shape[1..].to_vec(),
        _ => shape.clone(),
    }
}
