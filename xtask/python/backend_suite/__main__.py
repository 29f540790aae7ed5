"""Run the backend library in a real Triton Inference Server and check what comes of it.

The server is that of the `nvidia-pytriton` wheel. Groups: the library as a file, a small model over
every protocol, recorded answers, cases of the ONNX suite and whole models beside `trident worker`,
reloading, damaged models and requests, what requests, configurations and settings can ask for, and
what users install.
"""

import argparse
import json
import pathlib
import sys
import time

import checks
from checks import PASS

from . import (
    add,
    configurations,
    damage,
    golden,
    installed,
    library,
    malformed,
    onnx_cases,
    reload,
    requests,
    sequences,
    settings,
    shared_memory,
)
from .suite import Suite

ROOT = pathlib.Path(__file__).resolve().parents[3]
GROUPS = {
    "library": library.run,
    "add": add.run,
    "golden": golden.run,
    "onnx": onnx_cases.run,
    "reload": reload.run,
    "damage": damage.run,
    "malformed": malformed.run,
    "requests": requests.run,
    "sequences": sequences.run,
    "shared_memory": shared_memory.run,
    "configurations": configurations.run,
    "settings": settings.run,
    "installed": installed.run,
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance backend", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--filter", help="only checks whose group/name matches this regex")
    parser.add_argument(
        "--engine",
        choices=("trident", "reference"),
        default="trident",
        help="reference: check the suite itself, with the stand-in of the recordings",
    )
    parser.add_argument("--sample", type=int, default=300, help="cases of the ONNX suite")
    parser.add_argument("--reloads", type=int, default=100)
    parser.add_argument("--mutants", type=int, default=200, help="damaged models")
    parser.add_argument("--malformed", type=int, default=5000, help="malformed requests")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="write all outcomes to this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what passes, too")
    return parser.parse_args()


def main():
    options = parse_arguments()
    out = ROOT / "target/conformance"
    out.mkdir(parents=True, exist_ok=True)
    _lock = checks.sole_run(out / "backend.lock")  # held until the process ends
    suite = Suite(options, out / "backend")
    start = time.monotonic()
    for group in options.group:
        suite.run(group, GROUPS[group])
    if not suite.rows:
        raise SystemExit("no check is selected")
    failures = [row for row in suite.rows if row["status"] != PASS]
    file = out / f"backend-{options.engine}.json"
    file.write_text(json.dumps(failures, indent=1, ensure_ascii=False))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(suite.rows, indent=1, ensure_ascii=False))
    seconds = time.monotonic() - start
    print(f"backend in tritonserver 2.51, {options.engine}, {seconds:.1f} s")
    print("\n".join(checks.table(suite.rows)))
    print(f"failures with reasons: {file.relative_to(ROOT)}, logs of servers in {out.name}/backend")
    print("\n".join([*checks.skipped_groups(suite.rows), checks.closing(suite.rows)]))
    return 1 if checks.counts(suite.rows)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
