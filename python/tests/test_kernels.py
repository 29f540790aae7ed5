"""Kernels as people write them, against NumPy."""

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@pytest.mark.parametrize("n", [1, 15, 1000, 98432])
@pytest.mark.parametrize("block", [16, 1024])
def test_add(floats, n, block):
    x, y, out = floats(n), floats(n), np.zeros(n + 7, np.float32)
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    np.testing.assert_array_equal(out[:n], x + y)
    assert not out[n:].any()


@triton.jit
def softmax_kernel(out, x, in_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        i = tl.arange(0, BLOCK)
        inside = i < columns
        values = tl.load(x + row * in_stride + i, mask=inside, other=-float("inf"))
        power = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + i, power / tl.sum(power, axis=0), mask=inside)


def softmax(x):
    power = np.exp(x - x.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 781), (64, 128)])
def test_softmax(floats, rows, columns):
    x = floats(rows, columns)
    out = np.empty_like(x)
    block = triton.next_power_of_2(columns)
    softmax_kernel[(3,)](out, x, columns, columns, rows, columns, BLOCK=block)
    np.testing.assert_allclose(out, softmax(x), rtol=2e-6, atol=1e-7)


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
    LEAKY: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    first = group * GROUP
    size = min(rows - first, GROUP)
    pm = first + (pid % (GROUP * columns)) % size
    pn = (pid % (GROUP * columns)) // size
    im = (pm * BM + tl.arange(0, BM)) % M
    jn = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    pa = a + im[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + jn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        x = tl.load(pa, mask=k[None, :] < left, other=0.0)
        y = tl.load(pb, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK * sak
        pb += BK * sbk
    if LEAKY:
        acc = leaky(acc)
    i = pm * BM + tl.arange(0, BM)
    j = pn * BN + tl.arange(0, BN)
    inside = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c + i[:, None] * scm + j[None, :] * scn, acc.to(c.dtype.element_ty), mask=inside)


@pytest.mark.parametrize("shape", [(16, 16, 16), (65, 43, 70), (128, 96, 64)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("act", [False, True])
def test_matmul(floats, shape, dtype, act):
    m, n, k = shape
    a, b = floats(m, k).astype(dtype), floats(k, n).astype(dtype)
    b = np.asfortranarray(b)
    c = np.empty((m, n), dtype)
    strides = [s // c.itemsize for array in (a, b, c) for s in array.strides]
    grid = (triton.cdiv(m, 32) * triton.cdiv(n, 32),)
    matmul_kernel[grid](a, b, c, m, n, k, *strides, BM=32, BN=32, BK=16, GROUP=2, LEAKY=act)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    expected = np.where(expected >= 0, expected, 0.01 * expected) if act else expected
    tolerance = 1e-5 if dtype == np.float32 else 2e-2
    np.testing.assert_allclose(c.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def attention_kernel(
    q, k, v, out, scale, stride_head, length, CAUSAL: tl.constexpr,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1).to(tl.int64) * stride_head
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + head + i[:, None] * D + d[None, :], mask=i[:, None] < length, other=0.0)
    best = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, length, BN):
        j = start + tl.arange(0, BN)
        place = j[:, None] * D + d[None, :]
        keys = tl.load(k + head + place, mask=j[:, None] < length, other=0.0)
        scores = tl.dot(queries, keys.T) * scale
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        scores = tl.where(seen, scores, -1e30)
        top = tl.maximum(best, tl.max(scores, 1))
        weights = tl.exp2((scores - top[:, None]) * 1.44269504)
        shrink = tl.exp2((best - top) * 1.44269504)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + head + place, mask=j[:, None] < length, other=0.0)
        acc = tl.dot(weights, values, acc * shrink[:, None])
        best = top
    acc = acc / total[:, None]
    tl.store(out + head + i[:, None] * D + d[None, :], acc, mask=i[:, None] < length)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [64, 77])
def test_attention(floats, causal, length):
    heads, d = 3, 32
    q, k, v = (floats(heads, length, d) for _ in range(3))
    out = np.empty_like(q)
    attention_kernel[(triton.cdiv(length, 32), heads)](
        q, k, v, out, d**-0.5, length * d, length, CAUSAL=causal, D=d, BM=32, BN=16
    )
    scores = q @ k.transpose(0, 2, 1) * d**-0.5
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    np.testing.assert_allclose(out, softmax(scores) @ v, rtol=1e-4, atol=1e-5)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    keep = tl.rand(seed, i) > p
    values = tl.load(x + i, mask=inside)
    tl.store(out + i, tl.where(keep, values / (1 - p), 0.0), mask=inside)


def philox(seed, counters):
    """The first word of Philox 4x32-10 (Salmon et al. 2011) for counters (c, 0, 0, 0)."""
    mask = np.uint64(0xFFFFFFFF)
    c = [counters.astype(np.uint64)] + [np.zeros(len(counters), np.uint64)] * 3
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (b >> np.uint64(32)) ^ c[1] ^ np.uint64(keys[0]),
            b & mask,
            (a >> np.uint64(32)) ^ c[3] ^ np.uint64(keys[1]),
            a & mask,
        ]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[0].astype(np.uint32)


def test_dropout(floats):
    n, p, seed = 3000, 0.3, 123
    x, out = floats(n), np.empty(n, np.float32)
    dropout_kernel[(triton.cdiv(n, 512),)](x, out, n, p, seed, BLOCK=512)
    words = philox(seed, np.arange(n)).view(np.int32).astype(np.int64)
    uniform = np.where(words < 0, -words - 1, words).astype(np.float32) * np.float32(
        4.6566127342e-10
    )
    kept = uniform > np.float32(p)
    assert 0.6 < kept.mean() < 0.8
    expected = np.where(kept, x / (np.float32(1) - np.float32(p)), 0)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@triton.jit
def layer_norm_kernel(x, out, weight, bias, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    average = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        values = tl.where(i < n, values - average, 0.0)
        squares += values * values
    inverse = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, inverse)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < n
        values = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
        scaled = (values - average) * inverse * tl.load(weight + i, mask=inside)
        tl.store(out + i, scaled + tl.load(bias + i, mask=inside), mask=inside)


def test_layer_norm(floats):
    rows, n = 5, 300
    x, weight, bias = floats(rows, n), floats(n), floats(n)
    out, mean, rstd = np.empty_like(x), np.empty(rows, np.float32), np.empty(rows, np.float32)
    layer_norm_kernel[(rows,)](x, out, weight, bias, mean, rstd, n, n, 1e-5, BLOCK=128)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, normal * weight + bias, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, wide.mean(1), rtol=1e-4, atol=1e-6)


@triton.jit
def atomics_kernel(sums, largest, count, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(sums + i % 4, values, mask=i < n)
    tl.atomic_max(largest, tl.max(values, 0))
    tl.atomic_add(count, 1)


def test_atomics(rng):
    n = 1000
    x = rng.integers(-50, 50, n, dtype=np.int32)
    sums, largest = np.zeros(4, np.int32), np.full(1, -100, np.int32)
    count = np.zeros(1, np.int32)
    atomics_kernel[(triton.cdiv(n, 64),)](sums, largest, count, x, n, BLOCK=64)
    assert sums.tolist() == [x[k::4].sum() for k in range(4)]
    assert largest[0] == max(x.max(), 0) and count[0] == 16


@triton.jit
def scan_kernel(x, sums, order, counts, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(values, 0))
    tl.store(order + i, tl.sort(values))
    tl.store(counts + tl.arange(0, 16), tl.histogram(values, 16))


def test_scan_sort_histogram(rng):
    x = rng.integers(0, 16, 128, dtype=np.int32)
    sums, order, counts = np.empty_like(x), np.empty_like(x), np.empty(16, np.int32)
    scan_kernel[(1,)](x, sums, order, counts, N=128)
    np.testing.assert_array_equal(sums, np.cumsum(x))
    np.testing.assert_array_equal(order, np.sort(x))
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=16))


@triton.jit
def control_kernel(x, out, limit):
    pid = tl.program_id(0)
    if pid >= limit:
        return
    value = tl.load(x + pid)
    steps = 0
    while value != 1:
        value = tl.where(value % 2 == 0, value // 2, 3 * value + 1)
        steps += 1
    tl.store(out + pid, steps)


def test_control_flow():
    x = np.arange(1, 31, dtype=np.int32)
    out = np.full(30, -1, np.int32)
    control_kernel[(30,)](x, out, 25)

    def collatz(value):
        steps = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        return steps

    assert out.tolist() == [collatz(int(v)) for v in x[:25]] + [-1] * 5


@triton.jit
def descriptor_kernel(x, out, m, n, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out, [n, m], [m, 1], [BLOCK, BLOCK])
    target.store([j, i], source.load([i, j]).T * 2)


def test_descriptors_of_the_kernel(floats):
    x = floats(20, 36)
    out = np.zeros((36, 20), np.float32)
    descriptor_kernel[(2, 3)](x, out, 20, 36, BLOCK=16)
    np.testing.assert_array_equal(out, x.T * 2)


@triton.jit
def host_descriptor_kernel(source, target, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    target.store([i, j], source.load([i, j]) + 1)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_descriptors_of_the_host(floats, padding):
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = floats(20, 36), np.zeros((32, 48), np.float32)
    source = TensorDescriptor.from_tensor(x, [16, 16], padding)
    target = TensorDescriptor(out, out.shape, [48, 1], [16, 16])
    host_descriptor_kernel[(2, 3)](source, target, BLOCK=16)
    expected = np.full_like(out, 1 if padding == "zero" else np.nan)
    expected[:20, :36] = x + 1
    np.testing.assert_array_equal(out, expected)


@triton.jit
def inner(x, factor):
    return x * factor, x + factor


@triton.jit(noinline=True)
def outlined(x, factor):
    return x * factor


@triton.jit
def tuples_kernel(arrays, factors, N: tl.constexpr):
    i = tl.arange(0, N)
    product, total = inner(tl.load(arrays[0] + i), factors[0])
    tl.store(arrays[1] + i, product + factors[1][0])
    tl.store(arrays[2] + i, total + outlined(2.0, factors[1][1]))


def test_tuples_and_calls(floats):
    x, y, z = floats(16), floats(16), floats(16)
    tuples_kernel[(1,)]((x, y, z), (2.5, (3, 4.0)), N=16)
    np.testing.assert_allclose(y, x * np.float32(2.5) + 3, rtol=1e-6)
    np.testing.assert_allclose(z, x + np.float32(2.5) + 8, rtol=1e-6)


@triton.jit
def custom_fp8_kernel(x, codes, back, N: tl.constexpr):
    i = tl.arange(0, N)
    small = tl.load(x + i).to(tl.float8e4b15)
    tl.store(codes + i, small.to(tl.uint8, bitcast=True))
    tl.store(back + i, small.to(tl.float32))


def test_fp8e4b15():
    x = np.array([0, 1, -1, 1.75, 3, -300, 0.5625, 2**-14], np.float32)
    codes, back = np.empty(8, np.uint8), np.empty(8, np.float32)
    custom_fp8_kernel[(1,)](x, codes, back, N=8)
    assert codes.tolist() == [0x00, 0x78, 0xF8, 0x7E, 0x7E, 0xFE, 0x71, 0x08]
    np.testing.assert_array_equal(back, [0, 1, -1, 1.75, 1.75, -1.75, 0.5625, 2**-14])
