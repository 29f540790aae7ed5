"""How the suite of Metal programs samples upstream's tests, and judges examples."""

import subprocess
import unittest

from msl_suite.__main__ import judged, sample
from triton_suite.outcome import ERR, MISMATCH, PASS, REFUSED


class Sample(unittest.TestCase):
    def test_each_group_has_its_share_and_other_tests_do_not_change_it(self):
        tests = [f"f.py::test_{group}[{i}]" for group in "ab" for i in range(9)] + ["f.py::test_c"]
        chosen = sample(tests, 3)
        self.assertEqual(len(chosen), 7)
        self.assertEqual(sorted(sample(tests[::-1], 3)), sorted(chosen))
        self.assertEqual([test for test in chosen if "_a" in test], sample(tests[:9], 3))
        self.assertLess(set(sample(tests, 2)), set(chosen))


class Examples(unittest.TestCase):
    def test_status(self):
        for status, out, error, wanted in (
            (0, "softmax: ok\n", "", PASS),
            (0, "", "", MISMATCH),
            (1, "", "trident.errors.CompileError: no `dot`\nin f.py", REFUSED),
            (1, "", "x\ntrident.errors.ResourceError: too much", REFUSED),
            (1, "", "trident.errors.AccessError: race: f.py:1", ERR),
            (1, "softmax: ok\n", "wrong", MISMATCH),
        ):
            found = judged(subprocess.CompletedProcess([], status, out, error))
            self.assertEqual(found["status"], wanted, (out, error))


if __name__ == "__main__":
    unittest.main()
