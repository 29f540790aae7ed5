"""One measurement of one model by one engine, in a separate process."""

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

TRIDENT, ONNXRUNTIME = "trident", "onnxruntime"
ENGINES = (TRIDENT, ONNXRUNTIME, "rten", "tract")
BASELINE = "baseline"  # another build of trident
BINARIES = {TRIDENT: "TRIDENT", BASELINE: "TRIDENT_BASELINE"}  # the variables that name them
TIMEOUT = 600


@dataclasses.dataclass
class Job:
    """The subject of a measurement. `free` names the symbolic dimensions and their sizes."""

    model: pathlib.Path
    inputs: dict
    threads: int
    warmup: int
    iterations: int
    free: dict


@dataclasses.dataclass
class Measurement:
    """Times in milliseconds, memory in bytes, and the first output where it was asked for."""

    median: float
    startup: float
    memory: int
    output: np.ndarray | None


class Failed(Exception):
    """The engine cannot run the model; the message is its own."""


def measure(engine, job, with_output):
    """Run `job` once with `engine`."""
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        if engine in BINARIES:
            return measure_trident(os.environ[BINARIES[engine]], job, folder, with_output)
        return measure_peer(engine, job, folder)


def cold_start(model, inputs, runs=20):
    """Median milliseconds of a whole `trident run` process, from start to exit."""
    times = []
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        source, result = f"{folder}/inputs.npz", f"{folder}/outputs.npz"
        np.savez(source, **inputs)
        command = [os.environ["TRIDENT"], "run", str(model), "--input", source, "--output", result]
        for _ in range(runs):
            start = time.perf_counter()
            run(command)
            times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def run(command, request=None):
    """Standard output of a command; its last words if it fails."""
    quiet = dict(os.environ, RUST_BACKTRACE="0")
    result = subprocess.run(
        command, input=request, capture_output=True, text=True, timeout=TIMEOUT, env=quiet
    )
    if result.returncode:
        words = " ".join((result.stderr or result.stdout).split())[-400:]
        raise Failed(f"{words} (exit status {result.returncode})")
    return result.stdout


def measure_trident(binary, job, folder, with_output):
    """`trident bench` for the times, `trident run` for the output."""
    source, result = f"{folder}/inputs.npz", f"{folder}/outputs.npz"
    np.savez(source, **job.inputs)
    command = [binary, "bench", job.model, "--input", source, "--threads", job.threads]
    command += ["--warmup", job.warmup, "--iterations", job.iterations, "--json"]
    answer = json.loads(run([str(part) for part in command]))
    output = None
    if with_output:
        run([binary, "run", str(job.model), "--input", source, "--output", result])
        with np.load(result) as outputs:
            output = outputs[outputs.files[0]].ravel()
    return Measurement(
        median=answer["latency_ms"]["p50"],
        startup=answer["load_ms"] + answer["first_run_ms"],
        memory=answer["peak_rss_bytes"],
        output=output,
    )


def measure_peer(engine, job, folder):
    """A program that reads a JSON request and prints a JSON answer."""
    inputs = []
    for k, (name, array) in enumerate(job.inputs.items()):
        file = f"{folder}/{k}"
        array.tofile(file)
        item = {"name": name, "dtype": str(array.dtype), "shape": array.shape, "file": file}
        inputs.append(item)
    request = {
        "engine": engine,
        "model": str(job.model),
        "inputs": inputs,
        "threads": job.threads,
        "warmup": job.warmup,
        "iterations": job.iterations,
        "free_dimensions": job.free,
        "output": f"{folder}/output",
    }
    python = [sys.executable, "-m", "model_bench.measure_onnxruntime"]
    command = python if engine == ONNXRUNTIME else [os.environ["TRIDENT_PEERS"]]
    answer = json.loads(run(command, json.dumps(request)))
    return Measurement(
        median=statistics.median(answer["latencies_ms"]),
        startup=answer["load_ms"] + answer["first_run_ms"],
        memory=answer["peak_rss_bytes"],
        output=np.fromfile(f"{folder}/output", np.float32),
    )
