"""Names of ONNX Runtime's interface that are not here.

They can be imported, so that a program which does not use them runs. A use raises
``NotImplementedError`` with the name.
"""

from typing import Any, NoReturn

#: Classes and modules, of which neither an instance nor an attribute can be had.
CLASSES = frozenset(
    (
        "OrtEpContextData",
        "OrtEpContextDataBuffer",
        "OrtSyncStream",
        "SessionObjectInitializer",
        "SparseBlockSparseView",
        "SparseCooView",
        "SparseCsrView",
        "SparseTensor",
        "opkernel",
        "schemadef",
    )
)

#: Functions.
FUNCTIONS = frozenset(
    (
        "get_all_operator_schema",
        "get_all_opkernel_def",
        "get_registered_ep_kernel_defs",
        "get_session_initializer",
        "pack_fp4_weights_for_cuda_moe_gemm",
        "quantize_qdq_matmul_2bits",
        "register_execution_provider_library",
        "set_seed",
        "unregister_execution_provider_library",
    )
)

#: Methods of sessions.
METHODS = frozenset(
    (
        "release_captured_graph",
        "run_with_ortvaluevector",
        "set_ep_dynamic_options",
        "set_tuning_results",
    )
)

#: Methods of ``SessionOptions``.
OPTIONS_METHODS = frozenset(
    (
        "clear_ep_context_data_read_func",
        "set_ep_context_data_read_func",
        "set_provider_selection_policy_delegate",
    )
)


def refuse(name: str) -> NoReturn:
    """Raises ``NotImplementedError`` with the name."""
    raise NotImplementedError(f"onnxruntime.{name} is not part of Trident's interface")


class _Absent(type):
    """The type of a class that is not here."""

    def __call__(cls, *args: Any, **named: Any) -> NoReturn:
        refuse(cls.__name__)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"{cls.__name__}.{name}")


_made: dict[str, Any] = {}


def absent(module: str, name: str) -> Any:
    """The stand-in for a name. Raises ``AttributeError`` for a name that ONNX Runtime lacks too."""
    if name in _made:
        return _made[name]
    if name in CLASSES:
        return _made.setdefault(name, _Absent(name, (), {"__module__": __name__}))
    if name in FUNCTIONS:

        def function(*args: Any, **named: Any) -> NoReturn:
            refuse(name)

        function.__name__ = function.__qualname__ = name
        return _made.setdefault(name, function)
    raise AttributeError(f"module '{module}' has no attribute '{name}'")
