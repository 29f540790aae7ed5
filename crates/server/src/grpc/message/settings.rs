//! Settings of traces and of the log.

use prost::{Message, Oneof};

use super::MapEntry;

/// The request of `TraceSetting`. Its answer has the same first field.
#[derive(Clone, PartialEq, Message)]
pub struct TraceSettings {
    #[prost(message, repeated, tag = "1")]
    pub settings: Vec<TraceEntry>,
    #[prost(string, tag = "2")]
    pub model_name: String,
}

pub type TraceEntry = MapEntry<TraceValue>;

#[derive(Clone, PartialEq, Message)]
pub struct TraceValue {
    #[prost(string, repeated, tag = "1")]
    pub value: Vec<String>,
}

/// The request and the answer of `LogSettings`.
#[derive(Clone, PartialEq, Message)]
pub struct LogSettings {
    #[prost(message, repeated, tag = "1")]
    pub settings: Vec<LogEntry>,
}

pub type LogEntry = MapEntry<LogValue>;

#[derive(Clone, PartialEq, Message)]
pub struct LogValue {
    #[prost(oneof = "LogChoice", tags = "1, 2, 3")]
    pub choice: Option<LogChoice>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum LogChoice {
    #[prost(bool, tag = "1")]
    Bool(bool),
    #[prost(uint32, tag = "2")]
    Uint32(u32),
    #[prost(string, tag = "3")]
    String(String),
}
