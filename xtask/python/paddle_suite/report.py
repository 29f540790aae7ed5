"""Rows of a run: the table, the report, and the comparison with the list of known failures."""

import collections
import json
import pathlib

import expectations

from .engine import EXCLUDED, PASS, SKIP, STATUSES

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHOWN, LINE = 60, 300  # failures printed without --verbose, and characters of each

HEADER = (
    "Cases of `cargo xtask conformance paddle --suite {suite}` that do not pass, and why.",
    "Every other case must pass. `--bless` adds models that are refused (REFUSED) and drops what",
    "passes; everything else is added by hand.",
)


def row_of(case, group, status, message=""):
    return {"case": case, "group": group, "status": status, "message": message}


def print_table(rows):
    """Group x status."""
    seen = [status for status in STATUSES if any(row["status"] == status for row in rows)]
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        groups[row["group"]][row["status"]] += 1
    width = max([len(name) for name in groups] + [5]) + 2
    print(f"{'':{width}}" + "".join(f"{status:>10}" for status in seen))
    for name, counts in groups.items():
        print(f"{name:{width}}" + "".join(f"{counts[status] or '':>10}" for status in seen))


def finish(suite, rows, options, with_list=True):
    """Print a suite's results and write the report; 1 if a case is not as the list expects."""
    path = ROOT / f"conformance/paddle-{suite}.toml"
    listed = expectations.read(path) if with_list else {}
    if options.bless:
        header = [line.format(suite=suite) for line in HEADER]
        for case in expectations.rewrite(path, rows, listed, "REFUSED", header):
            print(f"not blessed: {case} needs an entry with a reason in {path.relative_to(ROOT)}")
        listed = expectations.read(path)
    unexpected = {}
    for row in rows:
        row["expected"], row["reason"] = expectations.expected(row["case"], listed)
        reason = expectations.judge(row, listed)
        if reason:
            unexpected[row["case"]] = reason
    shown = list(unexpected.items())[: None if options.verbose else SHOWN]
    for case, reason in shown:
        print(f"{case}: {reason[:LINE]}")
    if len(shown) < len(unexpected):
        print(f"... and {len(unexpected) - len(shown)} more, see --verbose")
    print_table(rows)
    out = ROOT / f"target/conformance/paddle-{suite}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    print(f"all cases with reasons: {out.relative_to(ROOT)}")
    passed = sum(row["status"] == PASS and row["case"] not in unexpected for row in rows)
    skipped = len(rows) - passed - len(unexpected)
    excluded = sum(row["status"] in (EXCLUDED, SKIP) for row in rows)
    print(f"{excluded} cases are not judged; {skipped - excluded} fail as the list says")
    print(f"{passed} passed, {len(unexpected)} failed, {skipped} skipped")
    return 1 if unexpected else 0
