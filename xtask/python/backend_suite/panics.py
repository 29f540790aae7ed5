"""Panics of the library in each of its entry points: an error, and the server lives on.

A build for tests panics where `TRITON_TRIDENT_PANIC` says, if need be for one model only.
"""

import numpy as np

from . import repository
from .client import Refused
from .loading import load_error, other_answers

ROW, OUT = {"INPUT0": ("FP32", [16])}, {"OUTPUT0": ("FP32", [16])}
PYTHON_MODEL = """\
class TritonPythonModel:
    def execute(self, requests):
        import triton_python_backend_utils as pb

        def one(request):
            array = pb.get_input_tensor_by_name(request, "INPUT0").as_numpy()
            return pb.InferenceResponse([pb.Tensor("OUTPUT0", array + array.dtype.type(1))])

        return [one(request) for request in requests]
"""


def with_panic(suite, entry, function):
    """Run `function` in a server of the library that panics in this entry point."""
    suite.not_in_reference("cannot panic")
    backends = suite.backends("TRIDENT_BACKENDS_PANIC")
    models = suite.repository(f"panic-{entry.replace(':', '-')}")
    repository.add_one(models, "victim")
    repository.add_one(models, "other")
    version = models.add("python", None, repository.configuration(ROW, OUT, "python", 8))
    (version / "model.py").write_text(PYTHON_MODEL)
    variables = {"TRITON_TRIDENT_PANIC": entry, "RUST_BACKTRACE": "0"}
    with suite.serve(models, ["python"], backends=backends, variables=variables) as served:
        running, http, _ = served
        function(http, models)
        running.alive()
        other_answers(http, "python")
    return running


def panic_at_start(suite, case):
    """No model of the library loads; others do."""

    def body(http, _):
        cause = load_error(http, "victim")
        assert "panic" in cause, f"the cause is not a panic: {cause}"

    with_panic(suite, case, body)


def panic_at_question(suite, case):
    """The server goes on without the answer to its question."""

    def body(http, _):
        http.load("victim")
        other_answers(http, "victim")

    with_panic(suite, case, body)


def panic_at_load(suite, case):
    def body(http, _):
        http.load("other")
        for _ in range(2):
            cause = load_error(http, "victim")
            assert "panic" in cause, f"the cause is not a panic: {cause}"
            other_answers(http)

    with_panic(suite, f"{case}@victim", body)


def panic_at_run(suite, case):
    def body(http, _):
        http.load("other")
        http.load("victim")
        x = np.zeros((1, 16), np.float32)
        for _ in range(3):
            try:
                http.infer("victim", {"INPUT0": x})
            except Refused as refused:
                assert "panic" in refused.text, f"the cause is not a panic: {refused.text}"
            else:
                raise AssertionError("the request is answered")
            other_answers(http)
        fails = http.statistics("victim")["inference_stats"]["fail"]["count"]
        assert fails == 3, f"{fails} failures are counted"
        http.unload("victim")

    with_panic(suite, f"{case}@victim", body)


def panic_when_answered(suite, case):
    """Answers were sent, and each request counts as what it was answered with."""

    def body(http, models):
        repository.lookup(models, "victim")
        http.load("victim")
        for index in (1, 99, 2):
            try:
                http.infer("victim", {"INPUT0": np.array([[index]])})
            except Refused as refused:
                assert index == 99 and "panic" not in refused.text, refused.text
        counts = http.settled_statistics("victim")["inference_stats"]
        told = [counts[name]["count"] for name in ("success", "fail")]
        assert told == [2, 1], f"{told[0]} successes and {told[1]} failures"

    with_panic(suite, f"{case}@victim", body)


def panic_at_unload(suite, case):
    def body(http, _):
        http.load("other")
        for _ in range(2):
            http.load("victim")
            other_answers(http, "victim")
            http.unload("victim")
            other_answers(http)

    with_panic(suite, f"{case}@victim", body)


def panic_at_exit(suite, case):
    def body(http, _):
        http.load("other")
        other_answers(http)

    running = with_panic(suite, case, body)
    status = running.process.returncode
    assert status == 0, f"the server ends with status {status}: {running.last_words()}"


PANICS = {
    "Initialize": panic_at_start,
    "GetBackendAttribute": panic_at_question,
    "ModelInitialize": panic_at_load,
    "ModelInstanceInitialize": panic_at_load,
    "ModelInstanceExecute": panic_at_run,
    "ModelInstanceExecute:late": panic_at_run,
    "ModelInstanceExecute:answered": panic_when_answered,
    "ModelInstanceFinalize": panic_at_unload,
    "ModelFinalize": panic_at_unload,
    "Finalize": panic_at_exit,
}


def run(suite):
    for case, function in PANICS.items():
        suite.check(f"panic in {case}", lambda f=function, c=case: f(suite, c))
