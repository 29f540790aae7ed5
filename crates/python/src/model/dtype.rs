//! Element types as NumPy, `ml_dtypes` and DLPack have them.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use trident_ir::DType;

/// NumPy's names.
const NUMPY: &[(&str, DType)] = &[
    ("float64", DType::F64),
    ("float32", DType::F32),
    ("float16", DType::F16),
    ("int64", DType::I64),
    ("int32", DType::I32),
    ("int16", DType::I16),
    ("int8", DType::I8),
    ("uint64", DType::U64),
    ("uint32", DType::U32),
    ("uint16", DType::U16),
    ("uint8", DType::U8),
    ("bool", DType::Bool),
    ("complex64", DType::C64),
    ("complex128", DType::C128),
];

/// The names in `ml_dtypes` of types that NumPy lacks.
const ML_DTYPES: &[(&str, DType)] = &[
    ("bfloat16", DType::BF16),
    ("float8_e4m3fn", DType::F8E4M3FN),
    ("float8_e4m3fnuz", DType::F8E4M3FNUZ),
    ("float8_e5m2", DType::F8E5M2),
    ("float8_e5m2fnuz", DType::F8E5M2FNUZ),
    ("float8_e8m0fnu", DType::F8E8M0FNU),
    ("float4_e2m1fn", DType::F4E2M1FN),
    ("int4", DType::I4),
    ("int2", DType::I2),
    ("uint4", DType::U4),
    ("uint2", DType::U2),
];

/// The name of a type in NumPy or `ml_dtypes`; `object` for strings.
pub(crate) fn name(dtype: DType) -> &'static str {
    let mut all = NUMPY.iter().chain(ML_DTYPES);
    all.find(|(_, known)| *known == dtype).map_or("object", |(name, _)| name)
}

/// The type of this name.
pub(crate) fn by_name(name: &str) -> Option<DType> {
    let mut all = NUMPY.iter().chain(ML_DTYPES);
    all.find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
}

/// Whether the type comes from `ml_dtypes`. NumPy gives no buffers of such arrays.
pub(crate) fn is_extension(dtype: DType) -> bool {
    ML_DTYPES.iter().any(|(_, known)| *known == dtype)
}

/// The type of elements that DLPack describes by code, bits and lanes. Types narrower than a byte are packed there, and have none.
pub(crate) fn by_dlpack(element: (u8, u8, u16)) -> Option<DType> {
    let (code, bits, 1) = element else { return None };
    Some(match (code, bits) {
        (0, 8) => DType::I8,
        (0, 16) => DType::I16,
        (0, 32) => DType::I32,
        (0, 64) => DType::I64,
        (1, 8) => DType::U8,
        (1, 16) => DType::U16,
        (1, 32) => DType::U32,
        (1, 64) => DType::U64,
        (2, 16) => DType::F16,
        (2, 32) => DType::F32,
        (2, 64) => DType::F64,
        (4, 16) => DType::BF16,
        (5, 64) => DType::C64,
        (5, 128) => DType::C128,
        (6, 8) => DType::Bool,
        (10, 8) => DType::F8E4M3FN,
        (11, 8) => DType::F8E4M3FNUZ,
        (12, 8) => DType::F8E5M2,
        (13, 8) => DType::F8E5M2FNUZ,
        (14, 8) => DType::F8E8M0FNU,
        _ => return None,
    })
}

/// NumPy's `dtype` for a type; an error if it is one of `ml_dtypes` and that is missing.
pub(crate) fn numpy(py: Python<'_>, dtype: DType) -> PyResult<&Bound<'_, PyAny>> {
    static MADE: [PyOnceLock<Py<PyAny>>; DType::ALL.len()] =
        [const { PyOnceLock::new() }; DType::ALL.len()];
    let made = MADE[dtype as usize].get_or_try_init(py, || {
        let class = py.import("numpy")?.getattr("dtype")?;
        let name = name(dtype);
        if !is_extension(dtype) {
            return class.call1((name,)).map(Bound::unbind);
        }
        let extension = py.import("ml_dtypes").map_err(|_| {
            PyImportError::new_err(format!(
                "NumPy has no `{name}`: install ml_dtypes, which has it"
            ))
        })?;
        class.call1((extension.getattr(name)?,)).map(Bound::unbind)
    })?;
    Ok(made.bind(py))
}

/// NumPy's class of arrays.
pub(crate) fn ndarray(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "numpy", "ndarray")
}
