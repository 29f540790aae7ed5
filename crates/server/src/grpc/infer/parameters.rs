//! Parameters of requests, inputs and outputs.

use std::time::Duration;

use crate::grpc::message::{ParameterChoice, ParameterEntry};
use crate::grpc::status::Status;
use crate::infer::{Correlation, Parameter, Parameters, SharedRegion};

/// The parameter that asks for a message at the end of the answers of a decoupled model.
const EMPTY_FINAL: &str = "triton_enable_empty_final_response";

/// Reads the parameters of a request. The second value tells whether the client wants to see the end of the answers.
pub(super) fn request(entries: Vec<ParameterEntry>) -> Result<(Parameters, bool), Status> {
    let mut parameters = Parameters::default();
    let mut empty_final = false;
    for entry in entries {
        let key = &*entry.key;
        let wrong = |expected| Err(wrong_type(key, expected));
        match (key, entry.choice()) {
            ("sequence_id", Some(&ParameterChoice::Int64(id))) => {
                parameters.sequence.id = Correlation::Number(id.cast_unsigned());
            }
            ("sequence_id", Some(ParameterChoice::String(id))) => {
                parameters.sequence.id = Correlation::Text(id.clone());
            }
            ("sequence_id", _) => return wrong("int64_param or string_param."),
            ("sequence_start", Some(&ParameterChoice::Bool(start))) => {
                parameters.sequence.start = start;
            }
            ("sequence_end", Some(&ParameterChoice::Bool(end))) => parameters.sequence.end = end,
            ("sequence_start" | "sequence_end", _) => return wrong("bool_param."),
            ("priority", Some(&ParameterChoice::Uint64(level))) => parameters.priority = level,
            ("priority", Some(&ParameterChoice::Int64(level))) => {
                parameters.priority = u64::try_from(level).map_err(|_| {
                    Status::invalid("invalid value for 'priority', expected value >= 0.")
                })?;
            }
            ("priority", _) => return wrong("int64_param or uint64_param."),
            ("timeout", Some(&ParameterChoice::Int64(timeout))) => {
                parameters.timeout = Duration::from_micros(timeout.cast_unsigned());
            }
            ("timeout", _) => return wrong("int64_param."),
            (EMPTY_FINAL, Some(&ParameterChoice::Bool(wanted))) => empty_final = wanted,
            (EMPTY_FINAL, _) => return wrong("bool_param."),
            (key, _) if key.starts_with("triton_") => {
                return Err(Status::invalid(format!(
                    "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with \
                     'triton_' are allowed: {EMPTY_FINAL}"
                )));
            }
            (_, choice) => {
                let other = choice.and_then(other);
                let other = other
                    .ok_or_else(|| wrong_type(key, "int64_param, bool_param, or string_param."))?;
                parameters.others.push((entry.key, other));
            }
        }
    }
    Ok((parameters, empty_final))
}

/// A parameter without a meaning to the server.
fn other(choice: &ParameterChoice) -> Option<Parameter> {
    Some(match choice {
        ParameterChoice::Bool(value) => Parameter::Bool(*value),
        ParameterChoice::Int64(value) => Parameter::Integer(*value),
        ParameterChoice::Double(value) => Parameter::Float(*value),
        ParameterChoice::String(value) => Parameter::Text(value.clone()),
        ParameterChoice::Uint64(value) => Parameter::Integer(i64::try_from(*value).ok()?),
    })
}

/// The region of shared memory that a tensor's parameters name.
pub(super) fn region(
    tensor: &str,
    entries: &[ParameterEntry],
) -> Result<Option<SharedRegion>, Status> {
    let mut region = SharedRegion::default();
    let (mut is_shared, mut has_size) = (false, false);
    for entry in entries {
        let key = &*entry.key;
        match (key, entry.choice()) {
            ("shared_memory_region", Some(ParameterChoice::String(name))) => {
                region.name.clone_from(name);
                is_shared = true;
            }
            ("shared_memory_region", _) => return Err(wrong_tensor(key, tensor, "string_param")),
            ("shared_memory_offset", choice) => region.offset = bytes(choice, key, tensor)?,
            ("shared_memory_byte_size", choice) => {
                region.size = bytes(choice, key, tensor)?;
                has_size = true;
            }
            _ => {}
        }
    }
    if is_shared && !has_size {
        return Err(Status::invalid(format!(
            "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '{tensor}'"
        )));
    }
    Ok(is_shared.then_some(region))
}

fn bytes(choice: Option<&ParameterChoice>, key: &str, tensor: &str) -> Result<u64, Status> {
    match choice {
        Some(&ParameterChoice::Int64(value)) => u64::try_from(value).map_err(|_| {
            Status::invalid(format!(
                "invalid value for '{key}' parameter for tensor '{tensor}', expected >= 0"
            ))
        }),
        _ => Err(wrong_tensor(key, tensor, "int64_param")),
    }
}

/// How many classes an output's parameters ask for; 0 for none.
pub(super) fn classes(entries: &[ParameterEntry]) -> Result<u64, Status> {
    let Some(entry) = entries.iter().rfind(|entry| entry.key == "classification") else {
        return Ok(0);
    };
    match entry.choice() {
        Some(&ParameterChoice::Int64(count @ 1..)) => Ok(count.cast_unsigned()),
        Some(ParameterChoice::Int64(_)) => {
            Err(Status::invalid("invalid value for 'classification' parameter, expected >= 0"))
        }
        _ => Err(wrong_type("classification", "int64_param")),
    }
}

fn wrong_type(key: &str, expected: &str) -> Status {
    Status::invalid(format!("invalid value type for '{key}' parameter, expected {expected}"))
}

fn wrong_tensor(key: &str, tensor: &str, expected: &str) -> Status {
    Status::invalid(format!(
        "invalid value type for '{key}' parameter for tensor '{tensor}', expected {expected}."
    ))
}
