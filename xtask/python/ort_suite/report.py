"""Tables of a run."""

import collections

from .outcome import PASS, STATUSES, UNJUDGED

#: The share of tests that have to pass, for each group of files.
BARS = {"python": 0.75, "quantization": 0.85}


def group_of(row):
    """The name in `BARS` of the group that a test belongs to."""
    return "quantization" if row["case"].startswith("quantization/") else "python"


def by_file(rows):
    """[(file, rows)] in the order of the files' first rows."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row["case"].partition("::")[0]].append(row)
    return list(found.items())


def print_table(rows):
    """A line for each file, then one for each group."""
    seen = [status for status in STATUSES if any(row["status"] == status for row in rows)]
    groups = [(name, [row for row in rows if group_of(row) == name]) for name in BARS]
    parts = [*by_file(rows), *groups]
    width = max(len(name) for name, _ in parts) + 2
    print(f"{'':{width}}" + "".join(f"{status:>10}" for status in seen))
    for name, chosen in parts:
        found = collections.Counter(row["status"] for row in chosen)
        print(f"{name:{width}}" + "".join(f"{found[status] or '':>10}" for status in seen))


def shares(rows):
    """[(group, passed, judged)] of the groups that have judged tests."""
    found = []
    for name in BARS:
        judged = [row for row in rows if group_of(row) == name and row["status"] not in UNJUDGED]
        passed = sum(row["status"] == PASS for row in judged)
        if judged:
            found.append((name, passed, len(judged)))
    return found
