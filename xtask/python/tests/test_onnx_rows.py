"""The rows of the ONNX suite's batches: their data, their places, and how a difference is found."""

import types
import unittest

import numpy as np
from onnx import TensorProto, helper

from onnx_suite import batched, row_models
from onnx_suite.rows import (
    BATCHES,
    ROWS,
    Unsuitable,
    cycled_rows,
    difference,
    forms,
    model_for_rows,
    orders,
    permuted_rows,
)


def case(*inputs):
    """A case that adds its inputs."""
    params = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in inputs
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    names = [name for name, _ in inputs]
    graph = helper.make_graph([helper.make_node("Sum", names, ["y"])], "g", params, [result])
    sets = [(".", list(inputs), [])]
    return types.SimpleNamespace(model=helper.make_model(graph), sets=sets, outputs=[result])


class Forms(unittest.TestCase):
    def test_all_inputs_those_of_equal_length_and_each(self):
        a, b, c = np.zeros((2, 3)), np.zeros((2, 1)), np.zeros((4, 3))
        found = forms(case(("a", a), ("b", b), ("c", c)))
        self.assertEqual(found, [["a", "b", "c"], ["a", "b"], ["a"], ["b"], ["c"]])

    def test_scalars_have_no_rows(self):
        self.assertEqual(forms(case(("a", np.zeros(2)), ("k", np.float64(1)[...]))), [["a"]])
        with self.assertRaises(Unsuitable):
            forms(case(("k", np.float64(1)[...])))

    def test_other_inputs_become_constants(self):
        both = case(("a", np.float32([[1], [2]])), ("b", np.float32([[3, 4]])))
        graph = model_for_rows(both, ["a"]).graph
        self.assertEqual([info.name for info in graph.input], ["a"])
        self.assertEqual([tensor.name for tensor in graph.initializer], ["b"])
        dims = graph.input[0].type.tensor_type.shape.dim
        self.assertEqual([(dim.dim_param, dim.dim_value) for dim in dims], [("rows", 0), ("", 1)])
        self.assertFalse(graph.output[0].type.tensor_type.HasField("shape"))


class Data(unittest.TestCase):
    def test_rows_differ_and_are_reproducible(self):
        value = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        rows = permuted_rows(value, 5)
        self.assertEqual(rows.shape, (ROWS, 3, 4))
        self.assertEqual(len({row.tobytes() for row in rows}), ROWS)
        self.assertEqual(rows.tobytes(), permuted_rows(value, 5).tobytes())

    def test_other_types_keep_their_values(self):
        numbers = permuted_rows(np.array([[3, 5], [7, 7]]), 0)
        self.assertLessEqual(set(numbers.ravel().tolist()), {3, 5, 7})
        words = permuted_rows(np.array([["a", "b"]], object), 0)
        self.assertEqual({*words.ravel()}, {"a", "b"})

    def test_rows_in_order(self):
        rows = cycled_rows(np.array([[1], [2], [3]]))
        self.assertEqual(rows.ravel().tolist(), [1, 2, 3, 1, 2, 3, 1, 2])

    def test_each_row_is_at_each_position(self):
        for size in BATCHES:
            of_size = [order for order in orders(False) if len(order) == size]
            for position in range(size):
                self.assertEqual({order[position] for order in of_size}, set(range(size)))
        self.assertEqual({len(order) for order in orders(True)}, set(BATCHES))

    def test_models_have_eight_rows(self):
        names = [own.name for own in row_models.all_models()]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 500)
        for own in row_models.all_models()[::50]:
            _, inputs = own.make()
            self.assertEqual({len(value) for value in inputs.values()}, {ROWS}, own.name)


class Difference(unittest.TestCase):
    alone = [np.float32([[row, np.nan]]) for row in range(3)]

    def test_equal_bits(self):
        batch = np.concatenate([self.alone[2], self.alone[0]])
        self.assertIsNone(difference(self.alone, batch, (2, 0)))
        self.assertIsNone(difference([[x] for x in self.alone], [batch], (2, 0)))

    def test_swapped_rows(self):
        found = difference(self.alone, np.concatenate([self.alone[1], self.alone[0]]), (0, 1))
        self.assertIn("row 0 at position 0: 1 of 2 elements, by at most 1", found)

    def test_one_bit(self):
        batch = np.concatenate([self.alone[0], self.alone[1]])
        batch[1, 0] = np.nextafter(batch[1, 0], np.float32(2))
        self.assertIn("row 1 at position 1", difference(self.alone, batch, (0, 1)))
        zero = np.float32([[-0.0, np.nan]])
        self.assertIn("1 of 2 elements", difference(self.alone, zero, (0,)))

    def test_other_lengths_and_types(self):
        self.assertEqual(difference(self.alone, self.alone[0], (0, 1)), "shape (1, 2) for 2 rows")
        wide = self.alone[0].astype(np.float64)
        self.assertIsNotNone(difference(self.alone, wide, (0,)))


class Outcomes(unittest.TestCase):
    """The comparison, with runs that are computed here."""

    def compare(self, function):
        def run(path, inputs, outputs, selections):
            return [[function(inputs[0][list(selection)])] for selection in selections], "end"

        runner = types.SimpleNamespace(run=run)
        values = np.random.default_rng(0).standard_normal((ROWS, 5), np.float32)
        return batched.Runner.compare(runner, "m", [values], ["y"], False)

    def test_rows_that_are_kept_apart(self):
        self.assertEqual(self.compare(np.tanh), ("equal", ""))

    def test_rows_that_are_mixed(self):
        for function in (lambda x: x - x.mean(axis=0), lambda x: np.roll(x, 1, axis=0)):
            status, detail = self.compare(function)
            self.assertEqual(status, "differs")
            self.assertIn("batch of 2: output 0: row", detail)


if __name__ == "__main__":
    unittest.main()
