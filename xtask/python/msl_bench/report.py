"""The table of a measurement, and the bars that it is held to."""

import math
import statistics

MEAN, LEAST = 0.95, 0.8  # Triton's time ÷ ours


def ratio(row):
    """Triton's time ÷ ours: above 1 is faster."""
    return row["triton_ms"] / row["ours_ms"]


def bound_by_memory(facts):
    return [row for row in facts["rows"] if not row["flops"]]


def mean(facts):
    return math.exp(statistics.fmean(math.log(ratio(row)) for row in bound_by_memory(facts)))


def rate(row, milliseconds):
    if row["flops"]:
        return f"{row['flops'] / milliseconds / 1e9:,.1f} TFLOP/s"
    return f"{row['bytes'] / milliseconds / 1e6:,.0f} GB/s"


def table(facts):
    """Markdown lines."""
    lines = [
        f"{facts['device']}, Triton {facts['triton']}, medians of {facts['rounds']}.",
        "",
        "| kernel | ours, µs | Triton, µs | ours | Triton | ratio | error |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in facts["rows"]:
        times = [row["ours_ms"], row["triton_ms"]]
        parts = [row["case"], *(f"{time * 1e3:,.1f}" for time in times)]
        parts += [rate(row, time) for time in times]
        parts += [f"{ratio(row):.2f}", f"{row['error']:.0e}"]
        lines.append(f"| {' | '.join(parts)} |")
    return [*lines, "", f"Geometric mean of the ratios in GB/s: {mean(facts):.2f}."]


def problems(facts):
    """What misses the bars."""
    rows = bound_by_memory(facts)
    found = [
        f"{row['case']}: {ratio(row):.2f} is below {LEAST}" for row in rows if ratio(row) < LEAST
    ]
    if mean(facts) < MEAN:
        found.append(f"the geometric mean, {mean(facts):.2f}, is below {MEAN}")
    return found
