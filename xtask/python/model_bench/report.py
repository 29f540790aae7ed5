"""Tables of a benchmark run: medians, memory and start-up of each engine, and ratios."""

import math
import os
import platform

from .engines import BASELINE, ENGINES, ONNXRUNTIME, TRIDENT


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def peer_of(rows):
    """The reference of a comparison: the other build if there is one, else ONNX Runtime."""
    return BASELINE if any(BASELINE in row["engines"] for row in rows) else ONNXRUNTIME


def ratios(rows, engine, field):
    """`engine` ÷ its peer of each configuration that both ran."""
    name = peer_of(rows)
    for row in rows:
        mine, peer = row["engines"].get(engine), row["engines"].get(name)
        if mine and peer and "error" not in mine and "error" not in peer and peer[field] > 0:
            yield mine[field] / peer[field]


def cell(entry, field, scale, digits):
    if entry is None or "error" in entry:
        return "–"
    return f"{entry[field] / scale:,.{digits}f}"


def table(rows, field, scale, digits):
    """Markdown lines: a row per configuration, the engines, and Trident ÷ its peer."""
    engines = [e for e in (*ENGINES, BASELINE) if any(e in row["engines"] for row in rows)]
    ratio_title = f"{TRIDENT} ÷ {peer_of(rows)}"
    lines = [
        "| model | batch | threads | " + " | ".join(engines) + f" | {ratio_title} |",
        "|---|---|---|" + "---:|" * (len(engines) + 1),
    ]
    for row in rows:
        cells = [cell(row["engines"].get(e), field, scale, digits) for e in engines]
        ratio = "".join(f"{value:.2f}" for value in ratios([row], TRIDENT, field)) or "–"
        head = f"| {row['model']} | {row['batch']} | {row['threads']} | "
        lines.append(head + " | ".join(cells) + f" | {ratio} |")
    return lines


def summary(rows):
    """One line for each engine: geometric means of its ratios to its peer."""
    peer = peer_of(rows)
    for engine in ENGINES:
        times = list(ratios(rows, engine, "median_ms"))
        if engine == peer or not times:
            continue
        memory = geometric_mean(ratios(rows, engine, "memory_bytes"))
        startup = geometric_mean(ratios(rows, engine, "startup_ms"))
        yield (
            f"{engine} ÷ {peer}, geometric means over {len(times)} configurations: "
            f"time {geometric_mean(times):.2f}, memory {memory:.2f}, "
            f"load and first run {startup:.2f}"
        )


def print_report(rows):
    print("\nmedian latency, ms")
    print("\n".join(table(rows, "median_ms", 1, 2)))
    print("\npeak resident memory, MiB")
    print("\n".join(table(rows, "memory_bytes", 2**20, 0)))
    print()
    print("\n".join(summary(rows)))


def processor():
    """The processor's name as the system reports it."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def markdown(rows, versions):
    """The part of docs/benchmarks.md about models."""
    names = ", ".join(f"{name} {version}" for name, version in versions.items())
    lines = [
        f"Machine: {processor()}, {os.cpu_count()} logical cores. Other engines: {names}.",
        "",
        "Each engine runs in its own process, and the engines take turns. A round gives the "
        "median of its runs; the figure is the median of the rounds. The nine image models are "
        "the `light` models of the ONNX backend suite with random weights; minilm has a sequence "
        "of 128 tokens. Memory is the peak resident size; from that of ONNX Runtime, the memory "
        "of Python and NumPy is subtracted. –: the engine does not run the model.",
        "",
        *(f"- {line}" for line in summary(rows)),
        "",
        "### Median latency, ms",
        "",
        *table(rows, "median_ms", 1, 2),
        "",
        "### Peak resident memory, MiB",
        "",
        *table(rows, "memory_bytes", 2**20, 0),
        "",
        "### Load and first run, ms",
        "",
        *table(rows, "startup_ms", 1, 1),
    ]
    return "\n".join(lines)
