//! Batches on devices that compute few rows in another way than many, so that a request's answer may have other last bits
//! alone than in a batch.

use super::setup::{Log, LogLevel};
use crate::config::ModelConfig;
use crate::invalid::ConfigError;
use std::collections::BTreeMap;
use trident_engine::{RowDependent, Session};

/// Ops that a line of the log names; more are counted.
const MOST_NAMED: usize = 8;

/// Whether a request must have the same bits alone and in any batch: the parameter `same_bits`.
pub(super) fn required(config: &ModelConfig) -> Result<bool, ConfigError> {
    let choices = [("required", true), ("optional", false)];
    Ok(config.choice("same_bits", &choices, "`required` or `optional`")?.unwrap_or(false))
}

/// Whether requests may share a batch, as far as bits are concerned. The log names the ops that stand against it.
pub(super) fn may_merge(
    config: &ModelConfig,
    required: bool,
    session: &Session,
    log: &mut Log<'_>,
) -> bool {
    let name = &config.name;
    if required && config.is_ragged() {
        let line = format!(
            "requests of model '{name}' are not merged into batches, as 'same_bits' requires: nothing is known of the bits of ragged batches"
        );
        log(LogLevel::Info, &line);
        return false;
    }
    let ops = session.row_dependent();
    if ops.is_empty() {
        return true;
    }
    let named = named(&ops);
    let line = match required {
        true => format!(
            "requests of model '{name}' are not merged into batches, as 'same_bits' requires: the last bits of a row may depend on the number of rows in {named}"
        ),
        false => format!(
            "the last bits of answers of model '{name}' may depend on the batch, because the number of rows decides how these ops are computed: {named}. The parameter 'same_bits' = 'required' keeps requests apart"
        ),
    };
    log(LogLevel::Info, &line);
    !required
}

/// ``matmul `fc1`, conv `c` and 3 more on metal``.
fn named(ops: &[RowDependent]) -> String {
    let mut devices: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for RowDependent { op, device } in ops {
        devices.entry(device).or_default().push(op.to_string());
    }
    let parts = devices.into_iter().map(|(device, ops)| {
        let shown = ops.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = ops.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{shown}{more} on {device}")
    });
    parts.collect::<Vec<_>>().join("; ")
}
