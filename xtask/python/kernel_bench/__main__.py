"""Measure Triton kernels on Trident side by side with PyTorch eager.

Both run in one process and take turns; each number of threads has a process of its own.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from markdown import replace_between_markers

from . import report

ROOT = pathlib.Path(__file__).resolve().parents[3]
OPS = ("add", "mul", "exp", "tanh", "GELU", "sum", "mean", "softmax", "layer norm", "matmul")
OPS += ("attention",)
SIZES = ("L2", "L3", "memory")


def environment(threads, cache):
    paths = [str(ROOT / "examples/triton"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TRITON_DEFAULT_BACKEND": "trident",
        "TRITON_CACHE_DIR": cache,
        "TRIDENT_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }


def measure(threads, latency, options):
    """(rows, latency) of one process; a row is printed as it comes."""
    command = [sys.executable, "-m", "kernel_bench.measure", "--threads", str(threads)]
    command += ["--rounds", str(options.rounds), "--ops", *options.ops, "--sizes", *options.sizes]
    command += ["--latency"] if latency else []
    rows, latencies = [], None
    with tempfile.TemporaryDirectory(prefix="bench") as cache:
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment(threads, cache)
        )
        for line in child.stdout:
            answer = json.loads(line)
            if "op" not in answer:
                latencies = answer
                continue
            rows.append(answer)
            head = f"{answer['op']}, {answer['size']}, {threads} threads"
            told = answer.get("error") or f"{report.ratio(answer):.2f}"
            print(f"{head}: {told}", flush=True)
        if child.wait():
            print(f"the process for {threads} threads ended with status {child.returncode}")
            raise SystemExit(1)
    return rows, latencies


def versions():
    import torch
    import triton

    return {report.PEER: torch.__version__, "triton": triton.__version__}


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench kernels", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--rounds", type=int, default=11, help="turns of each side")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, by commas")
    parser.add_argument("--ops", nargs="+", choices=OPS, default=OPS, metavar="OP")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=SIZES)
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    parser.add_argument(
        "--bless", action="store_true", help="rewrite docs/benchmarks.md and README.md"
    )
    options = parser.parse_args()
    options.threads = [int(part) for part in options.threads.split(",")]
    if options.quick:
        options.rounds = 3
    return options


def main():
    options = parse_arguments()
    rows, latency = [], None
    for threads in options.threads:
        first = threads == options.threads[0]
        some, latencies = measure(threads, first, options)
        rows += some
        latency = latency or latencies
    print()
    print("\n".join(report.table(rows)))
    print()
    print("\n".join(report.machine(rows)))
    print("\n".join(report.bar_lines(rows, latency)))
    if options.json:
        everything = {"rows": rows, "latency": latency}
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    if options.bless:
        text = report.markdown(rows, latency, versions())
        replace_between_markers(ROOT / "docs/benchmarks.md", "kernels", text)
        summary = "\n".join(report.summary(rows))
        replace_between_markers(ROOT / "README.md", "kernels", summary)
    failed = [row for row in rows if "error" in row]
    for row in failed:
        print(f"no figure: {row['op']}, {row['size']}, {row['threads']} threads: {row['error']}")
    ratio = report.geometric_mean(map(report.ratio, report.measured(rows)))
    print(f"geomean ratio {ratio:.2f} vs {report.PEER}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
