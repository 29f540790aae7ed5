"""Compare kernels as Metal programs, compiled to PTX, with Triton's own code on an NVIDIA GPU.

The GPU's machine needs PyTorch and Triton, nothing of Trident: without a GPU here, a folder to
carry there is made, and the results that come back are read by --results.
"""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys

from markdown import replace_between_markers

from . import report

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target/msl-bench"
RESULTS = "results.json"


def has_gpu():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench msl", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--processor", default="sm_90", help="what to compile for")
    parser.add_argument("--results", type=pathlib.Path, help="only judge what was measured")
    parser.add_argument("--bless", action="store_true", help="rewrite docs/performance.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    results = options.results
    if results is None:
        from .prepare import prepare_all

        prepare_all(FOLDER, options.processor)
        command = ["python3", "-m", "msl_bench.measure", ".", "--json", RESULTS]
        if not has_gpu():
            place = FOLDER.relative_to(ROOT)
            print(f"there is no NVIDIA GPU here; carry {place} to one and run in it")
            print(f"    {' '.join(command)}")
            print(f"then here: cargo xtask bench msl --results {RESULTS} [--bless]")
            return 0
        subprocess.run(command, cwd=FOLDER, check=True)
        results = FOLDER / RESULTS
    facts = json.loads(results.read_text())
    lines = report.table(facts)
    print("\n".join(lines))
    if options.bless:
        replace_between_markers(ROOT / "docs/performance.md", "msl", "\n".join(lines))
    problems = report.problems(facts)
    for problem in problems:
        print(problem)
    print(f"geomean ratio {report.mean(facts):.2f} vs Triton")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
