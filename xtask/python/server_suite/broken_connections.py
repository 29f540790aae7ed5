"""Connections on which several things happen, some of them wrong.

Each kind is a function of a random generator and the server's places; it gives what is wrong with
the outcome, or None. A request before or beside a wrong one gets the right numbers, and nobody
smuggles a second request past a reader of the first.
"""

import http.client
import re
import socket
import struct
import time

from backend_suite import wrong

from . import broken_http, frames
from .broken_grpc import message
from .frames import END_HEADERS, END_STREAM, PREFACE, field, frame, headers, number, prefixed

KINDS = []
LIMIT = 20
HOST = b"Host: localhost\r\n"
ANSWER = re.compile(rb"HTTP/1\.[01] (\d+)")
SUM = b'"data":[1.0,2.0,3.0'
WANTED = struct.pack("<3f", 1, 2, 3)


def kind(function):
    KINDS.append(function)
    return function


def request(body=None, extra=b"", length=None, last=False):
    """A good request, the last one of its connection or not."""
    body = broken_http.valid() if body is None else body
    extra += b"Connection: close\r\n" if last else b""
    head = b"POST " + broken_http.INFER + b" HTTP/1.1\r\n" + HOST + extra
    length = len(body) if length is None else length
    return head + b"Content-Length: %d\r\n\r\n" % length + body


def place_of(place):
    host, _, port = place.rpartition(":")
    return host, int(port)


def all_answers(places, data):
    """What the server says until it ends the connection, which the last request asks for."""
    with socket.create_connection(place_of(places["HTTP"]), LIMIT) as connection:
        try:
            connection.sendall(data)
        except OSError:
            pass  # it has ended the connection already
        return rest(connection)


def rest(connection):
    found = b""
    try:
        while piece := connection.recv(1 << 16):
            found += piece
    except ConnectionError:
        pass
    return found


# ---- HTTP/1.1 ---------------------------------------------------------------------------------


@kind
def pipelined(rng, places):
    """Good requests at once, and then one that is not HTTP: all before it are answered."""
    count = rng.randrange(1, 6)
    bad = rng.choice((b"\0\0\0\r\n\r\n", b"POST\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"))
    said = all_answers(places, request() * count + bad)
    statuses = ANSWER.findall(said)
    wanted = [b"200"] * count + [b"400"]
    if statuses != wanted or said.count(SUM) != count:
        return f"{statuses} instead of {wanted}, {said.count(SUM)} right answers"
    return None


@kind
def smuggled(rng, places):
    """Two lengths of a body that disagree: what follows the shorter one is no request."""
    hidden = b"GET /v2/health/live HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    chunked = b"0\r\n\r\n" + hidden
    encoding = rng.choice(
        (
            b"Transfer-Encoding: chunked",
            b"Transfer-Encoding : chunked",
            b"Transfer-Encoding: xchunked",
            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            b"Transfer-Encoding:\tchunked\r\n ",
            b"Transfer-Encoding: identity, chunked",
            b"Transfer-Encoding\0: chunked",
            b"X: a\nTransfer-Encoding: chunked",
            b"Content-Length: 0",
            b"Content-Length: 4, 4",
        )
    )
    said = all_answers(places, request(chunked, encoding + b"\r\n"))
    statuses = ANSWER.findall(said)
    return None if len(statuses) <= 1 else f"{encoding!r}: answers {statuses}"


@kind
def kept_after_an_error(rng, places):
    """A wrong request whose length is right leaves its connection usable."""
    bad = rng.choice((b"{", b"[" * 500, b'{"inputs":3}', b"", b"\xff\xfe", b'{"inputs":[{}]}'))
    said = all_answers(places, request(bad) + request(last=True))
    statuses = ANSWER.findall(said)
    if len(statuses) != 2 or statuses[0] not in (b"400", b"500") or statuses[1] != b"200":
        return f"statuses {statuses}"
    return None if said.count(SUM) == 1 else "other numbers after an error"


@kind
def single(_, places):
    """A good request on a connection of its own."""
    said = all_answers(places, request(last=True))
    return None if said.count(SUM) == 1 else f"{said[:200]!r}"


@kind
def dribbled(rng, places):
    """A request that comes in single bytes for a while is answered like others."""
    data = request()
    cut = sorted(rng.sample(range(len(data)), 6))
    with socket.create_connection(place_of(places["HTTP"]), LIMIT) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start, end in zip([0, *cut], [*cut, len(data)], strict=True):
            connection.sendall(data[start:end])
            time.sleep(0.001)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        body = answer.read()
    return None if answer.status == 200 and SUM in body else f"{answer.status}: {body[:200]!r}"


@kind
def left_before_the_answer(rng, places):
    """Clients that close, or reset, connections on which they have asked."""
    for _ in range(5):
        connection = socket.create_connection(place_of(places["HTTP"]), LIMIT)
        if rng.random() < 0.5:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        connection.sendall(request() * rng.randrange(1, 4))
        connection.close()
    return single(rng, places)


@kind
def continued(_, places):
    """A client that waits for leave to send its body gets it, and then its answer."""
    data = request(extra=b"Expect: 100-continue\r\n", last=True)
    head, body = data.split(b"\r\n\r\n", 1)
    with socket.create_connection(place_of(places["HTTP"]), LIMIT) as connection:
        connection.sendall(head + b"\r\n\r\n")
        said = connection.recv(1 << 16)
        if b"100" not in said.split(b"\r\n")[0]:
            return f"no leave: {said[:200]!r}"
        connection.sendall(body)
        said += rest(connection)
    return None if said.count(SUM) == 1 else f"{said[:300]!r}"


@kind
def many_members_of_one_name(rng, places):
    """Headers and members by the thousand, within the limits, cost no more than a moment."""
    members = ",".join(f'"p{rng.randrange(9)}":{k}' for k in range(5000))
    body = broken_http.valid()[:-1] + b',"parameters":{' + members.encode() + b"}}"
    start = time.monotonic()
    said = all_answers(places, request(body, last=True))
    seconds = time.monotonic() - start
    if seconds > LIMIT / 4:
        return f"{seconds:.1f} s"
    return None if ANSWER.findall(said) in ([b"200"], [b"400"]) else f"{said[:200]!r}"


# ---- HTTP/2 -----------------------------------------------------------------------------------


def flood(places, data):
    """Send bytes as HTTP/2; what is wrong with other connections meanwhile."""
    with frames.Connection(places["gRPC"], LIMIT, begin=b"") as connection:
        connection.socket.settimeout(LIMIT)
        try:
            connection.send(PREFACE + frame("SETTINGS") + data)
        except OSError:
            pass  # the server has had enough
        found = single(None, places) or asked(places)
        try:
            connection.socket.shutdown(socket.SHUT_WR)
            rest(connection.socket)
        except OSError:
            pass
    return found


def asked(places):
    """What is wrong with the answer of a new connection of gRPC."""
    with frames.Connection(places["gRPC"], LIMIT) as connection:
        stream = connection.call("ModelInfer", message())
        payload = b""
        while True:
            kind, flags, own, content = connection.receive()
            payload += content if kind == "DATA" and own == stream else b""
            if own == stream and flags & END_STREAM and kind in ("HEADERS", "DATA"):
                return None if WANTED in payload else f"gRPC answers {payload[:100]!r}"


@kind
def rapid_resets(rng, places):
    block = headers(places["gRPC"], "ModelInfer")
    pieces = []
    for k in range(rng.choice((100, 1000))):
        stream = 2 * k + 1
        pieces.append(frame("HEADERS", END_HEADERS, stream, block))
        pieces.append(frame("DATA", END_STREAM, stream, prefixed(message())))
        pieces.append(frame("RST_STREAM", 0, stream, struct.pack(">I", 8)))
    return flood(places, b"".join(pieces))


@kind
def settings_flood(_, places):
    return flood(places, frame("SETTINGS", 0, 0, struct.pack(">HI", 4, 1000)) * 3000)


@kind
def ping_flood(_, places):
    return flood(places, frame("PING", 0, 0, bytes(8)) * 3000)


@kind
def empty_frames(rng, places):
    """Frames without content, on a stream that does not end."""
    block = headers(places["gRPC"], "ModelInfer")
    start = frame("HEADERS", END_HEADERS, 1, block)
    kind_of = rng.choice(("DATA", "PRIORITY", "WINDOW_UPDATE"))
    payload = {"DATA": b"", "PRIORITY": bytes(5), "WINDOW_UPDATE": struct.pack(">I", 1)}[kind_of]
    return flood(places, start + frame(kind_of, 0, 1, payload) * 5000)


@kind
def large_table(rng, places):
    """A header that the table remembers, referred to by single bytes."""
    value = b"a" * 3900
    entry = b"\x40" + number(1, 7, 0) + b"x" + number(len(value), 7, 0) + value
    block = headers(places["gRPC"], "ModelInfer") + entry + b"\xbe" * rng.choice((100, 8000))
    return flood(places, frame("HEADERS", END_HEADERS | END_STREAM, 1, block[:16_000]))


@kind
def streams_that_wait(rng, places):
    """Streams that have begun a message, beyond the number that a connection may have."""
    block = headers(places["gRPC"], rng.choice(("ModelInfer", "ModelStreamInfer")))
    begun = prefixed(message())[: rng.randrange(1, 60)]
    pieces = [
        frame("HEADERS", END_HEADERS, 2 * k + 1, block) + frame("DATA", 0, 2 * k + 1, begun)
        for k in range(300)
    ]
    return flood(places, b"".join(pieces))


@kind
def no_window(_, places):
    """A client that asks, and lets the server send nothing."""
    begin = frame("SETTINGS", 0, 0, struct.pack(">HI", 4, 0))
    block = headers(places["gRPC"], "ModelInfer")
    calls = [
        frame("HEADERS", END_HEADERS, 2 * k + 1, block)
        + frame("DATA", END_STREAM, 2 * k + 1, prefixed(message()))
        for k in range(50)
    ]
    return flood(places, begin + b"".join(calls))


@kind
def stream_of_wrong_messages(rng, places):
    """In a stream, a wrong request is answered by an error, and those after it are answered."""
    block = headers(places["gRPC"], "ModelStreamInfer", {"x-y": "z"})
    bad = rng.choice(wrong.GRPC_KINDS[:-1])(rng)
    bad = bad if isinstance(bad, bytes) else bad.SerializeToString()
    data = prefixed(bad) + prefixed(message())
    with frames.Connection(places["gRPC"], LIMIT) as connection:
        connection.send(
            frame("HEADERS", END_HEADERS, 1, block) + frame("DATA", END_STREAM, 1, data)
        )
        payload = b""
        while True:
            kind_of, flags, stream, content = connection.receive()
            payload += content if kind_of == "DATA" and stream == 1 else b""
            if stream == 1 and (kind_of == "RST_STREAM" or flags & END_STREAM):
                break
    return None if payload.count(WANTED) == 1 else f"{len(payload)} bytes without the right answer"


@kind
def odd_metadata(rng, places):
    """Metadata that is allowed, however odd, does not matter."""
    extra = b"".join(
        field(rng.choice(("x-bin", "grpc-x", "traceparent", "x" * 200, "te-", "a.b_c")), value)
        for value in (rng.randbytes(30).hex(), "", "00-0-0-0", "é".encode(), "~" * 300)
    )
    block = headers(places["gRPC"], "ModelInfer") + extra
    call = frame("HEADERS", END_HEADERS, 1, block)
    call += frame("DATA", END_STREAM, 1, prefixed(message()))
    with frames.Connection(places["gRPC"], LIMIT) as connection:
        connection.send(call)
        payload = b""
        while True:
            kind_of, flags, stream, content = connection.receive()
            payload += content if kind_of == "DATA" and stream == 1 else b""
            if kind_of in ("GOAWAY", "RST_STREAM") or (stream == 1 and flags & END_STREAM):
                break
    return None if WANTED in payload else f"{kind_of}, {payload[:100]!r}"
