//! The table of models.

use crate::render::{Align, Table};
use serde_json::json;
use trident_server::repository::{IndexEntry, ModelState};

/// The models, with their versions and states.
pub(super) fn models(index: &[IndexEntry]) -> Table {
    let columns = [("model", Align::Left), ("version", Align::Right), ("state", Align::Left)];
    let mut table = Table::new(&columns);
    for entry in index {
        let version = entry.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
        let state = entry.state.map_or("not loaded", ModelState::name);
        let state = match entry.reason.trim_end_matches([';', '\n']) {
            "" => state.to_owned(),
            reason => format!("{state}: {reason}"),
        };
        table.row([entry.name.clone(), version, state]);
    }
    table
}

/// The same as JSON.
pub(super) fn as_json(index: &[IndexEntry]) -> String {
    let entry = |entry: &IndexEntry| {
        json!({
            "name": entry.name,
            "version": entry.version,
            "state": entry.state.map(ModelState::name),
            "reason": entry.reason,
        })
    };
    serde_json::Value::from(index.iter().map(entry).collect::<Vec<_>>()).to_string()
}
