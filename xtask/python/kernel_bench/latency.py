"""Time from Triton IR to runnable code, and of a launch that computes next to nothing."""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import attention
import matmul
import softmax
import trident
import vector_add


def kernels():
    """{name: compiled kernel}; the arguments are small, the blocks those of the benchmark."""
    x, y, out = torch.randn(3, 1 << 14)
    m = [torch.randn(128, 128) for _ in range(3)]
    q = [torch.randn(1, 1, 128, 64) for _ in range(4)]
    return {
        "vector add": vector_add.add_kernel[(1,)](x, y, out, 8192, BLOCK=8192),
        "softmax": softmax.softmax_kernel[(2,)](
            x, out, 1024, 1024, 16, 1024, BLOCK=1024
        ),  # fmt: skip
        "matmul": matmul.matmul_kernel[(1,)](
            *m, 128, 128, 128, 128, 1, 128, 1, 128, 1, BM=128, BN=128, BK=256, GROUP=4
        ),  # fmt: skip
        "attention": attention.attention_kernel[(2, 1)](
            *q, 0.125, 128, WIDTH=64, BM=64, BN=128, CAUSAL=True
        ),  # fmt: skip
    }


def median_ms(call, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


# The first kernel of a process: the device is made too.
SECOND_PROCESS = """
import sys, time, trident
start = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    kernel = trident.load(file.read())
print((time.perf_counter() - start) * 1e3)
"""


def from_disk_ms(kernel, count):
    """Median milliseconds in which other processes make the kernel of its file."""
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        path = pathlib.Path(folder, "kernel")
        path.write_bytes(kernel.save())
        command = [sys.executable, "-c", SECOND_PROCESS, str(path)]
        times = [subprocess.check_output(command, text=True) for _ in range(count)]
        return statistics.median(map(float, times))


def per_call_us(call, count=2000):
    for _ in range(100):
        call()
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6


def launches(rounds):
    """Microseconds of a vector add of one element: through the JIT, and compiled."""
    x, y, out = torch.randn(3, 16)
    kernel, grid = vector_add.add_kernel, (1,)
    launch = kernel[grid](x, y, out, 16, BLOCK=16)[(1, 1, 1)]
    jit, compiled = [], []
    for _ in range(rounds):
        jit.append(per_call_us(lambda: kernel[grid](x, y, out, 16, BLOCK=16)))
        compiled.append(per_call_us(lambda: launch(x, y, out, 16, 16)))
    return {"jit_us": statistics.median(jit), "compiled_us": statistics.median(compiled)}


def measure(rounds):
    """{"compile_ms": {kernel: …}, "disk_ms": {kernel: …}, "launch": {…}}"""
    compiled, loaded = {}, {}
    for name, kernel in kernels().items():
        text = kernel.asm["ttir"]
        loaded[name] = from_disk_ms(trident.compile(text), max(3, rounds // 2))
        compiled[name] = median_ms(lambda text=text: trident.compile(text), 3 * rounds)
    return {"compile_ms": compiled, "disk_ms": loaded, "launch": launches(rounds)}
