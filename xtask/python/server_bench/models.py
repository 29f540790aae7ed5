"""Models whose runs take longer than the server's own work: what a request costs beyond the run."""

import json
import os
import pathlib
import subprocess

from backend_bench.load import Request, load
from backend_bench.subjects import ROOT, SEQUENCE, SUBJECTS

CLIENTS = 32
MOST = 1.1  # of the run's time alone
MODELS = [subject for subject in SUBJECTS if subject.model in ("digits", "minilm")]
SHAPES = {
    "digits": (),
    "minilm": [f"{name}=1x{SEQUENCE}" for name in ("input_ids", "attention_mask")],
}
HEAD = f"{'model':14} {'clients':>7}{'CPU us':>10}{'run alone':>11}{'at most':>10}"


def alone(subject):
    """The µs of a run on one thread, without a server."""
    file = ROOT / "examples/digits/digits.onnx"
    if subject.model == "minilm":
        file = pathlib.Path(os.environ["TRIDENT_MINILM"])
    command = [os.environ["TRIDENT"], "bench", file, "--threads", "1", "--json"]
    command += [part for shape in SHAPES[subject.model] for part in ("--shape", shape)]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=300, check=True
    )
    return json.loads(done.stdout)["latency_ms"]["p50"] * 1e3


def measure(options, ours, add, folder):
    """Rows of the models' requests; `add` is the µs of a request to the model `add`."""
    for subject in MODELS:
        request = Request.infer(subject, folder)
        load(ours, request, CLIENTS, min(1.0, options.seconds))
        told = [load(ours, request, CLIENTS, options.seconds) for _ in range(options.rounds)]
        spent = sorted(turn["cpu_us"] for turn in told)[len(told) // 2]
        run = alone(subject)
        yield {
            "model": subject.model,
            "cpu_us": spent,
            "alone_us": run,
            "at_most_us": add + MOST * run,
        }


def is_met(row):
    return row["cpu_us"] <= row["at_most_us"]


def line(row):
    figures = (row[name] for name in ("cpu_us", "alone_us", "at_most_us"))
    cells = "".join(f"{value:{width}.1f}" for value, width in zip(figures, (10, 11, 10)))
    return f"{row['model']:14} {CLIENTS:7}{cells}{'' if is_met(row) else '  misses its bar'}"
