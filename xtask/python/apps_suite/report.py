"""Tables of the programs' times and memory."""

from model_bench.report import geometric_mean

from .turns import ONNXRUNTIME, TRIDENT

# Title, field, divisor, decimals.
COLUMNS = (
    ("seconds", "seconds", 1, 2),
    ("loading, s", "load_seconds", 1, 2),
    ("working, s", "work_seconds", 1, 2),
    ("peak, MiB", "peak_bytes", 2**20, 0),
    ("above libraries, MiB", "engine_bytes", 2**20, 0),
)


def print_row(row):
    """One program, as soon as it is measured."""
    if "error" in row:
        print(f"{row['app']}: {row['error']}", flush=True)
        return
    for name, fault in row["faults"].items():
        print(f"{row['app']}: {name}: {fault}", flush=True)
    same = row["samples"] - len(row["faults"])
    print(f"{row['app']}: {same} of {row['samples']} samples agree", flush=True)


def ratio(row, field):
    return row["engines"][TRIDENT][field] / row["engines"][ONNXRUNTIME][field]


def total(rows, field):
    """Trident's sum over the programs ÷ ONNX Runtime's."""
    mine, reference = (
        sum(row["engines"][engine][field] for row in rows) for engine in (TRIDENT, ONNXRUNTIME)
    )
    return mine / reference


def table(rows):
    """Markdown lines: for each figure ONNX Runtime's, Trident's, and their ratio."""
    titles = " | ".join(title for title, *_ in COLUMNS)
    lines = [f"| program | {titles} |", "|---|" + "---:|" * len(COLUMNS)]
    for row in rows:
        cells = []
        for _, field, scale, digits in COLUMNS:
            reference, mine = (
                row["engines"][engine][field] / scale for engine in (ONNXRUNTIME, TRIDENT)
            )
            cells.append(f"{reference:,.{digits}f} → {mine:,.{digits}f} ({ratio(row, field):.2f})")
        lines.append(f"| {row['app']} | {' | '.join(cells)} |")
    return lines


def print_report(rows, time, memory):
    """Print the table and the totals; whether a total misses its bar."""
    rows = [row for row in rows if "error" not in row]
    if not rows:
        return True
    print("\nONNX Runtime → Trident (ratio), medians; seconds without the interpreter's start")
    print("\n".join(table(rows)))
    missed = False
    for name, field, most in (("time", "seconds", time), ("memory", "engine_bytes", memory)):
        value = total(rows, field)
        mean = geometric_mean(ratio(row, field) for row in rows)
        missed |= value > most
        print(f"{name}: total ratio {value:.2f}, at most {most}; geometric mean {mean:.2f}")
    print(f"memory of whole processes: total ratio {total(rows, 'peak_bytes'):.2f}")
    return missed
