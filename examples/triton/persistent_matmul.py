"""Matrix product with tensor descriptors and as many programs as there are cores."""

import os

import triton
import triton.language as tl

import lab

CORES = os.cpu_count() or 1


@triton.jit
def persistent_kernel(
    a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """c = a @ bᵀ of [m, k] and [n, k]; the descriptors know the bounds, so no mask is needed."""
    a_blocks = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    b_blocks = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
    c_blocks = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    columns = tl.cdiv(n, BN)
    for tile in range(tl.program_id(0), tl.cdiv(m, BM) * columns, tl.num_programs(0)):
        row, column = tile // columns * BM, tile % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            x = a_blocks.load([row, start])
            y = b_blocks.load([column, start])
            total = tl.dot(x, y.T, total, input_precision="ieee")
        c_blocks.store([row, column], total)


def matmul(a, b, c, programs=CORES, bm=128, bn=128, bk=256):
    """c = a @ bᵀ; rows start at multiples of 16 bytes, as descriptors demand."""
    (m, k), n = a.shape, b.shape[0]
    persistent_kernel[(programs,)](a, b, c, m, n, k, BM=bm, BN=bn, BK=bk)
    return c


def checks():
    for m, n, k in ((16, 16, 16), (65, 132, 76), (512, 512, 512)):
        a, b = lab.random(m, k), lab.random(n, k)
        lab.check(f"persistent matmul {m}×{n}×{k}", matmul(a, b, lab.empty(m, n)), a @ b.T)


def benchmark():
    def make(size):
        a, b, c = lab.random(size, size), lab.random(size, size), lab.empty(size, size)
        peer = lab.torch and (lambda: lab.torch.mm(a, b.T, out=c))
        return 2 * size**3, lambda: matmul(a, b, c), peer

    sizes = (64, 128, 256, 512, 1024, 2048)
    title = "Persistent matrix product with descriptors, f32"
    lab.bench("persistent_matmul", title, "rows", "GFLOP/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
