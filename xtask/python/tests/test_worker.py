"""The worker driver against a worker that answers, refuses, panics, aborts and hangs."""

import os
import pathlib
import sys
import tempfile
import unittest

from worker import CRASH, ERR, OK, TIMEOUT, Worker

FAKE = pathlib.Path(__file__).with_name("fake_worker.py")


class Driver(unittest.TestCase):
    def run_actions(self, *actions, timeout=20):
        with Worker([sys.executable, FAKE]) as worker, tempfile.TemporaryDirectory() as out:
            answers = [worker.run(action, ".", out, timeout) for action in actions]
            self.files = os.listdir(out)
        return answers

    def test_answers(self):
        answers = self.run_actions("ok", "err")
        self.assertEqual(answers, [(OK, ""), (ERR, "load: no such op")])
        self.assertEqual(self.files, ["out_0.pb"])

    def test_several_data_sets_are_one_request(self):
        with Worker([sys.executable, FAKE]) as worker, tempfile.TemporaryDirectory() as folder:
            outs = [pathlib.Path(folder, name) for name in "ab"]
            for out in outs:
                out.mkdir()
            self.assertEqual(worker.run_sets("ok", [(".", out) for out in outs], 20), (OK, ""))
            self.assertEqual([os.listdir(out) for out in outs], [["out_0.pb"]] * 2)

    def test_rows_are_asked_for(self):
        with Worker([sys.executable, FAKE]) as worker:
            self.assertEqual(worker.rows("plain", 20), (OK, ""))
            self.assertEqual(worker.rows("mixing", 20), (ERR, "mixed: softmax `here`"))

    def test_a_caught_panic_is_a_crash(self):
        self.assertEqual(self.run_actions("panic"), [(CRASH, "panic: index out of bounds")])

    def test_restarts_after_a_crash(self):
        (status, message), after = self.run_actions("abort", "ok")
        self.assertEqual(status, CRASH)
        self.assertIn("exit status -6", message)
        self.assertIn("last words", message)
        self.assertEqual(after, (OK, ""))

    def test_a_program_that_ends_at_once_is_a_crash(self):
        with Worker([sys.executable, "-c", "raise SystemExit(3)"]) as worker:
            worker.start()
            worker.process.wait()
            for _ in range(3):
                status, message = worker.run("ok", ".", ".", 20)
                self.assertEqual(status, CRASH)
                self.assertIn("exit status 3", message)

    def test_restarts_after_a_hang(self):
        ((status, _),) = self.run_actions("hang", timeout=0.5)
        self.assertEqual(status, TIMEOUT)

    @unittest.skipUnless(sys.platform == "linux", "reads /proc")
    def test_peak_memory_is_that_of_the_worker(self):
        with Worker([sys.executable, FAKE]) as worker, tempfile.TemporaryDirectory() as out:
            worker.run("ok", ".", out, 20)
            self.assertGreater(worker.peak_memory(), 1 << 20)


if __name__ == "__main__":
    unittest.main()
