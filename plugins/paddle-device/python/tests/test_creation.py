"""`place=` in functions that create tensors."""

import unittest

import numpy as np
import paddle
from paddle_trident.creation import FUNCTIONS

#: Functions with arguments, whose results are the CPU's.
CALLS = {
    "as_tensor": ([1.5, 2],),
    "asarray": ([1.5, 2],),
    "empty": ([2, 3],),
    "empty_like": (np.zeros([2], np.float32),),
    "eye": (3, 2),
    "full": ([2, 2], 2.5),
    "full_like": (np.zeros([2], np.float32), 7),
    "ones": ([2],),
    "ones_like": (np.zeros([2], np.float32),),
    "zeros": ([3],),
    "zeros_like": (np.zeros([2], np.float32),),
}
UNINITIALISED = ("empty", "empty_like")


class Creation(unittest.TestCase):
    def created(self, name, place):
        arguments = [
            paddle.to_tensor(given, place=place) if isinstance(given, np.ndarray) else given
            for given in CALLS[name]
        ]
        return getattr(paddle, name)(*arguments, place=place)

    def test_tensors_are_created_on_the_place(self):
        names = [name for name in CALLS if hasattr(paddle, name)]
        self.assertGreater(len(names), 8)
        for current in ("cpu", "mps"):
            paddle.device.set_device(current)
            for name in names:
                expected = self.created(name, "cpu")
                self.assertEqual(str(expected.place), "Place(cpu)", name)
                for place in ("mps", "mps:0", paddle.MPSPlace(0)):
                    tensor = self.created(name, place)
                    self.assertEqual(str(tensor.place), "Place(mps:0)", name)
                    self.assertEqual(tensor.dtype, expected.dtype, name)
                    if name not in UNINITIALISED:
                        np.testing.assert_array_equal(tensor.numpy(), expected.numpy(), name)
            self.assertEqual(paddle.device.get_device().partition(":")[0], current)

    def test_every_function_takes_a_place(self):
        for name in FUNCTIONS:
            function = getattr(paddle, name, None)
            if function is not None:
                self.assertIn(function.__code__.co_name, ("created", name))
                with self.assertRaises((TypeError, ValueError)):
                    function(place="no_such_device")
        self.assertEqual(str(paddle.linspace(0, 1, 3, place="cpu").place), "Place(cpu)")
        self.assertEqual(paddle.randint(0, 5, [2], place="cpu").shape, [2])

    def test_a_place_and_a_device_are_an_error(self):
        with self.assertRaisesRegex(TypeError, "`place` or `device`"):
            paddle.zeros([2], place="mps", device="cpu")
        with self.assertRaises(ValueError):
            paddle.zeros([2], place="no_such_device")

    def test_static_functions_create_tensors(self):
        @paddle.jit.to_static(full_graph=True)
        def created(x):
            return x + paddle.ones([3])

        paddle.mps.set_device(0)
        self.assertEqual(created(paddle.zeros([3])).tolist(), [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
