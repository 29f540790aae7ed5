"""Tables of a run: on the terminal, and as Markdown for the README and the documentation."""

import collections
import itertools

from .cases import CATEGORIES

STATUSES = ("PASS", "MISMATCH", "ERR", "CRASH", "TIMEOUT", "HARNESS", "EXCLUDED")


def scored(rows):
    """The rows that count: all but the cases with random output."""
    return [row for row in rows if row["status"] != "EXCLUDED"]


def passed(rows):
    return sum(row["status"] == "PASS" for row in rows)


def ratio(rows):
    """`passed / scored` as text."""
    if not scored(rows):
        return "not scored"
    return f"{passed(rows):,} / {len(scored(rows)):,}"


def by_category(rows):
    """(name, rows) of each category that was run, then of all."""
    for category in CATEGORIES:
        chosen = [row for row in rows if row["case"].startswith(category + "/")]
        if chosen:
            yield category, chosen
    yield "all", rows


def by_opset(rows):
    """(opset, rows), ascending; 0 stands for models of other domains only."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["opset"]].append(row)
    return sorted(groups.items())


def by_op(rows):
    """(op, rows of the cases whose model contains it), standard ops first."""
    groups = collections.defaultdict(list)
    for row in rows:
        for op in row["ops"]:
            groups[op].append(row)
    return sorted(groups.items(), key=lambda item: ("." in item[0], item[0]))


def print_tables(rows):
    """Category x status, then passes by opset."""
    seen = [status for status in STATUSES if any(row["status"] == status for row in rows)]
    print(f"{'category':18}" + "".join(f"{status:>10}" for status in seen) + "    passed / scored")
    for category, chosen in by_category(rows):
        counts = collections.Counter(row["status"] for row in chosen)
        cells = "".join(f"{counts[status]:>10}" for status in seen)
        print(f"{category:18}{cells}    {ratio(chosen)}")
    cells = [f"{opset}: {passed(chosen)}/{len(scored(chosen))}" for opset, chosen in by_opset(rows)]
    print("by opset   " + "   ".join(cells))


def compact_markdown(rows):
    """The README's table of categories."""
    lines = ["| category | passed / scored |", "|---|---|"]
    lines += [f"| {name} | {ratio(chosen)} |" for name, chosen in by_category(rows)]
    return "\n".join(lines)


def full_markdown(rows, listed, versions):
    """docs/support-onnx.md: every op, every opset, every known failure."""
    lines = [
        "# ONNX support",
        "",
        "Written by `cargo xtask conformance onnx --bless` from a run of the backend suite of "
        f"`onnx` {versions['onnx']} on the `{versions['device']}` device:",
        f"{ratio(rows)} scored cases pass. The {len(rows) - len(scored(rows))} cases with random "
        "output are run but not scored.",
        "",
        "## By op",
        "",
        "A case counts for every op in its model. Many ops have a second case, in which the suite "
        "replaces the op by its function body; such a case counts for the ops of that body.",
        "",
        "| op | passed / scored | | op | passed / scored |",
        "|---|---|---|---|---|",
    ]
    cells = [f"| {op} | {ratio(chosen)} |" for op, chosen in by_op(rows)]
    half = -(-len(cells) // 2)
    pairs = itertools.zip_longest(cells[:half], cells[half:], fillvalue="| | |")
    lines += [f"{left} {right}" for left, right in pairs]
    lines += ["", "## By opset", "", "| ai.onnx opset | passed / scored |", "|---|---|"]
    lines += [
        f"| {opset or 'other domains only'} | {ratio(chosen)} |" for opset, chosen in by_opset(rows)
    ]
    reasons = collections.defaultdict(list)
    for row in rows:
        if row["case"] in listed:
            reasons[listed[row["case"]]].append(row["case"])
    lines += ["", "## Known failures", ""]
    if reasons:
        lines += ["`ERR`: refused with an error. `MISMATCH`: a result outside the tolerance.", ""]
        lines += ["| status | reason | cases |", "|---|---|---|"]
    for (status, reason), cases in sorted(reasons.items()):
        names = " ".join(f"`{case}`" for case in sorted(cases))
        reason = reason.replace("|", "\\|")
        lines.append(f"| {status} | {reason} | {names} |")
    return "\n".join(lines) + "\n"
