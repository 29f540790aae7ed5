//! The files of the server's services.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use prost::Message;

use super::descriptor::{ENUM, EnumDescriptor, FileDescriptor, MESSAGE, MessageDescriptor};
use super::parse::{ProtoError, parse};

/// The files by the names under which they are imported.
const FILES: [(&str, &str); 4] = [
    ("model_config.proto", include_str!("protos/model_config.proto")),
    ("grpc_service.proto", include_str!("protos/grpc_service.proto")),
    ("grpc/health/v1/health.proto", include_str!("protos/health.proto")),
    ("grpc/reflection/v1/reflection.proto", REFLECTION),
];
const REFLECTION: &str = include_str!("protos/reflection.proto");
/// An older name of the same service.
const ALPHA: &str = "grpc/reflection/v1alpha/reflection.proto";

/// The files of the server's services, and the symbols that they define.
#[derive(Debug, Default)]
pub(super) struct ProtoFiles {
    /// By name: a descriptor, and the names of the files that it imports.
    files: BTreeMap<String, (Bytes, Vec<String>)>,
    /// The file of each full name.
    symbols: BTreeMap<String, String>,
    services: Vec<String>,
}

impl ProtoFiles {
    /// The files, which are read when they are first asked for.
    pub(super) fn get() -> Result<&'static ProtoFiles, ProtoError> {
        static ALL: OnceLock<Result<ProtoFiles, ProtoError>> = OnceLock::new();
        ALL.get_or_init(ProtoFiles::read).as_ref().map_err(Clone::clone)
    }

    fn read() -> Result<ProtoFiles, ProtoError> {
        let mut parsed = vec![];
        for (name, text) in FILES {
            parsed.push(parse(name, text)?);
        }
        let alpha = REFLECTION.replace("grpc.reflection.v1", "grpc.reflection.v1alpha");
        parsed.push(parse(ALPHA, &alpha)?);
        let mut types = BTreeMap::new();
        for file in &parsed {
            define(&file.package, &file.messages, &file.enums, &mut types);
        }
        let mut found = ProtoFiles::default();
        for mut file in parsed {
            resolve_file(&mut file, &types);
            found.add(&file);
        }
        Ok(found)
    }

    fn add(&mut self, file: &FileDescriptor) {
        let mut types = BTreeMap::new();
        define(&file.package, &file.messages, &file.enums, &mut types);
        let mut symbols: Vec<String> = types.into_keys().collect();
        members(&file.package, &file.messages, &file.enums, &mut symbols);
        for service in &file.services {
            let name = format!("{}.{}", file.package, service.name);
            symbols.extend(service.methods.iter().map(|method| format!("{name}.{}", method.name)));
            symbols.push(name.clone());
            self.services.push(name);
        }
        self.symbols.extend(symbols.into_iter().map(|symbol| (symbol, file.name.clone())));
        let content = (file.encode_to_vec().into(), file.dependencies.clone());
        self.files.insert(file.name.clone(), content);
    }

    /// The full names of the services.
    pub(super) fn services(&self) -> &[String] {
        &self.services
    }

    /// Whether there is a message, an enumeration, a service or a part of one of this full name.
    pub(super) fn defines(&self, symbol: &str) -> bool {
        self.symbols.contains_key(symbol)
    }

    /// The descriptor of the file that defines a full name, and those of the files that it imports.
    pub(super) fn of_symbol(&self, symbol: &str) -> Option<Vec<Bytes>> {
        self.of_name(self.symbols.get(symbol)?)
    }

    /// The same of a file by its name.
    pub(super) fn of_name(&self, name: &str) -> Option<Vec<Bytes>> {
        let (descriptor, imports) = self.files.get(name)?;
        let mut descriptors = vec![descriptor.clone()];
        descriptors.extend(imports.iter().filter_map(|import| self.of_name(import)).flatten());
        Some(descriptors)
    }
}

/// Adds the full names of types, with the numbers of their kinds.
fn define(
    scope: &str,
    messages: &[MessageDescriptor],
    enums: &[EnumDescriptor],
    to: &mut BTreeMap<String, i32>,
) {
    to.extend(enums.iter().map(|own| (format!("{scope}.{}", own.name), ENUM)));
    for message in messages {
        let name = format!("{scope}.{}", message.name);
        define(&name, &message.messages, &message.enums, to);
        to.insert(name, MESSAGE);
    }
}

/// Adds the full names of fields, of choices between fields, and of the values of enumerations, which are those of their siblings.
fn members(
    scope: &str,
    messages: &[MessageDescriptor],
    enums: &[EnumDescriptor],
    to: &mut Vec<String>,
) {
    let values = enums.iter().flat_map(|own| &own.values);
    to.extend(values.map(|value| format!("{scope}.{}", value.name)));
    for message in messages {
        let name = format!("{scope}.{}", message.name);
        members(&name, &message.messages, &message.enums, to);
        to.extend(message.fields.iter().map(|field| format!("{name}.{}", field.name)));
        to.extend(message.oneofs.iter().map(|own| format!("{name}.{}", own.name)));
    }
}

/// Replaces names of types by full ones.
fn resolve_file(file: &mut FileDescriptor, types: &BTreeMap<String, i32>) {
    let scope = file.package.clone();
    for message in &mut file.messages {
        resolve_message(message, &scope, types);
    }
    for method in file.services.iter_mut().flat_map(|service| &mut service.methods) {
        for name in [&mut method.input, &mut method.output] {
            *name = resolve(name, &scope, types).0;
        }
    }
}

fn resolve_message(message: &mut MessageDescriptor, scope: &str, types: &BTreeMap<String, i32>) {
    let scope = format!("{scope}.{}", message.name);
    for own in &mut message.messages {
        resolve_message(own, &scope, types);
    }
    for field in message.fields.iter_mut().filter(|field| field.kind == 0) {
        (field.type_name, field.kind) = resolve(&field.type_name, &scope, types);
    }
}

/// The full name of a type after a dot, and its kind. The innermost scope that has the name counts.
fn resolve(name: &str, scope: &str, types: &BTreeMap<String, i32>) -> (String, i32) {
    let mut scope = scope;
    loop {
        let full = format!("{scope}.{name}");
        if let Some(kind) = types.get(&full) {
            return (format!(".{full}"), *kind);
        }
        match scope.rsplit_once('.') {
            Some((outer, _)) => scope = outer,
            // A name that nothing defines; the tests find none.
            None => return (name.to_owned(), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(messages: &[MessageDescriptor]) -> usize {
        let of = |message: &MessageDescriptor| {
            assert!(message.fields.iter().all(|field| field.kind > 0), "{message:?}");
            message.fields.len() + fields(&message.messages)
        };
        messages.iter().map(of).sum()
    }

    #[test]
    fn all_types_are_found() {
        let files = ProtoFiles::get().unwrap();
        let mut count = 0;
        for (bytes, imports) in files.files.values() {
            let file = FileDescriptor::decode(bytes.clone()).unwrap();
            count += fields(&file.messages);
            assert!(imports.iter().all(|import| files.files.contains_key(import)));
            for method in file.services.iter().flat_map(|service| &service.methods) {
                for name in [&method.input, &method.output] {
                    assert!(files.defines(&name[1..]), "{name}");
                }
            }
        }
        assert!(count > 300, "{count} fields");
    }

    #[test]
    fn files_come_with_their_imports() {
        let files = ProtoFiles::get().unwrap();
        let names = |found: Option<Vec<Bytes>>| -> Vec<String> {
            let name = |bytes: Bytes| FileDescriptor::decode(bytes).unwrap().name;
            found.unwrap_or_default().into_iter().map(name).collect()
        };
        let service = files.of_symbol("inference.GRPCInferenceService.ModelInfer");
        assert_eq!(names(service), ["grpc_service.proto", "model_config.proto"]);
        let nested = files.of_symbol("inference.ModelInferRequest.InferInputTensor");
        assert_eq!(nested, files.of_name("grpc_service.proto"));
        for part in [
            "ModelInferRequest.model_name",
            "ModelInferRequest.InferInputTensor.shape",
            "InferParameter.parameter_choice",
        ] {
            let found = files.of_symbol(&format!("inference.{part}"));
            assert_eq!(found, files.of_name("grpc_service.proto"), "{part}");
        }
        let value = files.of_symbol("inference.TYPE_FP32");
        assert_eq!(value, files.of_name("model_config.proto"));
        let value = files.of_symbol("inference.ModelInstanceGroup.KIND_CPU");
        assert_eq!(value, files.of_name("model_config.proto"));
        assert_eq!(files.of_symbol("inference.DataType.TYPE_FP32"), None);
        assert_eq!(files.of_symbol("inference.Nothing"), None);
        let services = [
            "inference.GRPCInferenceService",
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection",
        ];
        assert_eq!(files.services(), services);
    }
}
