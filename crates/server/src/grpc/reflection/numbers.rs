//! The messages of `grpc/message` beside those of the protocol's files: both have the numbers and types of fields.

use std::collections::BTreeMap;

use prost::Message;

use super::descriptor::{
    ENUM, FieldDescriptor, FileDescriptor, MESSAGE, MessageDescriptor, REPEATED, scalar,
};
use super::files::ProtoFiles;

const SOURCES: [&str; 5] = [
    include_str!("../message/infer.rs"),
    include_str!("../message/memory.rs"),
    include_str!("../message/models.rs"),
    include_str!("../message/settings.rs"),
    include_str!("../message/statistics.rs"),
];

/// Types that stand for messages of other names.
const STANDS_FOR: [(&str, &[&str]); 12] = [
    ("Is", &["ServerLiveResponse", "ServerReadyResponse", "ModelReadyResponse"]),
    (
        "ModelRequest",
        &[
            "ModelReadyRequest",
            "ModelMetadataRequest",
            "ModelConfigRequest",
            "ModelStatisticsRequest",
        ],
    ),
    ("RepositoryModelRequest", &["RepositoryModelLoadRequest", "RepositoryModelUnloadRequest"]),
    (
        "RegionRequest",
        &[
            "SystemSharedMemoryStatusRequest",
            "SystemSharedMemoryUnregisterRequest",
            "CudaSharedMemoryStatusRequest",
            "CudaSharedMemoryUnregisterRequest",
        ],
    ),
    (
        "RegionStatus",
        &["SystemSharedMemoryStatusResponse.RegionStatus", "SystemSharedMemoryRegisterRequest"],
    ),
    ("TraceSettings", &["TraceSettingRequest"]),
    ("TraceValue", &["TraceSettingRequest.SettingValue", "TraceSettingResponse.SettingValue"]),
    ("LogSettings", &["LogSettingsRequest", "LogSettingsResponse"]),
    ("LogChoice", &["LogSettingsRequest.SettingValue", "LogSettingsResponse.SettingValue"]),
    ("ParameterChoice", &["InferParameter"]),
    ("RepositoryParameterChoice", &["ModelRepositoryParameter"]),
    ("HealthCheckResponse", &["HealthCheckResponse"]),
];

/// Fields that the protocol's files have under other names, or variants of a choice.
const OTHER_NAMES: [&str; 4] = ["Is", "LogChoice", "ParameterChoice", "RepositoryParameterChoice"];

/// A field of a Rust type.
struct Declared<'s> {
    owner: &'s str,
    name: &'s str,
    /// `string`, `bytes = "bytes", repeated` and the like.
    attributes: &'s str,
    number: i32,
}

/// The fields of a source.
fn declared(source: &str) -> Vec<Declared<'_>> {
    let (mut found, mut owner, mut open) = (vec![], "", None);
    for line in source.lines().map(str::trim) {
        let head =
            ["pub struct ", "pub enum "].into_iter().find_map(|head| line.strip_prefix(head));
        if let Some(head) = head {
            owner = head.split([' ', '<', '{']).next().unwrap();
        } else if let Some(attribute) = line.strip_prefix("#[prost(") {
            open = attribute.strip_suffix("\")]").and_then(|rest| rest.split_once(", tag = \""));
        } else if let Some((attributes, number)) = open.take_if(|_| !line.starts_with("//")) {
            let name = line.trim_start_matches("pub ").trim_start_matches("r#");
            let name = name.split([':', '(']).next().unwrap();
            found.push(Declared { owner, name, attributes, number: number.parse().unwrap() });
        }
    }
    found
}

/// All messages of the files, by their names without the package, and by their last names.
fn messages() -> BTreeMap<String, MessageDescriptor> {
    fn add(scope: &str, own: &MessageDescriptor, to: &mut BTreeMap<String, MessageDescriptor>) {
        let name = format!("{scope}{}", own.name);
        own.messages.iter().for_each(|inner| add(&format!("{name}."), inner, to));
        to.entry(own.name.clone()).or_insert_with(|| own.clone());
        to.insert(name, own.clone());
    }
    let mut all = BTreeMap::new();
    for file in ["grpc_service.proto", "grpc/health/v1/health.proto"] {
        let bytes = ProtoFiles::get().unwrap().of_name(file).unwrap().remove(0);
        let file = FileDescriptor::decode(bytes).unwrap();
        file.messages.iter().for_each(|message| add("", message, &mut all));
    }
    all
}

/// Whether a Rust field has the type of a field of the protocol.
fn agrees(own: &Declared<'_>, field: &FieldDescriptor) -> bool {
    let kind = own.attributes.split([' ', ',']).next().unwrap();
    let is_repeated = own.attributes.contains("repeated") == (field.label == REPEATED);
    match (kind, field.kind) {
        ("message", MESSAGE) => is_repeated,
        // A message that is not decoded: its pieces.
        ("bytes", MESSAGE) => true,
        ("int32", ENUM) => is_repeated,
        (kind, number) => is_repeated && scalar(kind) == Some(number),
    }
}

#[test]
fn fields_have_the_numbers_and_types_of_the_protocol() {
    let messages = messages();
    let fields: Vec<Declared<'_>> = SOURCES.into_iter().flat_map(declared).collect();
    assert!(fields.len() > 80, "{} fields", fields.len());
    for own in &fields {
        let others = STANDS_FOR.iter().find(|(name, _)| *name == own.owner);
        let names = others.map_or(std::slice::from_ref(&own.owner), |(_, names)| names);
        for name in names {
            let place = format!("`{}.{}` as `{name}`", own.owner, own.name);
            let message = messages.get(*name).unwrap_or_else(|| panic!("{place}: no such message"));
            let field = message.fields.iter().find(|field| field.number == own.number);
            let field = field.unwrap_or_else(|| panic!("{place}: no field {}", own.number));
            let is_named = field.name == own.name || OTHER_NAMES.contains(&own.owner);
            assert!(is_named && agrees(own, field), "{place}: {field:?}");
        }
    }
}
