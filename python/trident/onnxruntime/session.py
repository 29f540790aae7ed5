"""``InferenceSession``: a ``trident.Model`` behind ONNX Runtime's interface."""

import os
import time
import warnings
from collections.abc import Sequence
from typing import Any

import trident
from trident.errors import ModelError
from trident.onnxruntime import (
    assignment,
    errors,
    hardware,
    model_file,
    optimized,
    prepared,
    providers,
)
from trident.onnxruntime.absent import METHODS, refuse
from trident.onnxruntime.assignment import OrtEpAssignedSubgraph
from trident.onnxruntime.binding import InnerSession, IOBinding
from trident.onnxruntime.devices import CPU_MEMORY, OrtMemoryInfo
from trident.onnxruntime.errors import (
    Fail,
    InvalidArgument,
    InvalidProtobuf,
    ModelLoadCanceled,
    NoSuchFile,
)
from trident.onnxruntime.hardware import OrtEpDevice
from trident.onnxruntime.metadata import ModelMetadata
from trident.onnxruntime.options import SessionOptions
from trident.onnxruntime.profile import Profile
from trident.onnxruntime.providers import Providers
from trident.onnxruntime.runs import Runs
from trident.onnxruntime.types import NodeArg
from trident.onnxruntime.values import OrtValue

#: The most threads that a model can have.
MAX_THREADS = 1024


class Session(Runs):
    """The runs of a model, and what is known about it."""

    def __init__(self, enable_fallback: bool = True) -> None:
        self._enable_fallback = enable_fallback

    def get_session_options(self) -> SessionOptions:
        """The options of the session."""
        return self._sess_options

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run needs."""
        return list(self._inputs_meta)

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return list(self._outputs_meta)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """The inputs that have values in the model, which a run may replace."""
        return list(self._overridable_initializers)

    def get_modelmeta(self) -> ModelMetadata:
        """The facts that the model's file states."""
        return self._model_meta

    def get_providers(self) -> list[str]:
        """The providers in use, in their order."""
        return list(self._used)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The options of each provider in use."""
        return {name: dict(given) for name, given in self._used.items()}

    def set_providers(
        self,
        providers: Providers | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
    ) -> None:
        """Load the model again, for other providers.

        Raises ``ValueError`` and ``RuntimeError`` for arguments about providers that are not valid.
        """
        self._load(providers, provider_options, falls_back=False)

    def enable_fallback(self) -> None:
        """Let arguments about providers that are not valid mean the CPU, with a warning."""
        self._enable_fallback = True

    def disable_fallback(self) -> None:
        """Raise errors for arguments about providers that are not valid."""
        self._enable_fallback = False

    def io_binding(self) -> IOBinding:
        """A binding of inputs and outputs."""
        return IOBinding(self)

    def end_profiling(self) -> str:
        """Write the profile of the runs so far, and measure no more; the name of the file.

        The name is empty if the session's options did not enable profiles.
        """
        profile, self._profile = self._profile, None
        return profile.end() if profile is not None else ""

    def get_profiling_start_time_ns(self) -> int:
        """The start of the profile, in the nanoseconds of ``time.monotonic_ns``."""
        return self._profile.start if self._profile is not None else 0

    def create_ortvalue_from_shape_and_type(
        self,
        shape: Sequence[int],
        element_type: Any,
        device_type: str,
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> OrtValue:
        """A tensor with memory of its own."""
        return OrtValue.ortvalue_from_shape_and_type(
            shape, element_type, device_type, device_id, vendor_id
        )

    def get_input_memory_infos(self) -> list[OrtMemoryInfo]:
        """The memory of each input."""
        return [CPU_MEMORY for _ in self._inputs_meta]

    def get_output_memory_infos(self) -> list[OrtMemoryInfo]:
        """The memory of each output."""
        return [CPU_MEMORY for _ in self._outputs_meta]

    def get_input_epdevices(self) -> list[OrtEpDevice]:
        """The provider and the device of each input."""
        first = hardware.of_provider(next(iter(self._used)))
        return [first for _ in self._inputs_meta]

    def get_provider_graph_assignment_info(self) -> list[OrtEpAssignedSubgraph]:
        """The nodes that each provider runs. Raises ``Fail`` unless the options record it."""
        if self._sess_options._entries.get(assignment.RECORD) != "1":
            raise Fail.of(
                f"Session configuration entry '{assignment.RECORD}' must be set to \"1\" to "
                "retrieve EP graph assignment information."
            )
        return assignment.of_model(self._source, next(iter(self._used)))

    def get_tuning_results(self) -> list[Any]:
        """Measurements that choose kernels. There are none."""
        return []

    @property
    def _sess(self) -> InnerSession:
        """This session with the methods of ONNX Runtime's extension module."""
        return InnerSession(self)

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            refuse(f"InferenceSession.{name}")
        raise AttributeError(f"'InferenceSession' object has no attribute '{name}'")

    def _load(
        self,
        chosen: Providers | None,
        provider_options: Sequence[dict[Any, Any]] | None,
        falls_back: bool,
    ) -> None:
        """Load the model for providers. Those of the options are for a session without others."""
        options = self._sess_options
        given = chosen or options._providers or None
        used = self._providers_for(given, provider_options, falls_back)
        try:
            arguments = providers.model_options(used)
        except ValueError as error:
            raise InvalidArgument.of(error) from error
        optimized.check(options.optimized_model_filepath, options._entries)
        if options._canceled:
            raise ModelLoadCanceled.of("the flag of SessionOptions that cancels loads is set")
        arguments.setdefault("threads", min(max(options.intra_op_num_threads, 0), MAX_THREADS))
        began = time.monotonic_ns()
        try:
            source, replaced = prepared.prepare(self._source, options)
            model = trident.Model(source, **arguments)
        except (ModelError, OSError) as error:
            raise errors.of_load(error, self._model_path) from error
        except ValueError as error:
            raise InvalidArgument.of(error) from error
        self._use(model, used, replaced)
        if options.optimized_model_filepath:
            files = prepared.files_of(source, options)
            path = options.optimized_model_filepath
            optimized.write(model, source, files, path, options._entries)
        self._profile = None
        if options.enable_profiling:
            self._profile = Profile(options.profile_file_prefix)
            self._profile.add_load(began)

    def _providers_for(
        self,
        chosen: Providers | None,
        provider_options: Sequence[dict[Any, Any]] | None,
        falls_back: bool,
    ) -> dict[str, dict[str, str]]:
        try:
            return providers.effective(providers.normalize(chosen, provider_options))
        except (ValueError, RuntimeError) as error:
            if not falls_back:
                raise
            warnings.warn(f"{error}: the session uses {providers.CPU} only", stacklevel=4)
            return {providers.CPU: {}}

    def _use(
        self, model: trident.Model, used: dict[str, dict[str, str]], replaced: frozenset[str]
    ) -> None:
        """Take a model, and keep what is asked for often."""
        self._model, self._used = model, used
        self._run = model.run
        self._sizes = dict(self._sess_options._dimensions)
        args = [NodeArg(info, self._sizes) for info in model.inputs]
        defaults = {info.name for info in model.inputs if _has_default(info)}
        optional = {info.name for info in model.inputs if info.is_optional}
        self._args = {arg.name: arg for arg in args}
        self._inputs_meta = [arg for arg in args if arg.name not in defaults]
        self._overridable_initializers = [arg for arg in args if arg.name in defaults]
        self._required = frozenset(self._args) - optional
        self._outputs_meta = [NodeArg(info, self._sizes) for info in model.outputs]
        self._model_meta = ModelMetadata(model)
        initializers = self._sess_options._initializers.items()
        given = {name: value for name, value in initializers if name not in replaced}
        unknown = sorted(given.keys() - defaults)
        if unknown:
            raise Fail.of(
                f"SessionOptions.add_initializer: {', '.join(unknown)} cannot be replaced, as the "
                "model has no initializer of this name"
            )
        self._defaults = {name: value._value for name, value in given.items()}

    def _operator(self, node: str) -> str | None:
        try:
            return model_file.operator(prepared.read(self._source), node)
        except (ValueError, InvalidProtobuf, NoSuchFile, Fail):
            # The file has changed since, or is not an ONNX file.
            return None

    @property
    def _source(self) -> str | bytes:
        raise NotImplementedError

    _sess_options: SessionOptions
    _model_path: str | None


def _has_default(info: trident.ValueInfo) -> bool:
    return info.is_optional and not info.type.startswith("opt<")


class InferenceSession(Session):
    """A model that is ready to run.

    ``path_or_bytes`` is a path or the bytes of a file: ONNX, or compiled by Trident. ``providers``
    are names, or pairs of a name and options; ``provider_options`` gives the options separately.

    >>> import numpy as np
    >>> import trident.onnxruntime as onnxruntime
    >>> providers = [("TridentExecutionProvider", {"threads": 2}), "CPUExecutionProvider"]
    >>> session = onnxruntime.InferenceSession("digits.onnx", providers=providers)
    >>> session.get_inputs()
    [NodeArg(name='image', type='tensor(float)', shape=['N', 1, 8, 8])]
    >>> (probabilities,) = session.run(None, {"image": np.zeros((1, 1, 8, 8), np.float32)})
    >>> probabilities.shape
    (1, 10)
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Providers | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(int(kwargs.get("enable_fallback", 1)) == 1)
        self._model_path: str | None = None
        self._model_bytes: bytes | None = None
        if isinstance(path_or_bytes, str | os.PathLike):
            self._model_path = os.fspath(path_or_bytes)
        elif isinstance(path_or_bytes, bytes):
            self._model_bytes = path_or_bytes
        else:
            kind = type(path_or_bytes)
            raise TypeError(f"Unable to load from type '{kind}': give a path, or bytes")
        if sess_options is not None and not isinstance(sess_options, SessionOptions):
            raise TypeError(f"sess_options is a SessionOptions, not {sess_options!r}")
        self._sess_options = sess_options or SessionOptions()
        self._load(providers, provider_options, self._enable_fallback)

    @property
    def _source(self) -> str | bytes:
        return self._model_path if self._model_bytes is None else self._model_bytes  # type: ignore
