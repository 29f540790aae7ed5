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


def of_quantities(random):
    """Operators that compute on what quantised tensors stand for."""
    x, y = quantised(random, 1, 3, 6, 5), quantised(random, 1, 3, 6, 5)
    scale, zero = np.array(np.float32(0.03)), np.array(77, np.uint8)
    one = [*x, scale, zero]
    for name, attributes in [
        ("QLinearSigmoid", {}),
        ("QLinearLeakyRelu", {"alpha": 0.2}),
        ("QLinearGlobalAveragePool", {}),
        ("QLinearAveragePool", {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
        ("QLinearSoftmax", {"axis": -1, "opset": 13}),
        ("QLinearSoftmax", {"axis": 1, "opset": 13}),
        ("QLinearSoftmax", {"axis": 1, "opset": 11}),
    ]:
        yield f"{name} {attributes}", name, one, attributes, ONE_STEP
    counted = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
    yield "QLinearAveragePool with pads", "QLinearAveragePool", one, counted, ONE_STEP
    joined = [scale, zero, *x, *y]
    yield "QLinearConcat", "QLinearConcat", joined, {"axis": 1}, ONE_STEP
    choice = random.integers(0, 2, (6, 5)).astype(bool)
    chosen = [choice, *x, *y, scale, zero]
    yield "QLinearWhere", "QLinearWhere", chosen, {}, ONE_STEP


def quantised_products(random):
    a, b = quantised(random, 3, 4), quantised(random, 5, 4)
    c = random.integers(-9999, 9999, 5).astype(np.int32)
    scale, zero = np.array(np.float32(1.7)), np.array(120, np.uint8)
    name, attributes = "QGemm", {"transB": 1}
    yield name, name, [*a, *b, c, scale, zero], attributes, ONE_STEP
    yield f"{name} of alpha", name, [*a, *b, c, scale, zero], attributes | {"alpha": 0.5}, ONE_STEP
    yield f"{name} to floats", name, [*a, *b, c], attributes, CLOSE
    turned = [a[0].T.copy(), *a[1:], *b, None, scale, zero]
    yield f"{name} with both transposed", name, turned, attributes | {"transA": 1}, ONE_STEP
    scales = random.uniform(0.01, 0.1, 5).astype(np.float32)
    zeros = np.full(5, 128, np.uint8)
    columns = [*a, b[0].T.copy(), scales, zeros, c, scale, zero]
    yield f"{name} by columns", name, columns, {}, ONE_STEP


def embeddings(random):
    ids = random.integers(0, 9, (2, 4)).astype(np.int32)
    segments = random.integers(0, 2, (2, 4)).astype(np.int32)
    tables = [floats(random, n, 8) for n in (9, 6, 2)]
    gamma, beta = floats(random, 8), floats(random, 8)
    mask = random.integers(0, 3, (2, 4)).astype(np.int32)
    name, close = "EmbedLayerNormalization", {"rtol": 1e-4, "atol": 1e-5}
    full = [ids, segments, *tables, gamma, beta]
    yield name, name, full, {"epsilon": 1e-5}, close
    yield f"{name} with a mask", name, [*full, mask], {}, close
    at = random.integers(0, 6, (2, 4)).astype(np.int32)
    yield f"{name} at positions", name, [*full, None, at], {}, close
    plain = [ids, None, *tables[:2], None, gamma, beta]
    yield f"{name} without segments", name, plain, {}, close
    parts = [quantised(random, *shape) for shape in ((9, 8), (6, 8), (2, 8), (8,), (8,))]
    numbers, scales, zeros = zip(*parts, strict=True)
    name = "QEmbedLayerNormalization"
    yield name, name, [ids, segments, *numbers, mask, *scales, *zeros], {}, close


def to_numbers(random):
    """The standard's operators in ONNX Runtime's set."""
    x, scale = floats(random, 3, 4), np.array(np.float32(0.001))
    wide = random.integers(-30000, 30000, (3, 4)).astype(np.int16)
    zero = np.array(-300, np.int16)
    yield "DequantizeLinear of 16 bits", "DequantizeLinear", [wide, scale, zero], {}, CLOSE
    row = random.uniform(0.01, 0.1, 4).astype(np.float32)
    by_axis = [wide.view(np.uint16), row, np.full(4, 9, np.uint16)]
    yield "DequantizeLinear by columns", "DequantizeLinear", by_axis, {"axis": 1}, CLOSE
    bytes_ = [x, np.array(np.float32(0.02)), np.array(100, np.uint8)]
    yield "QuantizeLinear", "QuantizeLinear", bytes_, {}, {"rtol": 0, "atol": 0}


def result_of(op, operands):
    """The element type of the result."""
    if op == "QGemm":
        return BYTE if len(operands) > 7 else FLOAT
    return BYTE if op.startswith("QLinear") or op == "QuantizeLinear" else FLOAT


def results_of(op, operands):
    """Names and types of the results."""
    results = {"y": (result_of(op, operands), None)}
    if op.endswith("EmbedLayerNormalization"):
        results["index"] = (TensorProto.INT32, None)
    return results


def compare(suite, op, operands, attributes, tolerance):
    """Compare a node in both engines: its operands are inputs, or constants but for the first."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(operands)]
    domain, op = (DOMAIN, op) if op else ("", "SimplifiedLayerNormalization")
    declared = results_of(op, operands)
    node = helper.make_node(op, names, list(declared), domain=domain, **attributes)
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


FAMILIES = (
    unary,
    products,
    rotations,
    quantities,
    of_quantities,
    quantised_products,
    embeddings,
    to_numbers,
)


def run(suite):
    random = suite.random("all")
    for family in FAMILIES:
        for name, *case in family(random):
            suite.check(name, lambda case=case: compare(suite, *case))
