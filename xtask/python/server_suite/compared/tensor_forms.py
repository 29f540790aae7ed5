"""Tensors in JSON, in bytes and in messages: every type, odd sizes, texts, classes."""

import struct

from .models import pair, same
from .talk import row, tensor, wanted

# For each type, numbers at its limits in JSON, and some in bytes.
LIMITS = {
    "BOOL": [True, False],
    "INT8": [-128, 127],
    "INT16": [-32768, 32767],
    "INT32": [-2147483648, 2147483647],
    "INT64": [-9223372036854775808, 9223372036854775807],
    "UINT8": [0, 255],
    "UINT16": [0, 65535],
    "UINT32": [0, 4294967295],
    "UINT64": [0, 18446744073709551615],
    "FP32": [3.4028234663852886e38, 1e-45],
    "FP64": [1.7976931348623157e308, 5e-324],
}
WIDTHS = {"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FP16": 2, "BF16": 2,
          "INT32": 4, "UINT32": 4, "FP32": 4, "INT64": 8, "UINT64": 8, "FP64": 8}  # fmt: skip


def _all_forms(t, kind):
    """A type in JSON, bytes, typed contents and raw contents."""
    t.serve(same, kind=kind)
    width = WIDTHS[kind]
    data = bytes([1, 0] if width == 1 else range(2 * width))
    entry = tensor("INPUT0", kind, [1, 2])
    if kind in LIMITS:
        t.infer(entry | {"data": LIMITS[kind]})
        t.rpc_infer(entry | {"data": [str(x) if width == 8 and kind != "FP64" else x
                                      for x in LIMITS[kind]]})  # fmt: skip
    else:
        t.infer(entry | {"data": [1, 2]})
    sized = entry | {"parameters": {"binary_data_size": len(data)}}
    t.binary(sized, data=data, parameters={"binary_data_output": True})
    t.binary(sized, data=data)
    t.rpc_raw(entry, data=[data])
    t.rpc_raw(entry, data=[data[:-1]])


def type_bool(t):
    _all_forms(t, "BOOL")


def type_int8(t):
    _all_forms(t, "INT8")


def type_int16(t):
    _all_forms(t, "INT16")


def type_int32(t):
    _all_forms(t, "INT32")


def type_int64(t):
    _all_forms(t, "INT64")


def type_uint8(t):
    _all_forms(t, "UINT8")


def type_uint16(t):
    _all_forms(t, "UINT16")


def type_uint32(t):
    _all_forms(t, "UINT32")


def type_uint64(t):
    _all_forms(t, "UINT64")


def type_fp16(t):
    _all_forms(t, "FP16")


def type_bf16(t):
    _all_forms(t, "BF16")


def type_fp32(t):
    _all_forms(t, "FP32")


def type_fp64(t):
    _all_forms(t, "FP64")


def numbers_beyond_their_type(t):
    t.serve(same, name="beyond_int8", kind="INT8")
    t.serve(same, name="beyond_uint64", kind="UINT64")
    t.serve(same, name="beyond_fp32")
    for value in (128, -129, 300, 2147483648, 1.5, 1e2, "1", True, None):
        t.infer(row(value, datatype="INT8"), model="beyond_int8")
    for value in (-1, 18446744073709551616, 1e19):
        t.infer(row(value, datatype="UINT64"), model="beyond_uint64")
    for value in (1e39, -1e400, "NaN", True, 9007199254740993):
        t.infer(row(value), model="beyond_fp32")


def number_texts(t):
    """Numbers as JSON may write them."""
    t.serve(same)
    head = '{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,1],"data":['
    for text in ("1e5", "0.1", "1E-7", "1.0e+3", "01", "+1", ".5", "5.", "1e", "NaN", "-NaN",
                 "Infinity", "-Infinity", "Inf", "0x10", "1_0", "1,", ""):  # fmt: skip
        t.post(f"/v2/models/{t.name}/infer", f"{head}{text}]}}]}}")


def negative_zeros(t):
    t.serve(same)
    head = '{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,1],"data":['
    for text in ("-0.0", "-0"):
        t.post(f"/v2/models/{t.name}/infer", f"{head}{text}]}}]}}")


def floats_as_text(t):
    t.serve(same)
    t.infer(row(0.1, 1 / 3, 1e21, 1e20, 123456789.0, 1e-6, 1e-7, -0.0, 16777217.0, 5e-324))
    t.infer(row(1e16, 1e15, 0.00001, 1.17549435e-38, 3.0e10, 2.5))


def doubles_as_text(t):
    t.serve(same, kind="FP64")
    t.infer(row(0.1, 1 / 3, 1e21, 1e22, 1e-6, 1e-7, -0.0, 123456789012345680.0, datatype="FP64"))


def empty_tensors(t):
    t.serve(same)
    entry = tensor("INPUT0", "FP32", [1, 0])
    t.infer(entry | {"data": []})
    t.infer(entry)
    t.binary(entry | {"parameters": {"binary_data_size": 0}})
    t.binary(entry | {"parameters": {"binary_data_size": 0}},
             outputs=[wanted("OUTPUT0", binary_data=True)])  # fmt: skip
    t.rpc_raw(entry, data=[b""])
    t.rpc_infer(entry)
    t.stats()


def empty_tensors_with_data(t):
    t.serve(same)
    t.infer(tensor("INPUT0", "FP32", [1, 0], [1.0]))


def empty_without_batch(t):
    t.serve(same, batch=0, rank=2)
    for shape in ([0, 3], [3, 0], [0, 0], [1]):
        t.infer(tensor("INPUT0", "FP32", shape, []))


def shapes_of_all_kinds(t):
    t.serve(same, rank=2)
    for shape in ([1, 1, 4], [1, 2, 2], [2, 1, 2], [1, 4], [4], [1, 1, 1, 4], [1, -1, 4],
                  [1, 2.0, 2], ["1", 2, 2]):  # fmt: skip
        t.infer(tensor("INPUT0", "FP32", shape, [1.0, 2.0, 3.0, 4.0]))


def shapes_over_grpc(t):
    t.serve(same, rank=2)
    data = struct.pack("<4f", 1, 2, 3, 4)
    for shape in ([1, 1, 4], [4], [], [1, -1, 4], [9, 1, 4]):
        t.rpc_raw(tensor("INPUT0", "FP32", shape), data=[data])


def shapes_that_overflow(t):
    t.serve(same, rank=2)
    t.rpc_raw(tensor("INPUT0", "FP32", [1, 1 << 62, 4]), data=[bytes(16)])


def batches_of_none(t):
    t.serve(same, rank=2)
    t.rpc_raw(tensor("INPUT0", "FP32", [0, 1, 4]), data=[bytes(16)])


def shape_of_no_axes(t):
    t.serve(same, rank=2)
    t.infer(tensor("INPUT0", "FP32", [], [1.0]))


def nested_data(t):
    t.serve(same, rank=2)
    for data in ([[[1, 2], [3, 4]]], [[1, 2], [3, 4]], [1, [2, [3, 4]]], [[[[1], [2]], 3, 4]],
                 [[], [1, 2, 3, 4]], [1, 2, 3, [4, 5]], 7, "text", {"a": 1}):  # fmt: skip
        t.infer(tensor("INPUT0", "FP32", [1, 2, 2], data))


def batches_that_differ(t):
    t.serve(pair)
    first = tensor("INPUT0", "INT32", [2, 2], [1, 2, 3, 4])
    t.infer(first, tensor("INPUT1", "INT32", [1, 2], [1, 2]))
    t.infer(first, tensor("INPUT1", "INT32", [2, 2], [1, 2, 3, 4]))
    t.infer(first, tensor("INPUT1", "INT32", [2, 1], [1, 2]))
    t.rpc_infer(first, tensor("INPUT1", "INT32", [1, 2], [1, 2]))


def batch_of_nine(t):
    t.serve(pair)
    for count in (8, 9):
        parts = [tensor(f"INPUT{k}", "INT32", [count, 2], [1, 2] * count) for k in (0, 1)]
        t.infer(*parts, outputs=[wanted("OUTPUT0")])
        t.rpc_infer(*parts, outputs=[wanted("OUTPUT1")])


def raw_requests(t):
    t.serve(same)
    path = f"/v2/models/{t.name}/infer"
    size = {"Inference_Header_Content_Length": "0"}
    for data in (struct.pack("<3f", 1, 2, 3), b"\0" * 5, b""):
        t.post(path, data, **size)


def raw_requests_of_two_inputs(t):
    t.serve(pair)
    t.post(f"/v2/models/{t.name}/infer", b"\0" * 8, Inference_Header_Content_Length="0")


def raw_requests_of_texts(t):
    t.serve(same, kind="BYTES")
    t.post(f"/v2/models/{t.name}/infer", b"hello", Inference_Header_Content_Length="0")


def raw_requests_of_two_axes(t):
    t.serve(same, rank=2)
    t.post(f"/v2/models/{t.name}/infer", b"\0" * 16, Inference_Header_Content_Length="0")
