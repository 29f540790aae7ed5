"""The program takes the flags that the files pass to it."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from files import ROOT, flags


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


class Flags(unittest.TestCase):
    def test_each_file_passes_some(self):
        expected = {
            "trident.service",
            "Dockerfile",
            "kubernetes/trident.yaml",
            "kubernetes/kserve-runtime.yaml",
            "README.md",
        }
        self.assertEqual(flags().keys(), expected)
        for file, arguments in flags().items():
            self.assertTrue(arguments, file)

    def test_the_server_takes_them(self):
        trident = Path(os.environ["TRIDENT"])
        with tempfile.TemporaryDirectory() as folder:
            # KServe and existing scripts start the server by this name.
            link = Path(folder) / "tritonserver"
            link.symlink_to(trident)
            repository = Path(folder) / "models"
            shutil.copytree(ROOT / "examples" / "models", repository)
            for file, arguments in flags().items():
                known = [
                    f"{name}={repository}"
                    if name in ("--model-repository", "--model-store")
                    else each
                    for each in arguments
                    for name in [each.split("=")[0]]
                ]
                if known == arguments:
                    known.append(str(repository))
                for program in ([trident, "serve"], [link]):
                    with self.subTest(file=file, program=program[0].name):
                        done = run(*program, *known, "--check")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        done = run(*program, *known, "--check", "--no-such-flag=1")
                        self.assertEqual(done.returncode, 2, done.stderr)
