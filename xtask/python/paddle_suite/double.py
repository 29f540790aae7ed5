"""A copy of a Paddle model that computes in f64: the judge where two f32 results differ.

In a program of PIR, types and attributes named f32 become f64; in a `ProgramDesc`, variables and
attributes of element types do. The parameters are widened.
"""

import hashlib
import json
import os
import struct

import numpy as np
from paddle.base.proto import framework_pb2

#: The numbers of f32 and f64 in `VarType.Type`.
F32, F64 = 5, 6
#: Attributes of a `ProgramDesc` that are element types.
TYPES = ("dtype", "in_dtype", "out_dtype", "input_dtype", "output_dtype")


def copy_of(model, folder):
    """The path of the copy's program below `folder`; it is made if it is missing."""
    program = model.read_bytes()
    copy = folder / hashlib.sha256(program).hexdigest() / model.name
    if copy.exists():
        return copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    wide = pir(program) if model.suffix == ".json" else program_desc(program)
    parameters = widened(model.with_suffix(".pdiparams").read_bytes())
    copy.with_suffix(".pdiparams").write_bytes(parameters)
    unfinished = copy.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(wide)
    unfinished.rename(copy)
    return copy


def pir(program):
    def wide(node):
        if isinstance(node, list):
            return [wide(item) for item in node]
        if isinstance(node, dict):
            if node.get("#") == "0.t_f32":
                return {**node, "#": "0.t_f64"}
            if node.get("#") == "1.a_dtype" and node.get("D") == "float32":
                return {**node, "D": "float64"}
            return {key: wide(value) for key, value in node.items()}
        return node

    return json.dumps(wide(json.loads(program))).encode()


def program_desc(program):
    desc = framework_pb2.ProgramDesc.FromString(program)
    for block in desc.blocks:
        for var in block.vars:
            for kind in ("dense_tensor", "lod_tensor", "tensor_array"):
                if var.type.HasField(kind) if kind in var.type.DESCRIPTOR.fields_by_name else False:
                    tensor = getattr(var.type, kind).tensor
                    if tensor.data_type == F32:
                        tensor.data_type = F64
        for op in block.ops:
            for attribute in op.attrs:
                if attribute.name in TYPES and attribute.i == F32:
                    attribute.i = F64
    return desc.SerializeToString()


def widened(parameters):
    """A file of parameters with f64 in place of f32."""
    out, at = bytearray(), 0
    while at < len(parameters):
        start = at
        (levels,) = struct.unpack_from("<Q", parameters, at + 4)
        at += 12
        for _ in range(levels):
            (size,) = struct.unpack_from("<Q", parameters, at)
            at += 8 + size
        out += parameters[start : at + 4]
        (size,) = struct.unpack_from("<i", parameters, at + 4)
        described = parameters[at + 8 : at + 8 + size]
        desc = framework_pb2.VarType.TensorDesc.FromString(described)
        at += 8 + size
        data, at = tensor_at(parameters, at, desc)
        if desc.data_type == F32:
            desc.data_type = F64
            data = np.frombuffer(data, "<f4").astype("<f8").tobytes()
        described = desc.SerializeToString()
        out += struct.pack("<i", len(described)) + described + data
    return bytes(out)


#: Bytes of an element, by its number in `VarType.Type`.
WIDTHS = {0: 1, 1: 2, 2: 4, 3: 8, 4: 2, 5: 4, 6: 8, 20: 1, 21: 1, 22: 2, 23: 8, 24: 16}


def tensor_at(parameters, at, desc):
    """(the bytes of a tensor's elements, where the next tensor begins)."""
    end = at + WIDTHS[desc.data_type] * int(np.prod(desc.dims, dtype=np.int64))
    return parameters[at:end], end
