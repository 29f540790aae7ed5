//! A version of a model as a server has it.

use crate::render::{escape, style};
use serde_json::{Value, json};
use std::fmt::Write as _;
use trident_serving::{DataType, ModelConfig, ModelPlacement, SchedulingChoice, Setup};

/// A version of a model with its configuration.
pub(crate) struct Served {
    pub(super) config: ModelConfig,
    pub(super) version: u64,
    /// Whether the configuration leaves the batch size out.
    pub(super) filled: bool,
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

/// `[-1,3]`, as the server prints shapes.
pub(super) fn list(shape: &[i64]) -> String {
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
                "  requests run one by one, because their rows depend on each other: {reason}"
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

    /// The tensors of requests and responses.
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
        let ModelPlacement { devices, absent, ignored } = &self.setup.placement;
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
    fn fallback(&self) -> String {
        self.config.parameter("fallback").unwrap_or("allowed").to_ascii_lowercase()
    }
}
