//! Optimisations.

use crate::schema::{enumeration, message};
use std::collections::BTreeMap;

message! {
    /// Optimisations of a model.
    pub struct ModelOptimizationPolicy {
        /// Optimisation of the graph.
        graph: Option<OptimizationGraph>,
        /// Priority of the model's work on a GPU.
        priority: ModelPriority,
        /// Settings of CUDA.
        cuda: Option<OptimizationCuda>,
        /// Accelerators that run the model.
        execution_accelerators: Option<ExecutionAccelerators>,
        /// Whether inputs are collected in pinned memory.
        input_pinned_memory: Option<PinnedMemoryBuffer>,
        /// Whether outputs are.
        output_pinned_memory: Option<PinnedMemoryBuffer>,
        /// From how many buffers on a kernel gathers a batch's input.
        gather_kernel_buffer_threshold: u32,
        /// Whether a batch is gathered while another one runs.
        eager_batching: bool,
    }
}

message! {
    /// Optimisation of the graph.
    pub struct OptimizationGraph {
        /// How much; its meaning is the backend's.
        level: i32,
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
        graphs: bool,
        /// Whether to wait for events in a loop.
        busy_wait_events: bool,
        /// The graphs to be recorded.
        graph_spec: Vec<GraphSpec>,
        /// Whether outputs are copied on a stream of their own.
        output_copy_stream: bool,
    }
}

message! {
    /// The sizes for which a graph of CUDA is recorded.
    pub struct GraphSpec {
        /// The batch size.
        batch_size: i32,
        /// Shapes by input.
        input: BTreeMap<String, GraphSpecShape>,
        /// The smallest sizes for which it may run.
        graph_lower_bound: Option<GraphSpecLowerBound>,
    }
}

message! {
    /// A shape.
    pub struct GraphSpecShape {
        /// Its dimensions.
        dim: Vec<i64>,
    }
}

message! {
    /// The smallest sizes for which a graph of CUDA may run.
    pub struct GraphSpecLowerBound {
        /// The batch size.
        batch_size: i32,
        /// Shapes by input.
        input: BTreeMap<String, GraphSpecShape>,
    }
}

message! {
    /// Accelerators that run a model, by the kind of its instances.
    pub struct ExecutionAccelerators {
        /// For instances on GPUs.
        gpu_execution_accelerator: Vec<ExecutionAccelerator>,
        /// For instances on CPUs.
        cpu_execution_accelerator: Vec<ExecutionAccelerator>,
    }
}

message! {
    /// An accelerator; [`crate::Accelerators`] says what its name and parameters mean.
    pub struct ExecutionAccelerator {
        /// Its name.
        name: String,
        /// Its parameters.
        parameters: BTreeMap<String, String>,
    }
}

message! {
    /// Whether tensors are collected in pinned memory.
    pub struct PinnedMemoryBuffer {
        /// They are.
        enable: bool,
    }
}
