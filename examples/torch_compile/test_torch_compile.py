"""Runs the check of the example."""

import importlib.util
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent


class Example(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_check(self):
        result = subprocess.run(
            [sys.executable, HERE / "transformer.py"], capture_output=True, text=True, timeout=900
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(": ok", result.stdout)


if __name__ == "__main__":
    unittest.main()
