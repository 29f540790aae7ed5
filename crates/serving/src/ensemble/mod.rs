//! Ensembles: models that are made of other models.
//!
//! An ensemble is a data flow. All steps whose inputs are there run at the same time, each as a request to the scheduler of its model:
//! so requests of several ensembles, and of clients, share the batches of a step's model. No thread waits for a step.
//! The first error of a step ends the ensemble's request, and cancels the steps that run.

mod check;
mod decoupled;
mod fault;
mod flow;
mod gates;
#[cfg(all(test, feature = "models"))]
mod models;
mod progress;
mod request;
mod run;
mod watch;

pub use fault::{EnsembleFault, StepError};
pub use run::EnsembleTicket;
pub use watch::RequestWatch;

pub(crate) use flow::check_flow;

use crate::batch::{InferenceRequest, Response};
use crate::config::{
    EnsembleStep, ModelConfig, ModelEnsembling, ModelTransactionPolicy, SchedulingChoice,
};
use crate::failure::{Fault, RequestError};
use crate::invalid::ConfigError;
use crate::schedule::Ticket;
use check::Tensors;
use gates::Gates;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One of the answers to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer<E = Fault> {
    /// The answer; `None` for an end without one, which only models with decoupled responses have.
    pub answer: Option<Result<Response, E>>,
    /// Whether no other one follows.
    pub is_last: bool,
}

impl<E> StepAnswer<E> {
    /// The only answer to a request.
    pub fn only(answer: Result<Response, E>) -> StepAnswer<E> {
        StepAnswer { answer: Some(answer), is_last: true }
    }
}

/// Receives the answers of a step, in their order, on any thread; the last one says so.
pub type StepReply = Box<dyn FnMut(StepAnswer) + Send>;

/// Finds the models of steps.
pub trait StepModels: Send + Sync {
    /// The model of this name that answers now; -1 stands for its highest version.
    fn find(&self, name: &str, version: i64) -> Result<Arc<dyn StepModel>, Fault>;
}

/// A model of a step.
pub trait StepModel: Send + Sync {
    /// Its complete configuration.
    fn config(&self) -> &ModelConfig;

    /// Its version.
    fn version(&self) -> u64;

    /// Submits a request, whose shapes are those of the configuration with the batch dimension. `id` is the client's name for the
    /// request, for errors. `reply` may be called before this returns, and more than once if the model has decoupled responses.
    fn submit(
        &self,
        id: &str,
        request: InferenceRequest<'static>,
        reply: StepReply,
    ) -> Box<dyn Cancel>;
}

/// Holds a request to an ensemble with decoupled responses while its client reads them slowly.
pub trait AnswerPace: Send + Sync {
    /// Whether the steps may go on now. If not, `go_on` is called once the client has read answers, unless the client leaves. It takes
    /// the place of the one given before.
    fn may_go_on(&self, go_on: Box<dyn FnOnce() + Send>) -> bool;
}

/// A request that can be cancelled.
pub trait Cancel: Send + Sync {
    /// Answers the request as cancelled, unless it is answered.
    fn cancel(&self);

    /// Notes that so many of its answers have been used. A model with decoupled responses may wait for that before it gives more.
    fn read(&self, _answers: usize) {}
}

impl Cancel for Ticket {
    fn cancel(&self) {
        Ticket::cancel(self);
    }
}

/// An ensemble that is ready to answer.
pub struct Ensemble {
    config: ModelConfig,
    steps: Vec<Step>,
    /// The names of the tensors, by their numbers.
    names: Vec<String>,
    models: Arc<dyn StepModels>,
    gates: Gates,
}

/// A step, with its tensors by their numbers.
struct Step {
    model: String,
    version: i64,
    /// The model's inputs.
    inputs: Vec<(String, usize)>,
    /// The model's outputs.
    outputs: Vec<(String, usize)>,
    /// Whether the model has batches.
    has_batch: bool,
    /// Whether a request to the model has any number of answers.
    is_decoupled: bool,
}

impl Ensemble {
    /// Checks the maps of a normalised and validated configuration against the models of its steps, which have to be there.
    pub fn new(
        mut config: ModelConfig,
        models: Arc<dyn StepModels>,
    ) -> Result<Ensemble, ConfigError> {
        let ensembling = match &config.scheduling {
            SchedulingChoice::Ensemble(ensembling) => ensembling.clone(),
            _ => ModelEnsembling::default(),
        };
        check_flow(&config, &ensembling)?;
        let mut tensors = Tensors::of(&config);
        let (mut numbers, mut steps) = (BTreeMap::new(), vec![]);
        for own in &ensembling.step {
            let model = models.find(&own.model_name, version(own)).map_err(|fault| {
                let (ensemble, text) = (config.name.clone(), fault.text);
                EnsembleFault::NoModel { ensemble, text }
            })?;
            tensors.add(own, model.config())?;
            steps.push(step(own, model.config(), &mut numbers));
        }
        let decoupled = decoupled::is_decoupled(&config, &ensembling, &steps)?;
        if decoupled && config.caches_responses() {
            return Err(ConfigError::CachedDecoupled { model: config.name });
        }
        config.model_transaction_policy = Some(ModelTransactionPolicy { decoupled });
        let mut names = vec![String::new(); numbers.len()];
        for (name, number) in numbers {
            names[number] = name;
        }
        let gates = Gates::new(steps.len(), ensembling.max_inflight_requests as usize);
        Ok(Ensemble { steps, names, models, gates, config })
    }

    /// The configuration.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Whether a request may have any number of answers, because a step's model has.
    pub fn is_decoupled(&self) -> bool {
        self.config.model_transaction_policy.as_ref().is_some_and(|policy| policy.decoupled)
    }

    /// Submits a request. `id` is the client's name for it, for errors. `reply` may be called before this returns; it is called once,
    /// unless the ensemble is decoupled. The request's deadline, its flag and its watch reach all steps.
    pub fn submit(
        self: &Arc<Self>,
        id: &str,
        request: InferenceRequest<'static>,
        reply: impl FnMut(StepAnswer<RequestError>) + Send + 'static,
    ) -> EnsembleTicket {
        self.submit_paced(id, request, None, reply)
    }

    /// The same for a client that may read slowly: decoupled steps wait for it.
    pub fn submit_paced(
        self: &Arc<Self>,
        id: &str,
        request: InferenceRequest<'static>,
        pace: Option<Arc<dyn AnswerPace>>,
        reply: impl FnMut(StepAnswer<RequestError>) + Send + 'static,
    ) -> EnsembleTicket {
        run::submit(self, id, request, pace, Box::new(reply))
    }

    fn number(&self, tensor: &str) -> Option<usize> {
        self.names.iter().position(|name| name == tensor)
    }
}

/// The version of a step's model; a configuration that names none has 0.
fn version(step: &EnsembleStep) -> i64 {
    if step.model_version == 0 { -1 } else { step.model_version }
}

fn step(step: &EnsembleStep, model: &ModelConfig, numbers: &mut BTreeMap<String, usize>) -> Step {
    let mut numbered = |map: &BTreeMap<String, String>| {
        let mut number = |name: &String| {
            let next = numbers.len();
            *numbers.entry(name.clone()).or_insert(next)
        };
        map.iter().map(|(own, tensor)| (own.clone(), number(tensor))).collect()
    };
    Step {
        model: step.model_name.clone(),
        version: version(step),
        inputs: numbered(&step.input_map),
        outputs: numbered(&step.output_map),
        has_batch: model.max_batch_size > 0,
        is_decoupled: model.model_transaction_policy.as_ref().is_some_and(|p| p.decoupled),
    }
}
