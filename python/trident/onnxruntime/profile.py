"""Profiles of runs in ONNX Runtime's form: a list of trace events, as Chrome's viewer reads it."""

import json
import os
import re
import threading
import time
from typing import Any

from trident.onnxruntime import types
from trident.onnxruntime.providers import TRIDENT

_TENSOR = re.compile(r"(\w+)\[([^\]]*)\]")


class Profile:
    """The events of a session since it was made. Threads may add to it."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._events: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        #: The start, in the nanoseconds of ``time.monotonic_ns``.
        self.start: int = time.monotonic_ns()

    def add_load(self, began: int) -> None:
        """Add the load of the model, which began at this time of ``time.monotonic_ns``."""
        self.start = began
        now = time.monotonic_ns()
        with self._lock:
            self._events.append(self._event("Session", "session_initialization", began, now, {}))

    def add_run(self, began: int, measured: dict[str, Any]) -> None:
        """Add a run that began at this time, with what ``trident.Model.profiled`` measured."""
        now = time.monotonic_ns()
        events: list[dict[str, Any]] = []
        for index, step in enumerate(measured["events"]):
            start = began + int(step["start"] * 1e9)
            end = start + int(step["duration"] * 1e9)
            name = f"{step['node'] or step['op']}_kernel_time"
            events.append(self._event("Node", name, start, end, _arguments(index, step)))
        events.append(self._event("Session", "model_run", began, now, {}))
        with self._lock:
            self._events += events

    def end(self) -> str:
        """Write the file; its name."""
        stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
        path = f"{self._prefix}_{stamp}.json"
        number = 1
        while os.path.exists(path):
            path = f"{self._prefix}_{stamp}_{number}.json"
            number += 1
        with self._lock, open(path, "x", encoding="utf-8") as file:
            lines = ",\n".join(json.dumps(event) for event in self._events)
            file.write(f"[\n{lines}\n]\n")
        return path

    def _event(
        self, category: str, name: str, start: int, end: int, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """An event from and to times in nanoseconds; the file has microseconds."""
        return {
            "cat": category,
            "pid": os.getpid(),
            "tid": threading.get_native_id(),
            "dur": (end - start) // 1000,
            "ts": (start - self.start) // 1000,
            "ph": "X",
            "name": name,
            "args": arguments,
        }


def _arguments(index: int, step: dict[str, Any]) -> dict[str, Any]:
    inputs, _, outputs = step["types"].partition(" -> ")
    return {
        "op_name": step["op"],
        "node_index": str(index),
        "provider": TRIDENT,
        "device": step["device"],
        "kernel": step["kernel"],
        "input_type_shape": _shapes(inputs),
        "output_type_shape": _shapes(outputs),
    }


def _shapes(text: str) -> list[dict[str, list[int]]]:
    """The tensors of a text such as ``f32[2, 3], i64[4]``."""
    shapes: list[dict[str, list[int]]] = []
    for name, dims in _TENSOR.findall(text):
        element = types.by_trident(name)
        sizes = [int(size) for size in dims.split(",") if size.strip().isdecimal()]
        shapes.append({element.name if element else name: sizes})
    return shapes
