"""The suite's tables."""

PASS, FAIL, SKIP = "PASS", "FAIL", "SKIP"
WHOLE = "all"  # the case that stands for a group


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
    """A line for each group of which nothing was checked; it counts as one that is skipped."""
    whole = [row for row in rows if row["case"] == WHOLE and row["status"] == SKIP]
    return [f"SKIPPED GROUP {row['group']}: {row['reason']}" for row in whole]


def closing(rows):
    passed, failed, skipped = counts(rows)
    return f"{passed} passed, {failed} failed, {skipped} skipped"
