"""Engines in child processes, so that a crash or a hang costs one case."""

import os
import sys
import tempfile

from worker import ERR, OK, Worker

from . import arrays

# Statuses of cases, besides those of `expectations`.
PASS, WRONG, REFUSED, FAILED = "PASS", "WRONG", "REFUSED", "ERR"
CRASH, TIMEOUT, EXCLUDED, SKIP = "CRASH", "TIMEOUT", "EXCLUDED", "SKIP"
STATUSES = (PASS, WRONG, REFUSED, FAILED, CRASH, TIMEOUT, EXCLUDED, SKIP)


class Engine:
    """A process that loads models and runs them on arrays."""

    def __init__(self, name, python=sys.executable, timeout=600):
        self.name, self.timeout = name, timeout
        self.worker = Worker([python, "-m", "paddle_suite.engine_child", name])
        self.scratch = tempfile.TemporaryDirectory(prefix="paddle-suite")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.worker.stop()
        self.scratch.cleanup()

    def run(self, model, sets):
        """(PASS, a list of outputs for each data set) or (status, message). A data set is
        {name: array}, or the path of a file that has it."""
        pairs = []
        for number, inputs in enumerate(sets):
            given = os.path.join(self.scratch.name, f"in-{number}.npz")
            if isinstance(inputs, dict):
                arrays.write(given, inputs)
            else:
                given = str(inputs)
            pairs.append((given, os.path.join(self.scratch.name, f"out-{number}.npz")))
        status, message = self.worker.run_sets(str(model), pairs, self.timeout)
        if status == OK:
            return PASS, [list(arrays.read(taken).values()) for _, taken in pairs]
        if status == ERR:
            stage, _, text = message.partition(": ")
            return (REFUSED if stage == "load" else FAILED), text
        return status, message
