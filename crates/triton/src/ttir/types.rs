//! Types as MLIR spells them.

use trident_ir::types::Space;
use trident_ir::{DType, Dim, Type};

/// Element types by name. Integers have no sign in Triton IR. Here they are signed, and ops that treat them as unsigned
/// say so.
const ELEMENTS: &[(&str, DType)] = &[
    ("i1", DType::Bool),
    ("i8", DType::I8),
    ("i16", DType::I16),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("f16", DType::F16),
    ("bf16", DType::BF16),
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("f8E5M2", DType::F8E5M2),
    ("f8E4M3FN", DType::F8E4M3FN),
    ("f8E5M2FNUZ", DType::F8E5M2FNUZ),
    ("f8E4M3FNUZ", DType::F8E4M3FNUZ),
];

/// The element types of descriptors that spell the sign.
const SIGNED: &[(&str, DType)] = &[
    ("si8", DType::I8),
    ("si16", DType::I16),
    ("si32", DType::I32),
    ("si64", DType::I64),
    ("ui8", DType::U8),
    ("ui16", DType::U16),
    ("ui32", DType::U32),
    ("ui64", DType::U64),
];

fn by_name(rows: &[(&str, DType)], name: &str) -> Option<DType> {
    rows.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
}

fn by_dtype(rows: &[(&'static str, DType)], dtype: DType) -> Option<&'static str> {
    rows.iter().find(|(_, known)| *known == dtype).map(|(name, _)| *name)
}

/// The element type of this name.
pub(super) fn element(name: &str) -> Option<DType> {
    by_name(ELEMENTS, name)
}

/// The element type of this name in a descriptor.
pub(super) fn descriptor_element(name: &str) -> Option<DType> {
    by_name(SIGNED, name).or_else(|| element(name))
}

/// The name of an element type.
pub(super) fn element_text(dtype: DType) -> &'static str {
    by_dtype(ELEMENTS, dtype).unwrap_or(dtype.name())
}

/// The type as it is printed.
pub(super) fn text(ty: &Type) -> String {
    match ty {
        Type::Descriptor(_) => format!("!tt.tensordesc{}", bare(ty)),
        Type::Pointer(p) if p.shape.as_ref().is_none_or(|shape| shape.is_empty()) => {
            format!("!tt.ptr{}", bare(ty))
        }
        _ => match ty.shape() {
            None | Some([]) => element_of(ty),
            Some(dims) => format!("tensor<{}{}>", joined(dims), element_of(ty)),
        },
    }
}

/// The type of a pointer or descriptor as some ops print it: `<f16>`, `<64x32xf16>`.
pub(super) fn bare(ty: &Type) -> String {
    match ty {
        Type::Descriptor(d) => {
            let dims: String = d.block.iter().map(|n| format!("{n}x")).collect();
            let name = by_dtype(SIGNED, d.dtype).unwrap_or_else(|| element_text(d.dtype));
            format!("<{dims}{name}>")
        }
        Type::Pointer(p) => {
            let space = if p.space == Space::Constant { ", \"constant\"" } else { "" };
            format!("<{}{space}>", element_text(p.to))
        }
        other => text(other),
    }
}

fn element_of(ty: &Type) -> String {
    match ty {
        Type::Pointer(_) => format!("!tt.ptr{}", bare(ty)),
        _ => ty.dtype().map_or("none", element_text).into(),
    }
}

fn joined(dims: &[Dim]) -> String {
    dims.iter().map(|dim| format!("{dim}x")).collect()
}

/// Types with commas between them.
pub(super) fn list<'t>(types: impl IntoIterator<Item = &'t Type>) -> String {
    types.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Types after an arrow: one type, or a list in parentheses.
pub(super) fn results<'t>(types: impl IntoIterator<Item = &'t Type>) -> String {
    let types: Vec<_> = types.into_iter().map(text).collect();
    match &types[..] {
        [one] => one.clone(),
        _ => format!("({})", types.join(", ")),
    }
}
