"""Runs the cases of `kernels` on the device, and prints one JSON object per line.

`python -m paddle_suite.kernels_child DONE SINGLE [FILTER]`: leaves out the cases that a file names,
and puts each of the first ones into a static graph of its own.
"""

import collections
import ctypes
import glob
import itertools
import json
import os
import pathlib
import re
import sys

import numpy as np
import paddle

from . import kernel_cases, kernel_cases_made, kernel_cases_more
from .kernel_results import DTYPES, FLOATS, difference, expected_type

# What Paddle's Python says of element types that it does not have in static graphs.
REFUSED_TYPE = "^The data type of|The dtype of .* must be one of"
# Cases of a static graph.
BATCH = 40


class Counters:
    def __init__(self):
        (path,) = glob.glob(os.environ["CUSTOM_DEVICE_ROOT"] + "/*.so")
        self.library = ctypes.CDLL(path)
        self.library.trident_paddle_calls.argtypes = [ctypes.c_char_p, ctypes.c_int]
        self.library.trident_paddle_calls.restype = ctypes.c_int64

    def calls(self, kernel, entry):
        return self.library.trident_paddle_calls(kernel.encode(), entry)

    def registered(self):
        """Pairs of a kernel and an element type that it is registered for."""
        self.library.trident_paddle_elements.restype = ctypes.c_char_p
        lines = self.library.trident_paddle_elements().decode().splitlines()
        return {(name, dtype) for name, *dtypes in map(str.split, lines) for dtype in dtypes}


def tensors(inputs, dtype):
    """Tensors on the CPU: in the case's element type, or in the one that is given with an array."""

    def one(given):
        if isinstance(given, list):
            return [one(item) for item in given]
        values, own = given if isinstance(given, tuple) else (given, dtype)
        return paddle.to_tensor(values, place=paddle.CPUPlace()).astype(DTYPES[own])

    return [one(given) for given in inputs]


def mapped(given, change):
    return [mapped(item, change) if isinstance(item, list) else change(item) for item in given]


def results(value):
    if isinstance(value, (list, tuple)):
        return [item for one in value for item in results(one)]
    return [value]


def array(value):
    value = value.cpu()
    if str(value.dtype) in ("paddle.bfloat16", "paddle.float16"):
        value = value.astype("float32")
    return value.numpy()


def widened(value):
    return value.astype("float64") if paddle.is_floating_point(value) else value


def name_of(dtype):
    return str(dtype).removeprefix("paddle.")


def types_on_cpu(case, given):
    """The element types of the results of Paddle's CPU, or None where it has no such kernel."""
    try:
        return [name_of(r.dtype) for r in results(case.call(*mapped(given, lambda v: v.clone())))]
    except Exception:
        return None


def reference(case, given):
    """The results of Paddle's CPU for floats in f64, and their element types in the case's own.

    Where it has no kernel for integers or truth values, it computes in f64 or i64: the cases have
    small whole numbers.
    """
    own = DTYPES[case.dtype]
    try:
        expected = [array(r) for r in results(case.call(*mapped(given, widened)))]
        types = types_on_cpu(case, given) or [expected_type(e.dtype, case.dtype) for e in expected]
        return expected, types
    except Exception:
        if case.dtype in FLOATS:
            raise
    failure = None
    for wide in ("float64", "int64"):
        change = lambda v, wide=wide: v.astype(wide) if name_of(v.dtype) == own else v  # noqa: E731
        try:
            made = [array(r) for r in results(case.call(*mapped(given, change)))]
        except Exception as error:
            failure = error
            continue
        types = [own if str(r.dtype) == wide else str(r.dtype) for r in made]
        return [r.astype(t) for r, t in zip(made, types, strict=True)], types
    raise failure


def judge(case, counters):
    """Outcome and message of the eager call, and what a static graph needs to repeat it."""
    kernel, dtype = case.kernel, case.dtype
    paddle.set_flags({"FLAGS_use_stride_kernel": case.views})
    given = tensors(case.inputs(), dtype)
    paddle.set_device("cpu")
    try:
        expected, types = reference(case, given)
    except Exception as error:  # Paddle's CPU is the reference: what it refuses is not judged
        return "skip", f"Paddle's CPU: {last_line(error)}", None
    paddle.set_device("mps")
    place = paddle.CustomPlace("mps", 0)
    given = mapped(given, lambda value: paddle.to_tensor(value, place=place))
    before = counters.calls(kernel, 0)
    try:
        actual = results(case.call(*given))
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {last_line(error)}", None
    rose = counters.calls(kernel, 0) - before
    if rose < 1:
        return "wrong", f"the kernel was not called: {kernel}", None
    if len(actual) != len(expected):
        return "wrong", f"{len(actual)} results, expected {len(expected)}", None
    for one, other, wanted in zip(actual, expected, types, strict=True):
        if str(one.place) != "Place(mps:0)":
            return "wrong", f"a result is on {one.place}", None
        if name_of(one.dtype) != wanted:
            return "wrong", f"a result is {name_of(one.dtype)}, expected {wanted}", None
        of = dtype if dtype in FLOATS else "f32"
        reason = difference(array(one), other, "f32" if case.narrow and of == "f64" else of)
        if reason:
            return "wrong", reason, None
    return "pass", "", (case, given, actual)


class Static:
    """Runs calls of cases as one static graph, which calls kernels by their other entry."""

    def __init__(self, counters):
        self.executor = paddle.static.Executor(paddle.CustomPlace("mps", 0))
        self.counters = counters

    def run(self, held):
        """The results of each case. Building a graph takes longer than to run it."""
        names = (f"x{i}" for i in itertools.count())
        flat = [tensor for _, given, _ in held for tensor in results(given)]
        feed = {f"x{i}": tensor.value().get_tensor() for i, tensor in enumerate(flat)}
        before = {case.kernel: self.counters.calls(case.kernel, 1) for case, *_ in held}
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                fetched = []
                for case, given, _ in held:
                    declared = mapped(
                        given,
                        lambda tensor: paddle.static.data(next(names), tensor.shape, tensor.dtype),
                    )
                    fetched.append(results(case.call(*declared)))
                made = self.executor.run(
                    program, feed=feed, fetch_list=sum(fetched, []), return_numpy=False
                )
        finally:
            paddle.disable_static()
        wanted = collections.Counter(case.kernel for case, *_ in held)
        for kernel, count in wanted.items():
            if self.counters.calls(kernel, 1) - before[kernel] < count:
                raise ValueError(f"the kernel was not called: {kernel}")
        made = iter([np.asarray(one) for one in made])
        return [list(itertools.islice(made, len(own))) for own in fetched]

    def judge(self, held):
        """Yields each case with its outcome."""
        try:
            made = self.run(held)
        except Exception as error:
            if len(held) > 1:
                for one in held:
                    yield from self.judge([one])
            elif isinstance(error, TypeError) and re.search(REFUSED_TYPE, str(error)):
                # Paddle's Python checks types for static graphs only, and does not know this one.
                yield held[0][0], "pass", "not in static graphs"
            else:
                reason = f"static graph: {type(error).__name__}: {last_line(error)}"
                yield held[0][0], "wrong", reason
            return
        for (case, _, actual), others in zip(held, made):
            same = len(actual) == len(others) and all(map(same_bits, actual, others))
            yield case, *(("pass", "") if same else ("wrong", "static graph: other bits"))


def same_bits(eager, static):
    """Halves are fetched as integers of their bits."""
    eager = eager.cpu().numpy()
    return eager.shape == static.shape and eager.tobytes() == static.tobytes()


def last_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    found = [line for line in lines if "Error" in line or "on device mps" in line or "(at " in line]
    return (found or lines or [""])[-1][:300]


def say(**event):
    print(json.dumps(event), flush=True)


def main():
    done, single = set(pathlib.Path(sys.argv[1]).read_text().splitlines()), int(sys.argv[2])
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    counters = Counters()
    static, held = Static(counters), []
    groups = (kernel_cases_made, kernel_cases_more, kernel_cases)
    every = [case for group in groups for case in group.cases()]
    cases = [case for case in every if wanted in case.name and case.name not in done]
    for i, case in enumerate(cases):
        say(begin=case.name)
        with paddle.no_grad():
            status, message, call = judge(case, counters)
        if call and not case.eager_only:
            held.append(call)
        else:
            say(case=case.name, status=status, message=message)
        if len(held) >= (1 if i < single else BATCH) or i == len(cases) - 1:
            say(begin=held[0][0].name if held else case.name)
            for judged, status, message in static.judge(held):
                say(case=judged.name, status=status, message=message)
            held = []
    if not wanted:
        covered = {(case.kernel, case.dtype) for case in every}
        for kernel, dtype in sorted(counters.registered() - covered):
            if dtype in DTYPES:
                name = f"{kernel}/{dtype}/registered"
                say(case=name, status="wrong", message="there is no case of this element type")
    say(end=True)


if __name__ == "__main__":
    main()
