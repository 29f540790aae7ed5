"""How the suite of ONNX Runtime's tests tells what became of a test."""

import pathlib
import tempfile
import unittest

from ort_suite import __main__ as suite
from ort_suite import child, report
from ort_suite.outcome import (
    ASSERT,
    CRASH,
    ERR,
    EXCLUDED,
    MISMATCH,
    PASS,
    REFUSED,
    SKIP,
    TIMEOUT,
    reason_of,
    status_of,
)


def row(case, status, message=""):
    return {"case": case, "status": status, "message": message, "seconds": 0.0}


class Outcomes(unittest.TestCase):
    def test_status(self):
        unknown = "operator `QGemm` of `com.microsoft` version 1 is unknown (…)"
        for error, status in (
            (AssertionError("\nNot equal to tolerance rtol=0.01, atol=0\nMismatched …"), MISMATCH),
            (AssertionError("0.5 != 0.25"), MISMATCH),
            (AssertionError("0.5 != np.float32(0.25)"), MISMATCH),
            (AssertionError("'a' not found in 'b'"), ASSERT),
            (AssertionError("RuntimeError not raised"), ASSERT),
            (NotImplementedError("SparseTensor"), REFUSED),
            (RuntimeError(f"cannot load `m.onnx`: QGemm `y`: {unknown}"), REFUSED),
            (ValueError("3"), ERR),
        ):
            self.assertEqual(status_of(error), status, error)

    def test_reasons_are_the_same_on_every_machine(self):
        error = RuntimeError("cannot load `/tmp/tmpab12cd34/m.onnx`: no\n `x` at 0x7f0012345678")
        self.assertEqual(reason_of(error), "RuntimeError: no `x` at 0x…")


class Judging(unittest.TestCase):
    def test_only_what_passes_on_onnx_runtime_is_judged(self):
        theirs = [row("f.py::a", PASS), row("f.py::b", ERR), row("f.py::c", SKIP)]
        ours = [row("f.py::a", ERR), row("f.py::b", PASS), row("f.py::c", PASS)]
        found = [r["status"] for r in suite.judged(theirs, ours)]
        self.assertEqual(found, [ERR, EXCLUDED, SKIP])

    def test_a_skip_that_is_ours_alone_is_a_failure(self):
        (found,) = suite.judged([row("f.py::a", PASS)], [row("f.py::a", SKIP, "no provider")])
        self.assertEqual((found["status"], found["message"]), (ERR, "skipped: no provider"))

    def test_a_file_that_is_not_collected_fails_all_its_tests(self):
        theirs = [row("f.py::a", PASS), row("f.py::b", PASS)]
        found = suite.judged(theirs, [row("f.py", ERR, "cannot be collected: X")])
        self.assertEqual({r["message"] for r in found}, {"cannot be collected: X"})

    def test_shares(self):
        rows = [row("f.py::a", PASS), row("f.py::b", ERR), row("f.py::c", EXCLUDED)]
        self.assertEqual(report.shares(rows), [("python", 1, 2)])


TESTS = """
import os, time
def test_passes(): pass
def test_ends_the_process(): os._exit(3)
def test_after(): pass
def test_hangs(): time.sleep(60)
def test_last(): pass
"""


def has_pytest():
    try:
        import pytest  # noqa: F401
    except ImportError:
        return False
    return True


@unittest.skipUnless(has_pytest(), "needs pytest")
class Children(unittest.TestCase):
    def test_a_crash_or_a_hang_costs_one_test(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_it.py").write_text(TESTS)
            rows = child.run_file(pathlib.Path(folder), "test_it.py", "onnxruntime", 5)
        found = {row["case"].partition("::")[2]: row["status"] for row in rows}
        wanted = {
            "test_passes": PASS,
            "test_ends_the_process": CRASH,
            "test_after": PASS,
            "test_hangs": TIMEOUT,
            "test_last": PASS,
        }
        self.assertEqual(found, wanted)

    def test_a_file_that_does_not_import_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_it.py").write_text("import no_such_module_of_ours")
            (found,) = child.run_file(pathlib.Path(folder), "test_it.py", "onnxruntime", 5)
        self.assertEqual(found["status"], ERR)
        self.assertIn("no_such_module_of_ours", found["message"])


if __name__ == "__main__":
    unittest.main()
