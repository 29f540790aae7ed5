"""Layer normalisation over the last dimension, forward and backward."""

import numpy as np
import triton
import triton.language as tl

import lab


@triton.jit
def forward_kernel(x, weight, bias, out, mean, rstd, columns, epsilon, BLOCK: tl.constexpr):
    """A row per program; its mean and 1 / standard deviation are kept for the way back."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    values = tl.load(x + row * columns + column, mask=inside, other=0.0)
    average = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    w = tl.load(weight + column, mask=inside)
    b = tl.load(bias + column, mask=inside)
    tl.store(out + row * columns + column, centred * scale * w + b, mask=inside)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)


@triton.jit
def backward_kernel(
    dout, x, weight, mean, rstd, dx, dweight, dbias, rows, columns, BLOCK: tl.constexpr
):
    """A program takes rows in turns; it writes their dx and its own sums of dweight and dbias."""
    column = tl.arange(0, BLOCK)
    inside = column < columns
    w = tl.load(weight + column, mask=inside, other=0.0)
    dw = tl.zeros((BLOCK,), tl.float32)
    db = tl.zeros((BLOCK,), tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * columns + column, mask=inside, other=0.0)
        g = tl.load(dout + row * columns + column, mask=inside, other=0.0)
        scale = tl.load(rstd + row)
        normal = tl.where(inside, (values - tl.load(mean + row)) * scale, 0.0)
        dw += g * normal
        db += g
        wg = w * g
        along = tl.sum(normal * wg, axis=0) / columns
        level = tl.sum(wg, axis=0) / columns
        change = (wg - normal * along - level) * scale
        tl.store(dx + row * columns + column, change, mask=inside)
    part = tl.program_id(0) * columns + column
    tl.store(dweight + part, dw, mask=inside)
    tl.store(dbias + part, db, mask=inside)


@triton.jit
def column_sum_kernel(parts, out, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    """Sums of the columns of a matrix, BC columns per program."""
    column = tl.program_id(0) * BC + tl.arange(0, BC)
    total = tl.zeros((BR, BC), tl.float32)
    for start in range(0, rows, BR):
        row = start + tl.arange(0, BR)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        total += tl.load(parts + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.store(out + column, tl.sum(total, axis=0), mask=column < columns)


def forward(x, weight, bias, out, mean, rstd, epsilon=1e-5):
    """out = (x - mean) · rstd · weight + bias for each row."""
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    forward_kernel[(rows,)](x, weight, bias, out, mean, rstd, columns, epsilon, BLOCK=block)
    return out


def backward(dout, x, weight, mean, rstd, programs=16):
    """Gradients of x, weight and bias."""
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    dx, dweight, dbias = lab.empty(rows, columns), lab.empty(columns), lab.empty(columns)
    parts = lab.empty(programs, columns), lab.empty(programs, columns)
    backward_kernel[(programs,)](
        dout, x, weight, mean, rstd, dx, *parts, rows, columns, BLOCK=block
    )
    for part, total in zip(parts, (dweight, dbias)):
        grid = (triton.cdiv(columns, 128),)
        column_sum_kernel[grid](part, total, programs, columns, BR=8, BC=128)
    return dx, dweight, dbias


def reference(x, weight, bias, dout, epsilon=1e-5):
    """(out, dx, dweight, dbias) of PyTorch, or of the same formulas in f64 NumPy."""
    if lab.torch:
        leaves = [leaf.clone().requires_grad_() for leaf in (x, weight, bias)]
        out = lab.torch.nn.functional.layer_norm(
            leaves[0], (x.shape[1],), leaves[1], leaves[2], epsilon
        )
        out.backward(dout)
        return [out.detach(), *(leaf.grad for leaf in leaves)]
    x, weight, bias, dout = (np.asarray(each, np.float64) for each in (x, weight, bias, dout))
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + epsilon)
    normal = (x - x.mean(axis=1, keepdims=True)) * rstd
    wg = dout * weight
    along, level = (normal * wg).mean(axis=1, keepdims=True), wg.mean(axis=1, keepdims=True)
    dx = (wg - normal * along - level) * rstd
    return [normal * weight + bias, dx, (dout * normal).sum(axis=0), dout.sum(axis=0)]


def checks():
    for rows, columns in ((1, 8), (5, 33), (151, 1000)):
        x, dout = lab.random(rows, columns), lab.random(rows, columns)
        weight, bias = lab.random(columns), lab.random(columns)
        out, mean, rstd = lab.empty(rows, columns), lab.empty(rows), lab.empty(rows)
        forward(x, weight, bias, out, mean, rstd)
        results = [out, *backward(dout, x, weight, mean, rstd)]
        names = ("layer norm", "gradient of x", "gradient of weight", "gradient of bias")
        for name, actual, expected in zip(names, results, reference(x, weight, bias, dout)):
            lab.check(f"{name} of {rows}×{columns}", actual, expected)


def benchmark():
    def make(columns):
        x, out = lab.random(1024, columns), lab.empty(1024, columns)
        weight, bias = lab.random(columns), lab.random(columns)
        mean, rstd = lab.empty(1024), lab.empty(1024)
        norm = lab.torch and lab.torch.nn.functional.layer_norm
        peer = lab.torch and (lambda: norm(x, (columns,), weight, bias))
        return 8 * 1024 * columns, lambda: forward(x, weight, bias, out, mean, rstd), peer

    def make_backward(columns):
        x, dout = lab.random(1024, columns), lab.random(1024, columns)
        weight, bias = lab.random(columns), lab.random(columns)
        out, mean, rstd = lab.empty(1024, columns), lab.empty(1024), lab.empty(1024)
        forward(x, weight, bias, out, mean, rstd)
        peer = None
        if lab.torch:
            leaves = [leaf.clone().requires_grad_() for leaf in (x, weight, bias)]
            result = lab.torch.nn.functional.layer_norm(leaves[0], (columns,), *leaves[1:])

            def peer():
                return lab.torch.autograd.grad(result, leaves, dout, retain_graph=True)

        return 12 * 1024 * columns, lambda: backward(dout, x, weight, mean, rstd), peer

    sizes = [2**k for k in range(6, 14)]
    for name, title, function in (
        ("layer_norm", "Layer norm of 1024 rows, f32", make),
        ("layer_norm_backward", "Gradients of layer norm, 1024 rows, f32", make_backward),
    ):
        lab.bench(name, title, "columns", "GB/s", sizes, function)


if __name__ == "__main__":
    lab.main(checks, benchmark)
