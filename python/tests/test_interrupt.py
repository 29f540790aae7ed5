"""Ctrl-C ends kernels that run forever, and the process stays usable."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading
import numpy as np, triton, triton.language as tl
import trident
from stopwatch import Stopwatch


@triton.jit
def spin(flag, out, LOOP: tl.constexpr, N: tl.constexpr):
    pid = tl.program_id(0)
    if LOOP == "while":
        while tl.load(flag + pid, volatile=True) == 0:
            pass
    elif LOOP == "lock":
        while tl.atomic_cas(flag + pid, 0, 0) == 0:
            pass
    elif LOOP == "blocks":
        i = tl.arange(0, N)
        total = tl.zeros((N,), tl.float32)
        # Without a flag, this runs for centuries.
        for j in tl.range(0, 1 << 60):
            if tl.load(flag + pid, volatile=True) == 0:
                total += tl.exp(total + i)
        tl.store(out + i, total.to(tl.int32))
    tl.store(out + pid, 1)


def interrupted(launch):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    watch = Stopwatch()
    try:
        launch()
    except KeyboardInterrupt:
        took, had_cores = watch.passed(), watch.had_cores()
        assert 0.4 < took and had_cores < 1.5, (took, had_cores)
    else:
        raise AssertionError("the launch ended by itself")


how, loop = sys.argv[1:]
flag, out = np.zeros(8, np.int32), np.zeros(1024, np.int32)
if how == "direct":
    compiled = spin.warmup(flag, out, LOOP=loop, N=1024, grid=(1,))
    kernels = [trident.compile(compiled.asm["ttir"], unchecked=u) for u in (True, False)]
    launches = [lambda n=n, k=k: k.launch(n, [flag, out]) for k in kernels for n in (1, 8)]
elif how == "autotune":
    tuned = triton.autotune([triton.Config({"N": n}) for n in (512, 1024)], key=[])(spin)
    launches = [lambda: tuned[(8,)](flag, out, LOOP=loop)]
else:
    launches = [lambda n=n: spin[(n,)](flag, out, LOOP=loop, N=1024) for n in (1, 8)]
    # All programs but the last end: the launching thread may be one that has nothing left to do.
    def last():
        flag[:7], flag[7] = 1, 0
        launches[1]()

    if loop != "blocks":
        launches.append(last)
for launch in launches:
    flag[:] = 0
    interrupted(launch)
flag[:], out[:] = 1, 0
spin[(8,)](flag, out, LOOP="none", N=1024)
assert (out[:8] == 1).all()
try:
    signal.signal(signal.SIGUSR1, lambda *_: flag.fill(1))
    if loop == "while" and how == "jit" and "TRIDENT_INTERPRET" not in os.environ:
        # Other handlers run while a kernel does, and do not stop it.
        flag[:], out[:] = 0, 0
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        spin[(8,)](flag, out, LOOP=loop, N=1024)
        assert (out[:8] == 1).all()
finally:
    print("done")
"""


@pytest.mark.parametrize("variable", [None, "TRIDENT_CHECK", "TRIDENT_INTERPRET"])
@pytest.mark.parametrize("loop", ["while", "lock", "blocks"])
@pytest.mark.parametrize("how", ["jit", "direct", "autotune"])
def test_a_kernel_that_runs_forever_ends(how, loop, variable, tmp_path):
    if how == "direct" and variable == "TRIDENT_CHECK":
        pytest.skip("its launches are unchecked and of bounds")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = os.environ | {"TRITON_DEFAULT_BACKEND": "trident"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    if variable:
        environment[variable] = "1"
    command = [sys.executable, str(file), how, loop]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and run.stdout == "done\n", run.stdout + run.stderr
