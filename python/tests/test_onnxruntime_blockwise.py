"""The functions that ``onnxruntime.quantization`` imports: equal to ONNX Runtime's to the bit."""

import numpy as np
import pytest
from onnxruntime_models import ours, theirs

OURS = ours.capi.onnxruntime_pybind11_state
needs_theirs = pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
SHAPES = [(1, 1), (6, 3), (32, 16), (73, 5), (128, 3)]
KINDS = ["normal", "positive", "zero", "halves"]


def matrix(kind, shape, dtype):
    random = np.random.default_rng(0)
    found = {
        "normal": random.standard_normal(shape),
        "positive": random.uniform(0.5, 1, shape),
        "zero": np.zeros(shape),
        "halves": random.integers(-8, 8, shape) / 4,
    }
    return found[kind].astype(dtype)


def by_column(engine, bits, weights, block, symmetric):
    (rows, columns), per_byte = weights.shape, 8 // bits
    blocks = -(-rows // block)
    packed = np.zeros((columns, blocks, block // per_byte), np.uint8)
    scales = np.zeros((columns, blocks), weights.dtype)
    zeros = np.full((columns, -(-blocks // per_byte)), 7, np.uint8)
    function = getattr(engine, f"quantize_matmul_{bits}bits")
    assert function(packed, weights, scales, zeros, block, columns, rows, symmetric) is None
    # The numbers of a column; what fills its last byte is open.
    numbers = packed.reshape(columns, -1)[..., None] >> np.arange(0, 8, bits) & (1 << bits) - 1
    return numbers.reshape(columns, -1)[:, :rows], scales, zeros


@needs_theirs
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("block", [16, 32, 64])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_columns_in_blocks(bits, shape, block, dtype, symmetric):
    for kind in KINDS:
        weights = matrix(kind, shape, dtype)
        engine = theirs.capi.onnxruntime_pybind11_state
        expected = by_column(engine, bits, weights, block, symmetric)
        found = by_column(OURS, bits, weights, block, symmetric)
        for one, other in zip(found, expected):
            assert np.array_equal(one, other), kind


def by_row(engine, weights, block, symmetric):
    rows, columns = weights.shape
    blocks = -(-rows // block)
    packed = np.zeros((rows * columns + 1) // 2, np.uint8)
    scales = np.zeros((blocks, columns), weights.dtype)
    zeros = np.zeros((blocks * columns + 1) // 2, np.uint8)
    function = engine.quantize_qdq_matmul_4bits
    signed = function(packed, weights, scales, zeros, block, columns, rows, symmetric)
    return packed, scales, zeros, signed


@needs_theirs
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("block", [16, 32, 64])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_for_dequantize_linear(shape, block, dtype, symmetric):
    for kind in KINDS:
        weights = matrix(kind, shape, dtype)
        engine = theirs.capi.onnxruntime_pybind11_state
        expected = by_row(engine, weights, block, symmetric)
        for one, other in zip(by_row(OURS, weights, block, symmetric), expected):
            assert np.array_equal(one, other), kind


def four_bits(engine, kind, weights, block):
    rows, columns = weights.shape
    packed = np.zeros((rows * columns + 1) // 2, np.uint8)
    absmax = np.zeros(-(-rows * columns // block), weights.dtype)
    engine.quantize_matmul_bnb4(packed, weights, absmax, block, kind, columns, rows)
    return packed, absmax


@needs_theirs
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("block", [16, 64])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_four_bits_of_bitsandbytes(shape, kind, block, dtype):
    for each in KINDS:
        weights = matrix(each, shape, dtype)
        engine = theirs.capi.onnxruntime_pybind11_state
        expected = four_bits(engine, kind, weights, block)
        for one, other in zip(four_bits(OURS, kind, weights, block), expected):
            assert np.array_equal(one, other), each


def test_arrays_of_other_sizes_are_errors():
    weights, code = np.ones((32, 4), np.float32), np.zeros(4, np.uint8)
    packed, scales = np.zeros((4, 2, 8), np.uint8), np.zeros((4, 2), np.float32)
    run = OURS.quantize_matmul_4bits
    run(packed, weights, scales, code, 16, 4, 32, False)
    with pytest.raises(ValueError, match="packed is an array of 64 elements, not of 63"):
        run(packed.reshape(-1)[1:], weights, scales, code, 16, 4, 32, False)
    with pytest.raises(ValueError, match="scales is an array of 8 elements, not of 4"):
        run(packed, weights, scales[:, :1], code, 16, 4, 32, False)
    with pytest.raises(ValueError, match="zero_points is an array of 4 elements, not of 3"):
        run(packed, weights, scales, code[1:], 16, 4, 32, False)
    with pytest.raises(ValueError, match="a matrix of 32·4 numbers"):
        run(packed, weights[1:], scales, code, 16, 4, 32, False)
    with pytest.raises(ValueError, match="block_size is 0"):
        run(packed, weights, scales, code, 0, 4, 32, False)
    with pytest.raises(ValueError, match="lie one after another"):
        run(packed.transpose(2, 0, 1), weights, scales, code, 16, 4, 32, False)
    with pytest.raises(ValueError, match="quant_type"):
        OURS.quantize_matmul_bnb4(packed, weights, scales, 16, 2, 4, 32)
