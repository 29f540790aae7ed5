"""Plugin of pytest for Paddle2ONNX's tests: one line of JSON for each test.

`TRIDENT_ROWS` is the file of lines, which `lines_of_json` describes; tests that it has already are
not run again. `TRIDENT_FILTER` is a part of the cases' names, which begin with `TRIDENT_RELEASE`.
"""

import json
import os
import pathlib

import paddle

from .engine import EXCLUDED, FAILED, PASS
from .onnxbase import NotExported, Unfit, runs

ROWS = pathlib.Path(os.environ["TRIDENT_ROWS"])


def write(**line):
    with ROWS.open("a") as file:
        print(json.dumps(line), file=file)


def name_of(item):
    return item.nodeid.replace("\\", "/")


def is_selected(item):
    return os.environ["TRIDENT_FILTER"] in f"{os.environ['TRIDENT_RELEASE']}/{name_of(item)}"


def pytest_collectreport(report):
    if report.failed:
        reason = str(report.longrepr).strip().splitlines()[-1]
        write(case=report.nodeid, status=EXCLUDED, message=f"cannot be imported: {reason}")


def pytest_collection_modifyitems(items):
    done = {json.loads(line).get("case") for line in ROWS.read_text().splitlines()}
    items[:] = [item for item in items if name_of(item) not in done and is_selected(item)]


def causes(error):
    """An exception, those that a group has, and those before it."""
    while error is not None:
        yield error
        yield from getattr(error, "exceptions", ())
        error = error.__cause__ or error.__context__


def judged(error, ran):
    """(status, message) of a test that raised."""
    for cause in causes(error):
        if isinstance(cause, Unfit):
            return cause.status, str(cause)
        if isinstance(cause, NotExported):
            return EXCLUDED, f"Paddle does not export it: {cause}"
    text = f"{type(error).__name__}: {error}"
    return (FAILED, f"after the subject ran: {text}") if ran else (EXCLUDED, f"the test: {text}")


def pytest_runtest_setup(item):
    """Making a property-based test has switched to static graphs, for all tests."""
    paddle.disable_static()


def pytest_runtest_logstart(nodeid, location):
    write(case=nodeid)
    pytest_runtest_logstart.runs = runs()


def pytest_runtest_makereport(item, call):
    if call.when != "call" and call.excinfo is None:
        return
    ran = runs() > pytest_runtest_logstart.runs
    if call.excinfo is not None:
        status, message = judged(call.excinfo.value, ran)
    elif ran:
        status, message = PASS, ""
    else:
        status, message = EXCLUDED, "the test runs no model"
    write(case=name_of(item), status=status, message=" ".join(message.split())[:2000])


def pytest_sessionfinish(exitstatus):
    """All tests ran, some failed, or none was selected; other statuses are errors of pytest."""
    if exitstatus in (0, 1, 5):
        write(end=True)
