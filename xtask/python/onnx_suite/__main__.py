"""Run the ONNX backend suite against one engine and compare with the list of known failures.

Values are compared by upstream's own rule (`Runner.assert_similar_outputs`) with each case's
tolerance. A case ends as PASS, MISMATCH (ran, wrong result), ERR (refused), CRASH, TIMEOUT,
HARNESS (the case could not be read) or EXCLUDED (random output: only types and shapes are
checked).
"""

import argparse
import json
import os
import pathlib
import re
import sys
import time

import onnx

import expectations
from markdown import replace_between_markers
from worker import OK

from . import batched, report
from .cases import CATEGORIES, Case, compare, compare_types
from .engines import OnnxRuntimeEngine, TridentEngine
from .generate import cached_cases

ROOT = pathlib.Path(__file__).resolve().parents[3]
RANDOM_OUTPUT = re.compile(r"/test_(bernoulli|training_dropout(?!.*zero_ratio)|random|multinomial)")
LIST_HEADER = (
    "Cases of the ONNX backend suite that the device does not pass, and why. Every other",
    "case must pass. `cargo xtask conformance onnx --bless` adds refusals (ERR) and drops",
    "what passes; a wrong result (MISMATCH) is never added by itself.",
)
# Devices for tests that run the kernels of another one, and so have its list.
SAME_KERNELS = {"queued": "cpu"}
# Devices that are emulated run no models of full size, which would take minutes each.
EMULATED = {"metal-emulated"}
FULL_SIZE = "light"
# The device whose support the README and the support page show.
PUBLISHED = "cpu"
# What names the node, its operands and the device in a refusal: without it, equal reasons are one
# group.
REFUSAL = re.compile(r"^plan: no device can run (\w+)(?: `[^`]*`)? \(.*?\): [\w-]+: ")
SHOWN, LINE = 50, 240  # failures printed without --verbose, and characters of each


def list_name(device):
    """The device whose list holds for a choice of devices such as `queued,cpu`."""
    names = {SAME_KERNELS.get(name, name) for name in device.split(",")}
    return "+".join(sorted(names))


def run_case(engine, key, folder, tolerance, timeout):
    """One row of the report."""
    row = {"case": key, "status": "PASS", "message": "", "opset": 0, "ops": []}
    try:
        case = Case(folder)
    except Exception as error:  # a case the suite cannot read is reported, not hidden
        return row | {"status": "HARNESS", "message": repr(error)[:200]}
    row |= {"opset": case.opset(), "ops": case.ops()}
    status, results = engine.run(case, timeout)
    random = RANDOM_OUTPUT.search(key)
    if status != OK:
        excused = random and status == "ERR"
        message = " ".join(results.split())
        return row | {"status": "EXCLUDED" if excused else status, "message": message}
    try:
        for (_, _, expected), actual in zip(case.sets, results, strict=True):
            if random:
                compare_types(expected, actual)
            else:
                compare(expected, actual, tolerance)
    except Exception as error:  # numpy raises many types for values it cannot compare
        message = " ".join(str(error).split())[:300]
        return row | {"status": "MISMATCH", "message": message}
    return row | {"status": "EXCLUDED"} if random else row


def run_all(engine, cases, keys, manifest, timeout):
    """Rows of all cases; a line on standard error tells how far it is."""
    rows, terminal = [], sys.stderr.isatty()
    for k, key in enumerate(keys):
        if terminal and k % 20 == 0:
            print(f"\r{k} / {len(keys)}", end="", file=sys.stderr)
        row = run_case(engine, key, cases / key, manifest[key], timeout)
        row["message"] = row["message"].replace(f"{cases}/", "")  # the same on every machine
        rows.append(row)
    if terminal:
        print("\r\033[K", end="", file=sys.stderr)
    return rows


def bless(rows, listed, path, versions):
    """Rewrite the list of known failures; for the CPU, also README's table and the support page."""
    grouped = [row | {"message": REFUSAL.sub(r"\1: ", row["message"])} for row in rows]
    unexplained = expectations.rewrite(path, grouped, listed, "ERR", LIST_HEADER)
    listed = expectations.read(path)
    if versions["device"] == PUBLISHED:
        (ROOT / "docs").mkdir(exist_ok=True)
        (ROOT / "docs/support-onnx.md").write_text(report.full_markdown(rows, listed, versions))
        table = report.compact_markdown(rows)
        replace_between_markers(ROOT / "README.md", "support", table)
    for case in unexplained:
        print(f"not blessed: {case} needs an entry with a reason in {path.relative_to(ROOT)}")
    return listed


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance onnx", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--device", default="cpu", help="what trident runs on: a device, or several as `queued,cpu`"
    )
    parser.add_argument("--cat", choices=CATEGORIES, help="only this category")
    parser.add_argument("--filter", help="only cases whose category/name matches this regex")
    parser.add_argument("--timeout", type=float, default=60, help="seconds per data set")
    parser.add_argument("-v", "--verbose", action="store_true", help="print all that do not pass")
    parser.add_argument(
        "--bless",
        action="store_true",
        help="rewrite the device's known failures, and for the CPU the support tables",
    )
    parser.add_argument(
        "--engine",
        choices=("trident", "onnxruntime"),
        default="trident",
        help="onnxruntime: check the suite itself, without known failures",
    )
    parser.add_argument(
        "--batched",
        action="store_true",
        help="compare rows in batches with rows alone, bit by bit, where rows are independent",
    )
    parser.add_argument(
        "--quick", action="store_true", help="with --batched: without the benchmarks' large models"
    )
    parser.add_argument("--json", metavar="FILE", help="with --batched: write all outcomes here")
    return parser.parse_args()


def main():
    options = parse_arguments()
    cases = cached_cases(os.environ["TRIDENT_CACHE"])
    manifest = json.loads((cases / "manifest.json").read_text())
    if options.batched:
        binary, cache = os.environ["TRIDENT"], os.environ["TRIDENT_CACHE"]
        return batched.main(options, binary, cases, manifest, cache)
    if EMULATED.intersection(options.device.split(",")):
        manifest = {k: v for k, v in manifest.items() if k.split("/")[0] != FULL_SIZE}
    keys = [
        key
        for key in sorted(manifest)
        if not (options.cat and key.split("/")[0] != options.cat)
        and not (options.filter and not re.search(options.filter, key))
    ]
    if not keys:
        raise SystemExit("no case is selected")
    if options.bless and (options.engine != "trident" or len(keys) != len(manifest)):
        raise SystemExit("--bless needs a full run of trident")
    if options.bless and list_name(options.device) != options.device:
        raise SystemExit(f"--bless needs the device itself: {list_name(options.device)}")

    trident = options.engine == "trident"
    engine = (
        TridentEngine(os.environ["TRIDENT"], options.device) if trident else OnnxRuntimeEngine()
    )
    start = time.monotonic()
    rows = run_all(engine, cases, keys, manifest, options.timeout)
    engine.close()
    seconds = time.monotonic() - start

    name = options.device if trident else options.engine
    listed_path = ROOT / f"conformance/onnx-{list_name(name) if trident else name}.toml"
    listed = expectations.read(listed_path)
    if options.bless:
        versions = {"onnx": onnx.__version__, "device": options.device}
        listed = bless(rows, listed, listed_path, versions)

    unexpected = {}
    for row in rows:
        row["expected"] = expectations.expected(row["case"], listed)[0]
        reason = expectations.judge(row, listed)
        if reason:
            unexpected[row["case"]] = reason
        elif options.verbose and row["status"] not in ("PASS", "EXCLUDED"):
            print(f"{row['case']}: {row['status']}, as listed: {row['message'][:LINE]}")
    out = ROOT / f"target/conformance/onnx-{name.replace(',', '+')}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    shown = list(unexpected.items())[: None if options.verbose else SHOWN]
    for case, reason in shown:
        print(f"{case}: {reason[:LINE]}")
    if len(shown) < len(unexpected):
        print(f"... and {len(unexpected) - len(shown)} more, see --verbose")
    failures = [row for row in rows if row["status"] != "PASS"]
    out.write_text(json.dumps(failures, indent=1, ensure_ascii=False))

    print(f"onnx {onnx.__version__} backend suite, {name}, {len(rows)} cases in {seconds:.1f} s")
    report.print_tables(rows)
    passed = sum(row["status"] == "PASS" and row["case"] not in unexpected for row in rows)
    skipped = len(rows) - passed - len(unexpected)
    print(f"failures with reasons: {out.relative_to(ROOT)}")
    print(f"{passed} passed, {len(unexpected)} failed, {skipped} skipped")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
