"""Subjects of measurements: a model, the form of its requests, and the backend to compare with."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import numpy as np

from backend_suite import repository

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
OURS, NATIVE, PYTHON = "trident", "native", "python"
PEERS = {NATIVE: "native C backend", PYTHON: "Python backend with onnxruntime"}
SEQUENCE = 128  # of MiniLM's texts
BATCHING = "dynamic_batching { }"
ONE_INSTANCE = "instance_group [ { kind: KIND_CPU count: 1 } ]"
# As `peer_model.py` has it: waiting for other threads takes processor time.
ONE_THREAD = 'parameters { key: "intra_op_thread_count" value { string_value: "1" } }'


@dataclasses.dataclass(frozen=True)
class Subject:
    """`bar` is the largest ratio of ours to the peer's."""

    model: str
    binary: bool
    peer: str
    bar: float
    tolerance: float
    inputs: Callable

    @property
    def name(self):
        return f"{self.model}, {'binary' if self.binary else 'JSON'}"


def row():
    return {"INPUT0": np.arange(16, dtype=np.float32).reshape(1, 16)}


def image():
    return {"image": np.random.default_rng(0).uniform(0, 1, (1, 1, 8, 8)).astype(np.float32)}


def text():
    ids = np.random.default_rng(0).integers(1000, 30000, (1, SEQUENCE))
    return {"input_ids": ids, "attention_mask": np.ones_like(ids)}


SUBJECTS = (
    Subject("add", False, NATIVE, 1.25, 0, row),
    Subject("add", True, NATIVE, 1.25, 0, row),
    Subject("digits", True, PYTHON, 1.0, 1e-5, image),
    Subject("minilm", True, PYTHON, 1.0, 1e-3, text),
)


def build_native(folder):
    """Compile the C backend into this folder of backends."""
    target = folder / NATIVE
    target.mkdir(parents=True)
    library = target / f"libtriton_{NATIVE}.so"
    command = ["gcc", "-O3", "-Wall", "-Werror", "-fPIC", "-shared", "-o", library]
    subprocess.run([*command, HERE / "native.c"], check=True, timeout=60)


def write(folder, backend, subjects=SUBJECTS):
    """The repository of one backend: the models of these subjects that it is measured with."""
    models = repository.Repository(folder)
    wanted = {subject.model for subject in subjects if backend in (OURS, subject.peer)}
    if "add" in wanted:
        repository.add_one(models, "add", extra=ONE_INSTANCE, backend=backend)
    extra = f"{BATCHING}\n{ONE_INSTANCE}\n{ONE_THREAD}"
    if "digits" in wanted:
        text = repository.configuration(
            {"image": ("FP32", [1, 8, 8])},
            {"probabilities": ("FP32", [10])},
            backend,
            8,
            extra,
        )
        add(models, "digits", ROOT / "examples/digits/digits.onnx", text, backend)
    if "minilm" in wanted:
        text = repository.configuration(
            {name: ("INT64", [-1]) for name in ("input_ids", "attention_mask")},
            {"embedding": ("FP32", [384])},
            backend,
            8,
            extra,
        )
        add(models, "minilm", pathlib.Path(os.environ["TRIDENT_MINILM"]), text, backend)
    return models


def add(models, name, file, text, backend):
    version = models.add(name, file, text)
    if backend == PYTHON:
        shutil.copy(HERE / "peer_model.py", version / "model.py")
