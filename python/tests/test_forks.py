"""Children that are forked while other threads launch kernels: each launches and compiles."""

import os
import threading

import numpy as np
import pytest
import triton
import triton.language as tl
from forked import fork

import trident

FORKS = 200

pytestmark = pytest.mark.skipif(
    os.environ.get("TRIDENT_DEVICE", "cpu").strip() not in ("", "cpu"),
    reason="other devices do not support their use after a fork",
)


@triton.jit
def scale_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.exp(tl.load(x + i, mask=i < n)) * 2, mask=i < n)


def scale(x, block=256):
    out = np.zeros_like(x)
    scale_kernel[(triton.cdiv(len(x), block),)](x, out, len(x), BLOCK=block)
    return out


def forks_during(work, body, number):
    """The outcomes of children that are forked while three threads call `work` again and again."""
    done = threading.Event()

    def repeat():
        while not done.is_set():
            work()

    threads = [threading.Thread(target=repeat) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        return [fork(body) for _ in range(number)]
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_of_a_launching_parent_launch(floats):
    # Enough work for several threads.
    x = floats(300_000)
    expected = scale(x)

    def in_child():
        return all((scale(x) == expected).all() for _ in range(3))

    outcomes = forks_during(lambda: scale(x), in_child, FORKS)
    assert outcomes == [0] * FORKS


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_of_a_compiling_parent_compile(floats):
    x = floats(1000)
    expected = scale(x)
    text = scale_kernel.warmup(x, x, len(x), BLOCK=256, grid=(1,)).asm["ttir"]

    def compile_and_launch():
        out = np.zeros_like(x)
        trident.compile(text).launch(4, [x, out, len(x)])
        return (out == expected).all()

    assert forks_during(compile_and_launch, compile_and_launch, 40) == [0] * 40
