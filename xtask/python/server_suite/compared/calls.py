"""Calls of gRPC: streams, deadlines, cancelled calls, metadata, raw contents."""

import struct
import time

import grpc

from .models import add, failing, pair, same, slow
from .talk import message_of, parameters, row, tensor, values

ONE = row(1, 2, 3, 4)
FLOATS = struct.pack("<4f", 1, 2, 3, 4)


def _slow(count):
    return tensor("INPUT0", "INT64", [1, 1], [str(count)])


def stream_of_many(t):
    t.serve(add)
    t.stream(*(t.inference(row(k, 0, 0, 0), id=str(k)) for k in range(20)))
    t.stats()


def stream_of_several_models(t):
    first, second = t.serve(add), t.serve(same, name="beside")
    t.stream(*(t.inference(ONE, model=name, id=name) for name in (first, second, first)))


def stream_of_errors(t):
    t.serve(failing)
    good, bad = _slow(3), _slow(99)
    t.stream(
        t.inference(good, id="1"),
        t.inference(bad, id="2"),
        t.inference(good, id="3", model_version="9"),
        t.inference(good, id="4", model="nobody"),
        t.inference(id="5"),
        t.inference(good, id="6"),
        pause=0.02,
    )


def stream_that_ends_at_an_error(t):
    t.serve(failing)
    flag = [("triton_grpc_error", "true")]
    t.stream(t.inference(_slow(3), id="1"), t.inference(_slow(99), id="2"),
             t.inference(_slow(3), id="3"), metadata=flag, pause=0.1)  # fmt: skip
    t.stream(t.inference(_slow(3)), metadata=[("triton_grpc_error", "false")])


def stream_that_ends_at_a_wrong_request(t):
    t.serve(failing)
    flag = [("triton_grpc_error", "true")]
    t.stream(t.inference(_slow(3), model="nobody"), t.inference(_slow(3)), metadata=flag, pause=0.1)


def stream_of_nothing(t):
    t.stream()
    t.stream({})


def stream_with_empty_final(t):
    t.serve(add)
    for value in (True, False):
        given = parameters(triton_enable_empty_final_response=value)
        t.stream(t.inference(ONE, parameters=given))


def deadline(t):
    t.serve(slow)
    t.rpc_infer(_slow(1))
    t.rpc_infer(_slow(20000), timeout=0.15)
    t.rpc_infer(_slow(1), timeout=10)


def cancelled_stream(t):
    t.serve(slow)
    t.rpc_infer(_slow(1))

    def messages():
        for count in (6000, 1, 1):
            yield message_of("ModelInferRequest", t.inference(_slow(count)))
        time.sleep(0.5)

    call = t.side.stub.ModelStreamInfer(messages())
    time.sleep(0.1)
    call.cancel()
    try:
        for reply in call:
            t.note(values(reply))
    except grpc.RpcError as error:
        t.note(error.code().name)
    time.sleep(0.6)
    t.rpc_infer(_slow(1))


def metadata_of_answers(t):
    t.serve(add)
    message = message_of("ModelInferRequest", t.inference(ONE))
    _, call = t.side.stub.ModelInfer.with_call(message, metadata=[("x-a", "1")])
    for pairs in (call.initial_metadata(), call.trailing_metadata()):
        t.note(sorted(f"{key}={value}" for key, value in pairs))


def metadata_that_is_large(t):
    t.serve(add)
    t.rpc_infer(ONE, metadata=[("x-large", "v" * 4000)])
    t.rpc_infer(ONE, metadata=[("x-large-bin", b"\0\xff" * 50), ("x-a", "1"), ("x-a", "2")])


def metadata_beyond_the_limit(t):
    t.serve(add)
    t.rpc_infer(ONE, metadata=[("x-large", "v" * 100_000)])
    t.rpc_infer(ONE)


def compressed_calls(t):
    t.serve(same)
    message = message_of("ModelInferRequest", t.inference(row(*[1] * 500)))
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        t.note(values(t.side.stub.ModelInfer(message, compression=compression)))


def raw_contents(t):
    t.serve(pair)
    one, two = (tensor(f"INPUT{k}", "INT32", [1, 2]) for k in (0, 1))
    data = struct.pack("<2i", 1, 2)
    t.rpc_raw(one, two, data=[data, data])
    t.rpc_raw(two, one, data=[data, struct.pack("<2i", 7, 8)])
    t.rpc_raw(one, two, data=[data])
    t.rpc_raw(one, two, data=[data, data, data])
    t.rpc_raw(one, two, data=[data + data, data])
    t.rpc_raw(one, two)


def raw_and_typed_contents(t):
    t.serve(pair)
    one, two = row(1, 2, datatype="INT32"), tensor("INPUT1", "INT32", [1, 2])
    data = struct.pack("<2i", 1, 2)
    t.rpc_raw(one, two, data=[data])
    t.rpc_raw(two, one, data=[data])
    t.rpc_infer(one, two)


def typed_contents_of_wrong_fields(t):
    t.serve(same, kind="INT32")
    for contents in (
        {"int64_contents": ["1"]},
        {"fp32_contents": [1]},
        {},
        {"bool_contents": [True]},
        {"int_contents": [1], "fp32_contents": [1]},
        {"int_contents": [1, 2]},
        {"bytes_contents": ["AAAAAA=="]},
    ):
        t.rpc_infer(tensor("INPUT0", "INT32", [1, 1]) | {"contents": contents})


def typed_contents_out_of_range(t):
    for kind, field, value in (
        ("INT8", "int", 300),
        ("INT16", "int", 70000),
        ("UINT8", "uint", 300),
        ("UINT16", "uint", 70000),
        ("INT32", "int", -1),
    ):
        name = t.serve(same, name=f"range_{kind.lower()}", kind=kind)
        entry = tensor("INPUT0", kind, [1, 1]) | {"contents": {f"{field}_contents": [value]}}
        t.rpc_infer(entry, model=name)


def outputs_of_calls(t):
    t.serve(pair)
    both = (row(1, 2, datatype="INT32"), row(3, 4, name="INPUT1", datatype="INT32"))
    for outputs in (
        [{"name": "OUTPUT1"}],
        [{"name": "OUTPUT1"}, {"name": "OUTPUT0"}],
        [{"name": "X"}],
        [{}],
        [{"name": "OUTPUT0", "parameters": parameters(a=1)}],
        [{"name": "OUTPUT0", "parameters": parameters(binary_data=False)}],
    ):
        t.rpc_infer(*both, outputs=outputs)


def classes_of_calls(t):
    t.serve(same)
    for count in (1, 2, 9, 0, -1, "1", True):
        outputs = [{"name": "OUTPUT0", "parameters": parameters(classification=count)}]
        t.rpc_infer(ONE, outputs=outputs)


def versions_of_calls(t):
    t.serve(add)
    for version in ("1", "01", "2", "-1", "0", "x", "99999999999999999999"):
        t.rpc_infer(ONE, model_version=version)


def versions_with_more_than_digits(t):
    t.serve(add)
    for version in (" 1", "1x"):
        t.rpc_infer(ONE, model_version=version)


def messages_that_are_none(t):
    path = "/inference.GRPCInferenceService/"
    for method, data in (
        ("ServerLive", b""),
        ("ModelInfer", b"\x0a\x05ab"),
        ("Nothing", b""),
        ("ServerLive", b"\x50\x01"),
    ):
        try:
            t.note(t.side.channel.unary_unary(path + method)(data, timeout=10).hex())
        except grpc.RpcError as error:
            t.note(error.code().name)


def messages_with_wrong_fields(t):
    for method, data in (("ServerLive", b"\xff"), ("ModelInfer", b"\x08\x01")):
        try:
            call = t.side.channel.unary_unary(f"/inference.GRPCInferenceService/{method}")
            t.note(call(data, timeout=10).hex())
        except grpc.RpcError as error:
            t.note(error.code().name)


def wrong_kinds_of_calls(t):
    path = "/inference.GRPCInferenceService/"
    message = message_of("ModelInferRequest", {"model_name": "nobody"}).SerializeToString()
    try:
        for reply in t.side.channel.unary_stream(f"{path}ServerLive")(b"", timeout=10):
            t.note(reply.hex())
    except grpc.RpcError as error:
        t.note(error.code().name)
    try:
        t.note(t.side.channel.stream_unary(f"{path}ModelInfer")(iter([message] * 2), timeout=10))
    except grpc.RpcError as error:
        t.note(error.code().name)


def http_on_the_port_of_grpc(t):
    import socket

    with socket.create_connection(("127.0.0.1", t.side.grpc), 5) as one:
        one.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        one.settimeout(2)
        try:
            t.note("answer", one.recv(1000)[:4].hex())
        except OSError as error:
            t.note(type(error).__name__)
