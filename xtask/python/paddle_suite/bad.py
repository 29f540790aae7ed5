"""`--suite bad`: calls on the device `mps` that must be refused.

`bad_cases` draws calls with wrong shapes, ranks, attributes, element types and sizes. Each must
give the right Python exception: for shapes and attributes the one that Paddle's CPU gives, for
element types `NotImplementedError`, for sizes `MemoryError`. Errors of the device must name the
kernel and its operands. Attributes that Paddle's CPU allows are not judged, nor are element types
that the device has. `bad_child` makes all calls in one process, which must survive them.
"""

import json
import os
import subprocess
import sys

from .engine import CRASH, PASS, SKIP, WRONG
from .report import row_of

STATUSES = {"pass": PASS, "skip": SKIP, "wrong": WRONG}
#: The fewest calls of a whole run that must have been judged.
FEWEST = 3_000


def run(options):
    environment = {**os.environ, "GLOG_minloglevel": "2"}
    site = environment["TRIDENT_PADDLE_SITE"]
    paths = [site, environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, "-m", "paddle_suite.bad_child", options.subject, str(options.seed)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    rows, running, ended = [], "start", False
    for line in process.stdout:
        if not line.startswith('{"bad": '):
            continue
        event = json.loads(line)["bad"]
        if "begin" in event:
            running = event["begin"]
        elif "end" in event:
            ended = True
        elif not options.filter or options.filter in event["case"]:
            group = event["case"].split("/")[0]
            status = STATUSES[event["status"]]
            rows.append(row_of(event["case"], group, status, event["message"]))
            options.progress(rows[-1])
    status = process.wait()
    if not ended or status:
        rows.append(row_of(running, "process", CRASH, f"the process ended with status {status}"))
    judged = sum(row["status"] != SKIP for row in rows)
    if not options.filter and judged < FEWEST:
        rows.append(row_of("count", "process", WRONG, f"{judged} calls were judged"))
    return rows
