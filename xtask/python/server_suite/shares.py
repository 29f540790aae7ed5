"""Fair shares of the cores, suspended runs, and the priorities of one model's requests."""

import contextlib
import os
import struct
import threading
import time

import numpy as np
from tritonclient.grpc import service_pb2

from backend_suite import repository
from backend_suite.client import counter, in_parallel
from backend_suite.tensors import expect
from checks import title

from . import frames
from .busy import ENDLESS, LIMIT, cancels, endless, http_of, is_busy, pending, rounds, send, until
from .models import add_recorded
from .server import Server

CORES = len(os.sched_getaffinity(0))
INSTANCES = f"instance_group [ {{ kind: KIND_CPU count: {CORES} }} ]"
ONE = "instance_group [ { kind: KIND_CPU count: 1 } ]"
WINDOW = 1.5  # seconds after which two saturated models are compared
WINDOWS = 4  # in all, if the first ones disagree
TOLERANCE = 0.07  # the clients take some time of the same cores
LEVELS = "dynamic_batching { priority_levels: 2 default_priority_level: 2 }"
WEIGHTS = {  # models, with the weight of their share
    "usual": "",
    "equal": "",
    "most": "optimization { priority: PRIORITY_MAX }",
    "triple": 'parameters { key: "share" value { string_value: "300" } }',
}


def run(suite):
    folder = suite.folder / "shares"
    models = repository.Repository(folder / "models")
    for name, weight in WEIGHTS.items():
        repository.countdown(models, name, f"{INSTANCES} {weight}")
    repository.countdown(models, "levels", f"{ONE} {LEVELS}")
    repository.add_one(models)
    add_recorded(models, "repeat_int32")
    with Server(suite.trident, models.folder, folder / "log") as running:
        for function in CHECKS:
            suite.check(title(function), lambda function=function: function(running))
        suite.check("no panic in the log", running.no_panic)


def infer(running, model, count, priority=0):
    parameters = {"priority": priority} if priority else None
    client = http_of(running)
    try:
        return client.infer(model, rounds(count), parameters=parameters)
    finally:
        client.close()


def rounds_of(running, seconds):
    """How many rounds take about so long."""
    count = 2000
    start = time.monotonic()
    infer(running, "usual", count)
    return max(1, int(count * seconds / (time.monotonic() - start)))


@contextlib.contextmanager
def saturated(running, *models):
    """Clients that ask for more than each model can do; {model: the times of its answers}."""
    count, is_over = rounds_of(running, 0.02), threading.Event()
    answers = {model: [] for model in models}

    def client(model):
        while not is_over.is_set():
            infer(running, model, count)
            answers[model].append(time.monotonic())

    names = [model for model in models for _ in range(CORES + 1)]
    threads = [threading.Thread(target=client, args=(model,)) for model in names]
    for thread in threads:
        thread.start()
    try:
        until(lambda: all(answers.values()), "all models answer")
        yield answers
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def expect_part(running, model, expected):
    """Expect the part of all answers that a model gets beside another one."""
    with saturated(running, model, "usual") as answers:
        start = time.monotonic()
        # Other work of the machine disturbs a window, and evens out over several.
        for _ in range(WINDOWS):
            time.sleep(WINDOW)
            own, others = (sum(start <= at for at in answers[name]) for name in (model, "usual"))
            part = own / (own + others)
            if abs(part - expected) <= TOLERANCE:
                return
    raise AssertionError(f"{part:.3f} instead of {expected}")


@contextlib.contextmanager
def all_cores(running, model):
    """Runs of a model that would last for months, one on each core."""
    with contextlib.ExitStack() as stack:
        for _ in range(CORES):
            stack.enter_context(endless(running, model))
        yield


def equal_shares(running):
    """Two saturated models of equal weight get half of the cores each (#5633)."""
    expect_part(running, "equal", 0.5)


def priority_of_a_model(running):
    """A model of PRIORITY_MAX gets four times the share of others."""
    expect_part(running, "most", 0.8)


def parameter_share(running):
    """The parameter share of a model is its weight."""
    expect_part(running, "triple", 0.75)


def long_runs(running):
    """A short run does not wait for long ones of another model on all cores."""
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    with all_cores(running, "usual"):
        client = http_of(running)
        for _ in range(10):
            expect({"OUTPUT0": x + 1}, client.infer("add", {"INPUT0": x}))
        client.close()
        assert is_busy(running), "the long runs have ended"


def same_results(running):
    """Runs that are suspended have the results of runs alone."""
    count = rounds_of(running, 0.2)
    alone = infer(running, "usual", count)
    with all_cores(running, "equal"):
        jobs = [lambda: infer(running, "usual", count)] * (CORES + 1)
        for beside in in_parallel(jobs):
            expect(alone, beside)


def suspended(running):
    return counter(running.port("metrics"), "trident_suspended_runs")


def leaves(running):
    """Suspended runs end when their clients leave."""
    most, usual = (cancels(running, model, CORES) for model in ("most", "usual"))
    with most, usual, all_cores(running, "usual"):
        # There are more runs than cores, so some are suspended at any time.
        clients = [send(running, "most", rounds(ENDLESS)) for _ in range(CORES)]
        until(lambda: suspended(running) == CORES, "runs are suspended")
        for client in clients:
            client.close()


def slow_reader(running):
    """A stream whose client does not read suspends its run until it does."""
    count = 3000  # answers, which are more than the client's first window has room for
    message = service_pb2.ModelInferRequest(model_name="repeat_int32", id="slow")
    for name, kind, array in (
        ("IN", "INT32", np.arange(count, dtype=np.int32)),
        ("DELAY", "UINT32", np.zeros(count, np.uint32)),
        ("WAIT", "UINT32", np.zeros(1, np.uint32)),
    ):
        message.inputs.add(name=name, datatype=kind, shape=array.shape)
        message.raw_input_contents.append(array.tobytes())
    with frames.Connection(running.places["gRPC"]) as connection:
        stream = connection.call("ModelStreamInfer", message.SerializeToString())
        until(lambda: suspended(running) == 1, "the run is suspended")
        infer(running, "usual", 1)
        assert suspended(running) == 1
        for place in (0, stream):
            more = frames.frame("WINDOW_UPDATE", 0, place, struct.pack(">I", 1 << 24))
            connection.send(more)
        kinds = connection.kinds_until_end(LIMIT)
        assert kinds.count("DATA") >= count, f"{len(kinds)} frames"
        until(lambda: suspended(running) == 0, "the run goes on")
    with frames.Connection(running.places["gRPC"]) as connection:
        connection.call("ModelStreamInfer", message.SerializeToString())
        until(lambda: suspended(running) == 1, "the run is suspended")
    until(lambda: suspended(running) == 0, "the run ends when its client leaves")


def levels(running):
    """A request of a higher level goes before others of its model that came earlier."""
    order, count = [], rounds_of(running, 0.1)

    def ask(priority):
        infer(running, "levels", count, priority)
        order.append(priority)

    with endless(running, "levels"):
        threads = [threading.Thread(target=ask, args=(priority,)) for priority in (2, 2, 1)]
        for waiting, thread in enumerate(threads, 1):
            thread.start()
            until(lambda waiting=waiting: pending(running, "levels") == waiting, "it waits")
        assert not order, "the run of the only instance has ended"
    for thread in threads:
        thread.join(LIMIT)
    assert order == [1, 2, 2], order


CHECKS = (
    equal_shares,
    priority_of_a_model,
    parameter_share,
    long_runs,
    same_results,
    leaves,
    slow_reader,
    levels,
)
