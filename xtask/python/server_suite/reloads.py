"""Models that are loaded, overwritten and unloaded while requests run."""

import base64
import contextlib
import http.client
import json
import threading
import time
from functools import partial

import numpy as np
from onnx import helper

from backend_suite import repository
from backend_suite.client import Grpc, Refused, in_parallel
from backend_suite.tensors import expect
from checks import title

from .busy import LIMIT, endless, http_of, until
from .compared.models import sums
from .server import Server

X = np.arange(16, dtype=np.float32).reshape(1, 16)
RELOADS = 12
KILLS = 5


def run(suite):
    folder = suite.folder / "reloads"
    cases = {title(function): partial(polled, suite, folder, function) for function in POLLED}
    for function in OWN:
        cases[title(function)] = partial(function, suite, folder / function.__name__)
    models = repository.Repository(folder / "models")
    repository.countdown(models, "slow")
    flags = ("--model-control-mode=explicit", "--load-model=slow")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        for function in LOADED:
            # Each check has models of its own, named after it.
            cases[title(function)] = partial(function, running, models, function.__name__)
        suite.check_beside(cases)
        running.alive()
    suite.check("no panic in the log", running.no_panic)


def add(models, name, amount=1, version=1, extra="", batch=8):
    """OUTPUT0 = INPUT0 + amount, as a version of a model."""
    inputs, outputs = {"INPUT0": ("FP32", [16])}, {"OUTPUT0": ("FP32", [16])}
    node = helper.make_node("Add", ["INPUT0", "amount"], ["OUTPUT0"])
    constants = {"amount": np.array([amount], np.float32)}
    graph = repository.model(
        [node], repository.batched(inputs), repository.batched(outputs), constants
    )
    text = repository.configuration(inputs, outputs, batch=batch, extra=extra)
    replace(models.folder / name / "config.pbtxt", text.encode())
    replace(models.folder / name / str(version) / "model.onnx", graph.SerializeToString())


def replace(file, data):
    """Give a file another content at once, as careful tools do."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    new.write_bytes(data)
    new.replace(file)


def answer(running, name, version=""):
    """What a model adds."""
    place = f"{name}/versions/{version}" if version else name
    result = http_of(running).infer(place, {"INPUT0": X})["OUTPUT0"]
    amount = float(result[0, 0])
    expect({"OUTPUT0": X + np.float32(amount)}, {"OUTPUT0": result})
    return amount


def index(running, name):
    """{version: (state, reason)} of a model."""
    rows = http_of(running).post("/v2/repository/index", {})
    return {
        row.get("version", ""): (row.get("state", ""), row.get("reason", ""))
        for row in rows
        if row["name"] == name
    }


def refusal(function):
    try:
        function()
    except Refused as refused:
        return refused
    raise AssertionError("the request succeeds")


@contextlib.contextmanager
def asked(running, name, amounts):
    """Requests over both protocols all the while: each is answered with one of these amounts."""
    done, wrong, counts = threading.Event(), [], [0, 0]

    def ask(at, client):
        while not done.is_set():
            try:
                result = client.infer(name, {"INPUT0": X})["OUTPUT0"]
                amount = float(result[0, 0])
                expect({"OUTPUT0": X + np.float32(amount)}, {"OUTPUT0": result})
                assert amount in amounts, f"{amount} is added, none of {amounts}"
                counts[at] += 1
            except Exception as error:  # any failure is one of the server
                wrong.append(f"{type(error).__name__}: {error}")
                return

    clients = [http_of(running), Grpc(running.port("gRPC"))]
    threads = [threading.Thread(target=ask, args=pair, daemon=True) for pair in enumerate(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join(LIMIT)
    assert not wrong, wrong
    assert min(counts) > 0, f"{counts} requests: nothing was asked meanwhile"


# ---- loads that clients ask for ---------------------------------------------------------------


def overwritten(running, models, name):
    """A version that is overwritten while requests run drops none."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    with asked(running, name, range(1, RELOADS + 2)):
        for amount in range(2, RELOADS + 2):
            add(models, name, amount)
            client.load(name)
            assert answer(running, name) == amount


def unloaded_and_loaded(running, models, name):
    """Requests to a model that is unloaded and loaded again are answered or refused as unknown."""
    add(models, name)
    client, done, wrong, found = http_of(running), threading.Event(), [], set()
    client.load(name)

    def ask():
        while not done.is_set():
            try:
                answer(running, name)
                found.add("answered")
            except Refused as refused:
                found.add("refused")
                if refused.code != 404 or "unknown model" not in refused.text:
                    wrong.append(str(refused))
            except Exception as error:  # any other failure is one of the server
                wrong.append(f"{type(error).__name__}: {error}")
                return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    for _ in range(RELOADS):
        client.unload(name)
        time.sleep(0.005)
        client.load(name)
        time.sleep(0.005)
    done.set()
    thread.join(LIMIT)
    assert not wrong, wrong[:3]
    assert "answered" in found, "nothing was answered meanwhile"
    assert answer(running, name) == 1


def next_version(running, models, name):
    """A next version takes over without a dropped request, and the old one is gone."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    with asked(running, name, (1, 2)):
        add(models, name, 2, version=2)
        client.load(name)
        assert answer(running, name) == 2
    assert index(running, name)["2"][0] == "READY"
    refused = refusal(lambda: answer(running, name, version=1))
    assert refused.code == 503 and "version 1 is not at ready state" in refused.text, refused


def all_versions(running, models, name):
    """With the policy `all`, versions answer side by side, and one may go."""
    policy = "version_policy { all { } }"
    add(models, name, extra=policy)
    add(models, name, 5, version=3, extra=policy)
    client = http_of(running)
    client.load(name)
    found = [answer(running, name, version) for version in (1, 3, "")]
    assert found == [1, 5, 5], found
    (models.folder / name / "3/model.onnx").unlink()
    (models.folder / name / "3").rmdir()
    client.load(name)
    assert answer(running, name) == 1
    assert refusal(lambda: answer(running, name, 3)).code == 503


def failed_file(running, models, name):
    """A load that fails leaves the old model, and answer, index and log have the cause."""
    add(models, name)
    client, file = http_of(running), models.folder / name / "1/model.onnx"
    client.load(name)
    whole = file.read_bytes()
    with asked(running, name, (1,)):
        replace(file, whole[:-40])
        refused = refusal(lambda: client.load(name))
        assert refused.code == 400 and f"load failed for model '{name}'" in refused.text, refused
        assert "is the file complete" in refused.text, refused
    state, reason = index(running, name)["1"]
    assert state == "READY" and "is the file complete" in reason, (state, reason)
    log = [line for line in running.said().splitlines() if name in line]
    assert any("is the file complete" in line for line in log), log
    # A repaired file is loaded, and the reason is gone.
    add(models, name, 3)
    client.load(name)
    assert answer(running, name) == 3
    assert index(running, name)["1"] == ("READY", ""), index(running, name)


def failed_configuration(running, models, name):
    """A configuration with a fault leaves the old model, and names file and line."""
    add(models, name)
    client, file = http_of(running), models.folder / name / "config.pbtxt"
    client.load(name)
    good = file.read_bytes()
    replace(file, good.replace(b"max_batch_size: ", b"max_batch_size "))
    with asked(running, name, (1,)):
        refused = refusal(lambda: client.load(name))
    assert refused.code == 500 and "failed to poll" in refused.text, refused
    assert "config.pbtxt`: 2:16" in refused.text, refused
    assert any("2:16" in reason for _, reason in index(running, name).values())
    assert any("2:16" in line for line in running.said().splitlines() if name in line)
    replace(file, good)
    client.load(name)
    assert answer(running, name) == 1
    assert list(index(running, name).values()) == [("READY", "")], index(running, name)


def failed_new_version(running, models, name):
    """A next version that fails leaves the one that serves."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    replace(models.folder / name / "2/model.onnx", b"no model")
    with asked(running, name, (1,)):
        refused = refusal(lambda: client.load(name))
    assert "version 2 is at UNAVAILABLE state" in refused.text, refused
    assert answer(running, name) == 1
    assert index(running, name)["2"][0] == "UNAVAILABLE", index(running, name)


def unchanged(running, models, name):
    """A load of an unchanged model does nothing."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    answer(running, name)
    until(lambda: client.statistics(name)["inference_count"] == 1, "the request is counted")
    client.load(name)
    assert client.statistics(name)["inference_count"] == 1, "the statistics are new"


def sent_configuration(running, models, name):
    """A configuration that a client sends counts until the model is unloaded."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    config = client.get(f"/v2/models/{name}/config") | {"max_batch_size": 3}
    client.load(name, config=json.dumps(config))
    assert client.get(f"/v2/models/{name}/config")["max_batch_size"] == 3
    client.load(name)
    assert client.get(f"/v2/models/{name}/config")["max_batch_size"] == 3
    client.unload(name)
    client.load(name)
    assert client.get(f"/v2/models/{name}/config")["max_batch_size"] == 8


def sent_file(running, models, name):
    """A file that a client sends is served from memory, and the folder stays as it is."""
    add(models, "source", 7)
    add(models, name)
    client = http_of(running)
    client.load(name)
    folder = models.folder / name
    before = sorted(folder.rglob("*"))
    file = folder / "1/model.onnx"
    content = file.read_bytes()
    sent = (models.folder / "source/1/model.onnx").read_bytes()
    config = json.dumps(client.get(f"/v2/models/{name}/config"))
    files = {"file:1/model.onnx": base64.b64encode(sent).decode()}
    client.load(name, config=config, **files)
    assert answer(running, name) == 7
    assert file.read_bytes() == content
    # A damaged one leaves what was sent before.
    files = {"file:1/model.onnx": base64.b64encode(sent[:-30]).decode()}
    refused = refusal(lambda: client.load(name, config=config, **files))
    assert "is the file complete" in refused.text, refused
    assert answer(running, name) == 7
    assert sorted(folder.rglob("*")) == before
    client.unload(name)
    client.load(name)
    assert answer(running, name) == 1


def loaded_by_many(running, models, name):
    """Clients that load a model at the same time all succeed."""
    add(models, name)
    found = in_parallel([lambda: http_of(running).load(name) for _ in range(8)])
    assert found == [None] * 8, found
    assert answer(running, name) == 1
    lines = [line for line in running.said().splitlines() if f"loading: {name}:1" in line]
    assert len(lines) == 1, lines


def many_loaded(running, models, name):
    """Models that are loaded at the same time do not wait for each other's clients."""
    names = [f"{name}_{k}" for k in range(8)]
    for k, one in enumerate(names):
        add(models, one, k)
    found = in_parallel([lambda one=one: http_of(running).load(one) for one in names])
    assert found == [None] * 8, found
    assert [answer(running, one) for one in names] == list(range(8))


def unloaded_while_it_runs(running, models, name):
    """A model that is unloaded ends its runs first, and is UNLOADING meanwhile."""
    with endless(running, "slow"):
        http_of(running).post("/v2/repository/models/slow/unload", {})
        assert index(running, "slow")["1"][0] == "UNLOADING", index(running, "slow")
        refused = refusal(lambda: http_of(running).infer("slow", {"INPUT0": np.array([1])}))
        assert refused.code == 404, refused
    until(lambda: index(running, "slow")["1"] == ("UNAVAILABLE", "unloaded"), "it is unloaded")
    http_of(running).load("slow")
    http_of(running).infer("slow", {"INPUT0": np.array([1])})


def unloaded_model(running, models, name):
    """A model that is unloaded is not ready and unknown, and unloading again succeeds."""
    add(models, name)
    client = http_of(running)
    client.load(name)
    client.unload(name)
    assert client.call("GET", f"/v2/models/{name}/ready").status == 400
    assert refusal(lambda: answer(running, name)).code == 404
    client.unload(name)


def unknown_model(running, models, name):
    """A model that has no folder is refused, and the index does not name it."""
    refused = refusal(lambda: http_of(running).load(name))
    assert refused.code == 500 and f"failed to load '{name}'" in refused.text, refused
    assert name not in [row["name"] for row in http_of(running).post("/v2/repository/index", {})]


def warmed_up_sequences(running, models, name):
    """Models with sequences are warmed up, and no request that does so leaves a state behind"""
    sums(models, name, initial=[40.0])
    config = models.folder / name / "config.pbtxt"
    tensor = "data_type: TYPE_FP32 dims: [ 1 ] random_data: true"
    request = f'name: "w" batch_size: 3 count: 2 inputs {{ key: "INPUT" value {{ {tensor} }} }}'
    config.write_text(f"{config.read_text()}\nmodel_warmup {{ {request} }}\n")
    http = http_of(running)
    http.load(name)
    flags = {"sequence_id": 1, "sequence_start": True, "sequence_end": True}
    result = http.infer(name, {"INPUT": np.array([[2]], np.float32)}, parameters=flags)
    expect({"OUTPUT": np.array([[42]], np.float32)}, result)


def names_outside(running, models, name):
    """Names and paths that lead out of the repository are refused."""
    client = http_of(running)
    for bad in ("..%2Fmodels", "%2e%2e", "a%2Fb", "%00"):
        found = client.call("POST", f"/v2/repository/models/{bad}/load", b"{}")
        assert found.status >= 400, (bad, found)
    add(models, name)
    client.load(name)
    config = json.dumps(client.get(f"/v2/models/{name}/config"))
    for path in ("../evil", "1/../../evil", "/etc/evil", ""):
        files = {f"file:{path}": base64.b64encode(b"x").decode()}
        assert refusal(lambda files=files: client.load(name, config=config, **files)).code >= 400
    assert not list(models.folder.parent.rglob("evil"))
    assert answer(running, name) == 1


# ---- poll mode, each check with a server of its own -------------------------------------------


def polled(suite, folder, function):
    folder = folder / function.__name__
    models = repository.Repository(folder / "models")
    add(models, "add")
    flags = ("--model-control-mode=poll", "--repository-poll-secs=1", "--exit-on-error=false")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        function(running, models)
        running.alive()
    running.no_panic()


def poll_overwritten(running, models):
    """A model that is overwritten under a polling server drops no request."""
    with asked(running, "add", (1, 2)):
        add(models, "add", 2)
        until(lambda: answer(running, "add") == 2, "the new model answers")


def poll_new_and_gone(running, models):
    """A polling server loads new folders, and unloads those that are gone."""
    add(models, "new", 4)
    until(lambda: "new" in ready_names(running), "the new model is loaded")
    assert answer(running, "new") == 4
    (models.folder / "new").rename(models.folder.parent / "gone")
    until(lambda: "new" not in ready_names(running), "the model is unloaded")
    assert answer(running, "add") == 1


def ready_names(running):
    rows = http_of(running).post("/v2/repository/index", {"ready": True})
    return {row["name"] for row in rows}


def poll_damaged(running, models):
    """A model that is damaged under a polling server serves on, and the index has the cause."""
    file = models.folder / "add/1/model.onnx"
    with asked(running, "add", (1,)):
        replace(file, file.read_bytes()[:-40])
        until(lambda: "file complete" in index(running, "add")["1"][1], "the index has the cause")
    assert index(running, "add")["1"][0] == "READY"
    assert "is the file complete" in running.said()
    add(models, "add", 6)
    until(lambda: answer(running, "add") == 6, "the repaired model answers")


def poll_refuses_loads(running, models):
    """A polling server refuses to load and unload for clients."""
    for action in ("load", "unload"):
        found = http_of(running).call("POST", f"/v2/repository/models/add/{action}", b"{}")
        assert found.status == 503, found
        assert "not allowed if polling is enabled" in found.error(), found


# ---- servers of their own ---------------------------------------------------------------------


def killed_while_loading(suite, folder):
    """A server that is killed while it loads leaves a repository that starts."""
    models = repository.Repository(folder / "models")
    for k in range(6):
        add(models, f"add_{k}", k)
    before = tree(models.folder)
    flags = ("--model-control-mode=explicit",)
    for turn in range(KILLS):
        with Server(suite.trident, models.folder, folder / f"log {turn}", flags) as running:
            place = running.places["HTTP"]
            senders = [
                threading.Thread(target=loads, args=(place, k), daemon=True) for k in range(3)
            ]
            for sender in senders:
                sender.start()
            time.sleep(0.02 + 0.03 * turn)
            running.process.kill()
            running.process.wait()
            for sender in senders:
                sender.join(LIMIT)
    assert tree(models.folder) == before, "the repository has changed"
    with Server(suite.trident, models.folder, folder / "last.log") as running:
        assert [answer(running, f"add_{k}") for k in range(6)] == list(range(6))


def loads(place, first):
    """Load and unload models, with a configuration sent in turns, until the server is gone."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            for k in (first, first + 3):
                body = json.dumps({"parameters": {"config": '{"max_batch_size": 8}'}})
                for action, sent in (("load", "{}"), ("load", body), ("unload", "{}")):
                    connection = http.client.HTTPConnection(place, timeout=LIMIT)
                    connection.request("POST", f"/v2/repository/models/add_{k}/{action}", sent)
                    connection.getresponse().read()
                    connection.close()


def tree(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def failed_at_the_start(suite, folder):
    """Without --exit-on-error, a failed model leaves the server not ready until it is repaired."""
    models = repository.Repository(folder / "models")
    add(models, "good")
    add(models, "bad", 2)
    file = models.folder / "bad/1/model.onnx"
    whole = file.read_bytes()
    replace(file, whole[:50])
    flags = ("--exit-on-error=false", "--model-control-mode=explicit", "--load-model=*")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        client = http_of(running)
        assert answer(running, "good") == 1
        assert client.call("GET", "/v2/health/ready").status == 400
        assert client.call("GET", "/v2/health/live").status == 200
        replace(file, whole)
        client.load("bad")
        assert client.call("GET", "/v2/health/ready").status == 200
        assert answer(running, "bad") == 2


def readiness_not_strict(suite, folder):
    """With --strict-readiness=false, a failed model leaves the server ready."""
    models = repository.Repository(folder / "models")
    add(models, "good")
    add(models, "bad")
    replace(models.folder / "bad/1/model.onnx", b"no model")
    flags = ("--exit-on-error=false", "--strict-readiness=false")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        assert http_of(running).call("GET", "/v2/health/ready").status == 200
        assert http_of(running).call("GET", "/v2/models/bad/ready").status in (400, 404)
        refused = refusal(lambda: http_of(running).load("bad"))
        assert refused.code == 503 and "not allowed if polling is enabled" in refused.text, refused


LOADED = (
    overwritten,
    unloaded_and_loaded,
    next_version,
    all_versions,
    failed_file,
    failed_configuration,
    failed_new_version,
    unchanged,
    sent_configuration,
    sent_file,
    loaded_by_many,
    many_loaded,
    unloaded_while_it_runs,
    unloaded_model,
    unknown_model,
    warmed_up_sequences,
    names_outside,
)
POLLED = (poll_overwritten, poll_new_and_gone, poll_damaged, poll_refuses_loads)
OWN = (killed_while_loading, failed_at_the_start, readiness_not_strict)
