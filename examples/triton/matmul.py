"""Matrix product by tiles, with programs ordered so that neighbours share rows and columns."""

import triton
import triton.language as tl

import lab


@triton.jit
def tile_of(program, m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of a program's tile: GROUP rows of tiles are done column by column."""
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    first = program // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    within = program % (GROUP * columns)
    return first + within % height, within // height


@triton.jit
def matmul_kernel(
    a, b, c, m, n, k, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """c = a @ b of [m, k] and [k, n]; strides in elements."""
    tile_row, tile_column = tile_of(tl.program_id(0), m, n, BM, BN, GROUP)
    row = tile_row * BM + tl.arange(0, BM)
    column = tile_column * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_tile = a + row[:, None] * a_row + depth[None, :] * a_column
    b_tile = b + depth[:, None] * b_row + column[None, :] * b_column
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        left = depth < k - start
        x = tl.load(a_tile, mask=(row[:, None] < m) & left[None, :], other=0.0)
        y = tl.load(b_tile, mask=left[:, None] & (column[None, :] < n), other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
        a_tile += BK * a_column
        b_tile += BK * b_row
    c_tile = c + row[:, None] * c_row + column[None, :] * c_column
    tl.store(c_tile, total, mask=(row[:, None] < m) & (column[None, :] < n))


def matmul(a, b, c, group=4):
    """c = a @ b for contiguous matrices. A CPU likes tiles that fill its second-level cache."""
    (m, k), n = a.shape, b.shape[1]
    most = ((m, 256), (n, 128), (k, 256))
    bm, bn, bk = (max(16, min(triton.next_power_of_2(size), limit)) for size, limit in most)
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    matmul_kernel[grid](
        a, b, c, m, n, k, k, 1, n, 1, n, 1, BM=bm, BN=bn, BK=bk, GROUP=group
    )  # fmt: skip
    return c


def checks():
    for m, n, k in ((16, 16, 16), (65, 130, 77), (512, 512, 512)):
        a, b = lab.random(m, k), lab.random(k, n)
        lab.check(f"matmul {m}×{n}×{k}", matmul(a, b, lab.empty(m, n)), a @ b)


def benchmark():
    def make(size):
        a, b, c = lab.random(size, size), lab.random(size, size), lab.empty(size, size)
        peer = lab.torch and (lambda: lab.torch.mm(a, b, out=c))
        return 2 * size**3, lambda: matmul(a, b, c), peer

    sizes = (64, 128, 256, 512, 1024, 2048)
    lab.bench("matmul", "Square matrix product, f32", "rows", "GFLOP/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
