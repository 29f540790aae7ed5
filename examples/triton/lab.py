"""What the examples share: arrays, checks, timing against PyTorch, plots.

Arrays are PyTorch's where it is installed and NumPy's otherwise; kernels take either.
"""

import argparse
import base64
import html
import io
import os
import pathlib
import platform
import statistics
import time

import numpy as np

try:
    import torch
except ImportError:
    torch = None

NUMBERS = np.random.default_rng(0)


def array(values):
    """A contiguous array of PyTorch or NumPy with these values."""
    values = np.ascontiguousarray(values)
    return torch.from_numpy(values) if torch else values


def random(*shape):
    """Normally distributed f32 values."""
    return array(NUMBERS.standard_normal(shape, np.float32))


def empty(*shape):
    """An f32 array to write to."""
    return array(np.empty(shape, np.float32))


def check(name, actual, expected, tolerance=1e-5):
    """Compare with the reference, relative to its largest value, and say so."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        raise SystemExit(f"{name}: shape {actual.shape}, expected {expected.shape}")
    if not np.isfinite(actual).all():
        raise SystemExit(f"{name}: not all values are finite")
    error = np.abs(actual - expected).max(initial=0) / max(np.abs(expected).max(initial=0), 1e-30)
    if error > tolerance:
        raise SystemExit(f"{name}: relative error {error:.1e}, allowed {tolerance:.0e}")
    print(f"{name}: ok, relative error {error:.1e}")


def turn(function, calls):
    """Seconds for each of several calls. Threads of the call before get a rest to fall asleep in,
    and those of this one a first call to wake up in."""
    time.sleep(0.005)
    function()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls


def medians(functions, rounds=9, seconds=0.03):
    """Median seconds of each function; they take turns, so that noise hits all alike."""
    calls = [max(1, round(seconds / max(turn(each, 1), 1e-7))) for each in functions]
    times = [[turn(*each) for each in zip(functions, calls)] for _ in range(rounds)]
    return [statistics.median(record) for record in zip(*times)]


def bench(name, title, along, unit, sizes, make):
    """Measure and draw: `make(size)` gives (bytes or operations, ours, PyTorch's or None).

    `along` says what a size is; the unit is for 1e9 of the work in a second.
    """
    labels = ["Triton on Trident", "PyTorch eager"]
    rows = []
    for size in sizes:
        work, run, peer = make(size)
        times = medians([run, peer] if peer else [run])
        rows.append((size, *(work / 1e9 / taken for taken in times)))
        print(f"{size:>10}" + "".join(f"{rate:>12.2f}" for rate in rows[-1][1:]) + f"  {unit}")
    write_plot(name, title, along, unit, rows, labels[: len(rows[0]) - 1])


def machine():
    """The processor and its number of cores, in words."""
    name = platform.processor() or platform.machine()
    try:
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores"


def short(size):
    """A size as people say it: 4096 is 4 Ki."""
    for power, prefix in ((20, "Mi"), (10, "Ki")):
        if size >= 1 << power and size % (1 << power) == 0:
            return f"{size >> power} {prefix}"
    return str(size)


def write_plot(name, title, along, unit, rows, labels):
    """NAME.png with a line for each label, and NAME.html with the figures as well."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sizes, place = [row[0] for row in rows], machine()
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for k, (label, colour) in enumerate(zip(labels, ("#0b6e99", "#d9730d"))):
        rates = [row[k + 1] for row in rows]
        axes.plot(sizes, rates, marker="o", linewidth=2, color=colour, label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [short(size) for size in sizes])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(along)
    axes.set_ylabel(f"{unit} (more is better)")
    figure.suptitle(title, fontweight="bold")
    axes.set_title(place, fontsize="small", color="#555555")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120)
    folder = options().out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.png").write_bytes(image.getvalue())
    cells = "".join(
        f"<tr><td>{short(row[0])}</td>"
        + "".join(f"<td>{rate:.2f}</td>" for rate in row[1:])
        + (f"<td>{row[1] / row[2]:.2f} ×</td>" if len(row) == 3 else "")
        + "</tr>\n"
        for row in rows
    )
    heads = "".join(f"<th>{label}<br>{unit}</th>" for label in labels)
    heads += "<th>ratio</th>" if len(labels) == 2 else ""
    picture = base64.b64encode(image.getvalue()).decode()
    (folder / f"{name}.html").write_text(
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title>\n"
        "<style>body{font:16px/1.4 system-ui,sans-serif;margin:2em auto;max-width:60em;"
        "padding:0 1em}img{max-width:100%}table{border-collapse:collapse}"
        "td,th{padding:.2em 1em;text-align:right;border-bottom:1px solid #ddd}</style>\n"
        f"<h1>{title}</h1>\n<p>{html.escape(place)}</p>\n"
        f"<img alt='{unit} over {along}' src='data:image/png;base64,{picture}'>\n"
        f"<table><tr><th>{along}</th>{heads}</tr>\n{cells}</table></html>\n",
        encoding="utf-8",
    )
    print(f"wrote {folder / name}.png and {folder / name}.html")


def options():
    parser = argparse.ArgumentParser(description="Check a kernel; with --bench, also time it.")
    parser.add_argument("--bench", action="store_true", help="time over sizes and draw a plot")
    parser.add_argument("--out", type=pathlib.Path, default=".", help="folder for the plot")
    return parser.parse_args()


def main(checks, benchmark):
    """The body of each example."""
    chosen = options()
    checks()
    if chosen.bench:
        benchmark()
