"""The example, with a second opinion from ONNX Runtime about the exported file."""

import io
import pathlib
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

import numpy as np
import onnxruntime

import compare
import trident


class Compare(unittest.TestCase):
    def test_the_exported_module_gives_pytorchs_results(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "classifier.onnx"
            with redirect_stdout(io.StringIO()) as printed:
                with mock.patch.object(sys, "argv", ["compare.py", str(file)]):
                    compare.main()
            model = trident.Model(file)
            session = onnxruntime.InferenceSession(file)
        lines = printed.getvalue().splitlines()
        self.assertEqual(
            lines[0],
            "<trident.Model (words: i64[batch, length]) -> (scores: f32[batch, 5])>",
        )
        self.assertEqual(len(lines), 4)
        words = np.random.default_rng(0).integers(0, compare.WORDS, (3, 20))
        (expected,) = session.run(None, {"words": words})
        np.testing.assert_allclose(model(words), expected, rtol=1e-4, atol=1e-5)
        self.assertEqual(model.copied_bytes, {"inputs": 0, "outputs": 0})

    def test_another_module_is_seen_to_differ(self):
        compare.torch.manual_seed(0)
        module, other = compare.Classifier().eval(), compare.Classifier().eval()
        words = compare.torch.randint(compare.WORDS, (2, 12))
        with compare.torch.no_grad():
            self.assertGreater(compare.difference(module, lambda x: other(x).numpy(), words), 0.1)


if __name__ == "__main__":
    unittest.main()
