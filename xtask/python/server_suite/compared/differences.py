"""The list of differences, conformance/server/compared.toml.

    [[newer]]                # newer servers answer as this one: the sequence passes
    reason = "…"
    cases = ["main wrong_path"]
    theirs = "Model version not ready"
    ours = "Request for unknown model"

`differs` in place of `newer` is a difference that stays: the sequence counts as skipped. In each
line of the other server's answers, or in those of the numbers `lines`, `theirs` becomes `ours`;
then all lines must be equal. `pending`
has only a reason and cases: this server lacks a feature, and the sequence must fail.
`crashes` likewise: the other server ends or hangs, and only answers before that are compared. With
`sometimes`, it does not each time.
"""

import tomllib

from checks import Skip

from .. import replay

FATAL = (
    "the server has ended",
    "TimeoutError",
    "RemoteDisconnected",
    "ConnectionResetError",
    "Socket closed",
)
KINDS = ("newer", "differs", "pending", "crashes")


class Listed:
    """The listed differences, and those that were needed so far."""

    def __init__(self):
        table = tomllib.loads((replay.FOLDER / "compared.toml").read_text())
        self.entries = [
            {"kind": kind, "used": set(), **entry}
            for kind in KINDS
            for entry in table.get(kind, ())
        ]

    def of(self, case, kind):
        return [entry for entry in self.entries if entry["kind"] == kind and case in entry["cases"]]

    def compare(self, case, ours, theirs):
        """Raise what is neither equal nor listed."""
        crashes, pending = self.of(case, "crashes"), self.of(case, "pending")
        if crashes and crashes[0].get("sometimes") and not any(map(fatal, theirs)):
            crashes = []
        if crashes:
            ours, theirs = until_crash(ours, theirs)
        texts = self.replaced(case, theirs)
        told = first_difference(ours, texts)
        if pending:
            assert told, "passes, so compared.toml must not list it as pending"
            raise Skip(f"pending: {pending[0]['reason']}")
        assert not told, told
        if crashes:
            raise Skip(f"2.51 ends: {crashes[0]['reason']}")
        stays = self.of(case, "differs")
        if stays:
            reasons = dict.fromkeys(entry["reason"] for entry in stays)
            raise Skip(f"known to differ: {'; '.join(reasons)}")

    def replaced(self, case, theirs):
        """The other server's lines, as they are expected of this one."""
        for kind in ("newer", "differs"):
            for entry in self.of(case, kind):
                found = [
                    line.replace(entry["theirs"], entry["ours"])
                    if number in entry.get("lines", [number])
                    else line
                    for number, line in enumerate(theirs, 1)
                ]
                assert found != theirs, f"2.51 does not answer {entry['theirs']!r}, as is listed"
                theirs = found
        return theirs


def until_crash(ours, theirs):
    """The lines before the crash of the other server; this one must not have crashed."""
    assert not any("the server has ended" in line for line in ours), ours[-1]
    ends = [k for k, line in enumerate(theirs) if fatal(line)]
    assert ends, "2.51 does not end, so compared.toml must not list it as a crash"
    return ours[: ends[0]], theirs[: ends[0]]


def fatal(line):
    """Whether a line tells of a server that has ended or does not answer."""
    return any(word in line for word in FATAL)


def first_difference(ours, theirs):
    """The first pair of lines that differ, in words; None if all are equal."""
    for number, (one, other) in enumerate(zip(ours, theirs), 1):
        if one != other:
            return f"line {number}: {around(one, other)}, not {around(other, one)}"
    if len(ours) != len(theirs):
        longer = max(ours, theirs, key=len)
        return f"{len(ours)} lines, not {len(theirs)}: {longer[min(len(ours), len(theirs))][:160]}"
    return None


def around(text, other):
    """The part of a text where it begins to differ from another."""
    same = next((k for k, pair in enumerate(zip(text, other)) if pair[0] != pair[1]), len(other))
    start = max(0, min(same, len(text)) - 40)
    return f"{'…' if start else ''}{text[start : start + 150]}"
