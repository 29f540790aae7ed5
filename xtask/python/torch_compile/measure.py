"""Measures the functions with one number of threads; a JSON line for each.

Trident, Inductor's C++ back end and eager take turns.
"""

import argparse
import json
import re
import sys
import tempfile

import torch

import trident
from kernel_bench.turns import interleaved

from . import compiling
from .case import flat, problems
from .functions import CASES


def step(case, function):
    """A call of the function, and of its backward pass where the case has one."""
    inputs = case.inputs()
    if not case.backward:

        def forward():
            with torch.no_grad():
                return function(*inputs)

        return forward
    wanted = [x.requires_grad_() for x in inputs if torch.is_tensor(x) and x.is_floating_point()]
    outputs = [y for y in flat(function(*inputs)) if y.requires_grad]
    weights = [torch.ones_like(y) / y.numel() for y in outputs]

    def both():
        results = [y for y in flat(function(*inputs)) if y.requires_grad]
        return torch.autograd.grad(results, wanted, weights)

    return both


def measure(case, options):
    """One row."""
    direction = "forward, backward" if case.backward else "forward"
    row = {"function": case.name, "type": case.dtype, "direction": direction}
    row["threads"] = options.threads
    ours, theirs = compiling.compiled(case, "triton", "cpp")
    wrong = problems(case, ours, case.inputs())
    if wrong:
        return row | {"error": f"wrong result: {'; '.join(wrong)}"}
    calls = [step(case, function) for function in (ours, theirs, case.function)]
    times = interleaved(calls, options.rounds)
    return row | dict(zip(("ours", "cpp", "eager"), times))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--filter", required=True)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    trident.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        compiling.prepare(folder)
        for case in CASES:
            if not re.search(options.filter, case.name):
                continue
            torch.manual_seed(0)
            try:
                row = measure(case, options)
            except Exception as error:  # one function that fails must not hide the others
                words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                row = {"function": case.name, "threads": options.threads, "error": words}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    sys.exit(main())
