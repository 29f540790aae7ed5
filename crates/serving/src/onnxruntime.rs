//! The settings of the ONNX Runtime backend.

use crate::config::ModelConfig;
use crate::invalid::ConfigError;

/// Parameters of the backend's models, those of CUDA last.
pub(crate) const PARAMETERS: &[&str] = &[
    "enable_mem_arena",
    "enable_mem_pattern",
    "execution_mode",
    "inter_op_thread_count",
    "intra_op_thread_count",
    "memory.enable_memory_arena_shrinkage",
    "session.use_device_allocator_for_initializers",
    "share_session_between_instances",
    "arena_extend_strategy",
    "cudnn_conv_algo_search",
    "cudnn_conv_use_max_workspace",
    "do_copy_in_default_stream",
    "enable_cuda_graph",
    "gpu_mem_limit",
    "prefer_nhwc",
    "use_tf32",
];

/// Settings of the ONNX Runtime backend, as `optimization.graph` and `parameters` give them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnnxRuntimeOptions {
    /// The degree to which the graph is optimised.
    pub graph_level: GraphLevel,
    /// `execution_mode`: whether independent operators run at the same time.
    pub execution_mode: ExecutionMode,
    /// `intra_op_thread_count`: threads of an operator; none if the engine chooses.
    pub intra_op_threads: Option<u32>,
    /// `inter_op_thread_count`: operators that run at the same time; none if the engine chooses.
    pub inter_op_threads: Option<u32>,
    /// `enable_mem_arena`: whether freed memory is kept.
    pub memory_arena: Option<bool>,
    /// `enable_mem_pattern`: whether memory is planned.
    pub memory_pattern: Option<bool>,
    /// `session.use_device_allocator_for_initializers`: whether weights stay out of the arena.
    pub weights_outside_arena: bool,
    /// `memory.enable_memory_arena_shrinkage`: the devices, `cpu:0`, whose arenas shrink after each run.
    pub shrink_arenas: Vec<String>,
    /// `share_session_between_instances`: whether the instances of a group share weights.
    pub share_session: bool,
}

/// The degree to which a graph is optimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphLevel {
    /// Level 2: not at all.
    Off,
    /// Level -1: without fusions.
    Basic,
    /// Level 1: with fusions.
    Extended,
    /// Any other level: wholly.
    #[default]
    All,
}

/// Whether independent operators run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionMode {
    /// 0: one after the other.
    #[default]
    Sequential,
    /// 1: at the same time.
    Parallel,
}

impl OnnxRuntimeOptions {
    /// Reads the settings. Parameters of other backends and of CUDA stay with the configuration.
    pub fn of(config: &ModelConfig) -> Result<OnnxRuntimeOptions, ConfigError> {
        let fault = |key: &str, value: &str, ty| ConfigError::Parameter {
            model: config.name.clone(),
            key: key.into(),
            value: value.into(),
            ty,
        };
        let integer = |key| match config.parameter(key) {
            None => Ok(0),
            Some(value) => value.parse::<i32>().map_err(|_| fault(key, value, "integral number")),
        };
        // As in the backend, a count that is not positive leaves the choice to the engine.
        let threads = |key| integer(key).map(|n| u32::try_from(n).ok().filter(|n| *n > 0));
        let boolean = |key| match config.parameter(key) {
            None => Ok(None),
            Some(value) => match &*value.to_ascii_lowercase() {
                "true" | "1" => Ok(Some(true)),
                "false" | "0" => Ok(Some(false)),
                _ => Err(fault(key, value, "boolean value")),
            },
        };
        let graph = config.optimization.as_ref().and_then(|o| o.graph.as_ref());
        let mode = integer("execution_mode")?;
        let shrink = config.parameter("memory.enable_memory_arena_shrinkage").unwrap_or_default();
        Ok(OnnxRuntimeOptions {
            graph_level: match graph.map_or(0, |graph| graph.level) {
                -1 => GraphLevel::Basic,
                1 => GraphLevel::Extended,
                2 => GraphLevel::Off,
                _ => GraphLevel::All,
            },
            execution_mode: match mode {
                0 => ExecutionMode::Sequential,
                1 => ExecutionMode::Parallel,
                _ => return Err(fault("execution_mode", &mode.to_string(), "0 or 1")),
            },
            intra_op_threads: threads("intra_op_thread_count")?,
            inter_op_threads: threads("inter_op_thread_count")?,
            memory_arena: boolean("enable_mem_arena")?,
            memory_pattern: boolean("enable_mem_pattern")?,
            weights_outside_arena: boolean("session.use_device_allocator_for_initializers")?
                .unwrap_or(false),
            shrink_arenas: shrink
                .split(';')
                .filter(|device| !device.is_empty())
                .map(str::to_owned)
                .collect(),
            share_session: boolean("share_session_between_instances")?.unwrap_or(false),
        })
    }
}
