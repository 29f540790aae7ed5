"""Runs the check of each example."""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
HELPERS = ("lab.py", pathlib.Path(__file__).name)


class Examples(unittest.TestCase):
    def test_checks(self):
        scripts = sorted(file for file in HERE.glob("*.py") if file.name not in HELPERS)
        self.assertEqual(len(scripts), 8)
        for script in scripts:
            with self.subTest(script.stem):
                result = subprocess.run(
                    [sys.executable, script], capture_output=True, text=True, timeout=600
                )
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn(": ok", result.stdout)


if __name__ == "__main__":
    unittest.main()
