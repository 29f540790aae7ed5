"""Stand-in for `auto_scan_test.py` of Paddle2ONNX's tests: layers and inputs by `hypothesis`.

A test draws a configuration and its layers. Every example is judged, and the failures of a test are
one: its status is the worst of them. Examples depend only on `TRIDENT_SEED`; `TRIDENT_EXAMPLES` is
their number.
"""

import copy
import inspect
import itertools
import os
import unittest

import hypothesis
import hypothesis.strategies as st
import numpy as np
import paddle

from .engine import EXCLUDED, PASS
from .onnxbase import APIOnnx, NotExported, Unfit, randtool
from .tally import Tally

__all__ = ["BaseNet", "OPConvertAutoScanTest"]


class BaseNet(paddle.nn.Layer):
    """A layer with a configuration."""

    def __init__(self, config):
        super().__init__()
        self.config = copy.copy(config)


def in_lists(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def kinds_of_inputs(config):
    """The element types of the inputs, for each combination that a configuration names."""
    types = config["test_data_types"]
    if not types:
        return [["float32"] * len(config["test_data_shapes"])]
    return list(itertools.product(*map(in_lists, types)))


def array_of(shape, dtype):
    """Numbers of an input; a test may make them itself."""
    if inspect.isfunction(shape):
        return shape().astype(dtype)
    kind, most = "float", 2
    if "int" in dtype:
        kind, most = "int", 20
    elif dtype == "bool":
        kind = "bool"
    return np.asarray(randtool(kind, -most, most, shape)).astype(dtype)


class OPConvertAutoScanTest(unittest.TestCase):
    """A property of layers: the subject gives what the eager run gives."""

    def run_and_statis(self, **_):
        """Judge the examples; raise the worst failure. Numbers of examples that the test states
        have no effect."""
        paddle.disable_static()
        self.tally = Tally()
        draw = st.composite(lambda draw: self.sample_convert_config(draw))
        settings = hypothesis.settings(
            max_examples=int(os.environ["TRIDENT_EXAMPLES"]),
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        examples = settings(hypothesis.given(draw())(self.judge_example))
        hypothesis.seed(int(os.environ["TRIDENT_SEED"]))(examples)()
        self.report()

    def judge_example(self, example):
        config, layers = example
        layers, names = in_lists(layers), in_lists(config["op_names"])
        for layer, name in zip(layers, names):
            layer.eval()
            for kinds in kinds_of_inputs(config):
                shown = {k: v for k, v in config.items() if k not in ("op_names", "opset_version")}
                self.judge_layer(layer, name, kinds, config, f"{name} of {kinds}: {shown}")

    def judge_layer(self, layer, name, kinds, config, shown):
        tolerances = {key: config[key] for key in ("delta", "rtol") if key in config}
        case = APIOnnx(layer, name, [0], (), config["input_spec_shape"], **tolerances)
        shapes = config["test_data_shapes"]
        inputs = [array_of(shape, dtype) for shape, dtype in zip(shapes, kinds)]
        case.set_input_data("input_data", tuple(map(paddle.to_tensor, inputs)))
        try:
            status, message = case.run(), ""
        except Unfit as unfit:
            status, message = unfit.status, str(unfit)
        except NotExported as error:
            status, message = EXCLUDED, str(error)
        self.tally.add(status, message, shown)

    def report(self):
        status, message = self.tally.verdict()
        if status == EXCLUDED:
            raise NotExported(message)
        if status != PASS:
            raise Unfit(status, message)
