"""`--suite paddle2onnx=PATH`: Paddle2ONNX's tests on our own harness, `onnxbase` and `autoscan`.

PATH is a checkout, or a git directory without a work tree. The tests are read from it at test time.
A test whose layer Paddle does not export is not judged.
"""

import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

from . import lines_of_json
from .engine import EXCLUDED, PASS, SKIP, WRONG
from .exports import RELEASES, of_releases, python_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
BAR = 0.97


def extract(path, folder):
    """Put the repository's `tests` into a folder, with our harness."""
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
    for name, ours in (("onnxbase", "onnxbase"), ("auto_scan_test", "autoscan")):
        (folder / f"tests/{name}.py").write_text(f"from paddle_suite.{ours} import *  # noqa\n")
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


def run_release(release, tests, options):
    """Rows of one release of Paddle. A process that dies is started again after the test that
    killed it."""
    names = selected(tests, options)
    scans = {name for name in names if property_based(tests / name)}

    def group(case):
        kind = "property-based" if case.partition("::")[0] in scans else "tests"
        return f"{kind}, {release}"

    found = lines_of_json.Rows(release, group, options.progress)
    lines = tests / f"rows-{release}"
    lines.touch()
    environment = {
        **os.environ,
        "TRIDENT_ROWS": str(lines),
        "TRIDENT_RELEASE": release,
        "TRIDENT_FILTER": options.filter or "",
        "TRIDENT_SUBJECT": options.subject,
        "TRIDENT_EXAMPLES": str(options.examples),
        "TRIDENT_SEED": str(options.seed),
    }
    plugin = ["-p", "paddle_suite.p2o_plugin", "-p", "no:cacheprovider", "-q", "--no-header"]
    plugin += ["--continue-on-collection-errors", "--tb=no", "--capture=fd"]
    command = [python_of(release), "-m", "pytest", *plugin, *names]
    log = ROOT / f"target/conformance/paddle2onnx-{release}.log"
    return lines_of_json.follow(found, command, lines, log, cwd=tests, env=environment)


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
