//! The server and its models.

use bytes::Bytes;
use prost::{Message, Oneof};

use super::MapEntry;

/// Any request without fields; fields that it has are skipped.
#[derive(Clone, PartialEq, Message)]
pub struct Empty {}

/// The answer of `ServerLive`, `ServerReady` and `ModelReady`.
#[derive(Clone, PartialEq, Message)]
pub struct Is {
    #[prost(bool, tag = "1")]
    pub is: bool,
}

/// The answer of `grpc.health.v1.Health/Check`.
#[derive(Clone, PartialEq, Message)]
pub struct HealthCheckResponse {
    /// 1: it serves; 2: it does not.
    #[prost(int32, tag = "1")]
    pub status: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct ServerMetadataResponse {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
    #[prost(string, repeated, tag = "3")]
    pub extensions: Vec<String>,
}

/// The request of `ModelReady`, `ModelMetadata`, `ModelConfig` and `ModelStatistics`.
#[derive(Clone, PartialEq, Message)]
pub struct ModelRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelMetadataResponse {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, repeated, tag = "2")]
    pub versions: Vec<String>,
    #[prost(string, tag = "3")]
    pub platform: String,
    #[prost(message, repeated, tag = "4")]
    pub inputs: Vec<TensorMetadata>,
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<TensorMetadata>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorMetadata {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelConfigResponse {
    /// A message `ModelConfig`, encoded.
    #[prost(bytes = "bytes", tag = "1")]
    pub config: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub struct RepositoryIndexRequest {
    #[prost(string, tag = "1")]
    pub repository_name: String,
    #[prost(bool, tag = "2")]
    pub ready: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct RepositoryIndexResponse {
    #[prost(message, repeated, tag = "1")]
    pub models: Vec<ModelIndex>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelIndex {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
    #[prost(string, tag = "3")]
    pub state: String,
    #[prost(string, tag = "4")]
    pub reason: String,
}

/// The request of `RepositoryModelLoad` and `RepositoryModelUnload`.
#[derive(Clone, PartialEq, Message)]
pub struct RepositoryModelRequest {
    #[prost(string, tag = "1")]
    pub repository_name: String,
    #[prost(string, tag = "2")]
    pub model_name: String,
    #[prost(message, repeated, tag = "3")]
    pub parameters: Vec<RepositoryParameterEntry>,
}

pub type RepositoryParameterEntry = MapEntry<ModelRepositoryParameter>;

#[derive(Clone, PartialEq, Message)]
pub struct ModelRepositoryParameter {
    #[prost(oneof = "RepositoryParameterChoice", tags = "1, 2, 3, 4")]
    pub choice: Option<RepositoryParameterChoice>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum RepositoryParameterChoice {
    #[prost(bool, tag = "1")]
    Bool(bool),
    #[prost(int64, tag = "2")]
    Int64(i64),
    #[prost(string, tag = "3")]
    String(String),
    #[prost(bytes = "bytes", tag = "4")]
    Bytes(Bytes),
}
