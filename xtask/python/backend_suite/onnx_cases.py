"""Models served beside the same models run by `trident worker`: the bits must be equal.

Cases of the ONNX backend suite are a fixed sample, those with the least digests of their names. Of
those that the protocol has the types for (1,605 in onnx 1.23.2) none has a first dimension of any
size, so no server could put them into batches. The whole models are also run in batches that the
server puts together from several requests.
"""

import hashlib
import json
import os
import pathlib
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

import expectations
from checks import FAIL, SKIP, Skip
from onnx_suite.__main__ import RANDOM_OUTPUT
from onnx_suite.cases import Case
from worker import OK, Worker

from . import repository, tensors
from .client import Refused, in_parallel
from .tensors import expect

ROOT = pathlib.Path(__file__).resolve().parents[3]
LISTED = ROOT / "conformance/onnx-cpu.toml"
LARGEST = 1 << 20  # bytes of a case's model
REQUESTS = 4  # that become one batch
ARRIVAL = 0.02  # seconds between requests, so that their order in the batch is known
BATCHING = (
    f"dynamic_batching {{ preferred_batch_size: [ {REQUESTS} ] "
    "max_queue_delay_microseconds: 5000000 }"
)
SECONDS = 60


class Trident:
    """`trident worker`, with arrays in and out."""

    def __init__(self, binary):
        self.worker = Worker([str(binary), "worker", "--timeout-ms", "0"])

    def run(self, path, inputs):
        """{output: array}; `inputs` are in the order of the graph's."""
        infos = onnx.load(path, load_external_data=False).graph.output
        with tempfile.TemporaryDirectory(prefix="served") as folder:
            for k, array in enumerate(inputs):
                file = pathlib.Path(folder, f"input_{k}.pb")
                file.write_bytes(numpy_helper.from_array(array).SerializeToString())
            status, message = self.worker.run(path, folder, folder, SECONDS)
            if status != OK:
                raise AssertionError(f"trident worker: {status} {message}")
            return {
                info.name: numpy_helper.to_array(onnx.load_tensor(f"{folder}/out_{k}.pb"))
                for k, info in enumerate(infos)
            }

    def close(self):
        self.worker.stop()


class StandIn:
    """ONNX Runtime in place of `trident`, to check the suite itself."""

    def run(self, path, inputs):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options)
        names = [info.name for info in session.get_inputs()]
        outputs = [info.name for info in session.get_outputs()]
        return dict(zip(outputs, session.run(outputs, dict(zip(names, inputs)))))

    def close(self):
        pass


def run(suite):
    models = suite.repository()
    oracle = StandIn() if suite.reference else Trident(suite.file("TRIDENT"))
    try:
        with suite.serve(models) as (running, http, grpc):
            for key, case in sample(suite):
                suite.check(
                    key,
                    lambda key=key, case=case: node_case(suite, models, http, oracle, key, case),
                    running,
                )
            for name, whole in WHOLE.items():
                for kind, function in (("alone", alone), ("batched", together)):
                    suite.check(
                        f"{name} {kind}",
                        lambda whole=whole, function=function: function(
                            suite, models, running, http, grpc, oracle, whole
                        ),
                        running,
                    )
    finally:
        oracle.close()


# ---- cases of the ONNX suite -----------------------------------------------------------------


def sample(suite):
    """(name, case) of the sample; nothing, and a line that says so, without the cases."""
    try:
        folder = suite.file("TRIDENT_ONNX_CASES")
    except Skip as skip:
        suite.record("node cases", SKIP, str(skip))
        return
    manifest = json.loads((folder / "manifest.json").read_text())
    listed = expectations.read(LISTED)
    keys = [key for key in manifest if key.startswith("node/") and key not in listed]
    keys.sort(key=lambda key: hashlib.sha256(key.encode()).digest())
    left = suite.options.sample
    for key in keys:
        if left == 0:
            return
        if RANDOM_OUTPUT.search(key):
            continue
        case = servable(folder / key)
        if case is not None:
            left -= 1
            yield key, case
    if left > 0:
        suite.record("node cases", FAIL, f"{left} of {suite.options.sample} cases are not there")


def servable(folder):
    """The case, if the protocol has its types; a model needs an input there."""
    if (folder / "model.onnx").stat().st_size > LARGEST:
        return None
    try:
        case = Case(folder)
    except Exception:  # the ONNX suite reports what it cannot read
        return None
    _, inputs, outputs = case.sets[0]
    arrays = [array for _, array in inputs] + outputs
    if not inputs or not all(isinstance(array, np.ndarray) for array in arrays):
        return None
    if any(array.dtype.kind not in "OSU" and array.dtype not in tensors.NAMES for array in arrays):
        return None
    tensors_in_and_out = [part for parts in interface(case) for part in parts.values()]
    if any(0 in dims for _, dims in tensors_in_and_out):  # no configuration can say so
        return None
    return case


def interface(case):
    """Inputs and outputs as a configuration has them: sizes where the model gives them."""
    _, inputs, outputs = case.sets[0]
    graph = case.model.graph
    declared = {info.name: info.type.tensor_type for info in [*graph.input, *graph.output]}

    def described(name, array):
        kind = declared[name]
        dims = list(array.shape)
        if kind.HasField("shape"):
            sizes = kind.shape.dim
            dims = [size.dim_value if size.HasField("dim_value") else -1 for size in sizes]
        return tensors.datatype(array), dims

    return (
        {name: described(name, array) for name, array in inputs},
        {info.name: described(info.name, array) for info, array in zip(case.outputs, outputs)},
    )


def node_case(suite, models, http, oracle, key, case):
    name = key.removeprefix("node/")
    inputs, outputs = interface(case)
    models.add(name, pathlib.Path(case.path), repository.configuration(inputs, outputs))
    try:
        http.load(name)
    except Refused as refused:
        suite.not_in_reference(f"does not load it: {refused.text[-120:]}")
        raise
    if not all(dims for _, dims in [*inputs.values(), *outputs.values()]):
        suite.not_in_reference("has no scalars")
    try:
        for _, given, _ in case.sets:
            feed = {
                key: array if array.ndim or inputs[key][1] else array.reshape(1)
                for key, array in given
            }
            want = oracle.run(case.path, [array for _, array in given])
            got = http.infer(name, feed)
            # A scalar travels as one element.
            expect({key: as_sent(array, outputs[key][1]) for key, array in want.items()}, got)
    finally:
        http.post(f"/v2/repository/models/{name}/unload", {})


def as_sent(array, dims):
    array = np.asarray(array)
    return array if dims else array.reshape(1)


# ---- whole models ----------------------------------------------------------------------------


class Whole:
    """A model, its configuration and its inputs by a number."""

    def __init__(self, name, path, inputs, outputs, make):
        self.name, self.path, self.inputs, self.outputs, self.make = (
            name, path, inputs, outputs, make,
        )  # fmt: skip


def digits(suite, models):
    def make(k, rows):
        return [np.random.default_rng(k).standard_normal((rows, 1, 8, 8)).astype(np.float32)]

    inputs, outputs = {"image": ("FP32", [1, 8, 8])}, {"probabilities": ("FP32", [10])}
    return Whole("digits", ROOT / "examples/digits/digits.onnx", inputs, outputs, make)


def minilm(suite, models):
    path = os.environ.get("TRIDENT_MINILM")
    if not path:
        raise Skip("TRIDENT_MINILM is not set: MiniLM is not exported")

    def make(k, rows):
        ids = np.random.default_rng(k).integers(1000, 30000, (rows, 48))
        return [ids, np.ones_like(ids)]

    inputs = {name: ("INT64", [-1]) for name in ("input_ids", "attention_mask")}
    return Whole("minilm", pathlib.Path(path), inputs, {"embedding": ("FP32", [384])}, make)


def own(kind):
    """A small model of the suite."""

    def described(suite, models):
        if kind == "add":
            repository.add_one(models, "own_add")

            def make(k, rows):
                return [np.random.default_rng(k).standard_normal((rows, 16)).astype(np.float32)]

            inputs, outputs = {"INPUT0": ("FP32", [16])}, {"OUTPUT0": ("FP32", [16])}
        elif kind == "pair":
            repository.sum_and_difference(models, "own_pair")

            def make(k, rows):
                random = np.random.default_rng(k)
                return [random.integers(-9, 9, (rows, 4)).astype(np.int32) for _ in range(2)]

            inputs = {f"INPUT{k}": ("INT32", [4]) for k in range(2)}
            outputs = {f"OUTPUT{k}": ("INT32", [4]) for k in range(2)}
        else:
            repository.parse(models, "own_texts")

            def make(k, rows):
                texts = [str(7 * k + row) for row in range(3 * rows)]
                return [np.array(texts, object).reshape(rows, 3)]

            inputs, outputs = {"INPUT0": ("BYTES", [-1])}, {"OUTPUT0": ("INT32", [-1])}
        path = models.folder / f"own_{kind}/1/model.onnx"
        return Whole(f"own_{kind}", path, inputs, outputs, make)

    return described


WHOLE = {
    "digits": digits,
    "minilm": minilm,
    "add": own("add"),
    "pair": own("pair"),
    "texts": own("texts"),
}


def load(models, http, whole, batching):
    """Load the model under a name for this kind of batching."""
    name = f"{whole.name}_{'batched' if batching else 'alone'}"
    text = repository.configuration(
        whole.inputs, whole.outputs, batch=8, extra=BATCHING if batching else ""
    )
    models.add(name, whole.path.resolve(), text)
    http.load(name)
    return name


def alone(suite, models, running, http, grpc, oracle, describe):
    """One request at a time, of one row and of several, over both protocols."""
    whole = describe(suite, models)
    name = load(models, http, whole, False)
    for k, rows in enumerate((1, 3, 8)):
        inputs = whole.make(k, rows)
        want = oracle.run(whole.path, inputs)
        feed = dict(zip(whole.inputs, inputs))
        expect(want, http.infer(name, feed))
        expect(want, grpc.infer(name, feed))


def together(suite, models, running, http, grpc, oracle, describe):
    """Requests that the server puts into one batch, in the order in which they arrive."""
    whole = describe(suite, models)
    name = load(models, http, whole, True)
    before = http.settled_statistics(name)["execution_count"]
    each = [whole.make(k, 1) for k in range(REQUESTS)]
    if suite.reference:  # which does not make batches
        runs = [oracle.run(whole.path, inputs) for inputs in each]
        want = {key: np.concatenate([run[key] for run in runs]) for key in runs[0]}
    else:
        want = oracle.run(whole.path, [np.concatenate(parts) for parts in zip(*each)])
    jobs = [
        lambda inputs=inputs: grpc.infer(name, dict(zip(whole.inputs, inputs))) for inputs in each
    ]
    found = in_parallel(jobs, ARRIVAL)
    for k, got in enumerate(found):
        if isinstance(got, Exception):
            raise got
        expect({key: array[k : k + 1] for key, array in want.items()}, got)
    executions = http.settled_statistics(name)["execution_count"] - before
    if not suite.reference:
        assert executions == 1, f"{executions} executions for one batch"
