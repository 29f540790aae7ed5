"""`--suite kernels`: the kernels of the device plug-in, beside Paddle's CPU.

Each case calls a function of Paddle on the device `mps` and on the CPU. Floats are compared with
the CPU's results in f64, everything else exactly. A case counts only if its kernel's counter rose.
Cases run in a process that loads the plug-in, `kernels_child`, which is started again if it ends.
"""

import json
import os
import subprocess
import sys

from .engine import CRASH, PASS, SKIP, WRONG
from .report import row_of

STATUSES = {"pass": PASS, "skip": SKIP, "wrong": WRONG}


def child(skip, options):
    """Starts the process, which runs the cases after the first `skip` ones."""
    env = {
        **os.environ,
        "CUSTOM_DEVICE_ROOT": os.environ["TRIDENT_PADDLE_DEVICE"],
        "TRIDENT_PADDLE_KERNELS": "0" if options.subject == "wrong" else "1",
    }
    command = [sys.executable, "-m", "paddle_suite.kernels_child", str(skip)]
    if options.filter:
        command.append(options.filter)
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def run(options):
    rows, ended = [], False
    while not ended:
        process = child(len(rows), options)
        running = None
        for line in process.stdout:
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            if "begin" in event:
                running = event["begin"]
            elif "end" in event:
                ended = True
            else:
                status = STATUSES[event["status"]]
                row = row_of(running, running.split("/")[0], status, event["message"])
                rows.append(row)
                options.progress(row)
                running = None
        status = process.wait()
        if not ended:
            if running is None:
                raise SystemExit(f"the process of the cases ended with status {status}")
            message = f"the process ended with status {status}"
            rows.append(row_of(running, running.split("/")[0], CRASH, message))
    return rows
