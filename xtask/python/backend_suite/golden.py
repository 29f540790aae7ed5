"""Recorded answers of a real server with a stand-in for the ONNX backend: ours must give the same.

They are compared by the recordings' own program, but for what belongs to the stand-in: the field
`runtime` in configurations, and the words of execution errors.
"""

import copy
import importlib.util
import json
import pathlib
import signal
import time

STAND_IN_ERROR = "ONNXRuntimeError"
ATTEMPTS = 4
GROUPS = {
    "main": ("models", "oracle/models"),
    "float": ("models_float",),
}
MAIN_FLAGS = ("--model-control-mode=explicit", "--load-model=*")
FLOAT_FLAGS = ("--exit-timeout-secs=10",)


def run(suite):
    folder = suite.recordings()
    spec = importlib.util.spec_from_file_location("replay", folder / "replay.py")
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    for group, parts in GROUPS.items():
        flags = MAIN_FLAGS if group == "main" else FLOAT_FLAGS
        cases = {
            kind: [case for case in replay.load(f"{kind}.jsonl") if case["group"] == group]
            for kind in ("http", "grpc")
        }
        assert any(cases.values()), f"no recordings of group {group}"
        models = suite.repository(group)
        for part in parts:
            for model in sorted((folder / part).iterdir()):
                if model.is_dir():
                    (models.folder / model.name).symlink_to(model)
        for attempt in range(ATTEMPTS):
            before = len(suite.rows)
            with suite.serve(models, flags=flags) as (running, http, _):
                wait_until_loaded(http, running)
                replay_group(suite, replay, running, group, cases)
            if attempt + 1 == ATTEMPTS or not died_in_stream(running):
                break
            print(f"golden: the server's own fault ended it in a stream; group {group} again")
            del suite.rows[before:]


def died_in_stream(running):
    """Whether the server died of its own fault: 2.51 sometimes ends in a stream of gRPC, with any
    backend. The library must not be among the functions that were running.
    """
    trace = running.said().rpartition("Signal (11) received.")[2]
    return running.process.returncode == -signal.SIGSEGV and "libtriton_onnxruntime" not in trace


def wait_until_loaded(http, running):
    """The server answers before its first models are loaded."""
    end = time.monotonic() + 60
    while http.call("GET", "/v2/health/ready").status != 200:
        running.alive()
        assert time.monotonic() < end, "the recorded models do not load"
        time.sleep(0.05)


def replay_group(suite, replay, running, group, cases):
    address = f"127.0.0.1:{running.http}"

    def over_http(case):
        got = replay.http_call(address, case)
        want, got = comparable(case["response"], got, suite.reference)
        differences = replay.http_diff(want, got, case.get("match"))
        if differences:
            raise AssertionError("; ".join(differences))

    for case in cases["http"]:
        suite.check(f"{group} http {case['case']}", lambda case=case: over_http(case), running)
    environment = replay.grpc_setup(f"127.0.0.1:{running.grpc}")

    def over_grpc(case):
        got = replay.grpc_call(environment, case)
        want, got = comparable(case["response"], got, suite.reference)
        differences = replay.grpc_diff(want, got, case.get("match"))
        if differences:
            raise AssertionError("; ".join(differences))

    for case in cases["grpc"]:
        suite.check(f"{group} grpc {case['case']}", lambda case=case: over_grpc(case), running)
        if case["rpc"] == "ModelStreamInfer" and running.process.poll() is not None:
            return
    environment[-1].close()
    if group == "main":
        suite.check("metrics", lambda: metrics(replay, running), running)


def comparable(want, got, exact):
    """Both answers without what belongs to the stand-in."""
    if exact:
        return want, got
    want, got = copy.deepcopy(want), copy.deepcopy(got)
    for answer in (want, got):
        body = answer.get("body")
        if body and '"runtime"' in body:
            answer["body"] = json.dumps(without_runtime(json.loads(body)))
        if "response" in answer:
            answer["response"] = without_runtime(answer["response"])
    return excuse(want, got), got


def without_runtime(value):
    """A message without the fields named `runtime` of models that the stand-in ran."""
    if isinstance(value, list):
        return [without_runtime(one) for one in value]
    if not isinstance(value, dict):
        return value
    ours = value.get("backend") == "onnxruntime" or value.get("platform") == "onnxruntime_onnx"
    return {
        key: without_runtime(one) for key, one in value.items() if not (ours and key == "runtime")
    }


def excuse(want, got):
    """The recorded answer with our words where the stand-in's own error was recorded.

    There must be words, and the form around them must be the same.
    """
    if isinstance(want, str) and STAND_IN_ERROR in want:
        told, ours = as_error(want), as_error(got)
        same_form = isinstance(got, str) and (told is None) == (ours is None)
        return got if same_form and (got if ours is None else ours) else want
    if isinstance(want, dict) and isinstance(got, dict):
        return {key: excuse(one, got.get(key)) for key, one in want.items()}
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [excuse(one, other) for one, other in zip(want, got)]
    return want


def as_error(text):
    """The message of an error's JSON body; None for other text."""
    try:
        return json.loads(text)["error"]
    except (ValueError, TypeError, KeyError):
        return None


def metrics(replay, running):
    """Every line of the recorded page is there, and what is more has names of our own."""
    text = replay.metrics_text(f"127.0.0.1:{running.metrics}")
    want = set(pathlib.Path(replay.HERE, "metrics.txt").read_text().splitlines())
    got = set(text.splitlines())
    missing = sorted(want - got)
    assert not missing, f"missing: {missing[:3]}"
    more = [line.removeprefix("# HELP ").removeprefix("# TYPE ") for line in sorted(got - want)]
    foreign = [line for line in more if line.startswith("nv_")]
    assert not foreign, f"more than recorded: {foreign[:3]}"
