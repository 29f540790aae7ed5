"""Models that PyTorch exports from `interpolate`, beside its own results and ONNX Runtime's.

A case is a model with one resize for each scale or size. ONNX Runtime has to agree on all of them
within `TOLERANCE`, PyTorch but for the exceptions of `resize_exceptions`.
"""

import contextlib
import io
import itertools
import logging
import warnings

import numpy as np
import onnx

from .resize import SCALES, SHAPES
from .resize_exceptions import TOLERANCE, Case, Comparison, scaled
from .suite import same

# By number of resized axes.
LENGTHS = {
    1: ((40,), (120,), (13,), (64,)),
    2: SHAPES,
    3: ((6, 10, 9), (5, 13, 7), (12, 16, 4), (8, 31, 20)),
}
LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
BY = ("scales", "recomputed scales", "sizes")
EXPORTERS = ("dynamo", "script")


def modes(rank):
    """Names of modes, and what they are in PyTorch."""
    linear = LINEAR[rank]
    common = {
        "nearest": {"mode": "nearest"},
        "nearest-exact": {"mode": "nearest-exact"},
        "linear": {"mode": linear},
        "linear, corners": {"mode": linear, "align_corners": True},
    }
    if rank < 3:  # PyTorch does not export the others
        common["area"] = {"mode": "area"}
    if rank == 2:
        common |= {
            "cubic": {"mode": "bicubic"},
            "cubic, corners": {"mode": "bicubic", "align_corners": True},
            "linear, antialiased": {"mode": "bilinear", "antialias": True},
            "cubic, antialiased": {"mode": "bicubic", "antialias": True},
        }
    return common


def exports(exporter, mode):
    """Whether an exporter of PyTorch knows a mode."""
    return exporter == "dynamo" or mode in ("nearest", "linear", "cubic") or "corners" in mode


def arguments(by, lengths):
    """Arguments of `interpolate` without the mode, and the fields of `Case` that follow."""
    for scale in SCALES:
        lens = [scaled(n, scale) for n in lengths]
        if 0 in lens:  # PyTorch refuses results without elements
            continue
        if by == "sizes":
            sizes = tuple(m + i for i, m in enumerate(lens))
            size = sizes if len(sizes) > 1 else sizes[0]
            yield {"size": size}, {"wanted": sizes}
        elif by == "scales":
            fields = {"wanted": tuple(lens), "scales": (scale,) * len(lens), "factor": scale}
            yield {"scale_factor": scale}, fields
        else:
            # PyTorch computes sizes, by an f64 product.
            sizes = tuple(int(n * scale) for n in lengths)
            fields = {"wanted": sizes, "factor": scale}
            yield {"scale_factor": scale, "recompute_scale_factor": True}, fields


class Exporter:
    """Exports functions of `torch`."""

    def __init__(self, torch):
        self.torch = torch

        class Module(torch.nn.Module):
            def __init__(self, function):
                super().__init__()
                self.function = function

            def forward(self, *inputs):
                return self.function(*inputs)

        self.module = Module

    def resizes(self, options):
        """A function with a result for each of these arguments of `interpolate`."""
        resize = self.torch.nn.functional.interpolate
        return lambda x: tuple(resize(x, **o) for o in options)

    def export(self, function, inputs, exporter):
        """The model of a function, and the function's results."""
        tensors = tuple(self.torch.from_numpy(x) for x in inputs)
        module = self.module(function).eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if exporter == "dynamo":
                program = self.torch.onnx.export(module, tensors, dynamo=True, verbose=False)
                model = program.model_proto
            else:
                file = io.BytesIO()
                with contextlib.redirect_stdout(io.StringIO()):
                    self.torch.onnx.export(module, tensors, file, dynamo=False)
                model = onnx.load_from_string(file.getvalue())
            return model, [y.numpy() for y in module(*tensors)]


def grid(suite, exporter_of, comparison):
    """All modes by scales, recomputed scales and sizes, from both exporters."""
    for rank, by, exporter in itertools.product(LENGTHS, BY, EXPORTERS):
        known = {m: o for m, o in modes(rank).items() if exports(exporter, m)}
        for (mode, options), lengths in itertools.product(known.items(), LENGTHS[rank]):
            name = f"{mode}, {'x'.join(map(str, lengths))}, {by}, {exporter}"

            def check(mode=mode, options=options, lengths=lengths, by=by, exporter=exporter):
                given = list(arguments(by, lengths))
                function = exporter_of.resizes([options | a for a, _ in given])
                x = suite.random(f"{mode}, {lengths}").uniform(-1, 1, (1, 2, *lengths))
                x = x.astype(np.float32)
                model, torch = exporter_of.export(function, [x], exporter)
                got = suite.trident(model, [x])
                transform = "align_corners" if "corners" in mode else "half_pixel"
                for engine, want in (
                    ("onnxruntime", suite.onnxruntime(model, [x])),
                    ("torch", torch),
                ):
                    fixed = (engine, mode, lengths)
                    same_for_all = {"transform": transform, "exporter": exporter}
                    cases = [Case(*fixed, **fields, **same_for_all) for _, fields in given]
                    comparison.compare(cases, got, want)

            suite.check(name, check)


def doubles(suite, exporter_of):
    """Results in f64, by sizes: files have no f32 that PyTorch does not have."""
    for rank, (mode, options) in [(r, m) for r in (2, 3) for m in modes(r).items()]:
        if "nearest" in mode or mode == "area":
            continue
        for lengths in LENGTHS[rank]:

            def check(mode=mode, options=options, lengths=lengths):
                given = list(arguments("sizes", lengths))
                function = exporter_of.resizes([options | a for a, _ in given])
                x = suite.random(f"{mode}, {lengths}").uniform(-1, 1, (1, 2, *lengths))
                model, want = exporter_of.export(function, [x], "dynamo")
                same(suite.trident(model, [x]), want, {"rtol": 1e-12, "atol": 1e-12})

            suite.check(f"{mode}, {'x'.join(map(str, lengths))}, f64", check)


def sums(suite, exporter_of):
    """A resized operand plus another one, whose length shows that the results' lengths agree."""
    resize = exporter_of.torch.nn.functional.interpolate
    for exporter, (rows, scale) in itertools.product(EXPORTERS, ((40, 1.4), (10, 0.7), (72, 0.6))):

        def check(exporter=exporter, rows=rows, scale=scale):
            rng = suite.random(f"{rows} {scale}")
            x = rng.uniform(-1, 1, (1, 2, rows, 8)).astype(np.float32)
            y = rng.uniform(-1, 1, (scaled(rows, scale), 1)).astype(np.float32)

            def function(x, y):
                return (resize(x, scale_factor=(scale, 1.0), mode="bilinear") + y,)

            model, want = exporter_of.export(function, [x, y], exporter)
            got = suite.trident(model, [x, y])
            same(got, want, {**TOLERANCE, "atol": 2 * 4 * 2**-24 * rows})
            # ONNX Runtime infers lengths by products in f64, unless the file has the shapes.
            inferred = int(rows * float(np.float32(scale)))
            if exporter == "dynamo" or inferred == len(y):
                same(got, suite.onnxruntime(model, [x, y]), TOLERANCE)

        suite.check(f"{rows} rows by {scale} plus an operand, {exporter}", check)


def run(suite):
    torch = suite.package("torch")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    exporter_of, comparison = Exporter(torch), Comparison()
    grid(suite, exporter_of, comparison)
    comparison.check(suite)
    doubles(suite, exporter_of)
    sums(suite, exporter_of)
