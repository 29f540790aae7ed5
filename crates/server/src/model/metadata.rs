//! Names, types and shapes of a model, as clients ask for them.

use trident_serving::{DataType, ModelConfig};

/// Name, versions and tensors of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelMetadata {
    /// Its name.
    pub name: String,
    /// The versions that answer, ascending.
    pub versions: Vec<u64>,
    /// Framework and format; the backend's name if the configuration has none.
    pub platform: String,
    /// Inputs that requests give.
    pub inputs: Vec<TensorMetadata>,
    /// Outputs that answers have.
    pub outputs: Vec<TensorMetadata>,
}

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMetadata {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub data_type: DataType,
    /// Its dimensions, with the batch dimension; -1 for any size.
    pub shape: Vec<i64>,
}

impl ModelMetadata {
    /// The metadata that a complete configuration implies. Controls and states of sequences are no part of it.
    pub fn of(config: &ModelConfig, versions: Vec<u64>) -> ModelMetadata {
        let tensor = |name: &str, data_type, dims: &[i64]| {
            let batch = (config.max_batch_size > 0).then_some(-1);
            let shape = batch.into_iter().chain(dims.iter().copied()).collect();
            TensorMetadata { name: name.to_owned(), data_type, shape }
        };
        let inputs = config.input.iter();
        let outputs = config.output.iter();
        ModelMetadata {
            name: config.name.clone(),
            versions,
            platform: match config.platform.is_empty() {
                true => config.backend.clone(),
                false => config.platform.clone(),
            },
            inputs: inputs.map(|input| tensor(&input.name, input.data_type, &input.dims)).collect(),
            outputs: outputs
                .map(|output| tensor(&output.name, output.data_type, &output.dims))
                .collect(),
        }
    }
}
