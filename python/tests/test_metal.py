"""Kernels on a Metal device: run where ``TRIDENT_DEVICE`` names one."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

import trident
from trident import _trident

pytestmark = pytest.mark.skipif(_trident.gpu() is None, reason="kernels run on the CPU")


@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2 * tl.load(x + at, mask=inside), mask=inside)


@pytest.mark.parametrize("n", [1, 1000, 100_003])
def test_arrays_are_used_where_they_are(floats, n):
    x = floats(n + 1)[1:]
    y = np.zeros_like(x)
    double[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    assert np.array_equal(y, 2 * x)
    double[(triton.cdiv(n, 256),)](x, x, n, BLOCK=256)
    assert np.array_equal(y, x)


def test_programs_are_listed():
    x = np.ones(8, np.float32)
    kernel = double[(1,)](x, x, 8, BLOCK=8)
    assert "kernel void double_" in kernel.asm["msl"]
    assert kernel.metadata.warp_size == 32
    assert triton.runtime.driver.active.get_current_target().backend == "mps"


def test_views_of_one_array_are_one_memory(floats):
    memory = floats(96)
    before = memory.copy()
    double[(1,)](memory, memory[8:], 32, BLOCK=32)
    assert np.array_equal(memory[8:40], 2 * before[:32])
    double[(1,)](memory[64:], memory[40:], 24, BLOCK=32)
    assert np.array_equal(memory[40:64], 2 * before[64:88])


def test_a_program_of_too_many_threads_is_out_of_resources():
    x = np.ones(8, np.float32)
    with pytest.raises(OutOfResources, match="threads"):
        double[(1,)](x, x, 8, BLOCK=8, num_warps=64)


@triton.jit
def halve(x, y):
    tl.store(y, tl.load(x) * 0.5)


def test_f64_is_refused_by_name():
    x = np.ones(1)
    with pytest.raises(trident.CompileError, match="f64"):
        halve[(1,)](x, np.empty_like(x))
