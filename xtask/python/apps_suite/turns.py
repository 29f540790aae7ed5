"""Runs of the programs: each in a process of its own, the engines in turns."""

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ONNXRUNTIME, TRIDENT = "onnxruntime", "trident"
ENGINES = (ONNXRUNTIME, TRIDENT)
TIMEOUT = 600
# What the class of sessions is called in each engine's process.
SESSIONS = {ONNXRUNTIME: "onnxruntime.capi.", TRIDENT: "trident.onnxruntime"}


class Failed(Exception):
    """A program that ended with an error, or used the wrong engine; the message says which."""


@dataclasses.dataclass
class Run:
    """Results by sample, seconds and bytes.

    `whole` is the process from its start to its end, `libraries` the resident memory before the
    package is imported, and `peak` the most that the process had.
    """

    results: dict
    whole: float
    load: float
    work: float
    libraries: int
    peak: int


def environment(app):
    """The interpreter of `app` and its variables."""
    variables = dict(os.environ, HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    if not app.torch:
        return sys.executable, variables
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    variables["PYTHONPATH"] = os.pathsep.join([os.environ.get("PYTHONPATH", ""), packages])
    return os.environ["TRIDENT_TORCH_PYTHON"], variables


def run(app, engine, samples, folder):
    """Run `app` once."""
    answer = pathlib.Path(folder) / "answer.json"
    answer.unlink(missing_ok=True)
    python, variables = environment(app)
    launcher = ["-m", "trident.onnxruntime"] if engine == TRIDENT else []
    command = [python, *launcher, app.path, samples, answer]
    start = time.perf_counter()
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=variables,
    )
    whole = time.perf_counter() - start
    if done.returncode:
        words = " ".join((done.stderr or done.stdout).split())[-600:]
        raise Failed(f"{words} (exit status {done.returncode})")
    said = json.loads(answer.read_text())
    if not said.pop("engine").startswith(SESSIONS[engine]):
        raise Failed(f"the program has not used {engine}")
    return Run(whole=whole, **said)


def bare(app):
    """Seconds of an interpreter of `app` that does nothing."""
    python, variables = environment(app)
    start = time.perf_counter()
    subprocess.run([python, "-c", "pass"], check=True, env=variables)
    return time.perf_counter() - start


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)
