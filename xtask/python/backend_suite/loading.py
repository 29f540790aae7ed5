"""What checks of damage share: the cause of a load that failed, and that other models live on."""

import re

import numpy as np

from .client import Refused
from .tensors import expect

CAUSE = re.compile(r"load failed for model '[^']*': version 1 is at UNAVAILABLE state: (.*)")


def other_answers(http, name="other"):
    x = np.arange(16, dtype=np.float32).reshape(1, 16)
    expect({"OUTPUT0": x + np.float32(1)}, http.infer(name, {"INPUT0": x}))


def load_error(http, name):
    """Load the model, which must fail; the cause that the server tells."""
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
