//! Attributes of ops of any kind, by their declarations or names.
//!
//! This is for the texts and files that name attributes themselves: importers, stored models, and tables of tests. All else
//! reads and sets attributes by the typed views of [`crate::ops`], where a wrong name does not compile.
//! `xtask/tests/architecture.rs` lists the crates that may use this module.

use crate::op::AttrDecl;
use crate::{Attr, Literal, Op, OpKind, ValueId};

/// A name that is not an attribute of the op.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{op}` has no attribute `{name}`")]
pub struct UnknownAttribute {
    /// Op name.
    pub op: &'static str,
    /// The name.
    pub name: String,
}

/// The value that an op sets for a declared attribute.
pub fn get<'a>(op: &'a Op, attr: &AttrDecl) -> Option<&'a Attr> {
    op.attrs.get(attr)
}

/// Sets or replaces the value of a declared attribute. The verifier checks the value.
pub fn set(op: &mut Op, attr: &'static AttrDecl, value: Attr) {
    op.attrs.set(attr, value);
}

/// The tensors among the attributes that an op sets.
pub fn tensors_mut(op: &mut Op) -> impl Iterator<Item = &mut Literal> {
    op.attrs.values_mut().filter_map(|value| match value {
        Attr::Tensor(literal) => Some(literal),
        _ => None,
    })
}

/// Removes attributes that are set to their declared defaults.
pub fn remove_defaults(op: &mut Op) {
    let decl = op.decl();
    op.attrs.retain(|name, value| {
        decl.attr(name).and_then(AttrDecl::default_value).as_ref() != Some(value)
    });
}

/// An op with these attributes, without results.
///
/// # Errors
/// If the op's row has no attribute of a name.
///
/// ```
/// use trident_ir::{Attr, OpKind, ValueId, generic, ops};
/// let x = vec![Some(ValueId(0))];
/// let one = |name| [(name, Attr::Int(1))];
/// let op = generic::op(OpKind::Softmax, x.clone(), &one("axis")).unwrap();
/// assert_eq!(ops::Softmax::of(&op).unwrap().axis(), 1);
/// assert!(generic::op(OpKind::Softmax, x, &one("axes")).is_err());
/// ```
pub fn op(
    kind: OpKind,
    inputs: Vec<Option<ValueId>>,
    attrs: &[(&str, Attr)],
) -> Result<Op, UnknownAttribute> {
    let (mut op, decl) = (Op::new(kind, inputs, vec![]), kind.decl());
    for (name, value) in attrs {
        let attr = decl
            .attr(name)
            .ok_or_else(|| UnknownAttribute { op: decl.name, name: (*name).to_owned() })?;
        op.attrs.set(attr, value.clone());
    }
    Ok(op)
}
