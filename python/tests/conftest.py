"""Fixtures that all tests share."""

import signal

import numpy as np
import pytest


def pytest_configure():
    """Take interrupts, also where a shell has started the tests in the background: there they are
    ignored, by these tests and by the programs that they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_generate_tests(metafunc):
    """Run each test of ONNX Runtime's interface, which it calls ``ort``, on all engines."""
    if "ort" in metafunc.fixturenames:
        from onnxruntime_models import ENGINES

        metafunc.parametrize("ort", ENGINES)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def floats(rng):
    """A function from a shape to f32 numbers of a normal distribution."""
    return lambda *shape: rng.standard_normal(shape, dtype=np.float32)
