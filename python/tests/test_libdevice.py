"""CUDA's device library on the CPU."""

import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cpu import libdevice as cpu_libdevice
from triton.language.extra.cpu.libdevice import tanh as cpu_tanh

from trident import libdevice as ours


def test_every_function_of_upstream_exists():
    names = {n for n in dir(libdevice) if not n.startswith("_")}
    assert len(names) > 190
    assert names <= set(dir(ours))


@triton.jit
def unary_kernel(x, out, N: tl.constexpr, FUNCTION: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    if FUNCTION == "tanh":
        values = libdevice.tanh(values)
    elif FUNCTION == "erf":
        values = libdevice.erf(values)
    elif FUNCTION == "expm1":
        values = libdevice.expm1(values)
    elif FUNCTION == "asinh":
        values = libdevice.asinh(values)
    else:
        values = libdevice.atan(values)
    tl.store(out + i, values)


@pytest.mark.parametrize("function", ["tanh", "erf", "expm1", "asinh", "atan"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_a_number(rng, function, dtype):
    x = rng.uniform(-4, 4, 64).astype(dtype)
    out = np.empty_like(x)
    unary_kernel[(1,)](x, out, N=64, FUNCTION=function)
    expected = [getattr(math, function)(float(v)) for v in x]
    np.testing.assert_allclose(out, expected, rtol=1e-6 if dtype == np.float32 else 1e-13)


@triton.jit
def cpu_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(out + i, cpu_libdevice.exp(values) + tl.extra.cpu.libdevice.sin(values))
    tl.store(out + N + i, cpu_tanh(values))


def test_the_name_under_which_libraries_look_for_a_cpus(rng):
    assert cpu_libdevice is tl.extra.cpu.libdevice is ours
    x = rng.uniform(-4, 4, 64)
    out = np.empty(128)
    cpu_kernel[(1,)](x, out, N=64)
    np.testing.assert_allclose(out[:64], np.exp(x) + np.sin(x), rtol=1e-12)
    np.testing.assert_allclose(out[64:], np.tanh(x), rtol=1e-12)


@triton.jit
def binary_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, libdevice.pow(a, b) + libdevice.atan2(a, b) + libdevice.fmod(a, b))


def test_functions_of_two_numbers(rng):
    x, y = rng.uniform(0.5, 4, (2, 64))
    out = np.empty_like(x)
    binary_kernel[(1,)](x, y, out, N=64)
    np.testing.assert_allclose(out, x**y + np.arctan2(x, y) + np.fmod(x, y), rtol=1e-12)


@triton.jit
def integer_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(out + i, libdevice.popc(values) * 100 + libdevice.clz(values))


def test_functions_of_integers(rng):
    x = rng.integers(1, 2**31, 32, dtype=np.int32)
    out = np.empty_like(x)
    integer_kernel[(1,)](x, out, N=32)
    assert out.tolist() == [int(v).bit_count() * 100 + 32 - int(v).bit_length() for v in x]


@triton.jit
def wrong_kernel(x):
    tl.store(x, libdevice.tanh(tl.load(x).to(tl.int32)))


def test_wrong_types_are_refused():
    with pytest.raises(triton.CompilationError, match=r"tanh takes \(fp32\) or \(fp64\)"):
        wrong_kernel[(1,)](np.zeros(1, np.float32))
