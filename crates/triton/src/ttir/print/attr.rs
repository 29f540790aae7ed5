//! Attributes as MLIR prints them.

use crate::ttir::attr::Dense;
use crate::ttir::{Attr, float, types};
use std::fmt;
use trident_ir::DType;

/// An attribute in a text.
pub(super) struct Shown<'a>(pub(super) &'a Attr);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Attr::Unit => f.write_str("unit"),
            Attr::Bool(value) => write!(f, "{value}"),
            // The types of numbers without one.
            Attr::Int(value, DType::I64) => write!(f, "{value}"),
            Attr::Float(bits, DType::F64) => f.write_str(&float::text(*bits, DType::F64)),
            Attr::Int(_, dtype) | Attr::Float(_, dtype) => {
                write!(f, "{} : {}", number(self.0), types::element_text(*dtype))
            }
            Attr::Str(text) => quoted(text).fmt(f),
            Attr::Word(word) => f.write_str(word),
            Attr::Symbol(name) => write!(f, "@{}", symbol(name)),
            Attr::Type(ty) => f.write_str(&types::text(ty)),
            Attr::List(items) => {
                let items: Vec<_> = items.iter().map(|item| Shown(item).to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Attr::Array(dtype, items) => {
                let show = |item: &i64| match dtype {
                    DType::Bool => (*item != 0).to_string(),
                    _ => item.to_string(),
                };
                let items: Vec<_> = items.iter().map(show).collect();
                let colon = if items.is_empty() { "" } else { ": " };
                write!(f, "array<{}{colon}{}>", types::element_text(*dtype), items.join(", "))
            }
            Attr::Dense(value) => f.write_str(&dense(value)),
            Attr::Dict(fields) => {
                write!(f, "{{{}}}", dictionary(fields.0.iter().map(|(n, v)| (&**n, v))))
            }
            Attr::Fields(name, fields) => {
                let fields: Vec<_> = fields.0.iter().map(|(name, v)| field(name, v)).collect();
                write!(f, "#{name}<{}>", fields.join(", "))
            }
            Attr::Alias(name) => write!(f, "#{name}"),
            Attr::Other(text) => f.write_str(text),
        }
    }
}

/// A number without its type.
pub(super) fn number(attr: &Attr) -> String {
    match attr {
        Attr::Float(bits, dtype) => float::text(*bits, *dtype),
        Attr::Int(value, _) => value.to_string(),
        other => Shown(other).to_string(),
    }
}

/// `name = value`, or the name alone.
pub(super) fn field(name: &str, value: &Attr) -> String {
    match value {
        Attr::Unit => name.to_owned(),
        value => format!("{name} = {}", Shown(value)),
    }
}

/// Fields in the order of their names, with commas between them.
pub(super) fn dictionary<'a>(fields: impl Iterator<Item = (&'a str, &'a Attr)>) -> String {
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by_key(|(name, _)| *name);
    fields.iter().map(|(name, value)| field(name, value)).collect::<Vec<_>>().join(", ")
}

/// `dense<1> : tensor<4xi32>`; lists are nested as the type's dimensions are.
fn dense(value: &Dense) -> String {
    let Dense { ty, bytes, splat } = value;
    let dtype = ty.dtype().unwrap_or(DType::I8);
    let elements: Vec<_> =
        bytes.chunks_exact(dtype.size().max(1)).map(|bytes| element(bytes, dtype)).collect();
    let same = elements.iter().all(|x| Some(x) == elements.first());
    let shown = match elements.first() {
        None => String::new(),
        Some(first) if *splat || same => first.clone(),
        Some(_) => nested(&elements, &ty.dims().unwrap_or_default()),
    };
    format!("dense<{shown}> : {}", types::text(ty))
}

fn nested(elements: &[String], dims: &[usize]) -> String {
    let parts: Vec<String> = match dims {
        [] | [_] => elements.to_vec(),
        [_, inner @ ..] => {
            let size = inner.iter().product::<usize>().max(1);
            elements.chunks(size).map(|part| nested(part, inner)).collect()
        }
    };
    format!("[{}]", parts.join(", "))
}

fn element(bytes: &[u8], dtype: DType) -> String {
    let mut all = [0; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    match dtype {
        DType::Bool => (bytes.first() != Some(&0)).to_string(),
        _ if dtype.is_float() => float::text(u64::from_le_bytes(all), dtype),
        _ => crate::ttir::attr::signed(bytes).to_string(),
    }
}

/// The text in quotes, with MLIR's escapes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7E if byte != b'"' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:02X}")),
        }
    }
    out + "\""
}

/// The name of a symbol, in quotes where it is no identifier.
pub(super) fn symbol(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if first && name.bytes().all(plain) { name.to_owned() } else { quoted(name) }
}
