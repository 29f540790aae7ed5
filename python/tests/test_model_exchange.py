"""Random arrays go to a model and come back bit by bit, and are copied only where they must be."""

import array
import ctypes
import mmap

import numpy as np
import pytest
from dlpack import Exported
from onnx_bytes import unary
from random_arrays import COUNT, DTYPES, EXTENSIONS, aligned, bits, is_dense, random_array

import trident


class Interface:
    """An array that is known by NumPy's own interface alone."""

    def __init__(self, data):
        self.data = data
        self.__array_interface__ = data.__array_interface__


#: The ways in which an array gets to a model.
WAYS = {
    "numpy": lambda x: x,
    "DLPack": lambda x: Exported(x, flags=0 if x.flags.writeable else 1),
    "DLPack without versions": lambda x: Exported(x, versioned=False),
    "buffer": memoryview,
    "interface": Interface,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("way", WAYS)
def test_random_arrays_come_back_bit_by_bit(way, dtype):
    rng = np.random.default_rng(1)
    run = trident.Model(unary("Identity", dtype))
    kinds = set()
    for _ in range(COUNT):
        x = random_array(rng, dtype, int(rng.integers(0, 4)))
        if "DLPack" in way and not x.dtype.isnative:
            continue
        kinds.add((is_dense(x), x.ndim, x.size == 0))
        before = run.copied_bytes["inputs"]
        y = run(WAYS[way](x))
        assert y.dtype == np.dtype(dtype) and y.shape == x.shape and bits(y) == bits(x)
        assert run.copied_bytes["inputs"] - before == (0 if is_dense(x) else x.nbytes)
        assert not np.shares_memory(x, y)
        assert bits(np.from_dlpack(y)) == bits(np.asarray(memoryview(y))) == bits(x)
    # Few arrays may miss a kind.
    assert COUNT < 100 or len(kinds) > 10


@pytest.mark.parametrize("dtype", DTYPES + EXTENSIONS)
def test_aligned_arrays_are_never_copied(dtype):
    if dtype in EXTENSIONS:
        pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(2)
    run = trident.Model(unary("Identity", dtype))
    for _ in range(COUNT):
        x = aligned(random_array(rng, dtype, int(rng.integers(0, 4))))
        out = aligned(np.zeros_like(x))
        y = run(x)
        assert bits(y) == bits(x)
        assert run.run({"x": x}, out={"y": out})["y"] is out and bits(out) == bits(x)
    assert run.copied_bytes["inputs"] == 0


@pytest.mark.parametrize("dtype", EXTENSIONS)
def test_types_of_ml_dtypes_come_back(dtype):
    pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(3)
    run = trident.Model(unary("Identity", dtype))
    for _ in range(COUNT):
        x = random_array(rng, dtype, int(rng.integers(0, 4)))
        before = run.copied_bytes["inputs"]
        y = run(x)
        assert y.dtype == x.dtype and y.shape == x.shape and bits(y) == bits(x)
        assert run.copied_bytes["inputs"] - before == (0 if is_dense(x) else x.nbytes)


@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2", "uint2", "float4_e2m1fn"])
def test_unused_bits_of_narrow_types_mean_nothing(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    every = np.arange(256, dtype=np.uint8)
    y = trident.Model(unary("Identity", dtype))(every.view(getattr(ml_dtypes, dtype)))
    again = trident.Model(unary("Identity", dtype))(y)
    low = every & ((1 << int(dtype[-1] if "int" in dtype else 4)) - 1)
    assert bits(y) == bits(again) and len(set(bits(y))) == len(set(low.tolist()))
    # Elements are the same if their low bits are.
    assert len({(int(a), b) for a, b in zip(low, bits(y))}) == len(set(low.tolist()))


def test_objects_with_buffers_are_read_where_they_are():
    run = trident.Model(unary("Neg", "float32"))
    memory = mmap.mmap(-1, 4096)
    structure = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))
    given = [
        array.array("f", [1, 2, 3]),
        structure,
        ctypes.c_float(3),
        memoryview(memory).cast("f"),
        memoryview(bytearray(64)).cast("f", (4, 4)),
        memoryview(np.arange(6, dtype=np.float32)).toreadonly(),
    ]
    for x in given:
        assert np.array_equal(run(x), -np.asarray(x))
    assert run.copied_bytes == {"inputs": 0, "outputs": 0}
    steps = memoryview(np.arange(6, dtype=np.float32))[::-2]
    foreign = (ctypes.c_float.__ctype_be__ * 3)(1, 2, 3)
    assert run(steps).tolist() == [-5, -3, -1] and run(foreign).tolist() == [-1, -2, -3]
    assert run.copied_bytes == {"inputs": 24, "outputs": 0}
    whole = trident.Model(unary("Identity", "uint8"))
    assert whole(memory).shape == (4096,) and bytes(whole(b"abc")) == b"abc"
    assert whole.copied_bytes["inputs"] == 0


@pytest.mark.parametrize("dtype", ["float128", "complex256", "M8[s]", "m8[D]", "V4", "f4,i4"])
def test_types_that_no_model_has_are_refused(dtype):
    try:
        x = np.zeros(3, dtype)
    except TypeError:
        pytest.skip("this machine has no such type")
    with pytest.raises(trident.ModelError, match="input `x`: models take no arrays of `"):
        trident.Model(unary("Identity", "float32"))(x)


def test_complex_numbers_are_not_taken_for_real_ones():
    run = trident.Model(unary("Identity", "float32"))
    for wrong, text in [
        (np.zeros(3, np.complex64), "element type c64, expected f32"),
        (Exported(np.zeros(3, np.complex64)), "element type c64, expected f32"),
        (3j, "its numbers are complex128, and float32 is expected"),
    ]:
        with pytest.raises(trident.ModelError, match=text):
            run(wrong)
