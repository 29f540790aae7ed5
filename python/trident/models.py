"""Models: loading, running and inspecting them from Python."""

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from trident import _trident
from trident.reports import Inspection, Profile


class Model(_trident.Model):
    """A model prepared to run: an ONNX file, a program of Paddle, or a file that ``compile`` wrote.

    ``model`` is a path or the bytes of a file; for Paddle also a folder. ``threads`` are those of
    the CPU; 0 is ``trident.threads``. ``device`` is a name, or several with commas between them, of
    ``trident.devices()``. ``memory_limit`` is in bytes, and ``time_limit``, for each run, in
    seconds; both are above 0, or ``None``. Models compute in the types that they were written in,
    so ``precision`` can only be ``None``. A load of more than a second shows on a terminal, unless
    ``progress`` is false.

    A call runs the model. It takes the inputs in the model's order or by name, and returns the
    output, or a tuple of several:

    >>> import numpy as np, trident
    >>> model = trident.Model("digits.onnx")
    >>> image = np.zeros((1, 1, 8, 8), np.float32)
    >>> model(image).shape
    (1, 10)
    >>> model.run({"image": image}).keys()
    dict_keys(['probabilities'])
    >>> [f"{value.name}: {value.type}" for value in model.inputs]
    ['image: f32[N, 1, 8, 8]']

    Arrays of NumPy, PyTorch, and any library with DLPack or the buffer protocol are read where they
    are, and must not be written to while a run lasts. An array whose elements are strided, or in
    another byte order, is copied. Results are NumPy arrays over Trident's memory; they outlive the
    model. Threads may share a model.

    What does not fit the model is a ``trident.ModelError`` that says what was expected:

    >>> model(image[0])
    Traceback (most recent call last):
    trident.errors.ModelError: input `image` has rank 3, expected 4 (f32[N, 1, 8, 8])
      hint: the model's inputs are image: f32[N, 1, 8, 8]
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Self:
        """A model that shares everything, and is closed by itself."""
        return type(self)(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """By the path, or by the bytes that the model was loaded from."""
        source, options = self.origin
        return _open, (type(self), source, options)

    def __repr__(self) -> str:
        if self.is_closed:
            return "<trident.Model, closed>"
        inputs = ", ".join(f"{value.name}: {value.type}" for value in self.inputs)
        outputs = ", ".join(f"{value.name}: {value.type}" for value in self.outputs)
        return f"<trident.Model ({inputs}) -> ({outputs})>"

    async def run_async(
        self,
        inputs: Mapping[str, Any],
        outputs: Sequence[str] | None = None,
        out: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Run the model as ``run`` does, on a thread of the event loop's executor.

        A task that is cancelled ends the run, and waits until the run no longer uses the arrays.

        >>> import asyncio
        >>> model = Model("digits.onnx")
        >>> image = np.zeros((1, 1, 8, 8), np.float32)
        >>> asyncio.run(model.run_async({"image": image}))["probabilities"].shape
        (1, 10)
        """
        import asyncio

        stop = _trident.Stop()
        run = functools.partial(self.run, inputs, outputs, out, stop)
        future = asyncio.get_running_loop().run_in_executor(None, run)
        cancelled: asyncio.CancelledError | None = None
        # A task may be cancelled again while it waits. `wait` leaves the future as it is.
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError as error:
                stop.stop()
                cancelled = cancelled or error
        if cancelled is None:
            return future.result()
        if not future.cancelled():
            future.exception()
        raise cancelled

    def inspect(self, shapes: Mapping[str, Sequence[int]] | None = None) -> Inspection:
        """Which kernel runs each step of the model, on which device, and the memory for it.

        Figures that depend on symbols are missing unless ``shapes`` has the inputs' dimensions.

        >>> model = Model("digits.onnx")
        >>> plan = model.inspect({"image": (1, 1, 8, 8)})
        >>> [step.op for step in plan.steps]
        ['fused_conv', 'fused_conv', 'max_pool', 'fused_conv', 'max_pool', 'flatten', \
'fused_matmul', 'softmax']
        """
        return Inspection.of(repr(self), self.plan(dict(shapes or {})))

    def profile(self, *args: Any, **named: Any) -> Profile:
        """Run the model as a call does, and measure each step.

        >>> model = Model("digits.onnx")
        >>> profile = model.profile(np.zeros((1, 1, 8, 8), np.float32))
        >>> profile.results.shape, len(profile.events)
        ((1, 10), 8)
        """
        return Profile.of(*self.profiled(*args, **named))

    def compile(self, path: str | os.PathLike[str]) -> None:
        """Write the model as it is after its optimisations, to load in its place.

        The file is for this version of Trident and for the devices of this model.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "digits.mps"
        >>> Model("digits.onnx").compile(file)
        >>> Model(file).outputs[0].name
        'probabilities'
        """
        super().compile(path)


def _open(model: type[Model], source: str | bytes, options: dict[str, Any]) -> Model:
    """Make a model from what ``__reduce__`` gives."""
    return model(source, **options)


@dataclass(frozen=True)
class DeviceInfo:
    """A device that runs models."""

    #: As ``Model`` takes it.
    name: str
    #: The processor.
    description: str
    #: Threads that a run uses at most.
    threads: int
    #: Instruction sets, or the family of a GPU.
    features: tuple[str, ...]


def devices() -> list[DeviceInfo]:
    """List the devices of this machine that run models.

    >>> "cpu" in [device.name for device in devices()]
    True
    """
    found: list[DeviceInfo] = []
    for facts in _trident.devices():
        facts["features"] = tuple(facts["features"])
        found.append(DeviceInfo(**facts))
    return found
