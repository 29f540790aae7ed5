//! Models in a repository of the Triton Inference Server: a folder with a configuration, and one for each version.

use crate::failure::Failure;
use crate::model::DeviceArgs;
use crate::render::{escape, style};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use trident_mps::Model;
use trident_onnx::files::Disk;
use trident_serving::{
    DEFAULT_MAX_BATCH_SIZE, DataType, Host, Labels, LoadError, LogLevel, ModelConfig, ModelFile,
    Placement, SchedulingChoice, Setup, VersionFolder, VersionPolicyChoice,
};

/// What a configuration says of a version of a model.
pub(crate) struct Served {
    config: ModelConfig,
    version: u64,
    /// Whether the configuration leaves the batch size out.
    filled: bool,
    pub(crate) setup: Setup,
}

/// An input or output as requests and responses have it.
struct Sent<'a> {
    role: &'static str,
    name: &'a str,
    data_type: DataType,
    /// With the batch dimension.
    shape: Vec<i64>,
    optional: bool,
}

/// The newest version that is served of the model in a folder of a repository, on the devices that the server would take;
/// `None` if the path is no such folder.
pub(crate) fn read(path: &Path, args: &DeviceArgs) -> Result<Option<(Model, Served)>, Failure> {
    let versions: Vec<u64> = match fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| version(&entry.ok()?.file_name())).collect(),
        Err(_) => return Ok(None),
    };
    let file = path.join("config.pbtxt");
    let configured = fs::read_to_string(&file);
    let place = if configured.is_ok() { &*file } else { path };
    let text = match configured {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match versions.as_slice() {
            [] => return Ok(None),
            _ => Ok(String::new()),
        },
        read => read,
    };
    let within =
        |error: &dyn std::fmt::Display| Failure::usage(format!("`{}`: {error}", place.display()));
    let text = text.map_err(|error| within(&error))?;
    let mut config = ModelConfig::from_text(&text).map_err(|error| within(&error))?;
    let version = served(&config, &versions).ok_or_else(|| {
        let failure =
            |text| Failure::usage(format!("model `{}` has no version{text}", path.display()));
        match versions.as_slice() {
            [] => failure("").hint("put the model's file into a folder `1`"),
            _ => failure(" that its `version_policy` serves"),
        }
    })?;
    let folder = path.join(version.to_string());
    let files: Vec<String> = fs::read_dir(&folder)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", folder.display())))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let name = fs::canonicalize(path).ok();
    let name = name.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    config.complete_backend(&name, &files).map_err(|error| within(&error))?;
    let disk = Disk::repository(&folder);
    let folder = VersionFolder { path: &folder.to_string_lossy(), files: &disk };
    let model = ModelFile::read(&config, &folder).map_err(Failure::usage)?;
    let filled = config.complete(model.signature(), DEFAULT_MAX_BATCH_SIZE);
    let filled = filled.map_err(|error| within(&error))?;
    config.normalize(&Host::default());
    config.validate(&Host::default()).map_err(|error| within(&error))?;
    Labels::read(&config, |file| fs::read(path.join(file))).map_err(|error| within(&error))?;
    let hardware = args.hardware(config.parameter("device"))?;
    let mut log = |level, line: &str| {
        if level == LogLevel::Warning {
            anstream::eprintln!("warning: {}", escape(line));
        }
    };
    let setup = Setup::of(&config, model.signature(), &hardware, &mut log);
    let setup = setup.map_err(|error| match error {
        LoadError::Config(error) => within(&error),
        error => Failure::usage(error),
    })?;
    Ok(Some((model.into_model(), Served { config, version, filled, setup })))
}

/// The number that a folder's name is, as the server writes it.
fn version(name: &std::ffi::OsStr) -> Option<u64> {
    let name = name.to_str()?;
    name.parse().ok().filter(|version: &u64| *version > 0 && version.to_string() == name)
}

/// The newest of these versions that the policy serves.
fn served(config: &ModelConfig, versions: &[u64]) -> Option<u64> {
    let policy = config.version_policy.as_ref().map(|policy| &policy.choice);
    let serves = |version: &u64| match policy {
        Some(VersionPolicyChoice::Specific(listed)) => {
            listed.versions.iter().any(|listed| u64::try_from(*listed) == Ok(*version))
        }
        // The latest ones, however many, have the newest.
        _ => true,
    };
    versions.iter().copied().filter(serves).max()
}

/// `[-1,3]`, as the server prints shapes.
fn list(shape: &[i64]) -> String {
    let dims: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}

impl Served {
    pub(crate) fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let (t, d) = (style::TITLE, style::DIM);
        let ModelConfig { name, max_batch_size, .. } = &self.config;
        let batches = match *max_batch_size {
            0 => "no batches".to_owned(),
            largest => {
                let filled = if self.filled { " (filled in; give max_batch_size)" } else { "" };
                let scheduling = match &self.config.scheduling {
                    SchedulingChoice::Sequence(_) => "with sequence batching",
                    _ if self.has_dynamic_batching() => "with dynamic batching",
                    _ => "without dynamic batching",
                };
                format!("batches of up to {largest}{filled}, {scheduling}")
            }
        };
        let name = escape(name);
        writeln!(text, "{t}served{t:#}      as `{name}`, version {}: {batches}", self.version)?;
        if let Some(reason) = &self.setup.dependent_rows {
            let reason = escape(&reason.to_string());
            writeln!(
                text,
                "  requests run one by one, as their rows depend on each other: {reason}"
            )?;
        }
        for Sent { role, name, data_type, shape, optional } in self.sent() {
            let (data_type, shape) = (data_type.protocol_name(), list(&shape));
            write!(text, "  {role} {}: {data_type} {shape}", escape(name))?;
            writeln!(text, "{}", if optional { " (optional)" } else { "" })?;
        }
        let placement = escape(&self.setup.placement.to_string());
        writeln!(text, "  on {placement} {d}(fallback {}){d:#}", self.fallback())
    }

    /// What requests give and responses have.
    fn sent(&self) -> impl Iterator<Item = Sent<'_>> {
        let batch = (self.config.max_batch_size > 0).then_some(-1);
        let shape = move |dims: &[i64]| batch.into_iter().chain(dims.iter().copied()).collect();
        let inputs = self.config.input.iter().map(move |input| Sent {
            role: "input",
            name: &input.name,
            data_type: input.data_type,
            shape: shape(&input.dims),
            optional: input.optional,
        });
        let outputs = self.config.output.iter().map(move |output| Sent {
            role: "output",
            name: &output.name,
            data_type: output.data_type,
            shape: shape(&output.dims),
            optional: false,
        });
        inputs.chain(outputs)
    }

    fn has_dynamic_batching(&self) -> bool {
        matches!(self.config.scheduling, SchedulingChoice::Dynamic(_))
    }

    pub(crate) fn json(&self) -> Value {
        let Placement { devices, absent, ignored } = &self.setup.placement;
        let sent = |of: &str| -> Vec<Value> {
            let sent = self.sent().filter(|sent| sent.role == of);
            let json = |Sent { name, data_type, shape, optional, .. }: Sent<'_>| json!({ "name": name, "data_type": data_type.protocol_name(), "shape": shape, "optional": optional });
            sent.map(json).collect()
        };
        json!({
            "name": self.config.name,
            "version": self.version,
            "max_batch_size": self.config.max_batch_size,
            "max_batch_size_filled_in": self.filled,
            "dynamic_batching": self.has_dynamic_batching(),
            "dependent_rows": self.setup.dependent_rows.as_ref().map(ToString::to_string),
            "inputs": sent("input"),
            "outputs": sent("output"),
            "devices": devices,
            "absent_accelerators": absent,
            "ignored_accelerators": ignored,
            "fallback": self.fallback(),
        })
    }

    /// Whether other hardware may stand in for accelerators that are absent.
    fn fallback(&self) -> &str {
        self.config.parameter("fallback").unwrap_or("allowed")
    }
}
