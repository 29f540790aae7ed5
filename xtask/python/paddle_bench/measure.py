"""One row: a model on a number of threads, in each engine's fastest way."""

import contextlib
import math
import statistics
import time

from paddle_suite import arrays, pictures, trained

from . import ENGINES, ONNXRUNTIME, PADDLE, TRIDENT, converted, engines
from .process import Failed, Process

PROBES = 5  # runs that choose between the ways of an engine
PAUSE = 0.25  # seconds before a turn, in which the other engines' threads stop to wait for work
AGREEMENT = 1e-3  # largest error, relative to the largest value of Paddle's result


def ways(engine, model, folder):
    """{way: file} of an engine to run a model."""
    if engine == TRIDENT:
        return {"": model}
    if engine == ONNXRUNTIME:
        return converted.files(model, folder)
    # Programs of PIR have no other passes.
    return {way: model for way, (_, new) in engines.FLAGS.items() if new or model.suffix != ".json"}


class Subject:
    """A process with a loaded model, and its times."""

    def __init__(self, process, inputs):
        self.process = process
        self.times, self.results = process.load(inputs)
        self.probe = statistics.median(process.run(PROBES))
        self.turns, self.least = [], math.inf

    def turn(self, seconds):
        time.sleep(PAUSE)
        count = max(3, min(1000, math.ceil(seconds * 1e3 / self.probe)))
        times = self.process.run(count)
        self.turns.append(statistics.median(times))
        self.least = min(self.least, *times)

    def figures(self):
        return {
            "way": self.process.way,
            "median_ms": statistics.median(self.turns),
            "least_ms": self.least,
            "load_ms": statistics.median(self.times["load_ms"]),
            "first_load_ms": self.times["load_ms"][0],
            "first_run_ms": self.times["first_run_ms"],
        }


def fastest(engine, model, inputs, threads, folder, stack):
    """(the fastest subject of an engine or None, {way: why it does not run})."""
    best, failed = None, {}
    for way, file in ways(engine, model, folder).items():
        process = stack.enter_context(Process(engine, way, file, threads))
        try:
            subject = Subject(process, inputs)
        except Failed as error:
            failed[way] = str(error)
            process.stop()
            continue
        if best is not None:
            best, subject = sorted((best, subject), key=lambda either: either.probe)
            subject.process.stop()
        else:
            best = subject
    return best, failed


def disagreement(results, reference):
    """Why results are wrong, or None."""
    distances, why = arrays.compared(results, reference)
    if why is None and max(distances) > AGREEMENT:
        why = f"wrong result: relative error {max(distances):.1e}"
    return why


def row(entry, threads, options, folder):
    """The figures of all engines, or why one has none."""
    model = trained.path(entry)
    rules = entry["sets"][entry["bench"]]
    inputs = {name: pictures.array_of(rule) for name, rule in rules.items()}
    found = {}
    with contextlib.ExitStack() as stack:
        subjects = {}
        for engine in ENGINES:
            best, failed = fastest(engine, model, inputs, threads, folder, stack)
            found[engine] = {"failed": failed}
            if best is None:
                found[engine]["error"] = "; ".join(failed.values())
            else:
                subjects[engine] = best
        reference = subjects.get(PADDLE)
        for engine, subject in list(subjects.items()):
            why = reference and disagreement(subject.results, reference.results)
            if why:
                found[engine]["error"] = why
                del subjects[engine]
        names = list(subjects)
        for turn in range(options.rounds):
            shift = turn % max(1, len(names))
            for engine in names[shift:] + names[:shift]:
                subjects[engine].turn(options.seconds)
        for engine, subject in subjects.items():
            found[engine] |= subject.figures()
    dims = {name: list(array.shape) for name, array in inputs.items()}
    return {"model": entry["name"], "threads": threads, "dims": dims, "engines": found}
