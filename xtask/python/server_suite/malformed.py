"""Malformed requests over HTTP and gRPC, each made by the seed and its number.

Each must get an error or the end of its connection: no answer with wrong numbers, and no error that
is a bug of the server. The server answers a good request after each hundred, and its memory stays
within bounds.
"""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import resource
import socket
import struct
import time
from collections import Counter
from functools import partial

import grpc
import numpy as np

from backend_suite import malformed, repository, sequences, shared_memory, tensors, wrong
from backend_suite.client import Grpc, Http
from backend_suite.tensors import expect

from . import broken_calls, broken_connections, broken_documents, broken_grpc, broken_http, frames
from .busy import until
from .models import add_numbers, add_recorded, add_words
from .server import Server

EVERY = 100  # requests between two good ones
QUIET = 0.03  # seconds without a word from a server that waits for more
CONNECTIONS = 4  # others for each kind of a whole connection
SLOW = 50  # clients of each kind that send no more
LIMIT = 20  # seconds that an answer may take
MOST = 200 << 20  # bytes that the server may grow by while it refuses requests
KEPT = 120 << 20  # bytes that it may keep, most of which are decompressed bombs
SHARED = pathlib.Path("/dev/shm/trident_malformed")
X = np.arange(16, dtype=np.float32).reshape(1, 16)
WANTED = (X + np.float32(1)).tobytes()
# Texts of status 500, which the protocol has for JSON that cannot be read, and for failed loads.
FAILURES = re.compile(
    r"parse|JSON|poll from model repository|Triton parameter|Unable to open shared memory"
    r"|must be|expected|is not|missing|index|type|non-object|cannot be read|failed to load"
)
# Codes of gRPC that are the client's fault, or say that something is not there.
CODES = ("INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "UNAVAILABLE", "ALREADY_EXISTS")


def run(suite):
    folder = suite.folder / "malformed"
    models = repository.Repository(folder / "models")
    repository.add_one(models)
    repository.sum_and_difference(models, "pair")
    repository.lookup(models)
    repository.parse(models)
    echo = repository.identity(models, tensors.BYTES)
    add_recorded(models, "repeat_int32")
    repository.add_one(models, broken_documents.VICTIM)
    sequences.running_sums(models)
    add_words(models)
    add_numbers(models)
    flags = (
        "--model-control-mode=explicit",
        "--load-model=*",
        "--allow-client-shm=true",
        f"--http-max-input-size={broken_http.LIMIT}",
    )
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        try:
            register(running)
            sender = Sender(running, suite.options.seed, suite.options.only)
            parts = {
                "JSON over HTTP": (wrong.JSON_KINDS, sender.json),
                "binary tensors over HTTP": (wrong.BINARY_KINDS, sender.binary),
                "gRPC messages": (wrong.GRPC_KINDS, sender.grpc),
                "HTTP": (broken_http.KINDS, sender.raw_http),
                "HTTP/2 and gRPC": (broken_grpc.KINDS, sender.raw_grpc),
                "documents of all endpoints": (broken_documents.KINDS, sender.raw_http),
                "messages of all methods": (broken_calls.KINDS, sender.calls),
                "connections": (broken_connections.KINDS, sender.connections),
            }
            for part, (name, (kinds, send)) in enumerate(parts.items()):
                numbers = range(part, suite.options.malformed, len(parts))
                if name == "connections":  # each is many requests
                    numbers = numbers[::CONNECTIONS]
                suite.check(
                    f"{name}, {len(kinds)} kinds",
                    lambda kinds=kinds, send=send, numbers=numbers: sender.send_all(
                        kinds, send, numbers
                    ),
                    limit=1200,
                )
            suite.check("documents depend on their numbers alone", documents_are_repeatable)
            suite.check("clients that send a byte and no more", lambda: slow(sender))
            texts = partial(shared_memory.changing, sender.http, echo)
            suite.check("texts in shared memory that change meanwhile", texts)
            suite.check("more connections than files", lambda: many_connections(sender))
            suite.check("good requests after them", sender.good_ones)
            suite.check("memory while they are refused", lambda: bounded(sender))
            suite.check("no panic in the log", running.no_panic)
            sender.close()
            print(f"malformed, seed {sender.seed}: {sender.told()}")
        finally:
            SHARED.unlink(missing_ok=True)
            SHARED.with_name("trident_shrunk").unlink(missing_ok=True)


def documents_are_repeatable():
    """A document that fails can be sent again by its number, whatever was sent before it."""
    kinds = broken_documents.KINDS

    def made(number):
        return kinds[number % len(kinds)](random.Random(f"1 {number}")).data

    forwards = [made(number) for number in range(1000)]
    backwards = [made(number) for number in reversed(range(1000))]
    assert forwards == backwards[::-1]
    assert len(set(forwards)) > 700


def register(running):
    """Two regions of 4096 bytes, one of which has shrunk since."""
    client = Http(running.port("HTTP"))
    shrunk = SHARED.with_name("trident_shrunk")
    for name, file in (("malformed", SHARED), ("shrunk", shrunk)):
        file.write_bytes(bytes(4096))
        region = {"key": f"/{file.name}", "byte_size": 4096}
        client.post(f"/v2/systemsharedmemory/region/{name}/register", region)
    shrunk.write_bytes(bytes(32))
    client.close()


def slow(sender):
    """Clients that have begun heads, bodies, frames and streams hold up nobody."""
    http, grpc = (sender.running.port(protocol) for protocol in ("HTTP", "gRPC"))
    body = broken_http.post(wrong.text(wrong.valid()), length=1000)
    begun = ((http, b"P"), (http, body[:-20]), (grpc, frames.PREFACE[:5]), (grpc, frames.PREFACE))
    with contextlib.ExitStack() as stack:
        for port, data in begun * SLOW:
            connection = socket.create_connection(("127.0.0.1", port), LIMIT)
            stack.callback(connection.close)
            connection.sendall(data)
        start = time.monotonic()
        for _ in range(20):
            sender.good_ones()
        seconds = time.monotonic() - start
        assert seconds < LIMIT / 4, f"20 good requests take {seconds:.1f} s"


def files(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def many_connections(sender):
    """A server that may open no more files serves its clients, and later new ones."""
    process, port = sender.running.process.pid, sender.running.port("HTTP")
    until(lambda: files(process) < 40, "the connections of earlier checks are closed")
    used = files(process)
    before = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (used + 10, before[1]))
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(50):
                connection = socket.create_connection(("127.0.0.1", port), LIMIT)
                stack.callback(connection.close)
            until(lambda: "Too many open files" in sender.running.said(), "no file is left")
            for _ in range(10):
                sender.good_ones()
        client = Http(port)
        assert client.call("GET", "/v2/health/live").status == 200
        client.close()
    finally:
        resource.prlimit(process, resource.RLIMIT_NOFILE, before)


def bounded(sender):
    running, start = sender.running, sender.start
    grown, kept = sender.most - start, running.resident_bytes() - start
    assert grown <= MOST, f"the server has grown by {grown >> 20} MiB"
    assert kept <= KEPT, f"the server keeps {kept >> 20} MiB"


class Sender(malformed.Sender):
    """Sends malformed requests; what it gives is None, or what is wrong with the answer."""

    def __init__(self, running, seed, only=None):
        super().__init__(_Ports(running.port("HTTP")), Grpc(running.port("gRPC")))
        self.running, self.seed, self.only, self.outcomes = running, seed, only, Counter()
        self.start = self.most = running.resident_bytes()

    def close(self):
        self.http.close()
        self.client.close()

    def told(self):
        outcomes = ", ".join(f"{name} {count}" for name, count in self.outcomes.most_common())
        now = self.running.resident_bytes()
        sizes = [size >> 20 for size in (self.start, self.most, now)]
        return f"{outcomes}; resident MiB at first {sizes[0]}, at most {sizes[1]}, now {sizes[2]}"

    def send_all(self, kinds, send, numbers):
        found = []
        for turn, number in enumerate(numbers):
            make = kinds[turn % len(kinds)]
            if self.only not in (None, number):
                continue
            if self.only == number:
                self.show(number, make, send)
            problem = send(make, self.random(number))
            if problem:
                found.append(f"number {number} ({make.__name__}): {problem}")
            if turn % EVERY == EVERY - 1:
                self.good_ones()
                self.most = max(self.most, self.running.resident_bytes())
        names = sorted({line.split("(")[1].split(")")[0] for line in found})
        assert not found, f"{len(found)} of {len(numbers)}, {names}: {'; '.join(found[:4])}"

    def random(self, number):
        return random.Random(f"{self.seed} {number}")

    def show(self, number, make, send):
        """Print a request, but for kinds that are whole connections."""
        print(f"number {number}, {make.__name__}: {make.__doc__ or ''}")
        if send == self.connections:
            return
        where = [self.running.places["gRPC"]] if send == self.raw_grpc else []
        made = make(self.random(number), *where)
        print(made.data if isinstance(made, broken_http.Broken) else made)

    def good_ones(self):
        self.running.alive()
        for client in (self.http, self.client):
            expect({"OUTPUT0": X + np.float32(1)}, client.infer("add", {"INPUT0": X}))

    # Requests whose form is right, by clients that others wrote.

    def json(self, make, rng):
        return self.count("refused", super().json(make(rng)))

    def binary(self, make, rng):
        return self.count("refused", super().binary(make(rng)))

    def grpc(self, make, rng):
        return self.count("refused", super().grpc(make(rng)))

    def count(self, outcome, problem=None):
        self.outcomes["wrong" if problem else outcome] += 1
        return problem

    # Bytes on connections of their own.

    def raw_http(self, make, rng):
        broken = make(rng)
        try:
            status, body = self.http_answer(broken)
        except TimeoutError:
            return self.count("", f"neither an answer nor an end within {LIMIT} s")
        if status not in make.statuses:
            return self.count("", f"status {status}, not one of {make.statuses}: {body[:200]!r}")
        if status is None:
            return self.count("connection ended")
        if status == 200:
            problem = None if broken.right else wrong_numbers(broken.body, body)
            return self.count("answered", problem)
        if broken.right and status == 500 and not body.strip():
            return self.count("", f"status {status} without a cause")
        if status >= 500:
            return self.count(f"status {status}", undocumented(status, body))
        return self.count(f"status {status}", None if 400 <= status else f"status {status}")

    def http_answer(self, broken):
        """(status, body) of the answer; the status is None if the connection has only ended."""
        with socket.create_connection(
            ("127.0.0.1", self.running.port("HTTP")), LIMIT
        ) as connection:
            try:
                connection.sendall(broken.data)
                if broken.ends:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the server has ended the connection, maybe after an answer
            answer = http.client.HTTPResponse(connection)
            try:
                answer.begin()
                return answer.status, answer.read()
            except (http.client.HTTPException, ConnectionError):
                return None, b""

    def raw_grpc(self, make, rng):
        place = self.running.places["gRPC"]
        data = make(rng, place)
        try:
            with frames.Connection(place, LIMIT, begin=b"") as connection:
                kinds, payload = exchange(connection, data)
        except TimeoutError:
            return self.count("", f"the connection does not end within {LIMIT} s")
        if payload and WANTED not in payload:
            return self.count("", f"an answer of {len(payload)} bytes with other numbers")
        if payload:
            return self.count("answered")
        told = [kind for kind in kinds if kind in ("HEADERS", "RST_STREAM", "GOAWAY")]
        return self.count(told[0] if told else "connection ended")

    # Several things on a connection, and calls of other methods.

    def connections(self, make, rng):
        try:
            problem = make(rng, self.running.places)
        except (TimeoutError, EOFError, OSError) as error:
            problem = f"{type(error).__name__}: {error}"
        return self.count("connections", problem)

    def calls(self, make, rng):
        method, data = make(rng)
        path = f"/inference.GRPCInferenceService/{method}"
        try:
            self.client.channel.unary_unary(path)(data, timeout=LIMIT)
        except grpc.RpcError as error:
            code, text = error.code().name, error.details() or ""
            right = code in CODES or (code == "INTERNAL" and FAILURES.search(text))
            right = right and text.strip() and "bug in Trident" not in text
            return self.count(f"code {code}", None if right else f"{method}, {code}: {text[:200]}")
        return self.count("calls answered")


class _Ports:
    """The place of a server as the suite of the backend names it."""

    def __init__(self, http):
        self.http = http


def exchange(connection, data):
    """Send bytes; kinds of the frames that come back, and the bytes of messages among them."""
    kinds, payload = [], b""
    try:
        connection.send(data)
        connection.socket.settimeout(QUIET)
        while not kinds or kinds[-1] not in ("GOAWAY", "RST_STREAM"):
            try:
                kind, flags, _, content = connection.receive()
            except TimeoutError:
                # The server may wait for more. It gets no more, and has to end the connection.
                connection.socket.settimeout(LIMIT)
                connection.socket.shutdown(socket.SHUT_WR)
                continue
            kinds.append(kind)
            payload += content if kind == "DATA" else b""
            if kind == "HEADERS" and flags & frames.END_STREAM:
                break
    except (EOFError, ConnectionError, IndexError, struct.error):
        pass
    return kinds, payload


def wrong_numbers(sent, got):
    """None if an answer is that of the numbers in a request."""
    if sent is None:
        return f"status 200: {got[:100]!r}"
    try:
        # The server's reader ends at a NUL, and takes the first of equal names.
        text = sent.split(b"\0")[0].decode(errors="replace")
        [given] = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))["inputs"]
        [output] = json.loads(got)["outputs"]
        given = np.array(given["data"], np.float32).ravel() + np.float32(1)
        found = np.array(output["data"], np.float32).ravel()
    except (ValueError, KeyError, TypeError) as error:
        return f"status 200 for what is no request ({error}): {sent[:300]!r}"
    same = np.array_equal(given, found, equal_nan=True)
    return None if same else f"status 200 with other numbers: {sent[:300]!r}"


def undocumented(status, body):
    """None if an error of the server is one that is documented."""
    text = body.decode(errors="replace")
    if "bug in Trident" in text or "panick" in text:
        return f"status {status}: {text[:200]}"
    if status in (501, 503) or (status == 500 and FAILURES.search(text)):
        return None
    return f"status {status}: {text[:200]}"
