import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, SupportsIndex, final

from typing_extensions import disjoint_base

__all__ = [
    "UNWRITTEN",
    "VERSION",
    "BoundLaunch",
    "Buffer",
    "Claim",
    "Kernel",
    "Launcher",
    "Mark",
    "Model",
    "Stop",
    "ValueInfo",
    "address",
    "cache_clear",
    "claim",
    "command",
    "compile",
    "devices",
    "empty_cache",
    "gpu",
    "hooked",
    "keep",
    "kept",
    "load",
    "machine",
    "memory_statistics",
    "num_threads",
    "reach",
    "reset_memory_peaks",
    "set_num_threads",
    "specialize",
    "switch",
    "threads",
]

VERSION: str

UNWRITTEN: bytes

@final
class Kernel:
    """A compiled kernel.

    >>> import numpy as np, trident
    >>> kernel = trident.compile(COPY)
    >>> kernel
    <trident.Kernel copy(ptr<f32>[], ptr<f32>[])>
    >>> x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    >>> kernel.launch(1, [x, y])
    >>> y
    array([0., 1., 2., 3.], dtype=float32)
    """

    @property
    def name(self) -> str:
        """Name of the entry function."""

    @property
    def params(self) -> list[str]:
        """Types of the parameters, for example ``ptr<f32>[]`` and ``i32[]``."""

    def launch(
        self, grid: SupportsIndex | Sequence[SupportsIndex], args: Sequence[Any] = ()
    ) -> None:
        """Run every program of the grid and return when all are done.

        ``grid`` is a number of programs or up to three of them; with a zero in it nothing runs.
        ``args`` has a number or an array for each parameter.

        Raises ``trident.LaunchError`` with the program and the line of Python that it is about.
        """

    def listing(self, kind: str) -> str:
        """A text of the compilation: ``ttir``, ``tile``, ``clif`` or ``asm``."""

    def save(self, name: str = "") -> bytes:
        """The kernel as bytes that ``trident.load`` takes, sealed for this user. What was saved
        under a name can be asked for by it."""

def compile(
    source: str,
    check: bool | None = None,
    interpret: bool | None = None,
    unchecked: bool = False,
) -> Kernel:
    """Compile Triton IR, the text that ``kernel.asm["ttir"]`` of the triton package shows.

    Launches stop at the first access outside of their arrays' memory, before it takes place, with
    ``trident.AccessError``. Where an integer stands for an array, what its pointers touch is not
    checked. With ``unchecked`` nothing is, and a wrong access corrupts memory. With ``check``, by
    default as ``TRIDENT_CHECK`` says, launches stop at misaligned accesses, reads of memory that
    nothing has written, and races between programs as well, and are slow. With ``interpret``, the
    reference interpreter runs them, one op at a time on a copy of the arguments' memory; the
    default is what ``TRIDENT_INTERPRET`` says.

    Raises ``trident.CompileError``.

    >>> import numpy as np, trident
    >>> kernel = trident.compile(COPY)
    >>> kernel.launch(1, [np.zeros(4, np.float32), np.zeros(3, np.float32)])
    Traceback (most recent call last):
    trident.errors.AccessError: ...
    """

def load(image: bytes, name: str | None = None) -> Kernel:
    """A kernel from what ``Kernel.save`` gave to this user; with a name, only the kernel that was
    saved under it.

    Raises ``ValueError`` for bytes that this user did not save, or that were changed since.

    >>> import trident
    >>> trident.load(trident.compile(COPY).save()).name
    'copy'
    """

def address(array: Any) -> int:
    """The address of an array's first element, whichever library made it."""

def reach(array: Any) -> int:
    """The address of an array's first element for kernels that read it from memory, which on a GPU
    is within reach of launches as long as the array lives."""

def switch(variable: str) -> bool:
    """Whether an environment variable says ``1``, ``true``, ``yes`` or ``on``.

    Raises ``ValueError`` where it says neither that nor ``0``, ``false``, ``no``, ``off`` or
    nothing.
    """

def gpu() -> dict[str, Any] | None:
    """Properties of a GPU: ``family``, ``cores``, ``simd_width``, ``threads`` and
    ``threadgroup_bytes``; ``None`` if kernels run on the CPU.
    """

def memory_statistics() -> dict[str, int | float]:
    """Counters of the process's memory pool, see ``trident.triton_backend.memory.MemoryPool``."""

def empty_cache() -> int:
    """Give unused memory of the pool back to the system; the number of bytes."""

def reset_memory_peaks() -> None:
    """Set the pool's peaks to what is allocated and reserved."""

def machine() -> str:
    """Name and instruction sets of the processor."""

def num_threads() -> int:
    """Number of threads of kernels compiled from here on."""

def set_num_threads(threads: int) -> None:
    """Set the number of threads for kernels compiled and models loaded from here on; 0 is one for
    each core.

    >>> import trident
    >>> trident.set_num_threads(2)
    >>> trident.threads
    2
    >>> trident.threads = 0
    """

def threads() -> int:
    """The number of threads of the CPU for models loaded from here on."""

def cache_clear() -> int:
    """Remove the compiled kernels that are kept for this user's processes; the bytes they took.

    They are compiled again when they are needed. Kernels in use are not affected.
    """

def specialize(
    backend: Any, arg: Any, is_const: bool, specialize: bool, align: bool
) -> tuple[str, str | None]:
    """Type and specialisation of an argument, as Triton's JIT asks for them."""

@final
class Launcher:
    """The function that Triton's JIT calls at every launch."""

    def __new__(cls, signature: Sequence[tuple[str, Any]]) -> Self: ...
    def __call__(self, *args: Any) -> None: ...

@final
class BoundLaunch:
    """The launches of a compiled kernel with one grid: what ``kernel[grid]`` gives.

    ``hooked``, Triton's own function, is called instead while ``settings`` have hooks.
    """

    def __new__(
        cls, launcher: Launcher, kernel: Kernel, grid: Sequence[int], settings: Any, hooked: Any
    ) -> Self: ...
    def __call__(self, *args: Any, stream: Any = None) -> None: ...

def hooked(settings: Any) -> bool:
    """Whether Triton's settings of launches have hooks that call anything."""

@final
class Claim:
    """The right to compile the kernel of a name: others who want it wait until it is released."""

    @property
    def waited(self) -> bool:
        """Whether another thread or process had it until now, and may have kept the kernel."""

    def release(self) -> None:
        """Let others compile the kernel."""

def claim(name: str) -> Claim | None:
    """Wait for the right to compile the kernel of this name; ``None`` if two may compile it."""

def keep(name: str, image: bytes) -> Path | None:
    """Store the result of ``Kernel.save`` in the user's folder; the file's path, or ``None`` if
    there is no such folder or no room in it."""

def kept(name: str) -> tuple[Path, bytes, Kernel] | None:
    """The file, its bytes and the kernel that is kept under this name; ``None`` if there is none
    that can be trusted."""

@final
class Buffer:
    """A buffer of the GPU, for tests and for libraries that have none of their own."""

    def __new__(cls, bytes: int) -> Self: ...
    @property
    def handle(self) -> int:
        """DLPack's data pointer: an object, not an address."""

    @property
    def contents(self) -> int:
        """The address of the first byte for the CPU."""

@final
class Mark:
    """A point between launches on the GPU."""

    @staticmethod
    def now() -> Mark | None:
        """The point after the launches that have returned; ``None`` if kernels run on the CPU."""

    def until(self, end: Mark) -> int | None:
        """Nanoseconds of the GPU from the begin of the first launch after this mark to the end of
        the last one before ``end``."""

def command(words: Sequence[str]) -> int:
    """Run the command line, whose first word is the program's name; the exit status.

    A command may end the process itself, and expects that Ctrl-C does.
    """

@final
class ValueInfo:
    """An input or an output of a model.

    >>> import trident
    >>> image = trident.Model("digits.onnx").inputs[0]
    >>> image.name, image.dtype, image.shape
    ('image', 'float32', ('N', 1, 8, 8))
    """

    @property
    def name(self) -> str:
        """Its name in the model."""

    @property
    def type(self) -> str:
        """Its whole type, as errors show it: ``f32[N, 3, 224, 224]``."""

    @property
    def dtype(self) -> str | None:
        """The element type of a tensor as NumPy or ml_dtypes calls it; ``None`` for other values.
        Strings are ``object``."""

    @property
    def shape(self) -> tuple[int | str | None, ...] | None:
        """The dimensions of a tensor: numbers, names of symbols, and ``None`` where nothing is
        known. ``None`` where not even their number is."""

    @property
    def is_optional(self) -> bool:
        """Whether a run can do without it: an input with a default, or of optional type."""

@final
class Stop:
    """A switch that ends the runs it is given to."""

    def __new__(cls) -> Self: ...
    def stop(self) -> None:
        """End the runs, and those that begin later."""

@disjoint_base
class Model:
    """The half of ``trident.Model`` that is not Python."""

    def __new__(
        cls,
        model: str | os.PathLike[str] | bytes | bytearray | memoryview | Model,
        threads: int = 0,
        device: str | None = None,
        memory_limit: int | None = None,
        time_limit: float | None = None,
        precision: None = None,
        progress: bool | None = None,
    ) -> Self: ...
    def __call__(self, *args: Any, **named: Any) -> Any: ...
    def run(
        self,
        inputs: Mapping[str, Any],
        outputs: Sequence[str] | None = None,
        out: Mapping[str, Any] | None = None,
        stop: Stop | None = None,
    ) -> dict[str, Any]:
        """Run the model on inputs by name.

        The result has every output by name, or those of ``outputs``. Outputs of ``out`` are written
        to arrays of the caller, which are contiguous, have the output's type and dimensions, and
        overlap neither an input nor each other. ``stop`` ends the run early.

        >>> import numpy as np, trident
        >>> model = trident.Model("digits.onnx")
        >>> mine = np.empty((1, 10), np.float32)
        >>> image = np.zeros((1, 1, 8, 8), np.float32)
        >>> results = model.run({"image": image}, out={"probabilities": mine})
        >>> results["probabilities"] is mine
        True
        """

    def profiled(self, *args: Any, **named: Any) -> tuple[Any, dict[str, Any]]:
        """The results of a call, and the measurements that ``trident.Profile`` shows."""

    def run_profiled(
        self,
        inputs: Mapping[str, Any],
        outputs: Sequence[str] | None = None,
        out: Mapping[str, Any] | None = None,
        stop: Stop | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The results of ``run``, and the measurements that ``trident.Profile`` shows."""

    def plan(self, shapes: dict[str, Sequence[int]]) -> dict[str, Any]:
        """The figures that ``trident.Inspection`` shows."""

    def compile(self, path: str | os.PathLike[str]) -> None:
        """Write the model as it is after its optimisations."""

    @property
    def inputs(self) -> tuple[ValueInfo, ...]:
        """Inputs that a run needs, in the model's order, then those with defaults."""

    @property
    def outputs(self) -> tuple[ValueInfo, ...]:
        """Outputs in the model's order. Dimensions that do not follow from those of the inputs are
        as the model's file declares."""

    @property
    def metadata(self) -> dict[str, str]:
        """The free text in the model's file, by key."""

    @property
    def info(self) -> dict[str, Any]:
        """What the model's file says of itself: versions, producer, operator sets."""

    @property
    def copied_bytes(self) -> dict[str, int]:
        """Bytes of arrays that could not be lent (``inputs``), and of results that could not be
        given as they were, such as an output that is an input (``outputs``)."""

    @property
    def origin(self) -> tuple[str | bytes, dict[str, Any]]:
        """The model's absolute path, or its bytes, and the options."""

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""

    def close(self) -> None:
        """Give the memory back, once runs that have begun are over. Results keep theirs."""

def devices() -> list[dict[str, Any]]:
    """Facts about each device of this machine that runs models."""
