"""What decides about results of Paddle's functions, with a Paddle that has only the names."""

import importlib
import sys
import types
import unittest
from unittest import mock

import numpy as np

from paddle_suite import kernel_results
from paddle_suite.tally import Tally


def drawn_child():
    """The module, which needs a module `paddle` to be imported."""
    jit = types.SimpleNamespace(not_to_static=lambda function: function)
    nn = types.SimpleNamespace(Layer=object)
    paddle = types.ModuleType("paddle")
    paddle.__dict__.update(jit=jit, nn=nn, Tensor=object, __version__="3.3.1")
    with mock.patch.dict(sys.modules, {"paddle": paddle}):
        return importlib.import_module("paddle_suite.drawn_child")


class Bundles(unittest.TestCase):
    def judged(self, loads):
        """(programs, counts) of two calls, of which the first differs. `loads` says whether Paddle
        runs a program of so many calls."""
        module = drawn_child()
        wants = [[np.array([1.0], np.float32)], [np.array([2.0], np.float32)]]
        got = {"a": np.array([5.0], np.float32), "b": wants[1][0]}
        programs, lines = [], []

        class Judge(module.Judge):
            def export(self, calls):
                programs.append("".join(calls))
                return programs[-1], {}

            def loaded(self, program, named):
                of = {"a": wants[0][0], "b": wants[1][0]}
                return [of[call] for call in program] if loads(len(program)) else ()

            def judged(self, call, got, want, loaded, why):
                return ("WRONG", why) if loaded else ("EXCLUDED", "Paddle does not run it")

        class Engine:
            def run(self, program, sets):
                lines.append("run")
                return "PASS", [[got[call] for call in program]]

        tally = Tally()
        say = lambda **line: lines.append(line["running"])  # noqa: E731
        Judge(Engine(), "", say).judge(["a", "b"], wants, tally)
        self.assertEqual(lines, [True, "run", False] * len(programs))
        return programs, dict(tally.counts)

    def test_paddles_results_on_the_program_decide(self):
        programs, counts = self.judged(lambda calls: True)
        self.assertEqual((programs, counts), (["ab"], {"WRONG": 1, "PASS": 1}))

    def test_each_call_is_judged_alone_if_paddle_does_not_run_the_program_of_all(self):
        programs, counts = self.judged(lambda calls: calls == 1)
        self.assertEqual((programs, counts), (["ab", "a", "b"], {"WRONG": 1, "PASS": 1}))


class Kernels(unittest.TestCase):
    def test_floats_have_the_type_of_the_case(self):
        f64, i64 = np.dtype("f8"), np.dtype("i8")
        self.assertEqual(kernel_results.expected_type(f64, "bf16"), "bfloat16")
        self.assertEqual(kernel_results.expected_type(f64, "i32"), "float64")
        self.assertEqual(kernel_results.expected_type(i64, "f32"), "int64")

    def test_integers_are_equal_and_floats_near(self):
        one = np.array([1, 2])
        self.assertIsNone(kernel_results.difference(one, one, "f32"))
        self.assertIn("1 of 2", kernel_results.difference(np.array([1, 3]), one, "f32"))
        self.assertIsNone(kernel_results.difference(one * 1.0, one * (1 + 1e-9), "f32"))
        self.assertIn("apart", kernel_results.difference(one * 1.0, one * 1.001, "f32"))


if __name__ == "__main__":
    unittest.main()
