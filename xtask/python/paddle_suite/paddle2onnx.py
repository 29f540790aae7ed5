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

from .engine import CRASH, EXCLUDED, PASS, SKIP, WRONG
from .exports import RELEASES, python_of
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
    """The names of the files of tests."""
    files = sorted(tests.glob("test_*.py"))
    if not options.examples:
        files = [file for file in files if not property_based(file)]
    return [file.name for file in files if re.search(options.filter or "", file.name)]


def run_release(release, tests, names, options):
    """Rows of one release of Paddle. A process that dies is started again after the test that
    killed it."""
    lines = tests / f"rows-{release}"
    lines.touch()
    environment = {
        **os.environ,
        "TRIDENT_ROWS": str(lines),
        "TRIDENT_SUBJECT": options.subject,
        "TRIDENT_EXAMPLES": str(options.examples),
    }
    plugin = ["-p", "paddle_suite.p2o_plugin", "-p", "no:cacheprovider", "-q", "--no-header"]
    command = [python_of(release), "-m", "pytest", *plugin, "--tb=no", "--capture=fd", *names]
    while True:
        with open(ROOT / f"target/conformance/paddle2onnx-{release}.log", "ab") as log:
            done = subprocess.run(command, cwd=tests, env=environment, stdout=log, stderr=log)
        rows, begun = {}, None
        for line in lines.read_text().splitlines():
            row = json.loads(line)
            begun = row["case"] if "status" not in row else begun
            if "status" in row:
                rows[row["case"]] = row
        if done.returncode in (0, 1, 2, 5) or begun is None or begun in rows:
            return rows.values()
        with lines.open("a") as file:
            message = f"the process ended with the status {done.returncode}"
            print(json.dumps({"case": begun, "status": CRASH, "message": message}), file=file)


def run(options):
    """Rows of all tests of both releases."""
    (ROOT / "target/conformance").mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="paddle2onnx-tests") as scratch:
        tests = extract(options.path, pathlib.Path(scratch))
        names = selected(tests, options)
        scans = {name for name in names if property_based(tests / name)}
        for release in RELEASES:
            found = []
            for row in run_release(release, tests, names, options):
                kind = "property-based" if row["case"].partition("::")[0] in scans else "tests"
                case = f"{release}/{row['case']}"
                found.append(row_of(case, f"{kind}, {release}", row["status"], row["message"]))
                options.progress(found[-1])
            print_share(release, found)
            rows += found
    return rows


def print_share(release, rows):
    rows = [row for row in rows if row["group"].startswith("tests")]
    judged = [row for row in rows if row["status"] not in (EXCLUDED, SKIP)]
    passed = sum(row["status"] == PASS for row in judged)
    wrong = sum(row["status"] == WRONG for row in judged)
    if judged:
        share = f"{passed} of {len(judged)} pass, {passed / len(judged):.1%} (bar {BAR:.0%})"
        print(f"Paddle {release}: {len(rows)} tests, {share}; {wrong} wrong")
