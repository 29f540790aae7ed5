"""Operations on whole blocks, accesses of memory and control flow, against NumPy, at odd sizes."""

import numpy as np
import pytest
import triton
import triton.language as tl

SHAPES = [(1, 32), (16, 1), (4, 64), (32, 16), (128, 8)]


@triton.jit
def reduce_kernel(x, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    values = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if OP == "sum":
        r = tl.sum(values, axis=AXIS)
    elif OP == "max":
        r = tl.max(values, axis=AXIS)
    elif OP == "min":
        r = tl.min(values, axis=AXIS)
    elif OP == "argmax":
        r = tl.argmax(values, axis=AXIS)
    elif OP == "argmin":
        r = tl.argmin(values, axis=AXIS)
    else:
        r = tl.xor_sum(values, axis=AXIS)
    LENGTH: tl.constexpr = N if AXIS == 0 else M
    tl.store(out + tl.arange(0, LENGTH), r)


REDUCTIONS = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "xor": np.bitwise_xor.reduce,
}


def reductions():
    for name in REDUCTIONS:
        yield from ((name, dtype) for dtype in ("int32", "int8"))
        # There is no exclusive or of floats.
        yield from ((name, dtype) for dtype in ("float32", "float16") if name != "xor")


@pytest.mark.parametrize("shape", [(1, 32), (32, 16), (128, 8)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name, dtype", reductions())
def test_reduce(rng, name, dtype, axis, shape):
    x = (rng.standard_normal(shape) * 9).astype(dtype)
    expected = REDUCTIONS[name](x.astype("float64" if name == "sum" else dtype), axis=axis)
    is_small = dtype == "int8" and name in ("sum", "xor")
    out = np.zeros(expected.shape, "int32" if name.startswith("arg") or is_small else dtype)
    reduce_kernel[(1,)](x, out, OP=name, M=shape[0], N=shape[1], AXIS=axis)
    tolerance = {"float32": 1e-5, "float16": 2e-2}.get(dtype, 0) if name == "sum" else 0
    np.testing.assert_allclose(out, expected.astype(out.dtype), rtol=tolerance, atol=tolerance)


@triton.jit
def product_of(a, b):
    return a * b


@triton.jit
def scan_kernel(
    x, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
    REVERSE: tl.constexpr,
):  # fmt: skip
    place = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    values = tl.load(x + place)
    if OP == "sum":
        r = tl.cumsum(values, axis=AXIS, reverse=REVERSE)
    else:
        r = tl.associative_scan(values, AXIS, product_of, reverse=REVERSE)
    tl.store(out + place, r)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["sum", "product"])
def test_scan(rng, name, reverse, axis, shape):
    x = rng.choice(np.array([1, 2, -1, 0, 3], np.int32), shape)
    x = x if name == "sum" else np.where(x == 3, 1, x).astype(np.int32)
    out = np.zeros_like(x)
    scan_kernel[(1,)](x, out, OP=name, M=shape[0], N=shape[1], AXIS=axis, REVERSE=reverse)
    function = np.cumsum if name == "sum" else np.cumprod
    turned = np.flip(x, axis) if reverse else x
    expected = function(turned, axis=axis, dtype=np.int32)
    np.testing.assert_array_equal(out, np.flip(expected, axis) if reverse else expected)


@triton.jit
def shape_kernel(x, y, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    place = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(x + place), tl.load(y + place)
    if OP == "trans":
        r = tl.trans(a)
    elif OP == "permute":
        r = tl.permute(tl.reshape(a, (M // 2, 2, N)), (2, 0, 1))
    elif OP == "reshape":
        r = tl.reshape(a, (N, M))
    elif OP == "join":
        r = tl.join(a, b)
    elif OP == "interleave":
        r = tl.interleave(a, b)
    elif OP == "split":
        first, second = tl.split(tl.reshape(a, (M, N // 2, 2)))
        r = first - second
    elif OP == "broadcast":
        r = a + tl.reshape(tl.sum(b, axis=0), (1, N)).broadcast_to(M, N)
    elif OP == "flip":
        r = tl.flip(a, 1)
    else:
        r = tl.sort(a, 1)
    flat = tl.ravel(r)
    tl.store(out + tl.arange(0, flat.shape[0]), flat)


SHAPERS = {
    "trans": lambda a, b: a.T,
    "permute": lambda a, b: a.reshape(len(a) // 2, 2, -1).transpose(2, 0, 1),
    "reshape": lambda a, b: a,
    "join": lambda a, b: np.stack([a, b], -1),
    "interleave": lambda a, b: np.stack([a, b], -1),
    "split": lambda a, b: a[:, ::2] - a[:, 1::2],
    "broadcast": lambda a, b: a + b.sum(0, dtype=a.dtype),
    "flip": lambda a, b: a[:, ::-1],
    "sort": lambda a, b: np.sort(a, 1),
}


@pytest.mark.parametrize("shape", [(2, 16), (16, 8), (4, 64), (64, 32)])
@pytest.mark.parametrize("dtype", ["int32", "float16"])
@pytest.mark.parametrize("name", SHAPERS)
def test_shapes(rng, name, dtype, shape):
    x, y = (rng.integers(-30, 30, shape).astype(dtype) for _ in range(2))
    expected = SHAPERS[name](x, y).ravel()
    out = np.zeros(expected.shape, dtype)
    shape_kernel[(1,)](x, y, out, OP=name, M=shape[0], N=shape[1])
    np.testing.assert_array_equal(out, expected)


@triton.jit
def copy_kernel(
    x, out, rows, columns, x_row, x_column, out_row, BM: tl.constexpr, BN: tl.constexpr
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    values = tl.load(x + i[:, None] * x_row + j[None, :] * x_column, mask=inside, other=7)
    tl.store(out + i[:, None] * out_row + j[None, :], values, mask=inside)


@pytest.mark.parametrize("shape", [(1, 1), (3, 130), (17, 33), (64, 64), (0, 5)])
@pytest.mark.parametrize("block", [(1, 64), (16, 16), (64, 8)])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_strided_copy(rng, dtype, is_transposed, block, shape):
    x = (rng.standard_normal(shape) * 9).astype(dtype)
    stored = np.ascontiguousarray(x.T) if is_transposed else x
    steps = (1, max(shape[0], 1)) if is_transposed else (shape[1], 1)
    out = np.full((shape[0] + 1, shape[1] + 3), 5, dtype)
    grid = (triton.cdiv(shape[0], block[0]), triton.cdiv(shape[1], block[1]))
    copy_kernel[grid](stored, out, *shape, *steps, out.shape[1], BM=block[0], BN=block[1])
    np.testing.assert_array_equal(out[: shape[0], : shape[1]], x)
    assert (out[shape[0] :] == 5).all() and (out[:, shape[1] :] == 5).all()


@triton.jit
def gather_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + at, tl.load(x + at, mask=i < n), mask=i < n)


@pytest.mark.parametrize("n", [1, 31, 1000])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_gather_and_scatter(rng, index, n):
    x, out = rng.standard_normal(2 * n), np.zeros(2 * n, np.float32)
    x = x.astype(np.float32)
    at = rng.permutation(2 * n)[:n].astype(index)
    gather_kernel[(triton.cdiv(n, 64),)](x, at, out, n, BLOCK=64)
    expected = np.zeros_like(out)
    expected[at] = x[at]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def flow_kernel(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    if OP == "for":
        for start in range(0, n, BLOCK):
            total += tl.load(x + start + i, mask=start + i < n, other=0)
    elif OP == "while":
        start = 0
        while start < n:
            total += tl.load(x + start + i, mask=start + i < n, other=0)
            start += BLOCK
    elif OP == "if":
        for start in range(0, n, BLOCK):
            values = tl.load(x + start + i, mask=start + i < n, other=0)
            if tl.sum(values) % 2 == 0:
                total += values
            else:
                total -= values
    else:
        carried = 0
        for start in range(0, n, BLOCK):
            values = tl.load(x + start + i, mask=start + i < n, other=0)
            carried += tl.sum(values)
            total += values * carried
    tl.store(out + i, total)


@pytest.mark.parametrize("n", [0, 5, 64, 333])
@pytest.mark.parametrize("block", [16, 64, 512])
@pytest.mark.parametrize("name", ["for", "while", "if", "carried"])
def test_control_flow(rng, name, block, n):
    x, out = rng.integers(-9, 9, n, dtype=np.int32), np.zeros(block, np.int32)
    padded = np.pad(x, (0, -n % block)).reshape(-1, block)
    flow_kernel[(1,)](x if n else np.zeros(1, np.int32), out, n, OP=name, BLOCK=block)
    sums = padded.sum(1, dtype=np.int32)
    factors = {"if": np.where(sums % 2 == 0, 1, -1), "carried": np.cumsum(sums, dtype=np.int32)}
    factor = factors.get(name, np.ones_like(sums))
    np.testing.assert_array_equal(out, (padded * factor[:, None]).sum(0, dtype=np.int32))
