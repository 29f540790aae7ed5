"""Named arrays in files, and how far apart two lists of arrays are."""

import json

import numpy as np


def write(path, named):
    """Write {name: array}; names may have any characters."""
    named = {name: np.asarray(array) for name, array in named.items()}
    order = {str(number): array for number, array in enumerate(named.values())}
    names = np.array(json.dumps(list(named)))
    with open(path, "wb") as file:
        np.savez(file, names=names, **order)


def read(path):
    """{name: array} of a file, in the order of writing."""
    with np.load(path) as file:
        names = json.loads(str(file["names"]))
        return {name: file[str(number)] for number, name in enumerate(names)}


def numbered(arrays):
    """A list of arrays as {name: array}."""
    return {str(number): array for number, array in enumerate(arrays)}


def by_names(given, wanted):
    """{name: array} of the inputs that a model has. A model may have dropped some of them; names
    that it does not have at all stand for the inputs in their order."""
    if set(wanted) <= set(given):
        return {name: given[name] for name in wanted}
    if len(wanted) == len(given):
        return dict(zip(wanted, given.values()))
    raise ValueError(f"the model has the inputs {wanted}, the case has {list(given)}")


def distance(got, want):
    """The largest difference over the largest magnitude of `want`; NaN and infinities must be in
    the same places. Types without fractions must be equal: the distance is 0 or infinite."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return float("inf")
    if want.dtype.kind not in "fc" or got.dtype.kind not in "fc":
        return 0.0 if np.array_equal(got, want) else float("inf")
    wide = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
    got, want = got.astype(wide), want.astype(wide)
    finite = np.isfinite(want)
    if not np.array_equal(finite, np.isfinite(got)):
        return float("inf")
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    apart = np.abs(got[finite] - want[finite]).max()
    return float(apart / max(np.abs(want[finite]).max(), 1e-30))


def compared(got, want):
    """(distances of the outputs, why they cannot be compared or None)."""
    if len(got) != len(want):
        return [], f"{len(got)} outputs, expected {len(want)}"
    for number, (ours, theirs) in enumerate(zip(got, want)):
        if ours.shape != theirs.shape:
            return [], f"output {number} has the shape {ours.shape}, expected {theirs.shape}"
        if ours.dtype != theirs.dtype:
            return [], f"output {number} is {ours.dtype}, expected {theirs.dtype}"
    return [distance(ours, theirs) for ours, theirs in zip(got, want)], None


def vacuous(first, second):
    """Why results of two different inputs say nothing about a model, or None: they are not finite,
    or they do not depend on the input."""
    for result in (first, second):
        for array in result:
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                return "an output is not finite"
    pairs = [(a, b) for a, b in zip(first, second) if a.dtype.kind == "f" and a.size]
    if not pairs:
        return None
    for a, b in pairs:
        if a.shape != b.shape or distance(a, b) > 1e-3:
            return None
    return "no output depends on the input"
