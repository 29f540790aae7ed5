"""Rows that a process writes as lines of JSON, and the process started again where it dies.

A line has a case, its status and a message. One without a status is a case that has begun. The
process does not run cases again that have a line with a status.
"""

import json
import subprocess
import time

from .engine import CRASH
from .report import row_of


class Rows:
    """What a process has written so far."""

    def __init__(self, release, group, progress):
        """`group` gives the group of a case."""
        self.release, self.group, self.progress = release, group, progress
        self.read, self.rows, self.begun = 0, {}, None

    def update(self, text):
        """Take in the lines that are new."""
        whole = text[: text.rfind("\n") + 1]
        for line in whole[self.read :].splitlines():
            found = json.loads(line)
            case = found["case"]
            if "status" not in found:
                self.begun = case
                continue
            group = self.group(case)
            row = row_of(f"{self.release}/{case}", group, found["status"], found["message"])
            if case not in self.rows:
                self.progress(row)
            self.rows[case] = row
        self.read = len(whole)


def follow(found, command, lines, log, died=CRASH, limit=900, **options):
    """All rows of a command that appends to the file `lines`. A case that kills the process, or
    takes longer than `limit` seconds, gets the status `died`."""
    lines.touch()
    while True:
        with open(log, "ab") as file:
            process = subprocess.Popen(command, stdout=file, stderr=file, **options)
            size, since = 0, time.monotonic()
            while process.poll() is None:
                time.sleep(0.5)
                text = lines.read_text()
                found.update(text)
                if len(text) > size:
                    size, since = len(text), time.monotonic()
                elif time.monotonic() - since > limit:
                    process.kill()
        found.update(lines.read_text())
        finished = process.returncode in (0, 1, 5)
        if finished or found.begun is None or found.begun in found.rows:
            return list(found.rows.values())
        with lines.open("a") as file:
            message = f"the process ended with the status {process.returncode}"
            row = {"case": found.begun, "status": died, "message": message}
            print(json.dumps(row), file=file)
