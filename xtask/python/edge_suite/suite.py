"""The tools of groups: engines, models from nodes, random numbers, comparison."""

import hashlib
import importlib
import os
import pathlib
import shutil
import tempfile

import numpy as np
from onnx import helper

from checks import Checks, Skip
from onnx_suite.cases import Case, compare
from onnx_suite.engines import OnnxRuntimeEngine, TridentEngine
from onnx_suite.generate import to_proto, write
from worker import ERR, OK

OPSET = 21
SECONDS = 60  # that one run of a model may take
EXACT = {"rtol": 0, "atol": 0}


class Refused(Exception):
    """An engine's error for a model or its inputs."""

    def __init__(self, message):
        super().__init__(message)
        stage, found, _ = message.partition(": ")
        self.stage = stage if found and stage.isalpha() and stage.islower() else "run"


class Suite(Checks):
    """Checks that compare runs of small models."""

    def __init__(self, options):
        super().__init__(options)
        self.engines = {
            "trident": TridentEngine(os.environ["TRIDENT"], "cpu"),
            "onnxruntime": OnnxRuntimeEngine(),
        }
        self.scratch = tempfile.TemporaryDirectory(prefix="edges")

    def close(self):
        for engine in self.engines.values():
            engine.close()
        self.scratch.cleanup()

    def random(self, name):
        """A `numpy.random.Generator` for one case."""
        key = f"{self.options.seed} {self.group}/{name}".encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "little"))

    def package(self, name):
        """A module that only the environment of PyTorch has."""
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise Skip(
                f"{error}: make the environment of PyTorch by `cargo xtask env torch` (5.4 GB)"
            ) from None

    def trident(self, model, inputs):
        """The outputs of a model."""
        return self.outputs("trident", model, inputs)

    def onnxruntime(self, model, inputs):
        """The outputs of a model in ONNX Runtime."""
        return self.outputs("onnxruntime", model, inputs)

    def outputs(self, engine, model, inputs):
        folder = pathlib.Path(self.scratch.name) / "case"
        shutil.rmtree(folder, ignore_errors=True)
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        write(folder / "model.onnx", model)
        for j, (value, info) in enumerate(zip(inputs, model.graph.input, strict=True)):
            write(data / f"input_{j}.pb", to_proto(value, info))
        status, results = self.engines[engine].run(Case(folder), SECONDS)
        if status == OK:
            return results[0]
        if status == ERR:
            raise Refused(results.replace(f"{folder}/", ""))
        raise AssertionError(f"{engine}: {status}: {results}")


def model(nodes, inputs, outputs, opset=OPSET, constants=(), domains=(), ir_version=10):
    """A model of these nodes.

    `inputs` and `outputs` map names to (TensorProto type, shape); the shape may be None. `domains`
    are pairs of a domain besides the standard's and its version.
    """
    infos = [
        [helper.make_tensor_value_info(name, *value) for name, value in values.items()]
        for values in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, "edge", *infos, list(constants))
    opsets = [helper.make_opsetid(domain, n) for domain, n in [("", opset), *domains]]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def same(got, want, tolerance=EXACT):
    """Fail unless two lists of outputs agree, by the comparison of the ONNX suite."""
    compare(want, got, tolerance)
