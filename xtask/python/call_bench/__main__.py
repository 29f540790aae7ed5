"""Measure calls of models from Python: beside the engine alone, beside ONNX Runtime, by threads.

All ways to make a call take turns. The exit status is 1 if a figure misses its bar; the bars beside
ONNX Runtime are left out where it is not installed.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np

from kernel_bench.report import processor_line

from . import MODEL, PEER, SESSION, calls, models, report, threads


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench calls", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="few turns")
    parser.add_argument("--rounds", type=int, default=30, help="turns of a way to make the call")
    parser.add_argument("--threads", type=int, default=8, help="threads that share a model")
    parser.add_argument("--turns", type=int, default=100, help="turns of the threads")
    parser.add_argument("--seconds", type=float, default=0.05, help="a turn of the threads")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.turns = 7, 25
    return options


def measure(options, folder):
    """All figures."""
    subject = models.single(folder)
    figures = {
        "subject": subject.name,
        "calls": calls.measure(subject, options.rounds, iterations=10_000),
        "thread_count": options.threads,
        "threads": [],
    }
    ways = [(subject, MODEL, threads.of_model) for subject in models.shared(folder)]
    ways.append((models.single(folder), SESSION, threads.of_session))
    for subject, way, make in ways:
        figure = threads.measure(subject, make, options.threads, options.turns, options.seconds)
        figures["threads"].append({"subject": subject.name, "way": way} | figure)
    return figures


def versions():
    reference = calls.peer()
    peer = {PEER: reference.__version__} if reference else {}
    return {"numpy": np.__version__} | peer


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        figures = measure(options, folder)
    print(processor_line(versions()))
    for lines in (report.call_lines, report.thread_lines, report.bar_lines):
        print()
        print("\n".join(lines(figures)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0 if all(met for *_, met in report.bars(figures)) else 1


if __name__ == "__main__":
    sys.exit(main())
