"""The end of the server: what clients see from the signal to the exit status."""

import contextlib
import signal
import socket
import struct
import subprocess
import time
from functools import partial

import numpy as np
from tritonclient.grpc import service_pb2

from backend_suite import repository
from backend_suite.client import Grpc, Http, grpc_request, in_parallel
from backend_suite.server import free_ports
from backend_suite.tensors import expect
from checks import title

from . import frames, models
from .busy import ENDLESS, LIMIT, endless, http_of, rounds, until
from .server import Server

X = np.arange(16, dtype=np.float32).reshape(1, 16)
SLOW = 700  # milliseconds that the model `echo` takes
WARM_UP = """\
model_warmup [ {
  name: "endless" batch_size: 1
  inputs { key: "INPUT0" value { data_type: TYPE_INT64 dims: [ 1 ] input_data_file: "rounds" } }
} ]"""


def run(suite):
    folder = suite.folder / "drain"
    repositories = repository.Repository(folder / "models")
    repository.add_one(repositories)
    repository.countdown(repositories, "slow")
    models.add_echo(repositories, "echo", SLOW)
    models.add_recorded(repositories, "repeat_int32")
    cases = {}
    for number, function in enumerate(CHECKS):
        log = folder / f"log {number}"
        start = partial(Server, suite.trident, repositories.folder, log)
        cases[title(function)] = partial(function, start)
    cases["A server that is loading answers that it is not ready, and can be ended"] = partial(
        ended_while_loading, suite, folder / "loading"
    )
    suite.check_beside(cases)


def status(running, path="/v2/health/ready"):
    return http_of(running).call("GET", path).status


def tell(running, number=signal.SIGTERM):
    running.process.send_signal(number)


def expect_end(running, code, most):
    """The server ends within a time, with this status and without a panic."""
    start = time.monotonic()
    try:
        running.process.wait(most + LIMIT)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"not ended: {running.last_words()}") from None
    seconds = time.monotonic() - start
    assert running.process.returncode == code, f"{running.process.returncode}: {running.said()}"
    assert seconds <= most, f"after {seconds:.2f} s"
    assert "panicked" not in running.said(), running.said()


def listens(running, protocol="HTTP"):
    try:
        socket.create_connection(("127.0.0.1", running.port(protocol)), 5).close()
    except ConnectionRefusedError:
        return False
    return True


def idle(start):
    """A server without requests ends at once, with status 0."""
    with start() as running:
        assert len(running.places) == 3
        tell(running)
        expect_end(running, 0, 5)
        assert "the server has ended" in running.said(), running.said()


def interrupted(start):
    """SIGINT ends the server as SIGTERM does."""
    with start() as running:
        tell(running, signal.SIGINT)
        expect_end(running, 0, 5)


def not_ready_first(start):
    """During the drain delay the server is not ready, and answers requests."""
    with start(("--drain-delay-secs=2",)) as running:
        assert status(running) == 200
        tell(running)
        until(lambda: status(running) == 400, "it is not ready")
        assert status(running, "/v2/health/live") == 200
        client = http_of(running)
        expect({"OUTPUT0": X + 1}, client.infer("add", {"INPUT0": X}))
        assert client.call("GET", "/v2/models/add/ready").status == 200
        assert listens(running, "metrics")
        expect_end(running, 0, 5)


def not_ready_on_grpc(start):
    """During the drain delay, gRPC and its health service say so too."""
    with start(("--drain-delay-secs=2",)) as running:
        client = Grpc(running.port("gRPC"))
        health = client.channel.unary_unary("/grpc.health.v1.Health/Check")
        assert health(b"", timeout=LIMIT) == b"\x08\x01"
        tell(running)
        until(lambda: not ready_on_grpc(client), "it is not ready")
        assert health(b"", timeout=LIMIT) == b"\x08\x02"
        live = client.stub.ServerLive(service_pb2.ServerLiveRequest(), timeout=LIMIT)
        assert live.live
        expect({"OUTPUT0": X + 1}, client.infer("add", {"INPUT0": X}))
        client.close()
        expect_end(running, 0, 5)


def ready_on_grpc(client):
    return client.stub.ServerReady(service_pb2.ServerReadyRequest(), timeout=LIMIT).ready


def in_flight(start):
    """Requests that run at SIGTERM are answered over both protocols."""
    with start() as running:
        http_client, grpc_client = http_of(running), Grpc(running.port("gRPC"))
        grpc_client.infer("add", {"INPUT0": X})  # the channel is there

        def later():
            time.sleep(SLOW / 2000)
            tell(running)

        jobs = [
            partial(client.infer, "echo", {"INPUT0": X}) for client in (http_client, grpc_client)
        ]
        *found, told = in_parallel([*jobs, later])
        assert told is None
        for result in found:
            assert isinstance(result, dict), result
            expect({"OUTPUT0": X}, result)
        grpc_client.close()
        expect_end(running, 0, 5)


def stream_in_flight(start):
    """A gRPC stream that runs at SIGTERM gets all its answers."""
    with start() as running:
        client = Grpc(running.port("gRPC"))
        count = 5
        message = grpc_request(
            "repeat_int32",
            {
                "IN": np.arange(count, dtype=np.int32),
                "DELAY": np.full(count, 150, np.uint32),
                "WAIT": np.zeros(1, np.uint32),
            },
        )
        found = []
        for answer in client.stub.ModelStreamInfer(iter([message]), timeout=LIMIT):
            assert not answer.error_message, answer.error_message
            if not found:
                tell(running)
            index = list(answer.infer_response.raw_output_contents)
            found.append(struct.unpack("<i", index[0])[0])
        assert found == list(range(count)), found
        client.close()
        expect_end(running, 0, 5)


def goodbye(start):
    """A gRPC connection gets GOAWAY, and its call is answered."""
    with start() as running, frames.Connection(running.places["gRPC"]) as connection:
        connection.call("ModelInfer", grpc_request("echo", {"INPUT0": X}).SerializeToString())
        time.sleep(SLOW / 2000)
        tell(running)
        kinds = []
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                kind, flags, _, payload = connection.receive()
                if kind == "PING" and not flags & frames.ACK:
                    connection.send(frames.frame("PING", frames.ACK, 0, payload))
                kinds.append(kind)
        assert "GOAWAY" in kinds and "DATA" in kinds, kinds
        assert "RST_STREAM" not in kinds, kinds
        expect_end(running, 0, 5)


def connection_closed(start):
    """An HTTP connection is told to close with the answer of its request."""
    with start() as running:
        client = http_of(running)
        expect({"OUTPUT0": X + 1}, client.infer("add", {"INPUT0": X}))
        found = in_parallel(
            [
                partial(client.call, "POST", "/v2/models/echo/infer", json_request()),
                lambda: (time.sleep(SLOW / 2000), tell(running)),
            ]
        )
        assert found[0].status == 200, found[0]
        assert found[0].headers.get("connection", "").lower() == "close", found[0].headers
        expect_end(running, 0, 5)


def json_request():
    return b'{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,1],"data":[1]}]}'


def idle_connections_closed(start):
    """HTTP connections without a request are closed."""
    with start() as running:
        client = http_of(running)
        assert client.call("GET", "/v2/health/live").status == 200
        tell(running)
        client.connection.sock.settimeout(LIMIT)
        assert client.connection.sock.recv(1) == b""
        expect_end(running, 0, 5)


def no_new_connections(start):
    """A server that waits for its last request accepts no connections."""
    with start() as running, endless(running, "slow"):
        tell(running)
        for protocol in ("HTTP", "gRPC", "metrics"):
            until(lambda protocol=protocol: not listens(running, protocol), f"{protocol} is closed")
        running.alive()
        tell(running)
        expect_end(running, 1, 5)


def second_signal(start):
    """A second SIGTERM ends the server at once, with status 1."""
    with start() as running, endless(running, "slow"):
        tell(running)
        until(lambda: "leaving" in running.said(), "the log has the first signal")
        time.sleep(0.3)
        running.alive()
        tell(running)
        expect_end(running, 1, 2)
        assert "told to end at once" in running.said(), running.said()


def second_signal_in_the_delay(start):
    """A second SIGTERM during the drain delay shortens the delay."""
    with start(("--drain-delay-secs=60",)) as running:
        tell(running)
        until(lambda: status(running) == 400, "it is not ready")
        tell(running)
        expect_end(running, 0, 5)


def exit_timeout(start):
    """Requests that do not end in --exit-timeout-secs are left, with status 1."""
    with start(("--exit-timeout-secs=1",)) as running, endless(running, "slow"):
        before = time.monotonic()
        tell(running)
        expect_end(running, 1, 5)
        assert time.monotonic() - before >= 0.9, "the request had less than its time"
        assert "have not ended in time" in running.said(), running.said()


def client_that_leaves(start):
    """A server that waits for a request ends when its client leaves."""
    with start() as running:
        with endless(running, "slow"):
            tell(running)
            until(lambda: not listens(running), "it does not listen")
            running.alive()
        expect_end(running, 0, 5)


def same_port_again(start):
    """A server starts on the ports of one that has just ended."""
    with start() as running:
        expect({"OUTPUT0": X + 1}, http_of(running).infer("add", {"INPUT0": X}))
        options = ("http", "HTTP"), ("grpc", "gRPC"), ("metrics", "metrics")
        flags = [f"--{option}-port={running.port(protocol)}" for option, protocol in options]
        places = dict(running.places)
    assert running.process.returncode == 0
    with start(flags) as running:
        assert running.places == places
        expect({"OUTPUT0": X + 1}, http_of(running).infer("add", {"INPUT0": X}))


def ended_while_loading(suite, folder):
    repositories = repository.Repository(folder / "models")
    repository.countdown(repositories, "slow", WARM_UP)
    file = folder / "models/slow/warmup/rounds"
    file.parent.mkdir()
    file.write_bytes(rounds(ENDLESS)["INPUT0"].astype("<i8").tobytes())
    [port] = free_ports(1)
    flags = [f"--http-port={port}", "--http-address=127.0.0.1", "--exit-timeout-secs=1"]
    flags += ["--allow-grpc=false", "--allow-metrics=false"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            list(map(str, [suite.trident, "serve", folder / "models", *flags])),
            stdout=log,
            stderr=log,
        )
    try:
        until(lambda: live(port), "it is live")
        client = Http(port)
        assert client.call("GET", "/v2/health/ready").status == 400
        assert client.call("GET", "/v2/models/slow/ready").status >= 400
        client.close()
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT)
        assert process.returncode in (0, 1), process.returncode
    finally:
        process.kill()
        process.wait()


def live(port):
    with contextlib.suppress(OSError):
        return Http(port).call("GET", "/v2/health/live").status == 200
    return False


CHECKS = (
    idle,
    interrupted,
    not_ready_first,
    not_ready_on_grpc,
    in_flight,
    stream_in_flight,
    goodbye,
    connection_closed,
    idle_connections_closed,
    no_new_connections,
    second_signal,
    second_signal_in_the_delay,
    exit_timeout,
    client_that_leaves,
    same_port_again,
)
