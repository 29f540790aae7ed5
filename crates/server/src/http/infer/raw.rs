//! Requests whose body is their only input.

use bytes::{BufMut, Bytes, BytesMut};
use trident_serving::{DataType, ModelConfig};

use crate::infer::{Data, Fault, InferInput, InferRequest};

/// A request of one row, whose only input is the whole body. One variable dimension is deduced from the body's length, and all outputs
/// are wanted as bytes.
///
/// # Errors
/// A model with more inputs or variable dimensions, or strings in another shape than `[1]`.
pub fn read_raw(config: &ModelConfig, body: Bytes) -> Result<InferRequest, Fault> {
    let invalid = |text: String| Fault::invalid(format_args!("[request id: <id_unknown>] {text}"));
    let name = &config.name;
    let [input] = &config.input[..] else {
        let count = config.input.len();
        return Err(invalid(format!(
            "Raw request must only have 1 input (found 1) to be deduced but got {count} inputs in '{name}' model configuration"
        )));
    };
    let mut shape = input.dims.clone();
    let mut data = body;
    if input.data_type == DataType::String {
        if shape != [1] {
            return Err(invalid(format!(
                "For BYTE datatype raw input '{}', the model must have input shape [1]",
                input.name
            )));
        }
        data = string(&data)?;
    } else {
        let element = input.data_type.byte_size().unwrap_or(1);
        let bytes = |dims: &[i64]| {
            let sizes = dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(1));
            sizes.fold(element, usize::saturating_mul)
        };
        let mut variable = (0..shape.len()).filter(|&axis| input.dims[axis] < 0);
        if let Some(axis) = variable.next() {
            let count = data.len().checked_div(bytes(&input.dims)).unwrap_or(0);
            shape[axis] = i64::try_from(count).unwrap_or(i64::MAX);
        }
        if variable.next().is_some() {
            return Err(invalid(format!(
                "The shape of the raw input '{}' can not be deduced because there are more than one variable-sized dimension",
                input.name
            )));
        }
        let expected = bytes(&shape);
        if expected != data.len() {
            return Err(invalid(format!(
                "input byte size mismatch for input 'raw_input' for model '{name}'. Expected {expected}, got {}",
                data.len()
            )));
        }
    }
    if config.max_batch_size > 0 {
        shape.insert(0, 1);
    }
    let (name, data_type) = (input.name.clone(), input.data_type);
    let input = InferInput { name, data_type, shape, data: Data::Bytes(data) };
    Ok(InferRequest { inputs: vec![input], ..InferRequest::default() })
}

/// A string after its length.
fn string(body: &Bytes) -> Result<Bytes, Fault> {
    let length = u32::try_from(body.len())
        .map_err(|_| Fault::invalid("a string must have less than 4 GiB"))?;
    let mut bytes = BytesMut::with_capacity(4 + body.len());
    bytes.put_u32_le(length);
    bytes.put_slice(body);
    Ok(bytes.freeze())
}
