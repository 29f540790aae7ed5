"""What users of other servers ask for, by the numbers of their issues.

The group `timers` has those about timers, clients that leave and sequences, and the group `shares`
those about fair shares of the cores.
"""

import json
import re
import time
from functools import partial

import grpc
import numpy as np
from onnx import helper

from backend_suite import repository
from backend_suite.client import counter, in_parallel
from backend_suite.tensors import expect
from checks import title

from .busy import http_of, until
from .mistakes import refused, run_program
from .observed import ask_for_events, ask_grpc, ask_http, observed_models
from .server import Server

DELAY = "dynamic_batching { max_queue_delay_microseconds: 20000 }"


def run(suite):
    folder = suite.folder / "asked_for"
    models = repository.Repository(folder / "models")
    dense(models, "rows", axis=-1)
    dense(models, "mixed", axis=0)
    repository.add_one(models, extra=DELAY)
    ragged(models)
    repository.add_one(models, "gpu", extra="instance_group [ { kind: KIND_GPU gpus: [ 0 ] } ]")
    with Server(suite.trident, models.folder, folder / "log") as running:
        for function in (
            same_bits,
            mixed_rows,
            own_answers,
            other_lengths,
            gpu_on_the_cpu,
        ):
            name = title(function)
            suite.check(name, partial(function, running))
        running.alive()
    for function in (idle_model, memory_of_models, strict_kind, json_lines, request_lines):
        name = title(function)
        suite.check(name, partial(function, suite, folder / function.__name__))


def dense(models, name, axis):
    """OUTPUT0 = a softmax of INPUT0 by a matrix, over the values of a row or over the rows."""
    inputs, outputs = {"INPUT0": ("FP32", [64])}, {"OUTPUT0": ("FP32", [64])}
    nodes = [
        helper.make_node("MatMul", ["INPUT0", "matrix"], ["product"]),
        helper.make_node("Softmax", ["product"], ["OUTPUT0"], axis=axis),
    ]
    matrix = np.random.default_rng(5640).standard_normal((64, 64)).astype(np.float32)
    graph = repository.model(
        nodes, repository.batched(inputs), repository.batched(outputs), {"matrix": matrix}
    )
    text = repository.configuration(inputs, outputs, batch=8, extra=DELAY)
    models.add(name, graph, text)


def alone_and_together(running, name, count=8):
    """Answers of requests one by one, and of the same at the same time, with the batches made."""
    rows = np.random.default_rng(7).standard_normal((count, 1, 64)).astype(np.float32)
    alone = [http_of(running).infer(name, {"INPUT0": row}) for row in rows]
    before = executions(running, name)
    together = in_parallel([partial(http_of(running).infer, name, {"INPUT0": row}) for row in rows])
    for want, got in zip(alone, together, strict=True):
        assert isinstance(got, dict), got
        expect(want, got)
    return executions(running, name) - before


def executions(running, name):
    return http_of(running).settled_statistics(name)["execution_count"]


def same_bits(running):
    """Requests that share a batch have the same bits as alone (#5640)."""
    runs = alone_and_together(running, "rows")
    assert runs < 8, "no batch was made"


def mixed_rows(running):
    """Requests to a model that mixes rows do not share a batch (#5640)."""
    runs = alone_and_together(running, "mixed")
    assert runs == 8, f"{runs} runs of 8 requests"
    told = [line for line in running.said().splitlines() if "'mixed'" in line]
    assert any("softmax `OUTPUT0` computes across axis 0" in line for line in told), told


def own_answers(running):
    """Of 320 requests that share batches, each gets its own answer (MLServer #1306)."""
    before = executions(running, "add")

    def ask(thread):
        client = http_of(running)
        for turn in range(20):
            rows = 1 + (thread + turn) % 4
            x = np.full((rows, 16), 1000 * thread + turn, np.float32)
            expect({"OUTPUT0": x + np.float32(1)}, client.infer("add", {"INPUT0": x}))
        client.close()

    found = in_parallel([partial(ask, thread) for thread in range(16)])
    assert found == [None] * 16, [error for error in found if error]
    assert executions(running, "add") - before < 320, "no batch was made"


def ragged(models, name="ragged"):
    """OUTPUT0 = 2 INPUT0, whose requests of any lengths reach the model as one list."""
    node = helper.make_node("Add", ["INPUT0", "INPUT0"], ["OUTPUT0"])
    graph = repository.model([node], {"INPUT0": ("FP32", ["n"])}, {"OUTPUT0": ("FP32", ["n"])})
    text = f"""
max_batch_size: 8
input {{ name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }}
output {{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }}
batch_output {{
  kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "OUTPUT0" source_input: "INPUT0"
}}
{DELAY}
"""
    models.add(name, graph, text)


def other_lengths(running):
    """Requests of different lengths share a ragged batch, and get their own parts (#8156)."""
    before = executions(running, "ragged")

    def ask(length):
        x = np.full((1, length), length, np.float32)
        found = http_of(running).infer("ragged", {"INPUT0": x})
        expect({"OUTPUT0": x + x}, found)

    found = in_parallel([partial(ask, length) for length in range(1, 17)])
    assert found == [None] * 16, [error for error in found if error]
    assert executions(running, "ragged") - before < 16, "no batch was made"


def gpu_on_the_cpu(running):
    """A model that asks for a GPU is served by the CPU, and its configuration says so (#7628)."""
    x = np.ones((1, 16), np.float32)
    expect({"OUTPUT0": x + np.float32(1)}, http_of(running).infer("gpu", {"INPUT0": x}))
    [group] = http_of(running).get("/v2/models/gpu/config")["instance_group"]
    assert group["kind"] == "KIND_CPU" and not group["gpus"], json.dumps(group)


def weights(models, name, mebibytes):
    """OUTPUT0 = INPUT0 by a matrix of so many MiB."""
    columns = mebibytes << 14
    inputs, outputs = {"INPUT0": ("FP32", [16])}, {"OUTPUT0": ("FP32", [columns])}
    node = helper.make_node("MatMul", ["INPUT0", "matrix"], ["OUTPUT0"])
    matrix = np.ones((16, columns), np.float32)
    graph = repository.model(
        [node], repository.batched(inputs), repository.batched(outputs), {"matrix": matrix}
    )
    models.add(name, graph, repository.configuration(inputs, outputs, batch=1))


def ask_weights(running, name):
    x = np.ones((1, 16), np.float32)
    found = http_of(running).infer(name, {"INPUT0": x})["OUTPUT0"]
    assert np.all(found == 16), found


def model_bytes(running, name):
    return counter(running.port("metrics"), "trident_model_memory_bytes", model=name)


def idle_model(suite, folder):
    """A model that nobody asks for gives its memory back until it is asked for (#7279)."""
    models = repository.Repository(folder / "models")
    weights(models, "large", 32)
    with Server(suite.trident, models.folder, folder / "log", ("--idle-unload=1",)) as running:
        ask_weights(running, "large")
        loaded = running.resident_bytes()
        until(lambda: running.resident_bytes() < loaded - (16 << 20), "the memory is given back")
        assert http_of(running).call("GET", "/v2/health/ready").status == 200
        assert http_of(running).call("GET", "/v2/models/large/ready").status == 200
        ask_weights(running, "large")
        # A model with requests stays.
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            ask_weights(running, "large")
        assert running.said().count("unloaded 'large'") == 1, running.said()


def memory_of_models(suite, folder):
    """Of models beyond a limit, the one that is idle longest goes (model_server #4141)."""
    models = repository.Repository(folder / "models")
    for name in ("first", "second", "third"):
        weights(models, name, 16)
    flags = ("--memory-limit=40M", "--model-control-mode=explicit", "--load-model=*")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        names = ("first", "second", "third")
        until(lambda: sum(model_bytes(running, name) for name in names) <= 40 << 20, "the limit")
        for name in names * 2:
            ask_weights(running, name)
        assert http_of(running).call("GET", "/v2/health/ready").status == 200
        unloaded = re.findall("unloaded '(.*?)'", running.said())
        assert set(unloaded) == set(names), unloaded


def strict_kind(suite, folder):
    """With --strict-instance-kind, a GPU that is not there is an error of the load (#7628)."""
    models = repository.Repository(folder / "models")
    repository.add_one(models, "gpu", extra="instance_group [ { kind: KIND_GPU gpus: [ 0 ] } ]")
    command = [suite.trident, "serve", "--check", models.folder]
    assert run_program(command).returncode == 0
    refused(run_program([*command, "--strict-instance-kind=true"]), 1, "'gpu'", "GPU")


def json_lines(suite, folder):
    """With --log-format=json, each line of the log is an object of JSON (#3765)."""
    flags = ("--log-format=json", "--log-verbose=1", "--exit-on-error=false")
    models = observed_models(folder)
    (models / "broken").mkdir()
    with Server(suite.trident, models, folder / "log", flags) as running:
        assert ask_http(running, "r") == 200
        changed = http_of(running).post("/v2/logging", {"log_format": "ISO8601"})
        assert changed["log_format"] == "ISO8601", changed
        changed = http_of(running).post("/v2/logging", {"log_format": "json"})
        assert changed["log_format"] == "json", changed
        running.stop()
        lines = [json.loads(line) for line in running.said().splitlines()]
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
    for line in lines:
        assert re.fullmatch(form, line["time"]) and line["pid"] and line["message"], line
    found = {line["severity"] for line in lines}
    assert "info" in found and "warning" in found, found
    assert any("'broken'" in line["message"] for line in lines), lines


def request_lines(suite, folder):
    """With --log-requests, each inference has a line, with its model, outcome and times (#7395)."""
    models = observed_models(folder)
    flags = ("--log-format=json", "--log-requests")
    with Server(suite.trident, models, folder / "log", flags) as running:
        assert ask_http(running, 'a "b"\n') == 200
        assert ask_http(running, "r", "nope") == 404
        assert ask_grpc(running, "g")[0] == grpc.StatusCode.OK
        assert ask_grpc(running, "wrong", 5)[0] == grpc.StatusCode.INVALID_ARGUMENT
        ask_for_events(running, "events")
        assert http_of(running).call("GET", "/v2/health/ready").status == 200
        running.stop()
        lines = [json.loads(line) for line in running.said().splitlines()]
    lines = [line for line in lines if line.get("event") == "request"]
    told = [
        (line["protocol"], line["model"], line.get("id"), line["status"], line["answers"])
        for line in lines
    ]
    assert told == [
        ("HTTP", "add", 'a "b"\n', "200", 1),
        ("HTTP", "nope", None, "404", 0),
        ("gRPC", "add", "g", "OK", 1),
        ("gRPC", "add", "g", "OK", 1),
        ("gRPC", "add", "wrong", "INVALID_ARGUMENT", 0),
        ("gRPC", "add", "wrong", "INVALID_ARGUMENT", 0),
        ("HTTP", "repeat_int32", "events", "200", 3),
    ], told
    for line in lines:
        assert line["client"].startswith("127.0.0.1:") and line["total_us"] > 0, line
        assert ("error" in line) == (line["status"] not in ("200", "OK")), line
    first = lines[0]
    assert first["version"] == "1" and first["queue_us"] >= 0, first
    assert 0 < first["compute_us"] <= first["total_us"], first
    assert "'nope'" in lines[1]["error"] and "queue_us" not in lines[1], lines[1]
    request_lines_as_text(suite, models, folder)


def request_lines_as_text(suite, models, folder):
    """The same in the text form, and that there is none without the option."""
    with Server(suite.trident, models, folder / "text", ("--log-requests",)) as running:
        assert ask_http(running, "one\ntwo") == 200
        running.stop()
        [line] = [line for line in running.said().splitlines() if "] request " in line]
    form = (
        r'I\d{4} \d\d:\d\d:\d\d\.\d{6} \d+\] request protocol="HTTP" model="add" version="1" '
        r'id="one\\ntwo" status="200" answers=1 queue_us=\d+ compute_us=\d+ total_us=\d+ '
        r'client="127\.0\.0\.1:\d+"'
    )
    assert re.fullmatch(form, line), line
    with Server(suite.trident, models, folder / "quiet") as running:
        assert ask_http(running, "r") == 200
        running.stop()
        assert "request" not in running.said(), running.said()
