"""Lists of cases that a device is known not to pass, with the reason of each.

    [[expected]]
    status = "ERR"
    reason = "Gradient is not implemented"
    cases = ["node/test_gradient_of_add"]

A case that is not listed must pass; a listed one must end with the listed status, or pass where
that is TIMEOUT, which depends on the machine. One listed as ROUNDING may pass or be a MISMATCH:
the suite compares with results whose own rounding depends on the machine. One listed as UNDEFINED
may pass or be WRONG: its results depend on memory that nothing wrote. A case may stand for all
of its variants: `file.py::test_dot` lists each `file.py::test_dot[...]`.
"""

import collections
import json
import tomllib


def read(path):
    """{case: (status, reason)} of a list; empty without a file."""
    if not path.exists():
        return {}
    listed = {}
    with path.open("rb") as file:
        groups = tomllib.load(file).get("expected", [])
    for group in groups:
        if not group["reason"].strip():
            raise SystemExit(f"{path}: a group without a reason")
        for case in group["cases"]:
            if case in listed:
                raise SystemExit(f"{path}: {case} is listed twice")
            listed[case] = (group["status"], group["reason"])
    return listed


# Statuses of a listed case that are as expected, besides the listed one.
ALSO = {
    "TIMEOUT": ("PASS",),
    "ROUNDING": ("PASS", "MISMATCH"),
    "UNDEFINED": ("PASS", "WRONG"),
}
UNSTABLE = ("ROUNDING", "UNDEFINED")  # listed statuses that no case ends with
UNSCORED = ("EXCLUDED", "SKIP", "SLOW")  # statuses of cases that the suite itself does not judge


def test_of(case):
    """The name that stands for all variants of a case."""
    return case.partition("[")[0]


def expected(case, listed):
    """(status, reason) that `listed` gives a case, by its name or that of all its variants."""
    return listed.get(case) or listed.get(test_of(case)) or ("PASS", "")


def judge(row, listed):
    """Why `row` is not what `listed` expects, or None."""
    wanted, _ = expected(row["case"], listed)
    if row["status"] in (wanted, *ALSO.get(wanted, ()), *UNSCORED):
        return None
    if row["status"] == "PASS":
        return f"passes, but is listed as {wanted}"
    return f"{row['status']}, expected {wanted}: {row['message']}"


def rewrite(path, rows, listed, refusal, header):
    """List the refusals among `rows`, keeping the reasons already written.

    Only cases of status `refusal` are ever added by themselves: a wrong result, a crash or a hang
    needs a person's entry. Returns the cases that would need one. `header` is the file's comment.
    """
    groups, unexplained = collections.defaultdict(list), []
    for row in rows:
        case, status = row["case"], row["status"]
        known_status, known_reason = expected(case, listed)
        if known_status in UNSTABLE and status in ALSO[known_status]:
            groups[known_status, known_reason].append(case)
        elif status == "PASS" or status in UNSCORED:
            continue
        elif status == known_status:
            groups[status, known_reason].append(case)
        elif status == refusal:
            groups[status, " ".join(row["message"].split())].append(case)
        else:
            unexplained.append(case)
    lines = [f"# {line}" for line in header]
    for (status, reason), cases in sorted(groups.items()):
        cases = shortened(cases, rows)
        reason = json.dumps(reason, ensure_ascii=False)
        lines += ["", "[[expected]]", f'status = "{status}"', f"reason = {reason}"]
        lines += ["cases = [", *(f'    "{case}",' for case in sorted(cases)), "]"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return unexplained


def shortened(cases, rows):
    """`cases` with all variants of a test written as one where none of them ends otherwise."""
    judged = collections.Counter(
        test_of(row["case"]) for row in rows if row["status"] not in UNSCORED
    )
    mine = collections.Counter(map(test_of, cases))
    whole = {test for test, count in mine.items() if count == judged[test]}
    return {test if (test := test_of(case)) in whole else case for case in cases}
