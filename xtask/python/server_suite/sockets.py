"""Sockets in the file system: clients of both protocols, and what happens to the files."""

import http.client
import socket
import subprocess
from functools import partial

import grpc
import numpy as np
from tritonclient.grpc import service_pb2, service_pb2_grpc

from backend_suite import repository
from backend_suite.client import grpc_request, grpc_results, request
from backend_suite.tensors import expect
from checks import title

from .server import Server

X = np.arange(16, dtype=np.float32).reshape(1, 16)


def run(suite):
    folder = suite.folder / "sockets"
    models = repository.Repository(folder / "models")
    repository.add_one(models)
    for number, function in enumerate(CHECKS):
        place = folder / str(number)
        place.mkdir()
        start = partial(start_at, suite.trident, models.folder, place)
        suite.check(title(function), partial(function, start, place))


def start_at(trident, models, place):
    flags = [f"--{protocol}-address=unix:{place / protocol}" for protocol in PROTOCOLS]
    return Server(trident, models, place / "log", flags)


PROTOCOLS = ("http", "grpc", "metrics")
# The client would give the file's name in a form that HTTP/2 has no authorities of.
AUTHORITY = [("grpc.default_authority", "localhost")]


class Connection(http.client.HTTPConnection):
    """A connection of HTTP to a file."""

    def __init__(self, file):
        super().__init__("localhost", timeout=20)
        self.file = str(file)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.file)


def answer(file, method, path, body=b""):
    connection = Connection(file)
    connection.request(method, path, body)
    found = connection.getresponse()
    text = found.read()
    connection.close()
    return found.status, text


def clients_find_files(start, place):
    """Clients of HTTP, gRPC and metrics find sockets in the file system."""
    with start() as running:
        assert running.places["HTTP"] == f"unix:{place / 'http'}", running.places
        body = request({"INPUT0": X}, binary=False)[0]
        status, text = answer(place / "http", "POST", "/v2/models/add/infer", body)
        assert status == 200 and b'"data":[1.0,2.0' in text, (status, text)
        status, text = answer(place / "metrics", "GET", "/metrics")
        assert status == 200 and b"nv_inference_request_success" in text, (status, text)
        with grpc.insecure_channel(f"unix:{place / 'grpc'}", AUTHORITY) as channel:
            stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
            assert stub.ServerReady(service_pb2.ServerReadyRequest(), timeout=20).ready
            told = stub.ModelInfer(grpc_request("add", {"INPUT0": X}), timeout=20)
            expect({"OUTPUT0": X + 1}, grpc_results(told))
        running.no_panic()


def files_go_with_the_server(start, place):
    """The files go with the server."""
    with start():
        assert all((place / protocol).is_socket() for protocol in PROTOCOLS)
    assert not any((place / protocol).exists() for protocol in PROTOCOLS)


def a_file_of_a_killed_server_is_replaced(start, place):
    """The file of a killed server is replaced."""
    running = start()
    running.process.kill()
    running.stop()
    assert (place / "http").is_socket()
    clients_find_files(start, place)


def a_file_in_use_is_refused(start, place):
    """A file that another server listens on is refused."""
    with start() as running:
        again = subprocess.run(
            running.process.args, capture_output=True, text=True, timeout=60, check=False
        )
        assert again.returncode == 1, again
        assert f"cannot listen on unix:{place / 'http'} for HTTP" in again.stderr, again.stderr
        assert answer(place / "http", "GET", "/v2/health/ready")[0] == 200


def a_file_that_is_no_socket_stays(start, place):
    """A file that is no socket stays."""
    (place / "http").write_text("mine")
    try:
        start().stop()
    except AssertionError as error:
        assert "cannot listen on unix:" in str(error), error
    else:
        raise AssertionError("the server started")
    assert (place / "http").read_text() == "mine"


def a_file_has_no_second_port(start, place):
    """Metrics need a place of their own if HTTP has a file."""
    trident, models = start.args[:2]
    command = [trident, "serve", models, f"--http-address=unix:{place / 'http'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "a file has no second port" in done.stderr, done
    assert "--metrics-address" in done.stderr, done.stderr


CHECKS = (
    clients_find_files,
    files_go_with_the_server,
    a_file_of_a_killed_server_is_replaced,
    a_file_in_use_is_refused,
    a_file_that_is_no_socket_stays,
    a_file_has_no_second_port,
)
