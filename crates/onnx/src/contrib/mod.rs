//! Translations of ONNX Runtime's operators, which exporters and its optimiser write, to equivalent ops.
//!
//! Each module has a list of operators and their functions. A function names the operands and attributes as ONNX
//! Runtime's documentation does. It refuses operands, results and values that it does not support. Attributes that it
//! does not read are refused automatically.

mod activation;
mod embedding;
mod norm;
mod product;
mod qlinear;
mod quant;
mod rotary;
#[cfg(test)]
mod tests;

use crate::catalog::{By, RUNTIME, Translation};
use crate::error::OnnxErrorKind;
use crate::import::node::Node;

/// All operators.
pub(crate) fn operators() -> impl Iterator<Item = &'static Translation> {
    let families = [
        activation::OPERATORS,
        embedding::OPERATORS,
        norm::OPERATORS,
        product::OPERATORS,
        qlinear::OPERATORS,
        quant::OPERATORS,
        rotary::OPERATORS,
    ];
    families.into_iter().flatten()
}

/// An operator of ONNX Runtime's own set.
const fn operator(name: &'static str, by: By) -> Translation {
    Translation { domain: RUNTIME, name, since: 1, by }
}

/// The error for a part of an operator that is not served.
fn unsupported(node: &Node<'_>, reason: &'static str) -> OnnxErrorKind {
    OnnxErrorKind::Unsupported { op: node.proto.op_type.clone(), reason }
}

/// Takes a flag out that must be off, or reports why.
fn must_be_off(node: &mut Node<'_>, name: &str, reason: &'static str) -> Result<(), OnnxErrorKind> {
    match node.take_int(name)? {
        None | Some(0) => Ok(()),
        Some(_) => Err(unsupported(node, reason)),
    }
}
