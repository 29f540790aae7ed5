"""Processes that write lines of JSON, die, hang, or leave others behind."""

import os
import pathlib
import sys
import tempfile
import time
import unittest

from paddle_suite import lines_of_json

#: The beginning of each process: it begins the case `a`, unless that has a status.
BEGIN = """
import json, os, pathlib, signal, subprocess, sys, time
path = pathlib.Path(sys.argv[1])
done = "status" in path.read_text()
def say(**line):
    with path.open("a") as file:
        print(json.dumps(line), file=file)
if not done:
    say(case="a")
"""
PASS = "say(case='a', status='PASS', message='')\n"
END = "say(end=True)\n"


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def follow(self, text, limit=60):
        """{case: (status, message)} of a process whose own deaths are EXCLUDED."""
        found = lines_of_json.Rows("1.0", lambda case: "group", lambda row: None)
        lines = self.folder / "lines"
        command = [sys.executable, "-c", BEGIN + text, str(lines)]
        log = self.folder / "log"
        rows = lines_of_json.follow(found, command, lines, log, died="EXCLUDED", limit=limit)
        return {row["case"]: row["status"] for row in rows}

    def test_a_process_ends_with_a_last_line(self):
        self.assertEqual(self.follow(PASS + END), {"1.0/a": "PASS"})

    def test_an_exception_is_a_fault_of_the_suite_and_the_rest_is_run(self):
        rest = "say(case='b', status='PASS', message='')\n" + END
        found = self.follow("if not done: raise ValueError\n" + rest)
        self.assertEqual(found, {"1.0/a": "CRASH", "1.0/b": "PASS"})

    def test_a_process_that_ends_before_a_case_begins_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "status 1 before a case began"):
            self.follow("if not done:\n    path.write_text('')\n    sys.exit(1)\n")
        with self.assertRaisesRegex(SystemExit, "before a case began"):
            self.follow("if not done:\n    " + PASS + "sys.exit(1)\n")

    def test_a_signal_excludes_a_case_only_if_the_subject_does_not_run(self):
        kill = "os.kill(os.getpid(), signal.SIGSEGV)\n"
        text = "if not done:\n    say(running={})\n    " + kill + END
        self.assertEqual(self.follow(text.format(False)), {"1.0/a": "EXCLUDED"})
        (self.folder / "lines").unlink()
        self.assertEqual(self.follow(text.format(True)), {"1.0/a": "CRASH"})

    def test_a_hang_excludes_a_case_only_if_the_subject_does_not_run(self):
        text = "if not done:\n    say(running={})\n    time.sleep(600)\n" + END
        self.assertEqual(self.follow(text.format(False), limit=2), {"1.0/a": "EXCLUDED"})
        (self.folder / "lines").unlink()
        self.assertEqual(self.follow(text.format(True), limit=2), {"1.0/a": "TIMEOUT"})

    def test_lines_show_that_a_process_does_not_hang(self):
        text = "for n in range(4):\n    time.sleep(1)\n    say(running=n % 2 == 0)\n" + PASS + END
        self.assertEqual(self.follow(text, limit=3), {"1.0/a": "PASS"})

    def test_what_a_process_started_is_killed_with_it(self):
        child = "child = subprocess.Popen(['sleep', '600'])\n"
        note = f"open({str(self.folder / 'pid')!r}, 'w').write(str(child.pid))\n"
        self.follow(child + note + PASS + END)
        pid = int((self.folder / "pid").read_text())
        for _ in range(50):
            if not is_running(pid):
                return
            time.sleep(0.1)
        self.fail("the process is still there")


def is_running(pid):
    """Whether a process is there, and not only its status."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return os.path.exists(f"/proc/{pid}")


if __name__ == "__main__":
    unittest.main()
