"""Loading and unloading again and again gives all memory back."""

import numpy as np
import onnx
from onnx import helper

from . import repository
from .tensors import expect

WIDTH = 700  # of the square matrix of weights: 2 MB
TOLERANCE = 0.02
WARM = 5  # reloads before those that count
WINDOW = 10  # reloads at the start, and at the end, that are compared


def weighted(models, name):
    """OUTPUT0 = INPUT0 times a matrix that doubles, plus 1."""
    inputs, outputs = {"INPUT0": ("FP32", [WIDTH])}, {"OUTPUT0": ("FP32", [WIDTH])}
    nodes = [
        helper.make_node("MatMul", ["INPUT0", "weights"], ["product"]),
        helper.make_node("Add", ["product", "one"], ["OUTPUT0"]),
    ]
    weights = {"weights": 2 * np.eye(WIDTH, dtype=np.float32), "one": np.ones(1, np.float32)}
    graph = repository.model(
        nodes, repository.batched(inputs), repository.batched(outputs), weights
    )
    onnx.checker.check_model(graph)
    models.add(name, graph, repository.configuration(inputs, outputs, batch=8))


def run(suite):
    models = suite.repository()
    weighted(models, "weighted")
    repository.add_one(models, "other")
    with suite.serve(models, ["other"]) as (running, http, _):
        reloads = suite.options.reloads
        case = f"{reloads} reloads"
        suite.check(case, lambda: flat(running, http, reloads), running, limit=600)
        suite.check("threads", lambda: threads(running, http), running)
        suite.check("the other model", lambda: answers(http, "other", 16, 1), running)


def answers(http, name, width, factor):
    x = np.random.default_rng(0).integers(-8, 8, (2, width)).astype(np.float32)
    expect({"OUTPUT0": factor * x + np.float32(1)}, http.infer(name, {"INPUT0": x}))


def cycle(http):
    http.load("weighted")
    answers(http, "weighted", WIDTH, np.float32(2))
    http.unload("weighted")


def flat(running, http, reloads):
    """Resident memory after the last reloads is what it was after the first.

    It differs between reloads by what the C library keeps for each of the threads of the server:
    maxima of a few reloads are compared.
    """
    for _ in range(WARM):
        cycle(http)
    sizes = []
    for _ in range(reloads):
        cycle(http)
        sizes.append(running.memory())
    window = min(WINDOW, max(1, reloads // 2))
    growth = max(sizes[-window:]) / max(sizes[:window]) - 1
    in_mib = [round(size / 2**20, 1) for size in sizes[:: max(1, reloads // 10)]]
    assert growth <= TOLERANCE, f"resident memory grew by {growth:.1%}: {in_mib} MiB"


def threads(running, http):
    """A model leaves no threads behind."""
    cycle(http)
    before = running.threads()
    for _ in range(10):
        cycle(http)
    after = running.threads()
    assert after <= before + 1, f"{before} threads, then {after}"
