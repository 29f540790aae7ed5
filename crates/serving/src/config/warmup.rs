//! Declarations of warm-up requests.

use super::DataType;
use crate::schema::{message, oneof};
use std::collections::BTreeMap;

message! {
    /// A request that runs before the model is ready; [`crate::WarmupRequest`] has its tensors.
    pub struct ModelWarmup {
        /// Its name.
        name: String = 1,
        /// The number of requests in its batch; 0 turns it off.
        batch_size: u32 = 2,
        /// Its inputs.
        inputs: BTreeMap<String, ModelWarmupInput> = 3,
        /// The number of times that it runs; 0 counts as 1.
        count: u32 = 4,
    }
}

message! {
    /// An input of a warm-up request.
    pub struct ModelWarmupInput {
        /// Its element type.
        data_type: DataType = 1,
        /// Its dimensions, without that of the batch.
        dims: Vec<i64> = 2,
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
        Zero(bool) = ("zero_data", 3),
        /// Random ones.
        Random(bool) = ("random_data", 4),
        /// The contents of a file in the model's folder `warmup`.
        File(String) = ("input_data_file", 5),
    }
}
