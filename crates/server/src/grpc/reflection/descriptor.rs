//! Descriptors of files in protobuf's language, by their numbers in `descriptor.proto`.

use prost::Message;

/// `FileDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(string, repeated, tag = "3")]
    pub(super) dependencies: Vec<String>,
    #[prost(message, repeated, tag = "4")]
    pub(super) messages: Vec<MessageDescriptor>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enums: Vec<EnumDescriptor>,
    #[prost(message, repeated, tag = "6")]
    pub(super) services: Vec<ServiceDescriptor>,
    #[prost(string, tag = "12")]
    pub(super) syntax: String,
}

/// `DescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) fields: Vec<FieldDescriptor>,
    #[prost(message, repeated, tag = "3")]
    pub(super) messages: Vec<MessageDescriptor>,
    #[prost(message, repeated, tag = "4")]
    pub(super) enums: Vec<EnumDescriptor>,
    #[prost(message, optional, tag = "7")]
    pub(super) options: Option<MessageOptions>,
    #[prost(message, repeated, tag = "8")]
    pub(super) oneofs: Vec<OneofDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageOptions {
    /// Whether the message is a pair of a map.
    #[prost(bool, tag = "7")]
    pub(super) map_entry: bool,
}

/// `FieldDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(int32, tag = "3")]
    pub(super) number: i32,
    #[prost(int32, tag = "4")]
    pub(super) label: i32,
    #[prost(int32, tag = "5")]
    pub(super) kind: i32,
    /// The full name of the message or enumeration, after a dot.
    #[prost(string, tag = "6")]
    pub(super) type_name: String,
    #[prost(int32, optional, tag = "9")]
    pub(super) oneof: Option<i32>,
}

/// `EnumDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) values: Vec<EnumValueDescriptor>,
}

/// `EnumValueDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumValueDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(int32, optional, tag = "2")]
    pub(super) number: Option<i32>,
}

/// `OneofDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OneofDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// `ServiceDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ServiceDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) methods: Vec<MethodDescriptor>,
}

/// `MethodDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MethodDescriptor {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) input: String,
    #[prost(string, tag = "3")]
    pub(super) output: String,
    #[prost(bool, tag = "5")]
    pub(super) streams_input: bool,
    #[prost(bool, tag = "6")]
    pub(super) streams_output: bool,
}

/// `LABEL_OPTIONAL` and `LABEL_REPEATED`.
pub(super) const SINGLE: i32 = 1;
pub(super) const REPEATED: i32 = 3;
/// `TYPE_MESSAGE` and `TYPE_ENUM`.
pub(super) const MESSAGE: i32 = 11;
pub(super) const ENUM: i32 = 14;

/// The number of a type that is neither a message nor an enumeration.
pub(super) fn scalar(name: &str) -> Option<i32> {
    Some(match name {
        "double" => 1,
        "float" => 2,
        "int64" => 3,
        "uint64" => 4,
        "int32" => 5,
        "bool" => 8,
        "string" => 9,
        "bytes" => 12,
        "uint32" => 13,
        _ => return None,
    })
}
