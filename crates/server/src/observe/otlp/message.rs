//! Messages of OTLP, by their numbers in `opentelemetry.proto`.

use prost::{Message, Oneof};

/// `ExportTraceServiceRequest`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExportRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    pub(super) spans: Vec<Span>,
}

/// `InstrumentationScope`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Scope {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::observe) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    pub(super) trace_state: String,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(super) name: String,
    #[prost(int32, tag = "6")]
    pub(super) kind: i32,
    /// Nanoseconds since 1970.
    #[prost(fixed64, tag = "7")]
    pub(super) start: u64,
    #[prost(fixed64, tag = "8")]
    pub(super) end: u64,
    #[prost(message, repeated, tag = "9")]
    pub(super) attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    pub(super) events: Vec<Event>,
    #[prost(message, optional, tag = "15")]
    pub(super) status: Option<SpanStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::observe) struct Event {
    /// Nanoseconds since 1970.
    #[prost(fixed64, tag = "1")]
    pub(super) time: u64,
    #[prost(string, tag = "2")]
    pub(super) name: String,
}

/// `Status`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::observe) struct SpanStatus {
    #[prost(string, tag = "2")]
    pub(super) message: String,
    #[prost(int32, tag = "3")]
    pub(super) code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::observe) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::observe) struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 3")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(in crate::observe) enum Value {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Integer(i64),
}
