"""How the Triton suite tells what became of a test, and its tables."""

import unittest

from triton_suite import report
from triton_suite.outcome import ASM, ERR, MISMATCH, REFUSED, reason_of, status_of

CompileError = type("CompileError", (Exception,), {"__module__": "trident.errors"})
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


if __name__ == "__main__":
    unittest.main()
