"""The wheel in an environment that has NumPy and nothing else.

`cargo xtask test` makes the environment and runs this file in it.
The programs start in a folder outside of the checkout, with no variable of Python's set.
"""

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import trident

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIGITS = ROOT / "examples/digits"
KERNEL = ROOT / "crates/cli/tests/metal/scale.ttir"
PROGRAM = """
import sys
import numpy as np
import onnxruntime as ort
session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
(result,) = session.run(None, {"image": np.zeros((2, 1, 8, 8), np.float32)})
print(ort.__name__, result.shape)
"""


def run(*words):
    """The standard output of a program that must succeed."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*map(str, words)], cwd=folder, env=environment, capture_output=True, text=True
        )
    assert done.returncode == 0, f"{words}: status {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout


class Package(unittest.TestCase):
    """What a user has after `pip install numpy` and of the wheel."""

    program = pathlib.Path(sys.prefix) / "bin/trident"

    def test_numpy_is_all_there_is(self):
        names = {found.name for found in importlib.metadata.distributions()}
        self.assertEqual(names, {"numpy", "trident"})
        self.assertEqual(importlib.metadata.version("trident"), trident.__version__)
        self.assertTrue(pathlib.Path(trident.__file__).is_relative_to(sys.prefix))

    def test_a_model_is_a_function_of_arrays(self):
        model = trident.Model(DIGITS / "digits.onnx")
        images = np.random.default_rng(7).random((3, 1, 8, 8), np.float32)
        probabilities = model(images)
        self.assertEqual(probabilities.shape, (3, 10))
        np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-5)

    def test_the_program_recognises_a_digit(self):
        self.assertIn("Usage: trident <COMMAND>", run(self.program, "--help"))
        for command in ([self.program], [sys.executable, "-m", "trident"]):
            files = (DIGITS / "digits.onnx", "--input", DIGITS / "7.png", "--top-k", 1)
            said = run(*command, "run", *files)
            first = said.splitlines()[1]
            self.assertTrue(first.strip().startswith("7 "), said)

    def test_a_kernel_runs_from_its_ir(self):
        kernel = trident.compile(KERNEL.read_text())
        x, out = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
        kernel.launch(1, [x, out, 2.5, 100])
        np.testing.assert_array_equal(out[:100], 2.5 * x[:100])
        np.testing.assert_array_equal(out[100:], 0)

    def test_the_program_launches_a_kernel(self):
        arrays = ("--arg", "x=random:128", "--arg", "out=zeros:128")
        numbers = ("--arg", "a=2", "--arg", "n=128")
        said = run(self.program, "run", KERNEL, "--grid", 1, *arrays, *numbers)
        self.assertIn("f32[128]", said)

    def test_a_program_for_onnx_runtime_runs_without_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(PROGRAM)
            file.flush()
            words = ("-m", "trident.onnxruntime", file.name, DIGITS / "digits.onnx")
            self.assertEqual(run(sys.executable, *words), "onnxruntime (2, 10)\n")

    def test_tests_are_left_out(self):
        files = [str(file) for file in importlib.metadata.files("trident")]
        self.assertTrue(any(file.endswith("LICENSE") for file in files), files)
        self.assertTrue(any(file.endswith("_trident.pyi") for file in files), files)
        self.assertFalse([file for file in files if "tests/" in file])
