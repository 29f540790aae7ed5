"""``InferenceSession``: a ``trident.Model`` behind ONNX Runtime's interface."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import trident
from trident.errors import ModelError
from trident.onnxruntime import errors, explain, providers
from trident.onnxruntime.errors import Fail, InvalidArgument
from trident.onnxruntime.metadata import ModelMetadata
from trident.onnxruntime.options import RunOptions, SessionOptions
from trident.onnxruntime.providers import Providers
from trident.onnxruntime.types import NodeArg
from trident.onnxruntime.values import OrtValue


class Session:
    """The runs of a model, and what is known about it."""

    _model: trident.Model

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
        """Load the model again, for other providers."""
        self._load(providers, provider_options)

    def enable_fallback(self) -> None:
        """Let arguments about providers that are not valid mean the CPU, with a warning."""
        self._enable_fallback = True

    def disable_fallback(self) -> None:
        """Raise errors for arguments about providers that are not valid."""
        self._enable_fallback = False

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Run the model.

        The result has the outputs named, or all: arrays, lists, dictionaries, or ``None``.
        Arrays of ``input_feed`` must not be written to while the run lasts.
        """
        if not input_feed.keys() >= self._required:
            raise explain.missing([arg.name for arg in self._inputs_meta], input_feed)
        stop = None
        if run_options is not None:
            if not isinstance(run_options, RunOptions):
                raise TypeError(f"run_options is a RunOptions, not {run_options!r}")
            stop = run_options._stop
        if isinstance(output_names, str):
            raise TypeError(f"output_names is a list of names, not {output_names!r}")
        if self._sizes:
            self._check_sizes(input_feed)
        for value in input_feed.values():
            if type(value) is OrtValue:
                input_feed = _unwrapped(input_feed)
                break
        try:
            results = self._run(input_feed, output_names or None, None, stop)
        except ModelError as error:
            raise self._failure(error, output_names, input_feed, run_options) from error
        if output_names:
            return [results[name] for name in output_names]
        return list(results.values())

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """Run the model as ``run`` does, on values and to values."""
        for name, value in input_dict_ort_values.items():
            if not isinstance(value, OrtValue):
                raise TypeError(f"input {name} is an OrtValue, not {type(value)}")
        results = self.run(output_names, input_dict_ort_values, run_options)
        kinds = {arg.name: arg.type for arg in self._outputs_meta}
        names = output_names or kinds
        return [OrtValue._of(value, kinds[name]) for name, value in zip(names, results)]

    def _check_sizes(self, feed: Mapping[str, Any]) -> None:
        """Raises ``InvalidArgument`` for arrays of other sizes than those that the options fix."""
        for name, value in feed.items():
            arg = self._args.get(name)
            dims = getattr(value, "shape", None)
            if arg is not None and isinstance(dims, tuple):
                error = explain.shape(arg, dims)
                if error is not None:
                    raise error

    def _failure(
        self,
        error: ModelError,
        output_names: Sequence[str] | None,
        feed: Mapping[str, Any],
        run_options: RunOptions | None,
    ) -> Exception:
        """The exception for an error of a run."""
        if run_options is not None and run_options.terminate:
            return Fail.of(f"Exiting due to terminate flag being set to true: {error}")
        unfit = explain.arguments(self._args, self._outputs_meta, output_names, feed)
        return unfit if unfit is not None else errors.of_run(error)

    def _load(
        self, chosen: Providers | None, provider_options: Sequence[dict[Any, Any]] | None
    ) -> None:
        try:
            named = providers.normalize(chosen, provider_options)
            used = providers.effective(named)
        except (ValueError, RuntimeError) as error:
            if not self._enable_fallback:
                raise
            warnings.warn(f"{error}: the session uses {providers.CPU} only", stacklevel=4)
            used = {providers.CPU: {}}
        try:
            arguments = providers.model_options(used)
        except ValueError as error:
            raise InvalidArgument.of(error) from error
        options = self._sess_options
        arguments.setdefault("threads", max(options.intra_op_num_threads, 0))
        try:
            model = trident.Model(self._source, **arguments)
        except (ModelError, OSError) as error:
            raise errors.of_load(error, self._model_path) from error
        self._use(model, used)

    def _use(self, model: trident.Model, used: dict[str, dict[str, str]]) -> None:
        """Take a model, and keep what is asked for often."""
        self._model, self._used = model, used
        self._run: Callable[..., dict[str, Any]] = model.run
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

    @property
    def _source(self) -> str | bytes:
        raise NotImplementedError

    _sess_options: SessionOptions
    _model_path: str | None


def _unwrapped(feed: Mapping[str, Any]) -> dict[str, Any]:
    """The feed with arrays in the place of values."""
    return {
        name: value._value if isinstance(value, OrtValue) else value for name, value in feed.items()
    }


def _has_default(info: trident.ValueInfo) -> bool:
    return info.is_optional and not info.type.startswith("opt<")


class InferenceSession(Session):
    """A model that is ready to run.

    ``path_or_bytes`` is a path or the bytes of a file: ONNX, or compiled by Trident. ``providers``
    are names, or pairs of a name and options; ``provider_options`` gives the options separately.
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
        self._load(providers, provider_options)

    @property
    def _source(self) -> str | bytes:
        return self._model_path if self._model_bytes is None else self._model_bytes  # type: ignore
