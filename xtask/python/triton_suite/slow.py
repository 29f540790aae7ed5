"""Tests that processors of some vendor do not end within the time limit, as data with reasons.

    [[slow]]
    vendor = "GenuineIntel"
    reason = "arithmetic on denormals is some 120 × slower"
    cases = ["test_a.py::test_b[1]"]

On such a processor a listed test that runs out of time ends as SLOW, which is not a failure. A
test that ends in time is judged as anywhere. The entry does not affect other processors.
"""

import pathlib
import tomllib

import expectations

from .outcome import SLOW, TIMEOUT

LIST = pathlib.Path(__file__).resolve().parents[3] / "conformance/triton-slow.toml"


def vendor(cpuinfo="/proc/cpuinfo"):
    """The vendor as an x86 processor names itself; empty where the system does not tell."""
    try:
        with open(cpuinfo) as file:
            lines = (line.partition(":") for line in file)
            return next((value.strip() for key, _, value in lines if "vendor_id" in key), "")
    except OSError:
        return ""


def read(path, vendor):
    """{case: reason} for processors of this vendor."""
    with path.open("rb") as file:
        groups = tomllib.load(file)["slow"]
    for group in groups:
        if not group["reason"].strip():
            raise SystemExit(f"{path}: a group without a reason")
    mine = [group for group in groups if group["vendor"] == vendor]
    return {case: group["reason"] for group in mine for case in group["cases"]}


def reason_of(case, slow):
    """Why the case is listed, itself or with all variants; None if it is not."""
    return slow.get(case) or slow.get(expectations.test_of(case))


def excused(row, slow):
    """The row, as SLOW with the reason if it ran out of time and is listed."""
    reason = reason_of(row["case"], slow)
    if row["status"] != TIMEOUT or not reason:
        return row
    return row | {"status": SLOW, "message": f"{row['message']}: {reason}"}
