"""The measured kernels, as people write them, the same source for both sides."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    total = tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside)
    tl.store(out + index, total, mask=inside)


@triton.jit
def masked_copy(x, chosen, out, length, BLOCK: tl.constexpr):
    """Elements that are not chosen are zero; they are not read."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    wanted = inside & (tl.load(chosen + index, mask=inside, other=0) != 0)
    tl.store(out + index, tl.load(x + index, mask=wanted, other=0.0), mask=inside)


@triton.jit
def gelu(x, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    values = tl.load(x + index, mask=inside)
    share = 0.5 * (1 + tl.erf(values * 0.7071067811865476))
    tl.store(out + index, values * share, mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    start = tl.program_id(0).to(tl.int64) * columns
    values = tl.load(x + start + column, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + start + column, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, mean, rstd, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    start = row.to(tl.int64) * columns
    values = tl.load(x + start + column, mask=inside, other=0.0).to(tl.float32)
    center = tl.sum(values, axis=0) / columns
    apart = tl.where(inside, values - center, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, axis=0) / columns + eps)
    tl.store(mean + row, center)
    tl.store(rstd + row, scale)
    factor = tl.load(weight + column, mask=inside)
    offset = tl.load(bias + column, mask=inside)
    tl.store(out + start + column, apart * scale * factor + offset, mask=inside)


@triton.jit
def row_sum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    start = row.to(tl.int64) * columns
    values = tl.load(x + start + column, mask=column < columns, other=0.0)
    tl.store(out + row, tl.sum(values, axis=0))


@triton.jit
def rms_norm(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    start = tl.program_id(0).to(tl.int64) * columns
    values = tl.load(x + start + column, mask=inside, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(values * values, axis=0) / columns + eps)
    factor = tl.load(weight + column, mask=inside).to(tl.float32)
    tl.store(out + start + column, (values * scale * factor).to(tl.float16), mask=inside)


@triton.jit
def cross_entropy(logits, target, loss, columns, BLOCK: tl.constexpr):
    """The loss of each row in one pass: a larger logit corrects the sum of powers so far."""
    row = tl.program_id(0)
    start = row.to(tl.int64) * columns
    top = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        values = tl.load(logits + start + column, mask=column < columns, other=-float("inf"))
        higher = tl.maximum(top, tl.max(values, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(values - higher), axis=0)
        top = higher
    wanted = tl.load(logits + start + tl.load(target + row))
    tl.store(loss + row, top + tl.log(total) - wanted)


@triton.jit
def matmul(
    a, b, c, n,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """c = a b for square matrices; programs in groups of rows share what they read."""
    program = tl.program_id(0)
    rows, columns = tl.cdiv(n, BM), tl.cdiv(n, BN)
    first = program // (GROUP * columns) * GROUP
    size = min(rows - first, GROUP)
    i = (first + program % (GROUP * columns) % size) * BM + tl.arange(0, BM)
    j = program % (GROUP * columns) // size * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left, right = a + i[:, None] * n + k[None, :], b + k[:, None] * n + j[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, n, BK):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += BK
        right += BK * n
    tl.store(c + i[:, None] * n + j[None, :], total)


@triton.jit
def attention(q, k, v, out, length, scale, WIDTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """One head's queries by programs of BM, with an online softmax over blocks of BN keys."""
    base = tl.program_id(1) * length * WIDTH
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    lane, step = tl.arange(0, WIDTH), tl.arange(0, BN)
    queries = tl.load(q + base + i[:, None] * WIDTH + lane[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, WIDTH), tl.float32)
    for start in range(0, length, BN):
        there = base + (start + step)[:, None] * WIDTH + lane[None, :]
        scores = tl.dot(queries, tl.trans(tl.load(k + there))) * scale
        higher = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp(scores - higher[:, None])
        correction = tl.exp(top - higher)
        total = total * correction + tl.sum(powers, axis=1)
        values = tl.load(v + there)
        result = tl.dot(powers.to(tl.float16), values, result * correction[:, None])
        top = higher
    tl.store(out + base + i[:, None] * WIDTH + lane[None, :], result / total[:, None])
