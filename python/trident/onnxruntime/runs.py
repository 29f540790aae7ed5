"""Runs of a session: on arrays, on values, on what is bound, and on another thread."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import trident
from trident._trident import Stop
from trident.errors import ModelError
from trident.onnxruntime import adapters, errors, explain
from trident.onnxruntime.binding import IOBinding
from trident.onnxruntime.errors import Fail
from trident.onnxruntime.options import RunOptions
from trident.onnxruntime.profile import Profile
from trident.onnxruntime.types import NodeArg
from trident.onnxruntime.values import OrtValue


class Runs:
    """The methods of a session that run its model."""

    _model: trident.Model
    #: The method of the model that runs it.
    _run: Callable[..., dict[str, Any]]
    #: Inputs by name, those that may be left out included.
    _args: dict[str, NodeArg]
    #: The names of inputs that every run needs.
    _required: frozenset[str]
    #: Values of inputs that are in every run's feed unless it has others.
    _defaults: dict[str, Any]
    #: Sizes of symbols that the options fix.
    _sizes: dict[str, int]
    _inputs_meta: list[NodeArg]
    _outputs_meta: list[NodeArg]
    _profile: Profile | None = None

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
        results = self._results(output_names, input_feed, run_options, None)
        if output_names:
            return [results[name] for name in output_names]
        return list(results.values())

    def _results(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None,
        out: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """The results of a run by name, those of ``out`` in its arrays."""
        stop = None
        if run_options is not None:
            if not isinstance(run_options, RunOptions):
                raise TypeError(f"run_options is a RunOptions, not {run_options!r}")
            stop = run_options._stop
            if run_options._adapters:
                input_feed = adapters.fed(input_feed, run_options._adapters)
        self._require(input_feed)
        if isinstance(output_names, str):
            raise TypeError(f"output_names is a list of names, not {output_names!r}")
        if self._sizes:
            self._check_sizes(input_feed)
        if self._defaults:
            input_feed = {**self._defaults, **input_feed}
        for value in input_feed.values():
            if type(value) is OrtValue:
                input_feed = _unwrapped(input_feed)
                break
        try:
            if self._profile is not None:
                return self._measured(input_feed, output_names, out, stop)
            return self._run(input_feed, output_names or None, out, stop)
        except ModelError as error:
            raise self._failure(error, output_names, input_feed, run_options) from error

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
        kinds = self._kinds()
        names = output_names or kinds
        return [OrtValue._of(value, kinds[name]) for name, value in zip(names, results)]

    def run_with_iobinding(
        self, iobinding: IOBinding, run_options: RunOptions | None = None
    ) -> None:
        """Run the model on what is bound."""
        if not isinstance(iobinding, IOBinding) or iobinding._session is not self:
            raise ValueError("IOBinding must be used with the session that created it.")
        iobinding._run(run_options)

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], Any, str], Any],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Run the model as ``run`` does, on a thread, and call ``callback`` there.

        It gets the results, ``user_data``, and the text of the error, which is empty if there is
        none.
        """
        if not callable(callback):
            raise TypeError(f"callback is a function, not {callback!r}")
        self._require(input_feed)
        feed = dict(input_feed)

        def work() -> None:
            results, text = [], ""
            try:
                results = self.run(output_names, feed, run_options)
            except Exception as error:
                text = str(error) or type(error).__name__
            callback(results, user_data, text)

        threading.Thread(target=work, name="trident-run-async").start()

    def _measured(
        self,
        feed: Mapping[str, Any],
        output_names: Sequence[str] | None,
        out: Mapping[str, Any] | None,
        stop: Stop | None,
    ) -> dict[str, Any]:
        """The results of a run that is measured."""
        profile = self._profile
        began = time.monotonic_ns()
        results, measured = self._model.run_profiled(feed, output_names or None, out, stop)
        if profile is not None:
            profile.add_run(began, measured)
        return results

    def _require(self, feed: Mapping[str, Any]) -> None:
        """Raises an error unless the feed is a dictionary that has every input it must have."""
        try:
            lacks = not feed.keys() >= self._required
        except AttributeError:
            raise TypeError(f"input_feed is a dict of arrays by name, not {feed!r}") from None
        if lacks:
            raise explain.missing([arg.name for arg in self._inputs_meta], feed)

    def _kinds(self) -> dict[str, str]:
        """The types of the outputs by name, in the model's order."""
        return {arg.name: arg.type for arg in self._outputs_meta}

    def _check_sizes(self, feed: Mapping[str, Any]) -> None:
        """Raises ``InvalidArgument`` for arrays of other sizes than those that the options fix."""
        for name, value in feed.items():
            arg = self._args.get(name)
            dims: object = getattr(value, "shape", None)
            if arg is not None and isinstance(dims, tuple):
                error = explain.shape(arg, cast("tuple[int, ...]", dims))
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
        if unfit is not None:
            return unfit
        return errors.of_run(error, self._operator(error.node) if error.node else None)

    def _operator(self, node: str) -> str | None:
        """The operator of a node of the model's graph; ``None`` if it is not known."""
        raise NotImplementedError


def _unwrapped(feed: Mapping[str, Any]) -> dict[str, Any]:
    """The feed with arrays in the place of values."""
    return {
        name: value._value if isinstance(value, OrtValue) else value for name, value in feed.items()
    }
