"""Ratios of the Paddle benchmark are what they say, and its pages are of many sizes."""

import unittest

from paddle_bench import ONNXRUNTIME, PADDLE, TRIDENT, pages, report


def figure(median, load):
    return {"failed": {}, "way": "", "median_ms": median, "least_ms": median, "load_ms": load}


def row(model, ours, paddle, onnx):
    engines = {TRIDENT: figure(ours, 10.0), PADDLE: paddle, ONNXRUNTIME: onnx}
    return {"model": model, "threads": 1, "dims": {}, "engines": engines}


NONE = {"failed": {"plain": "no op `x`"}, "error": "no op `x`"}
ROWS = [
    row("a", 10.0, figure(20.0, 50.0), figure(10.0, 5.0)),
    row("b", 20.0, figure(10.0, 200.0), figure(5.0, 5.0)),
    row("c", 10.0, NONE, figure(10.0, 5.0)),
]


class Report(unittest.TestCase):
    def bars(self, resident):
        figures = {"rows": ROWS, "pages": [{"resident": size} for size in resident]}
        return {what: (value, met) for what, value, _, met in report.bars(figures)}

    def test_ratios_are_ours_over_theirs_and_leave_out_missing_figures(self):
        self.assertEqual(report.ratios(ROWS, PADDLE), [0.5, 2.0])
        self.assertEqual(report.ratios(ROWS, ONNXRUNTIME), [1.0, 4.0, 1.0])
        self.assertEqual(report.ratios(ROWS, PADDLE, "load_ms"), [0.2, 0.05])

    def test_bars_are_met_or_missed(self):
        flat = self.bars([100] * 60)
        self.assertEqual(flat["time ÷ paddle, geometric mean of 2"], ("1.00", False))
        self.assertEqual(flat["time ÷ paddle, largest"], ("2.00", False))
        self.assertEqual(flat["loading ÷ paddle, geometric mean"], ("0.10", True))
        self.assertEqual(flat["rows without a figure of paddle"], ("1", False))
        self.assertEqual(flat["rows without a figure of trident"], ("0", True))
        self.assertEqual(flat["memory after 50 page sizes ÷ before"], ("1.000", True))
        grown = self.bars([100] * 59 + [103])
        self.assertEqual(grown["memory after 50 page sizes ÷ before"], ("1.030", False))

    def test_the_table_shows_engines_without_a_figure(self):
        lines = list(report.table(ROWS))
        self.assertEqual(len({line.count("|") for line in lines}), 1)
        self.assertIn("| c | 1 | 10.0 | – | – | 10.0 |", lines[-1])
        told = list(report.failures(ROWS))
        self.assertIn("c on paddle plain: no op `x`", told)
        self.assertIn("c, 1 threads: no figure of paddle: no op `x`", told)


class Pages(unittest.TestCase):
    def test_sizes_differ_and_the_largest_is_early(self):
        found = pages.sizes()
        self.assertEqual(found, pages.sizes())
        self.assertEqual(len({tuple(dims) for dims in found}), pages.COUNT)
        self.assertTrue(all(size % 32 == 0 for dims in found for size in dims[2:]))
        areas = [dims[2] * dims[3] for dims in found]
        self.assertLess(areas.index(max(areas)), pages.SETTLED)
