"""The forms of the requests that are measured."""

import dataclasses
from collections.abc import Callable

from backend_bench.load import Request
from backend_bench.subjects import NATIVE, SUBJECTS
from backend_suite import client

ADD = next(subject for subject in SUBJECTS if subject.peer == NATIVE and subject.binary)
ADD_JSON = dataclasses.replace(ADD, binary=False)


@dataclasses.dataclass(frozen=True)
class Form:
    """A form of requests to the model `add`.

    `answer` asks a server, and gives its answer's body or message.
    """

    name: str
    request: Callable
    answer: Callable


def http_answer(running, request):
    http = client.Http(running.http)
    headers = dict(header.split(": ") for header in request.headers)
    told = http.call("POST", request.path, request.body.read_bytes(), headers)
    http.close()
    if told.status != 200:
        raise SystemExit(f"{request.path}: status {told.status}: {told.error()}")
    return told.body


def grpc_answer(running, _):
    grpc = client.Grpc(running.grpc)
    told = grpc.send(client.grpc_request(ADD.model, ADD.inputs()))
    grpc.close()
    return told.SerializeToString()


FORMS = (
    Form("add, JSON", lambda folder: Request.infer(ADD_JSON, folder), http_answer),
    Form("add, binary", lambda folder: Request.infer(ADD, folder), http_answer),
    Form("add, gRPC", lambda folder: Request.call(ADD, folder), grpc_answer),
)
