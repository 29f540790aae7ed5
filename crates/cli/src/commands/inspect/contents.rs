//! The contents of a model's file.

use std::collections::BTreeMap;
use trident_ir::text::LISTED;
use trident_ir::{Attr, Func, ops};

/// Whether a constant is too long to be listed.
pub(super) fn has_long_constants(func: &Func) -> bool {
    let mut found = false;
    func.body.walk(&mut |op| {
        let is_long = |attr: &Attr| matches!(attr, Attr::Tensor(t) if t.len() > LISTED);
        found |= op.attrs.iter().any(|(_, attr)| is_long(attr));
    });
    found
}

/// The function as stored in the model's file.
pub(super) struct Contents {
    /// Elements of all floating-point constants.
    pub(super) parameters: usize,
    /// Bytes of all constants.
    pub(super) bytes: usize,
    /// Ops that are not constants, by name.
    pub(super) ops: BTreeMap<&'static str, usize>,
}

impl Contents {
    pub(super) fn of(func: &Func) -> Contents {
        let mut contents = Contents { parameters: 0, bytes: 0, ops: BTreeMap::new() };
        func.body.walk(&mut |op| match ops::Constant::of(op) {
            Some(constant) => {
                let t = constant.value();
                contents.parameters += if t.dtype().is_float() { t.len() } else { 0 };
                contents.bytes += t.len() * t.dtype().size();
            }
            None => *contents.ops.entry(op.decl().name).or_default() += 1,
        });
        contents
    }
}
