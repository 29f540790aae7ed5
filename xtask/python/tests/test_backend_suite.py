"""Tensors on the wire, comparison with recordings, and what the benchmark computes."""

import os
import subprocess
import sys
import time
import unittest

import ml_dtypes
import numpy as np

import checks
from backend_bench import report as bench
from backend_suite import golden, server, tensors


class Wire(unittest.TestCase):
    def test_every_type_survives(self):
        for name, dtype in tensors.NUMPY.items():
            array = np.arange(6).reshape(2, 3).astype(dtype)
            if name == tensors.BYTES:
                array = np.array([[b"", b"a\0", "ü".encode()]], object)
            data = tensors.encode(array)
            self.assertIsNone(tensors.difference(array, tensors.decode(name, array.shape, data)))

    def test_texts_have_their_length_in_front(self):
        self.assertEqual(tensors.encode(np.array([b"ab", ""], object)), b"\2\0\0\0ab\0\0\0\0")
        for data in (b"\3\0\0\0ab", b"\1\0\0\0ab\0"):
            with self.assertRaises(ValueError):
                tensors.decode(tensors.BYTES, [1], data)

    def test_differences_are_of_bits(self):
        self.assertIsNone(tensors.difference(np.float32([np.nan]), np.float32([np.nan])))
        self.assertIn("bits", tensors.difference(np.float32([0.0]), np.float32([-0.0])))
        self.assertIn("1 of 2", tensors.difference(np.int32([1, 2]), np.int32([1, 3])))
        self.assertIn("FP64[1]", tensors.difference(np.float32([1]), np.float64([1])))
        self.assertIn("FP32[1, 1]", tensors.difference(np.float32([1]), np.float32([[1]])))
        self.assertEqual(tensors.datatype(np.zeros(1, ml_dtypes.bfloat16)), "BF16")

    def test_outputs_are_compared_by_name(self):
        with self.assertRaises(AssertionError):
            tensors.expect({"a": np.int8([1])}, {"b": np.int8([1])})


class Recordings(unittest.TestCase):
    STAND_IN = "[ONNXRuntimeError] : 6 : words"

    def same(self, want, got):
        want, got = golden.comparable(want, got, exact=False)
        return want == got

    def test_execution_errors_have_words_of_their_own(self):
        error = {"status": 500, "body": f'{{"error":"{self.STAND_IN}"}}'}
        self.assertTrue(self.same(error, {"status": 500, "body": '{"error":"other words"}'}))
        for body in ('{"error":""}', "other words", '{"name":"x"}'):
            self.assertFalse(self.same(error, {"status": 500, "body": body}), body)
        self.assertFalse(self.same(error, {"status": 400, "body": '{"error":"other words"}'}))
        stream = {"responses": [{"error_message": self.STAND_IN}, {"id": "1"}]}
        self.assertTrue(self.same(stream, {"responses": [{"error_message": "x"}, {"id": "1"}]}))
        self.assertFalse(self.same(stream, {"responses": [{"error_message": "x"}, {"id": "2"}]}))
        self.assertFalse(self.same(stream, {"responses": [{"error_message": "x"}]}))

    def test_the_runtime_of_our_models_is_ours(self):
        def config(backend, runtime):
            return {"body": f'{{"backend":"{backend}","runtime":"{runtime}"}}'}

        self.assertTrue(self.same(config("onnxruntime", "model.py"), config("onnxruntime", "")))
        self.assertFalse(self.same(config("python", "a.so"), config("python", "")))

    def test_other_differences_stay(self):
        self.assertFalse(self.same({"body": "a"}, {"body": "b"}))
        self.assertFalse(golden.comparable({"body": self.STAND_IN}, {"body": "x"}, True)[0]
                         == {"body": "x"})  # fmt: skip


class Processes(unittest.TestCase):
    def test_time_of_a_tree_has_its_children(self):
        # The system counts in ticks, and tells a little less than the process itself does.
        burn = "import time\nwhile time.process_time() < 0.6: pass\n"
        program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
        child = subprocess.Popen([sys.executable, "-c", f"{program}; sys.stdin.read()"],
                                 stdin=subprocess.PIPE)  # fmt: skip
        try:
            end, spent = time.monotonic() + 30, 0
            while spent < 0.3 and time.monotonic() < end:
                time.sleep(0.05)
                spent = sum(server.times(pid) for pid in server.tree(child.pid))
        finally:
            child.kill()
            child.wait()
            child.stdin.close()
        self.assertGreaterEqual(spent, 0.3)
        self.assertIn(os.getpid(), server.tree(os.getpid()))

    def test_ports_differ(self):
        self.assertEqual(len(set(server.free_ports(3))), 3)


class Tables(unittest.TestCase):
    def test_closing_line(self):
        rows = [
            {"group": group, "case": "c", "status": status, "reason": "", "seconds": 0.5}
            for group, status in (("a", "PASS"), ("a", "FAIL"), ("b", "SKIP"))
        ]
        self.assertEqual(checks.closing(rows), "1 passed, 1 failed, 1 skipped")
        self.assertEqual(len(checks.table(rows)), 3)

    def test_a_ratio_above_the_bar_is_marked(self):
        told = {"cpu_us": 10.0, "requests": 20, "seconds": 2.0, "p50_us": 1.0}
        row = {"subject": "add", "peer": "native", "bar": 1.25, "ours": told, "theirs": told}
        for ratio, marked in ((1.25, False), (1.26, True)):
            (_, line) = bench.table([row | {"ratio": ratio}])
            self.assertEqual("above the bar" in line, marked)
        self.assertAlmostEqual(bench.geometric_mean([1, 4]), 2)


if __name__ == "__main__":
    unittest.main()
