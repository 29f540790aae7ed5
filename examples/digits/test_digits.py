"""The committed digit classifier, run by the `trident` binary named in $TRIDENT."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
from PIL import Image

import train

HERE = pathlib.Path(__file__).resolve().parent


def run_trident(source):
    """The model's probabilities for one input file."""
    with tempfile.TemporaryDirectory() as folder:
        output = f"{folder}/out.npz"
        command = [os.environ["TRIDENT"], "run", HERE / "digits.onnx"]
        command += ["--input", source, "--output", output]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(output) as outputs:
            return outputs["probabilities"]


class Digits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, cls.images, _, cls.labels = train.load()

    def test_held_out_accuracy(self):
        report = json.loads((HERE / "report.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/images.npz"
            np.savez(path, image=train.as_input(self.images).transpose(0, 3, 1, 2))
            probabilities = run_trident(path)
        correct = int((probabilities.argmax(axis=1) == self.labels).sum())
        self.assertGreaterEqual(correct / len(self.labels), 0.985)
        self.assertEqual(correct, report["held_out_correct"])
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)

    def test_the_repository_serves_this_model(self):
        self.assertEqual(train.SERVED.read_bytes(), (HERE / "digits.onnx").read_bytes())

    def test_sample_images_are_held_out(self):
        held_out = {image.tobytes() for image in self.images}
        for digit in range(10):
            pixels = np.asarray(Image.open(HERE / f"{digit}.png"))
            self.assertIn(pixels.tobytes(), held_out)

    def test_sample_images_are_recognised(self):
        for digit in range(10):
            with self.subTest(digit=digit):
                probabilities = run_trident(HERE / f"{digit}.png")
                self.assertEqual(probabilities.shape, (1, 10))
                self.assertEqual(probabilities.argmax(), digit)


if __name__ == "__main__":
    unittest.main()
