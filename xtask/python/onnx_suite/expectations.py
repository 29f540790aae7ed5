"""Lists of cases that a device is known not to pass, with the reason of each.

    [[expected]]
    status = "ERR"
    reason = "Gradient is not implemented"
    cases = ["node/test_gradient_of_add"]

A case that is not listed must pass; a listed one must end with the listed status.
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


def judge(row, listed):
    """Why `row` is not what `listed` expects, or None."""
    expected, _ = listed.get(row["case"], ("PASS", ""))
    if row["status"] in (expected, "EXCLUDED"):
        return None
    if row["status"] == "PASS":
        return f"passes, but is listed as {expected}"
    return f"{row['status']}, expected {expected}: {row['message']}"


def rewrite(path, rows, listed):
    """List the refusals among `rows`, keeping the reasons already written.

    Only ERR is ever added by itself: a wrong result, a crash or a hang needs a person's entry.
    Returns the cases that would need one.
    """
    groups, unexplained = collections.defaultdict(list), []
    for row in rows:
        case, status = row["case"], row["status"]
        known_status, known_reason = listed.get(case, (None, None))
        if status in ("PASS", "EXCLUDED"):
            continue
        if status == known_status:
            groups[status, known_reason].append(case)
        elif status == "ERR":
            groups[status, " ".join(row["message"].split())].append(case)
        else:
            unexplained.append(case)
    lines = [
        "# Cases of the ONNX backend suite that the device does not pass, and why. Every other",
        "# case must pass. `cargo xtask conformance onnx --bless` adds refusals (ERR) and drops",
        "# what passes; a wrong result (MISMATCH) is never added by itself.",
    ]
    for (status, reason), cases in sorted(groups.items()):
        reason = json.dumps(reason, ensure_ascii=False)
        lines += ["", "[[expected]]", f'status = "{status}"', f"reason = {reason}"]
        lines += ["cases = [", *(f'    "{case}",' for case in sorted(cases)), "]"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return unexplained
