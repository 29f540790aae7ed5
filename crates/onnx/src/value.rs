//! Values in files: tensors, sequences, optional values and maps to and from protobuf.

use crate::dtype;
use crate::error::{OnnxError, OnnxErrorKind, TensorFault};
use crate::external::Folder;
use crate::proto::{Holds, MapProto, OptionalProto, SequenceProto, SparseTensorProto, TensorProto};
use crate::tensor::{dense, inline, tensor_proto};
use bytes::Bytes;
use prost::Message;
use trident_ir::literal::LiteralData;
use trident_ir::{DType, Literal, Type};

/// A value as a protobuf file holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum PbValue {
    /// A `TensorProto`; a `SparseTensorProto` becomes dense.
    Tensor(Literal),
    /// A `SequenceProto`.
    Seq(Vec<PbValue>),
    /// An `OptionalProto`.
    Optional(Option<Box<PbValue>>),
    /// A `MapProto`.
    Map {
        /// Integers or strings, of rank 1.
        keys: Literal,
        /// One for each key, of rank 1.
        values: Literal,
    },
}

fn decode<M: Message + Default>(what: &'static str, bytes: Bytes) -> Result<M, OnnxErrorKind> {
    M::decode(bytes).map_err(|source| OnnxErrorKind::Decode { what, source })
}

/// Reads a `TensorProto`.
pub fn read_tensor(bytes: Bytes) -> Result<Literal, OnnxError> {
    Ok(inline(&decode("tensor", bytes)?)?)
}

/// Reads the message that holds values of this type.
pub fn read_value(bytes: Bytes, ty: &Type) -> Result<PbValue, OnnxError> {
    match ty {
        Type::Tensor(_) => read_tensor(bytes).map(PbValue::Tensor),
        Type::Seq(_) => Ok(sequence(&decode("sequence", bytes)?)?),
        Type::Optional(_) => Ok(optional(&decode("optional value", bytes)?)?),
        Type::Map(..) => Ok(map(&decode("map", bytes)?)?),
        Type::Pointer(_) | Type::Descriptor(_) | Type::Matrix(_) | Type::Accumulator(_) => {
            Err(OnnxErrorKind::NoMessage(ty.to_string()).into())
        }
    }
}

fn sparse(t: &SparseTensorProto) -> Result<PbValue, OnnxErrorKind> {
    dense(t, &Folder::new(None)).map(PbValue::Tensor)
}

fn sequence(s: &SequenceProto) -> Result<PbValue, OnnxErrorKind> {
    let tensors = s.tensor_values.iter().map(|t| inline(t).map(PbValue::Tensor));
    let all = tensors
        .chain(s.sparse_tensor_values.iter().map(sparse))
        .chain(s.sequence_values.iter().map(sequence))
        .chain(s.map_values.iter().map(map))
        .chain(s.optional_values.iter().map(optional));
    all.collect::<Result<_, _>>().map(PbValue::Seq)
}

fn optional(o: &OptionalProto) -> Result<PbValue, OnnxErrorKind> {
    let bad = |reason| OnnxErrorKind::BadTensor { tensor: o.name.clone(), reason };
    let inner = match Holds::try_from(o.elem_type) {
        Ok(Holds::Undefined) => return Ok(PbValue::Optional(None)),
        Ok(Holds::Tensor) => o.tensor_value.as_deref().map(|t| inline(t).map(PbValue::Tensor)),
        Ok(Holds::SparseTensor) => o.sparse_tensor_value.as_deref().map(sparse),
        Ok(Holds::Sequence) => o.sequence_value.as_deref().map(sequence),
        Ok(Holds::Map) => o.map_value.as_deref().map(map),
        Ok(Holds::Optional) => o.optional_value.as_deref().map(optional),
        Err(_) => return Err(bad(TensorFault::DataType(o.elem_type))),
    };
    Ok(PbValue::Optional(inner.transpose()?.map(Box::new)))
}

fn map(m: &MapProto) -> Result<PbValue, OnnxErrorKind> {
    let bad = |reason| OnnxErrorKind::BadTensor { tensor: m.name.clone(), reason };
    let key = dtype::from_number(m.key_type.into());
    let key = key.ok_or_else(|| bad(TensorFault::DataType(m.key_type)))?;
    // Keys are in separate fields; they are decoded like a tensor.
    let keys = match key {
        DType::Str => TensorProto {
            dims: vec![m.string_keys.len() as i64],
            data_type: m.key_type,
            string_data: m.string_keys.clone(),
            ..TensorProto::default()
        },
        _ => TensorProto {
            dims: vec![m.keys.len() as i64],
            data_type: dtype::to_number(DType::I64),
            int64_data: m.keys.clone(),
            ..TensorProto::default()
        },
    };
    let keys = inline(&keys)?;
    let items = m.values.as_deref().map_or(&[][..], |v| &v.tensor_values);
    let values = items.iter().map(inline).collect::<Result<Vec<_>, _>>()?;
    let values = stack(&values).map_err(bad)?;
    if values.len() != keys.len() {
        let (found, expected) = (values.len(), keys.len());
        return Err(bad(TensorFault::Count { unit: "value", found, expected }));
    }
    Ok(PbValue::Map { keys, values })
}

/// Tensors of one element each as a vector.
fn stack(items: &[Literal]) -> Result<Literal, TensorFault> {
    let dtype = items.first().map_or(DType::F32, Literal::dtype);
    let (mut bytes, mut texts) = (vec![], vec![]);
    for item in items {
        if item.dtype() != dtype {
            return Err(TensorFault::DataType(dtype::to_number(item.dtype())));
        }
        if item.len() != 1 {
            return Err(TensorFault::Count { unit: "element", found: item.len(), expected: 1 });
        }
        match item.data() {
            LiteralData::Bytes(b) => bytes.extend_from_slice(b),
            LiteralData::Strings(s) => texts.extend(s.iter().cloned()),
        }
    }
    Ok(match dtype {
        DType::Str => Literal::from_strings(vec![items.len()], texts)?,
        _ => Literal::from_bytes(dtype, vec![items.len()], bytes.into())?,
    })
}

/// The elements of a vector, each as a tensor of rank 0.
fn unstack(values: &Literal) -> Vec<Literal> {
    match values.data() {
        LiteralData::Strings(texts) => texts
            .iter()
            .filter_map(|s| Literal::from_strings(vec![], vec![s.clone()]).ok())
            .collect(),
        LiteralData::Bytes(bytes) => {
            let size = values.dtype().size();
            let parts = (0..values.len()).map(|i| bytes.slice(i * size..(i + 1) * size));
            parts.filter_map(|b| Literal::from_bytes(values.dtype(), vec![], b).ok()).collect()
        }
    }
}

/// Writes a value as the message that holds values of the type `ty`: one that is not optional is wrapped
/// where the type asks for it, and a present one unwrapped.
pub fn write_value(name: &str, value: &PbValue, ty: &Type) -> Vec<u8> {
    match (value, ty) {
        (PbValue::Optional(Some(inner)), Type::Tensor(_) | Type::Seq(_) | Type::Map(..)) => {
            write_value(name, inner, ty)
        }
        (PbValue::Optional(_), _) => optional_proto(name, value).encode_to_vec(),
        (_, Type::Optional(_)) => {
            let wrapped = PbValue::Optional(Some(Box::new(value.clone())));
            optional_proto(name, &wrapped).encode_to_vec()
        }
        (PbValue::Tensor(t), _) => tensor_proto(name, t).encode_to_vec(),
        (PbValue::Seq(items), _) => sequence_proto(name, items).encode_to_vec(),
        (PbValue::Map { keys, values }, _) => map_proto(name, keys, values).encode_to_vec(),
    }
}

fn holds(value: &PbValue) -> Holds {
    match value {
        PbValue::Tensor(_) => Holds::Tensor,
        PbValue::Seq(_) => Holds::Sequence,
        PbValue::Optional(_) => Holds::Optional,
        PbValue::Map { .. } => Holds::Map,
    }
}

fn sequence_proto(name: &str, items: &[PbValue]) -> SequenceProto {
    let kind = items.first().map_or(Holds::Tensor, holds);
    let mut s =
        SequenceProto { name: name.to_owned(), elem_type: kind.into(), ..Default::default() };
    for item in items {
        match item {
            PbValue::Tensor(t) => s.tensor_values.push(tensor_proto("", t)),
            PbValue::Seq(items) => s.sequence_values.push(sequence_proto("", items)),
            PbValue::Optional(_) => s.optional_values.push(optional_proto("", item)),
            PbValue::Map { keys, values } => s.map_values.push(map_proto("", keys, values)),
        }
    }
    s
}

fn optional_proto(name: &str, value: &PbValue) -> OptionalProto {
    let mut o = OptionalProto { name: name.to_owned(), ..Default::default() };
    let PbValue::Optional(Some(inner)) = value else { return o };
    o.elem_type = holds(inner).into();
    match &**inner {
        PbValue::Tensor(t) => o.tensor_value = Some(Box::new(tensor_proto("", t))),
        PbValue::Seq(items) => o.sequence_value = Some(Box::new(sequence_proto("", items))),
        PbValue::Optional(_) => o.optional_value = Some(Box::new(optional_proto("", inner))),
        PbValue::Map { keys, values } => o.map_value = Some(Box::new(map_proto("", keys, values))),
    }
    o
}

fn map_proto(name: &str, keys: &Literal, values: &Literal) -> MapProto {
    let items: Vec<_> = unstack(values).into_iter().map(PbValue::Tensor).collect();
    let mut m = MapProto {
        name: name.to_owned(),
        key_type: dtype::to_number(keys.dtype()),
        values: Some(Box::new(sequence_proto("", &items))),
        ..Default::default()
    };
    match keys.data() {
        LiteralData::Strings(texts) => {
            m.string_keys = texts.iter().map(|s| Bytes::copy_from_slice(s.as_bytes())).collect();
        }
        LiteralData::Bytes(_) => m.keys = keys.to_i64s().unwrap_or_default(),
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: &PbValue, ty: &Type) -> PbValue {
        read_value(write_value("x", value, ty).into(), ty).unwrap()
    }

    #[test]
    fn values_survive_writing_and_reading() {
        let f32s = Type::unranked(DType::F32);
        let seq = Type::Seq(Box::new(f32s.clone()));
        let opt = |ty: &Type| Type::Optional(Box::new(ty.clone()));
        let map = Type::Map(DType::Str, Box::new(f32s.clone()));
        let tensor = PbValue::Tensor(Literal::vector(&[1.0f32, f32::NAN.abs()]));
        let sequence = PbValue::Seq(vec![PbValue::Tensor(Literal::scalar(2.0f32)), tensor.clone()]);
        let texts = Literal::from_strings(vec![2], vec!["ä".into(), String::new()]).unwrap();
        let dictionary =
            PbValue::Map { keys: texts.clone(), values: Literal::vector(&[0.5f32, 1.5]) };
        let some = |v: &PbValue| PbValue::Optional(Some(Box::new(v.clone())));
        for (value, ty) in [
            (PbValue::Tensor(texts), Type::unranked(DType::Str)),
            (sequence.clone(), seq.clone()),
            (PbValue::Seq(vec![]), seq.clone()),
            (PbValue::Optional(None), opt(&f32s)),
            (some(&sequence), opt(&seq)),
            (some(&PbValue::Optional(None)), opt(&opt(&seq))),
            (dictionary.clone(), map.clone()),
            (PbValue::Seq(vec![dictionary]), Type::Seq(Box::new(map))),
        ] {
            assert_eq!(round_trip(&value, &ty), value);
        }
        assert_eq!(round_trip(&sequence, &opt(&seq)), some(&sequence));
        assert_eq!(round_trip(&some(&sequence), &seq), sequence);
    }

    #[test]
    fn maps_check_their_counts() {
        let m = MapProto { key_type: 7, keys: vec![1, 2], ..Default::default() };
        let ty = Type::Map(DType::I64, Box::new(Type::unranked(DType::F32)));
        let error = read_value(m.encode_to_vec().into(), &ty).unwrap_err();
        assert!(matches!(
            error.fault,
            OnnxErrorKind::BadTensor { reason: TensorFault::Count { .. }, .. }
        ));
    }

    #[test]
    fn other_bytes_are_no_value() {
        let error = read_tensor(Bytes::from_static(b"\xff\xff")).unwrap_err();
        assert!(matches!(error.fault, OnnxErrorKind::Decode { .. }));
    }
}
