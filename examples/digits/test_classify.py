"""Pictures classified from Python, against ONNX Runtime and the `trident` binary in $TRIDENT."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from PIL import Image

import trident
from classify import HERE, classify, parse, preprocess

FILES = [HERE / f"{digit}.png" for digit in range(10)]


def preprocessed_by_the_binary(folder, picture, steps, shape):
    """The input that `trident run` makes of a picture."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "same", [x], [y])
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.save(model, folder / "same.onnx")
    picture.save(folder / "picture.png")
    command = [os.environ["TRIDENT"], "run", folder / "same.onnx", "--preprocess", steps]
    command += ["--input", folder / "picture.png", "--output", folder / "y.npy"]
    subprocess.run(command, check=True, capture_output=True)
    return np.load(folder / "y.npy")


class Classify(unittest.TestCase):
    def test_probabilities_are_those_of_onnxruntime(self):
        digits = HERE / "digits.onnx"
        result = classify(trident.Model(digits), [Image.open(file) for file in FILES])
        # The ten files are grey and have the model's size: decoding them is all there is to do.
        pixels = np.stack([np.asarray(Image.open(file)) for file in FILES])[:, None]
        session = onnxruntime.InferenceSession(digits, providers=["CPUExecutionProvider"])
        (expected,) = session.run(None, {"image": pixels.astype(np.float32) / 255})
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-7)
        self.assertEqual(result.argmax(axis=1).tolist(), list(range(10)))

    def test_preprocessing_is_that_of_the_command_line(self):
        rng = np.random.default_rng(0)
        picture = Image.fromarray(rng.integers(0, 256, (40, 50, 3), np.uint8))
        normalised = "mean=0.485:0.456:0.406,std=0.229:0.224:0.225"
        cases = {
            f"rgb,scale=1/255,{normalised},layout=nchw": ([1, 3, 40, 50], 0),
            # Grey and resized pixels may differ by 1 of 255.
            "gray,scale=1,layout=nchw": ([1, 1, 40, 50], 1),
            "size=20x24,rgb,scale=1,layout=nhwc": ([1, 24, 20, 3], 1),
            "size=70x64,gray,scale=1,layout=nhwc": ([1, 64, 70, 1], 1),
        }
        for steps, (shape, difference) in cases.items():
            with self.subTest(steps=steps), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                expected = preprocessed_by_the_binary(folder, picture, steps, shape)
                result = preprocess(picture, parse(steps))
                np.testing.assert_allclose(result, expected, rtol=0, atol=difference, strict=True)

    def test_a_step_that_is_not_written_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "letterbox"):
            parse("letterbox=640,scale=1/255")

    def test_the_program_prints_a_line_for_each_picture(self):
        command = [sys.executable, HERE / "classify.py", *FILES]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        for digit, line in enumerate(run.stdout.splitlines()):
            self.assertRegex(line, rf"{digit}\.png: {digit} \((100\.00|99\.\d\d)%\)")
        self.assertEqual(len(run.stdout.splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
