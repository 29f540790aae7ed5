"""`--suite models`: trained models from packages, beside Paddle's predictor on the CPU.

Each output must be within `TOLERANCE` of Paddle's, relative to the output's largest magnitude.
Where it is not, Paddle computes the model in f64 (see `double`): then the output must be within the
tolerance of that result, or no further from it than Paddle's own f32 result is.
"""

import hashlib
import os

import numpy as np

from . import arrays, double, pictures, trained
from .engine import EXCLUDED, PASS, WRONG, Engine
from .report import row_of

TOLERANCE = 1e-4


def remembered(engine, model, inputs):
    """Paddle's results of a model: kept in the cache, by the bytes of model and inputs."""
    digest = hashlib.sha256()
    for file in (model, model.with_suffix(".pdiparams")):
        digest.update(file.read_bytes())
    for name, array in inputs.items():
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    file = trained.cache() / f"paddle-results-3.3.1/{digest.hexdigest()}.npz"
    if file.exists():
        return PASS, list(arrays.read(file).values())
    status, results = engine.run(model, [inputs])
    if status != PASS:
        return status, results
    file.parent.mkdir(exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}")
    arrays.write(unfinished, arrays.numbered(results[0]))
    unfinished.rename(file)
    return PASS, results[0]


def judged(exactly, model, inputs, got, want):
    """(PASS or WRONG, why): the f64 result decides where `got` and `want` differ."""
    distances, why = arrays.compared(got, want)
    if why is None and max(distances) <= TOLERANCE:
        return PASS, f"{max(distances):.1e} from Paddle"
    why = why or f"{max(distances):.1e} from Paddle"
    wide = {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in inputs.items()}
    status, exact = remembered(exactly, double.copy_of(model, trained.cache() / "paddle-f64"), wide)
    if status != PASS:
        return WRONG, f"{why}; no f64 result decides: {exact}"
    exact = [e.astype(w.dtype) if e.dtype == np.float64 else e for e, w in zip(exact, want)]
    ours, unfit = arrays.compared(got, exact)
    theirs, _ = arrays.compared(want, exact)
    if unfit:
        return WRONG, f"{why}; from the f64 result: {unfit}"
    theirs = theirs or [float("inf")] * len(ours)
    if all(our <= max(TOLERANCE, their) for our, their in zip(ours, theirs)):
        return PASS, f"{max(ours):.1e} from the f64 result, Paddle {max(theirs):.1e}"
    return WRONG, f"{why}; from the f64 result {max(ours):.1e}, Paddle {max(theirs):.1e}"


def run(options):
    """Rows of all models and data sets."""
    rows = []
    with Engine(options.subject) as subject, Engine("paddle") as paddle, Engine("exact") as exactly:
        for entry in trained.listed():
            if options.filter and options.filter not in entry["name"]:
                continue
            model = trained.path(entry)
            for number, rules in enumerate(entry["sets"]):
                case = f"{entry['name']}/{number}"
                inputs = {name: pictures.array_of(rule) for name, rule in rules.items()}
                status, want = remembered(paddle, model, inputs)
                if status != PASS:
                    rows.append(row_of(case, entry["name"], EXCLUDED, f"Paddle: {want}"))
                    continue
                status, got = subject.run(model, [inputs])
                message = got
                if status == PASS:
                    status, message = judged(exactly, model, inputs, got[0], want)
                rows.append(row_of(case, entry["name"], status, message))
                options.progress(rows[-1])
    return rows
