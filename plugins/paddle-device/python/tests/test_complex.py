"""Complex numbers, beside NumPy."""

import unittest

import numpy as np
import paddle

OPERATIONS = (
    (paddle.add, np.add),
    (paddle.subtract, np.subtract),
    (paddle.multiply, np.multiply),
    (paddle.divide, np.divide),
)


class Complex(unittest.TestCase):
    def numbers(self, shape, dtype):
        random = np.random.default_rng(len(shape))
        parts = random.normal(size=(2, *shape))
        return (parts[0] + 1j * parts[1]).astype(dtype)

    def test_operations_are_numpys(self):
        pairs = (((), ()), ((5,), (5,)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((7, 9), (7, 9)))
        for dtype, tolerance in (("complex64", 1e-6), ("complex128", 1e-14)):
            for shapes in pairs:
                x, y = (self.numbers(shape, dtype) for shape in shapes)
                for function, reference in OPERATIONS:
                    found = function(*(paddle.to_tensor(n, place="mps") for n in (x, y)))
                    expected = reference(x, y)
                    self.assertEqual(str(found.place), "Place(mps:0)")
                    self.assertEqual(found.numpy().dtype, dtype)
                    np.testing.assert_allclose(
                        found.numpy(), expected, rtol=tolerance, atol=tolerance
                    )

    def test_casts_keep_real_parts(self):
        x = self.numbers((2, 3), "complex64")
        tensor = paddle.to_tensor(x, place="mps")
        np.testing.assert_array_equal(tensor.astype("complex128").numpy(), x.astype("c16"))
        np.testing.assert_array_equal(tensor.astype("float32").numpy(), x.real)
        for dtype in ("float32", "float64", "int32", "bool"):
            real = np.array([[0, 1], [1, 3]], dtype)
            found = paddle.to_tensor(real, place="mps").astype("complex64")
            np.testing.assert_array_equal(found.numpy(), real.astype("c8"))

    def test_a_shape_that_does_not_fit_is_a_value_error(self):
        x, y = (paddle.to_tensor(self.numbers(s, "complex64"), place="mps") for s in ((2,), (3,)))
        with self.assertRaises(ValueError):
            paddle.add(x, y)


if __name__ == "__main__":
    unittest.main()
