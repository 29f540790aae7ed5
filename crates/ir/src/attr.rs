//! Attributes: the parts of an op that are known before the program runs.

use crate::op::AttrDecl;
use crate::op::kinds::AttrType;
use crate::{DType, Literal, Type};
use std::marker::PhantomData;

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

/// The name of an attribute of kind `K`, as a row has it. Views list the names of theirs: `ops::Conv::AT.group`.
#[derive(Debug)]
pub struct AttrName<K> {
    text: &'static str,
    kind: PhantomData<K>,
}

impl<K> Clone for AttrName<K> {
    fn clone(&self) -> AttrName<K> {
        *self
    }
}

impl<K> Copy for AttrName<K> {}

impl<K> AttrName<K> {
    /// The name in a row; only generated views make one.
    pub(crate) const fn new(text: &'static str) -> AttrName<K> {
        AttrName { text, kind: PhantomData }
    }

    /// The name, as in the text form.
    pub const fn text(self) -> &'static str {
        self.text
    }
}

/// The attributes that an op sets, ordered by name: two ops that set the same are equal.
///
/// They are read and set by the typed views of [`crate::ops`], or of ops of any kind by [`crate::generic`]. A text is no key:
///
/// ```compile_fail
/// let op = trident_ir::Op::new(trident_ir::OpKind::Softmax, vec![], vec![]);
/// let name = "axis";
/// op.attrs.get(name);
/// ```
///
/// ```compile_fail
/// let mut op = trident_ir::Op::new(trident_ir::OpKind::Softmax, vec![], vec![]);
/// let name = "axis";
/// op.attrs.set(name, trident_ir::Attr::Int(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attrs(Vec<(&'static str, Attr)>);

impl Attrs {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(n, _)| (*n).cmp(name))
    }

    fn insert(&mut self, name: &'static str, value: Attr) {
        match self.find(name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// The value set under a name.
    pub(crate) fn named<K>(&self, name: AttrName<K>) -> Option<&Attr> {
        self.find(name.text).ok().map(|at| &self.0[at].1)
    }

    /// Sets or replaces the value under a name.
    pub(crate) fn put<K: AttrType>(&mut self, name: AttrName<K>, value: K::Value) {
        self.insert(name.text, K::store(value));
    }

    /// The value set for a declared attribute.
    pub(crate) fn get(&self, attr: &AttrDecl) -> Option<&Attr> {
        self.find(attr.name).ok().map(|at| &self.0[at].1)
    }

    /// Sets or replaces the value of a declared attribute.
    pub(crate) fn set(&mut self, attr: &'static AttrDecl, value: Attr) {
        self.insert(attr.name, value);
    }

    /// Removes the values for which `keep` does not hold.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&'static str, &Attr) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    /// All values.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Attr> {
        self.0.iter_mut().map(|(_, value)| value)
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
        let at = crate::ops::ScatterElements::AT;
        let mut attrs = Attrs::default();
        attrs.put(at.reduction, crate::op::words::ScatterReduction::Add);
        attrs.put(at.axis, 1);
        attrs.put(at.axis, 2);
        let names: Vec<_> = attrs.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["axis", "reduction"]);
        assert_eq!(attrs.named(at.axis), Some(&Attr::Int(2)));
        attrs.retain(|name, _| name != at.axis.text());
        assert_eq!((attrs.named(at.axis), attrs.is_empty()), (None, false));
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
