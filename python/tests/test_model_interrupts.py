"""Ops that take longer than a second end early, and the model goes on."""

import os
import signal
import threading

import numpy as np
import pytest
from onnx_bytes import model, node, tensor, tensor_type
from stopwatch import Stopwatch

import trident

FLOATS, INTEGERS, ONE = tensor_type("float32"), tensor_type("int64"), tensor_type("float32", [])
#: The longest that the end of a run may take, in seconds with cores.
LIMIT = 1.0


def product(size, dtype):
    ty = tensor_type(dtype, ["N", "N"])
    file = model([node("MatMul", ["a", "b"], ["y"], "op")], {"a": ty, "b": ty}, {"y": ty})
    a = np.ones((size, size), dtype)
    return file, [a, a]


def convolution():
    x = np.ones((1, 512, 96, 96), np.float32)
    w = np.ones((512, 512, 7, 7), np.float32)
    types = {"x": tensor_type("float32", x.shape), "w": tensor_type("float32", w.shape)}
    nodes = [node("Conv", ["x", "w"], ["y"], "op", pads=[3, 3, 3, 3])]
    return model(nodes, types, {"y": FLOATS}), [x, w]


def recurrence():
    x = np.ones((20_000, 8, 32), np.float32)
    w = np.zeros((1, 1024, 32), np.float32)
    r = np.zeros((1, 1024, 256), np.float32)
    types = {"x": tensor_type("float32", ["T", 8, 32])}
    types |= {"w": tensor_type("float32", w.shape), "r": tensor_type("float32", r.shape)}
    nodes = [node("LSTM", ["x", "w", "r"], ["y"], "op", hidden_size=256)]
    return model(nodes, types, {"y": FLOATS}), [x, w, r]


def suppression():
    rng = np.random.default_rng(0)
    boxes = rng.random((1, 60_000, 4), np.float32)
    scores = rng.random((1, 1, 60_000), np.float32)
    types = {
        "boxes": tensor_type("float32", [1, "N", 4]),
        "scores": tensor_type("float32", [1, 1, "N"]),
        "most": tensor_type("int64", []),
        "overlap": ONE,
    }
    nodes = [node("NonMaxSuppression", list(types), ["y"], "op")]
    return model(nodes, types, {"y": INTEGERS}), [boxes, scores, np.int64(1 << 40), np.float32(1)]


def order():
    x = np.random.default_rng(0).random(8_000_000, np.float32)
    types = {"x": tensor_type("float32", ["N"]), "k": tensor_type("int64", [1])}
    nodes = [node("TopK", ["x", "k"], ["y", "places"], "op")]
    return model(nodes, types, {"y": FLOATS, "places": INTEGERS}), [x, np.array([len(x)])]


CASES = {
    "product": lambda: product(4500, "float32"),
    "product of integers": lambda: product(1500, "int64"),
    "convolution": convolution,
    "recurrence": recurrence,
    "suppression": suppression,
    "order": order,
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_one_long_op_ends_at_the_time_limit(case, threads):
    file, args = CASES[case]()
    run = trident.Model(file, threads=threads, time_limit=0.1)
    watch = Stopwatch()
    with pytest.raises(trident.ModelError, match="its time limit of 100ms has passed") as caught:
        run(*args)
    assert watch.had_cores() < LIMIT and caught.value.node == "op"


def test_a_switch_ends_one_long_op():
    file, args = product(4500, "float32")
    run, stop = trident.Model(file), trident._trident.Stop()
    out = np.zeros((4500, 4500), np.float32)
    threading.Timer(0.1, stop.stop).start()
    watch = Stopwatch()
    with pytest.raises(trident.ModelError, match="cancelled"):
        run.run(dict(zip("ab", args)), out={"y": out}, stop=stop)
    assert watch.had_cores() < 0.1 + LIMIT
    # The model and its threads are as they were.
    a = np.eye(300, dtype=np.float32)
    b = np.arange(90_000, dtype=np.float32).reshape(300, 300)
    assert np.array_equal(run(a, b), b)


def test_an_interrupt_ends_one_long_op():
    file, args = product(4500, "float32")
    run = trident.Model(file)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    watch = Stopwatch()
    with pytest.raises(KeyboardInterrupt):
        run(*args)
    assert watch.had_cores() < 0.2 + LIMIT
    small = np.eye(8, dtype=np.float32)
    assert np.array_equal(run(small, small), small)


def folded(count):
    """A model whose load computes ``count`` products of matrices."""
    names = ["w", *(f"p{i}" for i in range(count)), "y"]
    products = [node("MatMul", [a, "w"], [b]) for a, b in zip(names, names[1:-1])]
    last = node("Add", [names[-2], "x"], ["y"])
    weights = [tensor("w", np.full((1000, 1000), 1e-3, np.float32))]
    return model([*products, last], {"x": FLOATS}, {"y": FLOATS}, weights)


def test_an_interrupt_ends_a_load(tmp_path):
    path = tmp_path / "folded.onnx"
    path.write_bytes(folded(1))
    small = trident.Model(path)
    path.write_bytes(folded(400))
    for load in (lambda: trident.Model(path), lambda: small.compile(tmp_path / "folded.mps")):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        watch = Stopwatch()
        with pytest.raises(KeyboardInterrupt):
            load()
        assert watch.had_cores() < 0.2 + LIMIT
    assert not (tmp_path / "folded.mps").exists()
    # The model that was to be compiled, and later loads, are as they were.
    x = np.zeros((1000, 1000), np.float32)
    path.write_bytes(folded(2))
    y = trident.Model(path)(x)
    assert np.allclose(y, 1e-3, rtol=1e-4) and np.allclose(small(x), 1e-3, rtol=1e-4)
