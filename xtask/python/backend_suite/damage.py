"""Models that are damaged or configured wrongly, and panics: an error with its cause each time.

The server must live on, and its other models must answer.
"""

import random
import re

import numpy as np
import onnx
from onnx import TensorProto, helper

from fuzz.mutate import mutate

from . import repository
from .client import Refused
from .tensors import NUMPY, expect

ROW = {"INPUT0": ("FP32", [16])}
OUT = {"OUTPUT0": ("FP32", [16])}
CAUSE = re.compile(r"load failed for model '[^']*': version 1 is at UNAVAILABLE state: (.*)")


def run(suite):
    models = suite.repository()
    repository.add_one(models, "other")
    with suite.serve(models, ["other"]) as (running, http, _):
        for name, (file, text, words, only_ours) in sorted(DAMAGED.items()):

            def refused(name=name, file=file, text=text, words=words, only_ours=only_ours):
                if only_ours:
                    suite.not_in_reference("does not look at that")
                models.add(name, file() if file else None, text)
                cause = load_error(http, name)
                assert re.search(words, cause), f"no word of `{words}` in: {cause}"
                other_answers(http)

            suite.check(name.replace("_", " "), refused, running)
        suite.check("fallback allowed", lambda: fallback(suite, models, http), running)
        mutants = suite.options.mutants
        suite.check(
            f"{mutants} mutants", lambda: mutated(suite, models, running, http), running, limit=600
        )
    for case, function in PANICS.items():
        suite.check(f"panic in {case}", lambda f=function, c=case: f(suite, c))


def other_answers(http, name="other"):
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    expect({"OUTPUT0": x + np.float32(1)}, http.infer(name, {"INPUT0": x}))


def load_error(http, name):
    """Load the model, which must fail; the cause that the server tells."""
    try:
        http.load(name)
    except Refused as refused:
        found = CAUSE.search(refused.text.replace("\n", " "))
        assert found, f"no cause: {refused.text}"
        assert http.call("GET", f"/v2/models/{name}/ready").status == 400, (
            "it is ready all the same"
        )
        rows = http.post("/v2/repository/index", {})
        reasons = [row.get("reason") for row in rows if row["name"] == name]
        assert any(reasons), f"the index gives no reason: {reasons}"
        return found[1]
    raise AssertionError("the model loads")


# ---- files -----------------------------------------------------------------------------------


def graph(nodes=None, inputs=None, outputs=None, constants=None):
    """OUTPUT0 = INPUT0 + 1, or something like it."""
    nodes = nodes or [helper.make_node("Add", ["INPUT0", "one"], ["OUTPUT0"])]
    constants = {"one": np.ones(1, np.float32)} if constants is None else constants
    return repository.model(
        nodes,
        inputs or repository.batched(ROW),
        outputs or repository.batched(OUT),
        constants,
    )


def whole():
    return graph().SerializeToString()


def unknown_op():
    return graph([helper.make_node("NoSuchOp", ["INPUT0"], ["OUTPUT0"])])


def undefined_tensor():
    return graph([helper.make_node("Add", ["INPUT0", "nowhere"], ["OUTPUT0"])])


def cycle():
    return graph(
        [
            helper.make_node("Add", ["INPUT0", "b"], ["a"]),
            helper.make_node("Add", ["a", "one"], ["b"]),
            helper.make_node("Add", ["a", "b"], ["OUTPUT0"]),
        ]
    )


def types_differ():
    return graph([helper.make_node("Add", ["INPUT0", "one"], ["OUTPUT0"])],
                 constants={"one": np.ones(1, np.int64)})  # fmt: skip


def without_data_file():
    model = graph()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", "4")):
        tensor.external_data.add(key=key, value=value)
    return model


def data_file_outside():
    model = without_data_file()
    model.graph.initializer[0].external_data[0].value = "../../../../../../etc/passwd"
    return model


def fixed_batch():
    fixed = [
        {name: (kind, [3, *dims]) for name, (kind, dims) in part.items()} for part in (ROW, OUT)
    ]
    return graph(inputs=fixed[0], outputs=fixed[1])


def text(inputs=None, outputs=None, extra=""):
    return repository.configuration(inputs or ROW, outputs or OUT, batch=8, extra=extra)


def accelerator(name, **parameters):
    listed = " ".join(f'parameters {{ key: "{k}" value: "{v}" }}' for k, v in parameters.items())
    return (
        "optimization { execution_accelerators { "
        f'cpu_execution_accelerator: [ {{ name: "{name}" {listed} }} ] }} }}'
    )


def parameter(key, value):
    return f'parameters {{ key: "{key}" value: {{ string_value: "{value}" }} }}'


# name: (file, configuration, words of the cause, whether the stand-in lacks the check)
DAMAGED = {
    "file_missing": (None, text(), r"model\.onnx", False),
    "file_empty": (lambda: b"", text(), r".", False),
    "file_of_text": (lambda: b"This is not a model.\n" * 50, text(), r".", False),
    "file_cut": (lambda: whole()[: len(whole()) // 2], text(), r".", False),
    "file_without_end": (lambda: whole()[:-1], text(), r".", False),
    "op_unknown": (unknown_op, text(), r"NoSuchOp", False),
    "tensor_undefined": (undefined_tensor, text(), r"nowhere", False),
    "cycle": (cycle, text(), r".", False),
    "types_differ": (types_differ, text(), r".", False),
    "data_file_missing": (without_data_file, text(), r"weights\.bin", False),
    "data_file_outside": (data_file_outside, text(), r".", False),
    "configured_type": (graph, text({"INPUT0": ("INT32", [16])}), r"INPUT0", True),
    "configured_size": (graph, text({"INPUT0": ("FP32", [17])}), r"INPUT0", True),
    "configured_rank": (graph, text({"INPUT0": ("FP32", [4, 4])}), r"INPUT0", True),
    "configured_input": (graph, text({"INPUT7": ("FP32", [16])}), r"INPUT[07]", True),
    "configured_output": (graph, text(None, {"OUTPUT7": ("FP32", [16])}), r"OUTPUT7", True),
    "configured_output_type": (graph, text(None, {"OUTPUT0": ("FP64", [16])}), r"OUTPUT0", True),
    "configured_batch": (fixed_batch, text(), r"batch|dimension|INPUT0", True),
    "accelerator_unknown": (graph, text(extra=accelerator("warp_drive")), r"warp_drive", True),
    "accelerator_parameter": (
        graph,
        text(extra=accelerator("apple_neural_engine", speed="high")),
        r"speed",
        True,
    ),
    "accelerator_precision": (
        graph,
        text(extra=accelerator("apple_neural_engine", precision="FP7")),
        r"FP7|precision",
        True,
    ),
    "accelerator_absent": (
        graph,
        text(extra=accelerator("apple_neural_engine") + parameter("fallback", "refused")),
        r"apple_neural_engine",
        True,
    ),
    "parameter_fallback": (graph, text(extra=parameter("fallback", "maybe")), r"fallback", True),
    "parameter_memory_limit": (
        graph,
        text(extra=parameter("memory_limit", "lots")),
        r"memory_limit",
        True,
    ),
}


def fallback(suite, models, http):
    """Hardware that is absent is replaced unless the model forbids it, and others' is ignored."""
    suite.not_in_reference("does not look at accelerators")
    for name in ("apple_neural_engine", "metal", "amx", "tensorrt", "openvino"):
        models.add(f"asks_{name}", graph(), text(extra=accelerator(name)))
        http.load(f"asks_{name}")
        other_answers(http, f"asks_{name}")


# ---- mutants ---------------------------------------------------------------------------------


def seeds(models):
    """Small models with their inputs, none with a loop, which a mutation may make endless."""
    repository.lookup(models, "seed_lookup")
    repository.parse(models, "seed_parse")
    repository.sum_and_difference(models, "seed_pair")
    repository.add_one(models, "seed_add")
    found = []
    for name in ("seed_add", "seed_lookup", "seed_parse", "seed_pair"):
        folder = models.folder / name
        data = (folder / "1/model.onnx").read_bytes()
        found.append((data, (folder / "config.pbtxt").read_text()))
    return found


def mutated(suite, models, running, http):
    """Each mutant is refused with a cause, or loads and then answers, be it with an error."""
    originals = seeds(models)
    limit = "" if suite.reference else parameter("memory_limit", "1G")
    for number in range(suite.options.mutants):
        rng = random.Random(f"{suite.options.seed} {number}")
        data, config = originals[number % len(originals)]
        other = rng.choice(originals)[0]
        models.add("mutant", mutate(rng, data, other, onnx.ModelProto), config + limit)
        try:
            one_mutant(http)
        except AssertionError as error:
            raise AssertionError(f"mutant {number}: {error}") from None
        except OSError as error:
            running.alive()
            raise AssertionError(f"mutant {number}: {error!r}") from None
        if number % 20 == 0:
            other_answers(http)


def one_mutant(http):
    try:
        http.load("mutant")
    except Refused as refused:
        found = CAUSE.search(refused.text.replace("\n", " "))
        assert found and found[1].strip(" ;"), f"no cause: {refused.text}"
        return
    described = http.get("/v2/models/mutant")
    feed = {
        entry["name"]: sample(entry["datatype"], [max(1, size) for size in entry["shape"]])
        for entry in described["inputs"]
    }
    try:
        http.infer("mutant", feed)
    except Refused as refused:
        assert refused.text.strip(), "an error without a text"
    http.unload("mutant")


def sample(name, shape):
    if name == "BYTES":
        return np.full(shape, "1", object)
    return np.ones(shape, NUMPY[name])


# ---- panics ----------------------------------------------------------------------------------

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
        function(http)
        running.alive()
        other_answers(http, "python")
    return running


def panic_at_start(suite, case):
    """No model of the library loads; others do."""

    def body(http):
        cause = load_error(http, "victim")
        assert "panic" in cause, f"the cause is no panic: {cause}"

    with_panic(suite, case, body)


def panic_at_question(suite, case):
    """The server goes on without the answer to its question."""

    def body(http):
        http.load("victim")
        other_answers(http, "victim")

    with_panic(suite, case, body)


def panic_at_load(suite, case):
    def body(http):
        http.load("other")
        for _ in range(2):
            cause = load_error(http, "victim")
            assert "panic" in cause, f"the cause is no panic: {cause}"
            other_answers(http)

    with_panic(suite, f"{case}@victim", body)


def panic_at_run(suite, case):
    def body(http):
        http.load("other")
        http.load("victim")
        x = np.zeros((1, 16), np.float32)
        for _ in range(3):
            try:
                http.infer("victim", {"INPUT0": x})
            except Refused as refused:
                assert "panic" in refused.text, f"the cause is no panic: {refused.text}"
            else:
                raise AssertionError("the request is answered")
            other_answers(http)
        fails = http.statistics("victim")["inference_stats"]["fail"]["count"]
        assert fails == 3, f"{fails} failures are counted"
        http.unload("victim")

    with_panic(suite, f"{case}@victim", body)


def panic_at_unload(suite, case):
    def body(http):
        http.load("other")
        for _ in range(2):
            http.load("victim")
            other_answers(http, "victim")
            http.unload("victim")
            other_answers(http)

    with_panic(suite, f"{case}@victim", body)


def panic_at_exit(suite, case):
    def body(http):
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
    "ModelInstanceFinalize": panic_at_unload,
    "ModelFinalize": panic_at_unload,
    "Finalize": panic_at_exit,
}
