//! Values in protobuf files: between the importer's form and the runtime's.

use crate::limits;
use bytes::Bytes;
use std::sync::Arc;
use trident_ir::literal::LiteralData;
use trident_ir::{Literal, Type};
use trident_onnx::{PbValue, read_value, write_value};
use trident_runtime::{KernelError, MapValue, Pool, Tensor, Value};

/// Reads the message that holds values of this type.
pub(crate) fn read(bytes: Bytes, ty: &Type, pool: &Pool) -> Result<Value, String> {
    let value = read_value(bytes, ty).map_err(|e| e.to_string())?;
    to_value(&value, pool).map_err(|e| limits::refusal(pool, &e))
}

/// Writes the message that holds values of this type.
pub(crate) fn write(name: &str, value: &Value, ty: &Type) -> Result<Vec<u8>, KernelError> {
    Ok(write_value(name, &from_value(value)?, ty))
}

fn to_value(value: &PbValue, pool: &Pool) -> Result<Value, KernelError> {
    Ok(match value {
        PbValue::Tensor(t) => copy(t, pool)?.into(),
        PbValue::Seq(items) => {
            Value::seq(items.iter().map(|v| to_value(v, pool)).collect::<Result<_, _>>()?)
        }
        PbValue::Optional(None) => Value::Optional(None),
        PbValue::Optional(Some(v)) => Value::Optional(Some(Arc::new(to_value(v, pool)?))),
        PbValue::Map { keys, values } => {
            Value::Map(Arc::new(MapValue { keys: copy(keys, pool)?, values: copy(values, pool)? }))
        }
    })
}

/// The elements in memory of the pool, which the file's bytes are not.
fn copy(literal: &Literal, pool: &Pool) -> Result<Tensor, KernelError> {
    match literal.data() {
        LiteralData::Bytes(bytes) => {
            Tensor::gather(pool, literal.dtype(), literal.dims(), [&bytes[..]])
        }
        LiteralData::Strings(_) => Tensor::from_literal(pool, literal),
    }
}

fn from_value(value: &Value) -> Result<PbValue, KernelError> {
    Ok(match value {
        Value::Tensor(t) => PbValue::Tensor(t.to_literal()?),
        Value::Seq(items) => PbValue::Seq(items.iter().map(from_value).collect::<Result<_, _>>()?),
        Value::Optional(None) => PbValue::Optional(None),
        Value::Optional(Some(v)) => PbValue::Optional(Some(Box::new(from_value(v)?))),
        Value::Map(map) => {
            PbValue::Map { keys: map.keys.to_literal()?, values: map.values.to_literal()? }
        }
    })
}
