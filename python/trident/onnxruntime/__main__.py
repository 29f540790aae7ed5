"""``python -m trident.onnxruntime PROGRAM [ARGS…]``: runs a program on Trident.

``-m MODULE`` and ``-c CODE`` name the program as they do for Python itself.
"""

import os
import runpy
import sys

from trident.onnxruntime.replace import install

USAGE = """usage: python -m trident.onnxruntime PROGRAM [ARGS...]
       python -m trident.onnxruntime -m MODULE [ARGS...]
       python -m trident.onnxruntime -c CODE [ARGS...]

Runs a Python program in which `import onnxruntime` gives Trident."""


def main(arguments: list[str]) -> None:
    """Run the program that the arguments name."""
    first = arguments[0] if arguments else None
    if first in ("-h", "--help"):
        print(USAGE)
        return
    if first is None or (first.startswith("-") and first not in ("-m", "-c")):
        sys.exit(USAGE)
    if first in ("-m", "-c") and len(arguments) < 2:
        sys.exit(f"{first} needs a value\n{USAGE}")
    install()
    if first == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path[0] = ""
        code = compile(arguments[1], "<string>", "exec")
        exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
    else:
        sys.argv = arguments
        if not os.path.isdir(first):
            # Folders and archives are put on the path by runpy itself.
            sys.path[0] = os.path.dirname(os.path.abspath(first))
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
