"""One side of a sequence: requests to one server, and its answers as lines of text.

A sequence is a function of a `Talk`. It runs once on each server, and the lines must be equal.
Times are zeroed and folders named alike, because they must differ.
"""

import base64
import gzip
import http.client
import json
import re
import socket
import threading
import time
import zlib

import grpc
from google.protobuf import json_format
from tritonclient.grpc import service_pb2

from .. import replay

LIMIT = 20  # seconds that an answer may take
SILENCE = 0.3  # seconds after which a connection has said all
TOO_LARGE = "received metadata size exceeds"  # limits of their own, with more or less detail
HEADER = "Inference-Header-Content-Length"
NAMES = re.compile(r"'\w+'(,'\w+')+")  # which the other server lists in the order of a hash table
# The field of InferTensorContents for each type that has one.
CONTENTS = {
    "BOOL": "bool",
    "INT8": "int",
    "INT16": "int",
    "INT32": "int",
    "INT64": "int64",
    "UINT8": "uint",
    "UINT16": "uint",
    "UINT32": "uint",
    "UINT64": "uint64",
    "FP32": "fp32",
    "FP64": "fp64",
    "BYTES": "bytes",
}


def tensor(name, datatype, shape, data=None, **parameters):
    """An input of a request, as JSON has it."""
    made = {"name": name, "datatype": datatype, "shape": list(shape)}
    if parameters:
        made["parameters"] = parameters
    return made if data is None else made | {"data": data}


def row(*values, name="INPUT0", datatype="FP32"):
    """One row of numbers or texts."""
    return tensor(name, datatype, [1, len(values)], list(values))


def wanted(name, **parameters):
    """An output that a request asks for."""
    return {"name": name, "parameters": parameters} if parameters else {"name": name}


def request(*inputs, **fields):
    """The JSON of a request."""
    return {"inputs": list(inputs)} | fields


class Talk:
    """The answers of one server in one sequence."""

    def __init__(self, side, name):
        self.side, self.name, self.lines, self.threads = side, name, [], []

    def note(self, *words):
        """Add a line."""
        text = " ".join(word if isinstance(word, str) else compact(word) for word in words)
        text = text.replace(str(self.side.models.folder), "REPOSITORY")
        self.lines.append(text.replace(self.side.prefix, "/KEY"))

    # ---- models ------------------------------------------------------------------------------

    def serve(self, make, name=None, **options):
        """Make a model, by default with the sequence's name, and load it; its name."""
        name = name or self.name
        make(self.side.models, name, **options)
        self.load(name)
        return name

    def load(self, name=None, **parameters):
        """Load a model; the answer is noted only if it is an error."""
        answer = self.exchange(
            "POST", self.of_repository(name, "load"), self.parameters(parameters)
        )
        if answer["status"] != 200:
            self.note("load", answer)
        self.settle(name)

    def unload(self, name=None, **parameters):
        """Unload a model, and wait until it is."""
        path = self.of_repository(name, "unload")
        answer = self.exchange("POST", path, self.parameters(parameters))
        if answer["status"] != 200:
            self.note("unload", answer)
        self.settle(name)

    def settle(self, name=None):
        """Wait until no version of a model is being loaded or unloaded."""
        replay.wait_until_settled(f"127.0.0.1:{self.side.http}", name or self.name)

    def of_repository(self, name, action):
        return f"/v2/repository/models/{name or self.name}/{action}"

    @staticmethod
    def parameters(parameters):
        return {"parameters": parameters} if parameters else None

    def folder(self, name=None):
        """The folder of a model."""
        return self.side.models.folder / (name or self.name)

    # ---- HTTP --------------------------------------------------------------------------------

    def exchange(self, method, path, body=None, headers=()):
        """The answer to one request over a connection of its own."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        body = body.encode() if isinstance(body, str) else body
        connection = http.client.HTTPConnection("127.0.0.1", self.side.http, timeout=LIMIT)
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return shown(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException) as error:
            return {"status": type(error).__name__}
        finally:
            connection.close()

    def call(self, method, path, body=None, **headers):
        """Note the answer to a request; a header's name has underscores for dashes."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.exchange(method, path, body, headers)
        self.note(answer)
        return answer

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)

    def infer(self, *inputs, model=None, version=None, headers=(), **fields):
        """Note the answer to an inference over HTTP."""
        path = self.of_model("infer", model, version)
        return self.post(path, request(*inputs, **fields), **dict(headers))

    def binary(self, *inputs, data=b"", model=None, size=None, headers=(), **fields):
        """The same with bytes after the JSON; `size` is what the header says of the JSON."""
        head = json.dumps(request(*inputs, **fields)).encode()
        headers = {HEADER: str(len(head) if size is None else size), **dict(headers)}
        return self.post(self.of_model("infer", model), head + data, **headers)

    def ready(self, version=None, model=None):
        """Note whether a model is ready. Newer servers say otherwise than 2.51 that it is not."""
        answer = self.exchange("GET", self.of_model("ready", model, version))
        self.note("ready" if answer["status"] == 200 else "not ready")

    def of_model(self, action, model=None, version=None):
        part = f"/versions/{version}" if version else ""
        return f"/v2/models/{model or self.name}{part}/{action}"

    def raw(self, *parts, pause=0.05, limit=LIMIT):
        """Note all that comes back for bytes sent on a socket, until the server closes it or is
        silent. Parts are sent with pauses."""
        received = b""
        with socket.create_connection(("127.0.0.1", self.side.http), limit) as one:
            try:
                for number, part in enumerate(parts):
                    time.sleep(pause if number else 0)
                    one.sendall(part.encode() if isinstance(part, str) else part)
                one.settimeout(SILENCE)
                while piece := one.recv(1 << 16):
                    received += piece
                end = "closed"
            except TimeoutError:
                end = "open"
            except OSError:
                end = "closed"
        self.note(*answers(received), "the connection is", end)

    def stats(self, model=None):
        """Note a model's statistics once they change no more."""
        path, found = self.of_model("stats", model), None
        for _ in range(50):
            last, found = found, self.exchange("GET", path)
            if last == found:
                break
            time.sleep(0.02)
        self.note(found)

    def metrics(self, model=None, match="."):
        """Note a model's lines on the page of metrics; times are zeroed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.side.metrics, timeout=LIMIT)
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
        connection.close()
        for line in sorted(page.splitlines()):
            of_model = line.startswith("nv_") and f'model="{model or self.name}"' in line
            if of_model and re.search(match, line):
                name, value = line.rsplit(" ", 1)
                self.note(name, "0" if "duration" in name or "_us{" in name else str(float(value)))

    # ---- gRPC --------------------------------------------------------------------------------

    def rpc(self, method, metadata=(), timeout=LIMIT, **fields):
        """Note the answer to a call."""
        answer = {}
        try:
            message = message_of(f"{method}Request", fields)
            call = getattr(self.side.stub, method)
            reply = call(message, metadata=list(metadata), timeout=timeout)
            answer = {"code": "OK", "response": values(reply)}
        except grpc.RpcError as error:
            answer = {"code": error.code().name, "details": settled(error.details())}
            if answer["code"] == "DEADLINE_EXCEEDED":
                answer["details"] = ""  # the client's or the server's
            elif answer["details"].startswith(TOO_LARGE):
                answer["details"] = TOO_LARGE
        self.note(answer)
        return answer

    def rpc_infer(self, *inputs, model=None, **fields):
        """Note the answer to an inference over gRPC, with typed contents."""
        return self.rpc("ModelInfer", **self.inference(*inputs, model=model, **fields))

    def rpc_raw(self, *inputs, data=(), model=None, **fields):
        """The same with the tensors' bytes, one of `data` for each."""
        contents = {"raw_input_contents": list(map(raw, data))}
        return self.rpc_infer(*inputs, model=model, **contents, **fields)

    def inference(self, *inputs, model=None, **fields):
        """The fields of ModelInfer for inputs as JSON has them."""
        return {"model_name": model or self.name, "inputs": list(map(typed, inputs))} | fields

    def stream(self, *requests, metadata=(), pause=0.0, timeout=LIMIT):
        """Note each answer of one stream, and its end."""

        def messages():
            for number, fields in enumerate(requests):
                time.sleep(pause if number else 0)
                yield message_of("ModelInferRequest", fields)

        call = self.side.stub.ModelStreamInfer(messages(), metadata=list(metadata), timeout=timeout)
        try:
            for reply in call:
                self.note(values(reply))
            self.note("stream OK")
        except grpc.RpcError as error:
            code = error.code().name
            # Who ends a call in time is a race between client and server.
            self.note("stream", code, "" if code == "DEADLINE_EXCEEDED" else str(error.details()))

    # ---- several at a time -------------------------------------------------------------------

    def start(self, act, *args, gap=0.1, **options):
        """Begin one of this object's methods beside the others, and wait a little."""
        other = Talk(self.side, self.name)

        def work():
            getattr(other, act)(*args, **options)
            other.end = time.monotonic()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.threads.append((thread, other))
        time.sleep(gap)

    def join(self, order=False):
        """Wait for all that were started, and note their answers and, if wanted, their order."""
        for thread, other in self.threads:
            thread.join(2 * LIMIT)
            self.lines += other.lines
        if order:
            ends = [getattr(other, "end", float("inf")) for _, other in self.threads]
            self.note("order", sorted(range(len(ends)), key=ends.__getitem__))
        self.threads = []


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def shown(status, headers, body):
    """An answer as the suites show it."""
    kept = {name.lower(): value for name, value in headers}
    length = kept.get("content-length")
    answer = {
        "status": status,
        "headers": {name: kept[name] for name in replay.HEADERS if name in kept},
    }
    if length is not None and int(length) != len(body):
        answer["content-length"] = f"{length}, not {len(body)}"
    return answer | {"body": text_of(body, kept.get("content-encoding"))}


def text_of(body, coding=None):
    """A body as text. JSON is read, so that numbers have one form each."""
    if coding in ("gzip", "deflate"):
        body = gzip.decompress(body) if coding == "gzip" else zlib.decompress(body)
    text = body.decode("latin-1" if b"\0" in body else "utf-8", "backslashreplace")
    if text[:1] in ("{", "["):
        try:
            return compact(settled(json.loads(text)))
        except ValueError:
            pass
    return text


def settled(value):
    """A message without times and sizes of memory, and lists of names in one order."""
    if isinstance(value, dict) and "memory_usage" in value:
        value = value | {"memory_usage": [one | {"byte_size": 0} for one in value["memory_usage"]]}
    if isinstance(value, dict):
        return {key: settled(replay.scrub({key: one})[key]) for key, one in value.items()}
    if isinstance(value, list):
        return [settled(one) for one in value]
    return NAMES.sub(in_order, value) if isinstance(value, str) else value


def in_order(found):
    return ",".join(sorted(found[0].split(",")))


def answers(data):
    """The answers in the bytes of a connection."""
    while data:
        head, found, data = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line]
        kept = {name.lower(): value for name, value in headers}
        if not found:
            yield {"cut": head.decode("latin-1")}
            return
        status = lines[0].split(" ")[1]
        if status == "100":
            yield {"status": status}
            continue
        size = int(kept.get("content-length", len(data)))
        answer = shown(status, headers, data[:size])
        yield answer | {"connection": kept.get("connection", "")}
        data = data[size:]


def typed(tensor):
    """An input of gRPC for one of JSON."""
    made = {key: value for key, value in tensor.items() if key not in ("data", "parameters")}
    if "parameters" in tensor:
        made["parameters"] = {key: choice(value) for key, value in tensor["parameters"].items()}
    if "data" in tensor:
        data, kind = tensor["data"], CONTENTS[tensor["datatype"]]
        made["contents"] = {f"{kind}_contents": list(map(raw, data)) if kind == "bytes" else data}
    return made


def raw(data):
    """Bytes or text as messages in JSON have them."""
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def choice(value):
    """A parameter of gRPC."""
    kinds = {bool: "bool_param", int: "int64_param", str: "string_param", float: "double_param"}
    return {kinds[type(value)]: value}


def parameters(**given):
    """Parameters of gRPC."""
    return {key: choice(value) for key, value in given.items()}


def message_of(kind, fields):
    return json_format.ParseDict(fields, getattr(service_pb2, kind)())


def values(message):
    """A message as the suites show it."""
    found = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return json.loads(json.dumps(settled(replay.scrub(found)), sort_keys=True))
