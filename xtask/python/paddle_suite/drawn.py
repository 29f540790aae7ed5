"""`--suite drawn`: random calls of Paddle's functions, beside their eager results.

Each case is an op: `--examples` calls of it are drawn, with `--seed`. A call that Paddle does not
run or export is not judged, nor are those of an op in which Paddle kills the process or hangs.
Integers, truth values, element types and shapes must be equal. Where floats differ, the results of
Paddle on the program that it wrote, and those of the eager run in f64, decide.
"""

import os
import pathlib
import tempfile

from . import lines_of_json
from .engine import EXCLUDED
from .exports import of_releases, python_of
from .trained import cache

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run_release(release, options):
    """Rows of all ops of a release."""
    command = [python_of(release), "-m", "paddle_suite.drawn_child"]
    with tempfile.TemporaryDirectory(prefix="drawn", dir=cache()) as scratch:
        lines = pathlib.Path(scratch) / "rows"
        words = [str(lines), options.seed, options.examples, options.subject]
        command += [str(word) for word in words]
        found = lines_of_json.Rows(release, lambda case: f"drawn, {release}", options.progress)
        log = ROOT / f"target/conformance/drawn-{release}.log"
        environment = {
            **os.environ,
            "TRIDENT_FILTER": options.filter or "",
            "TRIDENT_RELEASE": release,
            "OMP_NUM_THREADS": "1",
        }
        # Some calls keep Paddle busy for ever. The subject's own limit is in `drawn_child`.
        more = {"died": EXCLUDED, "limit": 120, "env": environment}
        return lines_of_json.follow(found, command, lines, log, **more)


def run(options):
    """Rows of all ops of both releases."""
    (ROOT / "target/conformance").mkdir(parents=True, exist_ok=True)
    return of_releases(run_release, options)
