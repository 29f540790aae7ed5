"""Conditions on values: native launches stop at the line at which the interpreter does."""

import inspect

import numpy as np
import pytest
import triton
import triton.language as tl

import trident


@triton.jit
def step_kernel(out, first, last, step):
    count = 0
    for _ in tl.range(first, last, step):
        count += 1
    tl.store(out, count)


@triton.jit
def assume_kernel(out, n, N: tl.constexpr):
    tl.assume(n > 5)
    tl.store(out + tl.arange(0, N), n)


@triton.jit
def gather_kernel(out, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    taken = tl.gather(i, i + shift, 0)
    tl.store(out + i, taken)


@triton.jit
def assert_kernel(out, n):
    tl.device_assert(n > 5, "too small")
    tl.store(out, n)


@triton.jit
def wait_kernel(out):
    tl.atomic_poll(out, 7)
    tl.store(out, 1)


CASES = [
    (
        step_kernel,
        (88, -1, -8),
        {},
        trident.StepError,
        "tl.range(",
        "step of the loop is -8",
    ),
    (
        step_kernel,
        (5, 10, -3),
        {},
        trident.StepError,
        "tl.range(",
        "step of the loop is -3",
    ),
    (
        step_kernel,
        (0, 10, 0),
        {},
        trident.StepError,
        "tl.range(",
        "step of the loop is 0",
    ),
    (assume_kernel, (3,), {"N": 16}, trident.AssumptionError, "tl.assume(", "assumption"),
    (gather_kernel, (2,), {"N": 16}, trident.GatherError, "tl.gather(", "index 16 is outside"),
    (
        assert_kernel,
        (3,),
        {"debug": True},
        trident.DeviceAssertionError,
        "tl.device_assert(",
        "too small",
    ),
    (wait_kernel, (), {}, trident.DeadlockError, "tl.atomic_poll(", "forever for the value 0x7"),
]

ALWAYS = (trident.StepError, trident.DeviceAssertionError)


@pytest.mark.parametrize("variable", ["TRIDENT_CHECK", "TRIDENT_INTERPRET", None])
@pytest.mark.parametrize("kernel, args, options, error, code, text", CASES)
def test_launches_stop_at_the_line(kernel, args, options, error, code, text, variable, monkeypatch):
    if variable is None and error not in ALWAYS:
        pytest.skip("only checked launches look at this")
    if variable:
        monkeypatch.setenv(variable, "1")
    lines, first = inspect.getsourcelines(kernel.fn)
    line = first + next(i for i, each in enumerate(lines) if code in each)
    with pytest.raises(trident.LaunchError, match=text) as found:
        kernel[(1,)](np.zeros(16, np.int32), *args, **options)
    assert type(found.value) is error
    assert found.value.loc.rsplit(":", 1)[0] == f"{inspect.getfile(kernel.fn)}:{line}"
    assert found.value.program == (0, 0, 0)


def test_positive_steps_run():
    out = np.zeros(1, np.int32)
    step_kernel[(1,)](out, 0, 10, 3)
    assert out[0] == 4


@triton.jit
def dot_kernel(x, y, out, PRECISION: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a, b = tl.load(x + i * N + j), tl.load(y + i * N + j)
    tl.store(out + i * N + j, tl.dot(a, b, input_precision=PRECISION))


@pytest.mark.parametrize("precision", ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_products_of_f32_are_computed_in_full(precision, floats, monkeypatch):
    x, y, out = floats(16, 16), floats(16, 16), np.zeros((16, 16), np.float32)
    expected = x.astype(np.float64) @ y
    for interpret in ("0", "1"):
        monkeypatch.setenv("TRIDENT_INTERPRET", interpret)
        out[:] = 0
        dot_kernel[(1,)](x, y, out, PRECISION=precision, N=16)
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-5)
