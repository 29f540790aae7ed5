"""Ensembles whose leaves have several weights for one target, beside ONNX Runtime."""

import numpy as np
from onnx import TensorProto, helper

from .suite import model, same

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


def stumps(random, targets, aggregate):
    """A regressor of three trees with two leaves each, and up to four weights a leaf."""
    ids = list(range(3))
    leaves = [(tree, node) for tree in ids for node in (1, 2) for _ in range(random.integers(1, 5))]
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        domain="ai.onnx.ml",
        aggregate_function=aggregate,
        n_targets=targets,
        nodes_treeids=[tree for tree in ids for _ in range(3)],
        nodes_nodeids=ids * 3,
        nodes_featureids=[0] * 9,
        nodes_values=[0.0] * 9,
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 3,
        nodes_truenodeids=[1, 0, 0] * 3,
        nodes_falsenodeids=[2, 0, 0] * 3,
        target_treeids=[tree for tree, _ in leaves],
        target_nodeids=[leaf for _, leaf in leaves],
        target_ids=random.integers(0, targets, len(leaves)).tolist(),
        target_weights=random.normal(size=len(leaves)).tolist(),
    )
    x, y = {"x": (TensorProto.FLOAT, ["n", 1])}, {"y": (TensorProto.FLOAT, ["n", targets])}
    return model([node], x, y, domains=[("ai.onnx.ml", 3)])


def compare(suite, name, targets, aggregate):
    random = suite.random(name)
    for _ in range(5):
        ensemble, x = stumps(random, targets, aggregate), [np.array([[-1.0], [1.0]], np.float32)]
        same(suite.trident(ensemble, x), suite.onnxruntime(ensemble, x), TOLERANCE)


def run(suite):
    for targets in (1, 3):
        for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
            name = f"{aggregate} of {targets} targets"
            suite.check(name, lambda n=name, t=targets, a=aggregate: compare(suite, n, t, a))
