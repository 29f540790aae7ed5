//! Models that are no networks, and whose configuration names the backend: those that the Triton Inference Server's own tests ask for,
//! and steps before a network: images and tokens.
//!
//! They are models of the scheduler like all others, so that queues, batches, priorities and sequences are the configuration's. Their
//! runs take no time of a core: a run that is to take longer keeps its instance until then (`serving`, `schedule/resting.rs`).
//! A backend with decoupled answers only says which they are, and how long after each other they are given. An alarm gives them, one
//! thread for all models, once the request has had its turn.

mod alarm;
mod ending;
mod identity;
mod image;
mod play;
mod query;
mod repeat;
mod room;
mod sequence;
mod square;
#[cfg(feature = "tokenizer")]
mod tokenizer;
mod turns;

use std::sync::Arc;
use std::time::Duration;
use std::{env, io};

use trident_serving::{Fault, ModelConfig, NativeInput, NativeModel, ScheduledModel};

use crate::infer::AnswerTensor;
use crate::memory::RegionPart;
use turns::Turns;

pub(crate) use alarm::Alarm;
pub use ending::PlayTicket;

/// The names of the backends.
const NAMES: [&str; 8] = [
    identity::NAME,
    image::NAME,
    query::NAME,
    repeat::NAME,
    sequence::NAME,
    sequence::DYNAMIC_NAME,
    square::NAME,
    TOKENIZER,
];

/// The backend that splits texts into tokens, which is a feature of the build.
const TOKENIZER: &str = "trident_tokenizer";

/// Reads a file of a model by its name.
pub(crate) type Files<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// Answers to a request, in their order. They are made when they are due, because there may be many.
type Steps = Box<dyn Iterator<Item = Step> + Send>;

/// Says which answers a request to a model with decoupled answers has.
trait Decoupled: Send + Sync {
    /// The answers to a request that fits the configuration, in their order.
    fn answers(&self, inputs: &[NativeInput<'_>]) -> Result<Steps, Fault>;

    /// How long the model takes no other request after one with these inputs has had its turn.
    fn pause(&self, _inputs: &[NativeInput<'_>]) -> Duration {
        Duration::ZERO
    }
}

/// An answer to a request.
struct Step {
    /// How long after the one before it is given.
    after: Duration,
    outcome: Outcome,
}

/// The content of an answer.
enum Outcome {
    Outputs(Vec<AnswerTensor>),
    /// An error, after which other answers follow.
    Failure(Fault),
    /// Nothing, which is counted.
    Nothing,
}

/// The code of a model, by its configuration.
pub(crate) enum Code {
    /// It answers each request once.
    Single(Arc<dyn NativeModel>),
    /// It answers a request any number of times.
    Decoupled(DecoupledCode),
}

/// The code of a model that answers a request any number of times.
pub(crate) struct DecoupledCode(Arc<dyn Decoupled>);

/// A model with decoupled answers that a scheduler has.
pub(crate) struct BuiltIn {
    code: DecoupledCode,
    scheduled: ScheduledModel,
    alarm: Arc<Alarm>,
}

impl Code {
    /// Whether a backend of this name is built in.
    pub(crate) fn has(backend: &str) -> bool {
        NAMES.contains(&backend)
    }

    /// The code for a complete configuration whose backend is built in. `memory_limit` is the server's, and `log` gets lines about the
    /// model.
    pub(crate) fn of(
        config: &ModelConfig,
        files: &Files<'_>,
        memory_limit: Option<u64>,
        log: impl FnOnce(&str),
    ) -> Result<Code, Fault> {
        let decoupled = |code: Arc<dyn Decoupled>| Ok(Code::Decoupled(DecoupledCode(code)));
        match &*config.backend {
            repeat::NAME => return decoupled(Arc::new(repeat::Repeat::of(config)?)),
            square::NAME => return decoupled(Arc::new(square::Square::of(config)?)),
            _ => {}
        }
        if config.model_transaction_policy.as_ref().is_some_and(|policy| policy.decoupled) {
            return Err(unfit(config, "one answer to a request: remove 'decoupled'"));
        }
        Ok(Code::Single(match &*config.backend {
            sequence::NAME | sequence::DYNAMIC_NAME => Arc::new(sequence::Accumulator::of(config)?),
            image::NAME => Arc::new(image::Images::of(config, memory_limit, log)?),
            TOKENIZER => tokenizer(config, files, memory_limit)?,
            query::NAME => Arc::new(query::Query::of(config, |name| env::var(name).ok())?),
            _ => Arc::new(identity::Identity::of(config)?),
        }))
    }
}

#[cfg(feature = "tokenizer")]
fn tokenizer(
    config: &ModelConfig,
    files: &Files<'_>,
    memory_limit: Option<u64>,
) -> Result<Arc<dyn NativeModel>, Fault> {
    Ok(Arc::new(tokenizer::Texts::of(config, files, memory_limit)?))
}

#[cfg(not(feature = "tokenizer"))]
fn tokenizer(
    config: &ModelConfig,
    _files: &Files<'_>,
    _memory_limit: Option<u64>,
) -> Result<Arc<dyn NativeModel>, Fault> {
    let text = format!(
        "model '{}' asks for backend '{TOKENIZER}', which this build does not have; hint: build Trident with `--features tokenizer`",
        config.name
    );
    Err(Fault { code: trident_serving::ErrorCode::Unsupported, text })
}

impl DecoupledCode {
    /// The model as a scheduler runs it.
    pub(crate) fn turns(&self) -> Arc<dyn NativeModel> {
        Arc::new(Turns(Arc::clone(&self.0)))
    }
}

impl BuiltIn {
    /// A model that a scheduler has, whose answers an alarm gives.
    pub(crate) fn new(
        code: DecoupledCode,
        scheduled: ScheduledModel,
        alarm: &Arc<Alarm>,
    ) -> BuiltIn {
        BuiltIn { code, scheduled, alarm: Arc::clone(alarm) }
    }

    /// The number of requests that wait for their turn.
    pub(crate) fn waiting(&self) -> usize {
        self.scheduled.waiting()
    }
}

/// The outputs that a request asks for, and where they are to be written.
type Wanted = Vec<(String, Option<RegionPart>)>;

/// The fault of a configuration that a backend does not take.
fn unfit(config: &ModelConfig, expected: &str) -> Fault {
    Fault::invalid(format_args!(
        "model '{}' of backend '{}' must have {expected}",
        config.name, config.backend
    ))
}

/// Parameters that any model may have.
const COMMON: [&str; 2] = ["openai", "share"];

/// An error if a model has a parameter that has no effect, which may be misspelt.
fn only_parameters(config: &ModelConfig, known: &[&str]) -> Result<(), Fault> {
    let has_effect =
        |key: &str| COMMON.contains(&key) || known.contains(&key) || key.starts_with("TRITON_");
    match config.parameters.keys().find(|key| !has_effect(key)) {
        Some(key) => {
            let known = known.join("', '");
            Err(unfit(config, &format!("no parameter '{key}'; its parameters are '{known}'")))
        }
        None => Ok(()),
    }
}

/// The value of a parameter that is a number.
fn number(config: &ModelConfig, key: &str) -> Result<u64, Fault> {
    let Some(text) = config.parameter(key) else { return Ok(0) };
    text.trim().parse().map_err(|_| {
        Fault::invalid(format_args!(
            "parameter '{key}' of model '{}' is '{text}', and a whole number is expected",
            config.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(config: &str) -> Fault {
        let config = ModelConfig::from_text(config).unwrap();
        let none = |_: &str| Err(io::ErrorKind::NotFound.into());
        Code::of(&config, &none, None, |_| {}).err().unwrap()
    }

    #[test]
    fn a_build_without_tokenizers_refuses_them() {
        let text = fault("name: 't' backend: 'trident_tokenizer'").text;
        let hint = "backend 'trident_tokenizer', which this build does not have; hint: build Trident with `--features tokenizer`";
        assert_eq!(text.ends_with(hint), cfg!(not(feature = "tokenizer")), "{text}");
    }

    #[test]
    fn parameters_without_effect_are_refused() {
        let parameter =
            |key: &str| format!("parameters {{ key: '{key}' value {{ string_value: '' }} }}");
        let model = format!(
            "name: 'm' backend: 'trident_image' input {{ name: 'x' data_type: TYPE_STRING dims: 1 }}
             output {{ name: 'y' data_type: TYPE_FP32 dims: [ 3, 2, 2 ] }} {} {}",
            parameter("share"),
            parameter("step")
        );
        let expected = "model 'm' of backend 'trident_image' must have no parameter 'step'; its parameters are 'memory_limit', 'steps'";
        assert_eq!(fault(&model).text, expected);
    }
}
