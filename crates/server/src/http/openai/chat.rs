//! `POST /v1/chat/completions`: a conversation is continued.
//!
//! The prompt is made of the messages by the model's parameters: `chat_system`, `chat_user` and `chat_assistant` are the forms of
//! messages, in which `{}` stands for the content, and `chat_answer` is the text after the last one, with which the answer begins.
//! A model with an input `messages` gets them as JSON instead.

use std::sync::Arc;

use trident_serving::ModelConfig;

use super::completions::is_stream;
use super::generator::Generator;
use super::reply::{AnswerForm, Answerer};
use super::{Asking, Failure, text};
use crate::http::reply::Reply;
use crate::json::{Document, JsonValue};

/// The place of the content in the form of a message.
const CONTENT: &str = "{}";

/// Answers a request.
pub(super) async fn chat(
    asking: &mut Asking<'_>,
    document: &Arc<Document>,
) -> Result<Reply, Failure> {
    let generator = Generator::of(asking, document)?;
    let messages = document.root().get("messages").filter(|messages| messages.is_array());
    let messages = messages.ok_or_else(|| Failure::invalid("'messages' must be an array"))?;
    let prompt = match generator.takes_messages() {
        true => messages.text().to_vec(),
        false => prompt(generator.model.config(), messages)?.into_bytes(),
    };
    let stream = is_stream(document)?;
    let answers = generator.submit(asking, document, &prompt, &["model", "messages"])?;
    Answerer::new(generator, AnswerForm::Message).answer(asking, answers, stream).await
}

/// The prompt of a conversation.
fn prompt(config: &ModelConfig, messages: JsonValue<'_>) -> Result<String, Failure> {
    let mut prompt = String::new();
    let messages = messages.elements().into_iter().flatten();
    for (at, message) in messages.enumerate() {
        let role = message.get("role").and_then(text).ok_or_else(|| {
            Failure::invalid(format!(
                "'messages[{at}].role' must be 'system', 'user' or 'assistant'"
            ))
        })?;
        let key = match &*role {
            "system" | "developer" => "chat_system",
            "user" => "chat_user",
            "assistant" => "chat_assistant",
            _ => {
                return Err(Failure::invalid(format!(
                    "'messages[{at}].role' is '{role}', and must be 'system', 'user' or 'assistant'"
                )));
            }
        };
        let content = message.get("content").and_then(content).ok_or_else(|| {
            Failure::invalid(format!(
                "'messages[{at}].content' must be a text, or parts of type 'text'"
            ))
        })?;
        let form = config.parameter(key).and_then(|form| form.split_once(CONTENT));
        let (before, after) = form.ok_or_else(|| {
            Failure::unsupported(format!(
                "model '{}' does not chat: its parameter '{key}' is not the form of a message, with '{CONTENT}' for its content",
                config.name
            ))
        })?;
        prompt.extend([before, &content, after]);
    }
    if prompt.is_empty() {
        return Err(Failure::invalid("'messages' must have at least one message"));
    }
    prompt.push_str(config.parameter("chat_answer").unwrap_or_default());
    Ok(prompt)
}

/// The content of a message: a text, or parts that are texts.
fn content(content: JsonValue<'_>) -> Option<String> {
    if !content.is_array() {
        return text(content);
    }
    let part = |part: JsonValue<'_>| match part.get("type").and_then(text)?.as_str() {
        "text" => part.get("text").and_then(text),
        _ => None,
    };
    content.elements().ok()?.map(part).collect()
}
