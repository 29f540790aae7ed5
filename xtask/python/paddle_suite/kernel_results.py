"""Results of Paddle's kernels beside those of its CPU in f64."""

import numpy as np

DTYPES = {
    "bool": "bool",
    "u8": "uint8",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
FLOATS = ("f16", "bf16", "f32", "f64")
# Relative to the largest magnitude of a result.
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-6, "f64": 1e-12}


def expected_type(reference, dtype):
    """The element type of a result in a case of type `dtype`, by that of the reference in f64."""
    is_own = reference == np.float64 and dtype in FLOATS
    return DTYPES[dtype] if is_own else str(reference)


def difference(actual, expected, dtype):
    """In words, or None where they agree."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    if expected.dtype.kind != "f":
        same = actual == expected
        return None if same.all() else f"{int((~same).sum())} of {same.size} elements differ"
    if not actual.size:
        return None
    actual, expected = actual.astype("f8"), expected.astype("f8")
    limit = {"f16": 65504.0, "bf16": 3.38e38, "f32": 3.4e38, "f64": np.inf}[dtype]
    expected = np.where(np.abs(expected) > limit, np.copysign(np.inf, expected), expected)
    finite = np.isfinite(expected)
    same_special = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if not same_special[~finite].all():
        return "other infinities or NaN"
    scale = max(float(np.abs(expected[finite]).max(initial=0.0)), 1e-6)
    apart = np.abs(actual[finite] - expected[finite]).max(initial=0.0) / scale
    return None if apart <= TOLERANCE[dtype] else f"{apart:.2e} apart, relative to {scale:.3g}"
