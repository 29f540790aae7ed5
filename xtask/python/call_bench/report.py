"""Bars of the calls, and the tables of their figures."""

from markdown import bar_table

from . import ENGINE, MODEL, PEER, SESSION

#: Microseconds that `model(x)` may take beyond the engine's run.
ABOVE_ENGINE = 5.0
#: A call's time ÷ that of ONNX Runtime's `InferenceSession.run`.
OF_PEER = 0.8
#: Calls per second of threads on one model ÷ those of threads with models of their own.
SHARED = 0.9


def bars(figures):
    """[(what, value, bound, whether it is met)]"""
    found, calls = [], figures["calls"]

    def at_most(what, value, bound):
        found.append((what, f"{value:.2f}", f"≤ {bound}", value <= bound))

    above = (calls[MODEL]["median"] - calls[ENGINE]["median"]) * 1e6
    at_most("model(x) above the engine's run, µs", above, ABOVE_ENGINE)
    if PEER in calls:
        for way in (MODEL, SESSION):
            at_most(f"{way} ÷ {PEER}", calls[way]["of_peer"], OF_PEER)
    for row in figures["threads"]:
        ratio = row["one"] / row["each"]
        what = f"{row['subject']}, {row['way']}: one for all threads ÷ one each"
        found.append((what, f"{ratio:.2f}", f"≥ {SHARED}", ratio >= SHARED))
    return found


def bar_lines(figures):
    return bar_table(bars(figures))


def call_lines(figures):
    """Markdown lines: microseconds of each way to make the call."""
    yield f"| {figures['subject']} | median, µs | least, µs | ÷ {PEER} |"
    yield "|---|---:|---:|---:|"
    for name, times in figures["calls"].items():
        ratio = f"{times['of_peer']:.2f}" if "of_peer" in times else "–"
        yield f"| {name} | {times['median'] * 1e6:.2f} | {times['least'] * 1e6:.2f} | {ratio} |"


def thread_lines(figures):
    """Markdown lines: calls per second of the threads."""
    count = figures["thread_count"]
    yield f"| {count} threads | by | one for all, calls/s | one each, calls/s | ratio |"
    yield "|---|---|---:|---:|---:|"
    for row in figures["threads"]:
        one, each = row["one"], row["each"]
        cells = f"{one:,.0f} | {each:,.0f} | {one / each:.2f}"
        yield f"| {row['subject']} | {row['way']} | {cells} |"
