//! Names of types.

use trident_ir::{DType, Space, Type};

/// Whether the language, or a function of the prelude, computes with the element type.
pub fn is_native(dtype: DType) -> bool {
    scalar(dtype).is_some()
}

/// The name of an element type; `None` if the language has no such type. Floats of 8 bits are bytes.
pub(super) fn scalar(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::Bool => "bool",
        DType::I8 => "char",
        DType::U8 => "uchar",
        DType::F8E4M3FN | DType::F8E4M3FNUZ | DType::F8E5M2 | DType::F8E5M2FNUZ => "uchar",
        DType::I16 => "short",
        DType::U16 => "ushort",
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::I64 => "long",
        DType::U64 => "ulong",
        DType::F16 => "half",
        DType::BF16 => "bfloat",
        DType::F32 => "float",
        _ => return None,
    })
}

/// The format of a float of 8 bits: bits of its mantissa, bias, greatest code, and the kind of its special values, as
/// numbered in `prelude.rs`.
pub(super) fn format_8(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::F8E5M2 => "2, 15, 0x7b, 0",
        DType::F8E4M3FN => "3, 7, 0x7e, 1",
        DType::F8E5M2FNUZ => "2, 16, 0x7f, 2",
        DType::F8E4M3FNUZ => "3, 8, 0x7f, 2",
        _ => return None,
    })
}

/// The unsigned integer with as many bytes.
pub(super) fn unsigned(dtype: DType) -> &'static str {
    match dtype.size() {
        1 => "uchar",
        2 => "ushort",
        4 => "uint",
        _ => "ulong",
    }
}

/// The name of a type; the error says what has none.
pub(super) fn name(ty: &Type, is_coherent: bool) -> Result<String, String> {
    let lacks = |dtype: DType| format!("Metal has no element type {dtype}");
    match ty {
        Type::Tensor(t) => {
            let element = scalar(t.dtype).ok_or_else(|| lacks(t.dtype))?;
            match ty.dims().as_deref() {
                Some([]) => Ok(element.to_owned()),
                Some([n]) => Ok(format!("{element}{n}")),
                _ => Err(format!("Metal has no type like {ty}")),
            }
        }
        Type::Pointer(p) => {
            let element = scalar(p.to).ok_or_else(|| lacks(p.to))?;
            Ok(format!("{} {element}*", space(p.space, is_coherent)))
        }
        Type::Matrix(dtype) => {
            let element = scalar(*dtype).ok_or_else(|| lacks(*dtype))?;
            Ok(format!("simdgroup_matrix<{element}, 8, 8>"))
        }
        _ => Err(format!("Metal has no type like {ty}")),
    }
}

/// The name of an address space. Memory of the device that is never written needs no other name than the rest; threadgroups
/// see each other's plain accesses to it if it is coherent.
pub(super) fn space(space: Space, is_coherent: bool) -> &'static str {
    match space {
        Space::Device if is_coherent => "coherent(device) device",
        Space::Device => "device",
        Space::Constant => "constant",
        Space::Threadgroup => "threadgroup",
        Space::Thread => "thread",
    }
}
