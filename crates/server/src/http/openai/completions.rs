//! `POST /v1/completions`: a text is continued.

use std::sync::Arc;

use super::generator::Generator;
use super::reply::{AnswerForm, Answerer};
use super::{Asking, Failure, text};
use crate::http::reply::Reply;
use crate::json::{Document, JsonValue};

/// Answers a request.
pub(super) async fn complete(
    asking: &mut Asking<'_>,
    document: &Arc<Document>,
) -> Result<Reply, Failure> {
    let generator = Generator::of(asking, document)?;
    if generator.takes_messages() {
        return Err(Failure::unsupported(format!(
            "model '{}' takes messages: use '/v1/chat/completions'",
            generator.model.name()
        )));
    }
    let prompt = prompt(document.root().get("prompt"))?;
    let stream = is_stream(document)?;
    let answers = generator.submit(asking, document, prompt.as_bytes(), &["model", "prompt"])?;
    Answerer::new(generator, AnswerForm::Text).answer(asking, answers, stream).await
}

/// Whether a request wants events.
pub(super) fn is_stream(document: &Document) -> Result<bool, Failure> {
    let stream = document.root().get("stream").filter(|stream| !stream.is_null());
    let stream = stream.map(JsonValue::boolean).transpose();
    let stream = stream.map_err(|_| Failure::invalid("'stream' must be true or false"))?;
    Ok(stream.unwrap_or(false))
}

/// The text to continue: a text, or an array of one.
fn prompt(prompt: Option<JsonValue<'_>>) -> Result<String, Failure> {
    let refused = || Failure::invalid("'prompt' must be one text; tokens are not taken");
    let prompt = prompt.ok_or_else(refused)?;
    if !prompt.is_array() {
        return text(prompt).ok_or_else(refused);
    }
    let mut prompts = prompt.elements().map_err(|_| refused())?;
    let only = prompts.next().filter(|_| prompts.next().is_none());
    only.and_then(text).ok_or_else(refused)
}
