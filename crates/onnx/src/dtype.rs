//! `TensorProto.DataType` numbers and element types.

use trident_ir::DType;

/// Numbers and names as in `TensorProto.DataType`.
const TYPES: &[(i32, &str, DType)] = &[
    (1, "FLOAT", DType::F32),
    (2, "UINT8", DType::U8),
    (3, "INT8", DType::I8),
    (4, "UINT16", DType::U16),
    (5, "INT16", DType::I16),
    (6, "INT32", DType::I32),
    (7, "INT64", DType::I64),
    (8, "STRING", DType::Str),
    (9, "BOOL", DType::Bool),
    (10, "FLOAT16", DType::F16),
    (11, "DOUBLE", DType::F64),
    (12, "UINT32", DType::U32),
    (13, "UINT64", DType::U64),
    (14, "COMPLEX64", DType::C64),
    (15, "COMPLEX128", DType::C128),
    (16, "BFLOAT16", DType::BF16),
    (17, "FLOAT8E4M3FN", DType::F8E4M3FN),
    (18, "FLOAT8E4M3FNUZ", DType::F8E4M3FNUZ),
    (19, "FLOAT8E5M2", DType::F8E5M2),
    (20, "FLOAT8E5M2FNUZ", DType::F8E5M2FNUZ),
    (21, "UINT4", DType::U4),
    (22, "INT4", DType::I4),
    (23, "FLOAT4E2M1", DType::F4E2M1FN),
    (24, "FLOAT8E8M0", DType::F8E8M0FNU),
    (25, "UINT2", DType::U2),
    (26, "INT2", DType::I2),
];

/// The element type with a number; `None` for `UNDEFINED`, numbers out of the list and the 6-bit floats.
pub fn from_number(number: i64) -> Option<DType> {
    TYPES.iter().find(|t| i64::from(t.0) == number).map(|t| t.2)
}

/// The element type with a name, as attributes of opset 1 give it.
pub fn from_name(name: &str) -> Option<DType> {
    TYPES.iter().find(|t| t.1.eq_ignore_ascii_case(name)).map(|t| t.2)
}

/// The number of an element type.
pub fn to_number(dtype: DType) -> i32 {
    TYPES.iter().find(|t| t.2 == dtype).map_or(0, |t| t.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_a_number() {
        for &dtype in DType::ALL {
            assert_eq!(from_number(to_number(dtype).into()), Some(dtype));
        }
        assert_eq!(from_number(0), None);
        assert_eq!(from_number(27), None);
        assert_eq!(from_name("float16"), Some(DType::F16));
    }
}
