//! Models that are ready to run.

mod file;
mod operations;
mod setup;

pub use file::{ModelFile, VersionFolder};
pub use setup::{Hardware, Log, LogLevel, ModelPlacement, Setup};

use crate::complete::ModelSignature;
use crate::config::{DataType, ModelConfig};
use crate::failure::ServeError;
use operations::Operations;
use std::sync::{Arc, RwLock};
use trident_engine::{OpTotal, PlanError, PlanReport, Session};
use trident_ir::{DType, ValueInfo};
use trident_runtime::PoolStats;

/// One version of a model, ready to run. It may run on several threads at a time. Dropping it frees its memory, except
/// results that are still in use.
pub struct ServedModel {
    pub(crate) name: String,
    pub(crate) session: Session,
    pub(crate) inputs: Vec<InputSpec>,
    pub(crate) outputs: Vec<OutputSpec>,
    /// The largest batch; `None` if the model has no batch dimension.
    pub(crate) largest_batch: Option<usize>,
    /// Whether requests may run as one batch.
    pub(crate) merges: bool,
    pub(crate) threads: usize,
    /// Most bytes of its memory, if the parameter `memory_limit` says so.
    pub(crate) memory_limit: Option<usize>,
    /// Held shared by runs, and alone by one that needs the memory of the others.
    pub(crate) turns: RwLock<()>,
    pub(crate) operations: Operations,
    signature: ModelSignature,
    placement: ModelPlacement,
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
        let Setup { devices, placement, options, threads, dependent_rows, operations } =
            Setup::of(config, file.signature(), hardware, log)?;
        let ModelFile { model, signature } = file;
        let session = model.session(&devices, &options);
        let memory_limit = (options.memory_limit > 0).then_some(options.memory_limit);
        let session =
            session.map_err(|source| unplanned(config.name.clone(), source, memory_limit))?;
        if let Some(unfolded) = session.unfolded() {
            log(LogLevel::Warning, &format!("model '{}': {unfolded}", config.name));
        }
        let largest = usize::try_from(config.max_batch_size).unwrap_or(0);
        Ok(ServedModel {
            name: config.name.clone(),
            inputs: inputs(&signature),
            outputs: outputs(config, &session.signature().outputs),
            session,
            largest_batch: (largest > 0).then_some(largest),
            merges: largest > 0 && dependent_rows.is_none(),
            threads,
            memory_limit,
            turns: RwLock::new(()),
            operations,
            signature,
            placement,
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

fn unplanned(model: String, source: PlanError, limit: Option<usize>) -> ServeError {
    let limit = limit.filter(|_| source.lacks_memory());
    ServeError::Plan { model, source: Box::new(source), limit }
}

fn inputs(signature: &ModelSignature) -> Vec<InputSpec> {
    let spec = |tensor: &crate::TensorInfo| {
        Some(InputSpec {
            name: tensor.name.clone(),
            data_type: tensor.data_type,
            dtype: tensor.data_type.dtype()?,
            dims: tensor.dims.clone(),
            required: !tensor.optional,
        })
    };
    signature.inputs.iter().filter_map(spec).collect()
}

/// The configuration's outputs, followed by states that are not outputs.
fn outputs(config: &ModelConfig, results: &[ValueInfo]) -> Vec<OutputSpec> {
    let spec = |name: &str, dims: &[i64], usual| OutputSpec {
        name: name.into(),
        at: results.iter().position(|result| result.name == name),
        scalar: vec![1; dims.len()],
        usual,
    };
    let declared = config.output.iter().map(|output| {
        let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
        spec(&output.name, dims, true)
    });
    let mut outputs: Vec<OutputSpec> = declared.collect();
    for state in config.states() {
        if !outputs.iter().any(|output| *output.name == *state.output_name) {
            outputs.push(spec(&state.output_name, &state.dims, false));
        }
    }
    outputs
}
