"""Runs the cases of `kernels` on the device, and prints one JSON object per line.

`python -m paddle_suite.kernels_child SKIP [FILTER]`
"""

import ctypes
import glob
import json
import os
import sys

import numpy as np
import paddle

from . import kernel_cases

DTYPES = {
    "bool": "bool",
    "u8": "uint8",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
FLOATS = ("f16", "bf16", "f32", "f64")
# Relative to the largest magnitude of a result.
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-6, "f64": 1e-12}


class Counters:
    def __init__(self):
        (path,) = glob.glob(os.environ["CUSTOM_DEVICE_ROOT"] + "/*.so")
        self.library = ctypes.CDLL(path)
        self.library.trident_paddle_calls.argtypes = [ctypes.c_char_p, ctypes.c_int]
        self.library.trident_paddle_calls.restype = ctypes.c_int64

    def calls(self, kernel, entry):
        return self.library.trident_paddle_calls(kernel.encode(), entry)


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


def difference(actual, expected, dtype):
    """In words, or None where they agree."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    if actual.dtype.kind != "f":
        same = actual.astype(expected.dtype) == expected
        return None if same.all() else f"{int((~same).sum())} of {same.size} elements differ"
    if not actual.size:
        return None
    actual, expected = actual.astype("f8"), expected.astype("f8")
    limit = {"f16": 65504.0, "bf16": 3.38e38, "f32": 3.4e38, "f64": np.inf}[dtype]
    expected = np.where(np.abs(expected) > limit, np.sign(expected) * np.inf, expected)
    finite = np.isfinite(expected)
    same_special = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if not same_special[~finite].all():
        return "other infinities or NaN"
    scale = max(float(np.abs(expected[finite]).max(initial=0.0)), 1e-6)
    apart = np.abs(actual[finite] - expected[finite]).max(initial=0.0) / scale
    return None if apart <= TOLERANCE[dtype] else f"{apart:.2e} apart, relative to {scale:.3g}"


def widened(value):
    return value.astype("float64") if paddle.is_floating_point(value) else value


def judge(case, counters):
    kernel, dtype = case.kernel, case.dtype
    given = tensors(case.inputs(), dtype)
    paddle.set_device("cpu")
    try:
        expected = [array(r) for r in results(case.call(*mapped(given, widened)))]
    except Exception as error:  # Paddle's CPU is the reference: what it refuses is not judged
        return "skip", f"Paddle's CPU: {last_line(error)}"
    paddle.set_device("mps")
    place = paddle.CustomPlace("mps", 0)
    given = mapped(given, lambda value: paddle.to_tensor(value, place=place))
    before = counters.calls(kernel, 0)
    try:
        actual = results(case.call(*given))
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {last_line(error)}"
    rose = counters.calls(kernel, 0) - before
    if rose < 1:
        return "wrong", f"the kernel was not called: {kernel}"
    if len(actual) != len(expected):
        return "wrong", f"{len(actual)} results, expected {len(expected)}"
    for one, other in zip(actual, expected):
        if str(one.place) != "Place(mps:0)":
            return "wrong", f"a result is on {one.place}"
        reason = difference(array(one), other, dtype if dtype in FLOATS else "f32")
        if reason:
            return "wrong", reason
    return "pass", ""


def last_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    found = [line for line in lines if "Error" in line or "on device mps" in line or "(at " in line]
    return (found or lines or [""])[-1][:300]


def main():
    skip, wanted = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    counters = Counters()
    cases = (case for case in kernel_cases.cases() if wanted in case.name)
    for i, case in enumerate(cases):
        if i < skip:
            continue
        print(json.dumps({"begin": case.name}), flush=True)
        with paddle.no_grad():
            status, message = judge(case, counters)
        print(json.dumps({"status": status, "message": message}), flush=True)
    print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main()
