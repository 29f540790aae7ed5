"""Quantisation of weights in blocks, with the functions that ``onnxruntime.quantization`` imports.

Each function writes to arrays of the caller. Elements are computed in f32. A block of ``q`` with
scale ``s`` and zero point ``z`` stands for the numbers ``(q - z) · s``.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trident.onnxruntime.values import Array

Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]

#: Numbers of the formats of four bits of ``bitsandbytes``.
FP4, NF4 = 0, 1

#: Upper bounds of the magnitudes that each code of FP4 stands for, and the codes, of which the
#: highest bit is the sign.
FP4_BOUNDS = np.array(
    [0.00260417, 0.0859375, 0.20833333, 0.29166667, 0.4166667, 0.583333, 0.8333333], np.float32
)
FP4_CODES = np.array([0, 1, 6, 7, 4, 5, 2, 3], np.uint8)
FP4_SIGN = 8

#: The sixteen numbers of NF4: quantiles of a normal distribution, from -1 to 1.
NF4_NUMBERS = np.array(
    [
        -1.0,
        -0.6961928009986877,
        -0.5250730514526367,
        -0.39491748809814453,
        -0.28444138169288635,
        -0.18477343022823334,
        -0.09105003625154495,
        0.0,
        0.07958029955625534,
        0.16093020141124725,
        0.24611230194568634,
        0.33791524171829224,
        0.44070982933044434,
        0.5626170039176941,
        0.7229568362236023,
        1.0,
    ]
)
NF4_BOUNDS = ((NF4_NUMBERS[1:] + NF4_NUMBERS[:-1]) / 2).astype(np.float32)


def _by_column(
    bits: int,
    packed: Codes,
    weights: Array,
    scales: Array,
    zero_points: Codes,
    block_size: int,
    columns: int,
    rows: int,
    is_symmetric: bool,
) -> None:
    """Quantise a matrix to so many bits, each column in blocks of rows.

    Blocks and their scales lie column by column. A byte has as many numbers, or zero points, as
    fit.
    """
    blocks, per_byte = -(-int(rows) // _block(block_size)), 8 // bits
    _check("packed", packed, columns * blocks * block_size // per_byte)
    _check("scales", scales, columns * blocks)
    numbers, filled = _blocks(weights, block_size, columns, rows)
    found, zeros = _ranges(numbers, bits, is_symmetric)
    found = found.astype(scales.dtype).astype(np.float32)
    offsets = zeros[..., None].astype(np.float32)
    codes = _clipped(_rounded(numbers * _reciprocal(found)[..., None] + offsets), bits)
    codes[~filled] = 0
    packed.reshape(-1)[:] = _packed(codes.reshape(columns, -1), bits).reshape(-1)
    scales.reshape(-1)[:] = found.reshape(-1)
    if not is_symmetric:
        _check("zero_points", zero_points, columns * -(-blocks // per_byte))
        zero_points.reshape(-1)[:] = _packed(zeros, bits, 1 << (bits - 1)).reshape(-1)


#: ``(packed, weights, scales, zero_points, block_size, columns, rows, is_symmetric)``
ByColumn = Callable[[Codes, Array, Array, Codes, int, int, int, bool], None]

quantize_matmul_2bits: ByColumn = functools.partial(_by_column, 2)
quantize_matmul_4bits: ByColumn = functools.partial(_by_column, 4)
quantize_matmul_8bits: ByColumn = functools.partial(_by_column, 8)


def quantize_qdq_matmul_4bits(
    packed: Codes,
    weights: Array,
    scales: Array,
    zero_points: Codes,
    block_size: int,
    columns: int,
    rows: int,
    is_symmetric: bool,
) -> bool:
    """Quantise a matrix to four bits for ``DequantizeLinear``; whether the numbers are signed.

    Numbers, scales and zero points lie row by row. Signed ones have no zero points.
    """
    bits = 4
    blocks, per_byte = -(-int(rows) // _block(block_size)), 8 // bits
    _check("packed", packed, -(-rows * columns // per_byte))
    _check("scales", scales, columns * blocks)
    numbers, _ = _blocks(weights, block_size, columns, rows)
    found, zeros = _ranges(numbers, bits, is_symmetric)
    found = found.astype(scales.dtype).astype(np.float32)
    offsets = zeros[..., None].astype(np.float32)
    codes = _clipped(_rounded(numbers * _reciprocal(found)[..., None]) + offsets, bits)
    if is_symmetric:  # The zero point is the middle, which signed numbers have at 0.
        codes ^= 1 << (bits - 1)
    by_row = codes.reshape(columns, -1)[:, :rows].T.reshape(1, -1)
    packed.reshape(-1)[:] = _packed(by_row, bits).reshape(-1)
    scales.reshape(-1)[:] = found.T.reshape(-1)
    if not is_symmetric:
        _check("zero_points", zero_points, -(-columns * blocks // per_byte))
        zero_points.reshape(-1)[:] = _packed(zeros.T.reshape(1, -1), bits).reshape(-1)
    return is_symmetric


def quantize_matmul_bnb4(
    packed: Codes,
    weights: Array,
    absmax: Array,
    block_size: int,
    quant_type: int,
    columns: int,
    rows: int,
) -> None:
    """Quantise a matrix to the four bits of FP4 (0) or NF4 (1), in blocks of its elements.

    ``absmax`` gets the greatest magnitude of each block. The first of two elements has the upper
    half of a byte.
    """
    if quant_type not in (FP4, NF4):
        raise ValueError(f"quant_type is {FP4} for FP4 or {NF4} for NF4, not {quant_type}")
    count = int(rows) * int(columns)
    blocks = -(-count // _block(block_size))
    _check("weights", weights, count)
    _check("packed", packed, (count + 1) // 2)
    _check("absmax", absmax, blocks)
    numbers = np.zeros(blocks * block_size, np.float32)
    numbers[:count] = np.asarray(weights).reshape(-1)[:count]
    apart = numbers.reshape(blocks, block_size)
    greatest = np.abs(apart).max(axis=1)
    scaled = apart * _reciprocal(greatest)[:, None]
    if quant_type == FP4:
        codes = FP4_CODES[np.searchsorted(FP4_BOUNDS, np.abs(scaled))]
        codes = codes + np.where(scaled < 0, FP4_SIGN, 0).astype(np.uint8)
    else:
        codes = np.searchsorted(NF4_BOUNDS, scaled).astype(np.uint8)
    flat = codes.reshape(-1)[: count + count % 2]
    packed.reshape(-1)[:] = flat[0::2] << 4 | flat[1::2]
    absmax.reshape(-1)[:] = greatest


def _blocks(
    weights: Array, block_size: int, columns: int, rows: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """The numbers of each column in blocks, the last filled with zeros, and which are no filling.

    Both have the shape ``[columns, blocks, block_size]``.
    """
    blocks = -(-rows // block_size)
    if weights.size < rows * columns:
        raise ValueError(f"a matrix of {rows}·{columns} numbers is expected, not {weights.size}")
    matrix = np.asarray(weights).reshape(-1)[: rows * columns].reshape(rows, columns)
    numbers = np.zeros((columns, blocks * block_size), np.float32)
    numbers[:, :rows] = matrix.T
    filled = np.zeros(numbers.shape, np.bool_)
    filled[:, :rows] = True
    shape = (columns, blocks, block_size)
    return numbers.reshape(shape), filled.reshape(shape)


def _ranges(numbers: Floats, bits: int, is_symmetric: bool) -> tuple[Floats, Codes]:
    """The scale and the zero point of each block."""
    low: Floats = numbers.min(axis=2)
    high: Floats = numbers.max(axis=2)
    if is_symmetric:
        middle = 1 << (bits - 1)
        extreme = low.copy()
        np.copyto(extreme, high, where=np.abs(high) > np.abs(low))
        symmetric: Floats = extreme / np.float32(-middle)
        return symmetric, np.full(low.shape, middle, np.uint8)
    low, high = np.minimum(low, 0), np.maximum(high, 0)
    scales: Floats = (high - low) / np.float32((1 << bits) - 1)
    zeros = np.divide(-low, scales, out=low.copy(), where=scales != 0)
    return scales, _clipped(_rounded(zeros), bits)


def _clipped(numbers: Floats, bits: int) -> Codes:
    """The numbers as codes of so many bits."""
    return np.clip(numbers, 0, (1 << bits) - 1).astype(np.uint8)


def _reciprocal(numbers: Floats) -> Floats:
    """The reciprocals, and 0 for 0."""
    return np.divide(np.float32(1), numbers, out=np.zeros_like(numbers), where=numbers != 0)


def _rounded(numbers: Floats) -> Floats:
    """The nearest integers, halves away from 0."""
    whole = np.trunc(numbers)
    return np.where(np.abs(numbers - whole) >= 0.5, whole + np.sign(numbers), whole)


def _packed(codes: Codes, bits: int, filling: int = 0) -> Codes:
    """The codes of each row in bytes, the first in the lowest bits, the last byte filled."""
    per_byte = 8 // bits
    missing = ((0, 0), (0, -codes.shape[1] % per_byte))
    whole = np.pad(codes, missing, constant_values=filling)
    apart = whole.reshape(len(codes), -1, per_byte)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    found: Codes = np.bitwise_or.reduce(apart << shifts, axis=2)
    return found


def _block(size: Any) -> int:
    if int(size) < 1:
        raise ValueError(f"a block has at least one element, and block_size is {size}")
    return int(size)


def _check(name: str, array: Array, size: int) -> None:
    if not isinstance(array, np.ndarray) or array.size != size:
        came = array.size if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name} is an array of {size} elements, not of {came}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} is an array whose elements lie one after another")
