//! The inputs and outputs of a model, as its requests see them.

use super::{InputSpec, OutputSpec, ServedModel};

/// The inputs and outputs of a model, as requests give and ask for them.
#[derive(Clone, Copy)]
pub(crate) struct Interface<'m> {
    /// The model's name.
    pub(crate) name: &'m str,
    pub(crate) inputs: &'m [InputSpec],
    pub(crate) outputs: &'m [OutputSpec],
    /// The largest batch; `None` if the model has no batch dimension.
    pub(crate) largest_batch: Option<usize>,
}

impl ServedModel {
    pub(crate) fn interface(&self) -> Interface<'_> {
        let ServedModel { name, inputs, outputs, largest_batch, .. } = self;
        Interface { name, inputs, outputs, largest_batch: *largest_batch }
    }
}
