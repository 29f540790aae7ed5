"""Checks in a process of their own, whose Python has other clients than the suite's."""

import json
import sys

import checks


def main(*functions):
    """Run checks, functions of the places of HTTP and gRPC, and print a line of JSON for each."""
    for function in functions:
        status, reason, seconds = checks.outcome(lambda function=function: function(*sys.argv[1:]))
        case = checks.title(function)
        row = {"case": case, "status": status, "reason": reason, "seconds": seconds}
        print(json.dumps(row), flush=True)
