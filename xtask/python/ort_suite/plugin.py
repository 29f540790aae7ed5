"""The pytest plug-in of a child process: it writes what becomes of each test to a file.

    {"collected": [node id, …]}
    {"started": node id}
    {"ended": node id, "status": …, "message": …, "seconds": …}

Random numbers of the tests depend on nothing but the test: each begins with the same seed.
"""

import json
import os
import random
import time

import numpy
import pytest

from . import outcome


class Outcomes:
    """The writer of outcomes."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8", buffering=1)
        self.already = set(json.loads(os.environ.get(outcome.ALREADY, "[]")))
        self.result, self.failed, self.start = {}, False, 0.0

    def write(self, message):
        self.file.write(json.dumps(message) + "\n")

    def pytest_collection_modifyitems(self, items):
        self.write({"collected": [item.nodeid for item in items]})
        items[:] = [item for item in items if item.nodeid not in self.already]

    def pytest_runtest_logstart(self, nodeid):
        self.write({"started": nodeid})
        self.result, self.failed = {"status": outcome.PASS, "message": ""}, False
        self.start = time.perf_counter()
        random.seed(0)
        numpy.random.seed(0)

    def pytest_runtest_logfinish(self, nodeid):
        seconds = round(time.perf_counter() - self.start, 3)
        self.write({"ended": nodeid, **self.result, "seconds": seconds})

    def pytest_exception_interact(self, call):
        if not self.failed:  # the first failure counts
            self.failed, error = True, call.excinfo.value
            self.result = {"status": outcome.status_of(error), "message": outcome.reason_of(error)}

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if self.result["status"] not in (outcome.PASS, outcome.SKIP):
            return
        if report.skipped and not hasattr(report, "context"):  # a subtest's skip is not the test's
            self.result = {"status": outcome.SKIP, "message": skip_reason(report)}
        elif report.failed:  # pytest tells the exception, if there is one, next
            message = outcome.one_line(str(report.longrepr))
            self.result = {"status": outcome.ERR, "message": message}


def skip_reason(report):
    """Why a test was skipped."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    return outcome.one_line(getattr(report, "wasxfail", "") or str(told))


def pytest_configure(config):
    config.pluginmanager.register(Outcomes(os.environ[outcome.OUTCOMES]), "trident-ort-suite")
