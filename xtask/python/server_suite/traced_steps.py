"""Traces of ensembles: those of their steps, beside those of the real server."""

import functools
import json
import pathlib

from backend_suite import repository
from checks import title

from .busy import http_of, until
from .models import ensemble
from .observed import Collector, Theirs, ask_http, config, form, otel, traced, tree
from .server import Server


def run(suite):
    folder = suite.folder / "traced_steps"
    models = models_with_ensemble(folder)
    start = functools.partial(Server, suite.trident, models)
    for check in (times_and_tensors, failed):
        suite.check(title(check), functools.partial(check, start, folder))
    for check in (same_files, same_spans):
        suite.check(title(check), functools.partial(check, start, models, folder))


def models_with_ensemble(folder):
    """A repository with `outer`, whose only step is `twice`, which adds 1 in each of two steps.

    The step of `fails` looks up numbers in a table of 10.
    """
    models = repository.Repository(folder / "models")
    repository.add_one(models, size=4)
    inputs, outputs = {"INPUT0": ("FP32", [4])}, {"OUTPUT0": ("FP32", [4])}
    once = ("add", {"INPUT0": "INPUT0"}, {"OUTPUT0": "half"})
    again = ("add", {"INPUT0": "half"}, {"OUTPUT0": "OUTPUT0"})
    inner = ("twice", {"INPUT0": "INPUT0"}, {"OUTPUT0": "OUTPUT0"})
    for name, steps in (("twice", [once, again]), ("outer", [inner])):
        text = ensemble(inputs, outputs, steps, extra="max_batch_size: 8")
        models.add(name, None, text)
    index = {"INPUT0": ("INT64", [1])}
    repository.lookup(models)
    fails = [("lookup", {"INPUT0": "INPUT0"}, {"OUTPUT0": "OUTPUT0"})]
    text = ensemble(index, {"OUTPUT0": ("FP32", [1])}, fails, extra="max_batch_size: 8")
    models.add("fails", None, text)
    return models.folder


def facts(objects):
    """The first object of a trace, and the names of its times."""
    times = [time for one in objects for time in one.get("timestamps", [])]
    return objects[0], times


def times_and_tensors(start, folder):
    """A request to an ensemble has a trace, and so has each request that the ensemble makes."""
    file = folder / "steps"
    flags = config("level=TIMESTAMPS", "level=TENSORS", "rate=1", f"triton,file={file}")
    with start(folder / "steps.log", flags) as running:
        assert ask_http(running, "r", model="outer") == 200
        until(file.exists, "there is a trace")
    outer, twice, once, again = traced(file).values()
    heads = [objects[0] for objects in (outer, twice, once, again)]
    assert [head["model_name"] for head in heads] == ["outer", "twice", "add", "add"], heads
    assert {head["request_id"] for head in heads} == {"r"}, heads
    parents = [head.get("parent_id") for head in heads]
    ids = [head["id"] for head in heads]
    assert parents == [None, ids[0], ids[1], ids[1]], heads
    start_of, end_of = {}, {}
    for objects in (outer, twice, once, again):
        head, times = facts(objects)
        points = {time["name"]: time["ns"] for time in times}
        start_of[head["id"]], end_of[head["id"]] = points["REQUEST_START"], points["REQUEST_END"]
        tensors = [one["tensor"]["data"] for one in objects if "tensor" in one]
        assert len(tensors) == 2, objects
    for head in heads[1:]:
        own, parent = head["id"], head["parent_id"]
        assert start_of[parent] <= start_of[own] <= end_of[own] <= end_of[parent], heads
    assert end_of[ids[2]] <= start_of[ids[3]], "the second step began before the end of the first"
    data = [one["tensor"]["data"].split(",") for one in again if "tensor" in one]
    assert [[float(x) for x in part] for part in data] == [[1, 2, 3, 4], [2, 3, 4, 5]], again


def failed(start, folder):
    """A step that cannot run has a trace, too, and its span has the error."""
    with Collector() as collector:
        with start(folder / "failed.log", otel(collector.url, 1)) as running:
            tensor = {"name": "INPUT0", "datatype": "INT64", "shape": [1, 1], "data": [10]}
            body = json.dumps({"inputs": [tensor]})
            answer = http_of(running).call("POST", "/v2/models/fails/infer", body)
            assert answer.status == 500, answer
            until(lambda: len(collector.spans()) >= 3, "spans come")
    failed = [span for span in collector.spans() if "status" in span]
    names = sorted(span["name"] for span in failed)
    assert names == ["InferRequest", "lookup"], names
    for span in failed:
        assert "outside an axis" in span["status"]["message"], span


def same_files(start, models, folder):
    """Files have the traces of steps that the real server's have."""
    found = {}
    for name, begin in (("ours", start), ("theirs", functools.partial(Theirs, models))):
        file = folder / f"same-{name}"
        frequency = "triton,log-frequency=1"
        flags = config(
            "level=TIMESTAMPS", "level=TENSORS", "rate=1", f"triton,file={file}", frequency
        )
        with begin(folder / f"same-{name}.log", flags) as running:
            assert ask_http(running, "http", model="outer") == 200
            until(pathlib.Path(f"{file}.0").exists, "there is a trace")
        found[name] = {number: form(objects) for number, objects in traced(f"{file}.0").items()}
    assert found["ours"] == found["theirs"], found


def same_spans(start, models, folder):
    """Spans of steps have the parents, attributes and events of the real server's."""
    found = {}
    for name, begin in (("ours", start), ("theirs", functools.partial(Theirs, models))):
        with Collector() as collector:
            with begin(folder / f"spans-{name}.log", otel(collector.url, 1)) as running:
                assert ask_http(running, "http", model="outer") == 200
                until(lambda collector=collector: len(collector.spans()) >= 7, "spans come")
            found[name] = tree(collector.spans())
    assert found["ours"] == found["theirs"], found
