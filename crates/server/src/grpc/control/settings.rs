//! Settings of traces and of the log.

use bytes::Bytes;

use crate::grpc::call::decode;
use crate::grpc::message::{
    self, LogChoice, LogEntry, LogValue, TraceEntry, TraceSettings, TraceValue,
};
use crate::grpc::status::{Code, Status};
use crate::server::Server;
use crate::settings::{LogFormat, ServerLog};

/// Changes settings of traces, and returns those that apply now.
pub(super) fn trace(server: &Server, message: Bytes) -> Result<TraceSettings, Status> {
    let TraceSettings { settings, model_name: model } = decode(message)?;
    if !model.is_empty() && server.repository.model(&model, None).is_err() {
        return Err(Status::invalid(format!("Request for unknown model : {model}")));
    }
    let change = |entry: TraceEntry| {
        // A setting without a value gets its default.
        let values = entry.value.map(|value| value.value).filter(|values| !values.is_empty());
        (entry.key, values)
    };
    let changes: Vec<_> = settings.into_iter().map(change).collect();
    let now = match changes.is_empty() {
        true => server.traces.get(&model),
        false => server.traces.change(&model, &changes)?,
    };
    let entry = |(name, value): (&str, Vec<String>)| TraceEntry {
        key: name.to_owned(),
        value: Some(TraceValue { value }),
    };
    let settings = server.traces.texts(&now).into_iter().map(entry).collect();
    Ok(TraceSettings { settings, model_name: String::new() })
}

/// Changes settings of the log, and returns those that apply now.
pub(super) fn log(log: &ServerLog, message: Bytes) -> Result<message::LogSettings, Status> {
    let message::LogSettings { settings: changes } = decode(message)?;
    let mut settings = log.settings();
    for LogEntry { key, value } in &changes {
        let choice = value.as_ref().and_then(|value| value.choice.as_ref());
        let boolean = || match choice {
            Some(LogChoice::Bool(value)) => Ok(*value),
            _ => Err(Status::invalid(format!("expect boolean for '{key}'"))),
        };
        let text = || match choice {
            Some(LogChoice::String(text)) => Ok(text.as_str()),
            _ => Err(Status::invalid(format!("expect string for '{key}'"))),
        };
        match key.as_str() {
            "log_file" => {
                let text = "log file location can not be updated through network protocol";
                return Err(Status::new(Code::Unimplemented, text));
            }
            "log_info" => settings.info = boolean()?,
            "log_warning" => settings.warning = boolean()?,
            "log_error" => settings.error = boolean()?,
            "log_verbose_level" => {
                let Some(LogChoice::Uint32(level)) = choice else {
                    return Err(Status::invalid(format!("expect int32 for '{key}'")));
                };
                settings.verbose = *level;
            }
            "log_format" => {
                settings.format = LogFormat::of(text()?).ok_or_else(|| {
                    let given = text().unwrap_or_default();
                    Status::invalid(format!("invalid argument for log_format, got: {given}"))
                })?;
            }
            _ => {}
        }
    }
    if !changes.is_empty() {
        log.change(settings);
    }
    Ok(shown(log))
}

fn shown(log: &ServerLog) -> message::LogSettings {
    let now = log.settings();
    let entry = |key: &str, choice| LogEntry {
        key: key.to_owned(),
        value: Some(LogValue { choice: Some(choice) }),
    };
    let settings = vec![
        entry("log_file", LogChoice::String(now.file)),
        entry("log_info", LogChoice::Bool(now.info)),
        entry("log_warning", LogChoice::Bool(now.warning)),
        entry("log_error", LogChoice::Bool(now.error)),
        entry("log_verbose_level", LogChoice::Uint32(now.verbose)),
        entry("log_format", LogChoice::String(now.format.name().to_owned())),
    ];
    message::LogSettings { settings }
}
