"""Random arrays of every element type by DLPack through a kernel that copies, bit by bit."""

import numpy as np
import pytest
import triton
import triton.language as tl

COUNT = 300
# Each element type by the name that array libraries give it, and the NumPy type of its size.
TYPES = {
    "float16": "f2",
    "float32": "f4",
    "float64": "f8",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "uint8": "u1",
    "uint16": "u2",
    "uint32": "u4",
    "uint64": "u8",
    "bool": "?",
    "bfloat16": "u2",
    "float8_e4m3fn": "u1",
    "float8_e4m3fnuz": "u1",
    "float8_e5m2": "u1",
    "float8_e5m2fnuz": "u1",
}


@triton.jit(do_not_specialize=["n"])
def copy_kernel(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


class Exchanged:
    """An array that speaks DLPack only, of an element type that NumPy may lack."""

    def __init__(self, data, dtype):
        self.data, self.dtype = data, dtype

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


def random_array(rng, dtype, shape=None):
    """Bits of all kinds, of NaNs with payloads and signed zeros, too; of up to five dimensions."""
    if shape is None:
        shape = [int(n) for n in rng.choice([1, 2, 3, 5, 7, 0], rng.integers(6))]
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    elements = rng.integers(0, 256, (count, dtype.itemsize), dtype=np.uint8)
    elements[rng.random(count) < 0.2, :-1] = 0
    elements[rng.random(count) < 0.2, -1:] &= 0x80
    elements[rng.random(count) < 0.2, -2:] |= 0x7F
    if dtype.kind == "b":
        elements &= 1
    return elements.reshape(-1).view(dtype).reshape(shape)


@pytest.mark.parametrize("name", TYPES)
def test_dlpack_keeps_every_bit(rng, name):
    for _ in range(COUNT):
        given = random_array(rng, TYPES[name])
        x, out = Exchanged(given, name), Exchanged(np.zeros_like(given), name)
        copy_kernel[(triton.cdiv(max(given.size, 1), 64),)](x, out, given.size, N=64)
        # As another library sees it.
        assert np.from_dlpack(out).tobytes() == given.tobytes()


@triton.jit
def shift_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("name", TYPES)
def test_copies_within_a_block_keep_every_bit(rng, name):
    """Arrays that overlap, or nearly do: a block is read whole before an element is written."""
    for size in (8, 64, 256):
        for shift in (-8, -1, 1, 5, size // 2):
            memory = random_array(rng, TYPES[name], [1024])
            given = memory[400 : 400 + size].copy()
            out = memory[400 + shift : 400 + shift + size]
            x = Exchanged(memory[400 : 400 + size], name)
            shift_kernel[(1,)](x, Exchanged(out, name), N=size)
            assert out.tobytes() == given.tobytes()
