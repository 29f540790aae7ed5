"""Seconds of one call in one thread, by every way to make it."""

import importlib.util
import json
import statistics
import subprocess
import sys
import time

import trident
import trident.onnxruntime

from . import ENGINE, MODEL, MODEL_RUN, PEER, SESSION

# Calls of a batch, and batches of a turn.
BATCH, BATCHES = 50, 100


def session(runtime, file):
    """A session of ONNX Runtime's interface with one thread."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def peer():
    """The module of ONNX Runtime; `None` where it is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        return None
    import onnxruntime

    return onnxruntime


def engine(subject, iterations):
    """Median seconds of a run of the engine in a process of its own, without Python's part."""
    shape = "x".join(map(str, subject.array.shape))
    command = [sys.executable, "-m", "trident", "bench", str(subject.file), "--json"]
    command += ["--threads", "1", "--shape", f"{subject.input}={shape}"]
    command += ["--warmup", str(iterations // 10), "--iterations", str(iterations)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["latency_ms"]["p50"] / 1e3


def ways(subject):
    """{name: a call without arguments}"""
    model = trident.Model(subject.file, threads=1)
    own = session(trident.onnxruntime, subject.file).run
    array, feed = subject.array, {subject.input: subject.array}
    found = {
        MODEL: lambda: model(array),
        MODEL_RUN: lambda: model.run(feed),
        SESSION: lambda: own(None, feed),
    }
    reference = peer()
    if reference is not None:
        other = session(reference, subject.file).run
        found[PEER] = lambda: other(None, feed)
    return found


def turn(calls):
    """Median seconds of each call over batches, in which the calls take turns.

    A batch is shorter than a time slice of the system, so that most are not interrupted, and
    batches that follow each other find the processor in the same state.
    """
    times = [[] for _ in calls]
    for _ in range(BATCHES):
        for call, record in zip(calls, times, strict=True):
            start = time.perf_counter()
            for _ in range(BATCH):
                call()
            record.append((time.perf_counter() - start) / BATCH)
    return [statistics.median(record) for record in times]


def measure(subject, rounds, iterations):
    """{way: {"median": seconds, "least": seconds, "of_peer": median ratio of the rounds}}

    The engine takes a turn in each round.
    """
    calls = ways(subject)
    times = {name: [] for name in (ENGINE, *calls)}
    for _ in range(rounds):
        times[ENGINE].append(engine(subject, iterations))
        for name, seconds in zip(calls, turn(list(calls.values())), strict=True):
            times[name].append(seconds)
    return {name: figure(record, times.get(PEER)) for name, record in times.items()}


def figure(record, peer):
    """The figure of a way, from its turns and those of the peer, if it is there."""
    found = {"median": statistics.median(record), "least": min(record)}
    if peer is not None:
        ratios = [mine / other for mine, other in zip(record, peer, strict=True)]
        found["of_peer"] = statistics.median(ratios)
    return found
