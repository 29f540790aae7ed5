"""What can go wrong, with the line of Python source that it is about."""

import linecache


def _place(message: str, loc: str | None) -> str:
    """The message with the source line at ``file:line:column`` below it."""
    if not loc:
        return message
    file, line, column = (loc.rsplit(":", 2) + ["", ""])[:3]
    shown = message if loc in message else f"{message}\n  at {loc}"
    if not (line.isdigit() and column.isdigit()):
        return shown
    source = linecache.getline(file, int(line)).rstrip()
    if not source.strip():
        return shown
    indent = len(source) - len(source.lstrip())
    caret = " " * max(int(column) - 1 - indent, 0) + "^"
    return f"{shown}\n    {source.strip()}\n    {caret}"


class CompileError(RuntimeError):
    """A kernel that cannot be compiled.

    ``loc`` is the place in the Python source as ``file:line:column``, where it is known.
    """

    def __init__(self, message: str, loc: str | None = None):
        super().__init__(_place(message, loc))
        self.loc = loc


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
        program: tuple[int, int, int] | None = None,
        loc: str | None = None,
    ):
        super().__init__(_place(message, loc))
        self.program = tuple(program) if program is not None else None
        self.loc = loc


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
