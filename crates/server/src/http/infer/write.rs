//! The writer of answers.

use bytes::Bytes;
use trident_serving::DataType;

use crate::infer::{AnswerTensor, Fault, InferAnswer, Parameter, strings};
use crate::json::Writer;

/// The body of an answer.
#[derive(Debug)]
pub struct Body {
    /// The JSON text.
    pub text: Vec<u8>,
    /// Tensors that follow the text. If they have any bytes, the header `Inference-Header-Content-Length` gives the text's length,
    /// and the type is `application/octet-stream`.
    pub binary: Vec<Bytes>,
}

/// Writes an answer. `binary` tells which outputs follow the text as bytes.
///
/// # Errors
/// An output whose type JSON does not carry, or whose bytes are not what its type and shape say.
pub fn write(answer: &InferAnswer, binary: impl Fn(&str) -> bool) -> Result<Body, Fault> {
    let size: usize = answer
        .outputs
        .iter()
        .map(|output| 80 + output.data.as_ref().map_or(0, |data| data.len() * 3))
        .sum();
    let mut writer = Writer::new(Vec::with_capacity(80 + size));
    let mut bytes = vec![];
    let mut fault = None;
    writer.object(|writer| {
        if !answer.id.is_empty() {
            writer.name("id").string(answer.id.as_bytes());
        }
        writer.name("model_name").string(answer.model.as_bytes());
        let mut version = itoa::Buffer::new();
        writer.name("model_version").string(version.format(answer.version).as_bytes());
        if !answer.parameters.is_empty() {
            writer.name("parameters").object(|writer| {
                for (name, value) in &answer.parameters {
                    writer.name(name);
                    parameter(writer, value);
                }
            });
        }
        writer.name("outputs").array(|writer| {
            for output in &answer.outputs {
                let data = output.data.as_ref().filter(|_| binary(&output.name));
                writer.object(|writer| {
                    if let Err(error) = tensor(writer, output, data) {
                        fault.get_or_insert(error);
                    }
                });
                bytes.extend(data.cloned());
            }
        });
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(Body { text: writer.finish(), binary: bytes }),
    }
}

/// Writes the value of a parameter.
pub(in crate::http) fn parameter(writer: &mut Writer, value: &Parameter) {
    match value {
        Parameter::Bool(value) => writer.boolean(*value),
        Parameter::Integer(value) => writer.integer(*value),
        Parameter::Float(value) => writer.float(*value),
        Parameter::Text(value) => writer.string(value.as_bytes()),
    }
}

/// The members of an output. `binary` are its bytes if they follow the text.
fn tensor(writer: &mut Writer, output: &AnswerTensor, binary: Option<&Bytes>) -> Result<(), Fault> {
    writer.name("name").string(output.name.as_bytes());
    writer.name("datatype").string(output.data_type.protocol_name().as_bytes());
    writer.name("shape").array(|writer| output.shape.iter().for_each(|&dim| writer.integer(dim)));
    match (binary, &output.data) {
        (Some(bytes), _) => writer
            .name("parameters")
            .object(|writer| writer.name("binary_data_size").integer(bytes.len())),
        (None, Some(data)) => {
            let mut written = Ok(());
            writer.name("data").array(|writer| written = elements(writer, output, data));
            return written;
        }
        (None, None) => {}
    }
    Ok(())
}

/// Writes the elements of an output, which are `data`.
///
/// # Errors
/// A type that JSON does not carry.
pub(crate) fn elements(
    writer: &mut Writer,
    output: &AnswerTensor,
    data: &[u8],
) -> Result<(), Fault> {
    match output.data_type {
        DataType::Bool => data.iter().for_each(|&value| writer.boolean(value != 0)),
        DataType::Uint8 => data.iter().for_each(|&value| writer.integer(value)),
        DataType::Int8 => data.iter().for_each(|&value| writer.integer(value as i8)),
        DataType::Uint16 => each(data, |bytes| writer.integer(u16::from_le_bytes(bytes))),
        DataType::Int16 => each(data, |bytes| writer.integer(i16::from_le_bytes(bytes))),
        DataType::Uint32 => each(data, |bytes| writer.integer(u32::from_le_bytes(bytes))),
        DataType::Int32 => each(data, |bytes| writer.integer(i32::from_le_bytes(bytes))),
        DataType::Uint64 => each(data, |bytes| writer.integer(u64::from_le_bytes(bytes))),
        DataType::Int64 => each(data, |bytes| writer.integer(i64::from_le_bytes(bytes))),
        DataType::Fp32 => each(data, |bytes| writer.float(f32::from_le_bytes(bytes).into())),
        DataType::Fp64 => each(data, |bytes| writer.float(f64::from_le_bytes(bytes))),
        DataType::String => strings(data).for_each(|string| writer.string(string)),
        DataType::Fp16 | DataType::Bf16 | DataType::Invalid => {
            return Err(Fault::invalid(format_args!(
                "sending {} data via JSON is not supported. Please use the binary data format for output",
                output.data_type.protocol_name()
            )));
        }
    }
    Ok(())
}

fn each<const N: usize>(data: &[u8], write: impl FnMut([u8; N])) {
    let (elements, _) = data.as_chunks::<N>();
    elements.iter().copied().for_each(write);
}
