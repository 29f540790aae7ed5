"""`--suite paddle2onnx=PATH`: Paddle2ONNX's tests, with `onnxbase` in the place of its own.

PATH is a checkout, or a git directory without a work tree. The tests are read from it at test time.
A test whose layer Paddle does not export is not judged.
"""

import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time

from .engine import CRASH, EXCLUDED, PASS, SKIP, WRONG
from .exports import RELEASES, of_releases, python_of
from .report import row_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
BAR = 0.97


def extract(path, folder):
    """Put the repository's `tests` into a folder, with our `onnxbase`."""
    tests = pathlib.Path(path) / "tests"
    if tests.is_dir():
        shutil.copytree(tests, folder / "tests")
    else:
        archive = subprocess.run(
            ["git", "-C", path, "archive", "HEAD", "tests"], stdout=subprocess.PIPE
        )
        if archive.returncode:
            raise SystemExit(f"{path} is neither a checkout nor a git directory of Paddle2ONNX")
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
    (folder / "tests/onnxbase.py").write_text("from paddle_suite.onnxbase import *  # noqa\n")
    (folder / "tests/pytest.ini").write_text("[pytest]\n")
    return folder / "tests"


def property_based(file):
    return "auto_scan_test" in file.read_text()


def selected(tests, options):
    """The names of the files that may have tests of the filter."""
    files = sorted(tests.glob("test_*.py"))
    if not options.examples:
        files = [file for file in files if not property_based(file)]
    names = [file.name for file in files]
    # A filter is a part of RELEASE/FILE::TEST.
    whole = re.search(r"test_\w+\.py", options.filter or "")
    return [name for name in names if name == whole[0]] if whole else names


class Rows:
    """What a process of tests has written so far."""

    def __init__(self, release, scans, progress):
        self.release, self.scans, self.progress = release, scans, progress
        self.read, self.rows, self.begun = 0, {}, None

    def update(self, text):
        """Take in the lines that are new."""
        whole = text[: text.rfind("\n") + 1]
        for line in whole[self.read :].splitlines():
            found = json.loads(line)
            if "status" not in found:
                self.begun = found["case"]
                continue
            kind = "tests"
            if found["case"].partition("::")[0] in self.scans:
                kind = "property-based"
            case, group = f"{self.release}/{found['case']}", f"{kind}, {self.release}"
            row = row_of(case, group, found["status"], found["message"])
            if found["case"] not in self.rows:
                self.progress(row)
            self.rows[found["case"]] = row
        self.read = len(whole)


def run_release(release, tests, options):
    """Rows of one release of Paddle. A process that dies is started again after the test that
    killed it."""
    names = selected(tests, options)
    scans = {name for name in names if property_based(tests / name)}
    found = Rows(release, scans, options.progress)
    lines = tests / f"rows-{release}"
    lines.touch()
    environment = {
        **os.environ,
        "TRIDENT_ROWS": str(lines),
        "TRIDENT_RELEASE": release,
        "TRIDENT_FILTER": options.filter or "",
        "TRIDENT_SUBJECT": options.subject,
        "TRIDENT_EXAMPLES": str(options.examples),
    }
    plugin = ["-p", "paddle_suite.p2o_plugin", "-p", "no:cacheprovider", "-q", "--no-header"]
    plugin += ["--continue-on-collection-errors", "--tb=no", "--capture=fd"]
    command = [python_of(release), "-m", "pytest", *plugin, *names]
    while True:
        with open(ROOT / f"target/conformance/paddle2onnx-{release}.log", "ab") as log:
            process = subprocess.Popen(command, cwd=tests, env=environment, stdout=log, stderr=log)
            while process.poll() is None:
                time.sleep(0.5)
                found.update(lines.read_text())
        found.update(lines.read_text())
        finished = process.returncode in (0, 1, 5)
        if finished or found.begun is None or found.begun in found.rows:
            return list(found.rows.values())
        with lines.open("a") as file:
            message = f"the process ended with the status {process.returncode}"
            row = {"case": found.begun, "status": CRASH, "message": message}
            print(json.dumps(row), file=file)


def run(options):
    """Rows of all tests of both releases."""
    (ROOT / "target/conformance").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="paddle2onnx-tests") as scratch:
        tests = extract(options.path, pathlib.Path(scratch))
        rows = of_releases(lambda release, _: run_release(release, tests, options), options)
    for release in RELEASES:
        print_share(release, [row for row in rows if row["group"].endswith(release)])
    return rows


def print_share(release, rows):
    rows = [row for row in rows if row["group"].startswith("tests")]
    judged = [row for row in rows if row["status"] not in (EXCLUDED, SKIP)]
    passed = sum(row["status"] == PASS for row in judged)
    wrong = sum(row["status"] == WRONG for row in judged)
    if judged:
        share = f"{passed} of {len(judged)} pass, {passed / len(judged):.1%} (bar {BAR:.0%})"
        print(f"Paddle {release}: {len(rows)} tests, {share}; {wrong} wrong")
