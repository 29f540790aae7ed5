"""Clients of the server: HTTP with the standard library, gRPC by the messages of `tritonclient`."""

import dataclasses
import http.client
import json
import re
import threading
import time

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

from . import tensors

HEADER = "Inference-Header-Content-Length"
LIMIT = 30  # seconds that an answer may take


class Refused(Exception):
    """The server answered with an error: an HTTP status or a gRPC code, and the text."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    def error(self):
        """The text of an error's body, "" if it has none."""
        try:
            return json.loads(self.body.decode(errors="replace"))["error"]
        except (ValueError, KeyError, TypeError):
            return ""

    def json(self):
        """The body of a success."""
        if self.status != 200:
            raise Refused(self.status, self.error() or self.body.decode(errors="replace"))
        return json.loads(self.body) if self.body else None


class Http:
    """One connection, kept alive; for one thread."""

    def __init__(self, port, limit=LIMIT):
        self.port, self.limit, self.connection = port, limit, None

    def call(self, method, path, body=b"", headers=(), chunked=False):
        """The answer, whatever its status. A connection that the server closed is opened again."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.limit)
        try:
            self.connection.request(method, path, body, dict(headers), encode_chunked=chunked)
            answer = self.connection.getresponse()
            data = answer.read()
        except BaseException:
            self.close()
            raise
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, headers, data)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def get(self, path):
        return self.call("GET", path).json()

    def post(self, path, message):
        return self.call("POST", path, json.dumps(message).encode()).json()

    def infer(self, model, inputs, outputs=None, binary=True, parameters=None, chunks=0):
        """{output: array} of a request with these arrays; `chunks` sends pieces of that size."""
        head, body = request(inputs, outputs, binary, parameters)
        headers = {HEADER: str(len(head))} if binary else {}
        data = head + body
        if chunks:
            data = iter([data[at : at + chunks] for at in range(0, len(data), chunks)])
            headers["Transfer-Encoding"] = "chunked"
        path = f"/v2/models/{model}/infer"
        answer = self.call("POST", path, data, headers, chunked=bool(chunks))
        return results(answer)

    def load(self, model, **parameters):
        self.post(f"/v2/repository/models/{model}/load", {"parameters": parameters})

    def unload(self, model, wait=LIMIT):
        """Unload, and wait until nothing is left of the model."""
        self.post(f"/v2/repository/models/{model}/unload", {})
        end = time.monotonic() + wait
        while self.state(model) not in (None, "UNAVAILABLE"):
            if time.monotonic() > end:
                raise AssertionError(f"{model} is not unloaded after {wait} s")
            time.sleep(0.005)

    def state(self, model):
        """The state of the model's only version; None if it was never loaded."""
        rows = self.post("/v2/repository/index", {})
        return next((row.get("state") for row in rows if row["name"] == model), None)

    def statistics(self, model):
        return self.get(f"/v2/models/{model}/stats")["model_stats"][0]

    def settled_statistics(self, model):
        """Statistics that change no more: the server counts after it has answered."""
        found = None
        for _ in range(100):
            last, found = found, self.statistics(model)
            if last == found:
                break
            time.sleep(0.03)
        return found


def request(inputs, outputs=None, binary=True, parameters=None):
    """The JSON and the bytes after it."""
    message, body = {"inputs": []}, []
    for name, array in inputs.items():
        entry = {
            "name": name,
            "datatype": tensors.datatype(array),
            "shape": list(array.shape),
        }
        if binary:
            body.append(tensors.encode(array))
            entry["parameters"] = {"binary_data_size": len(body[-1])}
        else:
            entry["data"] = tensors.plain(array)
        message["inputs"].append(entry)
    if outputs is not None:
        message["outputs"] = [
            {"name": name, "parameters": {"binary_data": binary}} for name in outputs
        ]
    message["parameters"] = {**(parameters or {}), "binary_data_output": binary}
    return json.dumps(message).encode(), b"".join(body)


def results(answer):
    """{output: array} of an answer in either form."""
    length = int(answer.headers.get(HEADER.lower(), len(answer.body)))
    head = Answer(answer.status, answer.headers, answer.body[:length]).json()
    place, found = length, {}
    for output in head["outputs"]:
        name, shape = output["datatype"], output["shape"]
        size = output.get("parameters", {}).get("binary_data_size")
        if size is None:
            data = output["data"]
            if name == tensors.BYTES:
                data = [element.encode() for element in data]
            array = np.array(data, tensors.NUMPY[name]).reshape(shape)
        else:
            array = tensors.decode(name, shape, answer.body[place : place + size])
            place += size
        found[output["name"]] = array
    if place != len(answer.body) and length != len(answer.body):
        raise AssertionError(f"{len(answer.body) - place} bytes follow the last output")
    return found


class Grpc:
    """One channel; threads may share it."""

    def __init__(self, port, limit=LIMIT):
        options = [
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1),
        ]
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options)
        self.stub, self.limit = service_pb2_grpc.GRPCInferenceServiceStub(self.channel), limit

    def close(self):
        self.channel.close()

    def send(self, message):
        """The answer of a request."""
        try:
            return self.stub.ModelInfer(message, timeout=self.limit)
        except grpc.RpcError as error:
            raise Refused(error.code().name, error.details()) from None

    def infer(self, model, inputs, outputs=None):
        """{output: array}, with raw contents both ways."""
        return grpc_results(self.send(grpc_request(model, inputs, outputs)))


def grpc_request(model, inputs, outputs=None):
    message = service_pb2.ModelInferRequest(model_name=model)
    for name, array in inputs.items():
        entry = message.inputs.add(name=name, datatype=tensors.datatype(array))
        entry.shape.extend(array.shape)
        message.raw_input_contents.append(tensors.encode(array))
    for name in outputs or ():
        message.outputs.add(name=name)
    return message


def grpc_results(answer):
    return {
        output.name: tensors.decode(output.datatype, list(output.shape), data)
        for output, data in zip(answer.outputs, answer.raw_output_contents, strict=True)
    }


def in_parallel(jobs, delay=0.0):
    """Results of functions, each called in a thread of its own; an exception is a result.

    With `delay`, in seconds, they start one after the other.
    """
    found = [None] * len(jobs)

    def work(k):
        try:
            found[k] = jobs[k]()
        except Exception as error:  # handed to the caller, who expects some
            found[k] = error

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(len(jobs))]
    for thread in threads:
        thread.start()
        time.sleep(delay)
    for thread in threads:
        thread.join(2 * LIMIT)
    if any(thread.is_alive() for thread in threads):
        raise TimeoutError("a request has no answer")
    return found


def metrics(port):
    """{series with labels: value} of the page of metrics."""
    page = Http(port).call("GET", "/metrics").body.decode()
    lines = [line.rsplit(" ", 1) for line in page.splitlines() if line and line[0] != "#"]
    return {series: float(value) for series, value in lines}


def counter(port, name, **labels):
    """The value of one counter, 0 if there is none with these labels."""
    for series, value in metrics(port).items():
        told = dict(re.findall(r'(\w+)="([^"]*)"', series))
        if series.split("{")[0] == name and labels.items() <= told.items():
            return value
    return 0.0
