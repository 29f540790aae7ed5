//! Compares what a configuration says of inputs and outputs with the model's own.

use crate::complete::{ModelSignature, TensorInfo};
use crate::config::*;
use crate::invalid::ConfigError;

/// The role of a tensor in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Control,
    State,
    BatchInput,
    Output,
    NextState,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Input => "input",
            Role::Control => "sequence control",
            Role::State => "sequence state",
            Role::BatchInput => "batch input",
            Role::Output => "output",
            Role::NextState => "sequence state output",
        }
    }

    /// Whether the model makes it.
    pub(crate) fn is_result(self) -> bool {
        matches!(self, Role::Output | Role::NextState)
    }
}

/// A tensor as a configuration declares it.
pub(crate) struct Declared<'a> {
    pub(crate) role: Role,
    pub(crate) name: &'a str,
    /// `None` if nothing is said.
    data_type: Option<DataType>,
    /// The model's dimensions without the batch dimension; `None` if they are not given.
    dims: Option<&'a [i64]>,
}

impl<'a> Declared<'a> {
    fn input(input: &'a ModelInput) -> Declared<'a> {
        let dims = input.reshape.as_ref().map_or(&input.dims, |reshape| &reshape.shape);
        Declared {
            role: Role::Input,
            name: &input.name,
            data_type: Some(input.data_type),
            dims: Some(dims),
        }
    }

    fn output(output: &'a ModelOutput) -> Declared<'a> {
        let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
        Declared {
            role: Role::Output,
            name: &output.name,
            data_type: Some(output.data_type),
            dims: Some(dims),
        }
    }

    fn control(control: &'a SequenceControlInput) -> Declared<'a> {
        Declared {
            role: Role::Control,
            name: &control.name,
            data_type: control.control.first().and_then(control_type),
            dims: Some(&[1]),
        }
    }

    /// The input and the output of a state.
    fn state(state: &'a SequenceState) -> [Declared<'a>; 2] {
        let parts = [(Role::State, &state.input_name), (Role::NextState, &state.output_name)];
        let (data_type, dims) = (Some(state.data_type), Some(&*state.dims));
        parts.map(|(role, name)| Declared { role, name, data_type, dims })
    }

    /// The model's inputs that are made from a batch. Their shapes are compared elsewhere.
    fn made(input: &'a BatchInput) -> impl Iterator<Item = Declared<'a>> {
        let (role, data_type) = (Role::BatchInput, Some(input.data_type));
        let names = input.target_name.iter();
        names.map(move |name| Declared { role, name, data_type, dims: None })
    }

    /// The model's tensor of this name.
    fn find<'s>(&self, signature: &'s ModelSignature) -> Option<&'s TensorInfo> {
        self.tensors(signature).iter().find(|info| info.name == self.name)
    }

    /// Whether it is declared again. Only an output may also be the next state.
    fn is_twice(&self, other: &Declared<'_>) -> bool {
        let inputs = !self.role.is_result() && !other.role.is_result();
        self.name == other.name && (inputs || self.role == other.role)
    }

    /// The model's tensors among which it must be.
    fn tensors<'s>(&self, signature: &'s ModelSignature) -> &'s [TensorInfo] {
        if self.role.is_result() { &signature.outputs } else { &signature.inputs }
    }
}

impl ModelConfig {
    /// Compares the configuration's inputs, outputs, controls and states with the model's own.
    pub fn check(&self, signature: &ModelSignature) -> Result<(), ConfigError> {
        let model = || self.name.clone();
        let declared: Vec<Declared<'_>> = self.explicit().chain(self.scheduled()).collect();
        let is_filled = |own: &Declared<'_>| !own.role.is_result() && own.role != Role::Input;
        let absent = |own: &&Declared<'_>| is_filled(own) && own.find(signature).is_none();
        if let Some(own) = declared.iter().find(absent) {
            let (role, tensor) = (own.role.name(), own.name.to_owned());
            return Err(ConfigError::MissingInput { model: model(), role, tensor });
        }
        let may_be_left_out =
            |own: &Declared<'_>| own.find(signature).is_some_and(|it| it.optional);
        let given = declared.iter().filter(|own| !own.role.is_result() && !may_be_left_out(own));
        let (expected, provided) = (given.count(), signature.required().count());
        if expected != provided {
            return Err(ConfigError::InputCount { model: model(), expected, provided });
        }
        // If there are as many as required, all belong to the model and none occurs twice, none is missing.
        for (at, own) in declared.iter().enumerate() {
            if declared[..at].iter().any(|other| own.is_twice(other)) {
                let (role, tensor) = (own.role.name(), own.name.to_owned());
                return Err(ConfigError::TensorTwice { model: model(), role, tensor });
            }
        }
        if self.max_batch_size != 0
            && let Some(input) = self.input.iter().find(|input| input.optional)
        {
            let tensor = input.name.clone();
            return Err(ConfigError::OptionalInBatch { model: model(), tensor });
        }
        declared.iter().try_for_each(|own| self.check_tensor(own, signature))?;
        self.check_ragged(signature)
    }

    /// The tensors of requests and responses.
    fn explicit(&self) -> impl Iterator<Item = Declared<'_>> {
        self.input.iter().map(Declared::input).chain(self.output.iter().map(Declared::output))
    }

    /// Tensors that schedulers fill in, and tensors that they keep for the next requests of a sequence.
    pub(crate) fn scheduled(&self) -> impl Iterator<Item = Declared<'_>> {
        let controls = self.sequences().into_iter().flat_map(|batching| &batching.control_input);
        let made = self.batch_input.iter().flat_map(Declared::made);
        let controls = controls.map(Declared::control);
        controls.chain(self.states().flat_map(Declared::state)).chain(made)
    }

    pub(crate) fn sequences(&self) -> Option<&ModelSequenceBatching> {
        match &self.scheduling {
            SchedulingChoice::Sequence(batching) => Some(batching),
            _ => None,
        }
    }

    /// The tensors that the server keeps between the requests of a sequence.
    pub fn states(&self) -> impl Iterator<Item = &SequenceState> {
        self.sequences().into_iter().flat_map(|batching| &batching.state)
    }

    /// Whether the model has a tensor in another shape than requests and responses: ragged inputs, and outputs that are divided.
    fn is_taken_apart(&self, own: &Declared<'_>) -> bool {
        let mut inputs = self.input.iter().filter(|input| input.allow_ragged_batch);
        let mut divided = self.batch_output.iter().flat_map(|output| &output.target_name);
        match own.role {
            Role::Input => inputs.any(|input| input.name == own.name),
            Role::Output => divided.any(|name| name == own.name),
            _ => false,
        }
    }

    fn check_tensor(
        &self,
        own: &Declared<'_>,
        signature: &ModelSignature,
    ) -> Result<(), ConfigError> {
        let (model, tensor, role) = (self.name.clone(), own.name.to_owned(), own.role.name());
        let Some(info) = own.find(signature) else {
            let tensors = own.tensors(signature).iter();
            let mut names: Vec<&str> = tensors.map(|info| &*info.name).collect();
            names.sort_unstable();
            return Err(ConfigError::UnexpectedTensor { role, tensor, allowed: names.join(", ") });
        };
        if let Some(expected) = own.data_type
            && info.data_type != expected
        {
            let provided = info.data_type;
            return Err(ConfigError::TensorType { model, role, tensor, expected, provided });
        }
        let (Some(shape), Some(dims)) = (&info.dims, own.dims) else { return Ok(()) };
        if self.is_taken_apart(own) {
            return Ok(());
        }
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
        let full = full(self, dims);
        // Requests may be narrower than the model, and less may be said of results than is known of them.
        let fits = |(model, given): (&i64, &i64)| {
            model == given || *(if own.role.is_result() { given } else { model }) == -1
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

/// The type of a control's values.
pub(crate) fn control_type(control: &SequenceControl) -> Option<DataType> {
    let types = [
        (DataType::Int32, !control.int32_false_true.is_empty()),
        (DataType::Fp32, !control.fp32_false_true.is_empty()),
        (DataType::Bool, !control.bool_false_true.is_empty()),
        (control.data_type, control.data_type != DataType::Invalid),
    ];
    types.into_iter().find(|(_, given)| *given).map(|(data_type, _)| data_type)
}

/// Dimensions of a configuration, with the batch dimension if it has one.
pub(crate) fn full(config: &ModelConfig, dims: &[i64]) -> Vec<i64> {
    let batch = (config.max_batch_size > 0).then_some(-1);
    batch.into_iter().chain(dims.iter().copied()).collect()
}

/// `[2,-1]`, as the server prints shapes.
pub(crate) fn list(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
