//! Attributes: the parts of an op that are known before the program runs.

use crate::{DType, Literal, Type};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// Integer; also stands for truth values (0 or 1).
    Int(i64),
    /// Floating-point number.
    Float(f32),
    /// Text.
    Str(String),
    /// Integers.
    Ints(Vec<i64>),
    /// Floating-point numbers.
    Floats(Vec<f32>),
    /// Texts.
    Strs(Vec<String>),
    /// An element type.
    DType(DType),
    /// A type.
    Type(Type),
    /// A constant tensor.
    Tensor(Literal),
}

/// The kind of an attribute's value: the variant of [`Attr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // as in `Attr`
pub enum AttrKind {
    Int,
    Float,
    Str,
    Ints,
    Floats,
    Strs,
    DType,
    Type,
    Tensor,
}

impl std::fmt::Display for AttrKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AttrKind::Int => "an integer",
            AttrKind::Float => "a float",
            AttrKind::Str => "a string",
            AttrKind::Ints => "a list of integers",
            AttrKind::Floats => "a list of floats",
            AttrKind::Strs => "a list of strings",
            AttrKind::DType => "an element type",
            AttrKind::Type => "a type",
            AttrKind::Tensor => "a tensor",
        })
    }
}

impl Attr {
    /// The kind of this value.
    pub fn kind(&self) -> AttrKind {
        match self {
            Attr::Int(_) => AttrKind::Int,
            Attr::Float(_) => AttrKind::Float,
            Attr::Str(_) => AttrKind::Str,
            Attr::Ints(_) => AttrKind::Ints,
            Attr::Floats(_) => AttrKind::Floats,
            Attr::Strs(_) => AttrKind::Strs,
            Attr::DType(_) => AttrKind::DType,
            Attr::Type(_) => AttrKind::Type,
            Attr::Tensor(_) => AttrKind::Tensor,
        }
    }
}

/// The attributes that an op sets, ordered by name: two ops that set the same are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(Vec<(&'static str, Attr)>);

impl Attrs {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(n, _)| (*n).cmp(name))
    }

    /// The value set under `name`.
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.find(name).ok().map(|at| &self.0[at].1)
    }

    /// Sets or replaces a value.
    pub fn set(&mut self, name: &'static str, value: Attr) {
        match self.find(name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Removes a value.
    pub fn remove(&mut self, name: &str) -> Option<Attr> {
        self.find(name).ok().map(|at| self.0.remove(at).1)
    }

    /// All values with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attr)> {
        self.0.iter().map(|(n, v)| (*n, v))
    }

    /// Whether no attribute is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_replaces_and_the_order_is_by_name() {
        let mut attrs = Attrs::default();
        attrs.set("mode", Attr::Str("edge".into()));
        attrs.set("axis", Attr::Int(1));
        attrs.set("axis", Attr::Int(2));
        let names: Vec<_> = attrs.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["axis", "mode"]);
        assert_eq!(attrs.get("axis"), Some(&Attr::Int(2)));
        assert_eq!(attrs.remove("axis"), Some(Attr::Int(2)));
        assert_eq!(
            (attrs.remove("axis"), attrs.get("axis"), attrs.is_empty()),
            (None, None, false)
        );
    }

    #[test]
    fn kinds_are_those_that_declarations_name() {
        for &op in crate::OpKind::ALL {
            for attr in op.decl().attrs {
                if let Some(value) = attr.default_value() {
                    assert_eq!(value.kind(), attr.kind(), "{} {}", op.decl().name, attr.name);
                }
            }
        }
    }
}
