//! Ragged batches: inputs whose elements are concatenated, inputs that are made from a batch, and outputs that are divided by the
//! shapes of inputs. The rules are the server's and those of its ONNX Runtime backend, as are their texts. The server takes
//! more than it can run; such contradictions are refused here.

use crate::check::{full, list};
use crate::complete::{ModelSignature, TensorInfo};
use crate::config::*;
use crate::invalid::ConfigError;

/// A contradiction in `batch_input`, `batch_output` or `allow_ragged_batch`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum RaggedFault {
    /// A kind with another number of sources.
    #[error("batch {side} kind '{kind}' expects 1 source input, got {given}")]
    Sources { side: &'static str, kind: &'static str, given: usize },
    /// A type that numbers of elements do not have.
    #[error("batch input data type must be TYPE_INT32 or TYPE_FP32")]
    InputType,
    /// A source that is not an input.
    #[error("unknown source input name '{0}'")]
    Source(String),
    /// A target that is not an output.
    #[error("unknown target output name '{0}'")]
    Output(String),
    /// An output with two rules.
    #[error("target output name '{0}' can only be specified once")]
    OutputTwice(String),
    /// A rule for nothing.
    #[error("batch {side} kind '{kind}' expects at least 1 target_name, got 0")]
    NoTarget { side: &'static str, kind: &'static str },
    /// A field that needs batches.
    #[error("{field} needs batches, so 'max_batch_size' must be at least 1")]
    NoBatch { field: String },
    /// A ragged input that the model takes in another form.
    #[error(
        "configuration expects model provides input with shape [-1] for ragged input '{input}', model provides {shape}"
    )]
    Shape { input: String, shape: String },
    /// A ragged input that requests may leave out.
    #[error(
        "configuration expects model provides input with shape [-1] for ragged input '{input}', which is not supported for optional input"
    )]
    Optional { input: String },
    /// An input that the model takes in another form than it is made.
    #[error(
        "batch input '{input}' of kind '{kind}' has shape {expected}, but the model expects {shape}"
    )]
    InputShape { input: String, kind: &'static str, expected: String, shape: String },
    /// An output with a variable dimension that no dimension of its source gives.
    #[error(
        "dimension {axis} of batch output '{output}' is variable, but its source input '{input}' has shape {shape}; hint: the size \
         comes from the same dimension of the source"
    )]
    OutputShape { output: String, axis: usize, input: String, shape: String },
}

impl ModelConfig {
    /// Whether batches are more than rows of requests one after the other. What the rows of its results depend on is then the
    /// model's own business.
    pub(crate) fn is_ragged(&self) -> bool {
        self.ragged_field().is_some()
    }

    fn ragged_field(&self) -> Option<String> {
        let ragged = self.input.iter().find(|input| input.allow_ragged_batch);
        if let Some(input) = ragged {
            return Some(format!("'allow_ragged_batch' of input '{}'", input.name));
        }
        let fields = [
            ("batch_input", !self.batch_input.is_empty()),
            ("batch_output", !self.batch_output.is_empty()),
        ];
        let given = fields.into_iter().find(|(_, given)| *given);
        given.map(|(field, _)| format!("'{field}'"))
    }

    /// Checks the fields of ragged batches against each other.
    pub(crate) fn validate_ragged(&self) -> Result<(), ConfigError> {
        self.ragged_faults().map_err(|fault| self.ragged(fault))
    }

    fn ragged(&self, fault: RaggedFault) -> ConfigError {
        ConfigError::Ragged { model: self.name.clone(), fault }
    }

    fn ragged_faults(&self) -> Result<(), RaggedFault> {
        for BatchInput { kind, target_name, data_type, source_input } in &self.batch_input {
            let (side, kind) = ("input", kind.name());
            self.validate_source(side, kind, source_input)?;
            if ![DataType::Int32, DataType::Fp32].contains(data_type) {
                return Err(RaggedFault::InputType);
            }
            if target_name.is_empty() {
                return Err(RaggedFault::NoTarget { side, kind });
            }
        }
        let mut targets: Vec<&str> = vec![];
        for BatchOutput { target_name, kind, source_input } in &self.batch_output {
            let (side, kind) = ("output", kind.name());
            self.validate_source(side, kind, source_input)?;
            for name in target_name {
                if !self.output.iter().any(|output| output.name == *name) {
                    return Err(RaggedFault::Output(name.clone()));
                }
                if targets.contains(&&**name) {
                    return Err(RaggedFault::OutputTwice(name.clone()));
                }
                targets.push(name);
            }
            if target_name.is_empty() {
                return Err(RaggedFault::NoTarget { side, kind });
            }
        }
        match self.ragged_field().filter(|_| self.max_batch_size == 0) {
            Some(field) => Err(RaggedFault::NoBatch { field }),
            None => Ok(()),
        }
    }

    fn validate_source(
        &self,
        side: &'static str,
        kind: &'static str,
        sources: &[String],
    ) -> Result<(), RaggedFault> {
        let [source] = sources else {
            return Err(RaggedFault::Sources { side, kind, given: sources.len() });
        };
        match self.input.iter().any(|input| input.name == *source) {
            true => Ok(()),
            false => Err(RaggedFault::Source(source.clone())),
        }
    }

    /// Compares the fields of ragged batches with the model's own inputs and outputs.
    pub(crate) fn check_ragged(&self, signature: &ModelSignature) -> Result<(), ConfigError> {
        let inputs = || self.input.iter().filter(|input| input.allow_ragged_batch);
        let faults = inputs()
            .try_for_each(|input| check_ragged_input(input, signature))
            .and_then(|()| {
                self.batch_input.iter().try_for_each(|made| self.check_made(made, signature))
            })
            .and_then(|()| {
                self.batch_output.iter().try_for_each(|divided| self.check_divided(divided))
            });
        faults.map_err(|fault| self.ragged(fault))
    }

    /// Compares the shapes of inputs that are made with those that the model takes.
    fn check_made(&self, made: &BatchInput, signature: &ModelSignature) -> Result<(), RaggedFault> {
        let expected = match made.kind {
            BatchInputKind::ItemShape => {
                let source = made.source_input.first().and_then(|name| self.shape_of(name));
                let rank = source.map_or(0, |shape| shape.len().saturating_sub(1));
                vec![-1, i64::try_from(rank).unwrap_or(-1)]
            }
            _ => vec![-1],
        };
        for name in &made.target_name {
            let Some(TensorInfo { dims: Some(dims), .. }) = tensor(&signature.inputs, name) else {
                continue;
            };
            let fits = |(at, (own, expected)): (usize, (&i64, &i64))| {
                *own == -1 || at > 0 && own == expected
            };
            if dims.len() != expected.len() || !dims.iter().zip(&expected).enumerate().all(fits) {
                return Err(RaggedFault::InputShape {
                    input: name.clone(),
                    kind: made.kind.name(),
                    expected: list(&expected),
                    shape: list(dims),
                });
            }
        }
        Ok(())
    }

    /// Compares the dimensions of outputs that are divided with those of their source.
    fn check_divided(&self, divided: &BatchOutput) -> Result<(), RaggedFault> {
        let source = divided.source_input.first();
        let Some((input, shape)) = source.and_then(|name| Some((name, self.shape_of(name)?)))
        else {
            return Ok(());
        };
        for output in self.output.iter().filter(|it| divided.target_name.contains(&it.name)) {
            let dims = self.scattered(output);
            let fault = (0..dims.len()).find(|at| dims[*at] == -1 && *at >= shape.len());
            if let Some(axis) = fault {
                let (output, input) = (output.name.clone(), input.clone());
                return Err(RaggedFault::OutputShape { output, axis, input, shape: list(&shape) });
            }
        }
        Ok(())
    }

    /// The dimensions of an input in requests, as the model has them but for raggedness: with the batch dimension and `reshape`.
    pub(crate) fn shape_of(&self, input: &str) -> Option<Vec<i64>> {
        let input = self.input.iter().find(|own| own.name == input)?;
        let dims = input.reshape.as_ref().map_or(&input.dims, |reshape| &reshape.shape);
        Some(full(self, dims))
    }

    /// The dimensions of an output in responses, -1 where they come from the source input.
    pub(crate) fn scattered(&self, output: &ModelOutput) -> Vec<i64> {
        let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
        full(self, dims)
    }
}

fn check_ragged_input(input: &ModelInput, signature: &ModelSignature) -> Result<(), RaggedFault> {
    let name = || input.name.clone();
    let Some(info) = tensor(&signature.inputs, &input.name) else { return Ok(()) };
    match &info.dims {
        _ if input.optional || info.optional => Err(RaggedFault::Optional { input: name() }),
        Some(dims) if **dims != [-1] => {
            Err(RaggedFault::Shape { input: name(), shape: list(dims) })
        }
        _ => Ok(()),
    }
}

fn tensor<'s>(tensors: &'s [TensorInfo], name: &str) -> Option<&'s TensorInfo> {
    tensors.iter().find(|info| info.name == name)
}
