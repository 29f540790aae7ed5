"""Checks in groups: running them one by one, and the table of their outcomes.

A suite is a subclass of `Checks` with what its groups need. A group is a function of the suite
that calls `suite.check(name, function)`. A check passes if its function returns.
"""

import contextlib
import fcntl
import pathlib
import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PASS, FAIL, SKIP = "PASS", "FAIL", "SKIP"
WHOLE = "all"  # the case that stands for a group
LIMIT = 180  # seconds that one check may take


class Skip(Exception):
    """A check that cannot be made here; the message says why."""


class Checks:
    """Which checks are wanted, and the outcomes so far."""

    def __init__(self, options):
        """`options` has `filter`, a regular expression or None, and `verbose`."""
        self.options, self.rows, self.group = options, [], ""

    def wanted(self, case):
        pattern = self.options.filter
        return not pattern or bool(re.search(pattern, f"{self.group}/{case}"))

    def ready(self):
        """Raise what makes the next check pointless. For subclasses."""

    def check(self, case, function, limit=LIMIT):
        """Run one check: it passes if the function returns."""
        if not self.wanted(case):
            return

        def limited():
            with time_limit(limit):
                self.ready()
                function()

        self.record(case, *outcome(limited))

    def check_beside(self, functions, threads=8):
        """Run checks that mostly wait, {case: function}, on threads. They limit their own time."""
        wanted = {case: function for case, function in functions.items() if self.wanted(case)}
        with ThreadPoolExecutor(threads) as pool:
            for case, found in zip(wanted, pool.map(outcome, wanted.values()), strict=True):
                self.record(case, *found)

    def record(self, case, status, reason="", seconds=0.0):
        row = {"group": self.group, "case": case, "status": status, "reason": reason}
        self.rows.append(row | {"seconds": round(seconds, 3)})
        if status != PASS or self.options.verbose:
            tail = f": {reason}" if reason else ""
            print(f"{self.group}/{case}: {status}{tail}"[:400], flush=True)

    def run(self, group, function):
        """Run a group. An exception that ends it early is a failure of its own."""
        self.group, start = group, time.monotonic()
        try:
            function(self)
        except Skip as skip:
            self.record(WHOLE, SKIP, str(skip))
        except Exception as error:
            self.record("start", FAIL, told(error))
        if sys.stderr.isatty():
            print(f"{group}: {time.monotonic() - start:.1f} s", file=sys.stderr)


def title(function):
    """The first line of a function's text, as the name of a check."""
    return function.__doc__.splitlines()[0].rstrip(".")


def outcome(function):
    """(status, reason, seconds) of a check."""
    start, status, reason = time.monotonic(), PASS, ""
    try:
        function()
    except Skip as skip:
        status, reason = SKIP, str(skip)
    except Exception as error:  # whatever goes wrong is the outcome
        status, reason = FAIL, told(error)
    return status, reason, time.monotonic() - start


def told(error):
    """An exception in words, with the innermost place in a suite for bugs of the suite."""
    text = " ".join(str(error).split())
    if isinstance(error, AssertionError) and text:
        return text
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = pathlib.Path(trace.tb_frame.f_code.co_filename)
        if file.parent.name.endswith("_suite"):
            place = f" ({file.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {text}{place}"


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TimeoutError in the body when it takes longer; for the main thread."""

    def expire(*_):
        raise TimeoutError(f"not finished after {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def sole_run(file):
    """Lock a file, which stays locked until the process ends or the returned object is dropped."""
    lock = file.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("another run of this suite is under way in this checkout") from None
    return lock


def counts(rows):
    """(passed, failed, skipped)"""
    return tuple(sum(row["status"] == status for row in rows) for status in (PASS, FAIL, SKIP))


def table(rows):
    """Lines of a table by group."""
    lines = [f"{'group':12} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}"]
    for group in dict.fromkeys(row["group"] for row in rows):
        chosen = [row for row in rows if row["group"] == group]
        passed, failed, skipped = counts(chosen)
        seconds = sum(row["seconds"] for row in chosen)
        lines.append(f"{group:12} {passed:7} {failed:7} {skipped:8} {seconds:8.1f}")
    return lines


def skipped_groups(rows):
    """A line for each group without a check; the group counts as one skipped check."""
    whole = [row for row in rows if row["case"] == WHOLE and row["status"] == SKIP]
    return [f"SKIPPED GROUP {row['group']}: {row['reason']}" for row in whole]


def closing(rows):
    passed, failed, skipped = counts(rows)
    return f"{passed} passed, {failed} failed, {skipped} skipped"
