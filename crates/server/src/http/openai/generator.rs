//! Models that generate text: their tensors, and requests to them.
//!
//! They have the tensors of the Triton Inference Server's models for `generate`: the prompt is the input `text_input` or the only one of
//! strings, and each answer has a part of the text in the output `text_output` or the only one of strings. Members of a request that
//! have the name of an input become its tensor.

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use trident_serving::{DataType, Fault, ModelInput, ModelOutput};

use super::models::Service;
use super::{Asking, Failure, PARAMETER};
use crate::http::answers::Answers;
use crate::http::generate::{shape, tensor};
use crate::infer::{AnswerTensor, Data, InferAnswer, InferInput, InferRequest, strings};
use crate::json::{Document, JsonValue};
use crate::model::HostedModel;

/// The output in which a model may say why its text ends.
const REASON: &str = "finish_reason";

/// The input that takes the messages of a conversation as JSON.
const MESSAGES: &str = "messages";

/// Members that change no text.
const REMARKS: [&str; 8] = [
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "user",
];

/// A model that generates text.
pub(super) struct Generator {
    pub(super) model: Arc<HostedModel>,
    /// The places of the prompt among the inputs, and of the text among the outputs.
    prompt: usize,
    text: usize,
}

impl Generator {
    /// The model of a request.
    ///
    /// # Errors
    /// An unknown model, and one that does not generate text.
    pub(super) fn of(asking: &mut Asking<'_>, document: &Document) -> Result<Generator, Failure> {
        let model = asking.model(document)?;
        let unfit = |reason: &str| {
            let name = model.name();
            Failure::unsupported(format!("model '{name}' does not generate text: {reason}"))
        };
        let config = model.config();
        if Service::of(config) != Some(Service::Completions) {
            return Err(unfit(&format!(
                "its parameter '{PARAMETER}' is not '{}'; hint: models without a loop over tokens cannot generate, and \
                 '/v1/embeddings' is there for models whose parameter is '{}'",
                Service::Completions.name(),
                Service::Embeddings.name()
            )));
        }
        let inputs = config.input.iter().map(|input| (&*input.name, input.data_type));
        let prompt = only_text(inputs, &["text_input", "prompt", MESSAGES]).ok_or_else(|| {
            unfit("it has no input 'text_input', and not exactly one of type TYPE_STRING")
        })?;
        let outputs = config.output.iter().map(|output| (&*output.name, output.data_type));
        let outputs = outputs.map(|(name, data_type)| match name {
            // It is never the text.
            REASON => (name, DataType::Invalid),
            _ => (name, data_type),
        });
        let text = only_text(outputs, &["text_output"]).ok_or_else(|| {
            unfit("it has no output 'text_output', and not exactly one of type TYPE_STRING")
        })?;
        Ok(Generator { prompt, text, model })
    }

    /// The model's input for the prompt.
    fn prompt(&self) -> &ModelInput {
        &self.model.config().input[self.prompt]
    }

    /// Whether its prompt is the JSON text of a conversation.
    pub(super) fn takes_messages(&self) -> bool {
        self.prompt().name == MESSAGES
    }

    fn text(&self) -> &ModelOutput {
        &self.model.config().output[self.text]
    }

    /// The input of a name, but for that of the prompt.
    fn input(&self, name: &str) -> Option<&ModelInput> {
        let inputs = self.model.config().input.iter();
        inputs
            .enumerate()
            .find_map(|(at, input)| (at != self.prompt && input.name == name).then_some(input))
    }

    /// Submits a prompt with the other members of a request. `own` are members that the endpoint has read itself.
    ///
    /// # Errors
    /// A member that the model has no input for, unless its value is the default.
    pub(super) fn submit(
        &self,
        asking: &mut Asking<'_>,
        document: &Arc<Document>,
        prompt: &[u8],
        own: &[&str],
    ) -> Result<Answers, Failure> {
        let mut request = InferRequest::default();
        request.inputs.push(self.string(prompt)?);
        let members = document.root().members().into_iter().flatten();
        for (name, value) in members {
            let Some(name) = super::text(name).filter(|name| !own.contains(&&**name)) else {
                continue;
            };
            if value.is_null() {
                continue;
            }
            match self.input_of(&name) {
                Some(input) => {
                    let rows = self.model.config().max_batch_size > 0;
                    let invalid =
                        |fault: Fault| Failure::invalid(format!("'{name}': {}", fault.text));
                    let tensor = tensor(document, value, input, rows).map_err(invalid)?;
                    request.add_input(tensor)?;
                }
                None if REMARKS.contains(&&*name) || is_default(&name, value) => {}
                None => {
                    return Err(Failure::invalid(format!(
                        "'{name}' has no effect on model '{}', which has no input of this name: leave it out",
                        self.model.name()
                    )));
                }
            }
        }
        asking.submits(&mut request)?;
        Ok(Answers::of(&self.model, request, &asking.front.server.regions))
    }

    /// The input for a member of a request.
    fn input_of(&self, member: &str) -> Option<&ModelInput> {
        self.input(member).or_else(|| match member {
            "max_completion_tokens" => self.input("max_tokens"),
            _ => None,
        })
    }

    /// The tensor of the prompt.
    fn string(&self, prompt: &[u8]) -> Result<InferInput, Failure> {
        let input = self.prompt();
        let mut shape = shape(&input.dims, 1).ok_or_else(|| {
            Failure::unsupported(format!(
                "model '{}' does not generate text: its input '{}' does not take one text",
                self.model.name(),
                input.name
            ))
        })?;
        if self.model.config().max_batch_size > 0 {
            shape.insert(0, 1);
        }
        let mut data = BytesMut::with_capacity(prompt.len() + 4);
        // A body has less than 4 GiB.
        data.put_u32_le(prompt.len() as u32);
        data.put_slice(prompt);
        let (name, data) = (input.name.clone(), Data::Bytes(data.freeze()));
        Ok(InferInput { name, data_type: DataType::String, shape, data })
    }

    /// The text of an answer, and why it ends if the model says so.
    pub(super) fn piece(&self, answer: &InferAnswer) -> Piece {
        let texts = |name: &str| answer.outputs.iter().find(|output| output.name == name);
        let text = texts(&self.text().name).map(joined).unwrap_or_default();
        let reason = texts(REASON).filter(|output| output.data_type == DataType::String);
        let reason = reason.map(joined).filter(|reason| !reason.is_empty());
        Piece { text, reason }
    }
}

/// A part of the generated text.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) text: Vec<u8>,
    /// `stop`, `length` or the like.
    pub(super) reason: Option<Vec<u8>>,
}

/// The place of the tensor with one of these names, or of the only one of strings.
fn only_text<'a>(
    tensors: impl Iterator<Item = (&'a str, DataType)> + Clone,
    names: &[&str],
) -> Option<usize> {
    let strings = tensors.enumerate().filter(|(_, (_, kind))| *kind == DataType::String);
    let named = strings.clone().find(|(_, (name, _))| names.contains(name));
    let mut all = strings.clone();
    let only = all.next().filter(|_| all.next().is_none());
    named.or(only).map(|(at, _)| at)
}

/// The strings of a tensor, one after the other. Bytes that are not UTF-8 become U+FFFD, because JSON has no others.
fn joined(output: &AnswerTensor) -> Vec<u8> {
    let text = strings(output.data.as_deref().unwrap_or_default()).collect::<Vec<_>>().concat();
    String::from_utf8_lossy(&text).into_owned().into_bytes()
}

/// Whether a value is the one that a request without this member has.
fn is_default(name: &str, value: JsonValue<'_>) -> bool {
    let number = |expected: f64| value.float().is_ok_and(|value| value == expected);
    match name {
        "n" | "best_of" | "temperature" | "top_p" => number(1.0),
        "presence_penalty" | "frequency_penalty" => number(0.0),
        "stream_options" => {
            let usage = value.get("include_usage");
            usage.is_none_or(|usage| usage.boolean() == Ok(false))
        }
        "tool_choice" => matches!(value.string().as_deref(), Ok(b"none" | b"auto")),
        "response_format" => value.get("type").and_then(super::text).as_deref() == Some("text"),
        _ => {
            let is_empty = (value.is_array() || value.is_object()) && value.count() == 0;
            is_empty
                || value.boolean() == Ok(false)
                || value.string().is_ok_and(|text| text.is_empty())
        }
    }
}
