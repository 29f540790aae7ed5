"""Run ONNX Runtime's own Python tests on `trident.onnxruntime`, and compare with a list.

The tests are ONNX Runtime's own files, read from a copy outside the checkout. Each file runs in a
child process, once on ONNX Runtime itself and once on Trident. A test that does not pass on ONNX
Runtime in this environment is not judged. `outcome.py` has the statuses.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import time

import expectations

from . import child, report
from .outcome import ERR, EXCLUDED, PASS, REFUSED, SKIP

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITE = "TRIDENT_ORT_TESTS"
TAG = "v1.31.1"
TESTS = "onnxruntime/test/python"
LIST = ROOT / "conformance/ort-python.toml"
LIST_HEADER = (
    "Cases of ONNX Runtime's Python tests that do not pass on `trident.onnxruntime`, and why.",
    "Every other case that passes on ONNX Runtime must pass.",
    "`cargo xtask conformance ort-python --bless` adds refusals (REFUSED) and drops what passes;",
    "everything else is added by hand.",
)
#: Files about other processors, other packages or the loading of ONNX Runtime's own libraries.
ELSEWHERE = {
    "onnxruntime_test_python_azure": "a provider in the cloud",
    "onnxruntime_test_python_cudagraph": "CUDA",
    "onnxruntime_test_python_dmlgraph": "DirectML",
    "onnxruntime_test_python_keras": "needs Keras",
    "onnxruntime_test_python_nv_tensorrt_rtx_ep_tests": "TensorRT",
    "onnxruntime_test_python_preload_dlls": "CUDA's libraries",
    "quantization/test_op_matmulnbits_prepacked_cuda": "CUDA",
}
SHOWN, LINE = 80, 240  # failures printed without --verbose, and characters of each


def find_suite(given):
    """The folder of the tests: in `given`, or in the copy in the cache."""
    cached = pathlib.Path(os.environ["TRIDENT_CACHE"]) / f"onnxruntime-tests-{TAG}"
    root = pathlib.Path(given or os.environ.get(SUITE) or cached)
    for folder in (root / TESTS, root):
        if (folder / "onnxruntime_test_python.py").exists():
            return folder.resolve()
    raise SystemExit(
        f"{root} does not hold ONNX Runtime's tests. Get them with\n"
        f"    git clone --filter=blob:none --depth 1 --branch {TAG} "
        f"https://github.com/microsoft/onnxruntime {cached}\n"
        f"or name a checkout by --suite PATH or {SUITE}."
    )


def files_of(suite, pattern):
    """Names of the files of tests, without those of `ELSEWHERE`."""
    paths = [*suite.glob("onnxruntime_test_python*.py"), *suite.glob("quantization/test_*.py")]
    names = sorted(path.relative_to(suite).with_suffix("").as_posix() for path in paths)
    return [name for name in names if name not in ELSEWHERE and re.search(pattern or "", name)]


def run_all(suite, names, options):
    """Rows of all tests, those of each file in its own order."""
    engines = ["onnxruntime"] if options.engine == "onnxruntime" else list(child.ENGINES)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {
            (name, engine): pool.submit(
                child.run_file, suite, f"{name}.py", engine, options.timeout
            )
            for name in names
            for engine in engines
        }
        rows = []
        for name in names:
            found = {engine: runs[name, engine].result() for engine in engines}
            rows += judged(found["onnxruntime"], found.get("trident"))
            if sys.stderr.isatty():
                print(f"{name}: {len(rows)} tests", file=sys.stderr)
    return rows


def judged(theirs, ours):
    """Rows of one file on Trident, those excluded that do not pass on ONNX Runtime."""
    if ours is None:
        return theirs
    reference = {row["case"]: row for row in theirs}
    found = {row["case"]: row for row in ours}
    missing = next((row["message"] for row in ours if "::" not in row["case"]), "is not collected")
    rows = []
    for case, their in reference.items():
        our = found.get(case) or child.row_of(case, ERR, missing)
        if their["status"] == SKIP:
            row = their
        elif their["status"] != PASS:
            row = their | {"status": EXCLUDED}
        elif our["status"] == SKIP:
            row = our | {"status": ERR, "message": f"skipped: {our['message']}"}
        else:
            row = our
        rows.append(row)
    return rows


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance ort-python", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--suite", metavar="PATH", help="a checkout of ONNX Runtime")
    parser.add_argument("--filter", help="only files whose name has this regex")
    parser.add_argument("--jobs", type=int, default=2, help="child processes at once")
    parser.add_argument("--timeout", type=float, default=300, help="seconds per test")
    parser.add_argument("--json", metavar="FILE", help="write the rows of all tests to this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all that do not pass")
    parser.add_argument("--bless", action="store_true", help="rewrite the list of failures")
    parser.add_argument(
        "--engine",
        choices=child.ENGINES,
        default="trident",
        help="onnxruntime: ONNX Runtime itself, to check the suite, without a list",
    )
    return parser.parse_args()


def compare(rows, listed):
    """{case: why it is not what the list expects}."""
    unexpected = {}
    for row in rows:
        row["expected"] = expectations.expected(row["case"], listed)[0]
        reason = expectations.judge(row, listed)
        if reason:
            unexpected[row["case"]] = reason
    return unexpected


def print_report(rows, unexpected, options):
    shown = list(unexpected.items())[: None if options.verbose else SHOWN]
    for case, reason in shown:
        print(f"{case}: {reason[:LINE]}")
    if len(shown) < len(unexpected):
        print(f"... and {len(unexpected) - len(shown)} more, see --verbose")
    report.print_table(rows)
    for name, passed, judged_tests in report.shares(rows):
        bar = f"{passed / judged_tests:.1%}; the bar is {report.BARS[name]:.0%}"
        print(f"{name}: {passed} of {judged_tests} pass, {bar}")


def main():
    options = parse_arguments()
    suite = find_suite(options.suite)
    names = files_of(suite, options.filter)
    if not names:
        raise SystemExit("no file is selected")
    if options.bless and (options.filter or options.engine != "trident"):
        raise SystemExit("--bless needs a full run of trident")
    listed = expectations.read(LIST) if options.engine == "trident" else {}
    start = time.monotonic()
    rows = run_all(suite, names, options)
    seconds = time.monotonic() - start
    if options.bless:
        for case in expectations.rewrite(LIST, rows, listed, REFUSED, LIST_HEADER):
            print(f"not blessed: {case} needs an entry with a reason in {LIST.relative_to(ROOT)}")
        listed = expectations.read(LIST)
    unexpected = compare(rows, listed)
    out = ROOT / f"target/conformance/ort-python-{options.engine}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    failures = [row for row in rows if row["status"] not in (PASS, SKIP)]
    out.write_text(json.dumps(failures, indent=1, ensure_ascii=False))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    print_report(rows, unexpected, options)
    print(f"{len(rows)} tests of {len(names)} files in {seconds:.0f} s")
    passed = sum(row["status"] == PASS and row["case"] not in unexpected for row in rows)
    print(f"failures with reasons: {out.relative_to(ROOT)}")
    print(
        f"{passed} passed, {len(unexpected)} failed, {len(rows) - passed - len(unexpected)} skipped"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
