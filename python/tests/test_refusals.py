"""Arguments that a kernel cannot take: the error names the argument, and says what to pass."""

import array
import collections
import ctypes
import datetime
import decimal
import fractions
import os

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import trident

N = 16
VALUES = np.arange(N, dtype=np.float32)


@triton.jit
def copy_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)


class Plain:
    pass


class Frame:
    """As a column of a table: NumPy can make an array of it."""

    def __array__(self, dtype=None, copy=None):
        return VALUES

    def __len__(self):
        return N


Pair = collections.namedtuple("Pair", "first second")

#: Values that are not arguments at all, and what follows the argument's name.
VALUES_REFUSED = {
    "list": ([1.0] * N, "is a list; pass an array, such as np.asarray(x), or a tuple"),
    "empty list": ([], "is a list; pass an array"),
    "list of arrays": ([VALUES], "is a list; pass an array"),
    "deque": (collections.deque([1]), "is a deque; pass an array, such as np.asarray(x)"),
    "range": (range(N), "is a range; pass an array, such as np.asarray(x)"),
    "dict": ({}, "is a dict; pass an array, a number, None or a tuple of these"),
    "set": ({1}, "is a set; pass an array, a number"),
    "frozenset": (frozenset(), "is a frozenset; pass an array, a number"),
    "generator": ((i for i in ()), "is a generator; pass an array, a number"),
    "str": ("text", "is a str; a parameter that takes one is declared as `tl.constexpr`"),
    "dtype": (tl.float32, "is a dtype; a parameter that takes one is declared as `tl.constexpr`"),
    "type": (int, "is a type; a parameter that takes one is declared as `tl.constexpr`"),
    "function": (
        len,
        "is a builtin_function_or_method; a parameter that takes one is declared as `tl.constexpr`",
    ),
    "bytes": (b"bytes", "is bytes; pass an array of its bytes: np.frombuffer(x, np.uint8)"),
    "complex": (1j, "is a complex; kernels do not support complex numbers: pass x.real and x.imag"),
    "complex64": (np.complex64(1j), "is a complex64; kernels do not support complex numbers"),
    "complex128": (np.complex128(1j), "is a complex128; kernels do not support complex numbers"),
    "longdouble": (np.longdouble(1), "is a longdouble; pass float(x) or int(x)"),
    "datetime64": (np.datetime64(3, "s"), "is a datetime64; pass its number: x.astype(np.int64)"),
    "string": (np.str_("text"), "is a str_; a parameter that takes one"),
    "record": (np.zeros(1, [("a", "f4")])[0], "is a void; pass an array, a number"),
    "Decimal": (decimal.Decimal(1), "is a Decimal; pass float(x) or int(x)"),
    "Fraction": (fractions.Fraction(1, 2), "is a Fraction; pass float(x) or int(x)"),
    "datetime": (datetime.datetime(2020, 1, 1), "is a datetime; pass an array, a number"),
    "object": (Plain(), "is a Plain; pass an array, a number, None or a tuple of these"),
    "column": (Frame(), "is a Frame; pass an array of its elements: np.asarray(x)"),
    "ellipsis": (..., "is an ellipsis; pass an array"),
}


class BigEndian(ctypes.BigEndianStructure):
    _fields_ = [("values", ctypes.c_float * N)]


class Tensor:
    """As PyTorch's."""

    def __init__(self, dtype):
        self.dtype, self.device = dtype, "cpu"

    def data_ptr(self):
        return VALUES.ctypes.data


BIG = "is big-endian (`{}`), and this processor is little-endian: pass "
SWAPPED = "x.astype(x.dtype.newbyteorder('='))"

#: Arrays whose elements no kernel takes.
ARRAYS_REFUSED = {
    **{
        ty: (VALUES.astype(ty), BIG.format(ty) + SWAPPED)
        for ty in (">f2", ">f4", ">f8", ">i2", ">i4", ">i8", ">u2", ">u4", ">u8")
    },
    ">f4 of no elements": (np.zeros(0, ">f4"), BIG.format(">f4")),
    "view of >f4": (VALUES.astype(">f4")[::2], BIG.format(">f4")),
    "memoryview of >f4": (memoryview(VALUES.astype(">f4")), BIG.format(">f") + "np.asarray(x)"),
    "ctypes of >f4": (BigEndian().values, BIG.format(">f")),
    "complex64": (
        VALUES.astype("c8"),
        "has elements of type `complex64`, and kernels do not support complex numbers: "
        "pass x.view(np.float32), where real and imaginary parts alternate",
    ),
    "complex128": (VALUES.astype("c16"), "pass x.view(np.float64), where real and imaginary"),
    "complex256": (
        VALUES.astype(np.clongdouble),
        "pass x.real and x.imag, converted to np.float64",
    ),
    "memoryview of complex64": (memoryview(VALUES.astype("c8")), "np.asarray(x).view(np.float32)"),
    "torch.complex64": (Tensor("torch.complex64"), "pass torch.view_as_real(x)"),
    "torch.qint8": (Tensor("torch.qint8"), "has elements of type `torch.qint8`, which kernels"),
    "object": (
        VALUES.astype(object),
        "has elements of type `object`, which are references to Python's objects: "
        "pass x.astype(np.float32)",
    ),
    "memoryview of object": (memoryview(VALUES.astype(object)), "references to Python's objects"),
    "text": (
        VALUES.astype("U4"),
        "has elements of type `<U4`, which kernels do not support: pass an array of numbers",
    ),
    "big-endian text": (
        VALUES.astype(">U4"),
        "has elements of type `>U4`, which kernels do not support",
    ),
    "bytes": (VALUES.astype("S4"), "has elements of type `|S4`, which kernels do not support"),
    "strings": (np.array(["a"], np.dtypes.StringDType()), "has elements of type `StringDType"),
    "characters": (
        array.array("u", "text"),
        "has elements of type `w`, which kernels do not support",
    ),
    "datetime64": (np.zeros(N, "M8[s]"), "pass their numbers, x.view(np.int64)"),
    "timedelta64": (np.zeros(N, "m8[s]"), "pass their numbers, x.view(np.int64)"),
    "fields": (
        np.zeros(N, [("height", "f4"), ("width", "i4")]),
        "which have fields: pass one of them, such as x['height']",
    ),
    "records": (np.rec.array(np.zeros(N, [("a", "f4")])), "such as x['a']"),
    "void": (np.zeros(N, "V4"), "has elements of type `|V4`, which kernels do not support"),
    "longdouble": (VALUES.astype(np.longdouble), "pass x.astype(np.float64)"),
    "masked": (np.ma.masked_array(VALUES), "is a masked array, whose mask a kernel does not see"),
}

REFUSED = VALUES_REFUSED | {f"array of {name}": case for name, case in ARRAYS_REFUSED.items()}

MODES = [None, "TRIDENT_CHECK", "TRIDENT_INTERPRET"]


@pytest.fixture(params=MODES)
def mode(request, monkeypatch):
    """Plain, checked and interpreted launches."""
    if request.param:
        monkeypatch.setenv(request.param, "1")


def refused(error, text, launch, *args):
    with pytest.raises(error) as found:
        launch(*args)
    assert type(found.value) is error
    assert text in str(found.value), found.value


@pytest.mark.parametrize("name", REFUSED)
def test_the_jit_names_the_argument(name, mode):
    wrong, text = REFUSED[name]
    out = np.zeros(N, np.float32)
    launch = copy_kernel[(1,)]
    refused(TypeError, text, launch, wrong, out, N, N)
    refused(TypeError, "argument `x` ", launch, wrong, out, N, N)
    refused(TypeError, "argument `out` ", launch, VALUES, wrong, N, N)
    refused(TypeError, "argument `n` ", launch, VALUES, out, wrong, N)
    # In tuples, and in tuples of tuples.
    refused(TypeError, "argument `x[1]` ", launch, (VALUES, wrong), out, N, N)
    refused(TypeError, "argument `x[0][1]` ", launch, ((1, wrong), 2), out, N, N)
    refused(TypeError, "argument `x[1]` ", launch, Pair(1, wrong), out, N, N)
    assert not out.any()


@pytest.fixture
def compiled(mode):
    """The kernel through the two ways to launch it once it is compiled."""
    kernel = copy_kernel[(1,)](VALUES, np.zeros(N, np.float32), N, N=N)
    direct = trident.compile(kernel.asm["ttir"])
    bound = kernel[(1, 1, 1)]
    return [lambda x, out: bound(x, out, N, N), lambda x, out: direct.launch(1, [x, out, N])]


@pytest.mark.parametrize("name", REFUSED)
def test_compiled_kernels_name_the_argument(name, compiled):
    wrong, text = REFUSED[name]
    if name in VALUES_REFUSED:
        text = text.split(";")[0] + ", and the kernel takes an array there"
    out = np.zeros(N, np.float32)
    for launch in compiled:
        refused(TypeError, text, launch, wrong, out)
        refused(TypeError, "argument `out` ", launch, VALUES, wrong)
    assert not out.any()


@triton.jit
def numbers_kernel(out, flag: tl.int1, whole: tl.int32, real: tl.float32):
    tl.store(out, real)


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_are_not_made_of_other_things(name, mode):
    wrong, _ = REFUSED[name]
    out = np.zeros(1, np.float32)
    kernel = numbers_kernel[(1,)](out, True, 16, 2.5)
    bound = kernel[(1, 1, 1)]
    places = ["flag", "whole", "real"]
    if name in ("longdouble", "Decimal", "Fraction", "datetime64") and np.ndim(wrong) == 0:
        places.remove("real")
    for place in places:
        args = {"flag": True, "whole": 16, "real": 2.5} | {place: wrong}
        for launch in (bound, numbers_kernel[(1,)]):
            refused(TypeError, f"argument `{place}` ", launch, out, *args.values())


def test_numbers_of_other_kinds(mode):
    out = np.zeros(1, np.float32)
    bound = numbers_kernel[(1,)](out, True, 16, 2.5)[(1, 1, 1)]
    for flag, whole, real in ((0, 3, 4), (np.bool_(1), np.int8(3), np.float16(4)), (True, 3, 4.0)):
        bound(out, flag, whole, real)
        assert out[0] == 4
    refused(TypeError, "`whole` is a float, and the kernel takes an integer there: pass int(whole)",
            bound, out, True, 3.0, 4)  # fmt: skip
    refused(TypeError, "`flag` is None, and the kernel takes a bool", bound, out, None, 3, 4)
    refused(OverflowError, "`whole` is an integer of 33220 bits, which does not fit into i32",
            bound, out, True, 10**10_000, 4)  # fmt: skip
    refused(
        OverflowError, "`real` is outside of the range of float", bound, out, True, 3, 10**10_000
    )
    bound(out, True, 3, float("nan"))
    assert np.isnan(out[0])


def test_numbers_in_place_of_arrays(compiled):
    out = np.zeros(N, np.float32)
    for launch in compiled:
        refused(TypeError, "`x` is a float, and the kernel takes an array", launch, 1.5, out)
        refused(OverflowError, f"`x` is {2**64}, which does not fit", launch, 2**64, out)
        refused(OverflowError, "`x` is -1, which does not fit", launch, -1, out)
    # An integer is an address; a NumPy integer is not an array of its own bytes.
    address = trident.address(VALUES)
    for x in (address, np.uint64(address)):
        for launch in compiled[1:]:
            try:
                launch(x, out)
            except trident.AccessError:
                # The interpreter has a memory of its own, and that is not in it.
                assert os.environ["TRIDENT_INTERPRET"]
            else:
                np.testing.assert_array_equal(out, VALUES)


def test_arrays_that_only_look_wrong(compiled):
    def check(x):
        for launch in (*compiled, lambda x, out: copy_kernel[(1,)](x, out, N, N=N)):
            out = np.zeros(N, np.float32)
            launch(x, out)
            np.testing.assert_array_equal(out, VALUES)

    check(np.matrix(VALUES))
    check(np.rec.array(VALUES))
    check(VALUES.astype(">f4").astype("=f4"))
    check(memoryview(VALUES))
    check(np.ma.masked_array(VALUES).data)
    readonly = VALUES.copy()
    readonly.flags.writeable = False
    check(readonly)
    check((ctypes.c_float * N)(*VALUES))
    for launch in compiled:
        text = "`out` is read-only, and the kernel writes to it; pass a copy, such as np.array(out)"
        refused(ValueError, text, launch, VALUES, readonly)


@pytest.mark.parametrize(
    "ty",
    [
        ctypes.c_int8,
        ctypes.c_uint8,
        ctypes.c_int16,
        ctypes.c_uint16,
        ctypes.c_int32,
        ctypes.c_uint32,
        ctypes.c_int64,
        ctypes.c_uint64,
        ctypes.c_long,
        ctypes.c_ulong,
        ctypes.c_longlong,
        ctypes.c_size_t,
        ctypes.c_float,
        ctypes.c_double,
    ],
)
def test_buffers_have_the_size_of_their_elements(ty):
    """``ctypes`` writes formats with a byte order, by which ``<l`` has four bytes and not eight."""
    x, out = (ty * N)(*range(N)), (ty * N)()
    kernel = copy_kernel[(1,)](x, out, N, N=N)
    assert list(out) == list(range(N))
    assert kernel.src.signature["x"].lstrip("*fipu") == str(8 * ctypes.sizeof(ty))


class Raising:
    dtype = "float32"

    def __init__(self, error):
        self.error = error

    def data_ptr(self):
        raise self.error


class Unusual(Exception):
    def __init__(self, code, where):
        super().__init__(code, where)


def test_errors_of_the_argument_itself_stay(compiled):
    out = np.zeros(N, np.float32)
    for launch in (*compiled, lambda x, out: copy_kernel[(1,)](x, out, N, N)):
        refused(
            RuntimeError, "argument `x`: released", launch, Raising(RuntimeError("released")), out
        )
        error = Unusual(3, "there")
        with pytest.raises(Unusual) as found:
            launch(Raising(error), out)
        assert found.value is error and error.__notes__ == ["argument `x`"]


@triton.jit
def descriptor_kernel(source, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), source.load([0]))


def test_descriptors(mode):
    out = np.zeros(N, np.float32)
    kernel = descriptor_kernel[(1,)](TensorDescriptor(VALUES, [N], [1], [N]), out, N)
    np.testing.assert_array_equal(out, VALUES)
    refused(TypeError, "argument `source` is an ndarray, and the kernel takes a `TensorDescriptor`",
            kernel[(1, 1, 1)], VALUES, out, N)  # fmt: skip
    big = TensorDescriptor(VALUES.astype(">f4"), [N], [1], [N])
    for launch in (descriptor_kernel[(1,)], kernel[(1, 1, 1)]):
        refused(TypeError, "argument `source.base` is big-endian (`>f4`)", launch, big, out, N)


def test_none_is_a_constant_to_the_jit_and_null_to_compiled_kernels(compiled):
    out = np.zeros(N, np.float32)
    with pytest.raises(triton.CompilationError, match="NoneType"):
        copy_kernel[(1,)](None, out, N, N=N)
    with pytest.raises(trident.AccessError, match="null|`x`, which has 0 bytes"):
        compiled[1](None, out)


def test_addresses_of_wrong_things():
    for wrong, text in ((["x"], "is a list"), ("text", "is a str"), (1.5, "is a float")):
        refused(TypeError, f"argument `array` {text}", trident.address, wrong)
    masked = np.ma.masked_array(VALUES)
    refused(TypeError, "pass array.data or array.filled()", trident.address, masked)


def test_parameters_without_names_are_called_by_their_place():
    text = "tt.func @k(%0: !tt.ptr<f32>, %1: i32) { tt.return }"
    kernel = trident.compile(text)
    for args, name in (([[], 1], 0), ([VALUES, []], 1)):
        with pytest.raises(TypeError, match=rf"argument `(args\[{name}\]|{name})` is a list"):
            kernel.launch(1, args)


def test_pytorch():
    torch = pytest.importorskip("torch")
    out, launch = np.zeros(N, np.float32), copy_kernel[(1,)]
    meta = torch.zeros(N, device="meta")
    refused(ValueError, "`x` is on `meta`, where tensors have no elements", launch, meta, out, N, N)
    for dtype in (torch.complex64, torch.complex128):
        wrong = torch.zeros(N, dtype=dtype)
        text = f"`x` has elements of type `{dtype}`, and kernels do not support complex numbers"
        refused(TypeError, text, launch, wrong, out, N, N)
    sparse = torch.eye(4).to_sparse()
    with pytest.raises(Exception, match="argument `x`"):
        launch(sparse, out, N, N)
    quantised = torch.quantize_per_tensor(torch.zeros(N), 1.0, 0, torch.qint8)
    refused(TypeError, "`x` has elements of type `torch.qint8`", launch, quantised, out, N, N)
