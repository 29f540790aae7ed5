//! `grpc.reflection.v1.ServerReflection`, and the same under its older name `v1alpha`: the services, methods and messages of the server.
//!
//! The descriptors are made from the files in `protos` when a client first asks for them.

mod descriptor;
mod files;
mod message;
#[cfg(test)]
mod numbers;
mod parse;

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::Body;

use super::body::MessageSource;
use super::call::{Call, Messages, decode};
use super::caller::{Left, shutting_down};
use super::outgoing::{Outgoing, Packing};
use super::status::{Code, Status};
use files::ProtoFiles;
use message::{
    Answer, ExtensionNumbers, FileDescriptors, ListedService, ListedServices, Question,
    ReflectionError, ServerReflectionRequest, ServerReflectionResponse,
};

/// Answers to the questions of a call, in their order.
pub(super) struct Reflection<B> {
    messages: Messages<B>,
    packing: Packing,
    left: Left,
}

impl<B: Body<Data = Bytes> + Unpin> Reflection<B> {
    pub(super) fn new(messages: Messages<B>, call: &Call, left: Left) -> Reflection<B> {
        Reflection { messages, packing: call.packing, left }
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin> MessageSource for Reflection<B> {
    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Outgoing>, Status>> {
        let next = self.messages.poll_next(context)?;
        if next.is_pending() && self.left.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(shutting_down()));
        }
        let Some(message) = ready!(next) else { return Poll::Ready(Ok(None)) };
        let files =
            ProtoFiles::get().map_err(|error| Status::new(Code::Internal, error.to_string()))?;
        let response = response(files, decode(message)?);
        Poll::Ready(Outgoing::message(&response, self.packing).map(Some))
    }
}

fn response(files: &ProtoFiles, request: ServerReflectionRequest) -> ServerReflectionResponse {
    ServerReflectionResponse {
        valid_host: request.host.clone(),
        answer: Some(answer(files, request.question.as_ref())),
        original_request: Some(request),
    }
}

fn answer(files: &ProtoFiles, question: Option<&Question>) -> Answer {
    let found = |found: Option<Vec<Bytes>>, kind: &str, name: &str| match found {
        Some(files) => Answer::Files(FileDescriptors { files }),
        None => failed(Code::NotFound, format!("there is no {kind} '{name}'")),
    };
    match question {
        Some(Question::File(name)) => found(files.of_name(name), "file", name),
        Some(Question::Symbol(name)) => found(files.of_symbol(name), "symbol", name),
        Some(Question::Extension(extension)) => {
            let (number, base) = (extension.number, &extension.containing_type);
            failed(Code::NotFound, format!("there is no extension {number} of '{base}'"))
        }
        Some(Question::ExtensionNumbers(name)) if files.defines(name) => {
            let (base_type_name, numbers) = (name.clone(), vec![]);
            Answer::ExtensionNumbers(ExtensionNumbers { base_type_name, numbers })
        }
        Some(Question::ExtensionNumbers(name)) => found(None, "type", name),
        Some(Question::Services(_)) => {
            let services = files.services().iter();
            let services = services.map(|name| ListedService { name: name.clone() }).collect();
            Answer::Services(ListedServices { services })
        }
        None => failed(Code::InvalidArgument, "the request has no question".to_owned()),
    }
}

fn failed(code: Code, text: String) -> Answer {
    Answer::Error(ReflectionError { code: code as i32, text })
}
