"""Fixtures that all tests share."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def floats(rng):
    """A function from a shape to f32 numbers of a normal distribution."""
    return lambda *shape: rng.standard_normal(shape, dtype=np.float32)
