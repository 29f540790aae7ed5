//! A version of a model that is ready to answer requests.

use crate::library::Library;
use crate::measures::Counts;
use crate::server::log::log;
use crate::server::{Code, Error, Model, Result};
use serde_json::{Value, json};
use std::ffi::CString;
use std::sync::Arc;
use trident_onnx::files::Disk;
use trident_runtime::PoolStats;
use trident_serving::{
    ConfigError, DataType, ErrorCode, LogLevel, ModelConfig, ModelFile, ModelTensorReshape,
    RequestError, SchedulingChoice, SequenceControl, SequenceControlKind, ServeError, ServedModel,
    VersionFolder,
};

/// A model, which all its instances share.
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) version: u64,
    pub(crate) model: ServedModel,
    pub(crate) results: Vec<ResultName>,
    /// Whether a request's first dimension is its number of rows.
    pub(crate) batches: bool,
    /// Whether results are kept for the next requests of a sequence.
    pub(crate) has_states: bool,
    /// The input that tells the sequence's id as a text.
    pub(crate) text_id: Option<String>,
    pub(crate) counts: Counts,
    /// Whether each execution is logged.
    pub(crate) verbose: bool,
}

/// The name of an output or of a state.
pub(crate) struct ResultName {
    pub(crate) name: String,
    /// The name as the server's interface takes it.
    pub(crate) c_name: CString,
    /// Whether it is the next request's state.
    pub(crate) state: bool,
}

impl Served {
    /// Reads and prepares a model. If the server allows it, what the configuration leaves out is filled in.
    pub(crate) fn load(handle: &Model<Arc<Served>>, library: &Library) -> Result<Served> {
        let (name, version) = (handle.name()?, handle.version()?);
        let mut config = parse(&name, &handle.config()?)?;
        config.supported().map_err(of_load)?;
        let hardware = library.hardware(config.parameter("device").map(|it| (&*name, it)))?;
        let folder = handle.folder()?.join(version.to_string());
        let files = Disk::repository(&folder);
        let path = folder.to_string_lossy();
        let file = ModelFile::read(&config, &VersionFolder { path: &path, files: &files });
        let file = file.map_err(of_load)?;
        if handle.is_to_complete()? && (config.input.is_empty() || config.output.is_empty()) {
            config = complete(handle, config, &file, library)?;
        }
        let mut log = |level, line: &str| match level {
            LogLevel::Verbose => log!(Verbose, "{line}"),
            LogLevel::Info => log!(Info, "{line}"),
            LogLevel::Warning => log!(Warn, "{line}"),
        };
        let model = ServedModel::new(file, &config, &hardware, &mut log);
        let model = model.map_err(of_load)?;
        for key in ["pad", "share"].into_iter().filter(|key| config.parameter(key).is_some()) {
            let told = "has no effect in this server, which schedules its models itself";
            log!(Warn, "parameter '{key}' of model '{name}' {told}");
        }
        let results = results(&model, &config)?;
        let served = Served {
            has_states: results.iter().any(|result| result.state),
            results,
            text_id: text_id(&config).map(str::to_owned),
            batches: config.max_batch_size > 0,
            counts: Counts::default(),
            verbose: library.verbosity.executions,
            name,
            version,
            model,
        };
        served.tell(library)?;
        Ok(served)
    }

    /// Its devices, in order of preference.
    pub(crate) fn devices(&self) -> String {
        self.model.placement().devices.join(",")
    }

    /// Counters of its memory.
    pub(crate) fn memory(&self) -> PoolStats {
        self.model.memory()
    }

    /// Bytes that it takes before anything runs: its weights, wherever they lie.
    pub(crate) fn size(&self) -> usize {
        self.memory().live
    }

    /// Logs facts about the model at the configured verbosity.
    fn tell(&self, library: &Library) -> Result<()> {
        let (name, version) = (&self.name, self.version);
        log!(Verbose, "model '{name}' version {version} runs on {}", self.devices());
        for line in library.verbosity.of_model(&self.model, version).map_err(of_load)? {
            log!(Info, "{line}");
        }
        Ok(())
    }
}

fn text_id(config: &ModelConfig) -> Option<&str> {
    let SchedulingChoice::Sequence(batching) = &config.scheduling else { return None };
    let is_id = |control: &SequenceControl| {
        control.kind == SequenceControlKind::Corrid && control.data_type == DataType::String
    };
    let input = batching.control_input.iter().find(|input| input.control.iter().any(is_id))?;
    Some(&input.name)
}

fn parse(model: &str, json: &str) -> Result<ModelConfig> {
    let (config, unknown) = ModelConfig::from_server_json(json).map_err(|error| {
        Error::invalid(format!("the configuration of model '{model}' cannot be read: {error}"))
    })?;
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        log!(Verbose, "model '{model}': fields of a later server have no effect: {unknown}");
    }
    Ok(config)
}

/// Fills in what the configuration leaves out, and lets the server have it. The server's own form of the result.
fn complete(
    handle: &Model<Arc<Served>>,
    mut config: ModelConfig,
    file: &ModelFile,
    library: &Library,
) -> Result<ModelConfig> {
    let default = library.settings.default_max_batch_size;
    let (no_inputs, no_outputs) = (config.input.is_empty(), config.output.is_empty());
    let dynamic = matches!(config.scheduling, SchedulingChoice::Unset);
    if config.complete(file.signature(), default).map_err(of_config)? {
        let (name, size) = (&config.name, config.max_batch_size);
        log!(
            Warn,
            "autofilled max_batch_size to {size} for model '{name}' since batching is supported but no max_batch_size is \
             specified in the model configuration; specify max_batch_size for larger batches"
        );
    }
    // Only the changes: the server may not know every field that we write.
    let fault = |error| Error::internal(format!("the server's configuration is not JSON: {error}"));
    let mut changed: Value = serde_json::from_str(&handle.config()?).map_err(fault)?;
    if no_inputs {
        let inputs = config.input.iter();
        let inputs = inputs.map(|it| tensor(&it.name, it.data_type, &it.dims, &it.reshape));
        changed["input"] = inputs.collect();
    }
    if no_outputs {
        let outputs = config.output.iter();
        let outputs = outputs.map(|it| tensor(&it.name, it.data_type, &it.dims, &it.reshape));
        changed["output"] = outputs.collect();
    }
    changed["max_batch_size"] = json!(config.max_batch_size);
    if dynamic && matches!(config.scheduling, SchedulingChoice::Dynamic(_)) {
        changed["dynamic_batching"] = json!({});
    }
    handle.set_config(&changed.to_string())?;
    parse(&config.name, &handle.config()?)
}

/// An input or output as the server reads it.
fn tensor(
    name: &str,
    data_type: DataType,
    dims: &[i64],
    reshape: &Option<ModelTensorReshape>,
) -> Value {
    let mut tensor = json!({ "name": name, "data_type": data_type.name(), "dims": dims });
    if let Some(reshape) = reshape {
        tensor["reshape"] = json!({ "shape": reshape.shape });
    }
    tensor
}

/// The names of outputs and states, by the positions that responses give.
fn results(model: &ServedModel, config: &ModelConfig) -> Result<Vec<ResultName>> {
    let states = match &config.scheduling {
        SchedulingChoice::Sequence(batching) => &batching.state[..],
        _ => &[],
    };
    let result = |name: &str| {
        let c_name = CString::new(name).map_err(|_| {
            Error::invalid(format!("the name of output '{}' has a zero in it", name.escape_debug()))
        })?;
        let state = states.iter().any(|state| state.output_name == name);
        Ok(ResultName { name: name.to_owned(), c_name, state })
    };
    model.results().map(result).collect()
}

fn code(code: ErrorCode) -> Code {
    match code {
        ErrorCode::Unknown => Code::Unknown,
        ErrorCode::Internal => Code::Internal,
        ErrorCode::NotFound => Code::NotFound,
        ErrorCode::InvalidArg => Code::InvalidArg,
        ErrorCode::Unavailable => Code::Unavailable,
        ErrorCode::Unsupported => Code::Unsupported,
        ErrorCode::AlreadyExists => Code::AlreadyExists,
        ErrorCode::Cancelled => Code::Cancelled,
    }
}

fn of_load(error: ServeError) -> Error {
    Error::new(code(error.code()), error.to_string())
}

fn of_config(error: ConfigError) -> Error {
    Error::new(code(error.code()), error.to_string())
}

/// A request's error for the server.
pub(crate) fn of_request(error: &RequestError) -> Error {
    Error::new(code(error.code()), error.to_string())
}
