//! The backend's settings, which the server takes from `--backend-config=<name>,<key>=<value>`.

use crate::server::{Error, Result};
use serde_json::Value;
use trident_devices::MAX_THREADS;
use trident_serving::DEFAULT_MAX_BATCH_SIZE;

/// Settings that the server gives to every backend.
const OF_THE_SERVER: &[&str] =
    &["auto-complete-config", "backend-directory", "min-compute-capability"];

/// Settings of the ONNX Runtime backend without an effect here.
const OF_ONNX_RUNTIME: &[&str] = &["enable-global-threadpool", "intra_op_thread_count"];

/// The backend's settings on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `device`: the devices of models that do not name any, in order of preference, such as `metal,cpu`.
    pub(crate) device: Option<String>,
    /// `threads`: threads of the CPU; 0 for one for each core.
    pub(crate) threads: usize,
    /// `default-max-batch-size`.
    pub(crate) default_max_batch_size: i32,
    /// `metrics`: whether memory and times are on the server's page of metrics.
    pub(crate) metrics: bool,
    /// Keys that nothing is known of.
    pub(crate) unknown: Vec<String>,
}

impl Settings {
    /// Reads the server's JSON: `{"cmdline":{"<key>":"<value>"}}`.
    pub(crate) fn of(backend: &str, json: &str) -> Result<Settings> {
        let mut settings = Settings {
            device: None,
            threads: 0,
            default_max_batch_size: DEFAULT_MAX_BATCH_SIZE,
            metrics: true,
            unknown: vec![],
        };
        let json: Value = serde_json::from_str(json).map_err(|error| {
            Error::internal(format!("the settings of backend '{backend}' are not JSON: {error}"))
        })?;
        let Some(cmdline) = json.get("cmdline").and_then(Value::as_object) else {
            return Ok(settings);
        };
        for (key, value) in cmdline {
            let value = value.as_str().unwrap_or_default();
            let fault = |wanted: &str| {
                let text = format!("--backend-config={backend},{key}={value} is not {wanted}");
                Err(Error::invalid(text))
            };
            match &**key {
                "device" => settings.device = Some(value.to_owned()),
                "threads" => match value.parse() {
                    Ok(threads) if threads <= MAX_THREADS => settings.threads = threads,
                    _ => return fault(&format!("a number of threads from 0 to {MAX_THREADS}")),
                },
                "default-max-batch-size" => match value.parse() {
                    Ok(size) if size >= 0 => settings.default_max_batch_size = size,
                    _ => return fault("a batch size"),
                },
                "metrics" => match &*value.to_ascii_lowercase() {
                    "true" | "on" | "1" => settings.metrics = true,
                    "false" | "off" | "0" => settings.metrics = false,
                    _ => return fault("`true` or `false`"),
                },
                key if OF_THE_SERVER.contains(&key) || OF_ONNX_RUNTIME.contains(&key) => {}
                key => settings.unknown.push(key.to_owned()),
            }
        }
        Ok(settings)
    }
}
