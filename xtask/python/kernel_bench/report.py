"""Tables of a run, the bars that it is held to, and what docs and README show."""

import math
import os
import platform

from markdown import bar_table, counted

PEER = "PyTorch"
COMPILE_MS = {"vector add": 5, "softmax": 10, "matmul": 25, "attention": 50}
DISK_MS = 2
LAUNCH_US = {"jit_us": 15, "compiled_us": 6}


def ratio(row):
    """PyTorch's time ÷ ours: above 1 is faster."""
    return row["peer"] / row["ours"]


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def measured(rows):
    return [row for row in rows if "error" not in row]


def rate(row, seconds):
    """GFLOP/s of what computes, GB/s of what moves."""
    if row["flops"]:
        return f"{row['flops'] / seconds / 1e9:.1f} GFLOP/s"
    return f"{row['bytes'] / seconds / 1e9:.1f} GB/s"


def table(rows):
    """Markdown lines: a row per case."""
    lines = [
        f"| op | size | shape | threads | Trident, µs | {PEER}, µs | Trident | {PEER} | ratio |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        head = f"| {row['op']} | {row['size']} | {row.get('shape', '')} | {row['threads']} | "
        if "error" in row:
            lines.append(head + f"{row['error'].replace('|', chr(92) + '|')} | | | | |")
            continue
        times = f"{row['ours'] * 1e6:,.1f} | {row['peer'] * 1e6:,.1f}"
        rates = f"{rate(row, row['ours'])} | {rate(row, row['peer'])}"
        lines.append(head + f"{times} | {rates} | {ratio(row):.2f} |")
    return lines


def machine(rows):
    """The machine's limits: lines with copy bandwidth and the gemm crate's rate."""
    for threads in sorted({row["threads"] for row in rows}):
        mine = [row for row in measured(rows) if row["threads"] == threads]
        copies = sorted(row["copy"] for row in mine if "copy" in row)
        parts = []
        if copies:
            parts.append(f"copy {copies[len(copies) // 2] / 1e9:.1f} GB/s")
        parts += [
            f"gemm crate, f32 1024³, {row['gemm_crate'] / 1e9:.1f} GFLOP/s"
            for row in mine
            if "gemm_crate" in row
        ]
        if parts:
            yield f"{counted(threads, 'thread')}: {', '.join(parts)}"


def bars(rows, latency):
    """[(what, value, bound, whether it is met)]"""
    good = measured(rows)
    found = []

    def at_least(what, value, bound):
        found.append((what, f"{value:.2f}", f"≥ {bound}", value >= bound))

    def at_most(what, value, bound):
        found.append((what, f"{value:.2f}", f"≤ {bound}", value <= bound))

    if good:
        at_least(f"geometric mean of {len(good)}", geometric_mean(map(ratio, good)), 1.24)
        worst = min(good, key=ratio)
        name = f"slowest: {worst['op']}, {worst['size']}, {counted(worst['threads'], 'thread')}"
        at_least(name, ratio(worst), 0.8)
    for row in good:
        if row["op"] in ("add", "softmax") and "copy" in row:
            what = f"{row['op']} in memory ÷ copy, {counted(row['threads'], 'thread')}"
            at_least(what, row["bytes"] / row["ours"] / row["copy"], 0.9)
        if "gemm_crate" in row:
            what = f"matmul 1024³ ÷ gemm crate, {counted(row['threads'], 'thread')}"
            at_least(what, row["flops"] / row["ours"] / row["gemm_crate"], 0.85)
    for kernel, bound in COMPILE_MS.items() if latency else ():
        at_most(f"compile {kernel}, ms", latency["compile_ms"][kernel], bound)
    for kernel, time in latency["disk_ms"].items() if latency else ():
        at_most(f"{kernel} from the disk in another process, ms", time, DISK_MS)
    for key, bound in LAUNCH_US.items() if latency else ():
        at_most(f"launch, {key.removesuffix('_us')}, µs", latency["launch"][key], bound)
    return found


def bar_lines(rows, latency):
    return bar_table(bars(rows, latency))


def bounds_table(rows):
    """A line per kernel: its time with checks of bounds ÷ without, for each number of threads."""
    threads = sorted({row["threads"] for row in rows})
    yield f"| kernel | {' | '.join(counted(n, 'thread') for n in threads)} |"
    yield f"|---|{'---:|' * len(threads)}"
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        of = {r["threads"]: r["checked"] / r["unchecked"] for r in rows if r["kernel"] == kernel}
        yield f"| {kernel} | {' | '.join(f'{of[n]:.2f}' for n in threads)} |"


def summary(rows):
    """The part of README.md about kernels: a line per op with geometric means over the sizes."""
    good = measured(rows)
    if not good:
        return
    worst = min(good, key=ratio)
    threads = sorted({row["threads"] for row in good})
    yield (
        f"{PEER}'s time ÷ Trident's, geometric mean over {len(good)} configurations: "
        f"{geometric_mean(map(ratio, good)):.2f} (above 1: Trident is faster). "
        f"The lowest ratio is {ratio(worst):.2f}: {worst['op']}, {worst['size']}, "
        f"{counted(worst['threads'], 'thread')}."
    )
    yield ""
    yield f"| op | {' | '.join(counted(n, 'thread') for n in threads)} |"
    yield f"|---|{'---:|' * len(threads)}"
    for op in dict.fromkeys(row["op"] for row in good):
        of = [[ratio(r) for r in good if (r["op"], r["threads"]) == (op, n)] for n in threads]
        yield f"| {op} | {' | '.join(f'{geometric_mean(ratios):.2f}' for ratios in of)} |"


def processor():
    """The processor's name as the system reports it."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def processor_line(versions):
    """Where the figures come from: machine and versions."""
    names = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"Machine: {processor()}, {os.cpu_count()} logical cores. {names}."


def markdown(rows, latency, versions):
    """The part of docs/benchmarks.md about kernels."""
    lines = [
        processor_line(versions),
        "",
        "Triton kernels (from `examples/triton` and `xtask/python/kernel_bench`) and PyTorch "
        "eager, f32, in turns in one process. A figure is the median over the turns. Kernels "
        "are launched as compiled kernels, `compiled[grid](…)`. Both sides write to outputs that "
        "were allocated before, except in layer norm and attention: PyTorch has no `out=` for "
        "these, and allocates. Ratio: PyTorch's time ÷ Trident's; above 1, Trident is faster. "
        f"Geometric mean: {geometric_mean(map(ratio, measured(rows))):.2f}.",
        "",
        *(f"- {line}" for line in machine(rows)),
        "",
        *bar_lines(rows, latency),
        "",
        *table(rows),
    ]
    return "\n".join(lines)
