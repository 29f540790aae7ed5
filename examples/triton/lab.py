"""What the examples share: arrays, checks, timing against PyTorch, plots.

Arrays are PyTorch's where it is installed and NumPy's otherwise; kernels take either.
"""

import argparse
import base64
import io
import pathlib
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


def medians(functions, seconds=0.3):
    """Median seconds of each function; they take turns, so that noise hits all alike."""
    times = [[] for _ in functions]
    for function in functions:
        function()
    end = time.perf_counter() + seconds * len(functions)
    while time.perf_counter() < end or len(times[0]) < 5:
        for function, record in zip(functions, times):
            start = time.perf_counter()
            function()
            record.append(time.perf_counter() - start)
    return [statistics.median(record) for record in times]


def bench(name, title, unit, sizes, make):
    """Measure and draw: `make(size)` gives (work in units of 1e9, ours, PyTorch's or None)."""
    ours, theirs = "Triton on Trident", "PyTorch eager"
    rows = []
    for size in sizes:
        work, run, peer = make(size)
        times = medians([run, peer] if peer else [run])
        rows.append((size, *(work / 1e9 / taken for taken in times)))
        print(f"{size:>10}" + "".join(f"{rate:>12.2f}" for rate in rows[-1][1:]) + f"  {unit}")
    labels = [ours, theirs][: len(rows[0]) - 1]
    write_plot(name, title, unit, rows, labels)


def write_plot(name, title, unit, rows, labels):
    """NAME.png with a line for each label, and NAME.html with the figures as well."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for k, label in enumerate(labels):
        axes.plot([row[0] for row in rows], [row[k + 1] for row in rows], marker="o", label=label)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set(title=title, xlabel="size", ylabel=unit)
    axes.grid(alpha=0.3)
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120)
    folder = options().out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.png").write_bytes(image.getvalue())
    cells = "".join(
        f"<tr><td>{row[0]}</td>" + "".join(f"<td>{rate:.2f}</td>" for rate in row[1:]) + "</tr>\n"
        for row in rows
    )
    heads = "".join(f"<th>{label}, {unit}</th>" for label in labels)
    picture = base64.b64encode(image.getvalue()).decode()
    (folder / f"{name}.html").write_text(
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title>\n"
        "<style>body{font:16px sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:right}"
        "img{max-width:100%}</style>\n"
        f"<h1>{title}</h1>\n<img alt='{title}' src='data:image/png;base64,{picture}'>\n"
        f"<table><tr><th>size</th>{heads}</tr>\n{cells}</table></html>\n"
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
