"""Inputs in system shared memory, which clients go on writing to."""

import json
import os
import pathlib
import threading

import numpy as np

from . import repository, tensors
from .client import Refused, results
from .tensors import expect

TURNS = 3000  # requests while their input changes
PLACE = pathlib.Path("/dev/shm")


class Region:
    """Bytes that the server reads where they are. Use it with `with`."""

    def __init__(self, http, name, size):
        self.http, self.name, self.size = http, name, size
        self.file = PLACE / f"trident-suite-{os.getpid()}-{name}"

    def __enter__(self):
        self.file.write_bytes(bytes(self.size))
        self.bytes = np.memmap(self.file, np.uint8, "r+")
        self.post("register", {"key": f"/{self.file.name}", "offset": 0, "byte_size": self.size})
        return self

    def __exit__(self, *_):
        self.post("unregister", {})
        self.file.unlink()

    def post(self, action, message):
        self.http.post(f"/v2/systemsharedmemory/region/{self.name}/{action}", message)

    def write(self, array, at=0):
        """Put a tensor there; what a request says of it."""
        data = np.frombuffer(tensors.encode(array), np.uint8)
        self.bytes[at : at + len(data)] = data
        parameters = {
            "shared_memory_region": self.name,
            "shared_memory_offset": at,
            "shared_memory_byte_size": len(data),
        }
        return {
            "name": "INPUT0",
            "datatype": tensors.datatype(array),
            "shape": list(array.shape),
            "parameters": parameters,
        }


def run(suite):
    models = suite.repository()
    kinds = {kind: repository.identity(models, kind) for kind in ("FP32", tensors.BYTES)}
    with suite.serve(models, list(kinds.values())) as (running, http, _):
        for kind, name in kinds.items():
            suite.check(kind, lambda kind=kind, name=name: read(http, kind, name), running)
        name = kinds[tensors.BYTES]

        def texts():
            suite.not_in_reference("has strings of any bytes")
            changing(http, name)

        suite.check("strings that change", texts, running)


def infer(http, model, entry):
    message = {"inputs": [entry], "parameters": {"binary_data_output": True}}
    return results(http.call("POST", f"/v2/models/{model}/infer", json.dumps(message).encode()))


def read(http, kind, model):
    """Tensors at several places of a region come back."""
    with Region(http, f"read-{kind}", 1 << 16) as region:
        for at, count in ((0, 6), (4096, 300), (1001, 5)):
            x = np.arange(count).astype(np.float32)
            x = x if kind == "FP32" else np.array([f"{k}ü" for k in range(count)], object)
            x = x.reshape(1, count)
            expect({"OUTPUT0": x}, infer(http, model, region.write(x, at)))


def changing(http, model):
    """While the client writes texts and what is none in turn, each answer is texts or a refusal."""
    good, bad = ("ü" * 20_000).encode(), b"\xc3" * 40_000
    with Region(http, "changing", 1 << 16) as region:
        entry, done = region.write(np.array([[good]], object)), threading.Event()
        texts = [np.frombuffer(text, np.uint8) for text in (bad, good)]
        place = region.bytes[4 : 4 + len(good)]

        def write():
            while not done.is_set():
                for text in texts:
                    place[:] = text

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        told = {"answered": 0, "refused": 0}
        try:
            for _ in range(TURNS):
                try:
                    (text,) = infer(http, model, entry)["OUTPUT0"].ravel()
                    text.decode()
                    told["answered"] += 1
                except Refused as refused:
                    assert "is not valid UTF-8" in refused.text, refused.text
                    told["refused"] += 1
        finally:
            done.set()
            writer.join()
    assert all(told.values()), f"{told}: nothing changed meanwhile"
