//! The figures of the web console that the protocol's statistics lack.

use std::sync::OnceLock;
use std::time::Instant;

use super::reply::{Reply, json, object};
use crate::json::Writer;
use crate::metrics::own_resident;
use crate::model::HostedModel;
use crate::server::Server;

/// `{"now_us", "cores", "suspended", "resident", "models": [{"name", "version", "pending", "weight", "core_us"}]}`. Times are in
/// microseconds, `now_us` since the first call; `resident` is in bytes. Members that are not known are absent.
pub(super) fn figures(server: &Server) -> Reply {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let models = server.repository.ready(None);
    json(object(|writer| {
        let now = FIRST.get_or_init(Instant::now).elapsed();
        writer.name("now_us").integer(now.as_micros() as u64);
        writer.name("cores").integer(server.repository.cores() as u64);
        writer.name("suspended").integer(server.repository.suspended_runs() as u64);
        if let Some(bytes) = own_resident() {
            writer.name("resident").integer(bytes);
        }
        writer.name("models").array(|writer| {
            models.iter().for_each(|own| writer.object(|writer| model(writer, own)));
        });
    }))
}

fn model(writer: &mut Writer, model: &HostedModel) {
    writer.name("name").string(model.name().as_bytes());
    writer.name("version").string(model.version().to_string().as_bytes());
    writer.name("pending").integer(model.totals().pending);
    if let Some(own) = model.core_use() {
        writer.name("weight").integer(own.weight);
        writer.name("core_us").integer(own.time.as_micros() as u64);
    }
}
