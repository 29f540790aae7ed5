"""Configuration entries of sessions and runs, by what Trident makes of them.

The keys are those of ONNX Runtime's package. ``python/tests/test_onnxruntime_entries.py`` compares
them with the installed package and with the lists in ``docs/onnxruntime.md``.
"""

import dataclasses
import enum

from trident.onnxruntime.errors import Fail
from trident.onnxruntime.providers import TRIDENT


class Effect(enum.Enum):
    """What an entry does."""

    #: It does the same as in ONNX Runtime.
    ACTS = "acts"
    #: Nothing: in ONNX Runtime it sets how fast, in how much memory or by which provider a model
    #: runs, or what is logged.
    TUNES = "tunes"
    #: Nothing: in ONNX Runtime it also sets how results are rounded, or which models are accepted.
    #: Trident computes models as they are written, and accepts what it can run.
    ROUNDS = "rounds"
    #: Some values, or all but the empty one, are refused.
    REFUSED = "refused"


@dataclasses.dataclass(frozen=True)
class Entry:
    """One key."""

    effect: Effect
    #: The values that are refused; all but the empty one if there are none here.
    values: tuple[str, ...] = ()
    #: Why they are refused, and what to do.
    reason: str = ""

    def check(self, key: str, value: str) -> None:
        """Raise ``Fail`` for a value that would change results."""
        refuses = value in self.values if self.values else value != ""
        if self.effect is Effect.REFUSED and refuses:
            raise Fail.of(f"configuration entry {key}={value} is not supported: {self.reason}")


_REFUSED = {
    "ep.context_enable": Entry(
        Effect.REFUSED,
        ("1",),
        "models of compiled contexts cannot be written: optimized_model_filepath writes a compiled "
        "model if its name ends in .mps",
    ),
    "session.collect_node_memory_stats_to_file": Entry(
        Effect.REFUSED, (), "no such file is written: `trident inspect` shows a model's memory"
    ),
    "session.compile_only": Entry(
        Effect.REFUSED,
        ("1",),
        "a session is made to run: ModelCompiler and optimized_model_filepath write models",
    ),
    "session.disable_cpu_ep_fallback": Entry(
        Effect.REFUSED,
        ("1",),
        f"the option 'device' of {TRIDENT} names the devices that may run nodes, and no other is "
        "used",
    ),
    "session.gqa_value_layout": Entry(
        Effect.REFUSED,
        ("BNHS",),
        "caches of values have the layout of the operator, which is BNSH",
    ),
    "session.load_model_format": Entry(
        Effect.REFUSED, ("ORT",), "models of the ORT format cannot be read: use the ONNX"
    ),
    "session.moe_expert_counter_state_file": Entry(
        Effect.REFUSED, (), "uses of experts are not counted, and no such file is read or written"
    ),
    "session.save_model_format": Entry(
        Effect.REFUSED, ("ORT",), "models of the ORT format cannot be written"
    ),
    "session.set_denormal_as_zero": Entry(
        Effect.REFUSED, ("1",), "denormal numbers are never flushed to zero"
    ),
    "session.strict_shape_type_inference": Entry(
        Effect.REFUSED,
        ("1",),
        "declared sizes of outputs that differ from the computed ones are warned of, not refused",
    ),
}

_ACTS = """
    session.model_external_initializers_file_folder_path
    session.optimized_model_external_initializers_file_name
    session.optimized_model_external_initializers_min_size_in_bytes
    session.record_ep_graph_assignment_info
"""

_TUNES = """
    ep.context_embed_mode
    ep.context_file_path
    ep.context_model_external_initializers_file_name
    ep.cuda.fpa_intb_gemm
    ep.cuda.fpa_intb_profile_m
    ep.cuda.gqa_workspace_max_total_sequence_length
    ep.enable_weightless
    mlas.disable_kleidiai
    mlas.kleidiai.conv_igemm_max_work
    mlas.nchwc_depthwise_sliding
    mlas.nchwc_pointwise_conv_max_input_channel_batch
    optimization.constant_folding_max_output_size_in_bytes
    session.debug_layout_transformation
    session.disable_aot_function_inlining
    session.disable_model_compile
    session.disable_prepacking
    session.dynamic_block_base
    session.enable_cpu_mem_arena
    session.enable_mem_pattern
    session.enable_moe_expert_counting
    session.enable_moe_expert_statistics
    session.enable_profiling
    session.enable_saved_runtime_optimizations
    session.execution_mode
    session.fail_on_suboptimal_compiled_model
    session.force_spinning_stop
    session.graph_optimization_level
    session.graph_optimizations_loop_level
    session.inter_op.allow_spinning
    session.inter_op.spin_backoff_max
    session.inter_op.spin_duration_us
    session.inter_op_num_threads
    session.intra_op.allow_spinning
    session.intra_op.spin_backoff_max
    session.intra_op.spin_duration_us
    session.intra_op_num_threads
    session.intra_op_thread_affinities
    session.layer_assignment_settings
    session.log_id
    session.log_severity_level
    session.log_verbosity_level
    session.max_shape_override
    session.moe_expert_counter_alpha
    session.moe_expert_counter_beta
    session.name_based_layer_assignment
    session.node_partition_config_file
    session.optimized_model_filepath
    session.prepack.enable_parallel
    session.resource_cuda_partitioning_settings
    session.save_external_prepacked_constant_initializers
    session.strict_workspace_verification
    session.use_deterministic_compute
    session.use_device_allocator_for_initializers
    session.use_env_allocators
    session.use_external_initializer_file_buffers_directly
    session.use_ort_model_bytes_directly
    session.use_ort_model_bytes_for_initializers
    session.use_per_session_threads
"""

_ROUNDS = """
    mlas.enable_gemm_fastmath_arm64_bfloat16
    mlas.qnbit.force_fp32
    mlas.use_lut_gemm
    optimization.disable_specified_optimizers
    optimization.enable_cast_chain_elimination
    optimization.enable_gelu_approximation
    optimization.minimal_build_optimizations
    session.allow_released_opsets_only
    session.disable_double_qdq_remover
    session.disable_qdq_constant_folding
    session.disable_quant_qdq
    session.enable_dq_matmulnbits_fusion
    session.enable_quant_qdq_cleanup
    session.function_expansion_byte_limit
    session.function_expansion_node_limit
    session.qdq_matmulnbits_accuracy_level
    session.qdq_matmulnbits_block_size
    session.qdqisint8allowed
    session.x64quantprecision
"""

_RUNS = """
    disable_synchronize_execution_providers
    gpu_graph_id
    memory.enable_memory_arena_shrinkage
"""


def _all(keys: str, effect: Effect) -> dict[str, Entry]:
    return {key: Entry(effect) for key in keys.split()}


#: Entries of ``SessionOptions.add_session_config_entry``. An unknown key is ignored, as in ONNX
#: Runtime.
SESSION: dict[str, Entry] = {
    **_all(_ACTS, Effect.ACTS),
    **_all(_TUNES, Effect.TUNES),
    **_all(_ROUNDS, Effect.ROUNDS),
    **_REFUSED,
}

#: Entries of ``RunOptions.add_run_config_entry``.
RUN: dict[str, Entry] = _all(_RUNS, Effect.TUNES)
