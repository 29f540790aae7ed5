"""The pytest plug-in of a worker process.

It tells the collected tests, then runs those that it is asked for, one request at a time:

    ← {"collected": [node id, …]}
    → node id
    ← {"status": …, "message": …, "launches": …, "seconds": …}

Both ways go over a socket that the process inherits, so that tests may capture everything else.
"""

import json
import os
import socket
import time

import pytest
from _pytest.runner import runtestprotocol

from . import outcome


class Suite:
    """Serves requests in place of pytest's own loop."""

    def __init__(self, config):
        connection = socket.socket(fileno=int(os.environ[outcome.SOCKET]))
        self.lines = connection.makefile("rw", encoding="utf-8", newline="\n")
        self.folder = config.rootpath
        self.launches = 0

    def send(self, message):
        self.lines.write(json.dumps(message) + "\n")
        self.lines.flush()

    def count_launches(self):
        """Count the calls of kernels that reached the end, warm-ups left out."""
        from triton.runtime.jit import JITFunction

        run = JITFunction.run

        def counted(kernel, *args, grid, warmup, **options):
            result = run(kernel, *args, grid=grid, warmup=warmup, **options)
            self.launches += not warmup
            return result

        JITFunction.run = counted

    def pytest_runtestloop(self, session):
        items = {item.nodeid: item for item in session.items}
        self.send({"collected": list(items)})
        self.count_launches()
        for line in self.lines:
            self.result = {"status": outcome.PASS, "message": ""}
            self.launches, start = 0, time.perf_counter()
            runtestprotocol(items[line.strip()], log=False, nextitem=None)
            seconds = round(time.perf_counter() - start, 3)
            self.send(self.result | {"launches": self.launches, "seconds": seconds})
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.skipped:
            reason = getattr(report, "wasxfail", "") or str(call.excinfo.value)
            self.result = {"status": outcome.SKIP, "message": reason}
        elif report.failed and call.excinfo:
            error = call.excinfo.value
            statement = next(
                (
                    str(entry.statement)
                    for entry in reversed(call.excinfo.traceback)
                    if str(entry.path) == str(item.path)
                ),
                "",
            )
            self.result = {
                "status": outcome.status_of(error, statement),
                "message": outcome.reason_of(error, self.folder),
            }
        elif report.failed:  # a strict xfail that passes
            self.result = {"status": outcome.ERR, "message": str(report.longrepr)}


def pytest_configure(config):
    if outcome.SOCKET in os.environ:
        config.pluginmanager.register(Suite(config), "trident-suite")
