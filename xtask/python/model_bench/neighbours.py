"""Measure short requests beside models whose runs take seconds, in one scheduler on two cores.

`digits` comes 200 times a second; the large models are saturated with batches of 8.
"""

import argparse
import os
import subprocess
import sys

from onnx_suite.generate import cached_cases

from . import models


def main():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench neighbours", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--large", choices=models.NAMES, default="vgg19")
    parser.add_argument("--other", choices=models.NAMES, default="resnet50")
    parser.add_argument("--seconds", type=int, default=30, help="of each of the measurements")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--instances", type=int, default=2, help="of each model")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    options = parser.parse_args()
    cases = cached_cases(os.environ["TRIDENT_CACHE"])
    names = (models.DIGITS, options.large, options.other)
    command = [os.environ["TRIDENT_NEIGHBOURS"]]
    command += [str(models.path(name, cases, os.environ["TRIDENT_CACHE"])) for name in names]
    for name in ("seconds", "cores", "instances"):
        command += [f"--{name}", str(getattr(options, name))]
    command += ["--json"] if options.json else []
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
