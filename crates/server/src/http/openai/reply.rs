//! The answers to requests for completions: whole, or as events.

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use hyper::StatusCode;
use trident_serving::Fault;

use super::generator::{Generator, Piece};
use super::{Asking, Failure};
use crate::http::answers::Answers;
use crate::http::events::{EventForm, Events, event_of};
use crate::http::reply::{Reply, json, object};
use crate::infer::InferAnswer;
use crate::json::Writer;

/// The reason for the end of a text whose model gives none.
const STOP: &[u8] = b"stop";

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// That of `completions`.
    Text,
    /// That of `chat/completions`.
    Message,
}

/// Writes the answers to one request.
pub(super) struct Answerer {
    pub(super) generator: Generator,
    form: AnswerForm,
    id: String,
    created: u64,
}

impl Answerer {
    pub(super) fn new(generator: Generator, form: AnswerForm) -> Answerer {
        let prefix = match form {
            AnswerForm::Text => "cmpl",
            AnswerForm::Message => "chatcmpl",
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Its keys are random, and others for each request.
        let id = format!("{prefix}-{:016x}", RandomState::new().hash_one(since));
        Answerer { generator, form, id, created: since.as_secs() }
    }

    /// Answers by the answers of the model.
    pub(super) async fn answer(
        self,
        asking: &mut Asking<'_>,
        mut answers: Answers,
        stream: bool,
    ) -> Result<Reply, Failure> {
        let mut reply = answers.next().await?;
        if stream {
            if let Some(Err(fault)) = reply.answer {
                return Err(fault.into());
            }
            let (is_first, ending) = (true, Ending::Reason(None));
            let form = Box::new(Chunks { answerer: self, is_first, ending });
            let observed = std::mem::take(&mut asking.observed);
            return Ok(Events::new(StatusCode::OK, reply, answers, form, observed).reply());
        }
        let mut whole = Piece::default();
        loop {
            if let Some(answer) = reply.answer {
                asking.observed.answered(&answer);
                let Piece { text, reason } = self.generator.piece(&answer?);
                whole.text.extend(text);
                whole.reason = reason.or(whole.reason);
            }
            if reply.is_last {
                break;
            }
            reply = answers.next().await?;
        }
        Ok(json(self.whole(&whole)))
    }

    /// The answer with a whole text.
    fn whole(&self, whole: &Piece) -> Vec<u8> {
        let kind = match self.form {
            AnswerForm::Text => "text_completion",
            AnswerForm::Message => "chat.completion",
        };
        let reason = whole.reason.as_deref().unwrap_or(STOP);
        self.write(kind, Some(reason), |writer| match self.form {
            AnswerForm::Text => writer.name("text").string(&whole.text),
            AnswerForm::Message => writer.name("message").object(|writer| {
                writer.name("role").string(b"assistant");
                writer.name("content").string(&whole.text);
                writer.name("refusal").null();
            }),
        })
    }

    /// A part of an answer. The first one names the role.
    fn chunk(&self, text: Option<&[u8]>, is_first: bool, reason: Option<&[u8]>) -> Vec<u8> {
        let kind = match self.form {
            AnswerForm::Text => "text_completion",
            AnswerForm::Message => "chat.completion.chunk",
        };
        self.write(kind, reason, |writer| match self.form {
            AnswerForm::Text => writer.name("text").string(text.unwrap_or_default()),
            AnswerForm::Message => writer.name("delta").object(|writer| {
                if is_first {
                    writer.name("role").string(b"assistant");
                }
                if let Some(text) = text {
                    writer.name("content").string(text);
                }
            }),
        })
    }

    fn write(
        &self,
        kind: &str,
        reason: Option<&[u8]>,
        content: impl FnOnce(&mut Writer),
    ) -> Vec<u8> {
        object(|writer| {
            writer.name("id").string(self.id.as_bytes());
            writer.name("object").string(kind.as_bytes());
            writer.name("created").integer(self.created);
            writer.name("model").string(self.generator.model.name().as_bytes());
            writer.name("choices").array(|writer| {
                writer.object(|writer| {
                    writer.name("index").integer(0);
                    content(writer);
                    writer.name("logprobs").null();
                    match reason {
                        Some(reason) => writer.name("finish_reason").string(reason),
                        None => writer.name("finish_reason").null(),
                    }
                });
            });
        })
    }
}

/// The events of an answer.
struct Chunks {
    answerer: Answerer,
    is_first: bool,
    ending: Ending,
}

/// How a text ends.
enum Ending {
    /// For the reason that the model has given last.
    Reason(Option<Vec<u8>>),
    /// By an error, of which its client knows.
    Failed,
}

impl EventForm for Chunks {
    fn event(&mut self, answer: Result<InferAnswer, Fault>) -> Bytes {
        let answer = match answer {
            Ok(answer) => answer,
            Err(fault) => {
                self.ending = Ending::Failed;
                return event_of(&object(|writer| Failure::from(fault).write(writer)));
            }
        };
        let Piece { text, reason } = self.answerer.generator.piece(&answer);
        if let (Ending::Reason(last), Some(reason)) = (&mut self.ending, reason) {
            *last = Some(reason);
        }
        if text.is_empty() {
            return Bytes::new();
        }
        let is_first = std::mem::take(&mut self.is_first);
        event_of(&self.answerer.chunk(Some(&text), is_first, None))
    }

    fn end(&mut self) -> Bytes {
        let last = match &self.ending {
            Ending::Failed => Bytes::new(),
            Ending::Reason(reason) => {
                let reason = Some(reason.as_deref().unwrap_or(STOP));
                event_of(&self.answerer.chunk(None, self.is_first, reason))
            }
        };
        [last, event_of(b"[DONE]")].concat().into()
    }
}
