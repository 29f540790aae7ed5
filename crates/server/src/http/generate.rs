//! `generate` and `generate_stream`: requests and answers as flat objects, whose members are tensors of one row and parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{StatusCode, header};
use trident_serving::{DataType, Fault, ModelInput};

use super::HttpFront;
use super::answers::Answers;
use super::body::ReplyBody;
use super::compress;
use super::control::parse;
use super::events::{Events, FlatForm};
use super::handle;
use super::infer::{data_of, elements, not_in_json, parameter, parameter_of, text_of, unable};
use super::inference;
use super::reply::{self, Media, Refusal, error_text, object, respond};
use super::route::ModelRoute;
use crate::infer::{
    AnswerTensor, Data, InferAnswer, InferInput, InferRequest, Parameter, Parameters, Reply,
};
use crate::json::{Document, FillType, JsonValue, Writer};
use crate::model::HostedModel;
use crate::observe::Observed;

/// The error of a model that gives none or several answers.
const NOT_ONE: &str = "generate expects model to produce exactly 1 response, use generate stream for model that generates various \
                       number of responses";

/// `POST /v2/models/NAME/generate`: one answer.
pub(super) async fn generate(
    front: &HttpFront,
    route: &ModelRoute<'_>,
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
    observed: &mut Observed,
) -> Result<reply::Reply, Refusal> {
    let mut answers = start(front, route, parts, body, observed).await?;
    let (mut only, mut count) = (None, 0);
    loop {
        let reply = answers.next().await?;
        if let Some(answer) = &reply.answer {
            observed.answered(answer);
        }
        match reply.answer {
            Some(Ok(answer)) => {
                count += 1;
                only = Some(answer);
            }
            Some(Err(fault)) if inference::is_of_run(&fault) => {
                observed.end(StatusCode::BAD_REQUEST.as_str(), Some(&fault.text));
                let text = error_text(&fault.text);
                let body = ReplyBody::Chunked(text.into());
                return Ok(respond(StatusCode::BAD_REQUEST, Media::Json, body));
            }
            Some(Err(fault)) => return Err(fault.into()),
            None => {}
        }
        if reply.is_last {
            break;
        }
    }
    let text = match only.filter(|_| count == 1) {
        Some(answer) => flat(&answer)?,
        None => {
            observed.end(StatusCode::OK.as_str(), Some(NOT_ONE));
            error_text(NOT_ONE)
        }
    };
    Ok(respond(StatusCode::OK, Media::Json, ReplyBody::Chunked(text.into())))
}

/// `POST /v2/models/NAME/generate_stream`: an event for each answer. The first one decides on the status.
pub(super) async fn generate_stream(
    front: &HttpFront,
    route: &ModelRoute<'_>,
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
    observed: &mut Observed,
) -> Result<reply::Reply, Refusal> {
    let mut answers = start(front, route, parts, body, observed).await?;
    let first = answers.next().await?;
    let status = match &first {
        Reply { answer: Some(Err(fault)), .. } if !inference::is_of_run(fault) => {
            return Err(fault.clone().into());
        }
        Reply { answer: Some(Err(_)), .. } => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    };
    let form = Box::new(FlatForm);
    Ok(Events::new(status, first, answers, form, std::mem::take(observed)).reply())
}

/// Submits the request of a body.
async fn start(
    front: &HttpFront,
    route: &ModelRoute<'_>,
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
    observed: &mut Observed,
) -> Result<Answers, Refusal> {
    let model = handle::model(&front.server, route)?;
    let encoding = parts.headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
    if compress::of_request(encoding) != Ok(None) {
        let text = "Unsupported content-encoding, only 'identity' is supported.";
        return Err(Fault::invalid(text).into());
    }
    let mut request = request(&Arc::new(parse(&body.await?)?), &model)?;
    front.options.forwarded.forward(&parts.headers, &mut request.parameters)?;
    observed.submits(&mut request);
    Ok(Answers::of(&model, request, &front.server.regions))
}

/// The request of an object: members that are named as inputs are tensors, others are parameters.
fn request(document: &Arc<Document>, model: &HostedModel) -> Result<InferRequest, Fault> {
    let mut request = InferRequest::default();
    for (name, value) in document.root().members().map_err(Fault::internal)? {
        let name = text_of(name).map_err(Fault::internal)?;
        let input = model.config().input.iter().find(|input| input.name == name);
        match (input, name.as_str()) {
            (Some(input), _) => {
                let rows = model.config().max_batch_size > 0;
                request.inputs.push(tensor(document, value, input, rows)?);
            }
            (None, "id") => request.id = text_of(value).map_err(unable("id"))?,
            (None, "parameters") => read_parameters(&mut request.parameters, value)?,
            (None, _) => parameter_of(&mut request.parameters, name, value)?,
        }
    }
    Ok(request)
}

/// Reads the member `parameters`.
fn read_parameters(parameters: &mut Parameters, value: JsonValue<'_>) -> Result<(), Fault> {
    let members = value.members().map_err(|error| {
        Fault::internal(format_args!("Expected JSON object for keyword: 'parameters': {error}"))
    });
    for (name, value) in members? {
        let name = text_of(name).map_err(Fault::internal)?;
        parameter_of(parameters, name, value).map_err(|fault| Fault {
            text: format!("Converting keyword: 'parameters': {}", fault.text),
            ..fault
        })?;
    }
    Ok(())
}

/// The tensor of a member. `rows` tells whether the model has a batch dimension.
pub(super) fn tensor(
    document: &Arc<Document>,
    value: JsonValue<'_>,
    input: &ModelInput,
    rows: bool,
) -> Result<InferInput, Fault> {
    let (name, data_type) = (input.name.clone(), input.data_type);
    let count = match data_type {
        DataType::String => {
            let mut count = 0;
            let counted = value.strings(&mut |_| {
                count += 1;
                Ok(())
            });
            counted.map_err(Fault::internal)?;
            count
        }
        _ => {
            let scalar = FillType::of(data_type).ok_or_else(|| not_in_json(&name, data_type))?;
            value.check(scalar).map_err(Fault::internal)?
        }
    };
    // Of nested arrays, the outermost one counts.
    let count = if value.is_array() { value.count() } else { count };
    let mut shape = shape(&input.dims, count).ok_or_else(|| {
        Fault::invalid(format_args!(
            "The schema can not convert input '{name}' to tensor with proper shape"
        ))
    })?;
    if rows {
        shape.insert(0, 1);
    }
    let data: Data = data_of(document, value, (&name, data_type, &shape))?;
    Ok(InferInput { name, data_type, shape, data })
}

/// The shape of so many elements: the innermost variable dimension gets what the fixed ones leave, the others are 1.
pub(super) fn shape(dims: &[i64], count: usize) -> Option<Vec<i64>> {
    let count = i64::try_from(count).ok()?;
    let fixed = dims.iter().filter(|dim| **dim >= 0).try_fold(1i64, |a, &b| a.checked_mul(b))?;
    let mut shape: Vec<i64> = dims.iter().map(|&dim| if dim < 0 { 1 } else { dim }).collect();
    match dims.iter().rposition(|dim| *dim < 0) {
        Some(axis) if fixed > 0 && count % fixed == 0 => shape[axis] = count / fixed,
        None if fixed == count => {}
        _ => return None,
    }
    Some(shape)
}

/// An answer as an object, whose members are sorted. Tensors of one element are scalars, others flat arrays.
///
/// # Errors
/// An output whose type JSON does not carry.
pub(super) fn flat(answer: &InferAnswer) -> Result<Vec<u8>, Fault> {
    let version = answer.version.to_string();
    let mut members = BTreeMap::new();
    members.extend(answer.outputs.iter().map(|output| (&*output.name, Member::Tensor(output))));
    members.insert("model_name", Member::Text(&answer.model));
    members.insert("model_version", Member::Text(&version));
    let parameters = answer.parameters.iter();
    members.extend(parameters.map(|(name, value)| (&**name, Member::Parameter(value))));
    if !answer.id.is_empty() {
        members.insert("id", Member::Text(&answer.id));
    }
    let mut written = Ok(());
    let text = object(|writer| {
        for (name, member) in &members {
            writer.name(name);
            match member {
                Member::Text(text) => writer.string(text.as_bytes()),
                Member::Parameter(value) => parameter(writer, value),
                Member::Tensor(output) => {
                    if let Err(fault) = write(writer, output) {
                        written = Err(fault);
                    }
                }
            }
        }
    });
    written.map(|()| text)
}

enum Member<'a> {
    Text(&'a str),
    Parameter(&'a Parameter),
    Tensor(&'a AnswerTensor),
}

/// Writes a tensor's elements.
fn write(writer: &mut Writer, output: &AnswerTensor) -> Result<(), Fault> {
    let data = output.data.as_deref().unwrap_or_default();
    if output.shape.iter().product::<i64>() == 1 {
        return elements(writer, output, data);
    }
    let mut written = Ok(());
    writer.array(|writer| written = elements(writer, output, data));
    written
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn elements_get_the_shape_of_the_configuration() {
        assert_eq!(shape(&[16], 16), Some(vec![16]));
        assert_eq!(shape(&[1], 2), None);
        assert_eq!(shape(&[-1, 2, -1], 6), Some(vec![1, 2, 3]));
        assert_eq!(shape(&[-1, 2], 3), None);
        assert_eq!(shape(&[-1, 0], 0), None);
        assert_eq!(shape(&[], 1), Some(vec![]));
    }
}
