//! Optimisations.

use crate::schema::{enumeration, message};
use std::collections::BTreeMap;

message! {
    /// Optimisations of a model.
    pub struct ModelOptimizationPolicy {
        /// Optimisation of the graph.
        graph: Option<OptimizationGraph> = 1,
        /// Priority of the model's work on a GPU.
        priority: ModelPriority = 2,
        /// Settings of CUDA.
        cuda: Option<OptimizationCuda> = 3,
        /// Accelerators that run the model.
        execution_accelerators: Option<ExecutionAccelerators> = 4,
        /// Whether inputs are collected in pinned memory.
        input_pinned_memory: Option<PinnedMemoryBuffer> = 5,
        /// Whether outputs are.
        output_pinned_memory: Option<PinnedMemoryBuffer> = 6,
        /// From how many buffers on a kernel gathers a batch's input.
        gather_kernel_buffer_threshold: u32 = 7,
        /// Whether a batch is gathered while another one runs.
        eager_batching: bool = 8,
    }
}

message! {
    /// Optimisation of the graph.
    pub struct OptimizationGraph {
        /// How much; its meaning is the backend's.
        level: i32 = 1,
    }
}

enumeration! {
    /// Priority of a model's work on a GPU.
    pub enum ModelPriority {
        /// The usual one.
        Default = "PRIORITY_DEFAULT",
        /// The highest.
        Max = "PRIORITY_MAX",
        /// The lowest.
        Min = "PRIORITY_MIN",
    }
}

message! {
    /// Settings of CUDA.
    pub struct OptimizationCuda {
        /// Whether to record graphs.
        graphs: bool = 1,
        /// Whether to wait for events in a loop.
        busy_wait_events: bool = 2,
        /// The graphs to be recorded.
        graph_spec: Vec<GraphSpec> = 3,
        /// Whether outputs are copied on a stream of their own.
        output_copy_stream: bool = 4,
    }
}

message! {
    /// The sizes for which a graph of CUDA is recorded.
    pub struct GraphSpec {
        /// The batch size.
        batch_size: i32 = 1,
        /// Shapes by input.
        input: BTreeMap<String, GraphSpecShape> = 2,
        /// The smallest sizes for which it may run.
        graph_lower_bound: Option<GraphSpecLowerBound> = 3,
    }
}

message! {
    /// A shape.
    pub struct GraphSpecShape {
        /// Its dimensions.
        dim: Vec<i64> = 1,
    }
}

message! {
    /// The smallest sizes for which a graph of CUDA may run.
    pub struct GraphSpecLowerBound {
        /// The batch size.
        batch_size: i32 = 1,
        /// Shapes by input.
        input: BTreeMap<String, GraphSpecShape> = 2,
    }
}

message! {
    /// Accelerators that run a model, by the kind of its instances.
    pub struct ExecutionAccelerators {
        /// For instances on GPUs.
        gpu_execution_accelerator: Vec<ExecutionAccelerator> = 1,
        /// For instances on CPUs.
        cpu_execution_accelerator: Vec<ExecutionAccelerator> = 2,
    }
}

message! {
    /// An accelerator; [`crate::Accelerators`] says what its name and parameters mean.
    pub struct ExecutionAccelerator {
        /// Its name.
        name: String = 1,
        /// Its parameters.
        parameters: BTreeMap<String, String> = 2,
    }
}

message! {
    /// Whether tensors are collected in pinned memory.
    pub struct PinnedMemoryBuffer {
        /// They are.
        enable: bool = 1,
    }
}
