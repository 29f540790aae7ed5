"""Measure whole models side by side: trident, ONNX Runtime, rten, tract.

Each measurement is a process of its own. In every round each engine gets one turn, in an order
that rotates; the figure of an engine is the median over the rounds of each round's median. All
outputs are compared with ONNX Runtime's: a wrong result is an error and not a time.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import tomllib

import numpy as np

from markdown import replace_between_markers
from onnx_suite.generate import cached_cases

from . import models, report
from .engines import (
    BASELINE,
    BINARIES,
    ENGINES,
    ONNXRUNTIME,
    TRIDENT,
    Failed,
    Job,
    cold_start,
    measure,
)

QUICK_MODELS = (models.DIGITS, models.MINILM, "squeezenet", "shufflenet", "resnet50")
AGREEMENT = 1e-3  # largest error allowed, relative to the largest value of ONNX Runtime's output


def error_of(output, reference):
    """Largest difference over the largest reference value; infinite if one is not finite."""
    if output.shape != reference.shape or not np.isfinite(output).all():
        return float("inf")
    return float(np.abs(output - reference).max() / max(np.abs(reference).max(), 1e-30))


def measure_configuration(name, batch, threads, options, cases):
    """One row: every engine's figures, or why it has none."""
    file = models.path(name, cases, os.environ["TRIDENT_CACHE"])
    inputs = models.inputs(name, file, batch)
    free = {"N": batch, "batch": batch, "sequence": models.SEQUENCE}
    job = Job(file, inputs, threads, warmup=1, iterations=3, free=free)
    probe = measure(ONNXRUNTIME, job, with_output=True)
    job.iterations = int(np.clip(options.seconds * 1e3 / probe.median, 3, 1000))
    job.warmup = max(1, job.iterations // 10)

    results, errors = {engine: [] for engine in options.engines}, {}
    for turn in range(options.rounds):
        order = [engine for engine in options.engines if engine not in errors]
        shift = turn % max(1, len(order))
        for engine in order[shift:] + order[:shift]:
            try:
                result = measure(engine, job, with_output=turn == 0)
            except (Failed, subprocess.TimeoutExpired) as error:
                errors[engine] = str(error)
                continue
            if result.output is not None:
                error = error_of(result.output.ravel(), probe.output)
                if error > AGREEMENT:
                    errors[engine] = f"wrong result: relative error {error:.1e}"
            results[engine].append(result)

    row = {"model": name, "batch": batch, "threads": threads, "engines": {}}
    for engine, measured in results.items():
        if engine in errors:
            row["engines"][engine] = {"error": errors[engine]}
            continue
        row["engines"][engine] = {
            "median_ms": statistics.median(result.median for result in measured),
            "startup_ms": statistics.median(result.startup for result in measured),
            "memory_bytes": statistics.median(result.memory for result in measured),
        }
    return row


def peer_versions():
    """{engine: version}, the Rust ones as xtask/peers pins them."""
    import onnxruntime

    with (models.ROOT / "xtask/peers/Cargo.toml").open("rb") as file:
        pinned = tomllib.load(file)["dependencies"]
    return {
        ONNXRUNTIME: onnxruntime.__version__,
        "rten": pinned["rten"]["version"].removeprefix("="),
        "tract": pinned["tract-onnx"].removeprefix("="),
    }


def print_row(row, seconds):
    cells = []
    for engine, entry in row["engines"].items():
        text = entry["error"] if "error" in entry else f"{entry['median_ms']:.2f} ms"
        cells.append(f"{engine} {text}")
    head = f"{row['model']} batch {row['batch']}, {row['threads']} threads"
    print(f"{head}: {'   '.join(cells)}   [{seconds:.0f} s]", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench models", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="five models, one short round")
    parser.add_argument("--models", nargs="+", choices=models.NAMES, default=models.NAMES)
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument(
        "--against", metavar="BINARY", help="compare with another build of trident instead"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5, help="timed per process, about")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    parser.add_argument("--bless", action="store_true", help="rewrite docs/benchmarks.md")
    options = parser.parse_args()
    if options.against:
        if options.bless:
            parser.error("--bless is for figures beside other engines, without --against")
        os.environ[BINARIES[BASELINE]] = str(pathlib.Path(options.against).resolve(strict=True))
        options.engines = (TRIDENT, BASELINE)
    if options.quick:
        options.rounds, options.seconds = 1, 0.5
        if options.models == models.NAMES:
            options.models = QUICK_MODELS
    return options


def main():
    options = parse_arguments()
    cases = cached_cases(os.environ["TRIDENT_CACHE"])
    rows = []
    for name in options.models:
        for batch in options.batch:
            for threads in options.threads:
                start = time.monotonic()
                rows.append(measure_configuration(name, batch, threads, options, cases))
                print_row(rows[-1], time.monotonic() - start)
    report.print_report(rows)
    if models.DIGITS in options.models and TRIDENT in options.engines:
        file = models.path(models.DIGITS, cases, os.environ["TRIDENT_CACHE"])
        milliseconds = cold_start(file, models.inputs(models.DIGITS, file, 1))
        print(f"trident run on {models.DIGITS}, whole process: {milliseconds:.1f} ms")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    if options.bless:
        text = report.markdown(rows, peer_versions())
        replace_between_markers(models.ROOT / "docs/benchmarks.md", "models", text)
        lines = "\n".join(f"- {line}" for line in report.summary(rows))
        replace_between_markers(models.ROOT / "README.md", "benchmarks", lines)
    missing = [row for row in rows if "error" in row["engines"].get(TRIDENT, {})]
    for row in missing:
        error = row["engines"][TRIDENT]["error"]
        print(f"no figure: {row['model']} batch {row['batch']}, {row['threads']} threads: {error}")
    ratio = report.geometric_mean(report.ratios(rows, TRIDENT, "median_ms"))
    print(f"geomean ratio {ratio:.2f} vs {report.peer_of(rows)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
