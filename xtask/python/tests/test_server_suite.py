"""The lists beside the recorded answers, and the comparison with them."""

import pathlib
import re
import unittest

import checks
import expectations
from server_suite import frames, recorded, replay
from server_suite.compared import differences

SEQUENCE = re.compile(r"^def ([a-z]\w*)\(t\):$", re.MULTILINE)


class Lists(unittest.TestCase):
    def test_exceptions_are_recorded_cases(self):
        names = {
            f"{case['group']} {kind} {case['case']}"
            for kind in ("http", "grpc")
            for case in replay.load(f"{kind}.jsonl")
        }
        listed = expectations.read(replay.FOLDER / "exceptions.toml")
        self.assertLessEqual(set(listed), names)

    def test_newer_answers_are_those_that_the_recordings_mark(self):
        marked = {case["case"] for case in replay.load("http.jsonl") if case.get("head")}
        # The suite allows shared memory, for which newer servers need an option.
        self.assertEqual(set(recorded.newer_answers()), marked - {"shm_reg_bad"})

    def test_listed_differences_are_of_sequences(self):
        files = pathlib.Path(differences.__file__).parent.glob("*.py")
        known = {name for file in files for name in SEQUENCE.findall(file.read_text())}
        for entry in differences.Listed().entries:
            self.assertLessEqual({case.split(" ")[1] for case in entry["cases"]}, known)
            self.assertTrue(entry["reason"].strip())


class Differences(unittest.TestCase):
    """`theirs` is replaced by `ours`, and the rest must be equal."""

    def listed(self, kind, **fields):
        listed = differences.Listed()
        listed.entries = [{"kind": kind, "cases": ["a"], "reason": "because", **fields}]
        return listed

    def test_lines_must_be_equal_without_an_entry(self):
        listed = self.listed("newer", theirs="x", ours="y")
        listed.compare("b", ["1"], ["1"])
        for lines in (["2"], ["1", "2"], []):
            with self.assertRaises(AssertionError):
                listed.compare("b", ["1"], lines)

    def test_an_entry_must_be_needed_and_sufficient(self):
        newer = self.listed("newer", theirs="x", ours="y")
        newer.compare("a", ["1 y"], ["1 x"])
        for ours, theirs in ((["1 z"], ["1 x"]), (["1 y"], ["1 y"])):
            with self.assertRaises(AssertionError):
                newer.compare("a", ours, theirs)
        with self.assertRaises(checks.Skip):
            self.listed("differs", theirs="x", ours="y").compare("a", ["1 y"], ["1 x"])

    def test_pending_sequences_must_fail(self):
        pending = self.listed("pending")
        with self.assertRaises(checks.Skip):
            pending.compare("a", ["1"], ["2"])
        with self.assertRaises(AssertionError):
            pending.compare("a", ["1"], ["1"])

    def test_answers_before_a_crash_are_compared(self):
        crashes = self.listed("crashes")
        end = "the server has ended with status -11"
        with self.assertRaises(checks.Skip):
            crashes.compare("a", ["1", "2"], ["1", end])
        for ours, theirs in ((["0", "2"], ["1", end]), (["1"], ["1"]), ([end], [end])):
            with self.assertRaises(AssertionError):
                crashes.compare("a", ours, theirs)


class Comparison(unittest.TestCase):
    def test_bodies_are_compared_as_json_unless_the_case_asks_for_less(self):
        self.assertTrue(replay.same_body('{"a":1,"b":NaN}', '{"b": NaN, "a": 1}', None))
        self.assertFalse(replay.same_body('{"a":1}', '{"a":1.0}', None))
        self.assertFalse(replay.same_body('{"a":1}', None, None))
        self.assertTrue(replay.same_body('{"a":1}', '{"a":2}', "keys"))
        self.assertTrue(replay.same_body("x ['A','B']", "x ['B','A']", "unordered"))
        self.assertFalse(replay.same_body("x ['A','B']", "x ['B']", "unordered"))

    def test_differences_have_words(self):
        want = {"status": 200, "headers": {}, "body": "a"}
        got = {"status": 500, "headers": {}, "body": "b"}
        told = replay.http_diff(want, got, None)
        self.assertEqual(told, ["status 500, not 200", "body b, not a"])
        self.assertEqual(replay.http_diff(want, want, None), [])


class Frames(unittest.TestCase):
    def test_integers_have_the_form_of_rfc_7541(self):
        for value, bits, want in ((10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a")):
            self.assertEqual(frames.number(value, bits, 0).hex(), want)
        self.assertEqual(frames.field("a", b"bc").hex(), "10016102" + b"bc".hex())

    def test_frames_have_the_form_of_rfc_9113(self):
        made = frames.frame("PING", frames.ACK, 0, bytes(8))
        self.assertEqual(made.hex(), "000008060100000000" + 8 * "00")
        self.assertEqual(frames.prefixed(b"ab", flag=1).hex(), "01000000026162")


if __name__ == "__main__":
    unittest.main()
