"""Adding two vectors: the smallest kernel, limited by memory alone."""

import triton
import triton.language as tl

import lab


@triton.jit
def add_kernel(x, y, out, length, BLOCK: tl.constexpr):
    """Each program adds one block; the mask keeps the last one inside the vectors."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    total = tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside)
    tl.store(out + index, total, mask=inside)


def add(x, y, out, block=4096):
    """out = x + y, one-dimensional."""
    length = x.shape[0]
    add_kernel[(triton.cdiv(length, block),)](x, y, out, length, BLOCK=block)
    return out


def checks():
    for length in (1, 1000, 98432):
        x, y = lab.random(length), lab.random(length)
        lab.check(f"add of {length}", add(x, y, lab.empty(length)), x + y, tolerance=0)


def benchmark():
    def make(length):
        x, y, out = lab.random(length), lab.random(length), lab.empty(length)
        peer = lab.torch and (lambda: lab.torch.add(x, y, out=out))
        return 12 * length, lambda: add(x, y, out), peer

    sizes = [2**k for k in range(12, 26)]
    lab.bench("vector_add", "Vector add, f32", "elements", "GB/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
