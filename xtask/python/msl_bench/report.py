"""The table of a measurement, and the bars that it is held to."""

import math
import statistics

MEAN, LEAST = 0.95, 0.8  # Triton's time ÷ ours


def ratio(row):
    """Triton's time ÷ ours: above 1 is faster."""
    return row["triton_ms"] / row["ours_ms"]


def mean(facts):
    return math.exp(statistics.fmean(math.log(ratio(row)) for row in facts["rows"]))


def table(facts):
    """Markdown lines."""
    lines = [
        f"{facts['device']}, Triton {facts['triton']}, medians of {facts['rounds']}.",
        "",
        "| kernel | ours, µs | Triton, µs | ours, GB/s | Triton, GB/s | ratio | error |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in facts["rows"]:
        times = [row["ours_ms"], row["triton_ms"]]
        parts = [row["case"], *(f"{time * 1e3:,.1f}" for time in times)]
        parts += [f"{row['bytes'] / time / 1e6:,.0f}" for time in times]
        parts += [f"{ratio(row):.2f}", f"{row['error']:.0e}"]
        lines.append(f"| {' | '.join(parts)} |")
    return [*lines, "", f"Geometric mean of the ratios: {mean(facts):.2f}."]


def problems(facts):
    """What misses the bars."""
    found = [f"{row['case']}: {ratio(row):.2f} is below {LEAST}" for row in facts["rows"]]
    found = [line for line, row in zip(found, facts["rows"], strict=True) if ratio(row) < LEAST]
    if mean(facts) < MEAN:
        found.append(f"the geometric mean, {mean(facts):.2f}, is below {MEAN}")
    return found
