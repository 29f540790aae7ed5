"""The program that pyright checks in strict mode does what its annotations say."""

import unittest
from pathlib import Path

import typed_program

DIGITS = str(Path(__file__).resolve().parents[2] / "examples/digits/digits.onnx")


class TypedProgram(unittest.TestCase):
    def test_models(self) -> None:
        found = typed_program.run_models(DIGITS)
        sizes = "('N', 1, 8, 8)"
        expected = ["probabilities", "probabilities", sizes, "fused_conv", "image", "True"]
        self.assertEqual(found, expected)

    def test_sessions(self) -> None:
        self.assertEqual(typed_program.run_session(DIGITS), ["(1, 10)", "[1, 10]", "2"])


if __name__ == "__main__":
    unittest.main()
