"""`--suite api=PATH`: calls that PFCCLab/PaddleAPITest has captured, beside Paddle's CPU.

PATH is the file `tester/api_config/api_config_CI_py3.txt` of a checkout. Each call runs on the
device and on Paddle's CPU. Element types, shapes, integers and truth values must be equal. Where
floats differ, the CPU's results in f64 decide. Not judged are calls for which the device has no
kernel, those that call none, and those that Paddle's CPU refuses or does not survive. Random
numbers are compared by type and shape.
"""

import collections
import os
import pathlib
import re
import sys
import tempfile
import tomllib

import paddle

from . import lines_of_json
from .engine import EXCLUDED, PASS, SKIP
from .trained import cache

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(options):
    """Rows of the calls of a file."""
    release = paddle.__version__
    log = ROOT / f"target/conformance/api-{release}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "CUSTOM_DEVICE_ROOT": os.environ["TRIDENT_PADDLE_DEVICE"],
        "TRIDENT_PADDLE_KERNELS": "0" if options.subject == "wrong" else "1",
        "OMP_NUM_THREADS": "1",
        "GLOG_minloglevel": "2",
    }
    with tempfile.TemporaryDirectory(prefix="api", dir=cache()) as scratch:
        lines = pathlib.Path(scratch) / "rows"
        words = [str(lines), options.path, str(options.every), options.filter or ""]
        command = [sys.executable, "-m", "paddle_suite.api_child", *words]
        found = lines_of_json.Rows(release, lambda case: f"api, {release}", options.progress)
        more = {"died": EXCLUDED, "limit": 240, "env": environment}
        rows = lines_of_json.follow(found, command, lines, log, **more)
    summary(rows)
    return rows


def expected(rows):
    """{case: (status, reason)} of the calls for which an entry of `api.toml` holds."""
    path = pathlib.Path(__file__).with_name("api.toml")
    listed = {}
    for entry in tomllib.loads(path.read_text())["expected"]:
        for row in rows:
            function = row["case"].partition("/")[2].partition("[")[0]
            of_entry = function in entry["functions"] and row["status"] == entry["status"]
            if of_entry and entry["text"] in row["message"]:
                listed[row["case"]] = entry["status"], entry["reason"]
    return listed


def summary(rows):
    """Prints the part of the judged calls that are equal, and the kernels that calls miss."""
    judged = [row for row in rows if row["status"] not in (EXCLUDED, SKIP)]
    equal = sum(row["status"] == PASS for row in judged)
    if judged:
        print(f"{equal} of {len(judged)} judged calls are equal: {equal / len(judged):.2%}")
    missing = collections.Counter()
    for row in rows:
        named = re.match(r"no kernel (\w+) for", row["message"])
        missing.update([named[1]] if named else [])
    if missing:
        most = ", ".join(f"{name} {count}" for name, count in missing.most_common(40))
        print(f"calls that miss a kernel: {sum(missing.values())} ({most})")
