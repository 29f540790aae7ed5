//! Whether a request fits a model's configuration, in the order of the server's checks and with its texts.
//!
//! Of several inputs that do not fit, the server names one of an arbitrary order. Here it is the last one.

use trident_serving::{
    DataType, Fault, Fill, ModelConfig, ModelInput, Part, RequestError, check_bytes,
};

use super::infer::fault;
use crate::infer::{Data, InferInput, InferRequest};

/// The end of errors about shapes of models with a batch dimension.
const NOTE: &str = ". NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to \
                    each input shape. If you want to specify the full shape including the batch dim in your input dims config, \
                    try setting max_batch_size to zero. See the model configuration docs for more info on max_batch_size.";

/// The rows of a request that fits a configuration.
pub(super) fn check(config: &ModelConfig, request: &InferRequest) -> Result<u64, Fault> {
    let refused = |error: &RequestError| fault(&request.id, error);
    let model = || config.name.clone();
    for output in &request.outputs {
        if !config.output.iter().any(|own| own.name == output.name) {
            let (model, output) = (model(), output.name.clone());
            return Err(refused(&RequestError::UnexpectedOutput { model, output }));
        }
    }
    count(config, request)?;
    let mut inputs: Vec<(&InferInput, &ModelInput)> = Vec::with_capacity(request.inputs.len());
    for input in request.inputs.iter().rev() {
        match config.input.iter().find(|own| own.name == input.name) {
            Some(own) => inputs.push((input, own)),
            None => {
                let (model, input) = (model(), input.name.clone());
                return Err(refused(&RequestError::UnexpectedInput { model, input }));
            }
        }
    }
    let has_rows = config.max_batch_size > 0;
    if let Some((input, _)) = inputs.iter().find(|(input, _)| has_rows && input.shape.is_empty()) {
        return Err(Fault::invalid(format_args!(
            "[request id: {}] input '{}' has no shape but model requires batch dimension for '{}'",
            shown(&request.id),
            input.name,
            config.name
        )));
    }
    let rows = rows(config, &inputs).map_err(|error| refused(&error))?;
    for (input, own) in &inputs {
        fits(config, &request.id, input, own)?;
    }
    for (input, _) in &inputs {
        sizes(config, input).map_err(|error| refused(&error))?;
    }
    Ok(rows)
}

/// An error unless the number of inputs is one that the configuration has.
fn count(config: &ModelConfig, request: &InferRequest) -> Result<(), Fault> {
    let required = config.input.iter().filter(|own| !own.optional);
    let (least, most, given) = (required.clone().count(), config.input.len(), request.inputs.len());
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.into_iter().map(|name| format!("'{name}'")).collect();
        names.join(",")
    };
    let got = quoted(request.inputs.iter().map(|input| input.name.as_str()).collect());
    let is_given = |name: &str| request.inputs.iter().any(|input| input.name == name);
    let missing = required.map(|own| own.name.as_str()).filter(|name| !is_given(name)).collect();
    // The server leaves the bracket out where nothing is missing.
    let missing = match quoted(missing) {
        names if names.is_empty() => "]".to_owned(),
        names => format!("[{names}]"),
    };
    let expected = match least == most {
        true => format!("{most} inputs"),
        false => format!("number of inputs between {least} and {most}"),
    };
    let id = shown(&request.id);
    Err(Fault::invalid(format_args!(
        "[request id: {id}] expected {expected} but got {given} inputs for model '{}'. Got input(s) [{got}], but missing required \
         input(s) {missing}. Please provide all required input(s).",
        config.name
    )))
}

/// A request's id as errors have it.
fn shown(id: &str) -> &str {
    if id.is_empty() { "<id_unknown>" } else { id }
}

/// The size along the batch dimension, which all inputs share; 1 without one.
fn rows(config: &ModelConfig, inputs: &[(&InferInput, &ModelInput)]) -> Result<u64, RequestError> {
    let largest = i64::from(config.max_batch_size);
    if largest < 1 {
        return Ok(1);
    }
    let mut rows = 0;
    for (input, _) in inputs {
        let own = input.shape.first().copied().unwrap_or(-1);
        if own < 0 || rows != 0 && own != rows {
            let (model, input) = (config.name.clone(), input.name.clone());
            return Err(RequestError::BatchSize { model, input });
        }
        rows = own;
    }
    match rows <= largest {
        true => Ok(rows.unsigned_abs()),
        false => {
            let (model, largest) = (config.name.clone(), largest.unsigned_abs() as usize);
            Err(RequestError::TooManyRows { model, largest })
        }
    }
}

/// An error unless an input has the type and the shape that the configuration gives it.
fn fits(config: &ModelConfig, id: &str, input: &InferInput, own: &ModelInput) -> Result<(), Fault> {
    let (model, name) = (|| config.name.clone(), || input.name.clone());
    if input.data_type != own.data_type {
        let (given, expected) = (input.data_type, own.data_type);
        let error = RequestError::DataType { model: model(), input: name(), given, expected };
        return Err(fault(id, &error));
    }
    if input.shape.iter().any(|dim| *dim < 0) {
        return Err(Fault::invalid(format_args!(
            "[request id: {}] All input dimensions should be specified for input '{}' for model '{}', got {}",
            shown(id),
            input.name,
            config.name,
            list(&input.shape)
        )));
    }
    let batch = usize::from(config.max_batch_size > 0);
    let dims = input.shape.get(batch..).unwrap_or_default();
    let agrees = |(own, given): (&i64, &i64)| *own == *given || *own == -1 && *given >= 0;
    if input.shape.len() >= batch
        && dims.len() == own.dims.len()
        && own.dims.iter().zip(dims).all(agrees)
    {
        return Ok(());
    }
    let expected: Vec<i64> = [-1][..batch].iter().chain(&own.dims).copied().collect();
    let (expected, given) = (list(&expected), list(&input.shape));
    let error = RequestError::Shape { model: model(), input: name(), expected, given };
    let mut refused = fault(id, &error);
    if batch > 0 {
        refused.text.push_str(NOTE);
    }
    Err(refused)
}

/// An error unless an input has as many bytes, or strings, as its shape asks for. Strings in shared memory are looked at later.
fn sizes(config: &ModelConfig, input: &InferInput) -> Result<(), RequestError> {
    let elements =
        input.shape.iter().try_fold(1usize, |n, dim| n.checked_mul(usize::try_from(*dim).ok()?));
    let (model, name) = (|| config.name.clone(), || input.name.clone());
    let given = match &input.data {
        Data::Bytes(bytes) => bytes.len(),
        Data::Json(json) => json.size(),
        Data::Varints(varints) => varints.size(),
        Data::Parts(parts) => parts.iter().map(Part::size).fold(0, usize::saturating_add),
        Data::Shared(region) => usize::try_from(region.size).unwrap_or(usize::MAX),
    };
    if let Some(width) = input.data_type.byte_size() {
        let expected = elements.and_then(|n| n.checked_mul(width)).unwrap_or(usize::MAX);
        // The server counts a batch of no rows as one row.
        let item = input.shape.get(1..).unwrap_or_default();
        let expected = match (expected, config.max_batch_size > 0) {
            (0, true) => {
                item.iter().fold(width, |n, dim| n.saturating_mul(dim.unsigned_abs() as usize))
            }
            _ => expected,
        };
        return match given == expected {
            true => Ok(()),
            false => {
                let (model, input) = (model(), name());
                Err(RequestError::ByteSize { model, input, expected, given })
            }
        };
    }
    match &input.data {
        Data::Bytes(bytes) if input.data_type == DataType::String => {
            let checked = check_bytes(bytes, elements.unwrap_or(usize::MAX));
            checked.map_err(|fault| RequestError::Strings { model: model(), input: name(), fault })
        }
        _ => Ok(()),
    }
}

/// `[-1,3]`, as the server prints shapes.
fn list(shape: &[i64]) -> String {
    let dims: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}

/// A shape of one form in another form: sizes of variable dimensions keep their order. The batch dimension stays.
pub(super) fn reshape(shape: &[i64], from: &[i64], to: &[i64], has_batch: bool) -> Vec<i64> {
    let (batch, dims) = shape.split_at(usize::from(has_batch).min(shape.len()));
    let mut variable = from.iter().zip(dims).filter(|(own, _)| **own == -1).map(|(_, size)| *size);
    let dims = to.iter().map(|dim| if *dim == -1 { variable.next().unwrap_or(-1) } else { *dim });
    batch.iter().copied().chain(dims).collect()
}
