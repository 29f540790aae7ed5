"""Kinds of broken HTTP requests: functions of a random generator that give the bytes to send."""

import gzip
import json
import zlib

from backend_suite import wrong

KINDS = []
HOST = b"Host: localhost\r\nConnection: close\r\n"
INFER = b"/v2/models/add/infer"
LIMIT = 1 << 20  # of bodies, which the server is told


def kind(*statuses):
    """Add a kind, and the statuses that answers to it may have; None if the connection may end."""

    def add(function):
        function.statuses = statuses
        KINDS.append(function)
        return function

    return add


class Broken:
    """Bytes of a request. `ends` says that the client then closes its side."""

    def __init__(self, data, ends=False, body=None, right=False):
        """`body` is JSON that may be right, in which case the answer must be, too.

        `right` says that the request may be right, whatever its answer is then.
        """
        self.data, self.ends, self.body, self.right = data, ends, body, right


def post(body, path=INFER, extra=b"", length=None):
    length = len(body) if length is None else length
    head = b"POST " + path + b" HTTP/1.1\r\n" + HOST + extra
    return head + b"Content-Length: %s\r\n\r\n" % str(length).encode() + body


def valid():
    return wrong.text(wrong.valid())


# ---- JSON -------------------------------------------------------------------------------------


@kind(200, 400, 500)
def bytes_changed(rng):
    """Some bytes of a right body are others. It may still be right."""
    body = bytearray(valid())
    for _ in range(rng.randrange(1, 4)):
        body[rng.randrange(len(body))] = rng.choice(b'"[]{},:0123456789eE.-+ ntfau\\\x00\x7f\xff')
    return Broken(post(bytes(body)), body=bytes(body))


@kind(200, 400, 500)
def pieces_moved(rng):
    """A piece of a right body is left out, doubled or moved. It may still be right."""
    body = valid()
    start, end = sorted(rng.sample(range(len(body)), 2))
    piece, rest = body[start:end], body[:start] + body[end:]
    place = rng.randrange(len(rest) + 1)
    body = rng.choice((rest, body[:end] + piece + body[end:], rest[:place] + piece + rest[place:]))
    return Broken(post(body), body=body)


@kind(500)
def deep(rng):
    depth = rng.choice((101, 1000, 100_000))
    body = valid().replace(b"[0.0", b"[" * depth + b"0.0", 1)
    body += rng.choice((b"", b"]" * depth))
    return Broken(post(body))


@kind(200, 400, 500)
def long_number(rng):
    number = rng.choice(
        (b"1" * 400, b"1e999999", b"-1e400", b"0" * 5000 + b"1", b"1" + b"0" * 90000)
    )
    body = valid().replace(b"0.0", number, 1)
    return Broken(post(body), body=body)


@kind(500)
def many_members(rng):
    names = ",".join(f'"{rng.random()}":{k}' for k in range(rng.choice((10, 3000))))
    body = b"{" + names.encode() + b"}"
    return Broken(post(body))


@kind(400)
def shape_overflows(rng):
    message = wrong.valid()
    message["inputs"][0]["shape"] = rng.choice(wrong.HUGE)
    return Broken(post(wrong.text(message)))


@kind(500)
def other_documents(rng):
    """Bodies of other endpoints that are none of theirs."""
    path = rng.choice(
        (
            b"/v2/repository/models/add/load",
            b"/v2/systemsharedmemory/region/r/register",
            b"/v2/trace/setting",
            b"/v2/logging",
            b"/v2/models/add/generate",
            b"/v2/models/repeat_int32/generate_stream",
        )
    )
    body = rng.choice((b"[", b"{", b'{"a":', b"\xff\xfe", b"nul", b'"', b"{]", b"[" * 5000))
    return Broken(post(body, path))


@kind(400, 500)
def wrong_load(rng):
    parameters = rng.choice(
        (
            {"config": "{"},
            {"config": 3},
            {"config": '{"max_batch_size": "x"}'},
            {"config": '{"no_such_field": 1}'},
            {"config": "[" * 100_000},
            {"config": '{"a":' * 100_000},
            {"config": '{"input":[' * 100_000},
            {"file:1/model.onnx": "AAAA"},
            {"config": "{}", "file:1/model.onnx": "no base64!"},
            {"config": "{}", "file:../../x": "AAAA"},
            {"config": "{}", "file:" + "a" * 300: "AAAA"},
            {"unknown": True},
        )
    )
    body = json.dumps({"parameters": parameters}).encode()
    return Broken(post(body, b"/v2/repository/models/add/load"))


@kind(400, 500)
def wrong_region(rng):
    body = rng.choice(
        (
            {},
            {"key": "/none", "byte_size": 1},
            {"key": "", "byte_size": 1},
            {"key": 3, "byte_size": 1},
            {"key": "/trident_malformed", "byte_size": 1 << 60},
            {"key": "/trident_malformed", "offset": 1 << 62, "byte_size": 1 << 62},
            {"key": "/trident_malformed", "offset": -1, "byte_size": 4},
            {"key": "/../etc/passwd", "byte_size": 4},
            {"key": "/a\0b", "byte_size": 4},
            {"key": "/" + "k" * 5000, "byte_size": 4},
        )
    )
    path = b"/v2/systemsharedmemory/region/r%d/register" % rng.randrange(1000)
    return Broken(post(wrong.text(body), path))


@kind(400, 404, 500)
def region_misused(rng):
    """Tensors beyond a region, or in one that has shrunk or is unknown."""
    message = wrong.valid()
    del message["inputs"][0]["data"]
    message["inputs"][0]["parameters"] = {
        "shared_memory_region": rng.choice(("malformed", "shrunk", "none", "")),
        "shared_memory_offset": rng.choice((4096 - 32, 4096, 1 << 62, (1 << 64) - 1, -1, "x")),
        "shared_memory_byte_size": rng.choice((64, 1 << 63, (1 << 64) - 1)),
    }
    return Broken(post(wrong.text(message)))


@kind(400)
def shrunk_region(rng):
    """A tensor within a region's size, whose file has shrunk since."""
    message = wrong.valid()
    del message["inputs"][0]["data"]
    message["inputs"][0]["parameters"] = {
        "shared_memory_region": "shrunk",
        "shared_memory_offset": rng.choice((0, 64, 1024)),
        "shared_memory_byte_size": 64,
    }
    return Broken(post(wrong.text(message)))


# ---- sizes and encodings ----------------------------------------------------------------------


@kind(400)
def length_too_long(rng):
    body = valid()
    length = len(body) + rng.choice((1, 7, 1000, LIMIT // 2))
    return Broken(post(body, length=length), ends=True)


@kind(400, 500)
def length_too_short(rng):
    body = valid()
    return Broken(post(body, length=rng.randrange(len(body))))


@kind(400)
def length_no_number(rng):
    length = rng.choice(("-1", "1e3", "0x10", "99999999999999999999999", "x", "1 2", "+5", ""))
    return Broken(post(valid(), length=length))


@kind(400)
def length_beyond_limit(rng):
    length = rng.choice((LIMIT + 1, 1 << 32, (1 << 63) - 1))
    return Broken(post(valid(), length=length), ends=True)


@kind(400)
def two_lengths(rng):
    body = valid()
    return Broken(post(body, extra=b"Content-Length: %d\r\n" % rng.choice((0, 5, 10_000))))


@kind(500)
def length_and_chunks(rng):
    return Broken(post(b"5\r\nabcde\r\n0\r\n\r\n", extra=b"Transfer-Encoding: chunked\r\n"))


@kind(400)
def wrong_chunks(rng):
    body = valid()
    size = b"%x" % len(body)
    chunks = rng.choice(
        (
            b"x\r\n" + body,
            b"-5\r\n" + body,
            b"ffffffffffffffffff\r\n" + body,
            size + body,
            size + b"\r\n" + body + b"0\r\n\r\n",
            size + b";" + b"a" * 100_000 + b"\r\n" + body + b"\r\n0\r\n\r\n",
            b"%x\r\n" % (len(body) + 9) + body + b"\r\n0\r\n\r\n",
            size + b"\r\n" + body + b"\r\n",
        )
    )
    head = b"POST " + INFER + b" HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
    return Broken(head + chunks, ends=True)


@kind(501)
def unknown_encoding(rng):
    name = rng.choice((b"br", b"zstd", b"x", b"gzip, gzip", b"\xff"))
    return Broken(post(valid(), extra=b"Content-Encoding: " + name + b"\r\n"))


@kind(400)
def damaged_gzip(rng):
    data = bytearray(gzip.compress(valid()))
    data[rng.randrange(10, len(data))] ^= 1 << rng.randrange(8)
    data = bytes(data[: rng.randrange(1, len(data))])
    return Broken(post(data, extra=b"Content-Encoding: gzip\r\n"))


@kind(400)
def not_deflated(rng):
    return Broken(post(rng.randbytes(50), extra=b"Content-Encoding: deflate\r\n"))


BOMBS = {
    "gzip": gzip.compress(bytes(30 << 20)),
    "deflate": zlib.compress(b"[" * (30 << 20)),
}


@kind(400)
def bomb(rng):
    name = rng.choice(tuple(BOMBS))
    extra = b"Content-Encoding: " + name.encode() + b"\r\n"
    return Broken(post(BOMBS[name], extra=extra))


@kind(400, 500)
def header_length(rng):
    text = rng.choice((b"x", b"-1", b"1e3", b"99999999999", b"0x5", b"", b"7", b"100000"))
    return Broken(post(valid(), extra=b"Inference-Header-Content-Length: " + text + b"\r\n"))


# ---- heads ------------------------------------------------------------------------------------


@kind(431)
def huge_headers(rng):
    """Heads beyond the limit, which counts as far as the head has come."""
    extra = rng.choice(
        (
            b"X: " + b"a" * 500_000 + b"\r\n",
            b"".join(b"X-%d: %d\r\n" % (k, k) for k in range(5000)),
            b"A" * 500_000 + b": 1\r\n",
        )
    )
    return Broken(post(valid(), extra=extra), body=valid())


@kind(404, 405, 414)
def long_path(rng):
    path = b"/v2/models/" + rng.choice((b"a", b"%41", b"/", b"..")) * rng.choice((1000, 30_000))
    return Broken(post(valid(), path))


@kind(400, 404, 405)
def wrong_path(rng):
    parts = (
        b"v2", b"models", b"add", b"infer", b"..", b"%2e%2e", b"%2f", b"", b"versions", b"1", b"-1",
        b"99999999999999999999999", b"%", b"%zz", b"%00", b"ready", b"stats", b"\xff", b"?", b"#",
    )  # fmt: skip
    path = b"/" + b"/".join(rng.choices(parts, k=rng.randrange(1, 6)))
    if path.startswith(INFER):
        path = b"/x" + path
    return Broken(post(valid(), path))


@kind(405, None)
def wrong_method(rng):
    method = rng.choice((b"GET", b"PUT", b"DELETE", b"HEAD", b"PATCH", b"TRACE", b"FOO", b"post"))
    return Broken(post(valid()).replace(b"POST", method, 1))


@kind(400)
def wrong_line(rng):
    line = rng.choice(
        (
            b"POST " + INFER + b" HTTP/9.9",
            b"POST " + INFER + b" HTTP/2.0",
            b"POST " + INFER,
            b"POST  HTTP/1.1",
            b" POST / HTTP/1.1",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a client of TLS
            b"PRI * HTTP/2.0\r\n\r\nSM",
            b"\x00" * 100,
            rng.randbytes(80),
        )
    )
    return Broken(line + b"\r\n" + HOST + b"Content-Length: 0\r\n\r\n", ends=True)


@kind(400)
def wrong_header(rng):
    header = rng.choice(
        (
            b"X\x00: 1\r\n",
            b"X: \x00\r\n",
            b": 1\r\n",
            b"no colon\r\n",
            b"X : 1\r\n",
            b" folded: 1\r\n",
            b"X: 1\n\x01\r\n",
            b"Transfer-Encoding: gzip\r\n",
        )
    )
    return Broken(post(valid(), extra=header), ends=True)


@kind(400, None)
def cut_anywhere(rng):
    data = post(valid())
    return Broken(data[: rng.randrange(1, len(data) - 1)], ends=True)
