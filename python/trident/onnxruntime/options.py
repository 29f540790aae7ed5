"""Options of sessions and of runs.

Options that change results act, or are refused. Options that only tune ONNX Runtime are kept, so
that a program reads what it has written, and do nothing.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, overload

from trident._trident import Stop
from trident.onnxruntime import hardware
from trident.onnxruntime.absent import OPTIONS_METHODS, refuse
from trident.onnxruntime.adapters import LoraAdapter
from trident.onnxruntime.entries import RUN, SESSION
from trident.onnxruntime.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtExecutionProviderDevicePolicy,
)
from trident.onnxruntime.errors import InvalidArgument
from trident.onnxruntime.hardware import OrtEpDevice
from trident.onnxruntime.providers import AVAILABLE, CPU, TRIDENT
from trident.onnxruntime.values import OrtValue

T = TypeVar("T")

#: The most characters of a key of a configuration entry.
MAX_KEY = 1024


class _Option(Generic[T]):
    """An attribute that takes values of one type only, as ONNX Runtime's attributes do."""

    def __init__(self, kind: type[T], default: T) -> None:
        self.kind, self.default = kind, default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, owner: None, kind: type) -> "_Option[T]": ...
    @overload
    def __get__(self, owner: "_Options", kind: type) -> T: ...
    def __get__(self, owner: "_Options | None", kind: type) -> "T | _Option[T]":
        return self if owner is None else owner._values.get(self.name, self.default)

    def __set__(self, owner: "_Options", value: T) -> None:
        wanted: type = self.kind
        if wanted is int and not isinstance(value, float) and hasattr(value, "__index__"):
            value = self.kind(value)  # type: ignore[call-arg]
        if not isinstance(value, wanted):
            owner_name = type(owner).__name__
            raise TypeError(f"{owner_name}.{self.name} is a {wanted.__name__}, not {value!r}")
        owner._values[self.name] = value


class _Options:
    """Attributes, and configuration entries by key."""

    __slots__ = ("_entries", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._entries: dict[str, str] = {}

    def _add_entry(self, key: str, value: str) -> None:
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"a configuration entry is a pair of texts, not {key!r} and {value!r}")
        if not 0 < len(key) <= MAX_KEY:
            raise RuntimeError(f"a configuration key has 1 to {MAX_KEY} characters, not {len(key)}")
        self._entries[key] = value

    def _entry(self, key: str) -> str:
        if key not in self._entries:
            name = type(self).__name__
            raise RuntimeError(f"{name} does not have configuration with key: {key}")
        return self._entries[key]


class SessionOptions(_Options):
    """Options of a session.

    >>> import trident.onnxruntime as onnxruntime
    >>> options = onnxruntime.SessionOptions()
    >>> options.intra_op_num_threads = 2
    >>> options.add_free_dimension_override_by_name("N", 1)
    >>> session = onnxruntime.InferenceSession("digits.onnx", options)
    >>> session.get_inputs()[0].shape
    [1, 1, 8, 8]
    """

    __slots__ = (
        "_canceled",
        "_denotations",
        "_dimensions",
        "_files",
        "_initializers",
        "_providers",
    )

    #: Threads of a run; 0 is one for each core.
    intra_op_num_threads: _Option[int] = _Option(int, 0)
    enable_profiling: _Option[bool] = _Option(bool, False)
    profile_file_prefix: _Option[str] = _Option(str, "onnxruntime_profile_")
    optimized_model_filepath: _Option[str] = _Option(str, "")

    # Options that only tune, or that set which messages ONNX Runtime prints.
    inter_op_num_threads: _Option[int] = _Option(int, 0)
    graph_optimization_level: _Option[GraphOptimizationLevel] = _Option(
        GraphOptimizationLevel, GraphOptimizationLevel.ORT_ENABLE_ALL
    )
    execution_mode: _Option[ExecutionMode] = _Option(ExecutionMode, ExecutionMode.ORT_SEQUENTIAL)
    execution_order: _Option[ExecutionOrder] = _Option(ExecutionOrder, ExecutionOrder.DEFAULT)
    enable_cpu_mem_arena: _Option[bool] = _Option(bool, True)
    enable_mem_pattern: _Option[bool] = _Option(bool, True)
    enable_mem_reuse: _Option[bool] = _Option(bool, True)
    use_deterministic_compute: _Option[bool] = _Option(bool, False)
    use_per_session_threads: _Option[bool] = _Option(bool, True)
    log_severity_level: _Option[int] = _Option(int, -1)
    log_verbosity_level: _Option[int] = _Option(int, 0)
    logid: _Option[str] = _Option(str, "")

    def __init__(self) -> None:
        super().__init__()
        self._dimensions: dict[str, int] = {}
        self._denotations: dict[str, int] = {}
        #: The contents of data files by name.
        self._files: dict[str, bytes] = {}
        self._initializers: dict[str, OrtValue] = {}
        self._providers: list[tuple[str, dict[str, str]]] = []
        self._canceled = False

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Set a configuration entry.

        Raises ``Fail`` for an entry that would change results.
        """
        self._add_entry(key, value)
        if key in SESSION:
            SESSION[key].check(key, value)

    def get_session_config_entry(self, key: str) -> str:
        """A configuration entry. Raises ``RuntimeError`` if it was not set."""
        return self._entry(key)

    def add_free_dimension_override_by_name(self, name: str, dimension: int) -> None:
        """Fix the symbol ``name`` of the inputs' dimensions. Inputs of other sizes are errors."""
        self._dimensions[str(name)] = int(dimension)

    def register_custom_ops_library(self, path: str) -> None:
        """Raises ``NotImplementedError``: libraries of custom operators are for ONNX Runtime."""
        raise NotImplementedError(
            f"SessionOptions.register_custom_ops_library({path!r}): Trident runs no custom "
            "operators of shared libraries; a model may define them as ONNX functions"
        )

    def add_free_dimension_override_by_denotation(self, denotation: str, dimension: int) -> None:
        """Fix the inputs' dimensions of this denotation whose size the model leaves open."""
        self._denotations[str(denotation)] = int(dimension)

    def add_initializer(self, name: str, value: OrtValue) -> None:
        """Replace an initializer of the model by a tensor of its type and shape."""
        if not isinstance(value, OrtValue) or not value.is_tensor():
            raise RuntimeError(f"initializer {name} is an OrtValue with a tensor, not {value!r}")
        if name in self._initializers:
            raise RuntimeError(f"An OrtValue for this name has already been added: {name}")
        self._initializers[name] = value

    def add_external_initializers(self, names: list[str], values: list[OrtValue]) -> None:
        """Replace initializers of the model by tensors."""
        if len(names) != len(values):
            text = f"as many names as values are needed, not {len(names)} and {len(values)}"
            raise RuntimeError(text)
        for name, value in zip(names, values):
            self.add_initializer(name, value)

    def add_external_initializers_from_files_in_memory(
        self, names: Sequence[str], data: Sequence[bytes], sizes: Sequence[int]
    ) -> None:
        """Give the contents of data files, by the names that the model has for them."""
        if not len(names) == len(data) == len(sizes):
            text = f"{len(names)} names, {len(data)} files and {len(sizes)} sizes"
            raise RuntimeError(f"as many names as files and sizes are needed, not {text}")
        for name, content, size in zip(names, data, sizes):
            if not 0 <= size <= len(content):
                raise RuntimeError(f"file {name} has {len(content)} bytes, and its size is {size}")
            self._files[name] = bytes(content[:size])

    def add_provider(self, name: str, options: dict[str, str]) -> None:
        """Add a provider. Arguments of the session take its place."""
        if name not in AVAILABLE:
            known = ", ".join(AVAILABLE)
            raise InvalidArgument.of(f"Failed to add provider of type '{name}': there are {known}")
        self._providers.append((name, dict(options)))

    def add_provider_for_devices(
        self, ep_devices: Sequence[OrtEpDevice], provider_options: dict[str, str]
    ) -> None:
        """Add the provider of some of ``get_ep_devices()``, to run on these devices."""
        self._providers.append(hardware.chosen(ep_devices, dict(provider_options)))

    def set_provider_selection_policy(self, policy: OrtExecutionProviderDevicePolicy) -> None:
        """Prefer a kind of device. Only the CPU can be preferred."""
        kinds = OrtExecutionProviderDevicePolicy
        if policy not in (kinds.DEFAULT, kinds.PREFER_CPU):
            raise NotImplementedError(
                f"SessionOptions.set_provider_selection_policy({policy}): give "
                f"'{TRIDENT}' with its option 'device' to the session"
            )
        self._providers = [(CPU, {})]

    def has_providers(self) -> bool:
        """Whether providers were added to the options."""
        return bool(self._providers)

    def set_load_cancellation_flag(self, value: bool) -> None:
        """Make sessions end before they load their model."""
        self._canceled = bool(value)

    def __getattr__(self, name: str) -> Any:
        if name in OPTIONS_METHODS:
            refuse(f"SessionOptions.{name}")
        raise AttributeError(f"'SessionOptions' object has no attribute '{name}'")


class RunOptions(_Options):
    """Options of a run."""

    __slots__ = ("_adapters", "_stop")

    only_execute_path_to_fetches: _Option[bool] = _Option(bool, False)
    log_severity_level: _Option[int] = _Option(int, -1)
    log_verbosity_level: _Option[int] = _Option(int, 0)
    logid: _Option[str] = _Option(str, "")

    def __init__(self) -> None:
        super().__init__()
        self._stop = Stop()
        self._adapters: list[LoraAdapter] = []

    @property
    def terminate(self) -> bool:
        """Whether runs with these options end early. Setting it ends those that have begun."""
        return bool(self._values.get("terminate", False))

    @terminate.setter
    def terminate(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"RunOptions.terminate is a bool, not {value!r}")
        if value:
            self._stop.stop()
        elif self.terminate:
            self._stop = Stop()
        self._values["terminate"] = value

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Set a configuration entry. None acts."""
        self._add_entry(key, value)
        if key in RUN:
            RUN[key].check(key, value)

    def get_run_config_entry(self, key: str) -> str:
        """A configuration entry. Raises ``RuntimeError`` if it was not set."""
        return self._entry(key)

    def add_active_adapter(self, adapter: LoraAdapter) -> None:
        """Give the parameters of an adapter to runs, as inputs of their names."""
        if not isinstance(adapter, LoraAdapter):
            raise TypeError(f"an adapter is a LoraAdapter, not {adapter!r}")
        if adapter._parameters is None:
            raise RuntimeError("the adapter has no parameters: call its Load before")
        self._adapters.append(adapter)


def get_default_session_options() -> SessionOptions:
    """New options."""
    return SessionOptions()
