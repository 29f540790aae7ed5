"""Requests that are wrong in many ways, each made by its seed and number: an error each time."""

import random

import grpc
import numpy as np

from . import repository
from .client import HEADER, Http
from .tensors import expect
from .wrong import BINARY_KINDS, GRPC_KINDS, JSON_KINDS

EVERY = 250  # requests between two good ones


def run(suite):
    models = suite.repository()
    repository.add_one(models)
    repository.sum_and_difference(models, "pair")
    repository.lookup(models)
    repository.parse(models)
    with suite.serve(models, ["add", "pair", "lookup", "parse"]) as (running, http, grpc_client):
        count = suite.options.malformed
        sender = Sender(running, grpc_client)
        for part, (name, kinds, send) in enumerate(
            (
                ("HTTP JSON", JSON_KINDS, sender.json),
                ("HTTP binary", BINARY_KINDS, sender.binary),
                ("gRPC", GRPC_KINDS, sender.grpc),
            )
        ):
            numbers = range(part, count, 3)

            def all_refused(kinds=kinds, send=send, numbers=numbers):
                refuse_all(suite, running, http, kinds, send, numbers)

            suite.check(f"{len(numbers)} over {name}", all_refused, running, limit=600)
        sender.http.close()
        suite.check("good requests after them", lambda: good(http, grpc_client), running)


def refuse_all(suite, running, http, kinds, send, numbers):
    """Send one request for each number; every one must be refused with a cause."""
    wrong = []
    for turn, number in enumerate(numbers):
        rng = random.Random(f"{suite.options.seed} {number}")
        make = kinds[turn % len(kinds)]
        problem = send(make(rng))
        if problem:
            wrong.append(f"number {number} ({make.__name__}): {problem}")
            if running.process.poll() is not None:
                raise AssertionError(f"the last of these ended the server: {'; '.join(wrong[-3:])}")
        if turn % EVERY == EVERY - 1:
            good_over_http(http)
    if wrong:
        kinds_told = sorted({line.split("(")[1].split(")")[0] for line in wrong})
        raise AssertionError(
            f"{len(wrong)} of {len(numbers)} are not refused with a cause: "
            f"{', '.join(kinds_told)}; {'; '.join(wrong[:3])}"
        )


class Sender:
    """Sends a malformed request; None if the answer is an error with a cause, else what it is."""

    def __init__(self, running, grpc_client):
        self.http, self.client = Http(running.http), grpc_client
        self.raw = grpc_client.channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")

    def post(self, model, body, headers):
        try:
            answer = self.http.call("POST", f"/v2/models/{model}/infer", body, headers)
        except OSError as error:
            return f"no answer: {error!r}"
        if answer.status < 400:
            return f"status {answer.status}: {answer.body[:80]!r}"
        return None if answer.error().strip() else f"no cause: {answer.body[:80]!r}"

    def json(self, made):
        model, body = made
        return self.post(model, body, {})

    def binary(self, made):
        model, body, length = made
        return self.post(model, body, {HEADER: length})

    def grpc(self, made):
        data = made if isinstance(made, bytes) else made.SerializeToString()
        try:
            answer = self.raw(data, timeout=self.client.limit)
        except grpc.RpcError as error:
            lost = error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
            named = error.code().name
            return None if error.details() and not lost else f"{named}: {error.details()!r}"
        return f"an answer of {len(answer)} bytes"


def good_over_http(http):
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    expect({"OUTPUT0": x + np.float32(1)}, http.infer("add", {"INPUT0": x}))


def good(http, grpc_client):
    """All models answer good requests, by both protocols."""
    for infer in (http.infer, grpc_client.infer):
        x = np.arange(16, dtype=np.float32).reshape(1, 16)
        expect({"OUTPUT0": x + np.float32(1)}, infer("add", {"INPUT0": x}))
        a, b = np.array([[1, 2, 3, 4]], np.int32), np.array([[5, 6, 7, 8]], np.int32)
        expect({"OUTPUT0": a + b, "OUTPUT1": a - b}, infer("pair", {"INPUT0": a, "INPUT1": b}))
        index = np.array([[3], [-1]])
        expect({"OUTPUT0": np.float32([[13], [19]])}, infer("lookup", {"INPUT0": index}))
        texts = np.array([["12", "-7"]], object)
        expect({"OUTPUT0": np.array([[12, -7]], np.int32)}, infer("parse", {"INPUT0": texts}))
