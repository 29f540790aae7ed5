"""Tests of configurations: parts that the model fills in, files, limits, and instances."""

import os
import pathlib
import subprocess
import threading

import numpy as np
from onnx import helper

from . import repository, sequences
from .client import Http, Refused, in_parallel
from .loading import load_error
from .tensors import expect

ROUNDS = 3000  # of a loop: about a tenth of a second
CLIENTS = 16
# A thread computes if it has this part of the time of a window, in seconds. Threads that could run
# but have no core do not count, as on a busy machine those that read requests are often among them.
BUSY, WINDOW = 0.1, 0.02


def run(suite):
    models = suite.repository()
    with suite.serve(models) as (running, http, _):

        def check(case, function, *args):
            suite.check(case, lambda: function(suite, models, http, *args), running)

        check("all from the model", completed)
        check("inputs from the model, outputs with labels", labelled)
        check("controls and states stay what they are", scheduled)
        check("a control of another type", wrong_control)
        check("an input twice", twice)
        check("KIND_MODEL", kind_model)
        check("KIND_GPU", kind_gpu)
        check("an accelerator as documents print it", accelerator)
        check("a compiled model under ONNX Runtime's name", compiled)
        check("weights beyond the limit", beyond_limit)
        check("more instances than cores", many_instances, running)


def add(models, name, part="", backend="trident"):
    """A model that adds 1, with `part` as all its configuration says of inputs and outputs."""
    repository.add_one(models, name)
    text = f'backend: "{backend}"\n{part}\n'
    (models.folder / name / "config.pbtxt").write_text(text)


def one_more(http, name, rows=2):
    x = np.arange(16 * rows, dtype=np.float32).reshape(rows, 16)
    expect({"OUTPUT0": x + np.float32(1)}, http.infer(name, {"INPUT0": x}))


# ---- completion ------------------------------------------------------------------------------


def completed(suite, models, http):
    """A configuration that names only the backend gets the rest from the model."""
    suite.not_in_reference("completes nothing")
    add(models, "bare")
    http.load("bare")
    config = http.get("/v2/models/bare/config")
    (one,), (other,) = config["input"], config["output"]
    told = [(part["name"], part["data_type"], part["dims"]) for part in (one, other)]
    assert told == [(name, "TYPE_FP32", [16]) for name in ("INPUT0", "OUTPUT0")], f"{told}"
    assert config["max_batch_size"] > 1 and "dynamic_batching" in config, f"{config}"
    x = np.ones((2, 16), np.float32)
    expect({"OUTPUT0": x + x}, http.infer("bare", {"INPUT0": x}))


def labelled(suite, models, http):
    """The half of the configuration that is given stays as it is, with the names of classes."""
    suite.not_in_reference("completes nothing")
    part = (
        'max_batch_size: 8 output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 16 ] '
        'label_filename: "labels.txt" }'
    )
    add(models, "labelled", part)
    names = [f"label {k}" for k in range(16)]
    (models.folder / "labelled/labels.txt").write_text("\n".join(names))
    http.load("labelled")
    config = http.get("/v2/models/labelled/config")
    assert config["output"][0]["label_filename"] == "labels.txt", f"{config['output']}"
    assert [part["name"] for part in config["input"]] == ["INPUT0"], f"{config['input']}"
    entry = {"name": "INPUT0", "datatype": "FP32", "shape": [1, 16], "data": list(range(16))}
    wanted = {"name": "OUTPUT0", "parameters": {"classification": 2}}
    message = {"inputs": [entry], "outputs": [wanted]}
    (found,) = http.post("/v2/models/labelled/infer", message)["outputs"]
    ends = [text.split(":")[1:] for text in found["data"]]
    assert ends == [["15", "label 15"], ["14", "label 14"]], f"{found['data']}"


def scheduled(suite, models, http):
    suite.not_in_reference("completes nothing")
    sequences.running_sums(models, "sums")
    text = f'backend: "trident" max_batch_size: 4 sequence_batching {{ {sequences.STATE} }}'
    (models.folder / "sums/config.pbtxt").write_text(text)
    http.load("sums")
    config = http.get("/v2/models/sums/config")
    told = [[one["name"] for one in config[part]] for part in ("input", "output")]
    assert told == [["INPUT"], ["OUTPUT"]], f"{told}"
    found = [sequences.step(http, "sums", 1, k, start=k == 1, end=k == 3) for k in (1, 2, 3)]
    assert found == [1, 3, 6], f"{found}"


def wrong_control(suite, models, http):
    suite.not_in_reference("does not look at that")
    sequences.marks(models, "wrong_control")
    file = models.folder / "wrong_control/config.pbtxt"
    file.write_text(file.read_text().replace("int32_false_true", "fp32_false_true"))
    cause = load_error(http, "wrong_control")
    assert "TYPE_FP32 for sequence control 'END', model provides TYPE_INT32" in cause, cause


def twice(suite, models, http):
    suite.not_in_reference("does not look at that")
    repository.sum_and_difference(models, "twice")
    file = models.folder / "twice/config.pbtxt"
    file.write_text(file.read_text().replace("INPUT1", "INPUT0"))
    load_error(http, "twice")


# ---- kinds, files and limits -----------------------------------------------------------------


def kind_model(suite, models, http):
    repository.add_one(models, "kind_model", extra="instance_group { kind: KIND_MODEL }")
    http.load("kind_model")
    one_more(http, "kind_model")


def kind_gpu(suite, models, http):
    """The server itself refuses it where there is no GPU of NVIDIA."""
    repository.add_one(models, "kind_gpu", extra="instance_group { kind: KIND_GPU }")
    try:
        http.load("kind_gpu")
    except Refused as refused:
        assert "has kind KIND_GPU but no GPUs are available" in refused.text, refused.text
    else:
        raise AssertionError("the model loads")


def accelerator(suite, models, http):
    """Values of its parameters in any case; an error lists what is accepted."""
    suite.not_in_reference("does not look at accelerators")

    def asked(precision):
        given = {"precision": precision, "power_mode": "high_performance"}
        listed = " ".join(
            f'parameters {{ key: "{key}" value: "{value}" }}' for key, value in given.items()
        )
        return (
            "optimization { execution_accelerators { gpu_execution_accelerator [ "
            f'{{ name: "apple_neural_engine" {listed} }} ] }} }}'
        )

    repository.add_one(models, "engine", extra=asked("fp16"), backend="metal_mps")
    http.load("engine")
    one_more(http, "engine")
    repository.add_one(models, "wrong_engine", extra=asked("fp7"), backend="metal_mps")
    cause = load_error(http, "wrong_engine")
    wanted = "unsupported precision mode 'fp7' is requested; hint: FP16, FP32, INT8 are accepted"
    assert wanted in cause, cause


def compiled(suite, models, http):
    """The server fills in `model.onnx` for this name; `model.mps` takes its place."""
    suite.not_in_reference("runs no compiled models")
    add(models, "compiled", backend="onnxruntime")
    file = models.folder / "compiled/1/model.onnx"
    program = [
        suite.file("TRIDENT"),
        "compile",
        file,
        "--emit",
        "mps",
        "-o",
        file.with_suffix(".mps"),
    ]
    subprocess.run(program, check=True, capture_output=True, timeout=60)
    file.unlink()
    http.load("compiled")
    assert http.get("/v2/models/compiled/config")["default_model_filename"] == "model.onnx"
    one_more(http, "compiled")


def beyond_limit(suite, models, http):
    suite.not_in_reference("has no limit on memory")
    limit = 'parameters { key: "memory_limit" value { string_value: "1K" } }'
    constants = {"one": np.ones(1000, np.float32)}
    node = helper.make_node("Add", ["INPUT0", "one"], ["OUTPUT0"])
    ends = [{name: ("FP32", [1000])} for name in ("INPUT0", "OUTPUT0")]
    graph = repository.model([node], *map(repository.batched, ends), constants)
    models.add("limited", graph, repository.configuration(*ends, batch=8, extra=limit))
    cause = load_error(http, "limited")
    assert cause.startswith("Unavailable: "), cause
    assert "of the 1024 bytes that the memory limit allows" in cause, cause


# ---- instances -------------------------------------------------------------------------------


def many_instances(suite, models, http, running):
    suite.not_in_reference("runs what it is given")
    instances(models, http, running)


def instances(models, http, running):
    """Each answer of many instances is right, and no more runs compute than there are cores."""
    cores = len(os.sched_getaffinity(0))
    count = max(8, 3 * cores)
    extra = (
        f"instance_group {{ count: {count} kind: KIND_CPU }} "
        'parameters { key: "intra_op_thread_count" value { string_value: "1" } }'
    )
    repository.countdown(models, "many", extra)
    http.load("many")
    want = [http.infer("many", {"INPUT0": np.array([ROUNDS + k])}) for k in range(4)]
    busiest, done = [], threading.Event()

    def watch():
        before = times_of_threads(running.process.pid)
        while not done.wait(WINDOW):
            now = times_of_threads(running.process.pid)
            busy = [now[task] - before.get(task, now[task]) for task in now]
            busiest.append(sum(time > BUSY * WINDOW for time in busy))
            before = now

    def work(k):
        client = Http(running.http)
        for turn in range(4):
            rest = (k + turn) % 4
            expect(want[rest], client.infer("many", {"INPUT0": np.array([ROUNDS + rest])}))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    found = in_parallel([lambda k=k: work(k) for k in range(count)])
    done.set()
    watcher.join()
    for one in found:
        if isinstance(one, Exception):
            raise one
    busiest.sort()
    # One run may end and another begin in a window.
    usual = busiest[len(busiest) // 2]
    assert 1 <= usual <= cores + 1, f"{usual} threads compute on {cores} cores"


def times_of_threads(process):
    """Seconds of processor time that each thread of a process has had."""
    found = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            found[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e9
        except OSError:  # it has just ended
            pass
    return found
