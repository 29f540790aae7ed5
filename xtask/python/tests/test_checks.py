"""The base of suites of checks, and how the suite of edges reads refusals."""

import contextlib
import io
import types
import unittest

import checks
from edge_suite.suite import Refused


def outcomes(function, pattern=None):
    """{case: (status, reason)} of a group."""
    suite = checks.Checks(types.SimpleNamespace(filter=pattern, verbose=False))
    with contextlib.redirect_stdout(io.StringIO()):
        suite.run("group", function)
    return {row["case"]: (row["status"], row["reason"]) for row in suite.rows}


def three(suite):
    def fail():
        raise AssertionError("1 is\nnot 2")

    def skip():
        raise checks.Skip("no reference")

    suite.check("good", lambda: None)
    suite.check("bad", fail)
    suite.check("skipped", skip)


class Outcomes(unittest.TestCase):
    def test_a_check_passes_if_it_returns(self):
        self.assertEqual(
            outcomes(three),
            {
                "good": ("PASS", ""),
                "bad": ("FAIL", "1 is not 2"),
                "skipped": ("SKIP", "no reference"),
            },
        )
        self.assertEqual(list(outcomes(three, "group/b")), ["bad"])

    def test_what_ends_a_group_early_is_an_outcome(self):
        def skip(_):
            raise checks.Skip("no package")

        self.assertEqual(outcomes(skip), {checks.WHOLE: ("SKIP", "no package")})
        ((case, (status, reason)),) = outcomes(lambda _: 1 // 0).items()
        self.assertEqual((case, status), ("start", "FAIL"))
        self.assertIn("ZeroDivisionError", reason)


class Refusals(unittest.TestCase):
    def test_stages(self):
        self.assertEqual(Refused("load: `model.onnx`: no graph").stage, "load")
        self.assertEqual(Refused("plan: no device").stage, "plan")
        self.assertEqual(Refused("Fail: [ONNXRuntimeError] : 1 : FAIL").stage, "run")


if __name__ == "__main__":
    unittest.main()
