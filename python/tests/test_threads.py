"""Threads that share kernels, models and the cache.

Each program is a process of its own, since threads that wait for each other would stop these tests.
They also run where Python has no interpreter lock.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
#: The longest that a program may take, in seconds. After a deadlock it shows where threads are.
LIMIT = 300

BEFORE = f"""
import faulthandler, sys, threading
faulthandler.dump_traceback_later({LIMIT - 20}, exit=True)
import numpy as np
import trident
from onnx_bytes import map_type, model, node, sequence_type, tensor, tensor_type, unary

has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
# Threads change places as often as possible.
sys.setswitchinterval(1e-6)
failures = []

def together(*bodies):
    "Run the functions at the same time, each in a thread."
    gate = threading.Barrier(len(bodies))

    def guarded(body):
        gate.wait()
        try:
            body()
        except BaseException as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures

DOUBLE = '''
module {{
  tt.func public @double(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {{noinline = false}} {{
    %r = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32>
    %a = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %p = tt.addptr %a, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %s = arith.addf %v, %v : tensor<128xf32>
    %b = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %q = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %q, %s : tensor<128x!tt.ptr<f32>>
    tt.return
  }}
}}
'''

def launches(kernel, times=1):
    def body():
        x = np.arange(128, dtype=np.float32)
        for _ in range(times):
            out = np.zeros_like(x)
            kernel.launch(1, [x, out])
            assert (out == 2 * x).all()

    return body

TYPE = tensor_type("float32", ["M", "N"])
rng = np.random.default_rng(0)
weight = rng.standard_normal((64, 64), dtype=np.float32)
PRODUCT = model(
    [node("MatMul", ["x", "w"], ["h"]), node("Softmax", ["h"], ["y"])],
    {{"x": TYPE}},
    {{"y": TYPE}},
    [tensor("w", weight)],
)
inputs = [rng.standard_normal((rows, 64), dtype=np.float32) for rows in range(1, 9)]
"""

PROGRAMS = {
    "the first launches of a kernel": """
# Comments, so that reading the names of the parameters takes longer than a turn of a thread.
long = DOUBLE + "// a comment\\n" * 100_000
for _ in range(5):
    kernel = trident.compile(long)
    together(*[launches(kernel)] * 8)
""",
    "launches of a kernel": """
kernel = trident.compile(DOUBLE)
together(*[launches(kernel, 100)] * 8)
""",
    "one model": """
shared = trident.Model(PRODUCT)
expected = [shared(x) for x in inputs]

def runs(i):
    def body():
        for _ in range(50):
            for x, y in zip(inputs[i:] + inputs[:i], expected[i:] + expected[:i]):
                assert (shared(x) == y).all()

    return body

together(*map(runs, range(8)))
assert shared.copied_bytes == {"inputs": 0, "outputs": 0}
""",
    "a model for each thread": """
expected = trident.Model(PRODUCT)(inputs[7])

def body():
    for _ in range(10):
        with trident.Model(PRODUCT, threads=1) as own:
            result = own(inputs[7])
        assert (result == expected).all()
        assert own.is_closed

together(*[body] * 8)
""",
    "a model that is closed": """
for _ in range(20):
    shared = trident.Model(PRODUCT)

    def runs():
        try:
            while True:
                assert shared(inputs[3]).shape == (4, 64)
        except trident.ModelError as error:
            assert "closed" in str(error), error

    together(*[runs] * 7, shared.close)
""",
    "inputs that change": """
shared = trident.Model(PRODUCT)
expected = shared(inputs[0])
given = {"x": inputs[0]}
ended = threading.Event()

def changes():
    try:
        for i in range(2000):
            given[f"other {i % 7}"] = None
            given.pop(f"other {(i + 3) % 7}", None)
    finally:
        ended.set()

def runs():
    while not ended.is_set():
        try:
            assert (shared.run(given)["y"] == expected).all()
        except trident.ModelError as error:
            assert "has no input `other" in str(error), error

together(*[runs] * 7, changes)
""",
    "a map that changes": """
sizes = tensor_type("float32")
file = model(
    [node("DictVectorizer", ["x"], ["y"], "", "ai.onnx.ml", int64_vocabulary=list(range(50)))],
    {"x": map_type("int64", sizes)},
    {"y": tensor_type("float32", [50])},
)
shared = trident.Model(file)
given = {i: float(i) for i in range(50)}
ended = threading.Event()

def changes():
    try:
        for i in range(3000):
            given[i % 50] = given.pop(i % 50)
    finally:
        ended.set()

def runs():
    while not ended.is_set():
        row = shared(given)
        assert all(value in (0, i) for i, value in enumerate(row)), row

together(*[runs] * 7, changes)
""",
    "the cache": """
import os, tempfile

os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()

def body(i):
    def work():
        for round in range(20):
            kernel = trident.compile(DOUBLE)
            image = kernel.save("a kernel")
            trident._trident.keep("a kernel", image)
            kept = trident._trident.kept("a kernel")
            launches(trident.load(image, "a kernel") if kept is None else kept[2])()
            if (round + i) % 5 == 0:
                trident.cache_clear()

    return work

together(*map(body, range(8)))
""",
    "callbacks of runs": """
import trident.onnxruntime as ort

session = ort.InferenceSession(PRODUCT)
(expected,) = session.run(None, {"x": inputs[4]})
lock, seen, done = threading.Lock(), [], threading.Semaphore(0)

def ended(results, wanted, error):
    with lock:
        seen.append(not error and (results[0] == expected).all() and wanted)
    done.release()

def body(i):
    def work():
        for round in range(20):
            session.run_async(None, {"x": inputs[4]}, ended, (i, round))

    return work

together(*map(body, range(8)))
for _ in range(160):
    assert done.acquire(timeout=60)
assert sorted(seen) == [(i, round) for i in range(8) for round in range(20)], seen
""",
    "collections of garbage": """
import gc

shared, kernel = trident.Model(PRODUCT), trident.compile(DOUBLE)
expected = shared(inputs[5])
ended = threading.Event()

class Cycle:
    pass

def collects():
    while not ended.is_set():
        gc.collect()

def runs():
    for _ in range(100):
        cycle = Cycle()
        cycle.itself, cycle.result = cycle, shared(inputs[5])
        launches(kernel)()
        assert (cycle.result == expected).all()

def all_runs():
    together(*[runs] * 6)
    ended.set()

together(collects, all_runs)
""",
    "settings": """
def counts():
    for i in range(100):
        trident.threads = i % 3
        assert trident.threads >= 1
        assert trident.num_threads() >= 1

def opens():
    for _ in range(30):
        assert trident.devices()
        assert trident.Model(PRODUCT)(inputs[2]).shape == (3, 64)

together(*[counts] * 4, *[opens] * 4)
""",
}


def outcome(program, **variables):
    """What a program prints, in a process that has so long."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
        **variables,
    }
    command = [sys.executable, "-X", "dev", "-c", BEFORE + program + "\nprint('done', has_lock)"]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    return ended.stdout.split()


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_share(name):
    """Every thread gets the results that it would get alone."""
    assert outcome(PROGRAMS[name])[0] == "done"


def test_module_needs_no_interpreter_lock():
    """The package leaves the interpreter lock off where Python runs without it."""
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("this Python has an interpreter lock")
    assert outcome("trident.Model(PRODUCT)(inputs[0])") == ["done", "False"]
