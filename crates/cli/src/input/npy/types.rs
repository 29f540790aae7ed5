//! Element types of .npy files.

use trident_ir::DType;
use trident_ir::dtype::Class;

/// Names of element types in .npy headers, without the byte order, and in NumPy.
const NAMES: &[(&str, DType, &str)] = &[
    ("f8", DType::F64, "'float64'"),
    ("f4", DType::F32, "'float32'"),
    ("f2", DType::F16, "'float16'"),
    ("i8", DType::I64, "'int64'"),
    ("i4", DType::I32, "'int32'"),
    ("i2", DType::I16, "'int16'"),
    ("i1", DType::I8, "'int8'"),
    ("u8", DType::U64, "'uint64'"),
    ("u4", DType::U32, "'uint32'"),
    ("u2", DType::U16, "'uint16'"),
    ("u1", DType::U8, "'uint8'"),
    ("b1", DType::Bool, "'bool'"),
    ("c8", DType::C64, "'complex64'"),
    ("c16", DType::C128, "'complex128'"),
];

/// Names in `ml_dtypes` of the element types that are raw bytes in .npy files.
const RAW: &[(DType, &str)] = &[
    (DType::BF16, "ml_dtypes.bfloat16"),
    (DType::F8E4M3FN, "ml_dtypes.float8_e4m3fn"),
    (DType::F8E4M3FNUZ, "ml_dtypes.float8_e4m3fnuz"),
    (DType::F8E5M2, "ml_dtypes.float8_e5m2"),
    (DType::F8E5M2FNUZ, "ml_dtypes.float8_e5m2fnuz"),
    (DType::F8E8M0FNU, "ml_dtypes.float8_e8m0fnu"),
    (DType::F4E2M1FN, "ml_dtypes.float4_e2m1fn"),
    (DType::I4, "ml_dtypes.int4"),
    (DType::I2, "ml_dtypes.int2"),
    (DType::U4, "ml_dtypes.uint4"),
    (DType::U2, "ml_dtypes.uint2"),
];

/// The name of a type in headers, without the byte order, where NumPy has one.
pub(super) fn header_name(dtype: DType) -> Option<&'static str> {
    NAMES.iter().find(|(_, d, _)| *d == dtype).map(|(name, ..)| *name)
}

/// The type as `astype` takes it.
pub(crate) fn numpy_name(dtype: DType) -> &'static str {
    let named = NAMES.iter().find(|(_, d, _)| *d == dtype).map(|(_, _, name)| *name);
    let raw = || RAW.iter().find(|(d, _)| *d == dtype).map(|(_, name)| *name);
    named.or_else(raw).unwrap_or("'U'")
}

/// The element type that a header means; `wanted` is the type that the input takes.
pub(super) fn element_type(
    descr: &str,
    name: &str,
    wanted: Option<DType>,
) -> Result<DType, String> {
    if let Some((_, dtype, _)) = NAMES.iter().find(|(n, ..)| *n == name) {
        return Ok(*dtype);
    }
    // The one type that `ml_dtypes` has NumPy write by a name, which NumPy does not read.
    if name == "f1" {
        return Ok(DType::F8E5M2);
    }
    let Some(width) = name.strip_prefix('V').and_then(|w| w.parse::<usize>().ok()) else {
        return Err(unknown(descr, name, wanted));
    };
    let raw = format!("its elements are raw bytes (`{descr}`), as NumPy saves types of ml_dtypes");
    match wanted {
        Some(wanted) if RAW.iter().any(|(d, _)| *d == wanted) && wanted.size() == width => {
            Ok(wanted)
        }
        Some(wanted) => Err(format!(
            "{raw}, and the input takes {wanted}: convert the array before saving it, by `array.astype({})`",
            numpy_name(wanted)
        )),
        None => Err(format!("{raw}, and the input does not say which type they are")),
    }
}

/// The reason why an element type cannot be read, and the remedy; `wanted` is the type that the input takes.
pub(super) fn unknown(descr: &str, name: &str, wanted: Option<DType>) -> String {
    let (what, wanted) = match name.chars().next() {
        Some('O') => ("it holds Python objects", wanted),
        Some('M' | 'm') => ("it holds dates or times", wanted),
        Some('T') => ("its strings have no fixed width", wanted.or(Some(DType::Str))),
        _ => ("its element type is not supported", wanted),
    };
    let save = match wanted {
        Some(DType::Str) => {
            "strings of fixed width, `array.astype('U')`, or write them to a .json file".to_owned()
        }
        Some(wanted) => format!("`array.astype({})`", numpy_name(wanted)),
        None => "numbers, for example `array.astype('float32')`".to_owned(),
    };
    format!("{what} (`{descr}`): save {save}")
}

/// From the low bits of a byte, as `ml_dtypes` stores types narrower than that, to a byte of the same value. Signed
/// numbers may fill their byte already.
pub(super) fn widen(elements: &mut [u8], dtype: DType) -> Result<(), String> {
    let unused = 8 - dtype.bits();
    for (i, byte) in elements.iter_mut().enumerate() {
        let low = *byte << unused >> unused;
        let signed = ((*byte << unused).cast_signed() >> unused).cast_unsigned();
        let value = if dtype.class() == Class::Int { signed } else { low };
        if *byte != low && *byte != value {
            return Err(format!(
                "element {i} is the byte 0x{byte:02x}, which is not a value of {dtype}"
            ));
        }
        *byte = value;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_save_instead_is_what_the_input_takes() {
        for descr in ["|O", "<M8[ns]", "<f16"] {
            for (wanted, advice) in [
                (DType::Str, "save strings of fixed width, `array.astype('U')`, or write"),
                (DType::I64, "save `array.astype('int64')`"),
                (DType::BF16, "save `array.astype(ml_dtypes.bfloat16)`"),
            ] {
                let error = element_type(descr, &descr[1..], Some(wanted)).unwrap_err();
                assert!(error.contains(descr) && error.contains(advice), "{error}");
            }
        }
    }
}
