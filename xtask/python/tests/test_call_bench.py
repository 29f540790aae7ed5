"""The bars and tables of calls from Python."""

import unittest

from call_bench import report


def figures(model, engine=1e-6, peer=10e-6, one=10):
    ways = {"engine": engine, "model(x)": model, "session.run": 2 * model, "onnxruntime": peer}
    return {
        "subject": "Neg",
        "calls": {
            name: {"median": seconds, "least": seconds / 2}
            | ({"of_peer": seconds / peer} if peer else {})
            for name, seconds in ways.items()
            if seconds is not None
        },
        "thread_count": 8,
        "threads": [{"subject": "Neg", "way": "model(x)", "one": one, "each": 10}],
    }


class Bars(unittest.TestCase):
    def met(self, found):
        return [met for *_, met in report.bars(found)]

    def test_calls_are_held_against_engine_and_peer(self):
        self.assertEqual(self.met(figures(4e-6)), [True, True, True, True])
        self.assertEqual(self.met(figures(5e-6)), [True, True, False, True])
        self.assertEqual(self.met(figures(7e-6, peer=100e-6)), [False, True, True, True])
        self.assertEqual(self.met(figures(4e-6, one=8.9)), [True, True, True, False])

    def test_bars_beside_a_peer_that_is_missing_are_left_out(self):
        self.assertEqual(self.met(figures(9e-6, peer=None)), [False, True])
        lines = list(report.call_lines(figures(9e-6, peer=None)))
        self.assertIn("| model(x) | 9.00 | 4.50 | – |", lines)

    def test_tables_give_microseconds_and_calls_per_second(self):
        self.assertIn("| model(x) | 4.00 | 2.00 | 0.40 |", list(report.call_lines(figures(4e-6))))
        self.assertIn(
            "| Neg | model(x) | 9 | 10 | 0.90 |", list(report.thread_lines(figures(1, one=9)))
        )
        self.assertIn("**missed**", "\n".join(report.bar_lines(figures(1))))


if __name__ == "__main__":
    unittest.main()
