"""Kinds of malformed requests: functions of a random generator; each request must be refused."""

import json
import struct

import numpy as np
from tritonclient.grpc import service_pb2

from .client import grpc_request, request

WRONG_TYPES = ("FP64", "INT32", "UINT8", "BOOL", "BYTES", "FP16", "BF16", "FLOAT", "fp32", "")
HUGE = ([1 << 62, 16], [1 << 32, 1 << 32], [(1 << 63) - 1], [1 << 60, 1 << 60, 1 << 60])
SHAPES = ([16], [], [1, 16, 1], [1, 17], [1, 15], [2, 16], [0, 16], [16, 1], [1, 4, 4])

JSON_KINDS, BINARY_KINDS, GRPC_KINDS = [], [], []


def kind(kinds):
    def add(function):
        kinds.append(function)
        return function

    return add


def valid():
    values = [float(k) for k in range(16)]
    return {"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, 16], "data": values}]}


def text(message):
    return json.dumps(message).encode()


# ---- JSON over HTTP: (model, body) -----------------------------------------------------------


@kind(JSON_KINDS)
def cut(rng):
    whole = text(valid())
    return "add", whole[: rng.randrange(1, len(whole))]


@kind(JSON_KINDS)
def control_character(rng):
    whole = bytearray(text(valid()))
    whole[rng.randrange(len(whole))] = rng.choice((0, 1, 0x1F))
    if 0 in whole:  # would end the text, which may be complete before
        whole[0] = 1
    return "add", bytes(whole)


@kind(JSON_KINDS)
def not_utf8(rng):
    bad = rng.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80"))
    place = rng.choice((b"INPUT0", b"FP32", b"inputs"))
    return "add", text(valid()).replace(place, place[:2] + bad + place[2:])


@kind(JSON_KINDS)
def text_not_utf8(rng):
    bad = rng.choice((b"\xff", b"\xc3", b"1\xed\xa0\x80", b"\xf8\x88\x80\x80"))
    data = [{"name": "INPUT0", "datatype": "BYTES", "shape": [1, 1], "data": ["@"]}]
    return "parse", text({"inputs": data}).replace(b"@", bad)


@kind(JSON_KINDS)
def no_object(rng):
    return "add", rng.choice((b"[]", b"3", b'"x"', b"null", b"{}", b"{", b"\x00", b"{}{}"))


@kind(JSON_KINDS)
def wrong_type(rng):
    message = valid()
    message["inputs"][0]["datatype"] = rng.choice(WRONG_TYPES)
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_shape(rng):
    message = valid()
    # Not the huge ones: the server itself aborts when it makes room for the data of some.
    message["inputs"][0]["shape"] = rng.choice((*SHAPES, [-1, 16], ["a"], [1.5, 16], 16))
    return "add", text(message)


@kind(JSON_KINDS)
def large_batch(rng):
    count = rng.randrange(9, 40)
    message = valid()
    message["inputs"][0] |= {"shape": [count, 16], "data": [0.5] * (16 * count)}
    return "add", text(message)


@kind(JSON_KINDS)
def part_missing(rng):
    message = valid()
    owner = rng.choice((message, message["inputs"][0], message["inputs"][0]))
    owner.pop(rng.choice(list(owner)))
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_inputs(rng):
    message = valid()
    (one,) = message["inputs"]
    message["inputs"] = rng.choice(
        ([], [one, one], [one, one | {"name": "INPUT1"}], [one | {"name": ""}], one, [3], "INPUT0")
    )
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_element(rng):
    message = valid()
    bad = rng.choice(("x", None, {}, "1.0", ["1"], [None]))
    message["inputs"][0]["data"][rng.randrange(16)] = bad
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_count(rng):
    message = valid()
    count = rng.choice([k for k in range(40) if k != 16])
    message["inputs"][0]["data"] = [1.0] * count
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_output(rng):
    message = valid()
    message["outputs"] = rng.choice(
        ([{"name": "OUTPUT7"}], [{"name": ""}], [{}], [3], [{"name": "OUTPUT0"}, {"name": "é"}])
    )
    return "add", text(message)


@kind(JSON_KINDS)
def wrong_parameter(rng):
    message = valid()
    message["parameters"] = rng.choice(
        ({"a": []}, {"a": None}, {"a": {}}, {"triton_x": 1}, {"priority": "x"}, {"timeout": []})
    )
    return "add", text(message)


@kind(JSON_KINDS)
def no_memory_region(rng):
    message = valid()
    del message["inputs"][0]["data"]
    region = {"shared_memory_region": f"r{rng.random()}", "shared_memory_byte_size": 64}
    message["inputs"][0]["parameters"] = region
    return "add", text(message)


@kind(JSON_KINDS)
def one_of_two_inputs(rng):
    data = list(range(4))
    name = rng.choice(("INPUT0", "INPUT1"))
    entry = {"name": name, "datatype": "INT32", "shape": [1, 4], "data": data}
    other = entry | {"name": "INPUT2"}
    return "pair", text({"inputs": rng.choice(([entry], [entry, other], [entry] * 2))})


@kind(JSON_KINDS)
def batches_differ(rng):
    entries = [
        {"name": f"INPUT{k}", "datatype": "INT32", "shape": [n, 4], "data": [1] * (4 * n)}
        for k, n in enumerate(rng.sample(range(1, 9), 2))
    ]
    return "pair", text({"inputs": entries})


@kind(JSON_KINDS)
def index_beyond(rng):
    value = rng.choice((10, -11, 1 << 40, -(1 << 62), rng.randrange(10, 1 << 62)))
    entry = {"name": "INPUT0", "datatype": "INT64", "shape": [1, 1], "data": [value]}
    return "lookup", text({"inputs": [entry]})


@kind(JSON_KINDS)
def no_number(rng):
    word = rng.choice(("x", "one", "--1", "é", "\0", "x1"))
    entry = {"name": "INPUT0", "datatype": "BYTES", "shape": [1, 2], "data": ["1", word]}
    return "parse", text({"inputs": [entry]})


@kind(JSON_KINDS)
def no_model(rng):
    return rng.choice(("nobody", "add/versions/2", "add/versions/9999999", "%ff")), text(valid())


# ---- binary over HTTP: (model, body, header length) ------------------------------------------


def good_binary():
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    return request({"INPUT0": x})


def of_texts(data, shape):
    """A request of a BYTES tensor with these bytes."""
    entry = {"name": "INPUT0", "datatype": "BYTES", "shape": shape}
    entry["parameters"] = {"binary_data_size": len(data)}
    head = text({"inputs": [entry]})
    return "parse", head + data, str(len(head))


@kind(BINARY_KINDS)
def bytes_missing(rng):
    head, data = good_binary()
    return "add", head + data[: rng.randrange(len(data))], str(len(head))


@kind(BINARY_KINDS)
def bytes_too_many(rng):
    head, data = good_binary()
    return "add", head + data + rng.randbytes(rng.randrange(1, 100)), str(len(head))


@kind(BINARY_KINDS)
def header_length(rng):
    head, data = good_binary()
    length = rng.choice((len(head) - 1, len(head) + 1, 1, 10**6, 2**31, -1, rng.randrange(1, 50)))
    return "add", head + data, str(length)


@kind(BINARY_KINDS)
def declared_size(rng):
    head, data = good_binary()
    size = rng.choice((0, 1, 63, 65, 128, 1 << 40, (1 << 63) - 1))
    head = head.replace(b'"binary_data_size": 64', f'"binary_data_size": {size}'.encode())
    return "add", head + data, str(len(head))


@kind(BINARY_KINDS)
def binary_shape(rng):
    head, data = good_binary()
    shape = json.dumps(rng.choice((*SHAPES, *HUGE))).encode()
    head = head.replace(b'"shape": [1, 16]', b'"shape": ' + shape)
    return "add", head + data, str(len(head))


@kind(BINARY_KINDS)
def binary_type(rng):
    head, data = good_binary()
    other = rng.choice(WRONG_TYPES).encode()
    head = head.replace(b'"FP32"', b'"' + other + b'"')
    return "add", head + data, str(len(head))


@kind(BINARY_KINDS)
def both_forms(rng):
    head, data = good_binary()
    head = head.replace(b'"shape"', b'"data": [1.0], "shape"')
    return "add", head + data, str(len(head))


@kind(BINARY_KINDS)
def text_length(rng):
    length = rng.choice((2, 5, 1000, 1 << 31, (1 << 32) - 1))
    return of_texts(struct.pack("<I", length) + b"1", [1, 1])


@kind(BINARY_KINDS)
def text_rest(rng):
    return of_texts(struct.pack("<I", 1) + b"1" + rng.randbytes(rng.randrange(1, 8)), [1, 1])


@kind(BINARY_KINDS)
def text_count(rng):
    count = rng.choice((0, 1, 3, 9))
    return of_texts((struct.pack("<I", 1) + b"1") * count, [1, 2])


@kind(BINARY_KINDS)
def text_no_number(rng):
    word = rng.choice((b"\xff\xfe", b"\xc3", b"x", b"\0", b"\xf0\x9f", b"one"))
    return of_texts(struct.pack("<I", len(word)) + word, [1, 1])


# ---- gRPC: a message, or bytes ---------------------------------------------------------------


def good_message():
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    return grpc_request("add", {"INPUT0": x})


@kind(GRPC_KINDS)
def raw_size(rng):
    message = good_message()
    size = rng.choice([k for k in range(0, 200) if k != 64])
    message.raw_input_contents[0] = rng.randbytes(size)
    return message


@kind(GRPC_KINDS)
def raw_missing(rng):
    message = good_message()
    del message.raw_input_contents[:]
    return message


@kind(GRPC_KINDS)
def raw_and_typed(rng):
    message = good_message()
    message.inputs[0].contents.fp32_contents.extend([1.0] * rng.randrange(1, 20))
    return message


@kind(GRPC_KINDS)
def typed_count(rng):
    message = good_message()
    del message.raw_input_contents[:]
    count = rng.choice([k for k in range(1, 40) if k != 16])
    message.inputs[0].contents.fp32_contents.extend([1.0] * count)
    return message


@kind(GRPC_KINDS)
def typed_wrong(rng):
    message = good_message()
    del message.raw_input_contents[:]
    field = rng.choice(("int_contents", "int64_contents", "uint_contents", "fp64_contents"))
    getattr(message.inputs[0].contents, field).extend([1] * 16)
    return message


@kind(GRPC_KINDS)
def message_shape(rng):
    message = good_message()
    del message.inputs[0].shape[:]
    message.inputs[0].shape.extend(rng.choice((*SHAPES, *HUGE, [-1, 16], [-(1 << 63)])))
    return message


@kind(GRPC_KINDS)
def message_type(rng):
    message = good_message()
    message.inputs[0].datatype = rng.choice(WRONG_TYPES)
    return message


@kind(GRPC_KINDS)
def message_names(rng):
    message = good_message()
    match rng.randrange(5):
        case 0:
            message.model_name = rng.choice(("", "nobody", "\0", "add/1"))
        case 1:
            message.model_version = rng.choice(("2", "x", "-1", "99999999999999999999"))
        case 2:
            message.inputs[0].name = rng.choice(("", "INPUT1", "OUTPUT0"))
        case 3:
            message.outputs.add(name=rng.choice(("", "INPUT0", "OUTPUT1")))
        case 4:
            message.inputs.append(message.inputs[0])
            message.raw_input_contents.append(message.raw_input_contents[0])
    return message


@kind(GRPC_KINDS)
def message_texts(rng):
    message = service_pb2.ModelInferRequest(model_name="parse")
    message.inputs.add(name="INPUT0", datatype="BYTES").shape.extend([1, 1])
    word = rng.choice((b"\xff\xfe", b"x", b"\0", b"one"))
    good = struct.pack("<I", len(word)) + word
    bad = struct.pack("<I", rng.choice((5, 1 << 20, (1 << 32) - 1))) + b"1"
    message.raw_input_contents.append(rng.choice((good, bad, b"", b"\1", good + b"\0")))
    return message


@kind(GRPC_KINDS)
def message_index(rng):
    value = rng.choice((10, -11, 1 << 40, -(1 << 62)))
    return grpc_request("lookup", {"INPUT0": np.array([[value]])})


@kind(GRPC_KINDS)
def no_message(rng):
    if rng.random() < 0.5:
        return rng.randbytes(rng.randrange(1, 200))
    whole = good_message().SerializeToString()
    return whole[: rng.randrange(1, len(whole) - 70)]
