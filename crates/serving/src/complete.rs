//! What a model's own inputs and outputs say: it is filled in, or compared with what a configuration says.

use crate::config::*;
use crate::invalid::ConfigError;
use trident_ir::{Dim, ValueInfo};
use trident_mps::Interface;

/// A model's own inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Inputs.
    pub inputs: Vec<TensorInfo>,
    /// Outputs.
    pub outputs: Vec<TensorInfo>,
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
    /// Whether the model has a default for it.
    pub optional: bool,
}

const INPUT: &str = "input";
const OUTPUT: &str = "output";

impl Signature {
    /// The signature of a model by its interface.
    pub fn of(model: &str, interface: &Interface) -> Result<Signature, ConfigError> {
        let Interface { inputs, optional, outputs } = interface;
        let required = inputs.iter().map(|info| TensorInfo::of(model, INPUT, info, false));
        let optional = optional.iter().map(|info| TensorInfo::of(model, INPUT, info, true));
        let outputs = outputs.iter().map(|info| TensorInfo::of(model, OUTPUT, info, false));
        let inputs = required.chain(optional).collect::<Result<_, _>>()?;
        Ok(Signature { inputs, outputs: outputs.collect::<Result<_, _>>()? })
    }

    /// Inputs that requests must give.
    fn required(&self) -> impl Iterator<Item = &TensorInfo> {
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
        role: &'static str,
        info: &ValueInfo,
        optional: bool,
    ) -> Result<TensorInfo, ConfigError> {
        let name = info.name.clone();
        let data_type = info.ty.as_tensor().and_then(|tensor| DataType::of(tensor.dtype));
        let Some(data_type) = data_type else {
            let (model, ty) = (model.to_owned(), info.ty.to_string());
            return Err(ConfigError::ModelType { model, role, tensor: name, ty });
        };
        // A dimension beyond the range of the protocol's integers has no tensors.
        let dim = |dim: &Dim| dim.fixed().and_then(|n| i64::try_from(n).ok()).unwrap_or(-1);
        let dims = info.ty.shape().map(|dims| dims.iter().map(dim).collect());
        Ok(TensorInfo { name, data_type, dims, optional })
    }
}

impl ModelConfig {
    /// Fills in the batch size and the inputs or outputs that the configuration leaves out; if it gives both, nothing.
    ///
    /// `default_max_batch_size` is the server's setting for models with a batch dimension. Returns whether the batch size was
    /// taken from it, which the server logs as a warning.
    pub fn complete(
        &mut self,
        signature: &Signature,
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
            if self.max_batch_size > 1 && self.scheduling == SchedulingChoice::Unset {
                self.scheduling = SchedulingChoice::Dynamic(ModelDynamicBatching::default());
            }
        } else if self.max_batch_size != 0 {
            return Err(ConfigError::NoBatching { model: model.clone() });
        }
        let batched = self.max_batch_size > 0;
        let dims = |role, tensor: &TensorInfo| {
            let dims = tensor.dims.as_ref().ok_or_else(|| ConfigError::UnknownRank {
                model: model.clone(),
                role,
                tensor: tensor.name.clone(),
            })?;
            let dims = dims.get(usize::from(batched)..).unwrap_or_default();
            // Requests have no tensors without dimensions.
            let scalar = dims.is_empty();
            let reshape = (scalar && batched).then(ModelTensorReshape::default);
            Ok((if scalar { vec![1] } else { dims.to_vec() }, reshape))
        };
        if !inputs_given {
            let input = |tensor: &TensorInfo| {
                let (dims, reshape) = dims(INPUT, tensor)?;
                let (name, data_type) = (tensor.name.clone(), tensor.data_type);
                Ok(ModelInput { name, data_type, dims, reshape, ..Default::default() })
            };
            self.input = signature.required().map(input).collect::<Result<_, ConfigError>>()?;
        }
        if self.output.is_empty() {
            let output = |tensor: &TensorInfo| {
                let (dims, reshape) = dims(OUTPUT, tensor)?;
                let (name, data_type) = (tensor.name.clone(), tensor.data_type);
                Ok(ModelOutput { name, data_type, dims, reshape, ..Default::default() })
            };
            self.output =
                signature.outputs.iter().map(output).collect::<Result<_, ConfigError>>()?;
        }
        Ok(defaulted)
    }

    /// Compares the configuration's inputs and outputs with the model's own.
    pub fn check(&self, signature: &Signature) -> Result<(), ConfigError> {
        let given = self.input.iter().filter(|input| {
            !signature.inputs.iter().any(|known| known.name == input.name && known.optional)
        });
        let mut expected = given.count();
        for (role, name) in self.implicit_inputs() {
            if !signature.inputs.iter().any(|known| known.name == *name) {
                let (model, tensor) = (self.name.clone(), name.clone());
                return Err(ConfigError::MissingInput { model, role, tensor });
            }
            expected += 1;
        }
        let provided = signature.required().count();
        if expected != provided {
            return Err(ConfigError::InputCount { model: self.name.clone(), expected, provided });
        }
        for input in &self.input {
            if input.optional && self.max_batch_size != 0 {
                let (model, tensor) = (self.name.clone(), input.name.clone());
                return Err(ConfigError::OptionalInBatch { model, tensor });
            }
            let dims = input.reshape.as_ref().map_or(&input.dims, |reshape| &reshape.shape);
            self.check_tensor(INPUT, &input.name, input.data_type, dims, &signature.inputs)?;
        }
        for output in &self.output {
            let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
            self.check_tensor(OUTPUT, &output.name, output.data_type, dims, &signature.outputs)?;
        }
        Ok(())
    }

    fn sequences(&self) -> Option<&ModelSequenceBatching> {
        match &self.scheduling {
            SchedulingChoice::Sequence(batching) => Some(batching),
            _ => None,
        }
    }

    /// The tensors that the server keeps between the requests of a sequence.
    pub fn states(&self) -> impl Iterator<Item = &SequenceState> {
        self.sequences().into_iter().flat_map(|batching| &batching.state)
    }

    /// Inputs of the model that requests do not give, with what they are.
    fn implicit_inputs(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let sequences = self.sequences();
        let controls = sequences.into_iter().flat_map(|batching| &batching.control_input);
        let made = self.batch_input.iter().flat_map(|input| &input.target_name);
        let controls = controls.map(|control| ("sequence control", &control.name));
        let states = self.states().map(|state| ("sequence state", &state.input_name));
        controls.chain(states).chain(made.map(|name| ("batch input", name)))
    }

    fn check_tensor(
        &self,
        role: &'static str,
        name: &str,
        expected: DataType,
        dims: &[i64],
        tensors: &[TensorInfo],
    ) -> Result<(), ConfigError> {
        let (model, tensor) = (self.name.clone(), name.to_owned());
        let Some(info) = tensors.iter().find(|info| info.name == name) else {
            let mut names: Vec<&str> = tensors.iter().map(|info| &*info.name).collect();
            names.sort_unstable();
            return Err(ConfigError::UnexpectedTensor { role, tensor, allowed: names.join(", ") });
        };
        if info.data_type != expected {
            let provided = info.data_type;
            return Err(ConfigError::TensorType { model, role, tensor, expected, provided });
        }
        let Some(shape) = &info.dims else { return Ok(()) };
        if shape.is_empty() && self.max_batch_size == 0 {
            if dims.iter().any(|dim| *dim != 1) {
                return Err(ConfigError::Scalar { model, tensor, shape: list(dims) });
            }
            return Ok(());
        }
        let batched = self.max_batch_size > 0;
        if batched && shape.first() != Some(&-1) {
            return Err(ConfigError::BatchDimension { model, tensor, shape: list(shape) });
        }
        let full: Vec<i64> =
            batched.then_some(-1).into_iter().chain(dims.iter().copied()).collect();
        // Requests may be narrower than the model, and less may be said of results than is known of them.
        let fits = |(model, given): (&i64, &i64)| {
            model == given || *(if role == INPUT { model } else { given }) == -1
        };
        if shape.len() != full.len() || !shape.iter().zip(&full).all(fits) {
            let (rank, text) = (full.len(), list(&full));
            let given = if batched {
                format!(
                    "{rank} dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor \
                     shape, making complete shape {text})"
                )
            } else {
                format!("{rank} dimensions (shape {text})")
            };
            let (expected, shape) = (shape.len(), list(shape));
            return Err(ConfigError::TensorShape { model, tensor, expected, shape, given });
        }
        Ok(())
    }
}

/// `[2,-1]`, as the server prints shapes.
pub(crate) fn list(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
