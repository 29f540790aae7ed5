"""Runs that last until their clients leave, and what the server does about it."""

import contextlib
import http.client
import time

import numpy as np

from backend_suite.client import Http, counter, request

ENDLESS = 1 << 40  # rounds of the model `countdown`, which take months
LIMIT = 20  # seconds that a machine that does much else may need for what takes milliseconds


def until(condition, what, limit=LIMIT):
    """Wait for a condition; its value."""
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.003)
    return value


def http_of(running):
    """A connection over HTTP, for one thread."""
    return Http(running.port("HTTP"))


def rounds(count):
    return {"INPUT0": np.array([count])}


def send(running, model, inputs, parameters=None):
    """A connection on which a request was sent, whose answer nobody has read."""
    body, _ = request(inputs, binary=False, parameters=parameters)
    connection = http.client.HTTPConnection(running.places["HTTP"], timeout=LIMIT)
    connection.request("POST", f"/v2/models/{model}/infer", body)
    return connection


def ended(running, model, *reasons):
    """How many requests of a model have failed for one of these reasons."""
    name, place = "nv_inference_request_failure", running.port("metrics")
    reasons = reasons or ("CANCELED",)
    return sum(counter(place, name, model=model, reason=reason) for reason in reasons)


def pending(running, model):
    """How many requests wait in the queue of a model."""
    return counter(running.port("metrics"), "nv_inference_pending_request_count", model=model)


def is_busy(running):
    """Whether a run takes a core."""
    before = running.processor_time()
    time.sleep(0.06)
    return running.processor_time() - before > 0.01


def is_idle(running):
    before = running.processor_time()
    time.sleep(0.1)
    return running.processor_time() - before <= 0.02


@contextlib.contextmanager
def endless(running, model):
    """A run of a model that has begun. At the end of the block its client leaves."""
    connection = send(running, model, rounds(ENDLESS))
    try:
        until(lambda: is_busy(running), "a run takes a core")
        yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def cancels(running, model, count=1, reasons=("CANCELED",)):
    """Runs of the model are cancelled by what the block does, and their cores are idle then."""
    before = ended(running, model, *reasons)
    yield
    until(lambda: ended(running, model, *reasons) >= before + count, "the run is cancelled")
    assert ended(running, model, *reasons) == before + count, "more is cancelled than was to be"
    until(lambda: is_idle(running), "the core is idle")
