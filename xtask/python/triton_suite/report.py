"""Tables of a run: on the terminal, and docs/support-triton.md."""

import collections

import expectations

from .outcome import PASS, SKIP, SLOW, STATUSES, UNJUDGED


def test_of(row):
    """`file.py::test` without the variant."""
    return expectations.test_of(row["case"])


def groups(rows, key):
    """[(name, rows)] in the order of the first row of each."""
    found = collections.defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return list(found.items())


def by_file(rows):
    return groups(rows, lambda row: row["case"].partition("::")[0])


def by_test(rows):
    return groups(rows, test_of)


def counts(rows):
    """Number of rows of each status, and of those that launched a kernel."""
    found = collections.Counter(row["status"] for row in rows)
    found["launched"] = sum(row["launches"] > 0 for row in rows)
    return found


def print_tables(rows):
    """A line for each test function that does not pass whole, then one for each file."""
    seen = [status for status in STATUSES if any(row["status"] == status for row in rows)]
    columns = [*seen, "launched"]
    parts = [item for item in by_test(rows) if counts(item[1])[PASS] < len(item[1])]
    parts = [(name.partition("::")[2], chosen) for name, chosen in parts]
    files = [*by_file(rows), ("all", rows)]
    width = max(len(name) for name, _ in parts + files) + 2
    print(f"{'':{width}}" + "".join(f"{status:>10}" for status in columns))
    for name, chosen in [*parts, *files]:
        found = counts(chosen)
        print(f"{name:{width}}" + "".join(f"{found[status] or '':>10}" for status in columns))


def ratio(rows):
    """`passed / scored` as text; upstream's own skips are not scored."""
    scored = [row for row in rows if row["status"] not in UNJUDGED]
    return f"{sum(row['status'] == PASS for row in scored):,} / {len(scored):,}"


def markdown(rows, listed, versions):
    """docs/support-triton.md: every file, every test, every known failure."""
    lines = [
        "# Triton support",
        "",
        "Written by `cargo xtask conformance triton --bless` from a run of upstream's tests "
        f"(commit {versions['suite']}) with `triton` {versions['triton']} on the "
        f"`{versions['device']}` device. Cases that upstream itself skips are not scored.",
        "",
        "| file | passed / scored | launched a kernel | skipped |",
        "|---|---:|---:|---:|",
    ]
    for name, chosen in [*by_file(rows), ("all", rows)]:
        found = counts(chosen)
        lines.append(f"| {name} | {ratio(chosen)} | {found['launched']:,} | {found[SKIP]:,} |")
    lines += ["", "## By test", "", "| test | passed / scored |", "|---|---:|"]
    lines += [f"| {name} | {ratio(chosen)} |" for name, chosen in by_test(rows)]
    reasons = collections.defaultdict(list)
    for row in rows:
        key = listed.get(row["case"]) or listed.get(test_of(row))
        if row["status"] == SLOW:
            reasons[SLOW, row["message"]].append(test_of(row))
        elif key and row["status"] != SKIP:
            reasons[key].append(test_of(row))
    lines += ["", "## Known failures", ""]
    if reasons:
        lines += [
            "`REFUSED`: the compiler refuses the kernel by name. `ASM`: the test looks for another "
            "back end's assembly text. `ERR`: another exception. `MISMATCH`: an assertion of the "
            "test does not hold. `TIMEOUT`: the test did not end within the time limit. "
            "`SLOW`: a known `TIMEOUT` on this processor, which is not scored.",
            "",
            "| status | reason | tests | cases |",
            "|---|---|---|---:|",
        ]
    for (status, reason), cases in sorted(reasons.items()):
        names = " ".join(f"`{name}`" for name in sorted(set(cases)))
        reason = reason.replace("|", "\\|")
        lines.append(f"| {status} | {reason} | {names} | {len(cases):,} |")
    return "\n".join(lines) + "\n"
