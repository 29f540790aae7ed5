"""Recorded answers of the Triton Inference Server 2.51: ours must be the same.

Where newer servers differ, conformance/server/newer.toml has their answers, and either is right.
Fields of the recordings' own backend are not compared.
"""

import json
import shutil
import tomllib

import backend_suite.golden

from . import replay
from .server import Server

RESTRICTED = "inference,model-config,model-repository:admin-key=letmein"
FLAGS = {
    "main": ("--model-control-mode=explicit", "--load-model=*", "--allow-client-shm=true"),
    "mode_none": (),
    "restricted": (
        f"--http-restricted-api={RESTRICTED}",
        f"--grpc-restricted-protocol={RESTRICTED}",
    ),
    "float": (),
}


def run(suite):
    for group, flags in FLAGS.items():
        repository = make_repository(suite.folder / group, group)
        log = suite.folder / f"{group}.log"
        with Server(suite.trident, repository, log, flags) as running:
            over_http(suite, running, group)
            over_grpc(suite, running, group)
            if group == "main":
                suite.check("main metrics", lambda running=running: metrics(running))
    replay.remove_shared()


def make_repository(folder, group):
    """The models of a group; those of built-in backends have no files."""
    folders = ("models_float",) if group == "float" else ("models", "builtin")
    for name in folders:
        for model in sorted((replay.FOLDER / name).iterdir()):
            if model.is_dir():
                shutil.copytree(model, folder / model.name)
                (folder / model.name / "1").mkdir(exist_ok=True)
    return folder


def cases_of(kind, group):
    return [case for case in replay.load(f"{kind}.jsonl") if case["group"] == group]


def over_http(suite, running, group):
    newer = newer_answers()
    for case in cases_of("http", group):
        expected = [case["response"], *newer.get(case["case"], [])]
        suite.check(
            f"{group} http {case['case']}",
            lambda case=case, expected=expected: compare(
                running,
                expected,
                replay.http_call(running.places["HTTP"], case),
                lambda want, got, case=case: replay.http_diff(want, got, case.get("match")),
            ),
        )


def over_grpc(suite, running, group):
    newer = newer_grpc_answers()
    client = replay.Grpc(running.places["gRPC"])
    for case in cases_of("grpc", group):
        expected = [case["response"], *newer.get(case["case"], [])]
        suite.check(
            f"{group} grpc {case['case']}",
            lambda case=case, expected=expected: compare(
                running,
                expected,
                client.call(case),
                lambda want, got, case=case: replay.grpc_diff(want, got, case.get("match")),
            ),
        )
    client.close()


def compare(running, expected, got, differences):
    """The answer must be one of those expected, but for what belongs to the recordings' backend."""
    running.alive()
    told = None
    for want in expected:
        found = differences(*backend_suite.golden.comparable(want, got, exact=False))
        if not found:
            return
        told = told or "; ".join(found)
    raise AssertionError(told)


def newer_answers():
    """{case: answers} of newer servers over HTTP."""
    table = tomllib.loads((replay.FOLDER / "newer.toml").read_text())
    answers = {}
    for answer in table["http"]:
        expected = {
            "status": answer["status"],
            "headers": {"content-type": answer.get("type", "application/json")},
            "body": json.dumps({"error": answer["error"]}),
        }
        for case in answer["cases"]:
            answers.setdefault(case, []).append(expected)
    return answers


def newer_grpc_answers():
    """{case: answers} of newer servers over gRPC."""
    table = tomllib.loads((replay.FOLDER / "newer.toml").read_text())
    answers = {}
    for answer in table["grpc"]:
        expected = {"code": answer["code"], "details": answer["error"]}
        for case in answer["cases"]:
            answers.setdefault(case, []).append(expected)
    return answers


def metrics(running):
    """Every line of the recorded page is there, and nothing else."""
    want = set((replay.FOLDER / "metrics.txt").read_text().splitlines())
    got = set(replay.metrics_text(running.places["metrics"]))
    missing, foreign = sorted(want - got), sorted(line for line in got - want if "nv_" in line)
    assert not missing, f"missing: {missing[:3]}"
    assert not foreign, f"more than recorded: {foreign[:3]}"
