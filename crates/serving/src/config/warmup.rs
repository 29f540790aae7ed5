//! Declarations of warm-up requests.

use super::DataType;
use crate::schema::{message, oneof};
use std::collections::BTreeMap;

message! {
    /// A request that runs before the model is ready; [`crate::WarmupRequest`] has its tensors.
    pub struct ModelWarmup {
        /// Its name.
        name: String,
        /// The number of requests in its batch; 0 turns it off.
        batch_size: u32,
        /// Its inputs.
        inputs: BTreeMap<String, ModelWarmupInput>,
        /// The number of times that it runs; 0 counts as 1.
        count: u32,
    }
}

message! {
    /// An input of a warm-up request.
    pub struct ModelWarmupInput {
        /// Its element type.
        data_type: DataType,
        /// Its dimensions, without that of the batch.
        dims: Vec<i64>,
        /// Its elements.
        data: WarmupData,
    }
}

oneof! {
    /// The elements of a warm-up request's input.
    pub enum WarmupData {
        /// Nothing is said.
        Unset,
        /// Zeros, or empty strings.
        Zero(bool) = "zero_data",
        /// Random ones.
        Random(bool) = "random_data",
        /// The contents of a file in the model's folder `warmup`.
        File(String) = "input_data_file",
    }
}
