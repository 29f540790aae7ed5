//! The table of models.

use crate::render::{Align, Table};
use serde_json::json;
use trident_server::model::ModelSummary;
use trident_server::repository::{IndexEntry, ModelState, Repository};

/// The models, with their versions and states.
pub(super) fn models(index: &[IndexEntry], repository: &Repository) -> Table {
    let columns = [
        ("model", Align::Left),
        ("version", Align::Right),
        ("rows", Align::Left),
        ("devices", Align::Left),
        ("state", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for entry in index {
        let version = entry.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
        let state = entry.state.map_or("not loaded", ModelState::name);
        let state = match entry.reason.trim_end_matches([';', '\n']) {
            "" => state.to_owned(),
            reason => format!("{state}: {reason}"),
        };
        let dash = || "-".to_owned();
        let summary = summary(entry, repository);
        // The reason is in the log and in JSON.
        let rows = summary.as_ref().map(|own| own.rows.split(':').next().unwrap_or_default());
        let rows = rows.map_or_else(dash, str::to_owned);
        let devices = summary.as_ref().map_or_else(dash, |own| own.devices.clone());
        table.row([entry.name.clone(), version, rows, devices, state]);
    }
    table
}

/// The same as JSON.
pub(super) fn as_json(index: &[IndexEntry], repository: &Repository) -> String {
    let entry = |entry: &IndexEntry| {
        let summary = summary(entry, repository);
        json!({
            "name": entry.name,
            "version": entry.version,
            "state": entry.state.map(ModelState::name),
            "reason": entry.reason,
            "rows": summary.as_ref().map(|own| &own.rows),
            "devices": summary.as_ref().map(|own| &own.devices),
        })
    };
    serde_json::Value::from(index.iter().map(entry).collect::<Vec<_>>()).to_string()
}

/// The properties of the version of a line, if it answers.
fn summary(entry: &IndexEntry, repository: &Repository) -> Option<ModelSummary> {
    repository.model(&entry.name, entry.version).ok()?.summary()
}
