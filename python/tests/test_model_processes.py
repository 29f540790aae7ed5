"""Models in forked children, in signal handlers, and while the interpreter ends."""

import os
import subprocess
import sys

import pytest

BEFORE = """
import asyncio, atexit, gc, multiprocessing, os, pickle, signal, sys, threading, time
import numpy as np
import trident
from onnx_bytes import model, node, tensor, tensor_type, unary
from stopwatch import Stopwatch
from test_model import endless

run = trident.Model(unary("Neg", "float32"))
forever, counted = (trident.Model(file) for file in endless())
x = np.ones(4, np.float32)

def after(seconds, number):
    threading.Timer(seconds, os.kill, (os.getpid(), number)).start()

def wait(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""

#: Programs, with what they print.
PROGRAMS = {
    "threads that run when the interpreter ends": (
        """
def repeat():
    while True:
        run(x)

for target in [repeat] * 3 + [lambda: forever(x)]:
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.3)
print("end")
""",
        "end\n",
    ),
    "a thread that begins after the main thread has ended": (
        "threading.Thread(target=lambda: (time.sleep(0.2), print(run(x)))).start()",
        "[-1. -1. -1. -1.]\n",
    ),
    "handlers at exit, and objects that die last": (
        """
class Last:
    def __del__(self):
        self.print(self.run(self.x))

last, result = Last(), run(x)
last.run, last.x, last.print = run, x, print
last.itself = last
atexit.register(lambda: print(run(x)))
""",
        2 * "[-1. -1. -1. -1.]\n",
    ),
    "a task that is interrupted": (
        """
after(0.3, signal.SIGINT)
watch = Stopwatch()
try:
    asyncio.run(forever.run_async({"x": x}))
except KeyboardInterrupt:
    print("interrupted", watch.had_cores() < 1.3)
print(run(x))
""",
        "interrupted True\n[-1. -1. -1. -1.]\n",
    ),
    "handlers that use, close and fork": (
        """
def act(*_):
    print(run(x), flush=True)
    counted.close()
    child = os.fork()
    if child == 0:
        os._exit(7 if (run(x) == -x).all() else 1)
    print(wait(child))

signal.signal(signal.SIGINT, act)
after(0.2, signal.SIGINT)
try:
    while True:
        counted(x, np.int64(2000))
except trident.ModelError as error:
    print(error)
""",
        "[-1. -1. -1. -1.]\n7\nthe model is closed\n",
    ),
    "a child that goes on with its parent's run": (
        """
children = []
signal.signal(signal.SIGINT, lambda *_: children.append(os.fork()))
after(0.2, signal.SIGINT)
while not children:
    y = counted(x, np.int64(2000))
assert np.isinf(y).all() and (run(x) == -x).all()
print(wait(children[0]) if children[0] else "child", flush=True)
""",
        "child\n0\n",
    ),
    "children of a process whose threads run": (
        """
done = threading.Event()

def repeat():
    while not done.is_set():
        run(x)

threads = [threading.Thread(target=repeat) for _ in range(3)]
for thread in threads:
    thread.start()
outcomes = set()
for _ in range(30):
    child = os.fork()
    if child == 0:
        other = trident.Model(unary("Abs", "float32"))
        fine = (run(x) == -x).all() and (other(-x) == x).all()
        other.close()
        os._exit(0 if fine else 1)
    outcomes.add(wait(child))
done.set()
print(outcomes)
""",
        "{0}\n",
    ),
    "a pool of forked workers": (
        """
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(np.array_equal(pool.map(run, [x, 2 * x]), [-x, -2 * x]))
""",
        "True\n",
    ),
    "a sub-interpreter": (
        """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

other = interpreters.create()
program = f"import sys; sys.path[:] = {sys.path}" + '''
try:
    import trident
    print("imported", flush=True)
except ImportError as error:
    print("interpreter" in str(error), flush=True)
'''
interpreters.run_string(other, program)
interpreters.destroy(other)
print(run(x))
""",
        "True\n[-1. -1. -1. -1.]\n",
    ),
    "models that ask for more memory than there is": (
        """
for dims in ([1 << 20, 1 << 20], [1 << 40, 1 << 40], [-1, 4]):
    d = tensor("d", np.array(dims, np.int64))
    file = model([node("ConstantOfShape", ["d"], ["y"])], {}, {"y": tensor_type("float32")}, [d])
    try:
        pickle.loads(pickle.dumps(trident.Model(file, memory_limit=1 << 30)))()
    except trident.ModelError as error:
        print(len(str(error)) > 20)
print(run(x))
""",
        "True\nTrue\nTrue\n[-1. -1. -1. -1.]\n",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_processes(name):
    program, expected = PROGRAMS[name]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", BEFORE + program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert (run.stdout, run.returncode, run.stderr) == (expected, 0, "")
