"""The objects of a sequence of calls, and what is checked of each call."""

import gc
import pathlib
import random
import shutil
import signal
import tempfile

import numpy as np

from .arrays import Hostility, copied, equal
from .kinds import KINDS

#: What Python raises for arguments of a wrong type or range.
ARGUMENTS = (TypeError, ValueError, OverflowError)


class Wrong(Exception):
    """A call that did what no documentation says."""


class Interrupted(Exception):
    """Raised by the handler of a signal."""


class World:
    """Models, sessions, arrays and results that calls made and later calls use."""

    def __init__(self, errors):
        #: Classes of exceptions that calls may raise.
        self.errors = (*ARGUMENTS, OSError, *errors)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fuzz-calls"))
        #: What was made, with its kind of model, by what it is.
        self.made = {}
        #: Arrays, with the elements that they should have.
        self.kept = []
        self.files = 0
        self.is_armed = False
        signal.signal(signal.SIGALRM, self.interrupt)

    def interrupt(self, *_):
        if self.is_armed:
            self.is_armed = False
            raise Interrupted

    def add(self, name, kind, thing):
        self.made.setdefault(name, []).append((kind, thing))
        return thing

    def pick(self, rng, name, make):
        """A kind of model and one of the things of this name; one is made if there is none."""
        if not self.made.get(name):
            make(self, rng)
        return rng.choice(self.made[name])

    def drop(self, rng, name):
        """Forget one of the things of this name."""
        things = self.made.get(name)
        if things:
            things.pop(rng.randrange(len(things)))
            gc.collect()

    def path(self, data, suffix=".onnx"):
        """A new file."""
        self.files += 1
        path = self.folder / f"{self.files}{suffix}"
        path.write_bytes(data)
        return path

    def keep(self, value):
        """Take note of the elements of an array, or of a list of arrays."""
        if isinstance(value, np.ndarray | list):
            self.kept.append((value, copied(value)))

    def right(self, call, expected=None):
        """The outcome of a call that must succeed, with these results if they are given."""
        try:
            result = call()
        except Exception as error:
            raise Wrong(f"a right call raised {described(error)}") from error
        if expected is not None:
            self.check(result, expected)
        return result

    def refused(self, call):
        """A call that must raise."""
        try:
            result = call()
        except Exception as error:
            return self.documented(error)
        raise Wrong(f"a wrong call returned {result!r}")

    def either(self, call, expected=None):
        """A call that may raise; if not, its results are checked. Returns them, or ``None``."""
        try:
            result = call()
        except Exception as error:
            self.documented(error)
            return None
        if expected is not None:
            self.check(result, expected)
        return result

    def interrupted(self, call, seconds):
        """A call that a signal's handler may end."""
        try:
            try:
                self.is_armed = True
                signal.setitimer(signal.ITIMER_REAL, seconds)
                return call()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                self.is_armed = False
        except Interrupted:
            return None

    def documented(self, error):
        if not isinstance(error, (*self.errors, Hostility)) or not str(error).strip():
            if not isinstance(error, Hostility):
                raise Wrong(f"the call raised {described(error)}") from error

    def check(self, results, expected):
        """Raise unless results by name are NumPy's, and keep them."""
        for name, value in expected.items():
            if not equal(results[name], value):
                raise Wrong(f"{name} is {results[name]!r}, NumPy's is {value!r}")
            self.keep(results[name])

    def check_kept(self):
        """Raise if an array has changed that no call may have changed."""
        for value, before in self.kept:
            if not equal(value, before):
                raise Wrong(f"an array became {value!r}, it was {before!r}")

    def end(self):
        """Drop everything but the arrays, which must be as they were."""
        try:
            self.made.clear()
            gc.collect()
            self.check_kept()
        finally:
            self.kept.clear()
            shutil.rmtree(self.folder, ignore_errors=True)


def described(error):
    return f"{type(error).__module__}.{type(error).__qualname__}: {error}"


def numbers(rng: random.Random):
    """A generator of arrays that depends on ``rng``."""
    return np.random.default_rng(rng.getrandbits(32))


def some_kind(rng):
    return rng.choice(KINDS)


def feed(rng, kind, size=None):
    """Arrays that fit, by input: optional ones only sometimes."""
    made = kind.make(numbers(rng), rng.choice([0, 1, 2, 5, 9]) if size is None else size)
    return {n: v for n, v in made.items() if n not in kind.optional or rng.random() < 0.5}
