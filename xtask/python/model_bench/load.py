"""Measure how long models take to load: the ONNX file and what `trident compile` makes of it.

Both forms take turns, each load in a process of its own. The figure is the time from the path to a
session that is ready to run.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from onnx_suite.generate import cached_cases

from . import models

NAMES = ("resnet50", models.MINILM)
MOST = 0.6  # of the ONNX file's time


def load_ms(file, threads):
    """Milliseconds of one load."""
    command = [os.environ["TRIDENT"], "bench", str(file), "--json", "--threads", str(threads)]
    command += ["--iterations", "1", "--warmup", "0"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["load_ms"]


def measure(name, options, cases, folder):
    """The median of each form, ONNX first."""
    onnx = models.path(name, cases, os.environ["TRIDENT_CACHE"])
    compiled = pathlib.Path(folder) / f"{name}.mps"
    command = [os.environ["TRIDENT"], "compile", str(onnx), "--emit", "mps", "-o", str(compiled)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    times = {onnx: [], compiled: []}
    for turn in range(options.rounds):
        for file in sorted(times, reverse=turn % 2 == 1):
            times[file].append(load_ms(file, options.threads))
    return [statistics.median(values) for values in times.values()]


def main():
    parser = argparse.ArgumentParser(prog="cargo xtask bench load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--models", nargs="+", choices=models.NAMES, default=NAMES)
    options = parser.parse_args()
    cases = cached_cases(os.environ["TRIDENT_CACHE"])
    worst = 0
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        for name in options.models:
            onnx, compiled = measure(name, options, cases, folder)
            ratio = compiled / onnx
            worst = max(worst, ratio)
            print(f"{name}: ONNX {onnx:.1f} ms, compiled {compiled:.1f} ms, ratio {ratio:.2f}")
    print(f"worst ratio {worst:.2f}, at most {MOST}")
    return worst > MOST


if __name__ == "__main__":
    sys.exit(main())
