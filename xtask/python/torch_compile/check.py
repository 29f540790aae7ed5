"""Compile functions by Inductor's Triton back end, and compare with eager in double precision."""

import argparse
import re
import sys
import tempfile
import time

import torch
import triton
from torch._inductor.utils import run_and_get_code

from . import compiling
from .case import problems
from .functions import CASES


def check(case, backend):
    """The faults, as lines."""
    torch.manual_seed(0)
    (function,) = compiling.compiled(case, backend)
    found, code = run_and_get_code(problems, case, function, case.inputs())
    if ("@triton.jit" in "".join(code)) != (backend == "triton"):
        found.append("Inductor has not used the back end that was asked for")
    with torch.compiler.set_stance("fail_on_recompile"):
        for inputs in case.dynamic:
            shape = tuple(inputs[0].shape)
            found += [f"{shape}: {line}" for line in problems(case, function, inputs)]
    return found


def run(options):
    chosen = [case for case in CASES if re.search(options.filter, case.name)]
    failed = 0
    for case in chosen:
        start = time.monotonic()
        try:
            found = check(case, options.backend)
        except Exception as error:  # one function that fails must not hide the others
            found = [" ".join(f"{type(error).__name__}: {error}".split())[:2000]]
        failed += bool(found)
        verdict = "; ".join(found) or "ok"
        print(f"{case.name}: {verdict} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"torch {torch.__version__}, triton {triton.__version__}, {options.backend}")
    print(f"{len(chosen) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not chosen else 0


def main():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance torch", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--filter", default="", help="only functions whose name has this regex")
    parser.add_argument(
        "--backend",
        default="triton",
        choices=("triton", "cpp"),
        help="Inductor's back end; cpp, its own, checks the functions themselves",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conformance") as folder:
        compiling.prepare(folder, workers=True)
        return run(options)


if __name__ == "__main__":
    sys.exit(main())
