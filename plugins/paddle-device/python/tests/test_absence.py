"""Devices by `TRIDENT_DEVICE`, and why there are none."""

import ast
import os
import tempfile
import unittest

from programs import run

ASK = """
import paddle
print(paddle.is_compiled_with_mps(), paddle.mps.is_available(), paddle.mps.device_count())
print(paddle.mps.why())
try:
    paddle.mps.set_device(0)
except RuntimeError as error:
    print(error)
"""

#: As much of Paddle as `paddle.mps` imports, in a build without custom devices.
WITHOUT_DEVICES = {
    "__init__.py": "from . import base, device",
    "base/__init__.py": "from . import core",
    "base/core.py": "get_all_custom_device_type = lambda: []",
    "base/libpaddle.so": "a library without such a function",
    "device/__init__.py": "class Stream: pass\nclass Event: pass",
}


class Absence(unittest.TestCase):
    def check(self, said, reason):
        first, *rest = said.splitlines()
        self.assertEqual(first, "False False 0")
        self.assertEqual(len(rest), 2, said)
        for line in rest:
            self.assertIn(reason, line)

    def test_a_build_without_custom_devices(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in WITHOUT_DEVICES.items():
                path = os.path.join(folder, "paddle", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
            said = run(ASK, PYTHONPATH=folder)
        self.check(said, "-DWITH_CUSTOM_DEVICE=ON")
        self.check(said, "trident.Model")

    def test_a_folder_of_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(run(ASK, CUSTOM_DEVICE_ROOT=folder), "CUSTOM_DEVICE_ROOT is")

    def test_a_device_that_this_machine_lacks(self):
        self.check(run(ASK, TRIDENT_DEVICE="no_such"), "TRIDENT_DEVICE=no_such")

    def test_a_list_gives_several_devices(self):
        program = """
            import paddle
            paddle.mps.set_device(1)
            x = paddle.ones([3]) + paddle.to_tensor([1.0, 2, 3], place="mps:1")
            print(paddle.mps.device_count(), paddle.mps.current_device(), x.place, x.tolist())
            y = x.to("mps:0")
            print(y.place, y.tolist(), paddle.mps.memory_allocated(0) > 0)
        """
        said = run(program, TRIDENT_DEVICE="cpu,cpu")
        expected = "2 1 Place(mps:1) [2.0, 3.0, 4.0]\nPlace(mps:0) [2.0, 3.0, 4.0] True\n"
        self.assertEqual(said, expected)


class Fallbacks(unittest.TestCase):
    PROGRAM = """
        import paddle
        x = paddle.to_tensor([0.25, 0.5], place="mps")
        for dtype in ("float32", "float32", "float64"):
            print(paddle.erfinv(x.astype(dtype)).place)
        print(paddle.log(paddle.ones([2], "int64", place="mps").astype("int32")).tolist())
        print(paddle.mps.fallbacks())
    """

    def test_there_are_none_by_default(self):
        program = """
            import paddle
            try:
                paddle.erfinv(paddle.ones([2], place="mps"))
            except RuntimeError:
                print(paddle.mps.fallbacks())
        """
        self.assertEqual(run(program), "{}\n")

    def test_they_are_counted_by_kernel_and_type(self):
        for level in ("0", "2"):
            *places, logs, counts = run(
                self.PROGRAM, TRIDENT_PADDLE_FALLBACK="1", GLOG_minloglevel=level
            ).splitlines()
            self.assertEqual((places, logs), (["Place(mps:0)"] * 3, "[0.0, 0.0]"))
            expected = {("erfinv", "float32"): 2, ("erfinv", "float64"): 1}
            self.assertLessEqual(expected.items(), ast.literal_eval(counts).items())


if __name__ == "__main__":
    unittest.main()
