"""``IOBinding``: inputs and outputs of a session that stay bound from run to run."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import DTypeLike

from trident.errors import ModelError
from trident.onnxruntime import memory
from trident.onnxruntime.devices import OrtDevice, require_cpu
from trident.onnxruntime.options import RunOptions
from trident.onnxruntime.values import Array, OrtValue, OrtValueVector

if TYPE_CHECKING:
    from trident.onnxruntime.session import Session


class IOBinding:
    """Values of a session's inputs, and places for its outputs.

    A bound array must not be resized or freed, and is read and written at every run.

    >>> import numpy as np
    >>> import trident.onnxruntime as onnxruntime
    >>> session = onnxruntime.InferenceSession("digits.onnx")
    >>> binding = session.io_binding()
    >>> binding.bind_cpu_input("image", np.zeros((1, 1, 8, 8), np.float32))
    >>> mine = onnxruntime.OrtValue.ortvalue_from_numpy(np.empty((1, 10), np.float32))
    >>> binding.bind_ortvalue_output("probabilities", mine)
    >>> session.run_with_iobinding(binding)
    >>> round(float(mine.numpy().sum()), 3)
    1.0
    """

    def __init__(self, session: "Session | InnerSession") -> None:
        self._session = session._session if isinstance(session, InnerSession) else session
        self._inputs: dict[str, Any] = {}
        #: An array to write to, or ``None`` for a new one at every run.
        self._places: dict[str, Array | None] = {}
        self._results: dict[str, Any] = {}

    @property
    def _iobinding(self) -> "IOBinding":
        """This binding: ONNX Runtime has two classes, one inside the other."""
        return self

    def bind_cpu_input(self, name: str, arr_on_cpu: Array) -> None:
        """Bind an array. It is read where it is, unless its elements are strided."""
        self._check_input(name)
        if not isinstance(arr_on_cpu, np.ndarray):
            raise RuntimeError(f"input {name} is bound to an array, not to {type(arr_on_cpu)}")
        if arr_on_cpu.dtype.kind in "OSUT":
            raise RuntimeError(
                f"Only binding non-string Tensors is currently supported: run() takes input {name}"
            )
        self._inputs[name] = OrtValue.ortvalue_from_numpy(arr_on_cpu)._value

    def bind_input(
        self,
        name: str,
        device_type: str | OrtDevice | Array | OrtValue,
        device_id: int = 0,
        element_type: int | DTypeLike | None = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Bind memory by its address."""
        if isinstance(device_type, np.ndarray):
            return self.bind_cpu_input(name, device_type)
        if isinstance(device_type, OrtValue):
            return self.bind_ortvalue_input(name, device_type)
        self._check_input(name)
        _check_device(device_type, device_id)
        if element_type is None or shape is None or buffer_ptr is None:
            raise ValueError(f"input {name} needs element_type, shape and buffer_ptr")
        try:
            self._inputs[name] = memory.at(buffer_ptr, element_type, shape)
        except memory.StringsError as error:
            raise RuntimeError(
                f"Only binding non-string Tensors is currently supported: {error}"
            ) from error

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind a value."""
        self._check_input(name)
        self._inputs[name] = _value(ortvalue)

    def bind_output(
        self,
        name: str,
        device_type: str | OrtDevice = "cpu",
        device_id: int = 0,
        element_type: int | DTypeLike | None = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Bind an output to memory by its address, or without one to a new array in each run."""
        _check_device(device_type, device_id)
        if buffer_ptr is None:
            return self._bind_place(name, None)
        if element_type is None or shape is None:
            raise ValueError(
                "`element_type` and `shape` are to be provided if pre-allocated memory is provided"
            )
        self._bind_place(name, memory.at(buffer_ptr, element_type, shape))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an output to the memory of a tensor. A value without a tensor binds none."""
        value = _value(ortvalue)
        self._bind_place(name, cast("Array", value) if isinstance(value, np.ndarray) else None)

    def get_outputs(self) -> list[OrtValue]:
        """The values of the bound outputs after the last run, in the order of binding."""
        kinds = self._session._kinds()
        return [
            OrtValue._of(self._results.get(name, place), kinds.get(name))
            for name, place in self._places.items()
        ]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        """The values that ``get_outputs`` lists."""
        return OrtValueVector(self.get_outputs())

    def copy_outputs_to_cpu(self) -> list[Any]:
        """The outputs of the last run; copies, if they are bound to the caller's memory."""
        return [
            value.copy() if isinstance(value, np.ndarray) and value is place else value
            for name, place in self._places.items()
            for value in (self._results.get(name, place),)
        ]

    def synchronize_inputs(self) -> None:
        """Wait until inputs are on the device: they are."""

    def synchronize_outputs(self) -> None:
        """Wait until outputs are complete: they are after a run."""

    def clear_binding_inputs(self) -> None:
        """Bind no inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Bind no outputs."""
        self._places.clear()
        self._results.clear()

    def _check_input(self, name: str) -> None:
        if name not in self._session._args:
            known = ", ".join(self._session._args)
            raise RuntimeError(
                f"Error when binding input: Failed to find input name in the mapping: {name} "
                f"(the inputs are {known})"
            )

    def _bind_place(self, name: str, place: Array | None) -> None:
        self._results.pop(name, None)
        self._places[name] = place

    def _run(self, options: RunOptions | None) -> None:
        """Run the session. Raises ``RuntimeError`` for whatever fails, as ONNX Runtime does."""
        session = self._session
        if not self._places:
            raise RuntimeError("Error in execution: At least one output should be requested.")
        places = {name: place for name, place in self._places.items() if place is not None}
        # Memory that an input has is written to after the run.
        late = [
            name
            for name, place in places.items()
            if any(memory.overlap(place, value) for value in self._inputs.values())
        ]
        direct = {name: place for name, place in places.items() if name not in late}
        try:
            results = session._results(list(self._places), self._inputs, options, direct)
        except ModelError as error:
            raise RuntimeError(f"Error in execution: {error}") from error
        except Exception as error:
            text = str(error).removeprefix("[ONNXRuntimeError] : ")
            raise RuntimeError(f"Error in execution: {text}") from error
        for name in late:
            results[name] = _written(name, places[name], results[name])
        self._results = results


class SessionIOBinding(IOBinding):
    """The same with the arguments of ONNX Runtime's extension module: a device has its number."""

    def bind_input(self, name: str, *place: Any, **named: Any) -> None:
        """Bind an array, a value, or memory by its device, element type, shape and address."""
        if len(place) == 4 and isinstance(place[0], OrtDevice):
            place = (place[0], 0, *place[1:])
        super().bind_input(name, *place, **named)

    def bind_output(self, name: str, *place: Any, **named: Any) -> None:
        """Bind an output to memory by its device, element type, shape and address, or to none."""
        if len(place) == 4 and isinstance(place[0], OrtDevice):
            place = (place[0], 0, *place[1:])
        super().bind_output(name, *place, **named)


class InnerSession:
    """A session with the methods of ONNX Runtime's extension module, which some programs call."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    def run_with_ort_values(
        self,
        feeds: Mapping[str, OrtValue],
        output_names: Sequence[str],
        run_options: RunOptions | None = None,
    ) -> OrtValueVector:
        """Run the model on values and to values."""
        return OrtValueVector(self._session.run_with_ort_values(output_names, feeds, run_options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


def _written(name: str, place: Array, result: Array) -> Array:
    """The place, with the result in it."""
    if place.shape != result.shape or place.dtype != result.dtype:
        raise RuntimeError(
            f"Error in execution: output {name} is {result.dtype}{list(result.shape)}, and its "
            f"memory is for {place.dtype}{list(place.shape)}"
        )
    np.copyto(place, result)
    return place


def _value(ortvalue: Any) -> Any:
    if not isinstance(ortvalue, OrtValue):
        raise TypeError(f"an OrtValue is expected, not {type(ortvalue)}")
    return ortvalue._value


def _check_device(device: str | OrtDevice, device_id: int) -> None:
    if isinstance(device, str):
        require_cpu(device, device_id)
    elif device.device_type() != 0:
        raise RuntimeError("values lie in the CPU's memory: bind with the device 'cpu'")
