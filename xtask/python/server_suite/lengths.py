"""Requests of different lengths in one batch: ragged, and padded (server#8156, server#7777)."""

import numpy as np
from onnx import helper

from backend_suite import repository
from backend_suite.client import Grpc, Http, in_parallel
from backend_suite.loading import load_error

from .busy import http_of
from .server import Server

CLIENTS = 8
ROUNDS = 6
WIDTH = 8
WAIT = "dynamic_batching { max_queue_delay_microseconds: 20000 }"
PAD = 'parameters {{ key: "pad" value {{ string_value: "{}" }} }}'
TABLE = np.random.default_rng(1).normal(size=(16, WIDTH)).astype(np.float32)


def run(suite):
    folder = suite.folder / "lengths"
    models = repository.Repository(folder / "models")
    add_ragged(models)
    add_padded(models, "padded", "ids=0, mask=0")
    add_padded(models, "wrong", "ids=0, mask=1")
    flags = ("--model-control-mode=explicit", "--load-model=ragged", "--load-model=padded")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        for name, case in (("ragged", ragged), ("padded", padded)):
            for client in (Http, Grpc):
                told = f"{name} over {client.__name__.upper()}"
                suite.check(told, lambda case=case, client=client: case(running, client))
        suite.check("padding that changes results", lambda: refused(running))


def add_ragged(models):
    """SUM has a row for each request, TWICE the request's own shape."""
    inputs = {"X": ("FP32", ["elements"]), "BORDER": ("INT32", ["borders"])}
    outputs = {"SUM": ("FP32", ["N", 1]), "TWICE": ("FP32", ["elements"])}
    nodes = [
        helper.make_node("Add", ["X", "X"], ["TWICE"]),
        helper.make_node("CumSum", ["X", "zero"], ["sums"]),
        helper.make_node("Concat", ["nothing", "sums"], ["all"], axis=0),
        helper.make_node("Slice", ["BORDER", "begin", "last", "begin"], ["starts"]),
        helper.make_node("Slice", ["BORDER", "one", "end", "begin"], ["ends"]),
        helper.make_node("Gather", ["all", "starts"], ["before"]),
        helper.make_node("Gather", ["all", "ends"], ["after"]),
        helper.make_node("Sub", ["after", "before"], ["own"]),
        helper.make_node("Unsqueeze", ["own", "one"], ["SUM"]),
    ]
    number = {"begin": 0, "one": 1, "last": -1, "end": 1 << 30}
    constants = {name: np.array([value]) for name, value in number.items()}
    constants |= {"zero": np.array(0), "nothing": np.zeros(1, np.float32)}
    ragged = 'input { name: "X" data_type: TYPE_FP32 dims: [ -1, -1 ] allow_ragged_batch: true }'
    made = "kind: BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO"
    extra = f"""{ragged}
batch_input {{ {made} target_name: "BORDER" data_type: TYPE_INT32 source_input: "X" }}
batch_output {{ kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "TWICE" source_input: "X" }}
{WAIT}"""
    declared = {"SUM": ("FP32", [1]), "TWICE": ("FP32", [-1, -1])}
    text = repository.configuration({}, declared, batch=CLIENTS, extra=extra)
    models.add("ragged", repository.model(nodes, inputs, outputs, constants), text)


def add_padded(models, name, pad):
    """Attention over the positions that MASK tells, from a table of numbers for IDS."""
    inputs = {"ids": ("INT64", ["N", "S"]), "mask": ("INT64", ["N", "S"])}
    outputs = {"Y": ("FP32", ["N", "S", WIDTH])}
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["x"]),
        helper.make_node("Transpose", ["x"], ["keys"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["x", "keys"], ["raw"]),
        helper.make_node("Cast", ["mask"], ["real"], to=1),
        helper.make_node("Sub", ["real", "unit"], ["off"]),
        helper.make_node("Mul", ["off", "large"], ["low"]),
        helper.make_node("Unsqueeze", ["low", "one"], ["wide"]),
        helper.make_node("Add", ["raw", "wide"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "x"], ["Y"]),
    ]
    constants = {
        "table": TABLE,
        "unit": np.ones(1, np.float32),
        "large": np.array([1e5], np.float32),
        "one": np.array([1]),
    }
    extra = f"{WAIT}\n{PAD.format(pad)}"
    declared = [{key: (kind, dims[1:]) for key, (kind, dims) in part.items()}
                for part in (inputs, outputs)]  # fmt: skip
    text = repository.configuration(*declared, batch=CLIENTS, extra=extra)
    models.add(name, repository.model(nodes, inputs, outputs, constants), text)


def at_once(running, client, model, requests):
    """The answers to requests that are sent at the same time, and how many runs they took."""
    port = running.port("gRPC" if client is Grpc else "HTTP")
    statistics = http_of(running)
    before = statistics.settled_statistics(model)["execution_count"]
    clients = [client(port) for _ in requests]
    jobs = [
        lambda one=one, inputs=inputs: one.infer(model, inputs)
        for one, inputs in zip(clients, requests, strict=True)
    ]
    answers = in_parallel(jobs)
    for one in clients:
        one.close()
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    runs = statistics.settled_statistics(model)["execution_count"] - before
    return answers, runs


def ragged(running, client):
    random = np.random.default_rng(2)
    fewest = CLIENTS
    for _ in range(ROUNDS):
        items = [
            random.normal(size=(1, *random.integers(1, 9, 2))).astype(np.float32)
            for _ in range(CLIENTS)
        ]
        answers, runs = at_once(running, client, "ragged", [{"X": item} for item in items])
        fewest = min(fewest, runs)
        for item, answer in zip(items, answers, strict=True):
            np.testing.assert_array_equal(answer["TWICE"], item + item)
            expected = item.astype(np.float64).sum()
            # The model subtracts sums over the whole batch.
            np.testing.assert_allclose(answer["SUM"], [[expected]], rtol=0, atol=1e-3)
    assert fewest < CLIENTS, "no two requests have shared a batch"


def padded(running, client):
    random = np.random.default_rng(3)
    fewest = CLIENTS
    for _ in range(ROUNDS):
        requests = []
        for _ in range(CLIENTS):
            shape = (1, int(random.integers(5, 9)))
            requests.append(
                {"ids": random.integers(0, 16, shape), "mask": np.ones(shape, np.int64)}
            )
        answers, runs = at_once(running, client, "padded", requests)
        fewest = min(fewest, runs)
        for request, answer in zip(requests, answers, strict=True):
            x = TABLE.astype(np.float64)[request["ids"]]
            scores = x @ x.transpose(0, 2, 1)
            p = np.exp(scores - scores.max(-1, keepdims=True))
            expected = p / p.sum(-1, keepdims=True) @ x
            np.testing.assert_allclose(answer["Y"], expected, rtol=0, atol=1e-5)
    assert fewest < CLIENTS, "no two requests have shared a batch"


def refused(running):
    cause = load_error(http_of(running), "wrong")
    start = "parameter 'pad' of model 'wrong': padding changes results: on synthetic inputs"
    assert start in cause and "of output 'Y'" in cause, cause
