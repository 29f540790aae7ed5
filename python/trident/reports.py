"""Tables of what a model does: plain in a terminal, and HTML in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One step of a plan."""

    #: Nesting depth in control flow.
    depth: int
    #: The op; for a region of several, the first.
    op: str
    #: Number of ops in the step.
    ops: int
    #: The node's name, empty if it has none.
    node: str
    kernel: str
    device: str
    #: Why this device.
    reason: str
    #: Operations of one run, where the dimensions are known.
    flops: float | None
    #: Bytes of constants in the kernel's own layout.
    packed_bytes: int
    #: Types of the results.
    results: list[str]


@dataclass(frozen=True)
class Inspection:
    """How a model will run. ``print`` shows it as a table.

    >>> import trident
    >>> plan = trident.Model("digits.onnx").inspect({"image": (1, 1, 8, 8)})
    >>> print(plan.steps[0].op, plan.steps[0].results)
    fused_conv ['f32[1, 32, 8, 8]']
    >>> plan.unplanned
    0
    """

    #: The model with its inputs and outputs.
    model: str
    steps: list[Step]
    constant_bytes: int
    packed_bytes: int
    #: Bytes of the memory that intermediate values share.
    arena_bytes: int
    #: Constants, intermediate values and results together, in bytes.
    peak_bytes: int
    #: Steps with a result whose size is known only when they run.
    unplanned: int
    #: Operations of one run, as far as known.
    flops: float
    #: What makes runs slower than they could be, if anything.
    note: str | None

    @staticmethod
    def of(model: str, plan: dict[str, Any]) -> Inspection:
        """Make one of the dictionary that ``_trident`` gives."""
        steps = [Step(**step) for step in plan.pop("steps")]
        return Inspection(model, steps, **plan)

    def _table(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("node", "op", "kernel", "device", "results")]
        for step in self.steps:
            op = step.op if step.ops == 1 else f"{step.op} and {step.ops - 1} more"
            name = "  " * step.depth + step.node
            rows.append((name, op, step.kernel, step.device, ", ".join(step.results)))
        return rows

    def _summary(self) -> str:
        text = f"{len(self.steps)} steps, {_bytes(self.peak_bytes)} at the peak"
        return text if self.note is None else f"{text}; {self.note}"

    def __str__(self) -> str:
        return "\n".join([self.model, "", _plain(self._table()), "", self._summary()])

    def _repr_html_(self) -> str:
        title = f"<p><code>{html.escape(self.model)}</code></p>"
        return f"{title}{_html(self._table())}<p>{html.escape(self._summary())}</p>"


@dataclass(frozen=True)
class Event:
    """One step of a run. Times are in seconds."""

    node: str
    op: str
    kernel: str
    device: str
    #: Time from the start of the run.
    start: float
    #: Its duration, including nested steps.
    duration: float
    #: Bytes of operands and results.
    bytes: int
    #: Types of operands and results.
    types: str
    #: Operations; 0 for a region of several ops.
    flops: float


@dataclass(frozen=True)
class Profile:
    """A measured run. ``print`` shows it as a table, the longest steps first.

    >>> import numpy as np, trident
    >>> measured = trident.Model("digits.onnx").profile(np.zeros((1, 1, 8, 8), np.float32))
    >>> longest = max(measured.events, key=lambda event: event.duration)
    >>> longest.duration < measured.total
    True
    """

    #: What a call would have returned.
    results: Any = field(repr=False)
    events: list[Event]
    #: Seconds of the whole run.
    total: float

    @staticmethod
    def of(results: Any, profile: dict[str, Any]) -> Profile:
        """Make one of what ``_trident`` gives."""
        return Profile(results, [Event(**event) for event in profile["events"]], profile["total"])

    def _table(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("node", "op", "kernel", "device", "ms", "%")]
        for event in sorted(self.events, key=lambda event: -event.duration):
            share = 100 * event.duration / self.total if self.total else 0.0
            time = f"{1e3 * event.duration:.3f}", f"{share:.1f}"
            rows.append((event.node, event.op, event.kernel, event.device, *time))
        return rows

    def __str__(self) -> str:
        return f"{_plain(self._table())}\n\n{1e3 * self.total:.3f} ms"

    def _repr_html_(self) -> str:
        return f"{_html(self._table())}<p>{1e3 * self.total:.3f} ms</p>"


def _bytes(size: int) -> str:
    number = float(size)
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.4g} {unit}"
        number /= 1024
    return f"{number:.4g} GiB"


def _plain(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _html(rows: Sequence[Sequence[str]]) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    head, *body = rows
    lines = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in body)
    return f"<table><tr>{cells(head, 'th')}</tr>{lines}</table>"
