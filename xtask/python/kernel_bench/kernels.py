"""Kernels that the examples do not have: elementwise functions and reductions of rows."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def mul_kernel(x, y, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    product = tl.load(x + index, mask=inside) * tl.load(y + index, mask=inside)
    tl.store(out + index, product, mask=inside)


@triton.jit
def exp_kernel(x, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    tl.store(out + index, tl.exp(tl.load(x + index, mask=inside)), mask=inside)


@triton.jit
def tanh_kernel(x, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    tl.store(out + index, libdevice.tanh(tl.load(x + index, mask=inside)), mask=inside)


@triton.jit
def gelu_kernel(x, out, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    values = tl.load(x + index, mask=inside)
    share = 0.5 * (1 + tl.erf(values * 0.7071067811865476))
    tl.store(out + index, values * share, mask=inside)


@triton.jit
def sum_kernel(x, out, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * columns + column, mask=column < columns, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(values, axis=0))


@triton.jit
def mean_kernel(x, out, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * columns + column, mask=column < columns, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(values, axis=0) / columns)
