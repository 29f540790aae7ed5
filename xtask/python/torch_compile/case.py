"""Cases, and the check of a compiled function's results."""

import dataclasses
from collections.abc import Callable

import torch

#: Largest error allowed, relative to the largest value expected, by the type of the result. A type
#: that is short is also allowed twice eager's own error.
TOLERANCE = {torch.float64: 1e-9, torch.float32: 5e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


@dataclasses.dataclass
class Case:
    """A function of tensors; its result is one or several."""

    name: str
    function: Callable
    inputs: Callable  # () -> list of arguments
    backward: bool = False  # gradients of all inputs that have some are results too
    dynamic: tuple = ()  # further lists of arguments, with another first axis
    statistics: Callable | None = None  # (result, inputs) -> what is wrong, for random functions

    @property
    def dtype(self):
        floats = [x for x in self.inputs() if torch.is_tensor(x) and x.is_floating_point()]
        return str(floats[0].dtype).removeprefix("torch.") if floats else "int64"


def results(function, inputs, backward):
    """All results of a call as a list; with `backward` also the gradients."""
    if not backward:
        with torch.no_grad():
            return flat(function(*inputs))
    inputs = [
        x.detach().requires_grad_() if torch.is_tensor(x) and x.is_floating_point() else x
        for x in inputs
    ]
    outputs = flat(function(*inputs))
    wanted = [x for x in inputs if torch.is_tensor(x) and x.requires_grad]
    losses = [y.float().cos().mean() if y.dim() else y for y in outputs if y.requires_grad]
    return [*outputs, *torch.autograd.grad(sum(losses), wanted)]


def flat(outputs):
    return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


def in_double(inputs):
    return [x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in inputs]


def error(actual, expected):
    """Relative to the largest value expected; infinite where shapes or places of NaN differ."""
    if actual.shape != expected.shape:
        return float("inf")
    if not expected.is_floating_point():
        return 0.0 if torch.equal(actual, expected) else float("inf")
    actual = actual.detach().double()
    if not torch.equal(actual.isfinite(), expected.isfinite()):
        return float("inf")
    if not torch.equal(
        actual[~actual.isfinite()].nan_to_num(), expected[~expected.isfinite()].nan_to_num()
    ):
        return float("inf")
    actual, expected = (x.nan_to_num(0, 0, 0) for x in (actual, expected))
    if expected.numel() == 0:
        return 0.0
    return ((actual - expected).abs().max() / expected.abs().max().clamp(min=1e-30)).item()


def problems(case, function, inputs):
    """The faults in the results of `function`, the compiled one, compared to eager in f64."""
    actual = results(function, inputs, case.backward)
    if case.statistics:
        said = case.statistics(actual[0], inputs)
        return [said] if said else []
    expected = results(case.function, in_double(inputs), case.backward)
    eager = results(case.function, inputs, case.backward)
    found = []
    for k, (ours, wanted, theirs) in enumerate(zip(actual, expected, eager, strict=True)):
        if ours.dtype != theirs.dtype:
            found.append(f"result {k} has type {ours.dtype}, eager's {theirs.dtype}")
            continue
        allowed = max(TOLERANCE.get(ours.dtype, 0), 2 * error(theirs, wanted))
        wrong = error(ours, wanted)
        if not wrong <= allowed:
            found.append(f"result {k}: relative error {wrong:.1e}, allowed {allowed:.1e}")
    return found
