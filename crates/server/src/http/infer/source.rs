//! Where an input's data are: in the text, after it, or in shared memory.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use trident_serving::DataType;

use super::read::{read_region, unable};
use crate::infer::{Data, Fault, JsonData};
use crate::json::{Document, FillError, FillType, JsonValue, WrongType};

/// The bytes after the text that no input has taken.
pub(super) struct Binary<'a> {
    pub(super) rest: Bytes,
    pub(super) model: &'a str,
}

/// The data of an input with a name, type and shape.
pub(super) fn source(
    document: &Arc<Document>,
    input: JsonValue<'_>,
    binary: &mut Binary<'_>,
    (name, data_type, shape): (&str, DataType, &[i64]),
) -> Result<Data, Fault> {
    let parameters = input.get("parameters");
    let size = parameters.and_then(|parameters| parameters.get("binary_data_size"));
    let size = size.map(|size| size.unsigned().map_err(unable("binary_data_size"))).transpose()?;
    let region = parameters.map_or(Ok(None), read_region)?;
    match (input.get("data"), size, region) {
        (Some(data), None, None) if !data.is_array() => Err(unable("data")(WrongType::Array)),
        (Some(data), None, None) => data_of(document, data, (name, data_type, shape)),
        (None, Some(size), None) => match usize::try_from(size) {
            Ok(size) if size <= binary.rest.len() => Ok(Data::Bytes(binary.rest.split_to(size))),
            _ => Err(Fault::invalid(format_args!(
                "unexpected size for input '{name}', expecting {} additional bytes for model '{}'",
                size - binary.rest.len() as u64,
                binary.model
            ))),
        },
        (None, None, Some(region)) => Ok(Data::Shared(region)),
        (data, size, region) => Err(sources(&[
            ("data", data.is_some()),
            ("binary_data_size", size.is_some()),
            ("shared_memory_region", region.is_some()),
        ])),
    }
}

/// The fault of an input that has no source of data.
pub(super) fn without_source(input: JsonValue<'_>) -> Option<Fault> {
    let parameters = input.get("parameters");
    let placed = ["binary_data_size", "shared_memory_region"];
    let is_placed =
        placed.iter().any(|name| parameters.and_then(|given| given.get(name)).is_some());
    (input.get("data").is_none() && !is_placed).then(|| sources(&[]))
}

/// The fault of an input with no source or several ones.
pub(super) fn sources(fields: &[(&str, bool)]) -> Fault {
    let set: String =
        fields.iter().filter(|(_, set)| *set).map(|(field, _)| format!(" '{field}'")).collect();
    let but =
        if set.is_empty() { "But no field is set".to_owned() } else { format!("But set{set}") };
    Fault::invalid(format_args!(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', \
         'shared_memory_region' in 'parameters'. {but}"
    ))
}

/// Data in the text. Strings become bytes at once, since nothing else tells how many bytes they take.
pub(in crate::http) fn data_of(
    document: &Arc<Document>,
    data: JsonValue<'_>,
    (name, data_type, shape): (&str, DataType, &[i64]),
) -> Result<Data, Fault> {
    let count = elements(name, data_type, shape)?;
    if data_type == DataType::String {
        return strings(data, count).map(Data::Bytes).map_err(Fault::internal);
    }
    let scalar = FillType::of(data_type).ok_or_else(|| not_in_json(name, data_type))?;
    let given = data.check(scalar).map_err(refused)?;
    match given.cmp(&count) {
        std::cmp::Ordering::Less => Err(Fault::internal(FillError::Fewer)),
        std::cmp::Ordering::Equal => {
            let (document, place) = (Arc::clone(document), data.place());
            Ok(Data::Json(JsonData { document, place, scalar, count }))
        }
        std::cmp::Ordering::Greater => Err(Fault::internal(FillError::More)),
    }
}

/// The fault of an input whose type JSON does not carry.
pub(in crate::http) fn not_in_json(name: &str, data_type: DataType) -> Fault {
    Fault::invalid(format_args!(
        "receiving {} data via JSON is not supported. Please use the binary data format for input {name}",
        data_type.protocol_name()
    ))
}

/// The number of elements, whose bytes are counted by i64.
fn elements(name: &str, data_type: DataType, shape: &[i64]) -> Result<usize, Fault> {
    let count = shape.iter().try_fold(1i64, |count, &dim| count.checked_mul(dim)).ok_or_else(|| {
        let dims: Vec<_> = shape.iter().map(i64::to_string).collect();
        Fault::invalid(format_args!(
            "invalid shape for input '{name}': shape [{}] causes total element count to exceed maximum size of {}",
            dims.join(","),
            i64::MAX
        ))
    })?;
    let size = data_type.byte_size().unwrap_or(1) as i64;
    count.checked_mul(size).and_then(|_| usize::try_from(count).ok()).ok_or_else(|| {
        Fault::invalid(format_args!(
            "byte size overflow for input '{name}': element count ({count}) * data type size ({size}) exceeds maximum \
             allowed size ({})",
            i64::MAX
        ))
    })
}

fn refused(error: FillError) -> Fault {
    match error {
        FillError::Depth => Fault::invalid(error),
        _ => Fault::internal(error),
    }
}

/// Strings, each after its length.
fn strings(data: JsonValue<'_>, count: usize) -> Result<Bytes, FillError> {
    let mut bytes = BytesMut::new();
    let mut left = count;
    data.strings(&mut |string| {
        left = left.checked_sub(1).ok_or(FillError::More)?;
        // A text has less than 4 GiB.
        bytes.put_u32_le(string.len() as u32);
        bytes.put_slice(string);
        Ok(())
    })?;
    if left > 0 { Err(FillError::Fewer) } else { Ok(bytes.freeze()) }
}
