"""Run programs from PyPI packages on ONNX Runtime and on `trident.onnxruntime`, and compare them.

A program's results on ONNX Runtime are the reference. Both engines take turns, in an order that
alternates; times and memory are medians over the rounds.
"""

import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from . import report, turns
from .apps import APPS

MEMORY = 0.8  # of ONNX Runtime's, beyond the libraries that the program needs anyway
TIME = 1.0


def compare(app, mine, reference):
    """{sample: fault} of the samples that differ or show nothing."""
    faults = {}
    for name, expected in reference.items():
        if name not in mine:
            faults[name] = "no result"
        elif fault := app.fault(mine[name], expected):
            faults[name] = fault
    return faults


def measure(app, samples, folder, rounds):
    """One row: faults of the first round, and the figures of all."""
    runs = {engine: [] for engine in turns.ENGINES}
    starts = []
    row = {"app": app.name, "engines": {}}
    try:
        for turn in range(rounds):
            starts.append(turns.bare(app))
            for engine in turns.ENGINES[:: -1 if turn % 2 else 1]:
                runs[engine].append(turns.run(app, engine, samples, folder))
    except (turns.Failed, subprocess.TimeoutExpired) as error:
        return {**row, "error": str(error)}
    reference = runs[turns.ONNXRUNTIME][0].results
    row["samples"] = len(reference)
    row["faults"] = compare(app, runs[turns.TRIDENT][0].results, reference)
    vacuous = [name for name, result in reference.items() if app.vacuous(result)]
    if not reference or len(vacuous) > len(reference) / 10:
        return {**row, "error": f"ONNX Runtime finds nothing in {len(vacuous)} samples"}
    start = turns.statistics.median(starts)
    libraries = turns.median(runs[turns.ONNXRUNTIME], "libraries")
    for engine, measured in runs.items():
        peak = turns.median(measured, "peak")
        row["engines"][engine] = {
            "seconds": turns.median(measured, "whole") - start,
            "load_seconds": turns.median(measured, "load"),
            "work_seconds": turns.median(measured, "work"),
            "peak_bytes": peak,
            "engine_bytes": peak - libraries,
        }
    return row


def make_samples(folder, names):
    """{name: folder of samples}"""
    made = {}
    for name in sorted(names):
        made[name] = pathlib.Path(folder) / name
        made[name].mkdir()
        importlib.import_module(f".samples.{name}", __package__).write(made[name])
    return made


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance apps", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--filter", default="", help="only programs whose name has this regex")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one round, which compares results and judges no figure",
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    return options


def main():
    options = parse_arguments()
    chosen = [app for app in APPS if re.search(options.filter, app.name)]
    rows = []
    with tempfile.TemporaryDirectory(prefix="apps") as folder:
        samples = make_samples(folder, {app.samples for app in chosen})
        for app in chosen:
            rows.append(measure(app, samples[app.samples], folder, options.rounds))
            report.print_row(rows[-1])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    missed = report.print_report(rows, TIME, MEMORY)
    failed = sum(len(row.get("faults", ())) or "error" in row for row in rows)
    total = sum(row.get("samples", 1) for row in rows)
    print(f"{total - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not rows or (missed and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
