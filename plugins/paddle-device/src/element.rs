//! Element types as Paddle's C interface numbers them.

use std::fmt;
use trident_ir::DType;

/// An element type of Paddle, as its number in `PD_DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element(pub(crate) i32);

/// Name, size in bytes, and our type of each element type, by number.
const ELEMENTS: [(&str, usize, Option<DType>); 16] = [
    ("undefined", 0, None),
    ("bool", 1, Some(DType::Bool)),
    ("u8", 1, Some(DType::U8)),
    ("u16", 2, Some(DType::U16)),
    ("u32", 4, Some(DType::U32)),
    ("u64", 8, Some(DType::U64)),
    ("i8", 1, Some(DType::I8)),
    ("i16", 2, Some(DType::I16)),
    ("i32", 4, Some(DType::I32)),
    ("i64", 8, Some(DType::I64)),
    ("f16", 2, Some(DType::F16)),
    ("f32", 4, Some(DType::F32)),
    ("f64", 8, Some(DType::F64)),
    ("bf16", 2, Some(DType::BF16)),
    ("c64", 8, None),
    ("c128", 16, None),
];

impl Element {
    /// A tensor's type before anything has set it.
    pub(crate) const UNDEFINED: Element = Element(0);

    /// All types that tensors may have.
    pub(crate) fn all() -> impl Iterator<Item = Element> {
        (1..).take(ELEMENTS.len() - 1).map(Element)
    }

    fn row(self) -> Option<&'static (&'static str, usize, Option<DType>)> {
        ELEMENTS.get(usize::try_from(self.0).ok()?)
    }

    /// The type of this name, as `kernels.txt` has it.
    pub(crate) fn named(name: &str) -> Option<Element> {
        let at = ELEMENTS.iter().position(|(known, ..)| *known == name)?;
        i32::try_from(at).ok().map(Element)
    }

    /// Whether elements are complex numbers.
    pub(crate) fn is_complex(self) -> bool {
        matches!(self.0, 14 | 15)
    }

    /// The size of one element in bytes; 0 for an unknown type.
    pub(crate) fn size(self) -> usize {
        self.row().map_or(0, |row| row.1)
    }

    /// The type of the graph's tensors; complex numbers have none.
    pub(crate) fn dtype(self) -> Option<DType> {
        self.row().and_then(|row| row.2)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            Some(row) => f.write_str(row.0),
            None => write!(f, "type {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_graphs_types() {
        for (at, (name, size, dtype)) in ELEMENTS.iter().enumerate() {
            assert_eq!(Element::named(name), Some(Element(at as i32)));
            if let Some(dtype) = dtype {
                assert_eq!((dtype.name(), dtype.size()), (*name, *size));
            }
        }
        assert_eq!(Element::named("f8"), None);
        assert_eq!((Element(16).size(), Element(-1).to_string()), (0, "type -1".to_owned()));
    }
}
