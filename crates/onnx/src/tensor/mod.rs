//! `TensorProto` and `SparseTensorProto` to constants and back.

use crate::dtype;
use crate::error::{OnnxErrorKind, TensorFault};
use crate::external::Folder;
use crate::proto::{SparseTensorProto, TensorProto};
use bytes::Bytes;
use trident_ir::literal::{LiteralData, LiteralError, checked_len};
use trident_ir::{DType, Literal};

/// The most bytes that a sparse tensor may take when written out.
const MOST_DENSE_BYTES: usize = 1 << 30;

/// Decodes a tensor; `folder` gives data that lie outside the message.
pub(crate) fn literal(t: &TensorProto, folder: &Folder<'_>) -> Result<Literal, OnnxErrorKind> {
    if t.data_location == 1 {
        let external = |reason| OnnxErrorKind::External { tensor: t.name.clone(), reason };
        let data = folder.bytes(&t.external_data).map_err(external)?;
        return raw(t, data).map_err(|reason| bad(t, reason));
    }
    inline(t)
}

/// Decodes a tensor whose data lie in the message.
pub(crate) fn inline(t: &TensorProto) -> Result<Literal, OnnxErrorKind> {
    let decoded = match (&t.raw_data, t.data_location) {
        (_, 1) => Err(TensorFault::Missing("data of its own")),
        (Some(data), _) => raw(t, data.clone()),
        (None, _) => typed(t),
    };
    decoded.map_err(|reason| bad(t, reason))
}

fn bad(t: &TensorProto, reason: TensorFault) -> OnnxErrorKind {
    OnnxErrorKind::BadTensor { tensor: t.name.clone(), reason }
}

/// Dimensions from the wire, with a check that their product is an allocation's size at all.
fn dims(dims: &[i64]) -> Result<Vec<usize>, TensorFault> {
    let dim = |&d: &i64| usize::try_from(d).map_err(|_| TensorFault::Negative(d));
    let dims = dims.iter().map(dim).collect::<Result<Vec<_>, _>>()?;
    match checked_len(&dims).and_then(|n| n.checked_mul(16)) {
        Some(_) => Ok(dims),
        None => Err(LiteralError::TooLarge { dims }.into()),
    }
}

fn head(t: &TensorProto) -> Result<(DType, Vec<usize>, usize), TensorFault> {
    let dtype = dtype::from_number(t.data_type.into());
    let dtype = dtype.ok_or(TensorFault::DataType(t.data_type))?;
    if t.segment.is_some() {
        return Err(TensorFault::Segment);
    }
    let dims = dims(&t.dims)?;
    let len = checked_len(&dims).unwrap_or(usize::MAX);
    Ok((dtype, dims, len))
}

/// Elements in little endian. Elements narrower than a byte are packed from the low bits on.
fn raw(t: &TensorProto, data: Bytes) -> Result<Literal, TensorFault> {
    let (dtype, dims, len) = head(t)?;
    let data = match dtype.bits() {
        bits @ 1..8 => {
            let expected = (len * bits).div_ceil(8);
            if data.len() != expected {
                return Err(TensorFault::Count { unit: "byte", found: data.len(), expected });
            }
            unpack(dtype, &data, len)
        }
        _ => data,
    };
    Ok(Literal::from_bytes(dtype, dims, data)?)
}

/// One byte per element from packed ones; signed integers are sign-extended.
fn unpack(dtype: DType, packed: &[u8], len: usize) -> Bytes {
    let bits = dtype.bits();
    let per_byte = 8 / bits;
    let element = |i: usize| {
        let shift = 8 - bits;
        let high = (packed[i / per_byte] >> (i % per_byte * bits)) << shift;
        match dtype.class() {
            trident_ir::dtype::Class::Int => ((high as i8) >> shift) as u8,
            _ => high >> shift,
        }
    };
    (0..len).map(element).collect()
}

/// Packed bytes from one byte per element.
fn pack(dtype: DType, elements: &[u8]) -> Bytes {
    let bits = dtype.bits();
    let mask = (1u8 << bits) - 1;
    let join = |part: &[u8]| {
        part.iter().enumerate().fold(0, |byte, (i, e)| byte | (e & mask) << (i * bits))
    };
    elements.chunks(8 / bits).map(join).collect()
}

/// Elements from the field that the standard assigns to the element type.
fn typed(t: &TensorProto) -> Result<Literal, TensorFault> {
    let (dtype, dims, len) = head(t)?;
    let count = |found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(TensorFault::Count { unit: "element", found, expected }),
    };
    macro_rules! copy {
        ($field:ident, $expected:expr) => {{
            count(t.$field.len(), $expected)?;
            Bytes::copy_from_slice(bytemuck::cast_slice(&t.$field))
        }};
    }
    macro_rules! narrow {
        ($field:ident as $($to:ty)|+) => {{
            count(t.$field.len(), len)?;
            let mut bytes = Vec::with_capacity(t.$field.len() * dtype.size());
            for &v in &t.$field {
                let fits = None$(.or_else(|| <$to>::try_from(v).ok().map(|v| v.to_le_bytes())))+;
                bytes.extend(fits.ok_or(TensorFault::Value(v as i64))?);
            }
            Bytes::from(bytes)
        }};
    }
    let data = match dtype {
        DType::Str => {
            count(t.string_data.len(), len)?;
            let text = |(i, s): (usize, &Bytes)| {
                String::from_utf8(s.to_vec()).map_err(|_| TensorFault::Text(i))
            };
            let texts = t.string_data.iter().enumerate().map(text).collect::<Result<_, _>>()?;
            return Ok(Literal::from_strings(dims, texts)?);
        }
        DType::F32 => copy!(float_data, len),
        DType::C64 => copy!(float_data, len * 2),
        DType::F64 => copy!(double_data, len),
        DType::C128 => copy!(double_data, len * 2),
        DType::I64 => copy!(int64_data, len),
        DType::I32 => copy!(int32_data, len),
        DType::U64 => copy!(uint64_data, len),
        DType::U32 => narrow!(uint64_data as u32),
        DType::I16 => narrow!(int32_data as i16),
        DType::I8 => narrow!(int32_data as i8),
        // 16-bit floats stand here as their bit patterns.
        DType::U16 | DType::F16 | DType::BF16 => narrow!(int32_data as u16),
        DType::I4 | DType::U4 | DType::I2 | DType::U2 | DType::F4E2M1FN => {
            let packed = (len * dtype.bits()).div_ceil(8);
            count(t.int32_data.len(), packed)?;
            // A packed byte may have been widened with or without its sign.
            let byte = |&v: &i32| match v {
                -128..=255 => Ok(v as u8),
                _ => Err(TensorFault::Value(v.into())),
            };
            let bytes = t.int32_data.iter().map(byte).collect::<Result<Vec<u8>, _>>()?;
            unpack(dtype, &bytes, len)
        }
        DType::U8
        | DType::Bool
        | DType::F8E4M3FN
        | DType::F8E4M3FNUZ
        | DType::F8E5M2
        | DType::F8E5M2FNUZ
        | DType::F8E8M0FNU => narrow!(int32_data as u8),
    };
    Ok(Literal::from_bytes(dtype, dims, data)?)
}

/// Writes a sparse tensor out; `fault` names it.
pub(crate) fn dense(t: &SparseTensorProto, folder: &Folder<'_>) -> Result<Literal, OnnxErrorKind> {
    let name = t.values.as_ref().map(|v| v.name.clone()).unwrap_or_default();
    let bad = |reason| OnnxErrorKind::BadTensor { tensor: name.clone(), reason };
    let values = t.values.as_ref().ok_or_else(|| bad(TensorFault::Missing("values")))?;
    let values = literal(values, folder)?;
    let dims = dims(&t.dims).map_err(bad)?;
    let len = checked_len(&dims).unwrap_or(usize::MAX);
    let places = match &t.indices {
        Some(indices) => {
            let indices = literal(indices, folder)?;
            places(&indices, &dims, len, values.len())
                .ok_or_else(|| bad(TensorFault::SparseIndices))?
        }
        None if values.is_empty() => vec![],
        None => return Err(bad(TensorFault::Missing("indices"))),
    };
    let size = values.dtype().size();
    match (values.data(), len.checked_mul(size.max(size_of::<String>()))) {
        (LiteralData::Bytes(from), Some(_)) if len.saturating_mul(size) <= MOST_DENSE_BYTES => {
            let mut bytes = vec![0; len * size];
            for (&to, element) in places.iter().zip(from.chunks_exact(size)) {
                bytes[to * size..][..size].copy_from_slice(element);
            }
            let literal = Literal::from_bytes(values.dtype(), dims, bytes.into());
            literal.map_err(|e| bad(e.into()))
        }
        (LiteralData::Strings(from), Some(bytes)) if bytes <= MOST_DENSE_BYTES => {
            let mut texts = vec![String::new(); len];
            for (&to, text) in places.iter().zip(from.iter()) {
                texts[to].clone_from(text);
            }
            Literal::from_strings(dims, texts).map_err(|e| bad(e.into()))
        }
        _ => Err(bad(TensorFault::TooLarge(MOST_DENSE_BYTES))),
    }
}

/// Flat places of a sparse tensor's elements: indices are flat places themselves or rows of coordinates,
/// in ascending order.
fn places(indices: &Literal, dims: &[usize], len: usize, count: usize) -> Option<Vec<usize>> {
    let numbers = indices.to_i64s()?;
    let places: Vec<usize> = match indices.dims() {
        [n] if *n == count => {
            numbers.iter().map(|&i| usize::try_from(i).ok()).collect::<Option<_>>()?
        }
        [n, rank] if *n == count && *rank == dims.len() && *rank > 0 => numbers
            .chunks_exact(*rank)
            .map(|row| {
                row.iter().zip(dims).try_fold(0, |place, (&i, &dim)| {
                    let i = usize::try_from(i).ok().filter(|&i| i < dim)?;
                    Some(place * dim + i)
                })
            })
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let sorted = places.windows(2).all(|w| w[0] < w[1]);
    (sorted && places.last().is_none_or(|&last| last < len)).then_some(places)
}

/// Encodes a constant: strings as strings, everything else as raw data.
pub fn tensor_proto(name: &str, literal: &Literal) -> TensorProto {
    let mut t = TensorProto {
        name: name.to_owned(),
        data_type: dtype::to_number(literal.dtype()),
        dims: literal.dims().iter().map(|&d| d as i64).collect(),
        ..TensorProto::default()
    };
    match literal.data() {
        LiteralData::Strings(texts) => {
            t.string_data = texts.iter().map(|s| Bytes::copy_from_slice(s.as_bytes())).collect();
        }
        LiteralData::Bytes(bytes) => {
            t.raw_data = Some(match literal.dtype().bits() {
                1..8 => pack(literal.dtype(), bytes),
                _ => bytes.clone(),
            });
        }
    }
    t
}

#[cfg(test)]
mod tests;
