"""Run servers on three nodes of a Ray cluster, behind Envoy and under load: no request fails.

The nodes are processes of this machine, with addresses of their own on the loopback interface.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import time

import checks

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIGITS = ROOT / "examples/digits/digits.onnx"

#: Requests wait up to 40 ms for others: they are pending, and yet need little of the machine.
CONFIGURATION = """
backend: "onnxruntime"
max_batch_size: 64
dynamic_batching { preferred_batch_size: [ 64 ] max_queue_delay_microseconds: 40000 }
"""


class Suite(checks.Checks):
    """The checks of a run, and the cluster that they share."""

    def __init__(self, options, world):
        super().__init__(options)
        self.world = world


def make_repositories(folder):
    """A repository with a model, and one whose model is no model."""
    for name, model in (("models", "digits"), ("broken", "broken-model")):
        (folder / name / model / "1").mkdir(parents=True)
    shutil.copy(DIGITS, folder / "models/digits/1/model.onnx")
    (folder / "models/digits/config.pbtxt").write_text(CONFIGURATION)
    (folder / "broken/broken-model/1/model.onnx").write_text("no model")


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance cluster", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all outcomes to this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what passes, too")
    options = parser.parse_args()
    options.filter = None  # each check needs the one before
    return options


def main():
    options = parse_arguments()
    if not os.environ.get("TRIDENT"):
        raise SystemExit("run this by `cargo xtask conformance cluster`")
    from . import cluster, faults  # needs Ray and the package

    folder = ROOT / "target/conformance/cluster"
    folder.parent.mkdir(parents=True, exist_ok=True)
    _lock = checks.sole_run(folder.parent / "cluster.lock")  # held until the process ends
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    make_repositories(folder)
    start = time.monotonic()
    world = cluster.World(folder, folder / "models")
    try:
        suite = Suite(options, world)
        suite.run("cluster", faults.run)
        requests = world.clients() if world.load else {}
    finally:
        world.end()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(suite.rows, indent=1, ensure_ascii=False))
    right = requests.get("right", {})
    print(f"{sum(right.values())} requests answered, {len(requests.get('wrong', []))} failed")
    print(f"trident.ray on three nodes, {time.monotonic() - start:.1f} s")
    print("\n".join([*checks.table(suite.rows), checks.closing(suite.rows)]))
    return 1 if checks.counts(suite.rows)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
