"""Recorded requests sent to a server, and its answers compared with the recorded ones.

conformance/server/README.md describes the recordings. As a program, this replays a file that
`trident serve --record` has written.
"""

import argparse
import base64
import gzip
import http.client
import json
import pathlib
import sys
import time
import zlib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "conformance/server"
HEADERS = (
    "content-type",
    "content-encoding",
    "accept-encoding",
    "transfer-encoding",
    "inference-header-content-length",
    "endpoint-load-metrics",
)
VOLATILE = ("ns", "last_inference")  # zeroed in statistics before they are compared
SHARED = pathlib.Path("/dev/shm")
TIMEOUT = 30


def load(name):
    with (FOLDER / name).open() as file:
        return [json.loads(line) for line in file]


def scrub(value):
    """A message whose volatile numbers are zero."""
    if isinstance(value, dict):
        return {
            key: type(inner)(0) if key in VOLATILE else scrub(inner) for key, inner in value.items()
        }
    return [scrub(inner) for inner in value] if isinstance(value, list) else value


def shared(key):
    return SHARED / key.removeprefix("/")


def write_shared(case):
    """Make the object of shared memory that a case needs."""
    if "shm_write" in case:
        shared(case["shm_write"]["key"]).write_bytes(base64.b64decode(case["shm_write"]["b64"]))


def read_shared(spec):
    start = spec.get("offset", 0)
    part = shared(spec["key"]).read_bytes()[start : start + spec["len"]]
    return base64.b64encode(part).decode()


def remove_shared():
    for name in ("golden_in", "golden_out", "golden_g"):
        shared(name).unlink(missing_ok=True)


def wait_until_settled(address, model):
    """Wait until no version of a model is being loaded or unloaded."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
        connection.request("POST", "/v2/repository/index", "")
        rows = json.loads(connection.getresponse().read())
        connection.close()
        states = {row.get("state") for row in rows if row["name"] == model}
        if not states & {"LOADING", "UNLOADING"}:
            return
        time.sleep(0.05)
    raise AssertionError(f"{model} is still being loaded or unloaded")


# ---- HTTP -------------------------------------------------------------------------------------


def http_call(address, case):
    """The answer to a case's request, in the form of the recordings."""
    write_shared(case)
    time.sleep(case.get("delay_ms", 0) / 1000)
    if "wait_index" in case:
        wait_until_settled(address, case["wait_index"])
    request = case["request"]
    body = request["body"].encode() if "body" in request else None
    if "body_b64" in request:
        body = base64.b64decode(request["body_b64"])
    chunked = request.get("chunked", False)
    if chunked:
        body = iter([body[start : start + 40] for start in range(0, len(body), 40)])
    connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
    headers = request.get("headers", {})
    connection.request(request["method"], request["path"], body, headers, encode_chunked=chunked)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    kept = {name.lower(): value for name, value in response.getheaders()}
    kept = {name: value for name, value in kept.items() if name in HEADERS}
    answer = {"status": response.status, "headers": kept, **body_of(content, kept, case)}
    if "shm_read" in case:
        answer["shm_b64"] = read_shared(case["shm_read"])
    return answer


def body_of(content, headers, case):
    """A body as text, or in base64 if it is not text."""
    if headers.get("content-encoding") == "gzip":
        content = gzip.decompress(content)
    elif headers.get("content-encoding") == "deflate":
        content = zlib.decompress(content)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if any(ord(letter) < 32 and letter not in "\r\n\t" for letter in text):
        return {"body_b64": base64.b64encode(content).decode()}
    if case.get("scrub"):
        text = json.dumps(scrub(json.loads(text)), separators=(",", ":"))
    return {"body": text}


def http_diff(want, got, match):
    """The differences between two answers, in words."""
    differences = []
    for key in ("status", "headers", "shm_b64", "body_b64"):
        if want.get(key) != got.get(key):
            differences.append(f"{key} {str(got.get(key))[:200]}, not {str(want.get(key))[:200]}")
    if "body" in want and not same_body(want["body"], got.get("body"), match):
        differences.append(f"body {str(got.get('body'))[:600]}, not {want['body'][:600]}")
    return differences


def same_body(want, got, match):
    if match == "status" or want == got:
        return True
    if got is None:
        return False
    if match == "unordered":  # the text lists names in the order of a hash table
        return sorted(want) == sorted(got)
    try:
        want, got = json.loads(want), json.loads(got)
    except ValueError:
        return False
    if match == "keys":
        return isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys()
    return same_numbers(want, got)


def same_numbers(want, got):
    """Whether two JSON values are equal; NaN equals NaN."""
    return json.dumps(want, sort_keys=True) == json.dumps(got, sort_keys=True)


# ---- gRPC -------------------------------------------------------------------------------------


class Grpc:
    """A client of the recorded calls."""

    def __init__(self, address):
        import grpc  # in the environment of the real server only
        from google.protobuf import json_format
        from tritonclient.grpc import service_pb2, service_pb2_grpc

        self.error, self.format, self.messages = grpc.RpcError, json_format, service_pb2
        self.channel = grpc.insecure_channel(address)
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel)

    def close(self):
        self.channel.close()

    def call(self, case):
        """The answer to a case's call, in the form of the recordings."""
        write_shared(case)
        options = {"metadata": [tuple(pair) for pair in case.get("metadata", [])]}
        options["timeout"], answer = TIMEOUT, {}
        try:
            self._call(case, options, answer)
            answer["code"] = "OK"
        except self.error as error:
            answer["code"], answer["details"] = error.code().name, error.details()
        return answer

    def _call(self, case, options, answer):
        rpc = case["rpc"]
        if rpc.startswith("/"):  # a method of another service, whose messages are bytes
            call = self.channel.unary_unary(rpc)
            reply = call(base64.b64decode(case["request_b64"]), **options)
            answer["response_b64"] = base64.b64encode(reply).decode()
        elif rpc == "ModelStreamInfer":
            parsed = self.messages.ModelInferRequest
            requests = [self.format.ParseDict(one, parsed()) for one in case["requests"]]
            answer["responses"] = []
            for reply in self.stub.ModelStreamInfer(iter(requests), **options):
                answer["responses"].append(self._values(reply))
        else:
            request = getattr(self.messages, f"{rpc}Request")()
            self.format.ParseDict(case["request"], request)
            answer["response"] = self._values(getattr(self.stub, rpc)(request, **options))

    def _values(self, message):
        values = self.format.MessageToDict(message, preserving_proto_field_name=True)
        return json.loads(json.dumps(scrub(values), sort_keys=True))


def grpc_diff(want, got, match):
    """The differences between two answers, in words."""
    if want == got or (match == "status" and want["code"] == got["code"]):
        return []
    ours, theirs = json.dumps(got), json.dumps(want)
    if match == "unordered" and sorted(ours) == sorted(theirs):
        return []
    return [f"{ours[:600]}, not {theirs[:600]}"]


# ---- metrics ----------------------------------------------------------------------------------


def metrics_text(address, model="simple"):
    """The page of metrics with all values 0, and of the lines of models only those of one."""
    connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    kept = [line for line in lines if 'model="' not in line or f'model="{model}"' in line]
    return [line if line.startswith("#") else f"{line.rsplit(' ', 1)[0]} 0" for line in kept]


# ---- a recording ------------------------------------------------------------------------------


def replay(file, places):
    """{case: differences} of a recording's cases, sent to the place of their protocol."""
    found = {}
    client = Grpc(places["gRPC"]) if places.get("gRPC") else None
    for line in file.read_text().splitlines():
        case = json.loads(line)
        want = case["response"]
        if "rpc" in case and client:
            found[case["case"]] = grpc_diff(want, client.call(case), case.get("match"))
        elif "rpc" not in case and places.get("HTTP"):
            got = http_call(places["HTTP"], case)
            found[case["case"]] = http_diff(want, got, case.get("match"))
    if client:
        client.close()
    return found


def main():
    parser = argparse.ArgumentParser(description="Replay a file of `trident serve --record`.")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--http", metavar="HOST:PORT", help="where to send requests over HTTP")
    parser.add_argument("--grpc", metavar="HOST:PORT", help="where to send calls of gRPC")
    options = parser.parse_args()
    found = replay(options.file, {"HTTP": options.http, "gRPC": options.grpc})
    for case, differences in found.items():
        if differences:
            print(f"{case}: {'; '.join(differences)}")
    failed = sum(map(bool, found.values()))
    print(f"{len(found) - failed} equal, {failed} different")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
