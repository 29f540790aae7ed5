"""Many matrix products of different sizes in one launch, found through tables of addresses."""

import numpy as np
import triton
import triton.language as tl

import lab
import trident


@triton.jit
def grouped_kernel(
    addresses, shapes, problems, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Programs take the tiles of all problems in turns.

    `addresses` has a, b, c and `shapes` m, n, k of each problem; matrices are contiguous f32.
    """
    tile = tl.program_id(0)
    before = 0
    for problem in range(problems):
        m = tl.load(shapes + problem * 3)
        n = tl.load(shapes + problem * 3 + 1)
        k = tl.load(shapes + problem * 3 + 2)
        columns = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * columns
        a = tl.load(addresses + problem * 3).to(tl.pointer_type(tl.float32))
        b = tl.load(addresses + problem * 3 + 1).to(tl.pointer_type(tl.float32))
        c = tl.load(addresses + problem * 3 + 2).to(tl.pointer_type(tl.float32))
        while tile < before + tiles:
            row = (tile - before) // columns * BM + tl.arange(0, BM)
            column = (tile - before) % columns * BN + tl.arange(0, BN)
            total = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                depth = start + tl.arange(0, BK)
                a_tile = a + row[:, None] * k + depth[None, :]
                b_tile = b + depth[:, None] * n + column[None, :]
                x = tl.load(a_tile, mask=(row[:, None] < m) & (depth[None, :] < k), other=0.0)
                y = tl.load(b_tile, mask=(depth[:, None] < k) & (column[None, :] < n), other=0.0)
                total = tl.dot(x, y, total, input_precision="ieee")
            c_tile = c + row[:, None] * n + column[None, :]
            tl.store(c_tile, total, mask=(row[:, None] < m) & (column[None, :] < n))
            tile += tl.num_programs(0)
        before += tiles


def table(groups):
    """Addresses and shapes of a list of (a, b, c) as the kernel reads them."""
    addresses = [[trident.address(each) for each in group] for group in groups]
    shapes = [(a.shape[0], b.shape[1], a.shape[1]) for a, b, _ in groups]
    return lab.array(np.array(addresses, np.int64)), lab.array(np.array(shapes, np.int32))


def grouped_gemm(addresses, shapes, programs=16, bm=64, bn=64, bk=128):
    """c = a @ b for every row of the table."""
    grouped_kernel[(programs,)](addresses, shapes, shapes.shape[0], BM=bm, BN=bn, BK=bk)


def groups_of(sizes):
    return [(lab.random(m, k), lab.random(k, n), lab.empty(m, n)) for m, n, k in sizes]


def checks():
    groups = groups_of([(256, 128, 64), (33, 70, 130), (1, 5, 16), (128, 256, 192)])
    grouped_gemm(*table(groups))
    for a, b, c in groups:
        lab.check(f"group of {a.shape[0]}×{b.shape[1]}×{a.shape[1]}", c, a @ b)


def benchmark():
    def make(size):
        groups = groups_of([(size, size, size)] * 4)
        tables = table(groups)

        def peer():
            for a, b, c in groups:
                lab.torch.mm(a, b, out=c)

        return 4 * 2 * size**3, lambda: grouped_gemm(*tables), peer if lab.torch else None

    title = "Four square matrix products in one launch, f32"
    lab.bench("grouped_gemm", title, "rows of each", "GFLOP/s", (64, 128, 256, 512, 1024), make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
