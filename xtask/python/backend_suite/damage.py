"""Models that are damaged or configured wrongly, and panics: an error with its cause each time.

The server must live on, and its other models must answer.
"""

import random
import re

import numpy as np
import onnx
from onnx import TensorProto, helper

from fuzz.mutate import mutate

from . import panics, repository
from .client import Refused
from .loading import CAUSE, load_error, other_answers
from .tensors import NUMPY

ROW, OUT = {"INPUT0": ("FP32", [16])}, {"OUTPUT0": ("FP32", [16])}


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
    panics.run(suite)


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
