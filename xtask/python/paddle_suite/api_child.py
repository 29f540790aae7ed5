"""Runs calls of `api` on the device and on Paddle's CPU, and writes one JSON object per line.

`python -m paddle_suite.api_child LINES CALLS EVERY PATTERN`: appends to the file LINES, and leaves
out the calls that have a status there.
"""

import json
import pathlib
import re
import sys
import warnings

import numpy as np
import paddle

from .api_calls import Call, Unreadable
from .engine import EXCLUDED, PASS, REFUSED, WRONG
from .kernel_results import TOLERANCE
from .kernels_child import Counters, last_line

#: Kernels whose results have values of their own: only types and shapes are compared.
FREE = (
    "bernoulli", "dropout", "empty", "empty_like", "exponential", "gaussian", "gaussian_inplace",
    "multinomial", "randint", "randperm", "truncated_gaussian_random", "uniform", "uniform_inplace",
)  # fmt: skip
#: Of the largest magnitude of a result; `kernels` compares small operands more closely.
WITHIN = {
    "paddle.float16": TOLERANCE["f16"],
    "paddle.bfloat16": TOLERANCE["bf16"],
    "paddle.float32": 1e-5,
    "paddle.float64": 1e-11,
}
MISSING = (
    re.compile(r"key \(mps, [^)]*\), (?P<dtype>\w+)\) of kernel `(?P<kernel>\w+)` is not"),
    re.compile(
        r"(?P<kernel>\w+)\(\w+: \[?(?P<dtype>\w+).* mps: this element type is not supported"
    ),
)
CPU, WIDE = paddle.CPUPlace(), {"float32", "float16", "bfloat16"}


def flat(value):
    """Tensors and other values of a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [item for one in value for item in flat(one)]
    return [value]


def array(tensor):
    tensor = tensor.cpu()
    if str(tensor.dtype) in ("paddle.bfloat16", "paddle.float16"):
        tensor = tensor.astype("float32")
    return tensor.numpy()


def widened(tensor):
    name = str(tensor.dtype).removeprefix("paddle.")
    return tensor.astype("float64") if name in WIDE else tensor


def on_device(tensor):
    return paddle.to_tensor(tensor, place=paddle.CustomPlace("mps", 0))


def results(call, change):
    """Results, or the operands of a call that changes them; as arrays with their types."""
    with paddle.no_grad():
        value, given = call.run(change)
        found = flat(value if value is not None else given)
        tensors = [isinstance(one, paddle.Tensor) for one in found]
        return [
            (str(one.dtype), array(one)) if is_tensor else (None, one)
            for one, is_tensor in zip(found, tensors)
        ]


def apart(actual, exact):
    """The largest difference, relative to the largest magnitude; infinite if NaN differ."""
    same = (actual == exact) | (np.isnan(actual) & np.isnan(exact))
    finite = np.isfinite(exact) & np.isfinite(actual)
    if not (same | finite).all():
        return np.inf
    scale = max(float(np.abs(exact[finite]).max(initial=0.0)), 1e-6)
    return float(np.abs(actual[finite] - exact[finite]).max(initial=0.0)) / scale


def difference(actual, own, exact):
    """In words, between a result, that of the CPU in the same type, and that in f64."""
    (dtype, got), (wanted, value) = actual, own
    if dtype != wanted:
        return f"a result is {dtype}, expected {wanted}"
    if dtype is None:
        return None if got == value or got != got and value != value else f"{got}, not {value}"
    if got.shape != value.shape:
        return f"shape {got.shape}, expected {value.shape}"
    same = got == value
    if got.dtype.kind in "fc":
        same |= np.isnan(got) & np.isnan(value)
    if same.all():
        return None
    if got.dtype.kind not in "fc":
        return f"{int((~same).sum())} of {same.size} elements differ"
    wide = "c16" if got.dtype.kind == "c" else "f8"
    got, value = got.astype(wide), value.astype(wide)
    fits = exact is not None and exact[0] is not None and exact[1].shape == value.shape
    exact = exact[1].astype(wide) if fits else value
    ours, theirs = apart(got, exact), apart(value, exact)
    if ours <= max(WITHIN.get(dtype, 1e-5), 2 * theirs if np.isfinite(theirs) else 0):
        return None
    return f"{ours:.1e} apart from f64, Paddle's CPU {theirs:.1e}"


class Judge:
    def __init__(self, counters, say):
        self.counters, self.say = counters, say
        self.names = sorted({name for name, _ in counters.registered()})

    def calls(self):
        return {name: self.counters.calls(name, 0) for name in self.names}

    def call(self, line):
        """(status, message) of a call."""
        try:
            call = Call(line)
        except Unreadable as error:
            return EXCLUDED, f"not read: {error}"
        paddle.set_device("cpu")
        try:
            paddle.seed(1)
            own = results(call, lambda tensor: tensor)
        except Exception as error:
            return EXCLUDED, f"Paddle's CPU: {last_line(error)}"
        try:
            paddle.seed(1)
            exact = results(call, widened)
        except Exception:
            exact = [None] * len(own)
        before = self.calls()
        paddle.set_device("mps")
        self.say(running=True)
        try:
            paddle.seed(1)
            actual = results(call, on_device)
        except Exception as error:
            for missing in filter(None, (one.search(str(error)) for one in MISSING)):
                return EXCLUDED, f"no kernel {missing['kernel']} for {missing['dtype']}"
            return REFUSED, f"{type(error).__name__}: {last_line(error)}"
        finally:
            self.say(running=False)
        rose = {name for name, count in self.calls().items() if count > before[name]}
        if not rose:
            return EXCLUDED, "no kernel is called"
        if len(actual) != len(own):
            return WRONG, f"{len(actual)} results, expected {len(own)}"
        if len(exact) != len(own):
            exact = [None] * len(own)
        for got, value, wide in zip(actual, own, exact):
            if rose & set(FREE) and got[0] is not None:
                got, value = ((t, np.zeros(a.shape)) for t, a in (got, value))
            reason = difference(got, value, wide)
            if reason:
                return WRONG, f"{reason}: {', '.join(sorted(rose))}"
        return PASS, ""


def main():
    lines, calls, every, pattern = sys.argv[1:]
    written = map(json.loads, pathlib.Path(lines).read_text().splitlines())
    done = {line["case"] for line in written if "status" in line}
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with open(lines, "a") as file:

        def say(**line):
            print(json.dumps(line), file=file, flush=True)

        judge = Judge(Counters(), say)
        for number, line in enumerate(pathlib.Path(calls).read_text().splitlines()):
            name = f"{line.partition('(')[0]}[{number + 1}]"
            if number % int(every) or name in done or pattern not in line:
                continue
            say(case=name)
            status, message = judge.call(line)
            message = f"{message} in {line[:160]}" if status in (WRONG, REFUSED) else message
            say(case=name, status=status, message=" ".join(message.split()))
        say(end=True)


if __name__ == "__main__":
    main()
