//! Models that are the program's own code, without a file. A scheduler queues their requests like those of any other model.

use crate::batch::{Given, Merge, Output, Part, Prepared, Response, batch_flag, check_bytes};
use crate::check::{control_type, full};
use crate::config::{DataType, ModelConfig};
use crate::failure::{Fault, RequestError, ServeError};
use crate::model::{InputSpec, Interface, OutputSpec};
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use trident_engine::{CancelFlag, Handover};

/// A model that is the program's own code.
pub trait NativeModel: Send + Sync {
    /// Runs a batch of requests that fit the model's configuration. It must not wait: [`NativeRun::time`] says how long the run takes.
    /// If it computes for more than a few milliseconds, it passes [`NativeRequest::checkpoint`] again and again.
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun;

    /// Whether the time of a run follows from the size of its inputs, and [`NativeRun::time`] is zero.
    fn is_steady(&self) -> bool;
}

/// A request to a native model.
#[derive(Debug)]
pub struct NativeRequest<'m> {
    /// Its inputs, in the order of the configuration. Those that tell about a sequence come last.
    pub inputs: Vec<NativeInput<'m>>,
    /// Bytes that the model keeps from one request of a sequence to the next; empty for the first one. If the request fails, the
    /// sequence keeps the earlier ones.
    pub kept: Vec<u8>,
    /// The place where its run ends early, or hands its core over.
    pub checkpoint: RunCheckpoint,
}

/// A place in a run of a native model at which the run may end early, or hand its core over. The default one does neither.
#[derive(Clone, Default)]
pub struct RunCheckpoint {
    /// Set when nobody waits for the request any more.
    own: Option<CancelFlag>,
    /// Set when nobody waits for any request of the batch.
    batch: Option<CancelFlag>,
    core: Option<Arc<dyn Handover>>,
}

impl RunCheckpoint {
    /// The checkpoint of a request that runs alone and keeps its core, and that ends once a flag is set.
    pub fn until(cancel: CancelFlag) -> RunCheckpoint {
        RunCheckpoint { own: Some(cancel.clone()), batch: Some(cancel), core: None }
    }

    /// Hands the core to other runs and waits until this one may go on, if its model is ahead of its share.
    ///
    /// # Errors
    /// Nobody waits for the request any more: its client has left, or its time is over.
    pub fn pass(&self) -> Result<(), Fault> {
        let is_set =
            |flag: &Option<CancelFlag>| flag.as_ref().is_some_and(CancelFlag::is_cancelled);
        if let Some(core) = self.core.as_ref().filter(|core| core.is_due()) {
            core.wait(&|| is_set(&self.batch));
        }
        match is_set(&self.own) {
            true => {
                let error = RequestError::Cancelled;
                Err(Fault { code: error.code(), text: error.to_string() })
            }
            false => Ok(()),
        }
    }
}

impl fmt::Debug for RunCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunCheckpoint { own, batch, core } = self;
        let mut shown = f.debug_struct("RunCheckpoint");
        shown.field("own", own).field("batch", batch).field("core", &core.is_some()).finish()
    }
}

/// An input of a request to a native model.
#[derive(Debug)]
pub struct NativeInput<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// Its elements, as in [`Output::data`].
    pub data: Bytes,
}

/// The outcome of a batch.
#[derive(Debug, Default)]
pub struct NativeRun {
    /// The outputs of each request, in the order of the batch, or why it fails.
    pub answers: Vec<Result<Vec<Output>, Fault>>,
    /// How long the run takes. Meanwhile the model has one instance less, and needs no core.
    pub time: Duration,
    /// Whether requests are answered at the start of this time, and not at its end.
    pub answers_at_start: bool,
}

impl NativeRequest<'_> {
    /// The input of a name.
    pub fn input(&self, name: &str) -> Option<&NativeInput<'_>> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

/// A native model as schedulers have it.
pub(crate) struct Native {
    name: String,
    inputs: Vec<InputSpec>,
    outputs: Vec<OutputSpec>,
    largest_batch: Option<usize>,
    model: Arc<dyn NativeModel>,
}

/// The outcome of a batch as schedulers have it.
pub(crate) struct NativeOutcome {
    pub(crate) answers: Vec<Result<Response, RequestError>>,
    pub(crate) time: Duration,
    pub(crate) answers_at_start: bool,
}

impl Native {
    /// A model of a complete configuration.
    pub(crate) fn new(
        model: Arc<dyn NativeModel>,
        config: &ModelConfig,
    ) -> Result<Native, ServeError> {
        let unsupported = |field| {
            let model = config.name.clone();
            Err(ServeError::Unsupported { model, field })
        };
        if !config.batch_input.is_empty() {
            return unsupported("batch_input");
        }
        if !config.batch_output.is_empty() {
            return unsupported("batch_output");
        }
        if config.states().next().is_some() {
            return unsupported("sequence_batching.state");
        }
        let outputs = config.output.iter().map(|output| OutputSpec {
            name: output.name.as_str().into(),
            at: None,
            scalar: vec![],
            usual: true,
            scatter: None,
            cuts: vec![],
        });
        Ok(Native {
            name: config.name.clone(),
            inputs: inputs(config),
            outputs: outputs.collect(),
            largest_batch: usize::try_from(config.max_batch_size).ok().filter(|size| *size > 0),
            model,
        })
    }

    pub(crate) fn interface(&self) -> Interface<'_> {
        let Native { name, inputs, outputs, largest_batch, .. } = self;
        Interface { name, inputs, outputs, largest_batch: *largest_batch }
    }

    /// Whether the time of a run follows from the size of its inputs.
    pub(crate) fn is_steady(&self) -> bool {
        self.model.is_steady()
    }

    /// Runs a batch, which hands its core to others when it is asked to. Requests whose inputs cannot be read fail alone.
    pub(crate) fn run(
        &self,
        batch: &mut [Prepared<'_>],
        core: &Arc<dyn Handover>,
    ) -> NativeOutcome {
        let all = batch_flag(batch.iter());
        let checkpoint = |request: &Prepared<'_>| {
            let (own, batch) = (request.cancel.clone(), all.clone());
            RunCheckpoint { own, batch, core: Some(Arc::clone(core)) }
        };
        let read: Vec<Result<NativeRequest<'_>, RequestError>> =
            batch.iter().map(|request| self.read(request, checkpoint(request))).collect();
        let (mut requests, mut faults) = (vec![], vec![]);
        for request in read {
            match request {
                Ok(request) => {
                    requests.push(request);
                    faults.push(None);
                }
                Err(fault) => faults.push(Some(fault)),
            }
        }
        let NativeRun { answers, time, answers_at_start } = match requests.is_empty() {
            true => NativeRun::default(),
            false => self.model.run(&mut requests),
        };
        let mut ran = requests.into_iter().zip(answers);
        let answers = batch.iter_mut().zip(faults).map(|(request, fault)| {
            let (ran, answer) = match fault {
                Some(fault) => return Err(fault),
                None => ran.next().ok_or(RequestError::Abandoned)?,
            };
            self.answer(request, ran, answer)
        });
        NativeOutcome { answers: answers.collect(), time, answers_at_start }
    }

    /// A request as the model gets it.
    fn read(
        &self,
        request: &Prepared<'_>,
        checkpoint: RunCheckpoint,
    ) -> Result<NativeRequest<'_>, RequestError> {
        if let Some(error) = request.left() {
            return Err(error);
        }
        let inputs = request.inputs.iter().map(|given| self.input(given));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let kept = request.kept.as_ref().map(|kept| kept.states.bytes().clone());
        Ok(NativeRequest { inputs, kept: kept.unwrap_or_default(), checkpoint })
    }

    fn input(&self, given: &Given<'_>) -> Result<NativeInput<'_>, RequestError> {
        let InputSpec { name, data_type, .. } = &self.inputs[given.at];
        let data = Part::joined(&given.parts).map_err(|source| {
            let (model, input) = (self.name.clone(), name.clone());
            RequestError::Fill { model, input, source }
        })?;
        if *data_type == DataType::String {
            // Regions of shared memory are first read here.
            check_bytes(&data, given.elements).map_err(|fault| {
                let (model, input) = (self.name.clone(), name.clone());
                RequestError::Strings { model, input, fault }
            })?;
        }
        let shape = given.dims.iter().map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX)).collect();
        Ok(NativeInput { name, data_type: *data_type, shape, data })
    }

    /// The answer to a request that has run. If it is given, the sequence keeps what the model has left.
    fn answer(
        &self,
        request: &mut Prepared<'_>,
        ran: NativeRequest<'_>,
        answer: Result<Vec<Output>, Fault>,
    ) -> Result<Response, RequestError> {
        let mut outputs = answer.map_err(RequestError::Native)?;
        if let Some(kept) = &mut request.kept {
            kept.left = Some(ran.kept);
        }
        outputs.retain(|output| request.outputs.contains(&output.at));
        Ok(Response { outputs, timing: None })
    }
}

/// The inputs of a configuration, followed by those that tell about a sequence.
fn inputs(config: &ModelConfig) -> Vec<InputSpec> {
    let spec = |name: &str, data_type: DataType, dims: Vec<i64>, required| {
        let dtype = data_type.dtype()?;
        let (dims, merge, pad) = (Some(dims), Merge::Rows, Bytes::new());
        let name = name.to_owned();
        Some(InputSpec { name, data_type, dtype, dims, required, is_made: false, merge, pad })
    };
    let own = config.input.iter().filter_map(|input| {
        let dims = input.reshape.as_ref().map_or(&input.dims, |reshape| &reshape.shape);
        spec(&input.name, input.data_type, full(config, dims), !input.optional)
    });
    let controls = config.sequences().into_iter().flat_map(|batching| &batching.control_input);
    let controls = controls.filter_map(|input| {
        let data_type = control_type(input.control.first()?)?;
        spec(&input.name, data_type, full(config, &[1]), true)
    });
    own.chain(controls).collect()
}
