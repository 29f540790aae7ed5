//! Models that are ready to run.

mod bits;
mod file;
mod interface;
mod operations;
mod padding;
mod setup;

pub use file::DEFAULT_FILES;
pub(crate) use file::PADDLE_FILES;
pub use file::{ModelFile, VersionFolder};
pub(crate) use interface::Interface;
pub use padding::PadFault;
pub(crate) use padding::Padding;
pub use setup::{Hardware, Log, LogLevel, ModelPlacement, Setup};

use crate::batch::{DirectModel, MadeInput, Merge, Scatter};
use crate::complete::ModelSignature;
use crate::config::{DataType, ModelConfig};
use crate::failure::ServeError;
use bytes::Bytes;
use operations::Operations;
use std::sync::{Arc, RwLock};
use trident_engine::{OpTotal, PlanError, PlanReport, Session};
use trident_ir::{DType, TensorType, Type, ValueInfo};
use trident_runtime::PoolStats;

/// One version of a model, ready to run. It may run on several threads at a time. Dropping it frees its memory, except
/// results that are still in use.
pub struct ServedModel {
    pub(crate) name: String,
    pub(crate) session: Session,
    pub(crate) inputs: Vec<InputSpec>,
    pub(crate) outputs: Vec<OutputSpec>,
    /// The padding that the configuration asks for, until it is in effect.
    pub(crate) padding: Option<Padding>,
    /// The inputs that are made from a batch.
    pub(crate) made: Vec<MadeInput>,
    /// The largest batch; `None` if the model has no batch dimension.
    pub(crate) largest_batch: Option<usize>,
    /// Whether requests may run as one batch.
    pub(crate) merges: bool,
    /// Whether the time of a run follows from the size of its inputs.
    pub(crate) is_steady: bool,
    /// For a model of one short launch.
    pub(crate) direct: Option<DirectModel>,
    pub(crate) threads: usize,
    /// Most bytes of its memory, if the parameter `memory_limit` says so.
    pub(crate) memory_limit: Option<usize>,
    /// Held shared by runs, and alone by one that needs the memory of the others.
    pub(crate) turns: RwLock<()>,
    pub(crate) operations: Operations,
    signature: ModelSignature,
    placement: ModelPlacement,
    /// Why its rows depend on each other, if they do.
    dependent_rows: Option<String>,
}

/// An input that requests may give.
#[derive(Debug)]
pub(crate) struct InputSpec {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) dtype: DType,
    /// The model's dimensions, -1 for any size; `None` if not even their number is known.
    pub(crate) dims: Option<Vec<i64>>,
    pub(crate) required: bool,
    /// Whether it is made from a batch, so that requests do not give it.
    pub(crate) is_made: bool,
    /// How the inputs of several requests become one.
    pub(crate) merge: Merge,
    /// The bytes of an element of its padding, if it is padded.
    pub(crate) pad: Bytes,
}

/// An output that requests may ask for.
#[derive(Debug)]
pub(crate) struct OutputSpec {
    pub(crate) name: Arc<str>,
    /// Its position among the results of a run; `None` if the model has no such result.
    pub(crate) at: Option<usize>,
    /// The shape of a scalar in responses, which have no tensors without dimensions: as many as are declared.
    pub(crate) scalar: Vec<i64>,
    /// Whether a request that asks for nothing gets it.
    pub(crate) usual: bool,
    /// The rule by which it is divided among requests, if it does not have a row for each of theirs.
    pub(crate) scatter: Option<Scatter>,
    /// The axes along which it is cut back to the length of a request that was padded.
    pub(crate) cuts: Vec<usize>,
}

impl ServedModel {
    /// Reads the model of a version's folder and prepares it, see [`ModelFile::read`] and [`ServedModel::new`].
    pub fn load(
        config: &ModelConfig,
        folder: &VersionFolder<'_>,
        hardware: &Hardware,
        log: &mut Log<'_>,
    ) -> Result<ServedModel, ServeError> {
        ServedModel::new(ModelFile::read(config, folder)?, config, hardware, log)
    }

    /// Prepares a model that was read, as [`Setup::of`] says.
    pub fn new(
        file: ModelFile,
        config: &ModelConfig,
        hardware: &Hardware,
        log: &mut Log<'_>,
    ) -> Result<ServedModel, ServeError> {
        let setup = Setup::of(config, file.signature(), hardware, log)?;
        let Setup { devices, placement, options, threads, dependent_rows, same_bits, operations } =
            setup;
        let ModelFile { model, signature } = file;
        let inputs = inputs(config, &signature);
        let padding = Padding::of(config, &model, &inputs, same_bits);
        let padding = padding.map_err(|fault| {
            let (model, fault) = (config.name.clone(), Box::new(fault));
            ServeError::Padding { model, fault }
        })?;
        let declared = model.info().outputs.clone();
        let session = model.session(&devices, &options);
        let memory_limit = (options.memory_limit > 0).then_some(options.memory_limit);
        let session =
            session.map_err(|source| unplanned(config.name.clone(), source, memory_limit))?;
        for warning in trident_model::warnings(&declared, &session) {
            log(LogLevel::Warning, &format!("model '{}': {warning}", config.name));
        }
        let is_steady = is_steady(&session);
        let largest = usize::try_from(config.max_batch_size).unwrap_or(0);
        let merges = largest > 0
            && dependent_rows.is_none()
            && (largest == 1 || bits::may_merge(config, same_bits, &session, log));
        let mut outputs = outputs(config, &inputs, &session.signature().outputs);
        for (info, cuts) in signature.outputs.iter().zip(padding.iter().flat_map(|own| &own.cuts)) {
            let own = outputs.iter_mut().filter(|spec| *spec.name == *info.name);
            own.for_each(|spec| spec.cuts.clone_from(cuts));
        }
        Ok(ServedModel {
            name: config.name.clone(),
            outputs,
            padding,
            made: MadeInput::all(config, &inputs),
            direct: DirectModel::of(&session, &inputs),
            inputs,
            session,
            largest_batch: (largest > 0).then_some(largest),
            merges,
            is_steady,
            threads,
            memory_limit,
            turns: RwLock::new(()),
            operations,
            signature,
            placement,
            dependent_rows: dependent_rows.map(|reason| reason.to_string()),
        })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model's own inputs and outputs.
    pub fn signature(&self) -> &ModelSignature {
        &self.signature
    }

    /// The names of the results that responses may have: the configuration's outputs, then states that are not outputs.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|output| &*output.name)
    }

    /// Why its rows depend on each other, so that its requests are not merged; `None` if they do not, or it has no batch dimension.
    pub fn dependent_rows(&self) -> Option<&str> {
        self.dependent_rows.as_deref()
    }

    /// Whether it has a batch dimension.
    pub fn has_batch(&self) -> bool {
        self.largest_batch.is_some()
    }

    /// Notes that its configuration asks for a GPU, and another device stands in.
    pub fn lacks_gpu(&mut self) {
        self.placement.absent.push("KIND_GPU".to_owned());
    }

    /// The devices that run the model.
    pub fn placement(&self) -> &ModelPlacement {
        &self.placement
    }

    /// Counters of the model's memory: weights and everything live during runs.
    pub fn memory(&self) -> PoolStats {
        self.session.memory()
    }

    /// How long operations took in the runs that were measured, by op and device: see the parameter `time_operations` at
    /// [`Setup::of`].
    pub fn operations(&self) -> Vec<OpTotal> {
        self.operations.totals()
    }

    /// The plan, without sizes of inputs.
    pub fn report(&self) -> Result<PlanReport, ServeError> {
        let report = self.session.report(&[]);
        report.map_err(|source| unplanned(self.name.clone(), source, self.memory_limit))
    }
}

/// Whether the time of a run follows from the size of its inputs: no step depends on their contents.
fn is_steady(session: &Session) -> bool {
    let dims = |input: &ValueInfo| match &input.ty {
        Type::Tensor(TensorType { shape: Some(dims), .. }) => {
            Some(dims.iter().map(|dim| dim.fixed().unwrap_or(1)).collect())
        }
        _ => None,
    };
    let inputs = session.signature().inputs.iter();
    let shapes: Option<Vec<_>> = inputs.map(|own| Some((own.name.as_str(), dims(own)?))).collect();
    let report = shapes.and_then(|shapes| session.report(&shapes).ok());
    report.is_some_and(|report| {
        report.unplanned == 0 && report.steps.iter().all(|step| step.depth == 0)
    })
}

fn unplanned(model: String, source: PlanError, limit: Option<usize>) -> ServeError {
    let limit = limit.filter(|_| source.lacks_memory());
    ServeError::Plan { model, source: Box::new(source), limit }
}

fn inputs(config: &ModelConfig, signature: &ModelSignature) -> Vec<InputSpec> {
    let made: Vec<&String> =
        config.batch_input.iter().flat_map(|input| &input.target_name).collect();
    let sources = config.batch_input.iter().flat_map(|input| &input.source_input);
    let sources: Vec<&String> =
        sources.chain(config.batch_output.iter().flat_map(|output| &output.source_input)).collect();
    let spec = |tensor: &crate::TensorInfo| {
        let is_made = made.contains(&&tensor.name);
        let ragged =
            config.input.iter().any(|own| own.name == tensor.name && own.allow_ragged_batch);
        Some(InputSpec {
            name: tensor.name.clone(),
            data_type: tensor.data_type,
            dtype: tensor.data_type.dtype()?,
            dims: if ragged { config.shape_of(&tensor.name) } else { tensor.dims.clone() },
            required: !is_made && (!tensor.optional || sources.contains(&&tensor.name)),
            is_made,
            merge: if ragged { Merge::Ragged } else { Merge::Rows },
            pad: Bytes::new(),
        })
    };
    signature.inputs.iter().filter_map(spec).collect()
}

/// The configuration's outputs, followed by states that are not outputs.
fn outputs(config: &ModelConfig, inputs: &[InputSpec], results: &[ValueInfo]) -> Vec<OutputSpec> {
    let spec = |name: &str, dims: &[i64], usual| OutputSpec {
        name: name.into(),
        at: results.iter().position(|result| result.name == name),
        scalar: vec![1; dims.len()],
        usual,
        scatter: None,
        cuts: vec![],
    };
    let declared = config.output.iter().map(|output| {
        let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
        let scatter = Scatter::of(config, output, inputs);
        OutputSpec { scatter, ..spec(&output.name, dims, true) }
    });
    let mut outputs: Vec<OutputSpec> = declared.collect();
    for state in config.states() {
        if !outputs.iter().any(|output| *output.name == *state.output_name) {
            outputs.push(spec(&state.output_name, &state.dims, false));
        }
    }
    outputs
}
