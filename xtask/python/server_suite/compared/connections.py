"""Connections, messages and lengths of HTTP, as bytes on a socket."""

import json
import struct

from .models import add
from .talk import HEADER, request, row, tensor

ONE = row(1, 2, 3, 4)
FLOATS = struct.pack("<4f", 1, 2, 3, 4)


def _post(path, body, *headers):
    """The bytes of a POST."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", *headers]
    body = body if isinstance(body, bytes) else body.encode()
    return "\r\n".join([*lines, "", ""]).encode() + body


def no_content_length(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    t.raw(_post(f"/v2/models/{name}/infer", body, "Connection: close"))


def no_content_length_and_no_body(t):
    t.raw(_post("/v2/systemsharedmemory/unregister", ""))


def content_length_wrong(t):
    name = t.serve(add)
    path, body = f"/v2/models/{name}/infer", json.dumps(request(ONE))
    for length in ("abc", "-1", "18446744073709551616"):
        t.raw(_post(path, body, f"Content-Length: {length}", "Connection: close"))


def content_length_too_small(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    t.raw(_post(f"/v2/models/{name}/infer", body[:20], "Content-Length: 20", "Connection: close"))


def content_length_zero(t):
    name = t.serve(add)
    t.raw(_post(f"/v2/models/{name}/infer", "", "Content-Length: 0", "Connection: close"))


def content_length_twice_equal(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    length = f"Content-Length: {len(body)}"
    t.raw(_post(f"/v2/models/{name}/infer", body, length, length, "Connection: close"))


def keep_alive(t):
    name = t.serve(add)
    get = f"GET /v2/models/{name}/ready HTTP/1.1\r\nHost: x\r\n\r\n"
    t.raw(get, get)
    t.raw(get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
    t.raw(get.replace("HTTP/1.1", "HTTP/1.0"))
    t.raw(
        get.replace("HTTP/1.1", "HTTP/1.0").replace(
            "\r\n\r\n", "\r\nConnection: keep-alive\r\n\r\n"
        )
    )


def pipelined(t):
    name = t.serve(add)
    body = json.dumps(request(ONE, id="first"))
    one = _post(f"/v2/models/{name}/infer", body, f"Content-Length: {len(body)}")
    get = b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    t.raw(one + one + get)


def pipelined_questions(t):
    get = b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    t.raw(get + get)


def errors_keep_the_connection(t):
    name = t.serve(add)
    get = b"GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n"
    bad = _post(f"/v2/models/{name}/infer", "{", "Content-Length: 1")
    t.raw(get + bad + get)


def body_in_pieces(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    whole = _post(f"/v2/models/{name}/infer", body, f"Content-Length: {len(body)}")
    t.raw(whole[:10], whole[10:70], whole[70:-5], whole[-5:])


def chunked_bodies(t):
    name = t.serve(add)
    body = json.dumps(request(ONE)).encode()
    path, chunked = f"/v2/models/{name}/infer", "Transfer-Encoding: chunked"
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:9], body[9:50], body[50:]))
    t.raw(_post(path, pieces + b"0\r\n\r\n", chunked))
    t.raw(_post(path, pieces + b"0\r\nX-Trailer: 1\r\n\r\n", chunked))


def chunks_with_extensions(t):
    name = t.serve(add)
    body = json.dumps(request(ONE)).encode()
    path, chunked = f"/v2/models/{name}/infer", "Transfer-Encoding: chunked"
    t.raw(_post(path, b"%x;name=value\r\n%s\r\n0\r\n\r\n" % (len(body), body), chunked))


def expect_continue(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    head = (f"Content-Length: {len(body)}", "Expect: 100-continue")
    t.raw(_post(f"/v2/models/{name}/infer", "", *head), body, pause=0.2)


def not_http(t):
    for text in ("hello\r\n\r\n", "GET\r\n\r\n"):
        t.raw(text)


def wrong_versions_of_http(t):
    t.raw("GET / HTTP/9.9\r\n\r\n")


def headers_without_colon(t):
    t.raw("GET /v2/health/live HTTP/1.1\r\nbad header\r\n\r\n")


def lines_without_returns(t):
    t.raw("GET /v2/health/live HTTP/1.1\nHost: x\n\n")


def without_host(t):
    t.raw("GET /v2/health/live HTTP/1.1\r\n\r\n")
    t.raw("GET http://x/v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n")


def headers_twice(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    size = (f"{HEADER}: {len(body)}", f"{HEADER.lower()}: {len(body)}")
    head = (f"Content-Length: {len(body)}", "Connection: close")
    t.raw(_post(f"/v2/models/{name}/infer", body, *size, *head))


def header_names_in_any_case(t):
    name = t.serve(add)
    head = json.dumps(request(tensor("INPUT0", "FP32", [1, 4], binary_data_size=16)))
    body = head.encode() + FLOATS
    lines = (f"content-LENGTH: {len(body)}", f"{HEADER.upper()}: {len(head)}", "connection: close")
    t.raw(_post(f"/v2/models/{name}/infer", body, *lines))


def words_of_headers_in_any_case(t):
    t.raw("GET /v2/health/live HTTP/1.1\r\nHost: x\r\nConnection: CLOSE\r\n\r\n")
