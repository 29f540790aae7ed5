//! Settings of traces and of the log.

use bytes::Bytes;
use hyper::StatusCode;
use trident_serving::{ErrorCode, Fault};

use super::control::parse;
use super::infer::text_of;
use super::reply::{Refusal, Reply, json, object};
use crate::json::{JsonValue, WrongType};
use crate::server::Server;
use crate::settings::{LogFormat, TraceChange};

/// Shows the settings of traces of a model, or of the server if the name is empty, after changes that the body asks for.
pub(super) fn trace(server: &Server, model: &str, body: Option<Bytes>) -> Result<Reply, Refusal> {
    if !model.is_empty() && server.repository.model(model, None).is_err() {
        return Err(Fault::invalid(format_args!("Request for unknown model : {model}")).into());
    }
    let settings = match body {
        None => server.traces.get(model),
        Some(body) => {
            let document = parse(&body)?;
            let changes = changes(document.root()).map_err(Fault::internal)?;
            server.traces.change(model, &changes)?
        }
    };
    Ok(json(object(|writer| {
        for (name, values) in server.traces.texts(&settings) {
            match (name, &values[..]) {
                ("trace_level", levels) => writer.name(name).array(|writer| {
                    levels.iter().for_each(|level| writer.string(level.as_bytes()));
                }),
                (_, values) => writer.name(name).string(values.concat().as_bytes()),
            }
        }
    })))
}

/// The changes that an object asks for: a text or an array of texts, or `null` for the default.
fn changes(root: JsonValue<'_>) -> Result<Vec<TraceChange>, WrongType> {
    const KNOWN: [&str; 5] =
        ["trace_level", "trace_rate", "trace_count", "log_frequency", "trace_file"];
    let mut changes = vec![];
    for name in KNOWN {
        let values = match root.get(name) {
            None => continue,
            Some(value) if value.is_null() => None,
            Some(value) if name == "trace_level" => {
                Some(value.elements()?.map(text_of).collect::<Result<_, _>>()?)
            }
            Some(value) => Some(vec![text_of(value)?]),
        };
        changes.push((name.to_owned(), values));
    }
    Ok(changes)
}

/// Shows the settings of the log, after changes that the body asks for.
pub(super) fn log(server: &Server, body: Option<Bytes>) -> Result<Reply, Refusal> {
    if let Some(body) = body {
        change_log(server, &body)?;
    }
    let settings = server.log.settings();
    Ok(json(object(|writer| {
        writer.name("log_file").string(settings.file.as_bytes());
        writer.name("log_info").boolean(settings.info);
        writer.name("log_warning").boolean(settings.warning);
        writer.name("log_error").boolean(settings.error);
        writer.name("log_verbose_level").integer(settings.verbose);
        writer.name("log_format").string(settings.format.name().as_bytes());
    })))
}

fn change_log(server: &Server, body: &Bytes) -> Result<(), Refusal> {
    let document = parse(body)?;
    let root = document.root();
    if root.get("log_file").is_some() {
        let text = "log file location can not be updated through network protocol".to_owned();
        return Err(Fault { code: ErrorCode::Unsupported, text }.into());
    }
    let mut settings = server.log.settings();
    let switches = [
        ("log_info", &mut settings.info),
        ("log_warning", &mut settings.warning),
        ("log_error", &mut settings.error),
    ];
    for (name, switch) in switches {
        if let Some(value) = root.get(name).filter(|value| !value.is_null()) {
            *switch = value.boolean().map_err(Fault::internal)?;
        }
    }
    if let Some(level) = root.get("log_verbose_level") {
        let level = level.unsigned().map_err(Fault::internal)?;
        settings.verbose = u32::try_from(level).unwrap_or(u32::MAX);
    }
    if let Some(format) = root.get("log_format") {
        let name = text_of(format).map_err(Fault::internal)?;
        settings.format = LogFormat::of(&name).ok_or_else(|| {
            let text = format_args!("invalid argument for --log_format, got: {name}");
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
        })?;
    }
    server.log.change(settings);
    Ok(())
}
