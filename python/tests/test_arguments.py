"""Arrays of any kind and numbers of any kind as arguments."""

import array

import numpy as np
import pytest
import triton
import triton.language as tl

import trident


@triton.jit
def copy_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)


class Tensor:
    """As PyTorch's: an address, an element type, and a device."""

    def __init__(self, data, device="cpu"):
        self.data, self.device = data, device
        self.dtype, self.nbytes = f"torch.{data.dtype}", data.nbytes

    def data_ptr(self):
        return self.data.ctypes.data


class Capsule:
    """An array that speaks DLPack only."""

    def __init__(self, data):
        self.data, self.dtype, self.ndim = data, data.dtype, data.ndim

    def __dlpack__(self, **_):
        return self.data.__dlpack__()

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


class OnGpu(Capsule):
    def __dlpack_device__(self):
        return 2, 0


class Interface:
    """An array that has NumPy's interface only."""

    def __init__(self, data):
        self.__array_interface__, self.dtype = data.__array_interface__, data.dtype
        self.data = data


WRAPPERS = [np.asarray, Tensor, Capsule, Interface, memoryview, lambda a: array.array("f", a)]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_arrays_of_any_library(floats, wrap):
    x, out = wrap(floats(16)), wrap(np.zeros(16, np.float32))
    copy_kernel[(1,)](x, out, 16, N=16)
    data = out if isinstance(out, (np.ndarray, memoryview, array.array)) else out.data
    source = x if isinstance(x, (np.ndarray, memoryview, array.array)) else x.data
    np.testing.assert_array_equal(np.asarray(data), np.asarray(source))


@pytest.mark.parametrize(
    "dtype",
    ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"],
)
def test_element_types(rng, dtype):
    x = rng.integers(0, 2 if dtype == "?" else 100, 16).astype(dtype)
    out = np.zeros_like(x)
    kernel = copy_kernel[(1,)](x, out, 16, N=16)
    np.testing.assert_array_equal(out, x)
    assert kernel.src.signature["x"].startswith("*")


def test_views_start_at_their_first_element(floats):
    x, out = floats(64), np.zeros(16, np.float32)
    copy_kernel[(1,)](x[5:], out, 16, N=16)
    np.testing.assert_array_equal(out, x[5:21])
    assert trident.address(x[5:]) == trident.address(x) + 20


def test_arrays_of_another_device_are_refused_by_name(floats):
    out = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match="x: .*`cuda:0`"):
        copy_kernel[(1,)](Tensor(floats(16), "cuda:0"), out, 16, N=16)
    with pytest.raises(ValueError, match="DLPack type 2"):
        copy_kernel[(1,)](OnGpu(floats(16)), out, 16, N=16)


@pytest.mark.parametrize("dtype", [">f4", "c8", "U3", "M8[s]"])
def test_element_types_that_kernels_lack_are_refused(dtype):
    with pytest.raises(TypeError, match="element type"):
        copy_kernel[(1,)](np.zeros(16, dtype), np.zeros(16, np.float32), 16, N=16)


@pytest.mark.parametrize("value", ["text", b"bytes", object(), {}])
def test_other_objects_are_refused(value, floats):
    with pytest.raises(TypeError):
        copy_kernel[(1,)](value, floats(16), 16, N=16)


@triton.jit
def numbers_kernel(out, a, b, c, d):
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)


@pytest.mark.parametrize(
    "values",
    [
        (7, 2.5, True, -3),
        (1, 16, False, 2**40),
        (np.int64(1), np.float32(0.1), np.bool_(True), np.uint8(200)),
        (np.int32(-5), np.float64(1e10), 0, -(2**31)),
    ],
)
def test_numbers(values):
    out = np.zeros(4, np.float64)
    numbers_kernel[(1,)](out, *values)
    expected = [np.float32(v) if isinstance(v, (float, np.floating)) else v for v in values]
    np.testing.assert_array_equal(out, np.array(expected, np.float64))


@triton.jit
def typed_kernel(out, a: tl.int8, b: tl.float16, c: tl.int64):
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)


def test_annotated_numbers_are_packed_by_their_type():
    out = np.zeros(3, np.float64)
    typed_kernel[(1,)](out, -5, 0.1, 7)
    np.testing.assert_array_equal(out, [-5, np.float64(np.float16(0.1)), 7])
    with pytest.raises(OverflowError, match="a: 300 does not fit"):
        typed_kernel[(1,)](out, 300, 0.1, 7)
    with pytest.raises(TypeError, match="a: expected an integer"):
        typed_kernel[(1,)](out, 1.5, 0.1, 7)


@triton.jit
def optional_kernel(x, bias, out, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    if bias is not None:
        values += tl.load(bias + i)
    tl.store(out + i, values)


def test_none_is_a_constant(floats):
    x, bias, out = floats(16), floats(16), np.empty(16, np.float32)
    optional_kernel[(1,)](x, None, out, N=16)
    np.testing.assert_array_equal(out, x)
    optional_kernel[(1,)](x, bias, out, N=16)
    np.testing.assert_array_equal(out, x + bias)
