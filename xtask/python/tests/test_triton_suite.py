"""How the Triton suite tells what became of a test, and its tables."""

import io
import pathlib
import tempfile
import time
import unittest

import expectations
from triton_suite import report, slow
from triton_suite.outcome import ASM, ERR, MISMATCH, REFUSED, SLOW, TIMEOUT, reason_of, status_of
from triton_suite.progress import Progress

CompileError = type("CompileError", (Exception,), {"__module__": "trident.errors"})
ResourceError = type("ResourceError", (Exception,), {"__module__": "trident.errors"})
LaunchError = type("LaunchError", (Exception,), {"__module__": "trident.errors"})


def raised(error, cause):
    """`error` as raised from `cause`."""
    try:
        raise error from cause
    except type(error) as caught:
        return caught


def row(case, status, launches=0):
    return {"case": case, "status": status, "message": "", "launches": launches}


class Outcomes(unittest.TestCase):
    def test_status(self):
        for error, statement, status in (
            (CompileError("no op"), "kernel[grid](x)", REFUSED),
            (raised(RuntimeError("stage"), CompileError("no op")), "", REFUSED),
            (ResourceError("too much"), "kernel[grid](x)", REFUSED),
            (LaunchError("no"), "kernel[grid](x)", ERR),
            (AssertionError("1 != 2"), "assert x == 2", MISMATCH),
            (AssertionError("1 != 2"), "np.testing.assert_allclose(a, b)", MISMATCH),
            (AssertionError(), "assert 'x' in kernel.asm['ttir']", ASM),
            (KeyError("ptx"), "kernel.asm['ptx']", ASM),
            (KeyError("Unknown key: 'ttgir'"), "kernel.asm['ttgir']", ASM),
            (KeyError("other"), "", ERR),
            (IndexError("1"), "", ERR),
        ):
            self.assertEqual(status_of(error, statement), status, (error, statement))

    def test_reason_is_one_line_without_paths_and_addresses(self):
        error = raised(
            RuntimeError("outer"), CompileError("/a/b/f.py:1:2:\n  no `x` at 0x7f0012345678")
        )
        self.assertEqual(reason_of(error), "CompileError: f.py:1:2: no `x` at 0x…")


class Tables(unittest.TestCase):
    def test_markdown(self):
        rows = [
            row("test_core.py::test_a[1]", "PASS", 1),
            row("test_core.py::test_a[2]", "REFUSED"),
            row("test_core.py::test_b", "SKIP"),
        ]
        listed = {"test_core.py::test_a[2]": ("REFUSED", "no a|b")}
        versions = {"suite": "0", "triton": "1", "device": "cpu"}
        text = report.markdown(rows, listed, versions)
        for part in (
            "| test_core.py | 1 / 2 | 1 | 1 |",
            "| test_core.py::test_a | 1 / 2 |",
            "| test_core.py::test_b | 0 / 0 |",
            "| REFUSED | no a\\|b | `test_core.py::test_a` | 1 |",
        ):
            self.assertIn(part, text)


SLOW_LIST = """
[[slow]]
vendor = "Someone"
reason = "denormals"
cases = ["test_a.py::test_b[1-2]", "test_a.py::test_c"]
"""


class SlowOnSomeProcessors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "file"

    def listed(self, text, vendor):
        self.path.write_text(text)
        return slow.read(self.path, vendor)

    def test_only_time_outs_of_listed_cases_on_that_vendor_are_excused(self):
        known = self.listed(SLOW_LIST, "Someone")
        for vendor, case, status, wanted in (
            ("Someone", "test_a.py::test_b[1-2]", TIMEOUT, SLOW),
            ("Someone", "test_a.py::test_c[5]", TIMEOUT, SLOW),
            ("Someone", "test_a.py::test_b[1-3]", TIMEOUT, TIMEOUT),
            ("Someone", "test_a.py::test_b[1-2]", MISMATCH, MISMATCH),
            ("Someone", "test_a.py::test_b[1-2]", "PASS", "PASS"),
            ("Another", "test_a.py::test_b[1-2]", TIMEOUT, TIMEOUT),
        ):
            listed = known if vendor == "Someone" else self.listed(SLOW_LIST, vendor)
            found = slow.excused(row(case, status) | {"message": "600 s"}, listed)
            self.assertEqual(found["status"], wanted, (vendor, case, status))
            failed = expectations.judge(found, {})
            self.assertEqual(failed is None, wanted in (SLOW, "PASS"), (vendor, case, status))
        excused = slow.excused(row("test_a.py::test_c", TIMEOUT) | {"message": "600 s"}, known)
        self.assertEqual(excused["message"], "600 s: denormals")

    def test_every_group_has_a_reason(self):
        with self.assertRaises(SystemExit):
            self.listed(SLOW_LIST.replace("denormals", " "), "Someone")

    def test_vendor(self):
        self.path.write_text("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t: 1\n")
        self.assertEqual(slow.vendor(self.path), "GenuineIntel")
        self.path.write_text("processor\t: 0\nCPU implementer\t: 0x41\n")
        self.assertEqual(slow.vendor(self.path), "")
        self.assertEqual(slow.vendor(self.path / "missing"), "")

    def test_slow_tests_are_shown_and_not_scored(self):
        rows = [
            row("test_a.py::test_b[1]", "PASS", 1),
            row("test_a.py::test_b[2]", SLOW) | {"message": "600 s: denormals"},
        ]
        text = report.markdown(rows, {}, {"suite": "0", "triton": "1", "device": "cpu"})
        self.assertIn("| test_a.py | 1 / 1 | 1 | 0 |", text)
        self.assertIn("| SLOW | 600 s: denormals | `test_a.py::test_b` | 1 |", text)

    def test_the_list_of_the_suite_can_be_read(self):
        listed = slow.read(slow.LIST, "GenuineIntel")
        self.assertTrue(listed)
        for case in listed:
            self.assertRegex(case, r"^test_\w+\.py::test_\w+(\[.+\])?$")
        self.assertEqual(slow.read(slow.LIST, "AuthenticAMD"), {})


class Telling(unittest.TestCase):
    def told(self, interval):
        stream = io.StringIO()
        with Progress(stream, interval) as progress:
            progress.start("test_a", 3)
            progress.count(failed=True)
            progress.count(failed=False)
            deadline = time.monotonic() + 10
            while interval < 1 and not stream.getvalue() and time.monotonic() < deadline:
                time.sleep(interval)
        return stream.getvalue()

    def test_lines_come_while_tests_run(self):
        self.assertEqual(set(self.told(0.01).splitlines()), {"test_a: 2 of 3, 1 failed"})

    def test_a_short_run_says_nothing(self):
        self.assertEqual(self.told(60), "")


if __name__ == "__main__":
    unittest.main()
