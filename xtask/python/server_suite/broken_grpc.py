"""Kinds of broken gRPC calls: functions of a random generator that give the bytes to send.

Each function gets the place of the server, too, and gives what follows HTTP/2's preface, or all of
the connection's bytes.
"""

import gzip
import struct

from backend_suite import wrong

from .frames import END_HEADERS, END_STREAM, PREFACE, field, frame, headers, number, prefixed

KINDS = []
BOMB = gzip.compress(bytes(30 << 20))
START = PREFACE + frame("SETTINGS")


def kind(function):
    KINDS.append(function)
    return function


def message():
    return wrong.good_message().SerializeToString()


def call(place, body, method="ModelInfer", extra=(), flags=END_STREAM, stream=1):
    """A call whose body is these bytes in one DATA frame."""
    block = headers(place, method, extra)
    data = b"".join(
        frame("DATA", flags if at + 16_000 >= len(body) else 0, stream, body[at : at + 16_000])
        for at in range(0, max(len(body), 1), 16_000)
    )
    return START + frame("HEADERS", END_HEADERS, stream, block) + data


# ---- messages ---------------------------------------------------------------------------------


@kind
def cut_protobuf(rng, place):
    data = message()
    return call(place, prefixed(data[: rng.randrange(1, len(data) - 70)]))


@kind
def random_protobuf(rng, place):
    return call(place, prefixed(rng.randbytes(rng.randrange(1, 300))))


@kind
def nested_groups(rng, place):
    """Groups of an unknown field, in each other."""
    return call(place, prefixed(b"\xfb\x3f" * rng.choice((200, 100_000))))


@kind
def lengths_in_protobuf_that_lie(rng, place):
    size = rng.choice((1 << 31, (1 << 63) - 1, (1 << 64) - 1, 1 << 20))
    varint = b""
    while size >= 128:
        varint, size = varint + bytes([size % 128 + 128]), size // 128
    field_key = bytes([rng.choice((1, 5, 7)) << 3 | 2])
    return call(place, prefixed(field_key + varint + bytes([size]) + b"abc"))


@kind
def length_too_long(rng, place):
    data = message()
    length = len(data) + rng.choice((1, 100, 1 << 31, (1 << 32) - 1 - len(data)))
    return call(place, prefixed(data, length=length))


@kind
def length_too_short(rng, place):
    data = message()
    return call(place, prefixed(data, length=rng.randrange(len(data))))


@kind
def no_message(rng, place):
    return call(place, rng.choice((b"", b"\0", b"\0\0\0\0")))


@kind
def two_messages(rng, place):
    return call(place, prefixed(message()) * 2)


@kind
def wrong_flag(rng, place):
    return call(place, prefixed(message(), flag=rng.randrange(2, 256)))


@kind
def compressed_without_a_name(rng, place):
    return call(place, prefixed(message(), flag=1))


@kind
def damaged_gzip(rng, place):
    data = bytearray(gzip.compress(message()))
    data = data[: rng.randrange(1, len(data) - 9)] + rng.randbytes(3)
    return call(place, prefixed(bytes(data), flag=1), extra={"grpc-encoding": "gzip"})


@kind
def bomb(rng, place):
    return call(place, prefixed(BOMB, flag=1), extra={"grpc-encoding": "gzip"})


# ---- headers ----------------------------------------------------------------------------------


@kind
def unknown_method(rng, place):
    method = rng.choice(("Nothing", "modelinfer", "ModelInfer/", "", "../ServerLive", "a" * 10_000))
    return call(place, prefixed(message()), method)


@kind
def unknown_service(rng, place):
    path = rng.choice(("/", "", "*", "/x", "/x.Y/Z", "//", "/inference.GRPCInferenceService"))
    return call(place, prefixed(message()), extra={":path": path})


@kind
def wrong_type(rng, place):
    name = rng.choice(("", "text/plain", "application/json", "application/grp"))
    return call(place, prefixed(message()), extra={"content-type": name})


@kind
def wrong_verb(rng, place):
    return call(place, prefixed(message()), extra={":method": rng.choice(("GET", "PUT", ""))})


@kind
def wrong_timeout(rng, place):
    text = rng.choice(("x", "", "5", "-1S", "123456789S", "1.5S", "1s", "\xff"))
    return call(place, prefixed(message()), extra={"grpc-timeout": text})


@kind
def wrong_encoding(rng, place):
    name = rng.choice(("br", "zstd", "", "x" * 5000))
    return call(place, prefixed(message(), flag=1), extra={"grpc-encoding": name})


@kind
def huge_headers(rng, place):
    extra = {f"x-{k}": "a" * 200 for k in range(rng.choice((80, 2000)))}
    return call(place, prefixed(message()), extra=extra)


@kind
def wrong_fields(rng, place):
    """Fields of headers that HTTP/2 forbids."""
    bad = rng.choice(
        (
            field("Upper-Case", "1"),
            field("connection", "close"),
            field("transfer-encoding", "chunked"),
            field(":path", "/twice"),
            field(":unknown", "1"),
            field("x\0", "1"),
            field("x", b"\r\n\0"),
        )
    )
    block = headers(place, "ModelInfer") + bad
    data = frame("DATA", END_STREAM, 1, prefixed(message()))
    return START + frame("HEADERS", END_HEADERS, 1, block) + data


@kind
def random_fields(rng, place):
    block = rng.randbytes(rng.randrange(1, 200))
    return START + frame("HEADERS", END_HEADERS | END_STREAM, 1, block)


@kind
def table_too_large(rng, place):
    block = number(rng.choice((1 << 20, (1 << 31) - 1)), 5, 0x20) + headers(place, "ModelInfer")
    return START + frame("HEADERS", END_HEADERS | END_STREAM, 1, block)


# ---- frames -----------------------------------------------------------------------------------


@kind
def random_frames(rng, place):
    pieces = []
    for _ in range(rng.randrange(1, 8)):
        payload = rng.randbytes(rng.randrange(0, 40))
        head = struct.pack(">I", rng.choice((len(payload), rng.randrange(1 << 24))))[1:]
        head += struct.pack(">BBI", rng.randrange(12), rng.randrange(256), rng.randrange(1 << 32))
        pieces.append(head + payload)
    return START + b"".join(pieces)


@kind
def bits_changed(rng, place):
    whole = bytearray(call(place, prefixed(message())))
    # Not in the tensor: its numbers have no wrong values.
    at = rng.randrange(len(PREFACE), len(whole) - 66)
    whole[at] ^= 1 << rng.randrange(8)
    return bytes(whole)


@kind
def wrong_start(rng, place):
    return rng.choice(
        (
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            rng.randbytes(60),
            PREFACE[:10],
            PREFACE + rng.randbytes(40),
        )
    )


@kind
def data_without_headers(rng, place):
    return START + frame("DATA", END_STREAM, rng.choice((0, 1, 2, 7)), prefixed(message()))


@kind
def wrong_stream(rng, place):
    return call(place, prefixed(message()), stream=rng.choice((0, 2, (1 << 31) - 2)))


@kind
def frame_too_long(rng, place):
    block = headers(place, "ModelInfer")
    data = frame("DATA", END_STREAM, 1, bytes(rng.choice((16_385, 100_000))))
    return START + frame("HEADERS", END_HEADERS, 1, block) + data


@kind
def wrong_settings(rng, place):
    bad = rng.choice(
        (
            frame("SETTINGS", 0, 0, b"12345"),
            frame("SETTINGS", 0, 3),
            frame("SETTINGS", 1, 0, bytes(6)),
            frame("SETTINGS", 0, 0, struct.pack(">HI", 4, 1 << 31)),
            frame("SETTINGS", 0, 0, struct.pack(">HI", 5, 1)),
            frame("WINDOW_UPDATE", 0, 0, bytes(4)),
            frame("WINDOW_UPDATE", 0, 0, struct.pack(">I", (1 << 31) - 1)) * 2,
            frame("PING", 0, 0, b"1"),
            frame("PING", 0, 5, bytes(8)),
            frame("GOAWAY", 0, 0, b""),
            frame("RST_STREAM", 0, 1, bytes(4)),
            frame("PUSH_PROMISE", 0, 1, bytes(4)),
            frame("PRIORITY", 0, 1, struct.pack(">IB", 1, 0)),
        )
    )
    return START + bad


@kind
def endless_headers(rng, place):
    block = headers(place, "ModelInfer")
    pieces = [frame("HEADERS", 0, 1, block)]
    pieces += [frame("CONTINUATION", 0, 1, field("x", "a" * 1000))] * rng.choice((10, 300))
    return START + b"".join(pieces)


@kind
def many_resets(rng, place):
    block = headers(place, "ModelInfer")
    pieces = []
    for k in range(rng.choice((10, 300))):
        stream = 2 * k + 1
        pieces.append(frame("HEADERS", END_HEADERS, stream, block))
        pieces.append(frame("RST_STREAM", 0, stream, struct.pack(">I", 8)))
    return START + b"".join(pieces)


@kind
def cut_anywhere(rng, place):
    whole = call(place, prefixed(message()))
    return whole[: rng.randrange(1, len(whole) - 1)]
