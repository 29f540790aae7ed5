"""The table of a measurement, and the bars that it is held to."""

import math
import statistics

MEAN, LEAST = 0.95, 0.8  # Triton's time ÷ ours, of kernels that memory bounds
MATMUL = 4 * 13.9  # TFLOP/s: four times what a naive kernel of 32×32 tiles reached
MATRICES = 3  # time of attention without matrices ÷ with them


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
    """The results below the bars."""
    rows = bound_by_memory(facts)
    found = [
        f"{row['case']}: {ratio(row):.2f} is below {LEAST}" for row in rows if ratio(row) < LEAST
    ]
    by_name = {row["case"]: row for row in facts["rows"]}
    if row := by_name.get("matmul f16"):
        reached = row["flops"] / row["ours_ms"] / 1e9
        if reached < MATMUL:
            found.append(f"{row['case']}: {reached:.1f} TFLOP/s are below {MATMUL:.1f}")
    pair = [by_name.get(name) for name in ("attention f16, no matrices", "attention f16")]
    if all(pair) and pair[0]["ours_ms"] < MATRICES * pair[1]["ours_ms"]:
        gain = pair[0]["ours_ms"] / pair[1]["ours_ms"]
        found.append(f"attention: matrices gain {gain:.2f}, less than {MATRICES}")
    if mean(facts) < MEAN:
        found.append(f"the geometric mean, {mean(facts):.2f}, is below {MEAN}")
    return found
