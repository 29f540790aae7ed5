"""Errors of compiling and launching kernels, with the line of Python source concerned."""

import linecache
from collections.abc import Sequence
from typing import Literal

Frame = tuple[str, int, int]
"""File, line and column of a place in the Python source."""


def _loc(frames: Sequence[Frame]) -> str | None:
    """The innermost place as ``file:line:column``."""
    return "{}:{}:{}".format(*frames[0]) if frames else None


def _shown(message: str, frames: Sequence[Frame]) -> str:
    """The message, and below it the lines of source: the place and the calls that lead to it."""
    lines = [message]
    for call, (file, line, column) in enumerate(frames):
        loc = f"{file}:{line}:{column}"
        if call or loc not in message:
            lines.append(f"  {'called from' if call else 'at'} {loc}")
        source = linecache.getline(file, line).rstrip()
        if source.strip():
            indent = len(source) - len(source.lstrip())
            lines += [f"    {source.strip()}", "    " + " " * max(column - 1 - indent, 0) + "^"]
    return "\n".join(lines)


class CompileError(RuntimeError):
    """A kernel that cannot be compiled.

    ``loc`` is the place in the Python source as ``file:line:column``, where it is known.

    >>> import trident
    >>> trident.compile("tt.func public @empty() {")
    Traceback (most recent call last):
    trident.errors.CompileError: 1:26: expected an operation, found the end of the text
    """

    def __init__(self, message: str, frames: Sequence[Frame] = ()):
        super().__init__(_shown(message, frames))
        self.loc: str | None = _loc(frames)


class ResourceError(CompileError):
    """A kernel of which a program needs more of something than the device has.

    ``name`` says what, ``required`` how much the program needs, and ``limit`` how much there is.
    """

    def __init__(self, message: str, name: str, required: int, limit: int):
        super().__init__(message)
        self.name = name
        self.required = required
        self.limit = limit


class LaunchError(RuntimeError):
    """A launch that failed.

    ``program`` is the id of the program along x, y and z, ``loc`` the place in the Python source;
    both where known.
    """

    def __init__(
        self,
        message: str,
        program: Sequence[int] | None = None,
        frames: Sequence[Frame] = (),
    ):
        super().__init__(_shown(message, frames))
        self.program: tuple[int, ...] | None = None if program is None else tuple(program)
        self.loc: str | None = _loc(frames)


class DeviceAssertionError(LaunchError, AssertionError):
    """A ``tl.device_assert`` that did not hold."""


class AccessError(LaunchError):
    """A wrong access that a checked launch found."""


class AssumptionError(LaunchError, AssertionError):
    """A ``tl.assume`` that did not hold in a checked launch."""


class StepError(LaunchError, ValueError):
    """A loop whose step is zero or negative."""


class GatherError(LaunchError, IndexError):
    """An index of ``tl.gather`` outside of its axis, in a checked launch."""


class DeadlockError(LaunchError):
    """A program that waits for a value which no other program is left to write."""


class NestingError(LaunchError, RecursionError):
    """Calls and regions that are nested too deeply for the interpreter."""


class UnsupportedError(LaunchError, NotImplementedError):
    """An op, or a function for some types, that the interpreter lacks."""


class OutOfMemoryError(LaunchError, MemoryError):
    """Memory for a kernel's temporaries is lacking."""


ModelErrorKind = Literal[
    "argument",
    "device",
    "empty",
    "format",
    "graph",
    "memory",
    "node",
    "path",
    "run",
    "stopped",
    "undefined",
    "unsupported",
    "version",
]
"""The kinds of ``ModelError``.

A model cannot be loaded: ``empty`` has no graph, ``format`` is not a model, ``version`` is not read
by this build; the ``path`` of a data file leads out of its folder; in it a tensor is ``undefined``,
a ``node`` or the whole ``graph`` is not valid, or an operator is ``unsupported``. A ``device``
cannot be used, or ``memory`` is lacking. An ``argument`` does not fit, a run was ``stopped`` by its
time limit or a cancellation, or the ``run`` failed.
"""


class ModelError(RuntimeError):
    """A model that cannot be loaded or run, or whose arguments do not fit it.

    ``node`` is the node of the model, ``operand`` the name of the input, output or operand,
    ``reason`` what is wrong without the place, ``hint`` what to do; each but ``reason`` may be
    ``None``. ``kind`` tells what failed, see ``ModelErrorKind``.

    >>> import trident
    >>> try:
    ...     trident.Model(b"not a model")
    ... except trident.ModelError as error:
    ...     print(error.kind)
    format
    """

    def __init__(
        self,
        message: str,
        node: str | None = None,
        operand: str | None = None,
        reason: str | None = None,
        hint: str | None = None,
        kind: ModelErrorKind = "run",
    ):
        super().__init__(f"{message}\n  hint: {hint}" if hint else message)
        self.kind: ModelErrorKind = kind
        self.node = node
        self.operand = operand
        self.reason: str = reason or message
        self.hint = hint
