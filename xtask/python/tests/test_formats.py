"""Random arrays of NumPy, ml_dtypes and ONNX through the `trident` binary and back, bit by bit."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from worker import OK, Worker

COUNT = 300
TYPES = {
    name: number
    for name, number in TensorProto.DataType.items()
    if name not in ("UNDEFINED", "STRING", "FLOAT6E2M3", "FLOAT6E3M2")
}
NARROW = {"INT4": 4, "UINT4": 4, "FLOAT4E2M1": 4, "INT2": 2, "UINT2": 2}
TEXTS = ["", "a", "größe", "\0x", "猫\x1b[0m", '"\\\n', "NaN"]


def arrays(name, rng):
    """Up to five dimensions of up to three elements; bits of all kinds, NaNs and signed zeros."""
    dtype = np.dtype(object) if name == "STRING" else helper.tensor_dtype_to_np_dtype(TYPES[name])
    for _ in range(COUNT):
        shape = [int(n) for n in rng.choice([1, 2, 3, 3, 2, 0], rng.integers(6))]
        count = int(np.prod(shape))
        if name == "STRING":
            array = np.array([str(t) for t in rng.choice(TEXTS, count)], dtype).reshape(shape)
        else:
            data = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
            data &= 1 if name == "BOOL" else (1 << NARROW.get(name, 8)) - 1
            # Exponents of all ones or zeros are rare among random bits.
            elements = data.reshape(count, dtype.itemsize)
            elements[rng.random(count) < 0.2, :-1] = 0
            elements[rng.random(count) < 0.2, -1:] &= 0x80
            if name not in NARROW and name != "BOOL":
                elements[rng.random(count) < 0.2, -2:] |= 0x7F
            array = data.view(dtype).reshape(shape)
        yield array


def model(name, all_arrays):
    """One `Identity` for each array."""
    number = TensorProto.STRING if name == "STRING" else TYPES[name]
    values = [
        [
            helper.make_tensor_value_info(f"{side}{i}", number, array.shape)
            for i, array in enumerate(all_arrays)
        ]
        for side in "xy"
    ]
    nodes = [helper.make_node("Identity", [f"x{i}"], [f"y{i}"]) for i in range(len(all_arrays))]
    graph = helper.make_graph(nodes, "identities", *values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=13)


def as_json(array):
    """Nested lists; complex numbers are pairs, and what JSON has no number for is a string."""

    def element(v):
        if isinstance(v, complex):
            return [element(v.real), element(v.imag)]
        if not isinstance(v, float):
            return v
        return v if np.isfinite(v) else {"nan": "NaN", "inf": "Infinity"}.get(str(v), "-Infinity")

    def nested(v):
        return [nested(item) for item in v] if isinstance(v, list) else element(v)

    if array.dtype.name in ("int4", "uint4", "int2", "uint2"):
        array = array.astype(np.int16)
    elif array.dtype.name.startswith(("float8", "float4", "bfloat")):
        array = array.astype(np.float32)
    return nested(array.tolist())


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.trident = os.environ["TRIDENT"]

    def each(self, check):
        for seed, name in enumerate([*TYPES, "STRING"]):
            with self.subTest(name):
                check(name, list(arrays(name, np.random.default_rng(seed))))

    def save_model(self, name, given):
        onnx.save(model(name, given), self.folder / "model.onnx")

    def run_model(self, *options):
        command = [self.trident, "run", self.folder / "model.onnx", *options]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])

    def same_as_loaded(self, actual, expected):
        """What `numpy.load` gives; it has no names for the types of ml_dtypes."""
        if expected.dtype.kind == "U":
            self.assertEqual(actual.tolist(), expected.tolist())
        else:
            self.same(actual.view(expected.dtype), expected)

    def same_json(self, actual, expected, dtype):
        """Numbers of at most single precision have as many digits as tell those apart."""
        if isinstance(actual, list):
            self.assertEqual(len(actual), len(expected))
            for a, b in zip(actual, expected):
                self.same_json(a, b, dtype)
        elif isinstance(actual, float) and dtype not in (np.float64, np.complex128):
            self.assertEqual(np.float32(actual).tobytes(), np.float32(expected).tobytes())
        else:
            self.assertEqual(repr(actual), repr(expected))

    def same(self, actual, expected):
        self.assertEqual(actual.shape, expected.shape)
        if expected.dtype == object:
            self.assertEqual(actual.tolist(), expected.tolist())
        else:
            self.assertEqual(actual.tobytes(), expected.tobytes())

    def test_npz(self):
        def check(name, given):
            if name == "STRING":
                given = [array.astype("U") for array in given]
            self.save_model(name, given)
            np.savez(self.folder / "in.npz", **{f"x{i}": a for i, a in enumerate(given)})
            self.run_model("-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
            with np.load(self.folder / "out.npz") as results:
                for i, array in enumerate(given):
                    self.same_as_loaded(results[f"y{i}"], array)

        self.each(check)

    def test_npy(self):
        def check(name, given):
            array = next(array for array in given if array.size > 4)
            array = array.astype("U") if name == "STRING" else array
            self.save_model(name, [array])
            np.save(self.folder / "in.npy", array)
            self.run_model("-i", self.folder / "in.npy", "-o", self.folder / "out.npy")
            self.same_as_loaded(np.load(self.folder / "out.npy"), array)

        self.each(check)

    def test_json(self):
        def check(name, given):
            # Lists within an empty list are not written, so that its shape ends at the first 0.
            given = [array for array in given if 0 not in array.shape[:-1]]
            self.save_model(name, given)
            document = {f"x{i}": as_json(array) for i, array in enumerate(given)}
            text = json.dumps(document, allow_nan=False, ensure_ascii=False)
            (self.folder / "in.json").write_text(text, encoding="utf-8")
            self.run_model("-i", self.folder / "in.json", "-o", self.folder / "out.json")
            results = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
            for i, array in enumerate(given):
                self.same_json(results[f"y{i}"], document[f"x{i}"], array.dtype)

        self.each(check)

    def test_pb(self):
        def check(name, given):
            self.save_model(name, given)
            for j, array in enumerate(given):
                tensor = numpy_helper.from_array(array)
                (self.folder / f"input_{j}.pb").write_bytes(tensor.SerializeToString())
            with Worker([self.trident, "worker"]) as worker:
                answer = worker.run(self.folder / "model.onnx", self.folder, self.folder, 60)
            self.assertEqual(answer, (OK, ""))
            for j, array in enumerate(given):
                back = onnx.load_tensor(str(self.folder / f"out_{j}.pb"))
                self.same(numpy_helper.to_array(back), array)

        self.each(check)


if __name__ == "__main__":
    unittest.main()
