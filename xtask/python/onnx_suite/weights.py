"""Cases of products with quantised weights, which upstream's suite lacks.

Results are NumPy's in float64. ONNX Runtime is a second reference: `--engine onnxruntime`.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

CATEGORY = "weights"
TOLERANCES = {
    np.float32: {"rtol": 1e-4, "atol": 1e-4},
    np.float16: {"rtol": 5e-3, "atol": 5e-3},
}


def packed(numbers, bits):
    """Rows of numbers below 2^bits as rows of bytes, the first number lowest."""
    each = 8 // bits
    numbers = np.pad(numbers, [(0, 0), (0, -numbers.shape[1] % each)]).astype(np.uint8)
    shifted = numbers.reshape(len(numbers), -1, each) << (bits * np.arange(each, dtype=np.uint8))
    return np.bitwise_or.reduce(shifted, axis=2)


def model(nodes, a, y, constants):
    """A model from `a` to `y` with these constants, arrays or tensors."""
    info = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in (("a", a), ("y", y))
    ]
    tensors = [
        numpy_helper.from_array(value, name) if isinstance(value, np.ndarray) else value
        for name, value in constants.items()
    ]
    graph = helper.make_graph(nodes, "weights", info[:1], info[1:], tensors)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


class Weights:
    """Random weights [k, n] in blocks along k, with their scales and zero points by column."""

    def __init__(self, seed, k, n, bits, block, dtype, zeros):
        random = np.random.default_rng(seed)
        blocks = -(-k // block)
        self.numbers = random.integers(0, 1 << bits, (n, blocks, block))
        self.scales = (random.uniform(0.5, 1.5, (n, blocks)) / (1 << bits)).astype(dtype)
        middle = 1 << (bits - 1)
        self.zeros = np.full((n, blocks), middle)
        if zeros == "packed":
            self.zeros = random.integers(middle // 2, middle + middle // 2, (n, blocks))
        elif zeros == "float":
            self.zeros = random.uniform(middle - 1, middle + 1, (n, blocks)).astype(dtype)
        wide = self.numbers.astype(np.float64) - self.zeros[:, :, None]
        wide = wide * self.scales[:, :, None].astype(np.float64)
        self.wide = wide.reshape(n, -1)[:, :k].T


def n_bits(seed, shape, n, bits, block, dtype, zeros, bias):
    """ONNX Runtime's operator."""
    random = np.random.default_rng(seed + 1)
    k = shape[-1]
    weights = Weights(seed, k, n, bits, block, dtype, zeros)
    a = random.uniform(-1, 1, shape).astype(dtype)
    constants = {
        "b": packed(weights.numbers.reshape(-1, block), bits).reshape(n, -1, block * bits // 8),
        "scales": weights.scales,
    }
    names = ["a", "b", "scales"]
    if zeros:
        as_numbers = zeros == "float"
        constants["zeros"] = weights.zeros if as_numbers else packed(weights.zeros, bits)
    y = a.astype(np.float64) @ weights.wide
    if bias:
        constants["bias"] = random.uniform(-1, 1, n).astype(dtype)
        y = y + constants["bias"]
    names += ["zeros" if zeros else "", "", "bias" if bias else ""]
    while not names[-1]:
        names.pop()
    sizes = {"K": k, "N": n, "bits": bits, "block_size": block}
    node = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **sizes)
    y = y.astype(dtype)
    return model([node], a, y, constants), a, y


def dequantized(seed, shape, n, kind, block, dtype, zeros, gemm):
    """DequantizeLinear before a MatMul, or before a Gemm with transposed weights.

    A scale is that of a block, or of a whole column (block "axis") or the "tensor".
    """
    random = np.random.default_rng(seed + 1)
    k, (bits, signed) = shape[-1], kind
    whole = block in ("tensor", "axis")
    if block == "tensor":  # one long column, cut into those of the matrix
        weights = Weights(seed, n * k, 1, bits, n * k, dtype, zeros)
    else:
        weights = Weights(seed, k, n, bits, k if whole else block, dtype, zeros)
    wide = weights.wide.T.reshape(n, k)
    least = -(1 << (bits - 1)) if signed else 0
    numbers = weights.numbers.reshape(n, -1)[:, :k] + least
    scales, zero = weights.scales, weights.zeros + least
    if whole:
        dims = () if block == "tensor" else (n,)
        scales, zero = scales.reshape(dims), zero.reshape(dims)
    if not gemm:
        numbers, scales, zero = numbers.T, scales.T, zero.T
    number = getattr(TensorProto, f"{'' if signed else 'U'}INT{bits}")

    def tensor(name, values):
        return helper.make_tensor(name, number, values.shape, values.ravel().tolist())

    a = random.uniform(-1, 1, shape).astype(dtype)
    constants = {"q": tensor("q", numbers), "scales": scales}
    names = ["q", "scales"]
    if zeros or not signed:
        constants["zeros"] = tensor("zeros", zero)
        names.append("zeros")
    along_k = 1 if gemm else 0
    attributes = {"axis": along_k if not whole else 1 - along_k}
    if not whole:
        attributes["block_size"] = block
    y = a.astype(np.float64) @ wide.T
    nodes = [helper.make_node("DequantizeLinear", names, ["w"], **attributes)]
    if gemm:
        constants["bias"] = random.uniform(-1, 1, n).astype(dtype)
        y = y + constants["bias"]
        nodes.append(helper.make_node("Gemm", ["a", "w", "bias"], ["p"], transB=1))
    else:
        nodes.append(helper.make_node("MatMul", ["a", "w"], ["p"]))
    nodes.append(helper.make_node("Relu", ["p"], ["y"]))
    y = np.maximum(y, 0).astype(dtype)
    return model(nodes, a, y, constants), a, y


def cases():
    """(name, model, input, output, tolerance) of each case."""
    f32, f16 = np.float32, np.float16
    products = [
        ("4_16", (3, 33), 5, 4, 16, f32, None, False),
        ("4_32_row", (1, 128), 70, 4, 32, f32, None, False),
        ("4_32_zeros", (17, 100), 33, 4, 32, f32, "packed", True),
        ("4_64_float_zeros", (5, 64), 16, 4, 64, f32, "float", False),
        ("4_128_f16", (2, 300), 19, 4, 128, f16, "packed", True),
        ("4_256_batch", (2, 3, 300), 64, 4, 256, f32, None, True),
        ("8_16_row", (1, 17), 1, 8, 16, f32, None, False),
        ("8_32_zeros", (70, 96), 65, 8, 32, f32, "packed", False),
        ("8_64_f16", (4, 65), 12, 8, 64, f16, None, False),
        ("8_128_batch_zeros", (2, 1, 3, 130), 7, 8, 128, f32, "packed", True),
        ("2_16_zeros", (3, 50), 9, 2, 16, f32, "packed", False),
    ]
    for seed, (name, *arguments) in enumerate(products):
        tolerance = TOLERANCES[arguments[4]]
        yield f"test_matmul_n_bits_{name}", *n_bits(10 * seed, *arguments), tolerance
    int8, uint8, int4, uint4 = (8, True), (8, False), (4, True), (4, False)
    products = [
        ("int8_tensor", (3, 33), 5, int8, "tensor", f32, None, False),
        ("uint8_axis", (9, 50), 20, uint8, "axis", f32, "packed", False),
        ("int8_axis_gemm", (1, 70), 33, int8, "axis", f32, None, True),
        ("int4_axis", (2, 5, 31), 7, int4, "axis", f32, None, False),
        ("int4_32", (5, 96), 17, int4, 32, f32, "packed", False),
        ("uint4_16_gemm", (4, 64), 30, uint4, 16, f32, "packed", True),
        ("int8_16_f16", (20, 48), 18, int8, 16, f16, "packed", False),
        ("int4_64_row", (1, 128), 65, int4, 64, f32, None, False),
    ]
    for seed, (name, *arguments) in enumerate(products):
        tolerance = TOLERANCES[arguments[4]]
        yield f"test_dequantized_{name}", *dequantized(10 * seed, *arguments), tolerance
