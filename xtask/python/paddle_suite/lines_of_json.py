"""Rows that a process writes as lines of JSON, and the process started again where it dies.

A line has a case, its status and a message. One without a status is a case that has begun. Lines
with `running` say whether the subject runs, and the last line is `{"end": true}`: a process that
ends without it has died. It does not run cases again that have a line with a status.
"""

import contextlib
import json
import os
import signal
import subprocess
import time

from .engine import CRASH, TIMEOUT
from .report import row_of


class Rows:
    """What a process has written so far."""

    def __init__(self, release, group, progress):
        """`group` gives the group of a case."""
        self.release, self.group, self.progress = release, group, progress
        self.read, self.rows, self.begun = 0, {}, None
        self.running, self.ended = False, False

    def update(self, text):
        """Take in the lines that are new."""
        whole = text[: text.rfind("\n") + 1]
        for line in whole[self.read :].splitlines():
            self.take(json.loads(line))
        self.read = len(whole)

    def take(self, found):
        """Take in a line."""
        self.running = found.get("running", self.running)
        self.ended = found.get("end", self.ended)
        case = found.get("case")
        if case is None:
            return
        if "status" not in found:
            self.begun = case
            return
        row = row_of(f"{self.release}/{case}", self.group(case), found["status"], found["message"])
        if case not in self.rows:
            self.progress(row)
        self.rows[case] = row

    def begin(self):
        """A process starts."""
        self.running, self.begun = False, None

    def death(self, status, late, died):
        """The status of the case that was running. Signals and hangs are those of the subject while
        it runs; an exception of Python is a fault of the suite."""
        if self.running:
            return TIMEOUT if late else CRASH
        return died if status < 0 else CRASH


@contextlib.contextmanager
def started(command, **options):
    """A process in a group of its own. The group is killed at the end, with all that it started."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def follow(found, command, lines, log, died=CRASH, limit=900, **options):
    """All rows of a command that appends to the file `lines`. A case that kills the process, or
    for which it writes no line for `limit` seconds, gets the status `died`, unless the subject
    was running."""
    lines.touch()
    while True:
        found.begin()
        before, late = len(found.rows), False
        with open(log, "ab") as file, started(command, stdout=file, stderr=file, **options) as run:
            size, since = 0, time.monotonic()
            while run.poll() is None and not late:
                time.sleep(0.5)
                text = lines.read_text()
                found.update(text)
                if len(text) > size:
                    size, since = len(text), time.monotonic()
                late = time.monotonic() - since > limit
        found.update(lines.read_text())
        if found.ended:
            return list(found.rows.values())
        message = f"the process ended with the status {run.returncode}"
        if found.begun is None or (found.begun in found.rows and len(found.rows) == before):
            raise SystemExit(f"{found.release}: {message} before a case began, see {log}")
        if found.begun in found.rows:
            continue
        message = f"no line in {limit} s" if late else message
        status = found.death(run.returncode, late, died)
        with lines.open("a") as file:
            print(
                json.dumps({"case": found.begun, "status": status, "message": message}), file=file
            )
        found.update(lines.read_text())
