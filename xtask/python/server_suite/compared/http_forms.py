"""Paths, methods, headers, lengths, codings and connections of HTTP."""

import gzip
import json
import struct
import zlib

from .models import add, pair, same
from .talk import HEADER, request, row, tensor, wanted

ONE = row(1, 2, 3, 4)
FLOATS = struct.pack("<4f", 1, 2, 3, 4)


def wrong_methods(t):
    name = t.serve(add)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "POST"):
        t.call(method, f"/v2/models/{name}")
    for method in ("GET", "PUT", "DELETE"):
        t.call(method, f"/v2/models/{name}/infer")
    t.call("POST", "/v2/health/live")
    t.call("GET", f"/v2/repository/models/{name}/load")
    t.call("DELETE", "/v2/logging")


def wrong_paths(t):
    name = t.serve(add)
    for path in (
        "/",
        "/v1",
        "/v2/models",
        "/v2/models/",
        f"/v2/models/{name}/",
        f"/v2/models/{name}/infer/",
        f"/v2/models/{name}/predict",
        f"/v2/models/{name}/versions",
        f"/v2/models/{name}/versions/",
        f"/v2/models/{name}/versions/one",
        f"/v2/models/{name}/versions/-1",
        f"/v2//models/{name}",
        f"//v2/models/{name}",
        "/V2/health/live",
        "/v2/health/live/",
        "/v2/health/../health/live",
        "/v2/systemsharedmemory/region/status",
    ):
        t.get(path)


def versions_in_paths(t):
    name = t.serve(add)
    for version in ("1", "01", "2", "0", "99999999999999999999", "9223372036854775807"):
        t.get(f"/v2/models/{name}/versions/{version}")
        t.infer(ONE, version=version)


def queries_in_paths(t):
    name = t.serve(add)
    t.get(f"/v2/models/{name}?x=1")
    t.get(f"/v2/models/{name}/ready?")
    t.get(f"/v2/models/{name}/ready?a=b&c=%20")


def escapes_in_paths(t):
    name = t.serve(add)
    t.get(f"/v2/models/{name.replace('_', '%5F')}/ready")


def fragments_in_paths(t):
    name = t.serve(add)
    t.get(f"/v2/models/{name}/ready#part")


def content_types(t):
    name = t.serve(add)
    path, body = f"/v2/models/{name}/infer", json.dumps(request(ONE))
    for kind in ("text/plain", "application/octet-stream", "application/x-www-form-urlencoded",
                 "multipart/form-data; boundary=x", "nonsense", ""):  # fmt: skip
        t.post(path, body, Content_Type=kind)
    t.post(path, body, Accept="text/html")


def header_length_wrong(t):
    t.serve(add)
    entry = tensor("INPUT0", "FP32", [1, 4], binary_data_size=16)
    for size in (1, 5, 10000, 2147483647):
        t.binary(entry, data=FLOATS, size=size)


def header_length_and_no_bytes(t):
    t.serve(add)
    t.binary(ONE)
    t.binary(tensor("INPUT0", "FP32", [1, 4], binary_data_size=16))


def binary_and_json(t):
    t.serve(pair)
    first = tensor("INPUT0", "INT32", [1, 2], binary_data_size=8)
    second = row(5, 6, name="INPUT1", datatype="INT32")
    data = struct.pack("<2i", 1, 2)
    t.binary(first, second, data=data)
    t.binary(second, first, data=data)
    t.binary(first, second, data=data, outputs=[wanted("OUTPUT1", binary_data=True),
                                                wanted("OUTPUT0")])  # fmt: skip
    t.binary(first, second, data=data, parameters={"binary_data_output": True},
             outputs=[wanted("OUTPUT1", binary_data=False), wanted("OUTPUT0")])  # fmt: skip


def binary_sizes(t):
    t.serve(pair)
    second = row(5, 6, name="INPUT1", datatype="INT32")
    data = struct.pack("<2i", 1, 2)
    for size in (0, 4, 7, 12, -8, "8", 8.0, True, 1 << 62):
        t.binary(tensor("INPUT0", "INT32", [1, 2], binary_data_size=size), second, data=data)


def binary_and_data(t):
    t.serve(add)
    t.binary(ONE | {"parameters": {"binary_data_size": 16}}, data=FLOATS)
    t.infer(ONE | {"parameters": {"binary_data_size": 16}})


def binary_output_types(t):
    t.serve(add)
    for value in (1, "true", None, 0):
        t.infer(ONE, outputs=[wanted("OUTPUT0", binary_data=value)])
        t.infer(ONE, parameters={"binary_data_output": value})


def gzip_requests(t):
    name = t.serve(add)
    path, body = f"/v2/models/{name}/infer", json.dumps(request(ONE)).encode()
    t.post(path, gzip.compress(body), Content_Encoding="gzip")
    t.post(path, gzip.compress(body), Content_Encoding="GZIP")
    t.post(path, zlib.compress(body), Content_Encoding="deflate")


def gzip_in_two_members(t):
    name = t.serve(add)
    body = json.dumps(request(ONE)).encode()
    data = gzip.compress(body[:30]) + gzip.compress(body[30:])
    t.post(f"/v2/models/{name}/infer", data, Content_Encoding="gzip")


def codings_that_lie(t):
    name = t.serve(add)
    path, body = f"/v2/models/{name}/infer", json.dumps(request(ONE)).encode()
    t.post(path, body, Content_Encoding="gzip")
    t.post(path, gzip.compress(body)[:-9], Content_Encoding="gzip")
    t.post(path, gzip.compress(body), Content_Encoding="deflate")
    t.post(path, gzip.compress(body))


def codings_unknown(t):
    name = t.serve(add)
    path, body = f"/v2/models/{name}/infer", json.dumps(request(ONE)).encode()
    for coding in ("br", "gzip, deflate", "x-gzip", "identity"):
        t.post(path, body, Content_Encoding=coding)


def gzip_with_bytes(t):
    name = t.serve(add)
    head = json.dumps(request(tensor("INPUT0", "FP32", [1, 4], binary_data_size=16))).encode()
    t.post(f"/v2/models/{name}/infer", gzip.compress(head + FLOATS), Content_Encoding="gzip",
           **{HEADER: str(len(head))})  # fmt: skip


def accepted_codings(t):
    t.serve(same, extra="")
    long = row(*range(300))
    for accept in ("gzip", "deflate", "gzip;q=0", "deflate, gzip;q=0.5", "*", "identity",
                   "gzip;q=0.2, deflate;q=0.9", "br, gzip", "gzip;q=x"):  # fmt: skip
        t.infer(long, headers={"Accept-Encoding": accept})


def accepted_codings_of_errors(t):
    t.serve(add)
    for accept in ("gzip", "deflate"):
        t.infer(row(1, 2), headers={"Accept-Encoding": accept})
        t.get(f"/v2/models/{t.name}/config", Accept_Encoding=accept)


def accepted_codings_of_bytes(t):
    t.serve(same)
    for accept in ("gzip", "deflate"):
        t.infer(row(*[7] * 200), headers={"Accept-Encoding": accept},
                parameters={"binary_data_output": True})  # fmt: skip


def large_headers(t):
    name = t.serve(add)
    t.get(f"/v2/models/{name}/ready", X_Large="x" * 4000)


def larger_headers(t):
    name = t.serve(add)
    t.get(f"/v2/models/{name}/ready", X_Large="x" * 30000)


def large_bodies(t):
    t.serve(same)
    t.infer(row(*[0.5] * 50000, 1.5), outputs=[wanted("OUTPUT0", classification=1)])
    data = struct.pack("<f", 2.0) * 199999 + struct.pack("<f", 3.0)
    entry = tensor("INPUT0", "FP32", [1, 200000], binary_data_size=len(data))
    t.binary(entry, data=data, outputs=[wanted("OUTPUT0", classification=1)])
