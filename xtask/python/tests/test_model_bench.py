"""Benchmark models get finite weights and a free batch; ratios are what they say."""

import math
import unittest

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from model_bench import report
from model_bench.__main__ import error_of
from model_bench.models import with_random_weights


def constant_model():
    """Conv, BatchNormalization, Reshape to [1, 48], Gemm; weights from ConstantOfShape, batch 1."""
    shapes = {
        "w": [3, 2, 3, 3],
        "scale": [3],
        "shift": [3],
        "mean": [3],
        "var": [3],
        "fc": [5, 48],
        "bias": [5],
    }
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [0.02])
    weights = [
        helper.make_node("ConstantOfShape", [f"{name}.shape"], [name], value=value)
        for name in shapes
    ]
    initializers = [
        helper.make_tensor(f"{name}.shape", TensorProto.INT64, [len(shape)], shape)
        for name, shape in shapes.items()
    ]
    initializers.append(helper.make_tensor("flat", TensorProto.INT64, [2], [1, 48]))
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["n"]),
        helper.make_node("Reshape", ["n", "flat"], ["r"]),
        helper.make_node("Gemm", ["r", "fc", "bias"], ["y"], transB=1),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 4, 4])]
    inputs += [
        helper.make_tensor_value_info(tensor.name, TensorProto.INT64, tensor.dims)
        for tensor in initializers
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])
    graph = helper.make_graph([*weights, *nodes], "g", inputs, [output], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=3)


class Models(unittest.TestCase):
    def test_batch_is_free_and_samples_are_independent(self):
        model = with_random_weights(constant_model())
        self.assertEqual([info.name for info in model.graph.input], ["x"])
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        x = np.random.default_rng(0).standard_normal((3, 2, 4, 4)).astype(np.float32)
        (together,) = session.run(None, {"x": x})
        alone = [session.run(None, {"x": sample[None]})[0][0] for sample in x]
        np.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-5)
        self.assertGreater(together.std(), 0)

    def test_weights_are_the_same_every_time(self):
        first, second = (with_random_weights(constant_model()) for _ in range(2))
        self.assertEqual(first.SerializeToString(), second.SerializeToString())


class Figures(unittest.TestCase):
    def row(self, **times):
        engines = {name: {"median_ms": ms} for name, ms in times.items() if ms}
        engines |= {name: {"error": "no"} for name, ms in times.items() if not ms}
        return {"model": "m", "batch": 1, "threads": 1, "engines": engines}

    def test_ratios_skip_what_did_not_run(self):
        rows = [self.row(trident=2.0, onnxruntime=1.0), self.row(trident=None, onnxruntime=1.0)]
        self.assertEqual(list(report.ratios(rows, "trident", "median_ms")), [2.0])
        self.assertEqual(list(report.ratios(rows, "tract", "median_ms")), [])
        self.assertTrue(any("| – |" in line for line in report.table(rows, "median_ms", 1, 2)))

    def test_another_build_is_the_peer_where_there_is_one(self):
        rows = [self.row(trident=1.0, baseline=4.0)]
        self.assertEqual(report.peer_of(rows), "baseline")
        self.assertEqual(list(report.ratios(rows, "trident", "median_ms")), [0.25])
        self.assertIn("trident ÷ baseline", report.table(rows, "median_ms", 1, 2)[0])
        self.assertEqual(report.peer_of([self.row(trident=1.0, onnxruntime=1.0)]), "onnxruntime")

    def test_geometric_mean(self):
        self.assertAlmostEqual(report.geometric_mean([1, 4]), 2)
        self.assertTrue(math.isnan(report.geometric_mean([])))

    def test_error_is_relative_to_the_largest_value(self):
        reference = np.float32([0, -10])
        self.assertAlmostEqual(error_of(np.float32([1, -10]), reference), 0.1)
        for wrong in ([np.nan, -10], [0], [np.inf, -10]):
            self.assertEqual(error_of(np.float32(wrong), reference), math.inf)


if __name__ == "__main__":
    unittest.main()
