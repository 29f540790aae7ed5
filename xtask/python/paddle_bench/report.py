"""Tables of the figures, and the bars."""

from markdown import bar_table
from model_bench.report import geometric_mean

from . import ENGINES, ONNXRUNTIME, PADDLE, TRIDENT, pages

#: Geometric means of Trident's time ÷ an engine's, and the largest ratio of one model.
MEAN, WORST = {PADDLE: 0.9, ONNXRUNTIME: 1.0}, 1.2
#: Trident's loading time ÷ Paddle's, in the geometric mean.
LOADING = 0.3
#: The memory after the first pages ÷ the memory until then.
GROWTH = 1.02


def ratio(row, engine, field="median_ms"):
    """Trident ÷ the engine, or None if one of them has no figure."""
    ours, theirs = row["engines"][TRIDENT], row["engines"][engine]
    return ours[field] / theirs[field] if field in ours and field in theirs else None


def ratios(rows, engine, field="median_ms"):
    found = (ratio(row, engine, field) for row in rows)
    return [value for value in found if value is not None]


def cell(row, engine, field):
    value = row["engines"][engine].get(field)
    return "–" if value is None else f"{value:.1f}"


def shown(value):
    return "–" if value is None else f"{value:.2f}"


def table(rows):
    """Markdown lines: a row of each model and number of threads."""
    yield (
        "| model | threads | trident, ms | Paddle, ms | by | ONNX Runtime, ms | of "
        "| ÷ Paddle | ÷ ONNX Runtime | load: trident, ms | Paddle, ms | ÷ Paddle |"
    )
    yield "|---|---:|---:|---:|---|---:|---|---:|---:|---:|---:|---:|"
    for row in rows:
        ours, paddle, onnx = (cell(row, engine, "median_ms") for engine in ENGINES)
        flags, file = (row["engines"][name].get("way", "–") for name in (PADDLE, ONNXRUNTIME))
        loads = " | ".join(cell(row, engine, "load_ms") for engine in (TRIDENT, PADDLE))
        yield (
            f"| {row['model']} | {row['threads']} | {ours} | {paddle} | {flags} | {onnx} | {file} "
            f"| {shown(ratio(row, PADDLE))} | {shown(ratio(row, ONNXRUNTIME))} "
            f"| {loads} | {shown(ratio(row, PADDLE, 'load_ms'))} |"
        )


def failures(rows):
    """Lines about engines that do not run a model, once for each message."""
    seen = set()
    for row in rows:
        for engine, found in row["engines"].items():
            for way, why in found["failed"].items():
                line = f"{row['model']} on {engine} {way}".rstrip() + f": {why[:200]}"
                if line not in seen:
                    seen.add(line)
                    yield line
            if "way" not in found:
                head = f"{row['model']}, {row['threads']} threads: no figure of {engine}"
                yield f"{head}: {found['error'][:200]}"


def bars(figures):
    """[(what, value, bound, whether it is met)] of what was measured."""
    found, rows = [], figures["rows"]

    def at_most(what, value, bound, digits=2):
        found.append((what, f"{value:.{digits}f}", f"≤ {bound}", value <= bound))

    for engine in (TRIDENT, *MEAN):
        absent = sum("median_ms" not in row["engines"][engine] for row in rows)
        at_most(f"rows without a figure of {engine}", absent, 0, digits=0)
    for engine, bound in MEAN.items():
        if values := ratios(rows, engine):
            at_most(
                f"time ÷ {engine}, geometric mean of {len(values)}", geometric_mean(values), bound
            )
            at_most(f"time ÷ {engine}, largest", max(values), WORST)
    if values := ratios(rows, PADDLE, "load_ms"):
        at_most("loading ÷ paddle, geometric mean", geometric_mean(values), LOADING)
    if figures["pages"]:
        what = f"memory after {pages.SETTLED} page sizes ÷ before"
        at_most(what, pages.growth(figures["pages"]), GROWTH, digits=3)
    return found


def bar_lines(figures):
    return bar_table(bars(figures))


def least_lines(rows):
    """The means of the fastest runs: other programs on the machine disturb them least."""
    for engine in MEAN:
        if values := ratios(rows, engine, "least_ms"):
            yield (
                f"fastest runs ÷ {engine}: {geometric_mean(values):.2f} in the geometric mean, "
                f"{max(values):.2f} at most"
            )


def page_line(rows):
    """What the pages of many sizes took."""
    each = [row["resident"] / 2**20 for row in rows]
    first, later = each[: pages.SETTLED], each[pages.SETTLED :]
    return (
        f"{len(rows)} page sizes: resident memory of at most {max(first):.1f} MiB in the first "
        f"{len(first)}, then of {min(later):.1f} to {max(later):.1f} MiB"
    )
