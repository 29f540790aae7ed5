"""Measure Triton kernels on Trident side by side with PyTorch.

Three parts: kernels beside PyTorch eager, functions under `torch.compile` beside eager and
Inductor's C++ back end, and kernels with checks of bounds beside the same without. All sides run in
one process and take turns; each number of threads has a process of its own.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from markdown import counted, replace_between_markers
from torch_compile import report as compiled_report

from . import report

ROOT = pathlib.Path(__file__).resolve().parents[3]
OPS = ("add", "mul", "exp", "tanh", "GELU", "sum", "mean", "softmax", "layer norm", "matmul")
OPS += ("attention",)
SIZES = ("L2", "L3", "memory")
PARTS = ("kernels", "compiled", "bounds")


def environment(threads, cache):
    paths = [str(ROOT / "examples/triton"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TRITON_DEFAULT_BACKEND": "trident",
        "TRITON_CACHE_DIR": cache,
        "TRIDENT_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }


def answers(module, threads, options, arguments):
    """The JSON lines of a process that measures with this number of threads, as they come."""
    command = [sys.executable, "-m", module, "--threads", str(threads)]
    command += ["--rounds", str(options.rounds), *arguments]
    with tempfile.TemporaryDirectory(prefix="bench") as cache:
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment(threads, cache)
        )
        for line in child.stdout:
            yield json.loads(line)
        if child.wait():
            print(
                f"the process for {counted(threads, 'thread')} ended with status {child.returncode}"
            )
            raise SystemExit(1)


def measure(threads, latency, options):
    """(rows, latency) of one process; a row is printed as it comes."""
    arguments = ["--ops", *options.ops, "--sizes", *options.sizes]
    arguments += ["--latency"] if latency else []
    rows, latencies = [], None
    for answer in answers("kernel_bench.measure", threads, options, arguments):
        if "op" not in answer:
            latencies = answer
            continue
        rows.append(answer)
        head = f"{answer['op']}, {answer['size']}, {counted(threads, 'thread')}"
        print(f"{head}: {answer.get('error') or f'{report.ratio(answer):.2f}'}", flush=True)
    return rows, latencies


def measure_compiled(threads, options):
    """Rows of the functions under `torch.compile`; a row is printed as it comes."""
    arguments, rows = ["--filter", options.functions], []
    for answer in answers("torch_compile.measure", threads, options, arguments):
        rows.append(answer)
        head = f"{answer['function']}, {counted(threads, 'thread')}"
        told = answer.get("error") or ", ".join(
            f"{compiled_report.ratio(answer, peer):.2f} vs {name}"
            for peer, name in compiled_report.PEERS.items()
        )
        print(f"{head}: {told}", flush=True)
    return rows


def bounds(options):
    """The part of the checks of bounds, likewise: its rows."""
    rows = []
    for threads in options.threads:
        rows += answers("kernel_bench.bounds", threads, options, [])
    print()
    print("\n".join(report.bounds_table(rows)))
    if options.bless:
        text = "\n".join([report.processor_line(versions()), "", *report.bounds_table(rows)])
        replace_between_markers(ROOT / "docs/benchmarks.md", "bounds", text)
    return rows


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
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument(
        "--functions", default="", metavar="REGEX", help="only these under torch.compile"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    parser.add_argument(
        "--bless", action="store_true", help="rewrite docs/benchmarks.md and README.md"
    )
    options = parser.parse_args()
    options.threads = [int(part) for part in options.threads.split(",")]
    if options.quick:
        options.rounds = 3
    return options


def kernels(options):
    """The part of the kernels: (rows, latency), with its tables printed, and written if blessed."""
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
    if options.bless:
        text = report.markdown(rows, latency, versions())
        replace_between_markers(ROOT / "docs/benchmarks.md", "kernels", text)
        summary = "\n".join(report.summary(rows))
        replace_between_markers(ROOT / "README.md", "kernels", summary)
    return rows, latency


def compiled(options):
    """The part of the functions under `torch.compile`, likewise: its rows."""
    rows = [row for threads in options.threads for row in measure_compiled(threads, options)]
    print()
    print("\n".join(compiled_report.table(rows)))
    print()
    print("\n".join(compiled_report.means(rows)))
    if options.bless:
        text = compiled_report.markdown(rows, versions())
        replace_between_markers(ROOT / "docs/benchmarks.md", "compiled", text)
    return rows


def main():
    options = parse_arguments()
    rows, latency = kernels(options) if "kernels" in options.parts else ([], None)
    functions = compiled(options) if "compiled" in options.parts else []
    checked = bounds(options) if "bounds" in options.parts else []
    if options.json:
        everything = {"rows": rows, "latency": latency, "compiled": functions, "bounds": checked}
        pathlib.Path(options.json).write_text(json.dumps(everything, indent=1))
    failed = [row for row in rows + functions if "error" in row]
    for row in failed:
        name = row.get("function") or f"{row['op']}, {row['size']}"
        print(f"no figure: {name}, {counted(row['threads'], 'thread')}: {row['error']}")
    if rows:
        ratio = report.geometric_mean(map(report.ratio, report.measured(rows)))
        print(f"geomean ratio {ratio:.2f} vs {report.PEER}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
