"""The cost of checking bounds: kernels of `trident.compile`, with them and without, in turns.

A JSON line for each kernel.
"""

import argparse
import json

import torch
import triton
import triton.language as tl

import layer_norm
import matmul
import softmax
import trident
import vector_add

from .kernels import sum_kernel
from .turns import interleaved

LENGTH, ROWS, COLUMNS, SIDE = 1 << 20, 1024, 1000, 512
BLOCK = 2048
GRID = (LENGTH // BLOCK,)


@triton.jit
def gather_kernel(x, index, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@triton.jit
def strided_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + 2 * i))


def cases():
    """(name, kernel, grid, arguments, constants); an argument that is 1 is a constant to Triton."""
    x, y, out = torch.randn(3, LENGTH)
    yield "vector add", vector_add.add_kernel, GRID, [x, y, out, LENGTH], {"BLOCK": BLOCK}
    rows, result = torch.randn(ROWS, COLUMNS), torch.empty(ROWS, COLUMNS)
    sizes = [COLUMNS, COLUMNS, ROWS, COLUMNS]
    yield "softmax", softmax.softmax_kernel, (16,), [rows, result, *sizes], {"BLOCK": 1024}
    weight, bias = torch.randn(2, COLUMNS)
    mean, rstd = torch.empty(2, ROWS)
    arguments = [rows, weight, bias, result, mean, rstd, COLUMNS, 1e-5]
    yield "layer norm", layer_norm.forward_kernel, (ROWS,), arguments, {"BLOCK": 1024}
    yield "sum", sum_kernel, (ROWS,), [rows, mean, COLUMNS], {"BLOCK": 1024}
    factors = [*torch.randn(2, SIDE, SIDE), torch.empty(SIDE, SIDE)]
    arguments = [*factors, SIDE, SIDE, SIDE, *[SIDE, 1] * 3]
    blocks = {"BM": 128, "BN": 128, "BK": 256, "GROUP": 4}
    yield "matmul", matmul.matmul_kernel, (16,), arguments, blocks
    index = torch.randperm(LENGTH, dtype=torch.int32)
    yield "gather", gather_kernel, GRID, [x, index, out], {"BLOCK": BLOCK}
    twice = torch.randn(2 * LENGTH)
    yield "every second element", strided_kernel, GRID, [twice, out], {"BLOCK": BLOCK}


def measure(kernel, grid, arguments, constants, rounds):
    """Median seconds of a launch with checks and without."""
    text = kernel[grid](*arguments, **constants).asm["ttir"]
    values = [v for v in arguments if not (isinstance(v, int) and v == 1)]
    kernels = [trident.compile(text, unchecked=unchecked) for unchecked in (False, True)]
    calls = [lambda kernel=kernel: kernel.launch(grid, values) for kernel in kernels]
    return interleaved(calls, rounds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    trident.set_num_threads(options.threads)
    for name, *case in cases():
        checked, unchecked = measure(*case, options.rounds)
        row = {"kernel": name, "threads": options.threads}
        print(json.dumps(row | {"checked": checked, "unchecked": unchecked}), flush=True)


if __name__ == "__main__":
    main()
