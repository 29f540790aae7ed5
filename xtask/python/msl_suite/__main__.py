"""Run kernels as Metal programs in the checked emulator, and compare with known failures.

Three parts: the package's own tests of kernels, the examples as they are, and of each group of
upstream's `test_core` a few variants, the same on every machine, where a copy of it is at hand.
"""

import argparse
import collections
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import expectations
from triton_suite.__main__ import LANGUAGE, find_suite, name_of
from triton_suite.outcome import ERR, MISMATCH, PASS, REFUSALS, REFUSED, SKIP, TIMEOUT
from triton_suite.pool import Pool

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIST = ROOT / "conformance/msl.toml"
UPSTREAM_LIST = ROOT / "conformance/triton-cpu.toml"  # cases that do not concern Metal
LIST_HEADER = (
    "Kernels that do not run as Metal programs in the checked emulator, and why. Every other",
    "case of `cargo xtask conformance msl` must pass. A name without [...] stands for all",
    "variants. `--bless` adds refusals (REFUSED) and drops what passes, nothing else.",
)
OWN = (
    "test_elements",
    "test_blocks",
    "test_kernels",
    "test_libdevice",
    "test_block_pointer",
    "test_round_trip",
    "test_launch",
    "test_metal",
    "test_dlpack",
)
HELPERS = ("lab.py", "test_triton.py")
LIMIT = 120  # seconds of a test
LINE = 240  # characters of a reason
FINDINGS = {"races": r"\brace:", "out-of-bounds accesses": r"\bout.of.bounds\b"}  # in reports


def environment(cache):
    """The environment of kernels; the emulated device checks every access."""
    return {
        "TRIDENT_DEVICE": "metal-emulated",
        "TRITON_DEFAULT_BACKEND": "trident",
        "TRITON_CACHE_DIR": cache,
        "OMP_NUM_THREADS": "1",
    }


def sample(tests, size):
    """Of each test function `size` variants: those whose names have the least digests."""
    groups = collections.defaultdict(list)
    for test in tests:
        groups[expectations.test_of(test)].append(test)

    def digest(test):
        return hashlib.blake2b(test.encode(), digest_size=8).digest()

    return [test for group in groups.values() for test in sorted(group, key=digest)[:size]]


def own_tests(options, cache, done):
    pool = Pool(ROOT / "python/tests", [], environment(cache), options.jobs, lambda _: LIMIT)
    for file in OWN:
        pool.run(
            f"{file}.py",
            lambda tests: [test for test in tests if options.wants(f"own/{test}")],
            lambda test, result: done({"case": f"own/{test}"} | result),
        )


def examples(options, cache, done):
    for script in sorted((ROOT / "examples/triton").glob("*.py")):
        case = f"examples/{script.name}"
        if script.name in HELPERS or not options.wants(case):
            continue
        try:
            ended = subprocess.run(
                [sys.executable, script], env=os.environ | environment(cache),
                capture_output=True, text=True, timeout=5 * LIMIT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            done({"case": case, "status": TIMEOUT, "message": f"no end within {5 * LIMIT} s"})
            continue
        done({"case": case} | judged(ended))


def judged(ended):
    """The status of an example that has ended, and its last words."""
    words = ended.stderr.strip().splitlines() or ended.stdout.strip().splitlines() or [""]
    if ended.returncode == 0 and ": ok" in ended.stdout:
        return {"status": PASS, "message": ""}
    refusal = next((line for line in words if line.startswith("trident.errors.")), None)
    message = (refusal or words[-1]).replace(f"{ROOT}/", "")
    if refusal and refusal.split(":")[0].rpartition(".")[2] in REFUSALS:
        return {"status": REFUSED, "message": message}
    return {"status": ERR if refusal else MISMATCH, "message": message}


def upstream(options, cache, done):
    """Some of upstream's tests; why there are none, if so."""
    if importlib.util.find_spec("torch") is None:
        return "PyTorch is not here: `cargo xtask env torch`"
    try:
        suite = find_suite(options.suite)
    except SystemExit as error:
        return str(error).splitlines()[0]
    pool = Pool(suite, ["--device=cpu"], environment(cache), options.jobs, lambda _: LIMIT)

    def chosen(tests):
        tests = sample(tests, options.sample)
        return [test for test in tests if options.wants(f"upstream/{name_of(test)}")]

    pool.run(
        f"{LANGUAGE}/test_core.py",
        chosen,
        lambda test, result: done({"case": f"upstream/{name_of(test)}"} | result),
    )
    return None


def run_all(options):
    """Rows of all cases, and why upstream's are left out."""
    rows = []

    def done(row):
        rows.append(row)
        if options.verbose and row["status"] not in (PASS, SKIP):
            print(f"{row['case']}: {row['status']}: {row['message'][:LINE]}", flush=True)

    left_out = None
    for name, part in (("own", own_tests), ("examples", examples), ("upstream", upstream)):
        start, before = time.monotonic(), len(rows)
        with tempfile.TemporaryDirectory(prefix="conformance") as cache:
            left_out = part(options, cache, done)
        seconds = time.monotonic() - start
        print(f"{name}: {len(rows) - before} cases in {seconds:.0f} s", flush=True)
    rows.sort(key=lambda row: row["case"])
    return rows, left_out


def inherited():
    """Failures of upstream's tests on the CPU, with their reasons."""
    return {f"upstream/{case}": why for case, why in expectations.read(UPSTREAM_LIST).items()}


def known_failures():
    return inherited() | expectations.read(LIST)


def print_table(rows):
    """How many cases of each file or test ended how."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[row["case"].partition("::")[0]][row["status"]] += 1
    statuses = sorted({row["status"] for row in rows}, key=lambda status: (status != PASS, status))
    width = max(map(len, counts))
    print(f"{'':{width}}" + "".join(f"{status:>10}" for status in statuses))
    for group, found in counts.items():
        print(f"{group:{width}}" + "".join(f"{found[status] or '':>10}" for status in statuses))


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance msl", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--suite", metavar="PATH", help="a checkout of upstream Triton")
    parser.add_argument("--sample", type=int, default=2, help="variants of each of its tests")
    parser.add_argument("--filter", default="", help="only cases whose name has this regex")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all that do not pass")
    parser.add_argument("--bless", action="store_true", help="rewrite the list of known failures")
    options = parser.parse_args()
    options.wants = lambda case: re.search(options.filter, case)
    return options


def main():
    options = parse_arguments()
    rows, left_out = run_all(options)
    if not rows:
        raise SystemExit("no case is selected")
    if left_out:
        print(f"upstream's tests are left out: {left_out}")
    listed = known_failures()
    if options.bless:
        if options.filter or left_out:
            raise SystemExit("--bless needs a full run")
        others = inherited()
        mine = [row for row in rows if expectations.expected(row["case"], others)[0] == PASS]
        unexplained = expectations.rewrite(LIST, mine, listed, REFUSED, LIST_HEADER)
        for case in unexplained:
            print(f"not blessed: {case} needs an entry with a reason in {LIST.relative_to(ROOT)}")
        listed = known_failures()
    judgements = {row["case"]: expectations.judge(row, listed) for row in rows}
    unexpected = {case: reason for case, reason in judgements.items() if reason}
    out = ROOT / "target/conformance/msl.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    failures = [row for row in rows if row["status"] != PASS]
    out.write_text(json.dumps(failures, indent=1, ensure_ascii=False))
    print_table(rows)
    for case, reason in unexpected.items():
        print(f"{case}: {reason[:LINE]}")
    for name, pattern in FINDINGS.items():
        count = sum(bool(re.search(pattern, reason)) for reason in unexpected.values())
        print(f"cases with {name}: {count}")
    passed = sum(row["status"] == PASS and row["case"] not in unexpected for row in rows)
    skipped = len(rows) - passed - len(unexpected)
    print(f"{passed} passed, {len(unexpected)} failed, {skipped} skipped")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
