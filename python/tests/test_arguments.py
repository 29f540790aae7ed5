"""Arrays of any kind and numbers of any kind as arguments."""

import array
import ctypes

import numpy as np
import pytest
import triton
import triton.language as tl

import trident
from trident.arrays import View


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

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

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
    with pytest.raises(ValueError, match="argument `x` is on `cuda:0`"):
        copy_kernel[(1,)](Tensor(floats(16), "cuda:0"), out, 16, N=16)
    with pytest.raises(ValueError, match="argument `x`: .*DLPack type 2"):
        copy_kernel[(1,)](OnGpu(floats(16)), out, 16, N=16)


def readonly(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("wrap", [np.asarray, Capsule, Interface, memoryview, View])
def test_read_only_arrays_are_read_and_not_written(wrap, floats):
    x, out = readonly(floats(16)), np.zeros(16, np.float32)
    copy_kernel[(1,)](wrap(x), out, 16, N=16)
    np.testing.assert_array_equal(out, x)
    with pytest.raises(ValueError, match="argument `out` is read-only, and the kernel writes"):
        copy_kernel[(1,)](out, wrap(x), 16, N=16)


@triton.jit
def add_atomically_kernel(x):
    tl.atomic_add(x, 1)


@triton.jit
def inner_store(to, value):
    tl.store(to, value)


@triton.jit
def store_by_call_kernel(x, y, go):
    if go > 5:
        inner_store(x, 1)
    else:
        inner_store(y, 1)


def test_every_way_to_write_to_a_read_only_array_is_refused():
    fixed, free = readonly(np.zeros(1, np.int32)), np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="argument `x` is read-only"):
        add_atomically_kernel[(1,)](fixed)
    for names in ("x", "y"):
        arrays = {"x": free, "y": free} | {names: fixed}
        with pytest.raises(ValueError, match=f"argument `{names}` is read-only"):
            store_by_call_kernel[(1,)](**arrays, go=7)


class Strided(Capsule):
    """A view of every second element that does not tell so, except by DLPack."""

    def __init__(self, data):
        super().__init__(data[::2])


class TellsStrides(Strided):
    @property
    def strides(self):
        return self.data.strides


def test_hidden_strides_are_refused(floats):
    x, out = floats(32), np.zeros(16, np.float32)
    with pytest.raises(ValueError, match="does not give its strides"):
        copy_kernel[(1,)](Strided(x), out, 16, N=16)
    copy_kernel[(1,)](TellsStrides(x), out, 16, N=16)
    np.testing.assert_array_equal(out, x[:16])


@triton.jit
def strided_kernel(x, out, rows, columns, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(out + i * N + j, tl.load(x + i * rows + j * columns))


def test_strides_are_the_kernels_business(floats):
    x, out = floats(16, 32), np.zeros((16, 16), np.float32)
    for view in (x[:, ::2], x[:, :16].T, x[::-1, :16]):
        rows, columns = (step // 4 for step in view.strides)
        strided_kernel[(1,)](view, out, rows, columns, N=16)
        np.testing.assert_array_equal(out, view)


def test_arrays_without_axes_or_elements():
    x, out = np.array(3, np.float32), np.array(0, np.float32)
    copy_kernel[(1,)](x, out, 1, N=16)
    assert out == 3
    nothing = np.zeros((0, 4), np.float32)
    copy_kernel[(1,)](nothing, nothing, 0, N=16)


def test_compiled_kernels_take_arrays_of_their_types_only(floats):
    x, out = floats(16), np.zeros(16, np.float32)
    kernel = copy_kernel[(1,)](x, out, 16, N=16)
    kernel[(1, 1, 1)](x, out, 16, 16)
    wrong = "and the kernel was compiled for f32"
    for dtype, name in (("f8", "f64"), ("i4", "i32"), ("f2", "f16")):
        with pytest.raises(TypeError, match=f"`out` has elements of type {name}, {wrong}"):
            kernel[(1, 1, 1)](x, out.astype(dtype), 16, 16)
    with pytest.raises(OverflowError, match="`n` is 1099511627776, which does not fit into i32"):
        kernel[(1, 1, 1)](x, out, 2**40, 16)
    direct = trident.compile(kernel.asm["ttir"])
    with pytest.raises(TypeError, match=f"`x` has elements of type f64, {wrong}"):
        direct.launch(1, [x.astype(np.float64), out, 16][: len(direct.params)])


def test_integers_stand_for_floats_that_numpy_lacks():
    @triton.jit
    def kernel(x, out):
        value = tl.load(x).to(tl.float8e5, bitcast=True)
        tl.store(out, value.to(tl.float32))

    x, out = np.array([0x3C], np.uint8), np.zeros(1, np.float32)
    compiled = kernel[(1,)](x, out)
    assert out[0] == 1
    compiled[(1, 1, 1)](x.view(np.int8), out)
    source = compiled.asm["ttir"]
    assert "!tt.ptr<i8>" in source
    direct = trident.compile(
        "module { tt.func public @f(%x: !tt.ptr<bf16>, %out: !tt.ptr<f32>) {\n"
        "%a = tt.load %x : !tt.ptr<bf16>\n%b = arith.extf %a : bf16 to f32\n"
        "tt.store %out, %b : !tt.ptr<f32>\ntt.return } }"
    )
    direct.launch(1, [np.array([0x4040], np.uint16), out])
    assert out[0] == 3
    with pytest.raises(
        TypeError, match="has elements of type f16, and the kernel was compiled for bf16"
    ):
        direct.launch(1, [np.zeros(1, np.float16), out])


def test_mlx():
    mx = pytest.importorskip("mlx.core")
    x, out = mx.arange(16, dtype=mx.float32), mx.zeros(16)
    copy_kernel[(1,)](x, out, 16, N=16)
    assert out.tolist() == list(range(16))
    for dtype in (mx.bfloat16, mx.float16, mx.int32, mx.uint8, mx.bool_, mx.int64):
        out = mx.zeros(16, dtype=dtype)
        copy_kernel[(1,)](mx.ones(16, dtype=dtype), out, 16, N=16)
        assert mx.all(out == 1).item()
    square = x.reshape(4, 4)
    for view in (square.T, x[::2], mx.broadcast_to(mx.array(3.0), (16,))):
        with pytest.raises(ValueError, match="make it contiguous first"):
            copy_kernel[(1,)](view, out, 8, N=16)
    out = mx.zeros(16)
    copy_kernel[(1,)](mx.contiguous(square.T), out, 16, N=16)
    assert out.tolist() == [i % 4 * 4 + i // 4 for i in range(16)]


def test_pytorch(floats):
    torch = pytest.importorskip("torch")
    x, out = torch.from_numpy(floats(16)), torch.zeros(16)
    copy_kernel[(1,)](x, out, 16, N=16)
    assert torch.equal(x, out)
    for dtype in (torch.bfloat16, torch.float16, torch.int64, torch.uint8, torch.bool):
        out = torch.zeros(16, dtype=dtype)
        copy_kernel[(1,)](torch.ones(16, dtype=dtype), out, 16, N=16)
        assert (out == 1).all()
    out = torch.zeros(())
    copy_kernel[(1,)](torch.tensor(3.0), out, 1, N=16)
    assert out == 3


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
    with pytest.raises(OverflowError, match="`a` is 300, which does not fit"):
        typed_kernel[(1,)](out, 300, 0.1, 7)
    with pytest.raises(TypeError, match="`a` is a float, and the kernel takes an integer"):
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


def test_integers_take_the_type_that_holds_them():
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    for value, ty in ((16, "i32"), (2**31, "i64"), (-(2**31) - 1, "i64"), (2**63, "u64")):
        kernel = copy_kernel.warmup(x, out, value, N=16, grid=(1,))
        assert kernel.src.signature["n"] == ty
    for value in (2**64, -(2**63) - 1, 10**10_000):
        shown = value if abs(value) < 2**70 else "an integer of 33220 bits"
        with pytest.raises(OverflowError, match=f"`n` is {shown}, which does not fit"):
            copy_kernel[(1,)](x, out, value, N=16)


def test_arguments_by_name_and_what_is_wrong_with_them(floats):
    x, out = floats(16), np.zeros(16, np.float32)
    copy_kernel[(1,)](n=8, out=out, x=x, N=16)
    np.testing.assert_array_equal(out, np.append(x[:8], np.zeros(8)))
    copy_kernel[(1,)](x, out, 16, 16)
    np.testing.assert_array_equal(out, x)
    for args, names in (
        ((x, out), {"N": 16}),
        ((x, out, 16, 16, 1), {}),
        ((x,), {"x": x, "N": 16}),
    ):
        with pytest.raises(TypeError):
            copy_kernel[(1,)](*args, **names)
    with pytest.raises(KeyError, match="unknown"):
        copy_kernel[(1,)](x, out, 16, N=16, unknown=1)
    for wrong in (15, 0, 2.0, None):
        with pytest.raises((triton.CompilationError, TypeError)):
            copy_kernel[(1,)](x, out, 16, N=wrong)
    for wrong in (None, "16", [16]):
        with pytest.raises((triton.CompilationError, TypeError)):
            copy_kernel[(1,)](x, out, wrong, N=16)


@triton.jit
def nested_kernel(arrays, settings, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(arrays[0] + i) * settings[0] + settings[1][0]
    if settings[1][1] is not None:
        values += tl.load(settings[1][1] + i)
    tl.store(arrays[1] + i, values)


def test_tuples_hold_anything(floats):
    x, bias, out = floats(16), floats(16), np.zeros(16, np.float32)
    nested_kernel[(1,)]((x, out), (2, (1, None)), N=16)
    np.testing.assert_allclose(out, x * 2 + 1, rtol=1e-6)
    nested_kernel[(1,)]((x, out), (np.float32(0.5), (3.0, bias)), N=16)
    np.testing.assert_allclose(out, x * 0.5 + 3 + bias, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match=r"argument `arrays\[1\]` is read-only"):
        nested_kernel[(1,)]((x, readonly(out)), (2, (1, None)), N=16)


class _Header(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev", ctypes.c_void_p)]


class _Table(ctypes.Structure):
    """DLPack's table of functions; its third function describes an array."""

    _fields_ = [("header", _Header), ("functions", ctypes.c_void_p * 5)]


class _Described(ctypes.Structure):
    """DLPack's ``DLTensor``."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def exchanging(describe, major=1, previous=None):
    """A type like PyTorch's tensor whose C interface calls ``describe(array, description)``."""

    @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Described))
    def look(array, out):
        array.looks += 1
        return describe(array, out.contents)

    function = ctypes.cast(look, ctypes.c_void_p)
    table = _Table(_Header(major, 0, previous and ctypes.addressof(previous)))
    table.functions[3] = function

    class Exchanging(Tensor):
        __dlpack_c_exchange_api__ = _new_capsule(
            ctypes.addressof(table), b"dlpack_exchange_api", None
        )
        keep = (look, table, previous)
        is_cpu, looks = True, 0

    return Exchanging


def described(array, out, code=2, device=1, offset=0):
    out.data, out.byte_offset = array.data.ctypes.data - offset, offset
    out.device[0], out.code, out.bits, out.lanes = device, code, 32, 1
    return 0


def launch_copy(x, out):
    copy_kernel[(1,)](x, out, 10, N=16)


def test_dlpack_c_interface():
    wrap = exchanging(lambda array, out: described(array, out, offset=64))
    data, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    x, z = wrap(data), wrap(out)
    launch_copy(x, z)
    np.testing.assert_array_equal(out[:10], data[:10])
    assert (out[10:] == 0).all()
    # Once for the JIT, once for the launcher.
    assert (x.looks, z.looks) == (2, 2)


@pytest.mark.parametrize(
    "describe",
    [
        lambda array, out: described(array, out, code=77),
        lambda array, out: described(array, out, device=2),
        lambda array, out: described(array, out, code=0),
        lambda array, out: -1,
    ],
    ids=["another element type", "another device", "integers", "a failure"],
)
def test_what_the_c_interface_cannot_tell_is_asked_from_python(describe):
    wrap = exchanging(describe)
    data, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    launch_copy(wrap(data), wrap(out))
    np.testing.assert_array_equal(out[:10], data[:10])


def test_the_c_interface_finds_its_version_and_only_of_its_own_type():
    older = exchanging(described)
    newer = exchanging(lambda array, out: pytest.fail("not this version"), 2, older.keep[1])

    class Derived(older):
        pass

    data, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    x, z = newer(data), Derived(out)
    launch_copy(x, z)
    np.testing.assert_array_equal(out[:10], data[:10])
    assert (x.looks, z.looks) == (2, 0)


def test_the_c_interface_hides_no_error():
    wrap = exchanging(lambda array, out: described(array, out, device=2))
    wrap.is_cpu = False
    out = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match="on `cpu`, and this kernel runs on the CPU"):
        launch_copy(wrap(out), out)


def test_the_c_interface_serves_kernels_that_are_launched_directly():
    store = trident.compile(
        "tt.func @k(%x: !tt.ptr<f32>) { %c = arith.constant 1.0 : f32 "
        "tt.store %x, %c : !tt.ptr<f32> tt.return }"
    )
    x = exchanging(described)(np.zeros(4, np.float32))
    store.launch(1, (x,))
    assert x.data[0] == 1 and x.looks == 1
    ints = exchanging(lambda array, out: described(array, out, code=0))
    with pytest.raises(TypeError, match="`x` has elements of type i32, and the kernel was"):
        store.launch(1, (ints(np.zeros(4, np.int32)),))


def test_elements_without_memory():
    wrap = exchanging(described)
    elsewhere = wrap(np.arange(4, dtype=np.float32))
    elsewhere.data_ptr, elsewhere.numel = lambda: 0, lambda: 4
    wrap.__dlpack_c_exchange_api__ = None
    out = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match="is a `Exchanging` without memory"):
        launch_copy(elsewhere, out)


def test_element_types_that_no_kernel_takes():
    store = trident.compile(
        "tt.func @k(%x: !tt.ptr<f64>) { %c = arith.constant 1.0 : f64 "
        "tt.store %x, %c : !tt.ptr<f64> tt.return }"
    )
    x = np.zeros(4, np.complex64)
    for array_ in (x, Tensor(x), Interface(x)):
        with pytest.raises(TypeError, match="`x` has elements of type `.*complex64`"):
            store.launch(1, (array_,))
    assert (x == 0).all()


@triton.jit
def pair_kernel(pair, out):
    tl.store(out, pair[0] + pair[1])


def test_what_a_compiled_kernel_is_given():
    out = np.zeros(16, np.float32)
    compiled = pair_kernel[(1,)]((1.5, 2.5), out)
    compiled[(1, 1, 1)]((1.0, 2.0), out)
    assert out[0] == 3
    with pytest.raises(TypeError, match="`pair` is a tuple of 3, and the kernel takes one of 2"):
        compiled[(1, 1, 1)]((1.0, 2.0, 3.0), out)
    with pytest.raises(TypeError, match=r"a grid of three sizes, such as \(n, 1, 1\)"):
        compiled[(1,)]
