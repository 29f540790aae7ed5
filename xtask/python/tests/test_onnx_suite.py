"""The suite's comparison, its list of known failures, and its tables."""

import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy as np

import expectations
from onnx_suite import report
from onnx_suite.__main__ import REFUSAL, list_name
from onnx_suite.cases import compare, compare_types

TOLERANCE = {"rtol": 1e-3, "atol": 1e-7}


def row(case, status, message="", opset=1, ops=("Add",)):
    return {"case": case, "status": status, "message": message, "opset": opset, "ops": list(ops)}


class Refusals(unittest.TestCase):
    def test_equal_reasons_are_one_group(self):
        for node in ["`x1` (a: f32[2, N])", "`x (2)` (a: f32[3], b: absent)", "(a: sequence)"]:
            message = f"plan: no device can run matmul {node}: tiny: only (adds): no products"
            self.assertEqual(REFUSAL.sub(r"\1: ", message), "matmul: only (adds): no products")
        self.assertEqual(REFUSAL.sub(r"\1: ", "load: no such op"), "load: no such op")


class Comparison(unittest.TestCase):
    def differs(self, want, got):
        with self.assertRaises((AssertionError, AttributeError, TypeError)):
            compare([want], [got], TOLERANCE)

    def same(self, want, got):
        compare([want], [got], TOLERANCE)

    def test_values_within_tolerance(self):
        one = np.float32([1, np.nan, np.inf])
        self.same(one, one * np.float32(1.0005))
        self.differs(one, one * np.float32(1.01))
        self.differs(one, np.float32([1, 1, np.inf]))

    def test_shape_and_dtype_are_exact(self):
        self.differs(np.float32(1), np.float32([1]))
        self.differs(np.zeros((0, 2), np.float32), np.zeros((0, 3), np.float32))
        self.differs(np.float32([1]), np.float64([1]))
        self.differs(np.int64([1]), np.int32([1]))

    def test_bfloat16_has_a_wider_tolerance(self):
        want = np.array([1.0], ml_dtypes.bfloat16)
        self.same(want, np.array([1.0078125], ml_dtypes.bfloat16))
        self.differs(want, np.array([1.0625], ml_dtypes.bfloat16))

    def test_strings(self):
        self.same(np.array(["a"], object), np.array(["a"], object))
        self.differs(np.array(["a"], object), np.array(["b"], object))

    def test_sequences_and_optionals(self):
        self.same([np.float32(1), np.float32([2])], [np.float32(1), np.float32([2])])
        self.differs([np.float32(1)], [np.float32(1), np.float32(1)])
        self.differs([np.float32(1)], np.float32([1]))
        self.differs(np.float32([1]), [np.float32(1)])
        self.same(None, None)
        self.differs(None, np.float32(1))

    def test_number_of_outputs(self):
        with self.assertRaises(AssertionError):
            compare([np.float32(1)], [], TOLERANCE)

    def test_types_only(self):
        compare_types([np.float32([1])], [np.float32([9])])
        with self.assertRaises(AssertionError):
            compare_types([np.float32([1])], [np.float64([1])])


class KnownFailures(unittest.TestCase):
    def write(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "list.toml"
        path.write_text(text)
        return path

    def test_judgement(self):
        listed = {"node/a": ("ERR", "no such op")}
        self.assertIsNone(expectations.judge(row("node/a", "ERR"), listed))
        self.assertIsNone(expectations.judge(row("node/b", "PASS"), listed))
        self.assertIsNone(expectations.judge(row("node/b", "EXCLUDED"), listed))
        slow = {"node/a": ("TIMEOUT", "long")}
        self.assertIsNone(expectations.judge(row("node/a", "PASS"), slow))
        self.assertIsNotNone(expectations.judge(row("node/a", "MISMATCH"), slow))
        rounding = {"node/a": ("ROUNDING", "sums cancel")}
        for status in ("PASS", "MISMATCH"):
            self.assertIsNone(expectations.judge(row("node/a", status), rounding))
        self.assertIsNotNone(expectations.judge(row("node/a", "ERR"), rounding))
        for case, status in (("a", "PASS"), ("a", "MISMATCH"), ("b", "ERR"), ("b", "CRASH")):
            self.assertIsNotNone(expectations.judge(row(f"node/{case}", status), listed))

    def test_devices_with_the_same_kernels_share_a_list(self):
        for device in ("cpu", "queued", "queued,cpu"):
            self.assertEqual(list_name(device), "cpu")
        self.assertEqual(list_name("metal"), "metal")
        self.assertEqual(list_name("queued,metal"), "cpu+metal")

    def test_rewriting_keeps_what_depends_on_the_machine(self):
        path = self.write(
            '[[expected]]\nstatus = "ROUNDING"\nreason = "sums"\ncases = ["node/a", "node/b"]\n'
        )
        rows = [row("node/a", "PASS"), row("node/b", "MISMATCH")]
        self.assertEqual(
            expectations.rewrite(path, rows, expectations.read(path), "ERR", ["x"]), []
        )
        self.assertEqual(set(expectations.read(path)), {"node/a", "node/b"})

    def test_rewriting_keeps_reasons_and_drops_what_passes(self):
        path = self.write(
            '[[expected]]\nstatus = "ERR"\nreason = "why"\ncases = ["node/a", "node/b"]\n'
            '[[expected]]\nstatus = "MISMATCH"\nreason = "rounding"\ncases = ["node/c"]\n'
        )
        rows = [
            row("node/a", "ERR", "other words"),
            row("node/b", "PASS"),
            row("node/c", "MISMATCH"),
            row("node/d", "ERR", 'quoted "op" \\ here'),
            row("node/e", "MISMATCH"),
        ]
        unexplained = expectations.rewrite(path, rows, expectations.read(path), "ERR", ["x"])
        self.assertEqual(unexplained, ["node/e"])
        self.assertEqual(
            expectations.read(path),
            {
                "node/a": ("ERR", "why"),
                "node/c": ("MISMATCH", "rounding"),
                "node/d": ("ERR", 'quoted "op" \\ here'),
            },
        )

    def test_a_name_without_variant_stands_for_all(self):
        path = self.write("")
        rows = [row(f"f.py::{name}", status, "no") for name, status in (
            ("all[a]", "ERR"), ("all[b]", "ERR"), ("all[c]", "SKIP"),
            ("some[a]", "ERR"), ("some[b]", "PASS"),
        )]  # fmt: skip
        expectations.rewrite(path, rows, {}, "ERR", ["x"])
        listed = expectations.read(path)
        self.assertEqual(sorted(listed), ["f.py::all", "f.py::some[a]"])
        self.assertTrue(all(expectations.judge(one, listed) is None for one in rows))
        self.assertIsNotNone(expectations.judge(row("f.py::all[a]", "PASS"), listed))

    def test_a_reason_is_required_and_a_case_is_listed_once(self):
        group = '[[expected]]\nstatus = "ERR"\nreason = "{}"\ncases = ["node/a"]\n'
        for text in (group.format(" "), group.format("x") + group.format("y")):
            with self.assertRaises(SystemExit):
                expectations.read(self.write(text))


class Tables(unittest.TestCase):
    def test_excluded_cases_are_not_scored(self):
        rows = [row("node/a", "PASS"), row("node/b", "ERR"), row("node/c", "EXCLUDED")]
        self.assertEqual(report.ratio(rows), "1 / 2")

    def test_markdown_names_every_op_and_reason(self):
        rows = [row("node/a", "PASS", ops=("Add", "Mul")), row("node/b", "ERR", "x", 28, ("Foo",))]
        listed = {"node/b": ("ERR", "no a|b")}
        text = report.full_markdown(rows, listed, {"onnx": "1", "device": "cpu"})
        for part in ("| Add | 1 / 1 |", "| Mul | 1 / 1 |", "| Foo | 0 / 1 |", "no a\\|b"):
            self.assertIn(part, text)
        self.assertEqual(text.count("| Foo |"), 1)
        even = report.full_markdown(rows[:1], {}, {"onnx": "1", "device": "cpu"})
        self.assertIn("| Add | 1 / 1 | | Mul | 1 / 1 |", even)
        self.assertEqual(even.count("| Mul |"), 1)
        compact = report.compact_markdown(rows)
        self.assertIn("| node | 1 / 2 |", compact)
        self.assertNotIn("opset", compact)


if __name__ == "__main__":
    unittest.main()
