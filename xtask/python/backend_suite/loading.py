"""Shared checks of damage: the cause of a failed load, and that other models stay available."""

import re

import numpy as np

from .client import Refused
from .tensors import expect

CAUSE = re.compile(r"load failed for model '[^']*': version 1 is at UNAVAILABLE state: (.*)")


def other_answers(http, name="other"):
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    expect({"OUTPUT0": x + np.float32(1)}, http.infer(name, {"INPUT0": x}))


def load_error(http, name):
    """Load the model, which must fail; returns the cause that the server reports."""
    try:
        http.load(name)
    except Refused as refused:
        found = CAUSE.search(refused.text.replace("\n", " "))
        assert found, f"no cause: {refused.text}"
        assert http.call("GET", f"/v2/models/{name}/ready").status == 400, (
            "it is ready all the same"
        )
        rows = http.post("/v2/repository/index", {})
        reasons = [row.get("reason") for row in rows if row["name"] == name]
        assert any(reasons), f"the index gives no reason: {reasons}"
        return found[1]
    raise AssertionError("the model loads")
