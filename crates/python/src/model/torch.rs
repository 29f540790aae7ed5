//! Tensors of PyTorch that DLPack cannot describe, or describes with other numbers.

use super::refusal::{Refusal, Result};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

/// The object itself, or a copy of a tensor with negated or conjugated elements: PyTorch negates and conjugates them when it reads
/// them, and DLPack does not say so. The second value says whether it is a copy.
pub(super) fn resolved<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let py = object.py();
    let Some(is_neg) = object.getattr_opt(intern!(py, "is_neg"))? else {
        return Ok((object.clone(), false));
    };
    let (mut tensor, mut is_copied) = (object.clone(), false);
    if object.call_method0(intern!(py, "is_conj"))?.is_truthy()? {
        (tensor, is_copied) = (tensor.call_method0(intern!(py, "resolve_conj"))?, true);
    }
    if is_neg.call0()?.is_truthy()? {
        (tensor, is_copied) = (tensor.call_method0(intern!(py, "resolve_neg"))?, true);
    }
    Ok((tensor, is_copied))
}

/// An error for a tensor whose memory cannot have a result as it is: PyTorch would negate or conjugate what a run writes.
pub(super) fn check_output(object: &Bound<'_, PyAny>) -> Result<()> {
    let py = object.py();
    let bits = [
        (intern!(py, "is_neg"), "negated", "resolve_neg"),
        (intern!(py, "is_conj"), "conjugated", "resolve_conj"),
    ];
    for (asks, word, resolve) in bits {
        if let Some(ask) = object.getattr_opt(asks)?
            && ask.call0()?.is_truthy()?
        {
            return Err(Refusal::text(format!(
                "it is a {word} view, and a result cannot be written to it: pass a tensor of its own, such as `tensor.{resolve}()`"
            )));
        }
    }
    Ok(())
}

/// The reason why an array was not exported; the exception itself if its library says something else.
pub(super) fn refusal(object: &Bound<'_, PyAny>, error: PyErr) -> Refusal {
    let py = object.py();
    let is_set =
        |name: &str| object.getattr(name).is_ok_and(|value| value.is_truthy().unwrap_or_default());
    if is_set("requires_grad") {
        return Refusal::text(
            "it requires a gradient, and models do not compute gradients: pass `tensor.detach()`",
        );
    }
    if is_set("is_meta") {
        return Refusal::text(
            "it is on the device `meta`, which has no elements: pass a tensor with elements",
        );
    }
    let is_tensor = object.hasattr("layout").unwrap_or_default();
    if is_tensor && object.hasattr("to_dense").unwrap_or_default() {
        let layout = object.getattr("layout").and_then(|layout| Ok(layout.str()?.to_string()));
        if let Ok(layout) = layout
            && layout != "torch.strided"
        {
            return Refusal::text(format!(
                "its layout is `{layout}`, and models take dense tensors: pass `tensor.to_dense()`"
            ));
        }
    }
    // Errors that the protocol names, and those of the checks here: they are about the array.
    match error.is_instance_of::<PyBufferError>(py) || error.is_instance_of::<PyValueError>(py) {
        true => Refusal::text(error.value(py).to_string()),
        false => Refusal::Raised(error),
    }
}
