"""Rows of a run: the table, the report, and the comparison with the list of known failures."""

import collections
import json
import pathlib
import sys
import time

import expectations

from .engine import EXCLUDED, PASS, SKIP, STATUSES

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHOWN, LINE = 60, 300  # failures printed without --verbose, and characters of each
PAUSE = 10  # seconds between lines of progress that a log gets

HEADER = (
    "Cases of `cargo xtask conformance paddle {words}` that do not pass, and why.",
    "Every other case must pass. `--bless` adds models that are refused (REFUSED) and drops what",
    "passes; everything else is added by hand.",
)


def row_of(case, group, status, message=""):
    return {"case": case, "group": group, "status": status, "message": message}


class Progress:
    """Lines on standard error: each case where it is verbose, otherwise the counts so far. A
    terminal's line is overwritten."""

    def __init__(self, verbose):
        self.verbose, self.terminal = verbose, sys.stderr.isatty()
        self.start = self.last = time.monotonic()
        self.counts = collections.Counter()

    def __call__(self, row):
        now = time.monotonic()
        self.counts[row["status"]] += 1
        if self.verbose:
            text = f"{now - self.start:6.0f} s {row['case']}: {row['status']}"
            print(f"{text} {row['message'][:200]}".rstrip(), file=sys.stderr)
        elif self.terminal or now - self.last > PAUSE:
            self.last = now
            counts = ", ".join(f"{self.counts[s]} {s}" for s in STATUSES if self.counts[s])
            text = f"{now - self.start:6.0f} s {sum(self.counts.values())} cases: {counts}"
            if self.terminal:
                print(f"\r\x1b[K{text} {row['case']}"[:160], end="", file=sys.stderr, flush=True)
            else:
                print(text, file=sys.stderr)

    def note(self, text):
        """Shows what happens before the next case."""
        now = time.monotonic()
        if self.terminal and not self.verbose:
            print(
                f"\r\x1b[K{now - self.start:6.0f} s {text}"[:160],
                end="",
                file=sys.stderr,
                flush=True,
            )
        elif now - self.last > PAUSE:
            self.last = now
            print(f"{now - self.start:6.0f} s {text}", file=sys.stderr)

    def done(self):
        if self.terminal and not self.verbose:
            print("\r\x1b[K", end="", file=sys.stderr)


def stale(rows, listed):
    """Entries of the list that no judged case of a full run has."""
    names = {row["case"] for row in rows if row["status"] not in (EXCLUDED, SKIP)}
    names |= {expectations.test_of(name) for name in names}
    return [case for case in listed if case not in names]


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


def finish(suite, rows, options, with_list=True, listed=None):
    """Print a suite's results and write the report; 1 if a case is not as the list expects, which
    is that of the suite's file unless it is given."""
    path = ROOT / f"conformance/paddle-{suite}.toml"
    if listed is None:
        listed = expectations.read(path) if with_list else {}
    if options.bless:
        words = f"--suite {options.suite}"
        if options.subject != "trident":
            words += f" --subject {options.subject}"
        header = [line.format(words=words) for line in HEADER]
        for case in expectations.rewrite(path, rows, listed, "REFUSED", header):
            print(f"not blessed: {case} needs an entry with a reason in {path.relative_to(ROOT)}")
        listed = expectations.read(path)
    unexpected = {}
    for row in rows:
        row["expected"], row["reason"] = expectations.expected(row["case"], listed)
        reason = expectations.judge(row, listed)
        if reason:
            unexpected[row["case"]] = reason
    if not options.filter and options.every == 1:
        for case in stale(rows, listed):
            unexpected[case] = f"is listed as {listed[case][0]}, but no case of this name is judged"
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
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    passed = sum(row["status"] == PASS and row["case"] not in unexpected for row in rows)
    skipped = sum(row["status"] != PASS and row["case"] not in unexpected for row in rows)
    excluded = sum(row["status"] in (EXCLUDED, SKIP) for row in rows)
    print(f"{excluded} cases are not judged; {skipped - excluded} fail as the list says")
    if excluded == len(rows):
        print("no case was judged: the suite says nothing")
    print(f"{passed} passed, {len(unexpected)} failed, {skipped} skipped")
    return 1 if unexpected or excluded == len(rows) else 0
