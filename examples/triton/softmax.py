"""Softmax of the rows of a matrix, fused: each row is read once and written once."""

import numpy as np
import triton
import triton.language as tl

import lab


@triton.jit
def softmax_kernel(x, out, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    """Programs take rows in turns; a row is one block, padded with the lowest value."""
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * x_stride + column, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + column, powers / tl.sum(powers, axis=0), mask=inside)


def softmax(x, out):
    """Softmax over the last of two dimensions."""
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    programs = min(rows, 64)
    softmax_kernel[(programs,)](x, out, columns, columns, rows, columns, BLOCK=block)
    return out


def reference(x):
    if lab.torch:
        return lab.torch.softmax(x, dim=1)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def checks():
    for shape in ((1, 1), (3, 7), (1823, 781)):
        x = lab.random(*shape)
        lab.check(f"softmax of {shape}", softmax(x, lab.empty(*shape)), reference(x))


def benchmark():
    def make(columns):
        x, out = lab.random(2048, columns), lab.empty(2048, columns)
        peer = lab.torch and (lambda: lab.torch.softmax(x, 1, out=out))
        return 2 * 4 * 2048 * columns, lambda: softmax(x, out), peer

    sizes = [2**k for k in range(6, 14)]
    lab.bench("softmax", "Softmax of 2048 rows, f32", "columns", "GB/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
