"""Sequences of requests: control tensors, implicit state, and slots that nobody fills."""

import numpy as np
from onnx import helper

from . import repository
from .client import Http, in_parallel

# A second, so that two requests arrive within it on a busy machine. Each step waits for all of it.
# The other sequences are idle meanwhile, and the server would end them after a second without IDLE.
DIRECT = "direct { max_queue_delay_microseconds: 1000000 minimum_slot_utilization: 1.0 }"
IDLE = "max_sequence_idle_microseconds: 60000000"
STATE = """\
state [ {
  input_name: "STATE_IN" output_name: "STATE_OUT" data_type: TYPE_FP32 dims: [ 1 ]
  initial_state: { data_type: TYPE_FP32 dims: [ 1 ] zero_data: true name: "zero" }
} ]"""


def run(suite):
    models = suite.repository()
    marks(models)
    running_sums(models)
    marks(models, "marks_in_slots", DIRECT)
    running_sums(models, "sums_in_slots", DIRECT)
    with suite.serve(models, ["marks"]) as (running, http, _):
        suite.check("control tensors", lambda: controls(http), running)
        suite.check("state tensors", lambda: states(suite, http), running)
        for name, want in (("marks_in_slots", (10, 30)), ("sums_in_slots", (11, 33))):
            suite.check(
                f"slots without requests, {name}",
                lambda name=name, want=want: slots(suite, running, http, name, want),
                running,
            )


def control(name, kind, false_true):
    return f'{{ name: "{name}" control [ {{ kind: {kind} {false_true} }} ] }}'


def marks(models, name="marks", strategy=""):
    """OUTPUT = INPUT + 100 START + 1000 END, from control tensors of two types."""
    inputs, outputs = {"INPUT": ("FP32", [1])}, {"OUTPUT": ("FP32", [1])}
    controls = [
        control("START", "CONTROL_SEQUENCE_START", "fp32_false_true: [ 0, 100 ]"),
        control("END", "CONTROL_SEQUENCE_END", "int32_false_true: [ 0, 1000 ]"),
    ]
    nodes = [
        helper.make_node("Cast", ["END"], ["end"], to=repository.element("FP32")),
        helper.make_node("Add", ["START", "end"], ["marks"]),
        helper.make_node("Add", ["INPUT", "marks"], ["OUTPUT"]),
    ]
    graph_inputs = inputs | {"START": ("FP32", [1]), "END": ("INT32", [1])}
    graph = repository.model(nodes, repository.batched(graph_inputs), repository.batched(outputs))
    extra = f"sequence_batching {{ {IDLE} {strategy} control_input [ {', '.join(controls)} ] }}"
    models.add(name, graph, repository.configuration(inputs, outputs, batch=4, extra=extra))


def running_sums(models, name="running_sums", strategy=""):
    """OUTPUT = the sum of the sequence's inputs so far, in implicit state."""
    inputs, outputs = {"INPUT": ("FP32", [1])}, {"OUTPUT": ("FP32", [1])}
    nodes = [
        helper.make_node("Add", ["INPUT", "STATE_IN"], ["OUTPUT"]),
        helper.make_node("Identity", ["OUTPUT"], ["STATE_OUT"]),
    ]
    graph = repository.model(
        nodes,
        repository.batched(inputs | {"STATE_IN": ("FP32", [1])}),
        repository.batched(outputs | {"STATE_OUT": ("FP32", [1])}),
    )
    extra = f"sequence_batching {{ {IDLE} {strategy} {STATE} }}"
    models.add(name, graph, repository.configuration(inputs, outputs, batch=4, extra=extra))


def step(http, name, correlation, value, start=False, end=False):
    parameters = {
        "sequence_id": correlation,
        "sequence_start": start,
        "sequence_end": end,
    }
    x = np.array([[value]], np.float32)
    return float(http.infer(name, {"INPUT": x}, parameters=parameters)["OUTPUT"][0, 0])


def controls(http):
    got = [
        step(http, "marks", 5, 1, start=True),
        step(http, "marks", 5, 2),
        step(http, "marks", 5, 3, end=True),
        step(http, "marks", 6, 4, start=True, end=True),
    ]
    assert got == [101, 2, 1003, 1104], f"{got}"


def states(suite, http):
    suite.not_in_reference("has no states")
    http.load("running_sums")
    for _ in range(2):  # a sequence of the same number begins anew
        first = [step(http, "running_sums", 1, 2, start=True), step(http, "running_sums", 1, 3)]
        other = step(http, "running_sums", 2, 10, start=True)
        last = [
            step(http, "running_sums", 1, 4, end=True),
            step(http, "running_sums", 2, 1, end=True),
        ]
        assert [*first, other, *last] == [2, 5, 10, 9, 11], f"{first} {other} {last}"


def slots(suite, running, http, name, want):
    """Of three sequences two go on: the server fills the slot between them with a request of its
    own, which wants no outputs.
    """
    suite.not_in_reference("does not look which outputs are asked for")
    http.load(name)

    def later(k, **ends):
        return step(Http(running.http), name, k, 10 * k, **ends)

    for k in (1, 2, 3):
        step(http, name, k, k, start=True)
    found = in_parallel([lambda k=k: later(k) for k in (1, 3)])
    assert tuple(found) == want, f"{found} instead of {want}"
    # The server's own request is one, too.
    success = http.settled_statistics(name)["inference_stats"]["success"]["count"]
    fails = http.settled_statistics(name)["inference_stats"]["fail"]["count"]
    assert (success, fails) == (5, 0), f"{success} successes, {fails} failures"
    assert "null request" not in running.said(), "a response to the server's own request"
