"""Snippets as the field documents them for Triton on this kind of device, word for word where they
concern kernels."""

import numpy as np
import pytest
import triton
import triton.language as tl

from trident.triton_backend import settings


@pytest.fixture
def driver():
    """The driver; what a snippet sets is put back."""
    before = vars(settings.config).copy()
    made = triton.runtime.driver.MPSDriver()
    yield made
    made.set_kernel_config(**before)


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


def test_driver_configuration(driver, floats):
    driver.set_kernel_config(num_warps=8, num_stages=2, max_threads=512, shared_memory=16384)
    assert vars(settings.config) == {
        "num_warps": 8,
        "num_stages": 2,
        "max_threads": 512,
        "shared_memory": 16384,
    }
    properties = driver.utils.get_device_properties(driver.get_current_device())
    assert properties["max_shared_mem"] == 16384
    # 8 warps of the device's size are no more than 512 threads: the kernel runs.
    x, y, output = floats(3, 1000)
    kernel = add_kernel[(2,)](x, y, output, 1000, BLOCK_SIZE=512)
    np.testing.assert_array_equal(output, x + y)
    assert (kernel.metadata.num_warps, kernel.metadata.num_stages) == (8, 2)


def test_memory_pool_is_a_mapping(driver):
    memory_pool = driver.memory_pool()
    text = f"Current: {memory_pool['current_allocated']}, peak: {memory_pool['max_allocated']}"
    assert text == f"Current: {memory_pool.current_allocated}, peak: {memory_pool.max_allocated}"
    assert {**memory_pool} == dict(memory_pool.items())


@pytest.mark.parametrize("size", [98_432, 1, 1024])
def test_grid_as_a_function_of_meta(floats, size):
    x, y = floats(2, size)
    output = np.empty_like(x)
    n_elements = output.size
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)  # noqa: E731
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=1024)
    np.testing.assert_array_equal(output, x + y)


def test_device_detection():
    """How libraries find out where they are."""
    target = triton.runtime.driver.active.get_current_target()
    assert target.backend == "cpu" and target.backend in triton.backends.backends
    assert triton.runtime.driver.active.get_device_interface().current_device() == 0
    properties = triton.runtime.driver.active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] >= 1
