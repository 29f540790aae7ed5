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
    Host, LogLevel, ModelConfig, ModelFile, Placement, Setup, VersionFolder, VersionPolicyChoice,
};

/// The batch size of models that have a batch dimension and no configuration of it, as the server's backends have it.
const BATCH: i32 = 4;

/// What a configuration says of a version of a model.
pub(crate) struct Served {
    config: ModelConfig,
    version: u64,
    pub(crate) setup: Setup,
}

/// The newest version that is served of the model in a folder of a repository, on the devices that the server would take; `None` if the path is no
/// such folder.
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
    config.complete(model.signature(), BATCH).map_err(|error| within(&error))?;
    config.normalize(&Host::default());
    config.validate(&Host::default()).map_err(|error| within(&error))?;
    let hardware = args.hardware(config.parameter("device"))?;
    let mut log = |level, line: &str| {
        if level == LogLevel::Warning {
            anstream::eprintln!("warning: {}", escape(line));
        }
    };
    let setup = Setup::of(&config, model.signature(), &hardware, &mut log);
    let setup = setup.map_err(Failure::usage)?;
    Ok(Some((model.into_model(), Served { config, version, setup })))
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

impl Served {
    pub(crate) fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let (t, d) = (style::TITLE, style::DIM);
        let ModelConfig { name, max_batch_size, .. } = &self.config;
        let batches = match *max_batch_size {
            0 => "no batches".to_owned(),
            largest => format!("batches of up to {largest}"),
        };
        let name = escape(name);
        writeln!(text, "{t}served{t:#}      as `{name}`, version {}: {batches}", self.version)?;
        let placement = escape(&self.setup.placement.to_string());
        writeln!(text, "  on {placement} {d}(fallback {}){d:#}", self.fallback())
    }

    pub(crate) fn json(&self) -> Value {
        let Placement { devices, absent, ignored } = &self.setup.placement;
        json!({
            "name": self.config.name,
            "version": self.version,
            "max_batch_size": self.config.max_batch_size,
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
