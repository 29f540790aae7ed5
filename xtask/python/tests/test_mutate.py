"""Mutations: repeatable, varied, and able to take any bytes."""

import random
import unittest

import onnx
from onnx import TensorProto, helper

from fuzz.mutate import mutate, mutate_field


def model():
    """Two nodes with attributes of several types, and an initializer."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], auto_pad="VALID"),
        helper.make_node("LeakyRelu", ["y"], ["z"], alpha=0.1),
    ]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 1, 8, 8]) for n in "xz"]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [1, 1, 3, 3], [1.0] * 9)
    return helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:], [weight]))


class Mutations(unittest.TestCase):
    def setUp(self):
        self.data = model().SerializeToString()

    def mutants(self, count, change=mutate):
        return [
            change(random.Random(k), self.data, self.data[::-1], onnx.ModelProto)
            for k in range(count)
        ]

    def test_depend_only_on_the_seed(self):
        self.assertEqual(self.mutants(100), self.mutants(100))

    def test_are_varied(self):
        self.assertGreater(len(set(self.mutants(300))), 200)

    def test_changed_fields_still_parse(self):
        changed = 0
        for data in self.mutants(300, mutate_field):
            onnx.ModelProto.FromString(data)
            changed += data != self.data
        self.assertGreater(changed, 200)

    def test_take_any_bytes(self):
        rng = random.Random(0)
        for _ in range(300):
            data = rng.randbytes(rng.randrange(20))
            mutate(rng, data, rng.randbytes(rng.randrange(20)), onnx.TensorProto)


if __name__ == "__main__":
    unittest.main()
