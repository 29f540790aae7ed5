//! Activations.

use super::operator;
use crate::catalog::By::Composed;
use crate::catalog::Translation;
use crate::error::OnnxError;
use crate::import::control::Outputs;
use crate::import::node::Node;
use trident_ir::{Builder, ops};

// The op is the standard's operator of that name.
pub(super) static OPERATORS: &[Translation] = &[operator("Gelu", Composed(gelu))];

fn gelu(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_] = node.operands()?;
    let x = node.need(0, "X")?;
    Ok(vec![Some(b.add(ops::Gelu::new(x))?)])
}
