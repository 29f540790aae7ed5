"""Run upstream Triton's tests on one device and compare with the list of known failures.

The tests are upstream's own files, read from a copy outside the checkout. Each runs in a worker
process, so that a crash or a hang costs one test. `outcome.py` has the statuses.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

import expectations
from markdown import replace_between_markers

from . import report, slow
from .outcome import PASS, REFUSED, SKIP, SLOW, UNJUDGED
from .pool import CannotCollect, Pool
from .progress import Progress

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITE = "TRIDENT_TRITON_TESTS"
TAG = "192cdbe70"  # upstream's commit that the list of known failures belongs to
LANGUAGE = "unit/language"
FILES = (
    "test_core",
    "test_standard",
    "test_random",
    "test_tensor_descriptor",
    "test_conversions",
    "test_annotations",
    "test_tuple",
    "test_libdevice",
    "test_mxfp",
    "test_block_pointer",
)
LIST_HEADER = (
    "Cases of upstream Triton's tests that the device does not pass, and why. Every other",
    "case must pass or be skipped by upstream. A name without [...] stands for all variants.",
    "`cargo xtask conformance triton --bless` adds refusals (REFUSED) and drops what passes;",
    "a wrong result (MISMATCH), a crash or a hang is never added by itself.",
)
SHOWN, LINE = 60, 240  # failures printed without --verbose, and characters of each


def find_suite(given):
    """The folder `python/test` of upstream's tree: `given`, or the copy in the cache."""
    cached = pathlib.Path(os.environ["TRIDENT_CACHE"]) / f"triton-tests-{TAG}"
    root = pathlib.Path(given or os.environ.get(SUITE) or cached)
    for folder in (root / "python/test", root):
        if (folder / LANGUAGE / "test_core.py").exists():
            return folder.resolve()
    raise SystemExit(
        f"{root} does not hold upstream Triton's tests. Get them with\n"
        f"    git clone --filter=blob:none https://github.com/triton-lang/triton {cached}\n"
        f"    git -C {cached} checkout {TAG}\n"
        f"or name a checkout by --suite PATH or {SUITE}."
    )


def environment(options, cache):
    """The workers' variables in addition to this process's environment."""
    chosen = {"TRITON_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"}
    # Some tests make large tensors thousands of times: most of their time would go into new pages.
    chosen |= {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
    if options.engine == "interpreter":
        return chosen | {"TRITON_INTERPRET": "1"}
    return chosen | {"TRITON_DEFAULT_BACKEND": "trident", "TRIDENT_DEVICE": options.device}


def run_all(suite, options, listed):
    """Rows of all selected tests, in upstream's order; `listed` are the known failures."""
    rows = []
    known_slow = slow.read(slow.LIST, slow.vendor())

    def wanted(tests):
        chosen = [test for test in tests if re.search(options.filter or "", name_of(test))]
        progress.start(file, len(chosen))
        return chosen

    def limit(test):
        reason = slow.reason_of(name_of(test), known_slow)
        return min(options.slow_timeout, options.timeout) if reason else options.timeout

    def done(test, result):
        row = slow.excused({"case": name_of(test)} | result, known_slow)
        rows.append(row)
        progress.count(failed=expectations.judge(row, listed) is not None)
        if options.verbose and row["status"] not in (PASS, SKIP):
            print(f"{row['case']}: {row['status']}: {row['message'][:LINE]}", flush=True)

    with tempfile.TemporaryDirectory(prefix="conformance") as cache, Progress() as progress:
        # Where the tests' tensors are: the emulated device takes the CPU's.
        tensors = "cpu" if options.device == "metal-emulated" else options.device
        arguments = [f"--device={tensors}"]
        pool = Pool(suite, arguments, environment(options, cache), options.jobs, limit)
        for file in options.files:
            start, before = time.monotonic(), len(rows)
            try:
                pool.run(f"{LANGUAGE}/{file}.py", wanted, done)
            except CannotCollect as error:
                raise SystemExit(f"cannot collect {error}") from error
            rows[before:] = sorted(rows[before:], key=lambda row: row["case"])
            seconds = time.monotonic() - start
            print(f"{file}: {len(rows) - before} tests in {seconds:.0f} s", flush=True)
            shutil.rmtree(cache, ignore_errors=True)
    return rows


def name_of(test):
    """`test_core.py::test_abs[float32]` of pytest's node id."""
    return test.removeprefix(LANGUAGE + "/")


def bless(rows, listed, path, versions):
    """Rewrite the list of known failures and the support page."""
    unexplained = expectations.rewrite(path, rows, listed, REFUSED, LIST_HEADER)
    listed = expectations.read(path)
    (ROOT / "docs/support-triton.md").write_text(report.markdown(rows, listed, versions))
    lines = [
        "| upstream's tests | passed / scored |",
        "|---|---:|",
        *(f"| {name} | {report.ratio(chosen)} |" for name, chosen in report.by_file(rows)),
    ]
    replace_between_markers(ROOT / "README.md", "support-triton", "\n".join(lines))
    for case in unexplained:
        print(f"not blessed: {case} needs an entry with a reason in {path.relative_to(ROOT)}")
    return listed


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance triton", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--device", default="cpu", help="the device trident runs on")
    parser.add_argument("--suite", metavar="PATH", help="a checkout of upstream Triton")
    parser.add_argument("--filter", help="only tests whose file.py::name[variant] has this regex")
    parser.add_argument("--files", nargs="+", choices=FILES, default=FILES, metavar="FILE")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--timeout", type=float, default=600, help="seconds per test")
    parser.add_argument(
        "--slow-timeout",
        type=float,
        default=60,
        help="seconds per test that is listed as slow on this processor",
    )
    parser.add_argument("--json", metavar="FILE", help="write the rows of all tests to this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all that do not pass")
    parser.add_argument(
        "--bless", action="store_true", help="rewrite the known failures and the support table"
    )
    parser.add_argument(
        "--engine",
        choices=("trident", "interpreter"),
        default="trident",
        help="interpreter: upstream's own, to check the suite, without known failures",
    )
    return parser.parse_args()


def main():
    options = parse_arguments()
    suite = find_suite(options.suite)
    trident = options.engine == "trident"
    if options.bless and (not trident or options.filter or len(options.files) < len(FILES)):
        raise SystemExit("--bless needs a full run of trident")
    name = options.device if trident else options.engine
    listed_path = ROOT / f"conformance/triton-{name}.toml"
    listed = expectations.read(listed_path)
    start = time.monotonic()
    rows = run_all(suite, options, listed)
    if not rows:
        raise SystemExit("no test is selected")
    seconds = time.monotonic() - start

    import triton

    if options.bless:
        versions = {"suite": TAG, "triton": triton.__version__, "device": options.device}
        listed = bless(rows, listed, listed_path, versions)

    unexpected = {}
    for row in rows:
        row["expected"] = expectations.expected(row["case"], listed)[0]
        reason = expectations.judge(row, listed)
        if reason:
            unexpected[row["case"]] = reason
    out = ROOT / f"target/conformance/triton-{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    failures = [row for row in rows if row["status"] not in (PASS, *UNJUDGED)]
    out.write_text(json.dumps(failures, indent=1, ensure_ascii=False))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1, ensure_ascii=False))

    shown = list(unexpected.items())[: None if options.verbose else SHOWN]
    for case, reason in shown:
        print(f"{case}: {reason[:LINE]}")
    if len(shown) < len(unexpected):
        print(f"... and {len(unexpected) - len(shown)} more, see --verbose")
    print(f"triton {triton.__version__}, {name}, {len(rows)} tests in {seconds:.0f} s")
    report.print_tables(rows)
    for row in rows:
        if row["status"] == SLOW:
            print(f"{row['case']}: slow: {row['message']}")
    passed = sum(row["status"] == PASS and row["case"] not in unexpected for row in rows)
    skipped = len(rows) - passed - len(unexpected)
    print(f"failures with reasons: {out.relative_to(ROOT)}")
    print(f"{passed} passed, {len(unexpected)} failed, {skipped} skipped")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
