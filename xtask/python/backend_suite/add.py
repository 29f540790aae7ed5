"""The smallest model over every protocol, many clients at once, and the statistics."""

import numpy as np

from . import paddle, repository
from .client import Grpc, Http, in_parallel, metrics
from .server import NAMES
from .tensors import expect

CLIENTS, EACH = 64, 20
BATCHING = "dynamic_batching { max_queue_delay_microseconds: 100 }"


def rows(seed, count=1):
    return np.random.default_rng(seed).standard_normal((count, 16)).astype(np.float32)


def one_more(infer, seed, count=1, result="OUTPUT0"):
    """Check the answer of `infer`, a function from inputs to outputs."""
    x = rows(seed, count)
    expect({result: x + np.float32(1)}, infer({"INPUT0": x}))


def run(suite):
    models = suite.repository()
    repository.add_one(models, extra=BATCHING)
    for name in NAMES:
        if name == "paddle":
            paddle.add_one(models, f"add_{name}", extra=BATCHING)
        else:
            repository.add_one(models, f"add_{name}", extra=BATCHING, backend=name)
    with suite.serve(models, ["add"]) as (running, http, grpc):

        def check(case, function):
            suite.check(case, function, running)

        check("HTTP JSON", lambda: one_more(lambda x: http.infer("add", x, binary=False), 1))
        check("HTTP binary", lambda: one_more(lambda x: http.infer("add", x), 2))
        check("gRPC raw", lambda: one_more(lambda x: grpc.infer("add", x), 3))
        check("batch of 8", lambda: one_more(lambda x: http.infer("add", x), 4, 8))
        check("64 clients over HTTP", lambda: clients_http(running))
        check("64 clients over gRPC", lambda: clients_grpc(running))
        check("statistics", lambda: statistics(running, http))
        for name in NAMES:
            result = paddle.RESULT if name == "paddle" else "OUTPUT0"
            model = (http, f"add_{name}", result)
            check(f"as {name}", lambda model=model: under_name(*model))


def under_name(http, name, result):
    http.load(name)
    one_more(lambda x: http.infer(name, x), 5, result=result)


def clients_http(running):
    def work(k):
        http = Http(running.http)
        for turn in range(EACH):
            x = rows(k * EACH + turn)
            got = http.infer("add", {"INPUT0": x}, binary=turn % 2 == 0)
            expect({"OUTPUT0": x + np.float32(1)}, got)
        http.close()

    raise_first(in_parallel([lambda k=k: work(k) for k in range(CLIENTS)]))


def clients_grpc(running):
    client = Grpc(running.grpc)

    def work(k):
        for turn in range(EACH):
            one_more(lambda x: client.infer("add", x), k * EACH + turn)

    raise_first(in_parallel([lambda k=k: work(k) for k in range(CLIENTS)]))
    client.close()


def raise_first(outcomes):
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome


def statistics(running, http):
    """Counters agree with the requests sent, and requests were put together."""
    before = http.settled_statistics("add")
    clients_http(running)
    after = http.settled_statistics("add")
    requests = CLIENTS * EACH
    told = {
        "success": count(after, "success") - count(before, "success"),
        "queue": count(after, "queue") - count(before, "queue"),
        "inferences": after["inference_count"] - before["inference_count"],
    }
    assert set(told.values()) == {requests}, f"{told} for {requests} requests"
    assert count(after, "fail") == 0, "requests have failed"
    executions = after["execution_count"] - before["execution_count"]
    assert 0 < executions <= requests, f"{executions} executions for {requests} requests"
    sizes = [entry["batch_size"] for entry in after["batch_stats"]]
    assert max(sizes) > 1, f"{requests} requests of {CLIENTS} clients, none put together"
    assert max(sizes) <= 8, f"a batch of {max(sizes)}"
    parts = sum(
        entry["batch_size"] * entry["compute_infer"]["count"] for entry in after["batch_stats"]
    )
    assert parts == after["inference_count"], f"{parts} rows in batches"
    for part in ("compute_input", "compute_infer", "compute_output"):
        assert after["inference_stats"][part]["count"] == count(after, "success"), part
    page = metrics(running.metrics)
    series = 'nv_inference_request_success{model="add",version="1"}'
    assert page[series] == count(after, "success"), f"{series} is {page[series]}"


def count(statistics, name):
    return statistics["inference_stats"][name]["count"]
