"""Stand-in for `onnxbase.py` of Paddle2ONNX's tests: exports a layer, and compares the subject's
result with the layer's eager one.

A test says what to compare by `APIOnnx`; `randtool` makes its numbers. Tolerances are the test's
own. Element types and shapes must be equal. Where f32 differs, the layer in f64 decides.
"""

import contextlib
import inspect
import os
import pathlib
import tempfile

import numpy as np
import paddle

from . import arrays, double
from .engine import CRASH, FAILED, PASS, REFUSED, TIMEOUT, WRONG, Engine

TOLERANCE = 1e-5
__all__ = ["APIOnnx", "compare", "randtool"]


class Unfit(Exception):
    """A test that does not pass; `status` says how."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class NotExported(Exception):
    """A layer that Paddle does not run or export."""


class _Subject:
    """The engine under test, in one child process for all tests, and how often it ran."""

    engine, runs = None, 0

    @classmethod
    def run(cls, model, inputs):
        if cls.engine is None:
            cls.engine = Engine(os.environ["TRIDENT_SUBJECT"], timeout=120)
        cls.runs += 1
        status, found = cls.engine.run(model, [inputs])
        if status in (REFUSED, FAILED, CRASH, TIMEOUT):
            raise Unfit(status, found)
        return found[0]


class _Judge:
    """Paddle in f64, which decides where results in f32 differ."""

    engine = None

    @classmethod
    def objection(cls, model, inputs, got, want):
        """Why results are wrong; None if they are no further from f64 than Paddle's own are."""
        if arrays.compared(got, want)[1] or not any(w.dtype == np.float32 for w in want):
            return "types and integers must be equal"
        if cls.engine is None:
            cls.engine = Engine("exact", timeout=120)
        wide = {k: v.astype("f8") if v.dtype == np.float32 else v for k, v in inputs.items()}
        status, exact = cls.engine.run(double.copy_of(model, model.parent / "f64"), [wide])
        if status != PASS:
            return f"no f64 result decides: {exact}"
        exact = [e.astype(w.dtype) if e.dtype == np.float64 else e for e, w in zip(exact[0], want)]
        ours, unfit = arrays.compared(got, exact)
        theirs, _ = arrays.compared(want, exact)
        if unfit:
            return f"from the f64 result: {unfit}"
        if all(our <= max(TOLERANCE, their) for our, their in zip(ours, theirs)):
            return None
        return f"from the f64 result {max(ours):.1e}, Paddle {max(theirs):.1e}"


def runs():
    """How many models the subject has run so far."""
    return _Subject.runs


def randtool(dtype, low, high, shape):
    """Random numbers of a kind, `int`, `float` or `bool`, from `low` to `high`."""
    if dtype == "float":
        return np.random.uniform(low, high, shape)
    whole = np.random.randint(low, high, shape)
    return whole.astype(bool) if dtype == "bool" else whole


def _flat(values):
    """Tensors in nested lists, in order."""
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in _flat(value)]
    return [] if values is None else [values]


def compare(result, expect, delta=1e-10, rtol=1e-10):
    """Raise unless arrays agree with tensors; a list stands for several of them."""
    got = [np.asarray(array) for array in _flat(result)]
    want = [np.asarray(tensor) for tensor in _flat(expect)]
    if len(got) != len(want):
        raise Unfit(WRONG, f"{len(got)} outputs, expected {len(want)}")
    for number, (ours, theirs) in enumerate(zip(got, want)):
        for name in ("dtype", "shape"):
            found, wanted = getattr(ours, name), getattr(theirs, name)
            if found != wanted:
                raise Unfit(WRONG, f"the {name} of output {number} is {found}, expected {wanted}")
        if not np.allclose(ours, theirs, rtol=rtol, atol=delta, equal_nan=True):
            apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
            raise Unfit(WRONG, f"output {number} is up to {np.nanmax(apart):.3g} apart")


class _Called(paddle.nn.Layer):
    """A function, or a class of layers, as a layer."""

    def __init__(self, called, options):
        super().__init__()
        self.called = called(**options) if isinstance(called, type) else called
        self.options = {} if isinstance(called, type) else options

    def forward(self, *inputs):
        return self.called(*inputs, **self.options)


class APIOnnx:
    """A layer, the inputs to run it on, and how close results have to be."""

    def __init__(
        self,
        func,
        file_name,
        ver_list,
        ops=(),
        input_spec_shape=(),
        delta=1e-5,
        rtol=1e-5,
        use_gpu=True,
        **sup_params,
    ):
        np.random.seed(33)
        paddle.seed(33)
        if inspect.isfunction(func) or isinstance(func, type):
            func = _Called(func, sup_params)
        self._func, self.name, self._version = func, file_name, ver_list
        self.input_spec_shape, self.delta, self.rtol = input_spec_shape, delta, rtol
        self.inputs, self.res_fict = (), {}

    def set_input_data(self, group_name, *args):
        self.inputs = args[0] if isinstance(args[0], tuple) else args

    def set_device_mode(self, is_gpu=True):
        """Devices other than the CPU are not compared."""

    def _specs(self):
        """The inputs' dimensions: the test's, or those of its arrays."""
        dims = list(self.input_spec_shape) or [tensor.shape for tensor in _flat(self.inputs)]
        dtypes = [tensor.dtype for tensor in _flat(self.inputs)]
        named = [
            paddle.static.InputSpec(list(shape), dtype, str(number))
            for number, (shape, dtype) in enumerate(zip(dims, dtypes))
        ]
        specs = iter(named)
        return [
            [next(specs) for _ in value] if isinstance(value, list) else next(specs)
            for value in self.inputs
        ]

    def run(self):
        """Export, run on the subject, and compare."""
        with tempfile.TemporaryDirectory(prefix="paddle2onnx") as folder:
            feeds = {str(i): tensor.numpy() for i, tensor in enumerate(_flat(self.inputs))}
            try:
                with contextlib.redirect_stdout(None):
                    expect = self._func(*self.inputs)
                    paddle.jit.save(self._func, f"{folder}/model", self._specs())
            except Exception as error:
                raise NotExported(f"{type(error).__name__}: {error}") from error
            program = f"{folder}/model.json"
            if not os.path.exists(program):
                program = f"{folder}/model.pdmodel"
            result = _Subject.run(program, feeds)
            self.res_fict = {str(version): result for version in self._version}
            try:
                compare(result, expect, self.delta, self.rtol)
            except Unfit as unfit:
                want = [np.asarray(tensor) for tensor in _flat(expect)]
                why = _Judge.objection(pathlib.Path(program), feeds, result, want)
                if why is not None:
                    raise Unfit(unfit.status, f"{unfit}; {why}") from unfit
        return PASS
