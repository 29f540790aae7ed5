"""Attention in one kernel: scores live only as tiles, and softmax is made as they come."""

import numpy as np
import triton
import triton.language as tl

import lab


@triton.jit
def attention_kernel(
    q, k, v, out, scale, length,
    WIDTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """BM queries of one head per program, against BN keys at a time.

    `top` is the largest score so far and `total` the sum of powers relative to it; both are
    corrected when a larger one comes (Milakov and Gimelshein, 2018).
    """
    base = tl.program_id(1) * length * WIDTH
    query = tl.program_id(0) * BM + tl.arange(0, BM)
    lane = tl.arange(0, WIDTH)
    place = base + query[:, None] * WIDTH + lane[None, :]
    own = query[:, None] < length
    queries = tl.load(q + place, mask=own, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, WIDTH), tl.float32)
    end = length
    if CAUSAL:
        end = min(length, (tl.program_id(0) + 1) * BM)
    for start in range(0, end, BN):
        key = start + tl.arange(0, BN)
        there = base + key[:, None] * WIDTH + lane[None, :]
        known = key[:, None] < length
        keys = tl.load(k + there, mask=known, other=0.0)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
        visible = key[None, :] < length
        if CAUSAL:
            visible = visible & (key[None, :] <= query[:, None])
        scores = tl.where(visible, scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp(scores - higher[:, None])
        correction = tl.exp(top - higher)
        total = total * correction + tl.sum(powers, axis=1)
        values = tl.load(v + there, mask=known, other=0.0)
        result = tl.dot(powers, values, result * correction[:, None], input_precision="ieee")
        top = higher
    tl.store(out + place, result / total[:, None], mask=own)


def attention(q, k, v, out, causal):
    """Softmax(q kᵀ / √width) v for [batch, heads, length, width]; the width is a power of two."""
    batch, heads, length, width = q.shape
    bm, bn = (max(16, min(triton.next_power_of_2(length), limit)) for limit in (128, 256))
    grid = (triton.cdiv(length, bm), batch * heads)
    attention_kernel[grid](
        q, k, v, out, width**-0.5, length, WIDTH=width, BM=bm, BN=bn, CAUSAL=causal
    )  # fmt: skip
    return out


def reference(q, k, v, causal):
    if lab.torch:
        function = lab.torch.nn.functional.scaled_dot_product_attention
        return function(q, k, v, is_causal=causal)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ v


def checks():
    for shape in ((1, 1, 16, 16), (1, 2, 100, 32), (2, 3, 257, 64)):
        q, k, v = (lab.random(*shape) for _ in range(3))
        for causal in (False, True):
            name = f"{'causal ' if causal else ''}attention of {shape}"
            actual = attention(q, k, v, lab.empty(*shape), causal)
            lab.check(name, actual, reference(q, k, v, causal))


def benchmark():
    def make(length):
        shape = (1, 8, length, 64)
        q, k, v, out = (lab.random(*shape) for _ in range(4))
        peer = lab.torch and (lambda: reference(q, k, v, False))
        return 4 * 8 * length**2 * 64, lambda: attention(q, k, v, out, False), peer

    sizes = (64, 128, 256, 512, 1024, 2048)
    title = "Attention of 8 heads of width 64, f32"
    lab.bench("attention", title, "length", "GFLOP/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
