//! The reader of requests.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trident_serving::DataType;

use super::source::{Binary, source, sources, without_source};
use crate::http::control::parse;
use crate::infer::{
    Correlation, Fault, InferInput, InferOutput, InferRequest, Parameter, Parameters, SharedRegion,
};
use crate::json::{Document, JsonValue, WrongType};

/// The inputs for which memory is reserved at once: those of most requests.
const FEW: usize = 4;

/// Reads a request of a body whose first `json` bytes are a JSON text. `model` is the name in errors.
///
/// # Errors
/// A text that is not JSON, members that are missing or of another type, and inputs without one source of data; with the
/// server's codes and texts. Names, types and shapes are not compared with the model.
pub fn read(body: &Bytes, json: usize, model: &str) -> Result<InferRequest, Fault> {
    let text = body.slice(..json.min(body.len()));
    let document = Arc::new(parse(&text)?);
    let root = document.root();
    let mut binary = Binary { rest: body.slice(json.min(body.len())..), model };
    let mut request = InferRequest::default();
    if let Some(id) = root.get("id") {
        request.id = text_of(id).map_err(unable("id"))?;
    }
    if let Some(parameters) = root.get("parameters") {
        request.parameters = read_parameters(parameters)?;
    }
    let inputs = root.member("inputs").map_err(unable("inputs"))?;
    if inputs.is_numbers() {
        return Err(sources(&[]));
    }
    request.inputs.reserve(inputs.count().min(FEW));
    for value in inputs.elements().map_err(unable("inputs"))? {
        request.add_input(read_input(&document, value, &mut binary)?)?;
    }
    if !binary.rest.is_empty() {
        return Err(Fault::invalid(format_args!(
            "unexpected additional input data for model '{model}'"
        )));
    }
    if let Some(outputs) = root.get("outputs") {
        if outputs.is_numbers() {
            return Err(unable("name")(WrongType::Missing("name")));
        }
        for value in outputs.elements().map_err(unable("outputs"))? {
            request.add_output(read_output(value)?)?;
        }
    }
    Ok(request)
}

/// The fault of a member that cannot be read.
pub(in crate::http) fn unable<E: std::fmt::Display>(member: &str) -> impl Fn(E) -> Fault {
    move |error| Fault::internal(format_args!("Unable to parse '{member}': {error}"))
}

/// A string as text. Bytes that are not UTF-8 are replaced: names with them fit nothing.
pub(in crate::http) fn text_of(value: JsonValue<'_>) -> Result<String, WrongType> {
    Ok(String::from_utf8_lossy(&value.string()?).into_owned())
}

fn read_input(
    document: &Arc<Document>,
    value: JsonValue<'_>,
    binary: &mut Binary<'_>,
) -> Result<InferInput, Fault> {
    // The server looks for the data first.
    let unable = |name| move |error| without_source(value).unwrap_or_else(|| unable(name)(error));
    let text = |name| value.member(name).and_then(text_of).map_err(unable(name));
    let name = text("name")?;
    let data_type = value.member("datatype").and_then(JsonValue::string);
    let data_type = data_type.map_err(unable("datatype"))?;
    let data_type = str::from_utf8(&data_type).ok().and_then(DataType::of_protocol);
    let data_type = data_type
        .ok_or_else(|| Fault::invalid(format_args!("invalid datatype for input {name}")))?;
    let dims = value.member("shape").and_then(JsonValue::integers).map_err(unable("shape"))?;
    let shape = dims.into_iter().map(i64::try_from).collect::<Result<Vec<_>, _>>();
    let shape = shape.map_err(|_| unable("shape")(WrongType::Unsigned))?;
    let data = source(document, value, binary, (&name, data_type, &shape))?;
    Ok(InferInput { name, data_type, shape, data })
}

fn read_output(value: JsonValue<'_>) -> Result<InferOutput, Fault> {
    let name = value.member("name").and_then(text_of).map_err(unable("name"))?;
    let mut output = InferOutput { name, ..InferOutput::default() };
    let Some(parameters) = value.get("parameters") else {
        return Ok(output);
    };
    if let Some(classes) = parameters.get("classification") {
        output.classes = classes.unsigned().map_err(|error| {
            Fault::internal(format_args!("Unable to set 'classification': {error}"))
        })?;
    }
    if let Some(binary) = parameters.get("binary_data") {
        output.binary = Some(binary.boolean().map_err(unable("binary_data"))?);
    }
    output.region = read_region(parameters)?;
    let other = match (output.classes, output.binary) {
        (1.., _) => "classification",
        (_, Some(true)) => "binary_data",
        _ => return Ok(output),
    };
    match output.region {
        Some(_) => Err(Fault::invalid(format_args!(
            "Output can't set both 'shared_memory_region' and '{other}'"
        ))),
        None => Ok(output),
    }
}

/// The region that a tensor's parameters name.
pub(super) fn read_region(parameters: JsonValue<'_>) -> Result<Option<SharedRegion>, Fault> {
    let Some(name) = parameters.get("shared_memory_region") else {
        return Ok(None);
    };
    let name = text_of(name).map_err(unable("shared_memory_region"))?;
    let number = |member| {
        let value = parameters.get(member);
        value.map(|value| value.unsigned().map_err(unable(member))).transpose()
    };
    let offset = number("shared_memory_offset")?.unwrap_or(0);
    let size = number("shared_memory_byte_size")?.ok_or_else(|| {
        Fault::invalid(format_args!(
            "Invalid offset + byte size for shared memory region: '{name}'"
        ))
    })?;
    Ok(Some(SharedRegion { name, offset, size }))
}

fn read_parameters(object: JsonValue<'_>) -> Result<Parameters, Fault> {
    let mut parameters = Parameters::default();
    let members = object.members().map_err(|_| {
        Fault::internal("failed to get request params.: attempt to get members for non-object")
    });
    for (name, value) in members? {
        let name = text_of(name).map_err(Fault::internal)?;
        if name.starts_with("triton_") {
            return Err(Fault::invalid(
                "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
            ));
        }
        parameter_of(&mut parameters, name, value)?;
    }
    Ok(parameters)
}

/// Reads one parameter.
pub(in crate::http) fn parameter_of(
    parameters: &mut Parameters,
    name: String,
    value: JsonValue<'_>,
) -> Result<(), Fault> {
    if !read_known(parameters, &name, value).map_err(unable(&name))? {
        let value = parameter(value).ok_or_else(|| wrong_parameter(&name))?;
        parameters.others.push((name, value));
    }
    Ok(())
}

/// Reads a parameter that has a meaning. Returns whether it has one.
fn read_known(
    parameters: &mut Parameters,
    name: &str,
    value: JsonValue<'_>,
) -> Result<bool, WrongType> {
    match name {
        "sequence_id" => parameters.sequence.id = correlation(value)?,
        "sequence_start" => parameters.sequence.start = value.boolean()?,
        "sequence_end" => parameters.sequence.end = value.boolean()?,
        "priority" => parameters.priority = value.unsigned()?,
        "timeout" => parameters.timeout = Duration::from_micros(value.unsigned()?),
        "binary_data_output" => parameters.binary_output = value.boolean()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn correlation(value: JsonValue<'_>) -> Result<Correlation, WrongType> {
    match value.unsigned() {
        Ok(number) => Ok(Correlation::Number(number)),
        Err(_) => text_of(value).map(Correlation::Text),
    }
}

/// A parameter without a meaning to the server.
fn parameter(value: JsonValue<'_>) -> Option<Parameter> {
    let integer = |value: JsonValue<'_>| value.signed().map(Parameter::Integer);
    let float = |value: JsonValue<'_>| value.float().map(Parameter::Float);
    let text = |value| text_of(value).map(Parameter::Text);
    let boolean = value.boolean().map(Parameter::Bool);
    boolean.or_else(|_| integer(value)).or_else(|_| float(value)).or_else(|_| text(value)).ok()
}

fn wrong_parameter(name: &str) -> Fault {
    Fault::invalid(format_args!(
        "parameter '{name}' has invalid type. It should be either 'int', 'bool', or 'string'."
    ))
}
