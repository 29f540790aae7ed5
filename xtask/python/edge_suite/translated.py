"""Operators of ONNX Runtime that the importer translates, beside ONNX Runtime."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .suite import model, same

DOMAIN = "com.microsoft"
FLOAT, BYTE = TensorProto.FLOAT, TensorProto.UINT8
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
# A sum that falls between two steps may be rounded to either.
ONE_STEP = {"rtol": 0, "atol": 1}


def floats(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def quantised(random, *shape):
    """Numbers, a scale and a zero point."""
    numbers = random.integers(0, 256, shape).astype(np.uint8)
    scale = np.float32(random.uniform(0.01, 0.1))
    return numbers, np.array(scale), np.array(random.integers(0, 256), np.uint8)


def cache(random, positions, half):
    """Cosines and sines."""
    angles = random.uniform(-3, 3, (positions, half))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def unary(random):
    x, gamma = floats(random, 2, 3, 8), floats(random, 8)
    yield "Gelu", "Gelu", [x], {}, CLOSE
    simplified = {"axis": -1, "epsilon": 1e-6, "stash_type": 1}
    yield "SimplifiedLayerNormalization", "", [x, gamma], simplified, CLOSE


def products(random):
    for name, a, b, attributes in [
        ("", (3, 4), (4, 5), {}),
        (" of alpha", (2, 3, 4), (2, 4, 5), {"alpha": 0.25}),
        (" with A transposed", (2, 4, 3), (4, 5), {"transA": 1}),
        (" with B transposed", (2, 1, 3, 4), (6, 5, 4), {"transB": 1, "alpha": 2.0}),
        (" with both transposed", (4, 3), (5, 4), {"transA": 1, "transB": 1}),
        (" of a vector", (4,), (4, 5), {"transA": 1}),
    ]:
        operands = [floats(random, *a), floats(random, *b)]
        yield f"FusedMatMul{name}", "FusedMatMul", operands, attributes, CLOSE


def rotations(random):
    cosines, sines = cache(random, 12, 4)
    rows, first = random.integers(0, 12, (2, 5)), np.array([3])
    wide, heads = floats(random, 2, 5, 24), floats(random, 2, 3, 5, 8)
    name = "RotaryEmbedding"
    for text, x, ids, attributes in [
        ("", wide, rows, {}),
        (" from a position", wide, first, {"num_heads": 3}),
        (" by heads", heads, rows, {}),
        (" by heads from a position", heads, first, {"interleaved": 1}),
        (" of neighbours", wide, rows, {"interleaved": 1}),
    ]:
        yield f"{name}{text}", name, [x, ids, cosines, sines], attributes, CLOSE
    part = {"num_heads": 2, "rotary_embedding_dim": 8}
    yield f"{name} of a part", name, [wide, rows, cosines, sines], part, CLOSE


def quantities(random):
    a, b, c = (quantised(random, 3, 4) for _ in range(3))
    row = quantised(random, 4)
    for op in ("QLinearAdd", "QLinearMul"):
        scale = np.array(np.float32(0.08 if op == "QLinearAdd" else 1.0))
        yield op, op, [*a, *b, scale, c[2]], {}, ONE_STEP
        yield f"{op} of a row", op, [*a, *row, scale, c[2]], {}, ONE_STEP
    x, bias = floats(random, 3, 4), floats(random, 5)
    weights, scale, zero = quantised(random, 4, 5)
    scales = random.uniform(0.01, 0.1, 5).astype(np.float32)
    zeros = random.integers(0, 256, 5).astype(np.uint8)
    name = "DynamicQuantizeMatMul"
    yield name, name, [x, weights, scale, zero, bias], {}, CLOSE
    yield f"{name} by columns", name, [x, weights, scales, zeros], {}, CLOSE
    yield f"{name} without a zero point", name, [x, weights, scale, None, bias], {}, CLOSE
    name = "MatMulIntegerToFloat"
    operands = [a[0], weights, a[1], scale, a[2], zero, bias]
    yield name, name, operands, {}, CLOSE
    by_columns = [a[0], weights, a[1], scales, a[2], zeros]
    yield f"{name} by columns", name, by_columns, {}, CLOSE


def compare(suite, op, operands, attributes, tolerance):
    """Compare a node in both engines: its operands are inputs, or constants but for the first."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(operands)]
    domain, op = (DOMAIN, op) if op else ("", "SimplifiedLayerNormalization")
    node = helper.make_node(op, names, ["y"], domain=domain, **attributes)
    declared = {"y": (BYTE if op.startswith("QLinear") else FLOAT, None)}
    given = {name: x for name, x in zip(names, operands, strict=True) if name}
    for constant in (False, True):
        inputs = {
            name: (helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for name, x in given.items()
            if not constant or name == "x0"
        }
        constants = [numpy_helper.from_array(x, n) for n, x in given.items() if n not in inputs]
        built = model([node], inputs, declared, constants=constants, domains=[(DOMAIN, 1)])
        arrays = [given[name] for name in inputs]
        same(suite.trident(built, arrays), suite.onnxruntime(built, arrays), tolerance)


def run(suite):
    random = suite.random("all")
    for family in (unary, products, rotations, quantities):
        for name, *case in family(random):
            suite.check(name, lambda case=case: compare(suite, *case))
