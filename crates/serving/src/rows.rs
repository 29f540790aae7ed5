//! Detection of models whose rows depend on each other, so that requests must not be merged: by what the model's ops
//! state about axes, and by the names of dimensions, which are the author's word.

use crate::complete::{ModelSignature, TensorInfo};
use std::fmt;
use std::sync::Arc;
use trident_engine::rows::MixedRows;
use trident_ir::Dim;

/// The evidence that rows depend on each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependentRows {
    /// Dimensions have names that no batch could keep.
    Names(Box<DimensionNames>),
    /// An op mixes rows.
    Ops(Box<MixedRows>),
}

/// Names of dimensions of which at least one is not that of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimensionNames {
    tensor: String,
    /// The name of its first dimension.
    name: Arc<str>,
    other: String,
    /// Which dimension of the other tensor is the fault, and its name.
    at: usize,
    other_name: Arc<str>,
}

/// `softmax `probabilities` computes across axis 0 of `x`, which has the rows`, or `dimension 1 of 'a' is N, dimension 1
/// of 'b' is M`.
impl fmt::Display for DependentRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DependentRows::Ops(cause) => cause.fmt(f),
            DependentRows::Names(names) => {
                let DimensionNames { tensor, name, other, at, other_name } = &**names;
                let dimension = at + 1;
                write!(
                    f,
                    "dimension 1 of '{tensor}' is {name}, dimension {dimension} of '{other}' is {other_name}"
                )
            }
        }
    }
}

impl ModelSignature {
    /// The evidence that rows of different requests are not independent: the first op that mixes rows, or names of
    /// dimensions. An input's first dimension is then named differently from that of a required input or of an output,
    /// or a later dimension has the same name. Dimensions without a name prove nothing, as exporters leave names out.
    pub fn dependent_rows(&self) -> Option<DependentRows> {
        let names =
            || self.contradicting_names().map(|names| DependentRows::Names(Box::new(names)));
        names().or_else(|| Some(DependentRows::Ops(Box::new(self.mixed_rows.clone()?))))
    }

    fn contradicting_names(&self) -> Option<DimensionNames> {
        let mut required = self.required().filter_map(|input| Some((input, input.rows()?)));
        required.find_map(|(input, name)| {
            let fault = |other: &TensorInfo, at: usize, other_name: &Arc<str>| DimensionNames {
                tensor: input.name.clone(),
                name: Arc::clone(name),
                other: other.name.clone(),
                at,
                other_name: Arc::clone(other_name),
            };
            let others = self.required().chain(&self.outputs);
            let first = others.filter_map(|other| Some((other, other.rows()?)));
            let different = first.into_iter().find(|(_, own)| !mentions(own, name));
            different.map(|(other, own)| fault(other, 0, own)).or_else(|| {
                let behind = |other: &TensorInfo| {
                    let mut names = other.names.iter().enumerate().skip(1);
                    names.find_map(|(at, own)| {
                        let own =
                            own.as_ref().filter(|own| !is_rounded(own) && mentions(own, name));
                        own.map(|own| fault(other, at, own))
                    })
                };
                self.inputs.iter().chain(&self.outputs).find_map(behind)
            })
        })
    }
}

impl TensorInfo {
    /// The name of the first dimension.
    fn rows(&self) -> Option<&Arc<str>> {
        self.names.first()?.as_ref()
    }
}

/// The name of a dimension, if it was chosen by a person: exporters that must write a name invent a new one each time.
pub(crate) fn name(dim: &Dim) -> Option<Arc<str>> {
    match dim {
        Dim::Sym(name) if !is_made_up(name) => Some(Arc::clone(name)),
        _ => None,
    }
}

/// `unk__7` of tf2onnx and ONNX Runtime, `DynamicDimension.0` of Paddle, `Addy_dim_0` of PyTorch.
fn is_made_up(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let starts = ["unk__", "DynamicDimension."];
    starts.iter().any(|start| name.strip_prefix(start).is_some_and(is_number))
        || name.rsplit_once("_dim_").is_some_and(|(_, number)| is_number(number))
}

/// Whether an expression over names, such as `2*N+1`, contains this name. Equal expressions with rounding may be spelt
/// differently: `floor((N*M)/(M))` may equal `N`. So only a missing name is conclusive.
fn mentions(expression: &str, name: &str) -> bool {
    let words = expression.split(['+', '-', '*', '/', '(', ')', ',']);
    expression == name || words.into_iter().any(|word| word.trim().trim_matches('`') == name)
}

fn is_rounded(expression: &str) -> bool {
    expression.contains("floor(")
}
