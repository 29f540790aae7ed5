"""The measured cases: each op at three sizes, as a call of ours and a call of PyTorch's.

The sizes are of everything that an op reads and writes: 768 KiB stays in a second-level cache of
1 MiB, 8 MiB in the third, 192 MiB only in memory. Matrix products and attention take what comes
near.
"""

import dataclasses
import math
from collections.abc import Callable

import torch
import triton

import attention
import layer_norm
import matmul
import softmax
import vector_add

from . import kernels

SIZES = {"L2": 768 << 10, "L3": 8 << 20, "memory": 192 << 20}
COLUMNS = 1024  # of the ops on rows
BLOCK = 2048  # elements per program of elementwise kernels
MATMUL = {"L2": 192, "L3": 1024, "memory": 2048}
ATTENTION = {"L2": (2, 256), "L3": (8, 1024), "memory": (48, 1024)}  # heads and length
WIDTH = 64


@dataclasses.dataclass
class Case:
    """One op at one size. `ours` writes `out`; `peer` writes `expected` or returns a tensor."""

    op: str
    size: str
    shape: str
    bytes: int
    flops: int
    ours: Callable
    peer: Callable
    out: torch.Tensor


def direct(kernel, grid, *arguments, **constants):
    """The launch of a compiled kernel: everything that does not depend on the call is done."""
    compiled = kernel[grid](*arguments, **constants)
    values = (*arguments, *constants.values())
    # Triton passes all parameters in the order of their declaration, constants included.
    launch = compiled[(*grid, 1, 1)[:3]]
    return lambda: launch(*values)


def unary(op, size, kernel, peer):
    length = SIZES[size] // 8
    x, out, theirs = torch.randn(length), torch.empty(length), torch.empty(length)
    grid = (triton.cdiv(length, BLOCK),)
    ours = direct(kernel, grid, x, out, length, BLOCK=BLOCK)
    return Case(op, size, f"{length}", 8 * length, 0, ours, lambda: peer(x, theirs), out)


def binary(op, size, kernel, peer):
    length = SIZES[size] // 12
    x, y = torch.randn(length), torch.randn(length)
    out, theirs = torch.empty(length), torch.empty(length)
    grid = (triton.cdiv(length, BLOCK),)
    ours = direct(kernel, grid, x, y, out, length, BLOCK=BLOCK)
    return Case(op, size, f"{length}", 12 * length, 0, ours, lambda: peer(x, y, out=theirs), out)


def reduction(op, size, kernel, peer):
    rows = SIZES[size] // (4 * COLUMNS)
    x, out, theirs = torch.randn(rows, COLUMNS), torch.empty(rows), torch.empty(rows)
    ours = direct(kernel, (rows,), x, out, COLUMNS, BLOCK=COLUMNS)
    shape, moved = f"{rows}×{COLUMNS}", 4 * rows * (COLUMNS + 1)
    return Case(op, size, shape, moved, 0, ours, lambda: peer(x, 1, out=theirs), out)


def softmax_case(size):
    rows = SIZES[size] // (8 * COLUMNS)
    x, out, theirs = (torch.randn(rows, COLUMNS) for _ in range(3))
    ours = direct(
        softmax.softmax_kernel, (rows,), x, out, COLUMNS, COLUMNS, rows, COLUMNS,
        BLOCK=COLUMNS,
    )  # fmt: skip
    shape = f"{rows}×{COLUMNS}"
    peer = torch.softmax
    return Case("softmax", size, shape, x.nbytes * 2, 0, ours, lambda: peer(x, 1, out=theirs), out)


def layer_norm_case(size):
    rows = SIZES[size] // (8 * COLUMNS)
    x, out = torch.randn(rows, COLUMNS), torch.empty(rows, COLUMNS)
    weight, bias = torch.randn(COLUMNS), torch.randn(COLUMNS)
    mean, rstd = torch.empty(rows), torch.empty(rows)
    ours = direct(
        layer_norm.forward_kernel, (rows,), x, weight, bias, out, mean, rstd, COLUMNS, 1e-5,
        BLOCK=COLUMNS,
    )  # fmt: skip

    def peer():
        return torch.nn.functional.layer_norm(x, (COLUMNS,), weight, bias, 1e-5)

    return Case("layer norm", size, f"{rows}×{COLUMNS}", x.nbytes * 2, 0, ours, peer, out)


def matmul_case(size):
    n = MATMUL[size]
    a, b = torch.randn(n, n), torch.randn(n, n)
    out, theirs = torch.empty(n, n), torch.empty(n, n)
    rows, columns, depth = (256, 128, 256) if n > 512 else (64, 32, 64)
    grid = (triton.cdiv(n, rows) * triton.cdiv(n, columns),)
    ours = direct(
        matmul.matmul_kernel, grid, a, b, out, n, n, n, n, 1, n, 1, n, 1,
        BM=rows, BN=columns, BK=depth, GROUP=4,
    )  # fmt: skip
    shape = f"{n}×{n}×{n}"
    peer = torch.mm
    return Case(
        "matmul", size, shape, 3 * a.nbytes, 2 * n**3, ours, lambda: peer(a, b, out=theirs), out
    )


def attention_case(size):
    heads, length = ATTENTION[size]
    q, k, v, out = (torch.randn(1, heads, length, WIDTH) for _ in range(4))
    rows, columns = 128, 256
    ours = direct(
        attention.attention_kernel, (triton.cdiv(length, rows), heads), q, k, v, out,
        1 / math.sqrt(WIDTH), length, WIDTH=WIDTH, BM=rows, BN=columns, CAUSAL=False,
    )  # fmt: skip
    peer = torch.nn.functional.scaled_dot_product_attention
    flops = 4 * heads * length**2 * WIDTH
    shape = f"{heads}×{length}×{WIDTH}"
    return Case("attention", size, shape, 4 * q.nbytes, flops, ours, lambda: peer(q, k, v), out)


def gelu(x, out):
    return torch.ops.aten.gelu.out(x, out=out)


MAKERS = {
    "add": lambda size: binary("add", size, vector_add.add_kernel, torch.add),
    "mul": lambda size: binary("mul", size, kernels.mul_kernel, torch.mul),
    "exp": lambda size: unary("exp", size, kernels.exp_kernel, lambda x, o: torch.exp(x, out=o)),
    "tanh": lambda size: unary(
        "tanh", size, kernels.tanh_kernel, lambda x, o: torch.tanh(x, out=o)
    ),
    "GELU": lambda size: unary("GELU", size, kernels.gelu_kernel, gelu),
    "sum": lambda size: reduction("sum", size, kernels.sum_kernel, torch.sum),
    "mean": lambda size: reduction("mean", size, kernels.mean_kernel, torch.mean),
    "softmax": softmax_case,
    "layer norm": layer_norm_case,
    "matmul": matmul_case,
    "attention": attention_case,
}
ALLOCATING = ("layer norm", "attention")  # PyTorch has no out= for these
