"""`--suite mps=PATH`: the tests of a checkout of Manfredss/Paddle-MPS-Dev on the device `mps`.

They are `test/test_mps_*.py`, the classes for MPS in `test/legacy_test`, and the scripts
`test_mps_*.py` of the first folder. The files are read and run as they are, each in a process that
finds the wheel `paddle-trident` (`mps_child`). A test that skips itself is a failure: it asks for a
device or an element type.
"""

import json
import os
import pathlib
import subprocess
import sys

from .engine import CRASH, FAILED, PASS, TIMEOUT
from .report import row_of

SECONDS = 600
STATUSES = {"pass": PASS, "fail": FAILED}


def files(checkout):
    """Files of tests with the part of their names that stands in reports."""
    tests = checkout / "test"
    found = [*sorted(checkout.glob("test_mps_*.py")), *sorted(tests.glob("test_mps_*.py"))]
    for path in sorted(tests.glob("legacy_test/test_*.py")):
        text = path.read_text(errors="replace")
        if "is_compiled_with_mps" in text and "class Test" in text:
            found.append(path)
    return [(path, str(path.relative_to(checkout).with_suffix(""))) for path in found]


def start(path, options):
    environment = {**os.environ, "GLOG_minloglevel": "2"}
    site = environment["TRIDENT_PADDLE_SITE"]
    paths = [site, environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    environment["TRIDENT_PADDLE_KERNELS"] = "0" if options.subject == "wrong" else "1"
    command = [sys.executable, "-m", "paddle_suite.mps_child", str(path)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def outcomes(path, name, options):
    """Rows of one file."""
    process = start(path, options)
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return [row_of(name, name, TIMEOUT, f"longer than {SECONDS} s")]
    rows, running, ended = [], name, False
    for line in output.splitlines():
        if not line.startswith('{"mps": '):
            continue
        event = json.loads(line)["mps"]
        if "begin" in event:
            running = f"{name}::{event['begin']}"
        elif "end" in event:
            ended = True
        else:
            case = f"{name}::{event['case']}"
            rows.append(row_of(case, name, STATUSES[event["status"]], event["message"]))
    if not ended:
        rows.append(row_of(running, name, CRASH, f"the process ended: {process.returncode}"))
    return rows


def run(options):
    checkout = pathlib.Path(options.path).resolve()
    found = files(checkout)
    if not found:
        raise SystemExit(f"{checkout} has no tests of Manfredss/Paddle-MPS-Dev")
    rows = []
    for path, name in found:
        if options.filter and options.filter not in name:
            continue
        for row in outcomes(path, name, options):
            rows.append(row)
            options.progress(row)
    return rows
