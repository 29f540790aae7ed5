"""API keys: which requests need one, in which forms, and what those without get."""

import json
import subprocess
from functools import partial

import grpc
import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.grpc import service_pb2, service_pb2_grpc

from backend_suite import repository
from backend_suite.client import Http
from backend_suite.tensors import expect
from checks import Skip, title

from . import browser
from .models import add_words
from .server import Server

X = np.arange(16, dtype=np.float32).reshape(1, 16)
KEYS = "# of the tests\nfirst-key\n\nsecond=key\n"
RIGHT, WRONG = {"Authorization": "Bearer second=key"}, {"Authorization": "Bearer second=ke"}
OPEN = ("/v2/health/live", "/v2/health/ready", "/v2/models/add/ready", "/ui", "/ui/console.js")
CLOSED = ("/v2", "/v2/models/add", "/v2/models/add/config", "/v2/models/stats", "/v2/logging",
          "/v2/trace/setting", "/v2/systemsharedmemory/status", "/ui/live")  # fmt: skip


def run(suite):
    folder = suite.folder / "keys"
    models = repository.Repository(folder / "models")
    repository.add_one(models)
    add_words(models)
    file = folder / "keys"
    file.write_text(KEYS)
    with Server(
        suite.trident, models.folder, folder / "log", (f"--api-key-file={file}",)
    ) as running:
        for function in CHECKS:
            suite.check(title(function), partial(function, running, folder))
    for function in FILES:
        suite.check(title(function), partial(function, suite.trident, models.folder, folder))


def call(running, method, path, body=b"", headers=()):
    http = Http(running.port("HTTP"))
    told = http.call(method, path, body, headers)
    http.close()
    return told


def health_is_open(running, _):
    """Health and the files of the console need no key, nor does the page of metrics."""
    for path in OPEN:
        assert call(running, "GET", path).status == 200, path
    http = Http(running.port("metrics"))
    assert http.call("GET", "/metrics").status == 200
    http.close()


def others_need_a_key(running, _):
    """Other requests need a key, and the error has the protocol's form."""
    for path in CLOSED:
        for headers, text in ((), "needs an API key"), (WRONG, "is not valid"):
            told = call(running, "GET", path, headers=headers)
            assert told.status == 401 and text in json.loads(told.body)["error"], (path, told)
        assert call(running, "GET", path, headers=RIGHT).status == 200, path
    told = call(running, "POST", "/v2/repository/index")
    assert told.status == 401, told


def openai_errors(running, _):
    """Paths of OpenAI's API have its form of the error."""
    body = json.dumps({"model": "words", "input": "sun"}).encode()
    told = call(running, "POST", "/v1/embeddings", body)
    assert told.status == 401, told
    error = json.loads(told.body)["error"]
    assert error["code"] == "invalid_api_key" and error["type"] == "invalid_request_error", error
    told = call(running, "POST", "/v1/embeddings", body, RIGHT)
    assert told.status == 200 and json.loads(told.body)["data"][0]["embedding"] == [1, 0], told


def http_clients(running, _):
    """tritonclient sends a key as a header."""
    client = tritonclient.http.InferenceServerClient(running.places["HTTP"])
    given = tritonclient.http.InferInput("INPUT0", X.shape, "FP32")
    given.set_data_from_numpy(X)
    try:
        client.infer("add", [given])
        raise AssertionError("a request without a key is answered")
    except tritonclient.http.InferenceServerException as error:
        assert error.status() == "401" and "API key" in error.message(), error
    told = client.infer("add", [given], headers=RIGHT)
    expect({"OUTPUT0": X + 1}, {"OUTPUT0": told.as_numpy("OUTPUT0")})
    client.close()


def grpc_clients(running, _):
    """gRPC takes the key as metadata; health is open, streams are not."""
    place = running.places["gRPC"]
    client = tritonclient.grpc.InferenceServerClient(place)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("add")
    given = tritonclient.grpc.InferInput("INPUT0", X.shape, "FP32")
    given.set_data_from_numpy(X)
    for headers in (None, {"authorization": "Bearer no"}):
        try:
            client.infer("add", [given], headers=headers)
            raise AssertionError("a request without a key is answered")
        except tritonclient.grpc.InferenceServerException as error:
            assert error.status() == "StatusCode.UNAUTHENTICATED", error
    told = client.infer("add", [given], headers={"authorization": "Bearer first-key"})
    expect({"OUTPUT0": X + 1}, {"OUTPUT0": told.as_numpy("OUTPUT0")})
    client.close()
    with grpc.insecure_channel(place) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        try:
            list(stub.ModelStreamInfer(iter([service_pb2.ModelInferRequest()]), timeout=20))
            raise AssertionError("a stream without a key is answered")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAUTHENTICATED, error


def the_console_asks(running, folder):
    """The console asks for the key, and sends it from then on."""
    if browser.program() is None:
        raise Skip(f"no browser ({browser.INSTALL})")
    with browser.Browser(folder) as window:
        page = browser.Page(window, f"http://{running.places['HTTP']}/ui")
        page.shows("Authorization", "#key")
        page.shows("needs an API key", "#trouble")
        page.picture(folder / "key.png")
        page.fill("#key-value", "wrong")
        page.key("Enter")
        page.shows("is not valid", "#trouble")
        page.until("!document.querySelector('#key').hidden", "the console asks again")
        page.fill("#key-value", "first-key")
        page.key("Enter")
        page.shows("add, version 1", "#models")
        page.until("document.querySelector('#trouble').hidden", "the trouble is over")
        page.close()


def no_file(trident, models, folder):
    """A file of keys that cannot be read, or has none, ends the start."""
    bad = folder / "bad"
    for content, text in (
        (None, "No such file"),
        ("# none\n", "has no key"),
        ("a\nb c\n", "line 2"),
    ):
        if content is not None:
            bad.write_text(content)
        done = subprocess.run(
            [trident, "serve", models, f"--api-key-file={bad}", "--check"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 1 and text in done.stderr and str(bad) in done.stderr, done
        assert "b c" not in done.stderr, done.stderr


CHECKS = (
    health_is_open,
    others_need_a_key,
    openai_errors,
    http_clients,
    grpc_clients,
    the_console_asks,
)
FILES = (no_file,)
