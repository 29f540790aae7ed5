//! Completion of a configuration from the model's own inputs and outputs.

use crate::check::Role;
use crate::config::*;
use crate::invalid::ConfigError;
use crate::rows;
use std::sync::Arc;
use trident_engine::rows::MixedRows;
use trident_ir::{Dim, ValueInfo};
use trident_model::Interface;

/// The batch size of models that have a batch dimension and no configuration of it, as the server's backends have it.
pub const DEFAULT_MAX_BATCH_SIZE: i32 = 4;

/// A model's own inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSignature {
    /// Inputs.
    pub inputs: Vec<TensorInfo>,
    /// Outputs.
    pub outputs: Vec<TensorInfo>,
    /// The first op that mixes rows, or another reason why rows are not independent, if the model's ops were looked at.
    pub mixed_rows: Option<MixedRows>,
}

/// An input or output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions, -1 for any size; `None` if not even their number is known.
    pub dims: Option<Vec<i64>>,
    /// The names of its dimensions; equal names mean equal sizes. `None` for a dimension without a name.
    pub names: Vec<Option<Arc<str>>>,
    /// Whether the model has a default for it.
    pub optional: bool,
}

impl ModelSignature {
    /// The signature of a model by its interface.
    pub fn of(model: &str, interface: &Interface) -> Result<ModelSignature, ConfigError> {
        let Interface { inputs, optional, outputs } = interface;
        let required = inputs.iter().map(|info| TensorInfo::of(model, Role::Input, info, false));
        let optional = optional.iter().map(|info| TensorInfo::of(model, Role::Input, info, true));
        let outputs = outputs.iter().map(|info| TensorInfo::of(model, Role::Output, info, false));
        let inputs = required.chain(optional).collect::<Result<_, _>>()?;
        let outputs = outputs.collect::<Result<_, _>>()?;
        Ok(ModelSignature { inputs, outputs, mixed_rows: None })
    }

    /// Inputs that requests must give.
    pub(crate) fn required(&self) -> impl Iterator<Item = &TensorInfo> {
        self.inputs.iter().filter(|input| !input.optional)
    }

    /// Whether every tensor could have a batch dimension.
    fn may_batch(&self) -> bool {
        let mut tensors = self.required().chain(&self.outputs);
        tensors.all(|tensor| tensor.dims.as_ref().is_some_and(|dims| dims.first() == Some(&-1)))
    }
}

impl TensorInfo {
    fn of(
        model: &str,
        role: Role,
        info: &ValueInfo,
        optional: bool,
    ) -> Result<TensorInfo, ConfigError> {
        let (name, role) = (info.name.clone(), role.name());
        let data_type = info.ty.as_tensor().and_then(|tensor| DataType::of(tensor.dtype));
        let Some(data_type) = data_type else {
            let (model, ty) = (model.to_owned(), info.ty.to_string());
            return Err(ConfigError::ModelType { model, role, tensor: name, ty });
        };
        // A dimension beyond the range of the protocol's integers has no tensors.
        let dim = |dim: &Dim| dim.fixed().and_then(|n| i64::try_from(n).ok()).unwrap_or(-1);
        let dims = info.ty.shape().map(|dims| dims.iter().map(dim).collect());
        let names = info.ty.shape().into_iter().flatten().map(rows::name).collect();
        Ok(TensorInfo { name, data_type, dims, names, optional })
    }
}

impl ModelConfig {
    /// Fills in the batch size and the inputs or outputs that the configuration leaves out; nothing if it gives both.
    /// Tensors that a configured scheduler supplies or keeps are not inputs or outputs of requests. Models with a batch
    /// size get dynamic batching, except those with [`ModelSignature::dependent_rows`].
    ///
    /// `default_max_batch_size` is the server's setting for models with a batch dimension. Returns whether the batch size was
    /// taken from it, which the server logs as a warning.
    pub fn complete(
        &mut self,
        signature: &ModelSignature,
        default_max_batch_size: i32,
    ) -> Result<bool, ConfigError> {
        let inputs_given = !self.input.is_empty() || !self.batch_input.is_empty();
        if inputs_given && !self.output.is_empty() {
            return Ok(false);
        }
        let model = &self.name;
        let mut defaulted = false;
        if signature.may_batch() {
            if self.max_batch_size == 0 {
                self.max_batch_size = default_max_batch_size.max(0);
                defaulted = true;
            }
            let merges = self.max_batch_size > 1
                && (self.is_ragged() || signature.dependent_rows().is_none());
            if merges && self.scheduling == SchedulingChoice::Unset {
                self.scheduling = SchedulingChoice::Dynamic(ModelDynamicBatching::default());
            }
        } else if self.max_batch_size != 0 {
            return Err(ConfigError::NoBatching { model: model.clone() });
        }
        let batched = self.max_batch_size > 0;
        let dims = |role: Role, tensor: &TensorInfo| {
            let dims = tensor.dims.as_ref().ok_or_else(|| ConfigError::UnknownRank {
                model: model.clone(),
                role: role.name(),
                tensor: tensor.name.clone(),
            })?;
            let dims = dims.get(usize::from(batched)..).unwrap_or_default();
            // Requests have no tensors without dimensions.
            let scalar = dims.is_empty();
            let reshape = (scalar && batched).then(ModelTensorReshape::default);
            Ok::<_, ConfigError>((if scalar { vec![1] } else { dims.to_vec() }, reshape))
        };
        let scheduled = |role: Role| -> Vec<String> {
            let of_role = self.scheduled().filter(|own| own.role.is_result() == role.is_result());
            of_role.map(|own| own.name.to_owned()).collect()
        };
        let (filled, kept) = (scheduled(Role::Input), scheduled(Role::Output));
        if !inputs_given {
            let input = |tensor: &TensorInfo| {
                let (dims, reshape) = dims(Role::Input, tensor)?;
                let (name, data_type) = (tensor.name.clone(), tensor.data_type);
                Ok(ModelInput { name, data_type, dims, reshape, ..Default::default() })
            };
            let inputs = signature.required().filter(|it| !filled.contains(&it.name)).map(input);
            self.input = inputs.collect::<Result<_, ConfigError>>()?;
        }
        if self.output.is_empty() {
            let output = |tensor: &TensorInfo| {
                let (dims, reshape) = dims(Role::Output, tensor)?;
                let (name, data_type) = (tensor.name.clone(), tensor.data_type);
                Ok(ModelOutput { name, data_type, dims, reshape, ..Default::default() })
            };
            let outputs =
                signature.outputs.iter().filter(|it| !kept.contains(&it.name)).map(output);
            self.output = outputs.collect::<Result<_, ConfigError>>()?;
        }
        Ok(defaulted)
    }
}
