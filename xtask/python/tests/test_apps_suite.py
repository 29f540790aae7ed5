"""The comparison of programs' results, and the tables of their figures."""

import contextlib
import io
import unittest

import numpy as np

from apps_suite import apps, report
from apps_suite.__main__ import compare
from apps_suite.samples import speech

BOX = [[1.0, 2.0], [30.0, 2.0], [30.0, 9.0], [1.0, 9.0]]
APPS = {app.name: app for app in apps.APPS}


def row(time=0.5, memory=0.5, **more):
    def figures(scale, bytes_scale):
        seconds = {f"{name}seconds": 4.0 * scale for name in ("", "load_", "work_")}
        return seconds | {f"{name}_bytes": 2**30 * bytes_scale for name in ("peak", "engine")}

    engines = {"onnxruntime": figures(1, 1), "trident": figures(time, memory)}
    return {"app": "magika", "samples": 3, "faults": {}, "engines": engines} | more


def printed(function, *args):
    """What a call returns, and what it prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        result = function(*args)
    return result, text.getvalue()


class Results(unittest.TestCase):
    def test_texts_must_be_equal_and_boxes_near(self):
        reference = {"texts": ["seven"], "boxes": [BOX]}
        near = {"texts": ["seven"], "boxes": [np.add(BOX, 1.0).tolist()]}
        far = {"texts": ["seven"], "boxes": [np.add(BOX, 1.1).tolist()]}
        self.assertIsNone(apps.pictures(near, reference))
        self.assertIn("1.1 pixels", apps.pictures(far, reference))
        self.assertIn("texts", apps.pictures({"texts": ["sever"], "boxes": [BOX]}, reference))
        self.assertIsNone(apps.pictures({"texts": [], "boxes": []}, {"texts": [], "boxes": []}))

    def test_segments_and_types_must_be_equal(self):
        self.assertIsNone(apps.segments([[5, 900]], [[5, 900]]))
        self.assertIn("expected", apps.segments([[5, 901]], [[5, 900]]))
        self.assertIsNone(apps.types({"type": "c"}, {"type": "c"}))
        self.assertIn("expected cpp", apps.types({"type": "c"}, {"type": "cpp"}))

    def test_embeddings_must_point_the_same_way(self):
        reference = [1.0, 0.0, 0.0]
        self.assertIsNone(apps.embeddings([2.0, 0.02, 0.0], reference))
        self.assertIn("cosine", apps.embeddings([1.0, 0.02, 0.0], reference))
        self.assertIn("cosine", apps.embeddings([float("nan"), 0.0, 0.0], reference))

    def test_each_sample_of_the_reference_is_compared(self):
        reference = {"a": [[1, 2]], "b": [[3, 4]], "c": []}
        faults = compare(APPS["silero-vad"], {"a": [[1, 2]], "b": [[3, 5]]}, reference)
        self.assertEqual(sorted(faults), ["b", "c"])
        self.assertEqual(faults["c"], "no result")


class Tables(unittest.TestCase):
    def test_the_bars_are_for_the_sums(self):
        missed, text = printed(report.print_report, [row(), row(time=1.4)], 1.0, 0.8)
        self.assertFalse(missed)
        self.assertIn("time: total ratio 0.95, at most 1.0", text)
        missed, _ = printed(report.print_report, [row(time=1.1)], 1.0, 0.8)
        self.assertTrue(missed)
        missed, text = printed(report.print_report, [row(memory=0.9)], 1.0, 0.8)
        self.assertTrue(missed)
        self.assertIn("| magika | 4.00 → 2.00 (0.50) |", text)

    def test_a_program_without_figures_is_named(self):
        failed = {"app": "magika", "error": "no module", "engines": {}}
        _, text = printed(report.print_row, failed)
        self.assertIn("magika: no module", text)
        missed, _ = printed(report.print_report, [failed], 1.0, 0.8)
        self.assertTrue(missed)


class Samples(unittest.TestCase):
    def test_speech_is_the_same_each_time(self):
        first, second = speech.clip(3), speech.clip(3)
        np.testing.assert_array_equal(first, second)
        self.assertEqual(first.dtype, np.float32)
        self.assertLess(np.abs(first).max(), 1.0)


if __name__ == "__main__":
    unittest.main()
