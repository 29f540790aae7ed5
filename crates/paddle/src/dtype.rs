//! Element types by Paddle's numbers and names.

use trident_ir::DType;

/// Element types with their numbers in `framework.proto` (`VarType.Type`) and their names in PIR's types and
/// attributes.
const DTYPES: &[(i64, &str, &str, DType)] = &[
    (0, "t_bool", "bool", DType::Bool),
    (1, "t_i16", "int16", DType::I16),
    (2, "t_i32", "int32", DType::I32),
    (3, "t_i64", "int64", DType::I64),
    (4, "t_f16", "float16", DType::F16),
    (5, "t_f32", "float32", DType::F32),
    (6, "t_f64", "float64", DType::F64),
    (19, "t_index", "index", DType::I64),
    (20, "t_ui8", "uint8", DType::U8),
    (21, "t_i8", "int8", DType::I8),
    (22, "t_bf16", "bfloat16", DType::BF16),
    (23, "t_c64", "complex64", DType::C64),
    (24, "t_c128", "complex128", DType::C128),
    (32, "t_f8e4m3fn", "float8_e4m3fn", DType::F8E4M3FN),
    (33, "t_f8e5m2", "float8_e5m2", DType::F8E5M2),
];

/// The element type with a number of `framework.proto`, as in a `ProgramDesc` and in files of parameters.
pub(crate) fn from_number(number: i64) -> Option<DType> {
    DTYPES.iter().find(|(known, ..)| *known == number).map(|&(.., dtype)| dtype)
}

/// The element type that a type of PIR names, such as `t_f32`.
pub(crate) fn from_type(name: &str) -> Option<DType> {
    DTYPES.iter().find(|(_, known, ..)| *known == name).map(|&(.., dtype)| dtype)
}

/// The element type that an attribute of PIR names, such as `float32`.
pub(crate) fn from_name(name: &str) -> Option<DType> {
    DTYPES.iter().find(|(.., known, _)| *known == name).map(|&(.., dtype)| dtype)
}
