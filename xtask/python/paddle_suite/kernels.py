"""`--suite kernels`: the kernels of the device plug-in, beside Paddle's CPU.

Each case calls a function of Paddle on the device `mps` and on the CPU. Element types must be those
of the CPU. Floats are compared with the CPU's results in f64, everything else exactly. A case
counts only if its kernel's counter rose.
Static graphs of several cases then repeat the calls by the kernels' other entry, and must give the
same bits. Cases run in a process that loads the plug-in, `kernels_child`, which is started again if
it ends.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from .engine import CRASH, PASS, SKIP, WRONG
from .report import row_of

STATUSES = {"pass": PASS, "skip": SKIP, "wrong": WRONG}
# After the process has ended, so many cases get a static graph of their own: one of them ends it.
SINGLE = 80


def child(done, single, options):
    """Starts the process, which runs the cases that are not done."""
    env = {
        **os.environ,
        "CUSTOM_DEVICE_ROOT": os.environ["TRIDENT_PADDLE_DEVICE"],
        "TRIDENT_PADDLE_KERNELS": "0" if options.subject == "wrong" else "1",
    }
    command = [sys.executable, "-m", "paddle_suite.kernels_child", done, str(single)]
    if options.filter:
        command.append(options.filter)
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def row(options, name, status, message):
    made = row_of(name, name.split("/")[0], status, message)
    options.progress(made)
    return made


def run(options):
    rows, single = [], 0
    with tempfile.TemporaryDirectory() as folder:
        done = pathlib.Path(folder, "done")
        while True:
            done.write_text("\n".join(row["case"] for row in rows))
            process = child(str(done), single, options)
            running, ended, single = None, False, SINGLE
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
                    rows.append(row(options, event["case"], status, event["message"]))
            status = process.wait()
            if ended:
                return rows
            if running is None:
                raise SystemExit(f"the process of the cases ended with status {status}")
            message = f"the process ended with status {status}"
            rows.append(row(options, running, CRASH, message))
