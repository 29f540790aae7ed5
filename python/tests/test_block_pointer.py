"""Block pointers, which Triton 3.9 itself refuses."""

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    pa = tl.make_block_ptr(
        a, shape=(M, K), strides=(sam, sak), offsets=(i, 0), block_shape=(BM, BK), order=(1, 0)
    )
    pb = tl.make_block_ptr(b, (K, N), (sbk, sbn), (0, j), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(pa, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(pb, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(x, y)
        pa = tl.advance(pa, (0, BK))
        pb = pb.advance((BK, 0))
    pc = tl.make_block_ptr(c, (M, N), (scm, scn), (i, j), (BM, BN), (1, 0))
    tl.store(pc, acc.to(pc.type.element_ty), boundary_check=(0, 1))


@pytest.mark.parametrize("shape", [(32, 32, 32), (45, 37, 70)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_matmul(floats, shape, dtype):
    m, n, k = shape
    a, b, c = floats(m, k).astype(dtype), floats(k, n).astype(dtype), np.empty((m, n), dtype)
    strides = [s // c.itemsize for array in (a, b, c) for s in array.strides]
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
    matmul_kernel[grid](a, b, c, m, n, k, *strides, BM=16, BN=32, BK=16)
    tolerance = 1e-5 if dtype == np.float32 else 2e-2
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def padding_kernel(x, out, n, start, N: tl.constexpr, PAD: tl.constexpr):
    block = tl.make_block_ptr(x, (n,), (1,), (start,), (N,), (0,))
    values = tl.load(block, boundary_check=(-1,), padding_option=PAD)
    tl.store(out + tl.arange(0, N), values)


@pytest.mark.parametrize("padding, value", [("zero", 0), ("nan", np.nan)])
@pytest.mark.parametrize("start", [0, 10, -3, 40])
def test_padding_on_both_sides(floats, padding, value, start):
    n, x, out = 17, floats(17), np.empty(16, np.float32)
    padding_kernel[(1,)](x, out, n, start, N=16, PAD=padding)
    i = np.arange(start, start + 16)
    expected = np.where((i >= 0) & (i < n), x[i.clip(0, n - 1)], np.float32(value))
    np.testing.assert_array_equal(out, expected)


@triton.jit
def store_kernel(x, n, N: tl.constexpr):
    block = tl.make_block_ptr(x, (n,), (2,), (tl.program_id(0) * N,), (N,), (0,))
    tl.store(block, 1.5, boundary_check=(0,))


def test_strided_store_stops_at_the_boundary():
    x = np.zeros(100, np.float32)
    store_kernel[(2,)](x, 20, N=16)
    expected = np.zeros(100, np.float32)
    expected[:40:2] = 1.5
    np.testing.assert_array_equal(x, expected)


@triton.jit
def moved_in_branch(x, out, flag, N: tl.constexpr):
    block = tl.make_block_ptr(x, (4 * N,), (1,), (0,), (N,), (0,))
    if flag > 3:
        block = tl.advance(block, (N,))
    tl.store(out + tl.arange(0, N), tl.load(block))


def test_block_pointer_from_a_branch(floats):
    x, out = floats(64), np.empty(16, np.float32)
    for flag, start in ((5, 16), (2, 0)):
        moved_in_branch[(1,)](x, out, flag, N=16)
        np.testing.assert_array_equal(out, x[start : start + 16])


@triton.jit
def wrong_kernel(x, CASE: tl.constexpr):
    block = tl.make_block_ptr(x, (16,), (1,), (0,), (16,), (0,))
    if CASE == 0:
        tl.store(block, tl.load(block, mask=True))
    elif CASE == 1:
        tl.store(block, tl.load(block, boundary_check=(1,)))
    elif CASE == 2:
        tl.load(x + tl.arange(0, 16), boundary_check=(0,))
    elif CASE == 3:
        block = tl.advance(x, (1,))
    else:
        tl.store(block, tl.load(block, boundary_check=(0,), padding_option="ones"))


@pytest.mark.parametrize(
    "case, message",
    [
        (0, "`mask` cannot be given"),
        (1, "axis 1"),
        (2, "are for block pointers"),
        (3, "takes a block pointer"),
        (4, "`zero`, `nan`"),
    ],
)
def test_wrong_use_is_refused(floats, case, message):
    with pytest.raises(triton.CompilationError) as error:
        wrong_kernel[(1,)](floats(16), CASE=case)
    assert message in str(error.value)
