"""Every elementwise operation of the language on every element type, against NumPy."""

import numpy as np
import pytest
import triton
import triton.language as tl

SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
INTEGERS, FLOATS = SIGNED + UNSIGNED, ("float16", "float32")
LENGTH = 300  # neither a power of two nor a multiple of a vector


@triton.jit
def binary_kernel(x, y, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n, other=1), tl.load(y + i, mask=i < n, other=1)
    if OP == "add":
        c = a + b
    elif OP == "sub":
        c = a - b
    elif OP == "mul":
        c = a * b
    elif OP == "truediv":
        c = a / b
    elif OP == "floordiv":
        c = a // b
    elif OP == "mod":
        c = a % b
    elif OP == "and":
        c = a & b
    elif OP == "or":
        c = a | b
    elif OP == "xor":
        c = a ^ b
    elif OP == "shl":
        c = a << b
    elif OP == "shr":
        c = a >> b
    elif OP == "min":
        c = tl.minimum(a, b)
    elif OP == "max":
        c = tl.maximum(a, b)
    elif OP == "lt":
        c = a < b
    elif OP == "le":
        c = a <= b
    elif OP == "eq":
        c = a == b
    elif OP == "ne":
        c = a != b
    else:
        c = tl.where(a > b, a, b - a)
    tl.store(out + i, c.to(out.dtype.element_ty), mask=i < n)


def quotient(a, b):
    """Division as C has it: toward zero."""
    return (np.abs(a.astype(object)) // np.abs(b.astype(object))) * np.sign(a) * np.sign(b)


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "where": lambda a, b: np.where(a > b, a, b - a),
}
OF_INTEGERS = {
    "floordiv": quotient,
    "mod": lambda a, b: a.astype(object) - quotient(a, b) * b.astype(object),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "shr": np.right_shift,
}
COMPARISONS = ("lt", "le", "eq", "ne")


def numbers(rng, dtype):
    """Integers over the whole range, floats with NaN and infinities left out."""
    if dtype in FLOATS:
        return (rng.standard_normal(LENGTH) * 4).astype(dtype)
    bounds = np.iinfo(dtype)
    return rng.integers(bounds.min, bounds.max, LENGTH, dtype=dtype, endpoint=True)


def cases():
    for name in BINARY:
        yield from ((name, dtype) for dtype in INTEGERS + FLOATS)
    for name in OF_INTEGERS:
        yield from ((name, dtype) for dtype in INTEGERS)
    yield "truediv", "float32"


@pytest.mark.parametrize("name, dtype", cases())
def test_binary(rng, name, dtype):
    x, y = numbers(rng, dtype), numbers(rng, dtype)
    y[:40] = x[:40]
    if name in ("floordiv", "mod"):
        # The quotient of the least integer and -1 has no value in its type.
        y = np.where((y == 0) | (y == -1 if dtype in SIGNED else False), 3, y).astype(dtype)
    if name in ("shl", "shr"):
        y = (y % np.array(8 * x.itemsize, dtype)).astype(dtype)
    out = np.zeros(LENGTH + 3, "int8" if name in COMPARISONS else dtype)
    binary_kernel[(3,)](x, y, out, LENGTH, OP=name, BLOCK=128)
    function = BINARY.get(name) or OF_INTEGERS.get(name) or np.true_divide
    with np.errstate(all="ignore"):
        expected = function(x, y).astype(out.dtype)
    np.testing.assert_array_equal(out[:LENGTH], expected)
    assert not out[LENGTH:].any()


@triton.jit
def unary_kernel(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=1)
    if OP == "neg":
        c = -a
    elif OP == "abs":
        c = tl.abs(a)
    elif OP == "exp":
        c = tl.exp(a)
    elif OP == "exp2":
        c = tl.exp2(a)
    elif OP == "log":
        c = tl.log(tl.abs(a))
    elif OP == "log2":
        c = tl.log2(tl.abs(a))
    elif OP == "sin":
        c = tl.sin(a)
    elif OP == "cos":
        c = tl.cos(a)
    elif OP == "erf":
        c = tl.erf(a)
    elif OP == "sqrt":
        c = tl.sqrt(tl.abs(a))
    elif OP == "rsqrt":
        c = tl.rsqrt(tl.abs(a))
    elif OP == "sigmoid":
        c = tl.sigmoid(a)
    elif OP == "floor":
        c = tl.floor(a)
    elif OP == "ceil":
        c = tl.ceil(a)
    else:
        c = ~a
    tl.store(out + i, c, mask=i < n)


def erf(x):
    from math import erf

    return np.array([erf(value) for value in x])


UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": lambda x: np.log(np.abs(x)),
    "log2": lambda x: np.log2(np.abs(x)),
    "sin": np.sin,
    "cos": np.cos,
    "erf": erf,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "rsqrt": lambda x: 1 / np.sqrt(np.abs(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("special", [False, True])
def test_functions(rng, name, special):
    x = numbers(rng, "float32")
    if special:
        x[:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    out = np.zeros(LENGTH + 3, "float32")
    unary_kernel[(3,)](x, out, LENGTH, OP=name, BLOCK=128)
    with np.errstate(all="ignore"):
        expected = UNARY[name](x.astype(np.float64))
    np.testing.assert_allclose(out[:LENGTH], expected, rtol=3e-6, atol=2e-7)
    assert not out[LENGTH:].any()


EXACT = {"neg": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "not": np.invert}


def exact_cases():
    for name in ("neg", "abs", "not"):
        yield from ((name, dtype) for dtype in (SIGNED if name != "not" else INTEGERS))
    for name in ("neg", "abs", "floor", "ceil"):
        yield name, "float32"


@pytest.mark.parametrize("name, dtype", exact_cases())
def test_exact(rng, name, dtype):
    x = numbers(rng, dtype)
    out = np.zeros(LENGTH, dtype)
    unary_kernel[(3,)](x, out, LENGTH, OP=name, BLOCK=128)
    np.testing.assert_array_equal(out, EXACT[name](x))


@triton.jit
def cast_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(out.dtype.element_ty), mask=i < n)


@pytest.mark.parametrize("source", INTEGERS + FLOATS)
@pytest.mark.parametrize("target", INTEGERS + FLOATS)
def test_cast(rng, source, target):
    x = numbers(rng, source)
    if source in FLOATS and target in UNSIGNED:
        x = np.abs(x)
    if target == "float16" and source in INTEGERS:
        x = (x % np.array(1000 if x.itemsize > 1 else 100, source)).astype(source)
    out = np.zeros(LENGTH, target)
    cast_kernel[(3,)](x, out, LENGTH, BLOCK=128)
    np.testing.assert_array_equal(out, x.astype(target))
