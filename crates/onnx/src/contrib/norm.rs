//! Normalisations.

use super::unsupported;
use crate::catalog::By::Composed;
use crate::catalog::Translation;
use crate::dtype;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::control::Outputs;
use crate::import::node::Node;
use trident_ir::{Builder, ops};

// ONNX Runtime has it in the standard's operator set.
pub(super) static OPERATORS: &[Translation] = &[Translation {
    domain: "",
    name: "SimplifiedLayerNormalization",
    since: 1,
    by: Composed(simplified),
}];

/// X/√(mean(X²) + epsilon)·scale over the axes from `axis` on.
fn simplified(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _] = node.operands()?;
    let mut norm = ops::RMSNormalization::new(node.need(0, "X")?, node.need(1, "scale")?);
    if node.output(1).is_some() {
        return Err(unsupported(node, "output `inv_std_var`, which is for training").into());
    }
    if let Some(axis) = node.take_int("axis")? {
        norm = norm.axis(axis);
    }
    if let Some(epsilon) = node.take_float("epsilon")? {
        norm = norm.epsilon(epsilon);
    }
    if let Some(number) = node.take_int("stash_type")? {
        let stash = dtype::from_number(number).filter(|dtype| dtype.is_float());
        norm = norm.stash_type(stash.ok_or_else(|| OnnxErrorKind::AttributeValue {
            name: "stash_type".to_owned(),
            found: number.to_string(),
            expected: "the number of a floating-point type",
        })?);
    }
    Ok(vec![Some(b.add(norm)?)])
}
