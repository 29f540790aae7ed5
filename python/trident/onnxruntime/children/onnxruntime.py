"""``import onnxruntime`` in a child process of a program that runs on Trident.

``trident.onnxruntime.install`` puts this folder on the path of child processes. The first import of
``onnxruntime`` there runs this file, which calls ``install`` and gives Trident's module.
"""

import importlib
import os
import sys

try:
    from trident.onnxruntime.replace import install
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"this process is a child of one that runs onnxruntime programs on Trident, and {_error}: "
        f"install the package for {sys.executable}, or start the process without "
        f"{os.path.dirname(__file__)} in PYTHONPATH to use ONNX Runtime",
        name=_error.name,
    ) from _error

# Checkers of types import this file by its place in the package.
if __name__ == "onnxruntime":
    # The import system gives the module of this name that it finds afterwards.
    del sys.modules[__name__]
    install()
    importlib.import_module(__name__)
