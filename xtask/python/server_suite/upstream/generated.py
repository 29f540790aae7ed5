"""Models that upstream's programs write for its tests, beside ONNX Runtime on the same files.

Every model gets random numbers over HTTP and gRPC, and the answers must be ONNX Runtime's to the
bit. A model with sequences gets two of them in turns; its controls and states are played for ONNX
Runtime as the configuration says. A file that ONNX Runtime refuses must be refused, too.
"""

import random
import shutil

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2

from backend_suite.client import Grpc, Http
from backend_suite.tensors import expect

from ..server import Server
from . import generators, sequences

IR_VERSION = 10  # that ONNX Runtime knows; the files have a newer one, and need nothing of it
VARIABLE = 5  # the size of variable dimensions
ROWS = 3
RAGGED = "qa_ragged"  # the group `lengths` tests ragged batches


def run(suite, checkouts):
    for name in generators.PROGRAMS:
        folder = suite.folder / "generated" / name
        shutil.copytree(generators.models(checkouts, name), folder)
        flags = ("--exit-on-error=false", "--strict-readiness=false")
        log = suite.folder / f"generated/{name}.log"
        with Server(suite.trident, folder, log, flags) as running:
            clients = Http(running.port("HTTP")), Grpc(running.port("gRPC"))
            for place in sorted(folder.iterdir()):
                case = f"{name}/{place.name}"
                suite.check(case, lambda p=place, c=clients: agrees(suite, c, p))
            suite.check(f"{name}: no panic in the log", running.no_panic)
            for client in clients:
                client.close()


def agrees(suite, clients, place):
    """The answers of a model are those of ONNX Runtime."""
    text = (place / "config.pbtxt").read_text()
    config = text_format.Parse(text, model_config_pb2.ModelConfig())
    http = clients[0]
    ready = http.call("GET", f"/v2/models/{place.name}")
    versions = ready.json()["versions"] if ready.status == 200 else ["1"]
    try:
        session = reference(config, place / max(versions) / "model.onnx")
    except Exception as error:  # whatever ONNX Runtime says about a file
        assert ready.status != 200, f"ONNX Runtime refuses the file: {error}"
        return
    assert ready.status == 200, f"it does not load: {http.state(place.name)}, {ready.error()}"
    if place.parent.name == RAGGED:
        return
    rng = random.Random(f"{suite.options.seed} {place.name}")
    if config.HasField("sequence_batching"):
        sequences.agree(http, config, session, rng)
        return
    for client in clients:
        for rows in {1, ROWS} if config.max_batch_size else {0}:
            inputs = {one.name: numbers(one, rows, rng) for one in config.input}
            wanted = session.answers(config, inputs, rows)
            expect(wanted, client.infer(place.name, inputs))


def numbers(one, rows, rng):
    """Random numbers for an input; small ones, of which sums are exact."""
    dims = [VARIABLE if dim == -1 else dim for dim in one.dims]
    shape = [rows, *dims] if rows else dims
    drawn = [rng.randrange(20) for _ in range(int(np.prod(shape)))]
    kind = model_config_pb2.DataType.Name(one.data_type).removeprefix("TYPE_")
    if kind == "STRING":
        return np.array([str(number).encode() for number in drawn], object).reshape(shape)
    return np.array(drawn).astype(NUMPY[kind]).reshape(shape)


NUMPY = {
    "BOOL": bool,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "UINT64": np.uint64,
    "FP16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "FP32": np.float32,
    "FP64": np.float64,
}


def reference(config, file):
    """The runtime, or NumPy for sums of a type that the runtime does not add."""
    kinds = {model_config_pb2.DataType.Name(one.data_type) for one in config.input}
    return Sums() if "TYPE_BF16" in kinds else Runtime(file)


class Reference:
    """What gives {output: array} for {input: array}."""

    def answers(self, config, inputs, rows):
        """Answers in the shapes that clients see."""
        given = {one.name: shaped(one, inputs[one.name], rows) for one in config.input}
        found = self.run(given)
        wanted = {}
        for one in config.output:
            dims = [VARIABLE if dim == -1 else dim for dim in one.dims]
            array = found[one.name]
            if one.HasField("reshape"):
                array = array.reshape([rows, *dims] if rows else dims)
            wanted[one.name] = array
        return wanted


class Sums(Reference):
    """Sum and difference of two inputs, which is what models of BF16 compute."""

    def run(self, inputs):
        one, two = (array.astype(np.float32) for array in inputs.values())
        found = {"OUTPUT0": one + two, "OUTPUT1": one - two}
        return {name: array.astype(ml_dtypes.bfloat16) for name, array in found.items()}


class Runtime(Reference):
    """ONNX Runtime on a file."""

    def __init__(self, file):
        model = onnx.load(file)
        model.ir_version = min(model.ir_version, IR_VERSION)
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        self.names = [output.name for output in self.session.get_outputs()]

    def run(self, inputs):
        given = {
            name: array.astype(str).astype(object) if array.dtype == object else array
            for name, array in inputs.items()
        }
        found = dict(zip(self.names, self.session.run(self.names, given), strict=True))
        return {
            name: encoded(array) if array.dtype == object else array
            for name, array in found.items()
        }


def encoded(array):
    texts = [text.encode() for text in array.ravel()]
    return np.array(texts, object).reshape(array.shape)


def shaped(one, array, rows):
    """An input in the shape that the model sees."""
    if not one.HasField("reshape"):
        return array
    shape = [VARIABLE if dim == -1 else dim for dim in one.reshape.shape]
    return array.reshape([rows, *shape] if rows else shape)
