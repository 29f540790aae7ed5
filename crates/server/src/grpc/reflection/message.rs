//! Messages of `grpc.reflection.v1` and `v1alpha`, which are the same.

use bytes::Bytes;
use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(super) struct ServerReflectionRequest {
    #[prost(string, tag = "1")]
    pub(super) host: String,
    #[prost(oneof = "Question", tags = "3, 4, 5, 6, 7")]
    pub(super) question: Option<Question>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Question {
    #[prost(string, tag = "3")]
    File(String),
    #[prost(string, tag = "4")]
    Symbol(String),
    #[prost(message, tag = "5")]
    Extension(ExtensionRequest),
    #[prost(string, tag = "6")]
    ExtensionNumbers(String),
    #[prost(string, tag = "7")]
    Services(String),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExtensionRequest {
    #[prost(string, tag = "1")]
    pub(super) containing_type: String,
    #[prost(int32, tag = "2")]
    pub(super) number: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ServerReflectionResponse {
    #[prost(string, tag = "1")]
    pub(super) valid_host: String,
    #[prost(message, optional, tag = "2")]
    pub(super) original_request: Option<ServerReflectionRequest>,
    #[prost(oneof = "Answer", tags = "4, 5, 6, 7")]
    pub(super) answer: Option<Answer>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Answer {
    #[prost(message, tag = "4")]
    Files(FileDescriptors),
    #[prost(message, tag = "5")]
    ExtensionNumbers(ExtensionNumbers),
    #[prost(message, tag = "6")]
    Services(ListedServices),
    #[prost(message, tag = "7")]
    Error(ReflectionError),
}

/// `FileDescriptorResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileDescriptors {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(super) files: Vec<Bytes>,
}

/// `ExtensionNumberResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExtensionNumbers {
    #[prost(string, tag = "1")]
    pub(super) base_type_name: String,
    #[prost(int32, repeated, tag = "2")]
    pub(super) numbers: Vec<i32>,
}

/// `ListServiceResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ListedServices {
    #[prost(message, repeated, tag = "1")]
    pub(super) services: Vec<ListedService>,
}

/// `ServiceResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ListedService {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// `ErrorResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ReflectionError {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
    #[prost(string, tag = "2")]
    pub(super) text: String,
}
