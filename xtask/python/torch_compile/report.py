"""Tables of the measured functions."""

from kernel_bench.report import geometric_mean, measured, processor_line
from markdown import counted

PEERS = {"cpp": "Inductor's C++ back end", "eager": "eager"}


def ratio(row, peer):
    """The peer's time ÷ ours: above 1 is faster."""
    return row[peer] / row["ours"]


def means(rows):
    """A line for each number of threads, with geometric means over the functions."""
    for threads in sorted({row["threads"] for row in measured(rows)}):
        mine = [row for row in measured(rows) if row["threads"] == threads]
        found = ", ".join(
            f"{name} {geometric_mean(ratio(row, peer) for row in mine):.2f}"
            for peer, name in PEERS.items()
        )
        mean = f"geometric mean of {len(mine)}, time ÷ Trident's: {found}"
        yield f"{counted(threads, 'thread')}, {mean}"


def table(rows):
    """Markdown lines: a row per function and number of threads."""
    lines = [
        "| function | type | of | threads | Trident, ms | C++, ms | eager, ms | C++ ÷ Trident "
        "| eager ÷ Trident |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        if "error" in row:
            said = row["error"].replace("|", "\\|")
            lines.append(f"| {row['function']} | {said} | | {row['threads']} | | | | | |")
            continue
        times = " | ".join(f"{row[key] * 1e3:,.2f}" for key in ("ours", *PEERS))
        ratios = " | ".join(f"{ratio(row, peer):.2f}" for peer in PEERS)
        head = f"| {row['function']} | {row['type']} | {row['direction']} | {row['threads']} | "
        lines.append(f"{head}{times} | {ratios} |")
    return lines


def markdown(rows, versions):
    """The part of docs/benchmarks.md about compiled functions."""
    return "\n".join(
        [
            processor_line(versions),
            "",
            "Functions of `xtask/python/torch_compile`, run in three ways: `torch.compile` with "
            "Inductor's Triton back end on Trident, `torch.compile` with Inductor's C++ back end "
            "(g++), and PyTorch eager. They take turns in one process; a figure is the median over "
            "the turns. Before a function is timed, its results are compared with eager in f64. "
            "Ratios above 1: Trident is faster.",
            "",
            *(f"- {line}" for line in means(rows)),
            "",
            *table(rows),
        ]
    )
