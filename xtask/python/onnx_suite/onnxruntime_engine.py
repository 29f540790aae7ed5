"""Run a case with ONNX Runtime, including the element types that numpy lacks."""

import ctypes
import os
import re

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")  # accept opsets in progress

import ml_dtypes
import numpy as np
import onnxruntime as ort

# TensorProto.DataType: ml_dtypes name
ONNX_ONLY = {
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
}
ONNX_ONLY_IDS = {name: number for number, name in ONNX_ONLY.items()}
PACKED_BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2}  # several elements per byte, first one lowest


def wrap(array):
    """An OrtValue of an array, with sub-byte types packed and rank 0 kept."""
    number = ONNX_ONLY_IDS.get(array.dtype.name)
    array = np.asarray(array, order="C")
    if number is None:
        return ort.OrtValue.ortvalue_from_numpy(array)
    raw = array.view(np.uint16 if number == 16 else np.uint8)
    if number not in PACKED_BITS:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(raw, number)
    bits = PACKED_BITS[number]
    per_byte = 8 // bits
    low = raw.ravel() & ((1 << bits) - 1)
    low = np.concatenate([low, np.zeros(-len(low) % per_byte, np.uint8)]).reshape(-1, per_byte)
    packed = np.zeros(len(low), np.uint8)
    for k in range(per_byte):
        packed |= low[:, k] << (bits * k)
    value = ort.OrtValue.ortvalue_from_shape_and_type(list(array.shape), number, "cpu")
    ctypes.memmove(value.data_ptr(), packed.ctypes.data, packed.nbytes)
    return value


def unwrap(value):
    """Inverse of `wrap`."""
    number = value.element_type() if value.is_tensor() else None
    if number not in ONNX_ONLY:
        return value.numpy()
    dtype = np.dtype(getattr(ml_dtypes, ONNX_ONLY[number]))
    shape = tuple(value.shape())
    count = int(np.prod(shape))
    if number not in PACKED_BITS:
        data = ctypes.string_at(value.data_ptr(), count * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(shape)
    bits = PACKED_BITS[number]
    per_byte = 8 // bits
    data = np.frombuffer(ctypes.string_at(value.data_ptr(), -(-count // per_byte)), np.uint8)
    parts = [(data >> (bits * k)) & ((1 << bits) - 1) for k in range(per_byte)]
    raw = np.stack(parts, axis=1).ravel()[:count].astype(np.uint8)
    if ONNX_ONLY[number].startswith("float"):
        return raw.view(dtype).reshape(shape)
    if ONNX_ONLY[number].startswith("int"):
        raw = raw.astype(np.int8)
        raw[raw >= 1 << (bits - 1)] -= 1 << bits
    return raw.astype(dtype).reshape(shape)


def run(case):
    """Outputs of each data set of `case`, with all graph optimisations and one thread."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    # Else what it makes of quantised weights rounds activations to 8 bits.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    session = ort.InferenceSession(case.path, options, providers=["CPUExecutionProvider"])
    accepted = {info.name for info in session.get_inputs()}
    accepted |= {info.name for info in session.get_overridable_initializers()}
    output_names = [info.name for info in session.get_outputs()]
    output_types = " ".join(info.type for info in session.get_outputs())
    onnx_only_output = re.search(r"bfloat16|float8|float4|int4|int2\)", output_types)

    def run_wrapped(feeds):
        feeds = {name: wrap(value) for name, value in feeds.items()}
        return [unwrap(v) for v in session.run_with_ort_values(output_names, feeds)]

    results = []
    for _, inputs, _ in case.sets:
        feeds = {n: v for n, v in inputs if n in accepted and v is not None}
        arrays = [v for v in feeds.values() if isinstance(v, np.ndarray)]
        if onnx_only_output or any(a.dtype.name in ONNX_ONLY_IDS for a in arrays):
            results.append(run_wrapped(feeds))
            continue
        try:
            results.append(session.run(None, feeds))
        except Exception as error:
            # an inner value may have a type that the numpy interface refuses
            if not re.search(r"not supported|unexpected|numpy", str(error), re.IGNORECASE):
                raise
            results.append(run_wrapped(feeds))
    return results
