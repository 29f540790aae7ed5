"""A child process with one model: `python -m paddle_bench.child ENGINE WAY MODEL THREADS`.

Each line of standard input is a request in JSON, and each line of standard output its answer:

    {"load": [INPUTS, OUTPUTS]}  loads the model, and runs it once: the milliseconds of both
    {"run": N}                   the milliseconds of each of N runs
    {"pages": [NAME, DIMS]}      a row of each run on an input of these dimensions

INPUTS and OUTPUTS are files of `paddle_suite.arrays`.
"""

import gc
import importlib
import json
import os
import sys

from paddle_suite import arrays

from . import engines

#: Loads of which the median counts: the first one also sets up the engine's library.
LOADS = 3


class Session:
    def __init__(self, engine, way, path, threads):
        importlib.import_module(engines.PACKAGES[engine])
        self.make = lambda: engines.ENGINES[engine](path, int(threads), way)
        self.model = self.inputs = None

    def load(self, given, taken):
        self.inputs, times = arrays.read(given), []
        for _ in range(LOADS):
            self.model = None
            gc.collect()
            self.model, took = engines.milliseconds(self.make)
            times.append(took)
        results, first = engines.milliseconds(lambda: self.model(self.inputs))
        arrays.write(taken, arrays.numbered(results))
        return {"load_ms": times, "first_run_ms": first}

    def run(self, count):
        return [engines.milliseconds(lambda: self.model(self.inputs))[1] for _ in range(count)]

    def pages(self, name, dims):
        self.model = self.make()
        return engines.pages(self.model, name, dims)

    def answer(self, request):
        if "load" in request:
            return self.load(*request["load"])
        return self.pages(*request["pages"]) if "pages" in request else self.run(request["run"])


def main():
    # Libraries print to standard output: answers keep a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    session = Session(*sys.argv[1:])
    for line in sys.stdin:
        try:
            answer = session.answer(json.loads(line))
        except Exception as error:
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
