"""Distances, texts and models of the Paddle suites, without Paddle."""

import unittest

import numpy as np

from paddle_suite import arrays, ocr, trained


class Distance(unittest.TestCase):
    def test_it_is_relative_to_the_largest_magnitude(self):
        want = np.array([1.0, -4.0], np.float32)
        self.assertEqual(arrays.distance(want, want), 0)
        self.assertAlmostEqual(arrays.distance(want + [0, 0.4], want), 0.1, 6)

    def test_other_shapes_integers_and_places_of_nan_are_infinitely_far(self):
        far = float("inf")
        self.assertEqual(arrays.distance(np.ones(2), np.ones((2, 1))), far)
        self.assertEqual(arrays.distance(np.array([1, 2]), np.array([1, 3])), far)
        nan = np.array([1.0, np.nan])
        self.assertEqual(arrays.distance(nan, nan), 0)
        self.assertEqual(arrays.distance(nan[::-1], nan), far)
        self.assertEqual(arrays.distance(np.array([np.inf]), np.array([-np.inf])), far)

    def test_results_of_other_number_or_type_cannot_be_compared(self):
        one = np.ones(2, np.float32)
        self.assertIn("expected 2", arrays.compared([one], [one, one])[1])
        self.assertIn("expected float32", arrays.compared([one.astype(np.float64)], [one])[1])


class Vacuous(unittest.TestCase):
    def test_results_that_ignore_their_input_say_nothing(self):
        first, second = np.ones(3, np.float32), np.full(3, 2, np.float32)
        self.assertIsNone(arrays.vacuous([first], [second]))
        self.assertIn("depends", arrays.vacuous([first], [first]))
        self.assertIn("finite", arrays.vacuous([first * np.nan], [second]))


class Names(unittest.TestCase):
    def test_names_stand_for_the_order_if_the_model_has_others(self):
        given = {"a": 1, "b": 2}
        self.assertEqual(arrays.by_names(given, ["b"]), {"b": 2})
        self.assertEqual(arrays.by_names(given, ["x", "y"]), {"x": 1, "y": 2})
        with self.assertRaises(ValueError):
            arrays.by_names(given, ["x"])


class Trained(unittest.TestCase):
    def test_each_model_has_three_data_sets_and_measures_one_of_them(self):
        listed = trained.listed()
        self.assertEqual(len(listed), 10)
        for entry in listed:
            self.assertEqual(len(entry["sets"]), 3)
            self.assertIn(entry["bench"], range(3))


class Texts(unittest.TestCase):
    def judged(self, ours, theirs, paddle=False):
        ours = {"texts": {"page": ours}, "paddle": paddle}
        return ocr.judged("page", ours, {"texts": {"page": theirs}})[0]

    def test_they_must_be_the_same_letter_for_letter(self):
        self.assertEqual(self.judged(["total 12"], ["total 12"]), "PASS")
        self.assertEqual(self.judged(["total l2"], ["total 12"]), "WRONG")
        self.assertEqual(self.judged(["total 12", ""], ["total 12"]), "WRONG")

    def test_a_picture_counts_only_if_there_is_something_to_read(self):
        self.assertEqual(self.judged(["x"], []), "SKIP")
        self.assertEqual(self.judged([], [""]), "SKIP")

    def test_paddle_must_not_be_imported(self):
        self.assertEqual(self.judged(["total"], ["total"], paddle=True), "WRONG")
