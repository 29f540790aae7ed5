"""Grids, hooks, benchmarks, the autotuner, and what happens when a launch fails."""

import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs

import trident


@triton.jit
def ids_kernel(out, X: tl.constexpr, Y: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    sizes = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)
    tl.store(out + (z * Y + y) * X + x, sizes)


@pytest.mark.parametrize("grid", [(4,), (4, 3), (4, 3, 2)])
def test_grids(grid):
    x, y, z = (*grid, 1, 1)[:3]
    out = np.zeros(24, np.int32)
    ids_kernel[grid](out, X=x, Y=y)
    assert (out[: x * y * z] == x * 100 + y * 10 + z).all() and not out[x * y * z :].any()


def test_grid_from_a_function():
    out = np.zeros(24, np.int32)
    ids_kernel[lambda meta: (meta["X"], meta["Y"])](out, X=4, Y=3)
    assert (out[:12] == 431).all() and not out[12:].any()


@pytest.mark.parametrize("grid", [(0,), (4, 0), (1, 1, 0)])
def test_empty_grids_run_nothing(grid):
    out = np.zeros(24, np.int32)
    ids_kernel[grid](out, X=4, Y=3)
    assert not out.any()


def test_impossible_grids_are_refused():
    with pytest.raises(ValueError, match="-1 programs"):
        ids_kernel[(-1,)](np.zeros(24, np.int32), X=4, Y=3)
    with pytest.raises(ValueError, match="programs along an axis"):
        ids_kernel[(2**32,)](np.zeros(24, np.int32), X=4, Y=3)


def test_grids_too_large_to_count_are_refused():
    kernel = ids_kernel.warmup(np.zeros(24, np.int32), X=4, Y=3, grid=(1,))
    direct = trident.compile(kernel.asm["ttir"])
    largest = 2**32 - 1
    with pytest.raises(trident.LaunchError, match="a grid of 4294967295 × 4294967295 × 3 programs"):
        direct.launch((largest, largest, 3), [np.zeros(24, np.int32)])
    with pytest.raises((ValueError, OverflowError)):
        direct.launch(2**70, [np.zeros(24, np.int32)])


def test_compiled_kernel_called_directly():
    out = np.zeros(24, np.int32)
    kernel = ids_kernel[(4,)](out, X=4, Y=3)
    out[:] = 0
    kernel[(2, 1, 1)](out, 4, 3)
    assert out[:2].tolist() == [211, 211] and not out[2:].any()


HOOKS = {"enter": knobs.runtime.launch_enter_hook, "exit": knobs.runtime.launch_exit_hook}


@pytest.mark.parametrize("road", ["jit", "compiled"])
@pytest.mark.parametrize("which", [["enter", "exit"], ["enter"], ["exit"]])
def test_hooks_run_around_the_launch(road, which):
    out, seen = np.zeros(24, np.int32), []
    compiled = ids_kernel[(4,)](out, X=4, Y=3)
    bound = compiled[(4, 1, 1)]
    bound(out, 4, 3)

    def hook(what):
        return lambda metadata: seen.append((what, metadata.get()["name"], bool(out.any())))

    hooks = {what: hook(what) for what in which}
    out[:] = 0
    for what, function in hooks.items():
        HOOKS[what].add(function)
    try:
        if road == "jit":
            ids_kernel[(4,)](out, X=4, Y=3)
        else:
            bound(out, 4, 3)
    finally:
        for what, function in hooks.items():
            HOOKS[what].remove(function)
    assert seen == [(what, "ids_kernel", what == "exit") for what in which]
    bound(out, 4, 3)
    ids_kernel[(4,)](out, X=4, Y=3)
    assert len(seen) == len(which)


def test_do_bench_measures():
    out = np.zeros(24, np.int32)
    time = triton.testing.do_bench(lambda: ids_kernel[(4,)](out, X=4, Y=3), warmup=1, rep=2)
    assert 0 < time < 1000


def bench(call, quantiles):
    return triton.testing.do_bench(call, warmup=1, rep=1, quantiles=quantiles)


@triton.autotune(
    [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64}, num_warps=8)],
    key=["n"],
    reset_to_zero=["total"],
    restore_value=["x"],
    do_bench=bench,
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned_kernel(x, total, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        values = tl.load(x + i)
        tl.store(x + i, values + 1)
    else:
        values = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(x + i, values + 1, mask=i < n)
    tl.atomic_add(total, tl.sum(values, 0))


@pytest.mark.parametrize("n", [128, 100])
def test_autotuner_resets_and_restores_numpy_arrays(n):
    x, total = np.arange(n, dtype=np.float32), np.zeros(1, np.float32)
    tuned_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, total, n)
    assert tuned_kernel.best_config.kwargs["BLOCK"] in (16, 64)
    np.testing.assert_array_equal(x, np.arange(1, n + 1))
    assert total[0] == n * (n - 1) / 2


@triton.jit(debug=True)
def assert_kernel(x):
    pid = tl.program_id(0)
    tl.device_assert(tl.load(x + pid) > 0, "must be positive")


def test_failed_assertion_names_program_and_line():
    x = np.ones(8, np.int32)
    assert_kernel[(8,)](x)
    x[5] = 0
    with pytest.raises(trident.DeviceAssertionError, match="must be positive") as error:
        assert_kernel[(8,)](x)
    assert error.value.program == (5, 0, 0)
    assert "test_launch.py" in error.value.loc and "tl.device_assert" in str(error.value)
    assert isinstance(error.value, (AssertionError, trident.LaunchError))


@triton.jit
def assembly_kernel(x):
    i = tl.arange(0, 16)
    y = tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [tl.load(x + i)], tl.int32, True, 1)
    tl.store(x + i, y)


def test_refusals_point_at_the_line_of_python():
    with pytest.raises(trident.CompileError, match="elementwise_inline_asm") as error:
        assembly_kernel[(1,)](np.zeros(16, np.int32))
    assert "test_launch.py" in error.value.loc and "tl.inline_asm_elementwise" in str(error.value)


def test_global_variables_must_not_change():
    out = np.zeros(24, np.int32)
    kernel = ids_kernel.warmup(out, X=4, Y=3, grid=(1,))
    assert "tt.func public @ids_kernel" in kernel.asm["ttir"]


def test_kernels_of_many_threads_at_once(floats):
    from concurrent.futures import ThreadPoolExecutor

    def run(_):
        out = np.zeros(24, np.int32)
        ids_kernel[(4, 3)](out, X=4, Y=3)
        return (out[:12] == 431).all()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(64)))


INTERPRETED = """
import numpy as np, triton, triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

@triton.jit
def kernel(x, tables, target, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(tables[0] + i, tl.load(x + i, mask=i < n) * tables[1], mask=i < n)
    target.store([tl.program_id(0) * N], i)

x, out, places = np.random.rand(20).astype("f4"), np.zeros(20, "f4"), np.zeros(32, "i4")
target = TensorDescriptor(places, [32], [1], [16])
kernel[(2,)](x, (out, np.int64(3)), target=target, n=20, N=16)
assert (out == x * 3).all() and (places == np.arange(32)).all()
print(type(kernel).__name__)
"""


@pytest.mark.parametrize(
    "variables, kind",
    [
        ({"TRITON_INTERPRET": "1"}, "InterpretedFunction"),
        ({"TRIDENT_INTERPRET": "1"}, "JITFunction"),
        ({"TRIDENT_CHECK": "1"}, "JITFunction"),
    ],
)
def test_interpreters_take_numpy_arrays(variables, kind, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(INTERPRETED)
    environment = os.environ | {"TRITON_DEFAULT_BACKEND": "trident"} | variables
    run = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == kind, run.stderr


PRINTING = """
import numpy as np, triton, triton.language as tl

@triton.jit
def kernel(x):
    pid = tl.program_id(0) + 10 * tl.program_id(1)
    tl.device_print("seen", tl.load(x + pid % 2))

kernel[(2, 2)](np.array([5, 7], np.int32))
"""


def test_prints_name_the_program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PRINTING)
    environment = os.environ | {"TRITON_DEFAULT_BACKEND": "trident"}
    run = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
    lines = sorted(" ".join(line.split()) for line in run.stdout.splitlines())
    expected = [f"pid ({x}, {y}, 0) idx () seen: {(5, 7)[x]}" for x in (0, 1) for y in (0, 1)]
    assert lines == expected, run.stdout + run.stderr
