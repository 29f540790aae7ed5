"""Outcomes of many examples as one: the worst of them, with a few failures as text."""

import collections

from .engine import CRASH, EXCLUDED, FAILED, PASS, REFUSED, TIMEOUT, WRONG

WORST_FIRST = (WRONG, CRASH, TIMEOUT, FAILED, REFUSED)


class Tally:
    """Counts of statuses, and one example for each message."""

    def __init__(self):
        self.counts, self.failures = collections.Counter(), {}

    def add(self, status, message, shown):
        self.counts[status] += 1
        if status != PASS:
            self.failures.setdefault((status, " ".join(message.split())[:200]), shown)

    def verdict(self, most=4):
        """(status, message) of all examples; at most so many failures are shown."""
        found = [f for f in self.failures.items() if f[0][0] in WORST_FIRST]
        found.sort(key=lambda failure: WORST_FIRST.index(failure[0][0]))
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        if found:
            lines = [f"{status} {message} [{shown}]" for (status, message), shown in found[:most]]
            return found[0][0][0], f"{counts}. " + " ".join(lines)
        if self.counts[PASS]:
            return PASS, counts
        return EXCLUDED, "; ".join(message for _, message in self.failures)
