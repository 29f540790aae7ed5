"""A case of the suite as read from its folder, and upstream's comparison of results."""

import glob

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.runner import Runner

CATEGORIES = ("node", "simple", "pytorch-converted", "pytorch-operator", "light", "weights")


def load_value(path, info):
    """Read one value of the type that `info` (a graph input or output) declares."""
    kinds = (
        ("sequence_type", onnx.SequenceProto, numpy_helper.to_list),
        ("optional_type", onnx.OptionalProto, numpy_helper.to_optional),
        ("tensor_type", onnx.TensorProto, numpy_helper.to_array),
    )
    for field, message_type, convert in kinds:
        if info.type.HasField(field):
            with open(path, "rb") as file:
                return convert(message_type.FromString(file.read()))
    raise ValueError("value type " + str(info.type.WhichOneof("value")))


class Case:
    """A model and its data sets. A data set is (folder, [(input name, value)], [output])."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.path = f"{folder}/model.onnx"
        self.model = onnx.load(self.path)
        graph = self.model.graph
        weights = {weight.name for weight in graph.initializer}
        self.outputs = list(graph.output)
        self.sets = []
        for data in sorted(glob.glob(f"{folder}/test_data_set_*")):
            count = len(glob.glob(f"{data}/input_*.pb"))
            # Files follow graph.input; old models (IR 3) also list their weights there.
            infos = list(graph.input)
            if count != len(infos):
                infos = [info for info in infos if info.name not in weights]
            if count != len(infos):
                infos = list(graph.input)[:count]
            inputs = [
                (info.name, load_value(f"{data}/input_{j}.pb", info))
                for j, info in enumerate(infos)
            ]
            expected = len(glob.glob(f"{data}/output_*.pb"))
            outputs = [
                load_value(f"{data}/output_{j}.pb", self.outputs[j]) for j in range(expected)
            ]
            self.sets.append((data, inputs, outputs))

    def opset(self):
        """Highest ai.onnx opset, 0 if the model imports only other domains."""
        versions = [o.version for o in self.model.opset_import if o.domain in ("", "ai.onnx")]
        return max(versions, default=0)

    def ops(self):
        """Sorted names of the ops in the graph and its subgraphs, other domains as prefix."""
        return sorted(ops_of(self.model.graph))


def ops_of(graph):
    """The set of op names of `graph` and its subgraphs."""
    found = set()
    for node in graph.node:
        standard = node.domain in ("", "ai.onnx")
        found.add(node.op_type if standard else f"{node.domain}.{node.op_type}")
        for attribute in node.attribute:
            subgraphs = list(attribute.graphs)
            if attribute.HasField("g"):
                subgraphs.append(attribute.g)
            for subgraph in subgraphs:
                found |= ops_of(subgraph)
    return found


def compare(expected, actual, tolerance):
    """Upstream's comparison; raises an exception that tells the difference.

    Sequence elements are compared one by one, because upstream's recursion into a sequence
    cannot handle elements of rank 0.
    """
    if len(expected) != len(actual):
        raise AssertionError(f"{len(actual)} outputs, expected {len(expected)}")
    for want, got in zip(expected, actual):
        if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
            compare(want, got, tolerance)
        elif want is None or got is None:  # an empty optional
            if want is not got:
                raise AssertionError(f"got {got!r}, expected {want!r}")
        else:
            got = np.asarray(got) if isinstance(got, np.generic) else got
            Runner.assert_similar_outputs([want], [got], **tolerance)


def compare_types(expected, actual):
    """Shapes and dtypes only, for outputs that are random by definition."""
    for want, got in zip(expected, actual, strict=True):
        if (want.shape, want.dtype) != (got.shape, got.dtype):
            raise AssertionError(f"got {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
