"""Measures all cases with one number of threads; a JSON line for each, progress included."""

import argparse
import concurrent.futures
import ctypes
import json
import os
import subprocess
import sys

import torch

import trident

from . import latency
from .cases import MAKERS, SIZES
from .turns import interleaved

TOLERANCE = 1e-4  # largest error allowed, relative to the largest value of PyTorch's result


def wrong(case):
    """Why the two results differ, or None."""
    case.out.fill_(torch.nan)
    case.ours()
    expected = case.peer()
    if not torch.isfinite(case.out).all():
        return "not all values are finite"
    error = ((case.out - expected).abs().max() / expected.abs().max()).item()
    return f"relative error {error:.1e}" if error > TOLERANCE else None


def copy(size, threads):
    """A call that copies half of `size` bytes to the other half, split over threads."""
    half = size // 2
    source, target = torch.ones(half, dtype=torch.uint8), torch.ones(half, dtype=torch.uint8)
    part = half // threads
    jobs = [(target.data_ptr() + k * part, source.data_ptr() + k * part) for k in range(threads)]
    if threads == 1:
        return lambda: (ctypes.memmove(*jobs[0], part), source, target)
    pool = concurrent.futures.ThreadPoolExecutor(threads)

    def call():  # ctypes releases the interpreter's lock
        list(pool.map(lambda job: ctypes.memmove(*job, part), jobs))
        return source, target

    return call


def gemm_rate(size, threads, rounds):
    """Median GFLOP/s of the `gemm` crate for square f32 matrices."""
    command = [os.environ["TRIDENT_GEMM"], str(size), str(threads), str(rounds)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(op, size, options):
    """One row."""
    case = MAKERS[op](size)
    row = {"op": op, "size": size, "shape": case.shape, "threads": options.threads}
    problem = wrong(case)
    if problem:
        return row | {"error": f"wrong result: {problem}"}
    calls = [case.ours, case.peer]
    if size == "memory":
        calls.append(copy(SIZES["memory"], options.threads))
    times = interleaved(calls, options.rounds)
    row |= {"ours": times[0], "peer": times[1], "bytes": case.bytes, "flops": case.flops}
    if size == "memory":
        row["copy"] = SIZES["memory"] // 2 * 2 / times[2]
    if op == "matmul" and size == "L3":
        row["gemm_crate"] = gemm_rate(1024, options.threads, options.rounds) * 1e9
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--ops", nargs="+", required=True)
    parser.add_argument("--sizes", nargs="+", required=True)
    parser.add_argument("--latency", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    trident.set_num_threads(options.threads)
    for op in options.ops:
        for size in options.sizes:
            try:
                row = measure(op, size, options)
            except Exception as error:  # one op that fails must not hide the others
                words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                row = {"op": op, "size": size, "threads": options.threads, "error": words}
            print(json.dumps(row), flush=True)
    if options.latency:
        print(json.dumps(latency.measure(options.rounds)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
