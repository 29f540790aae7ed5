"""Compare rows in batches with the same rows alone, bit by bit, where rows are independent.

`rows` of `trident worker` says whether the rows of a model are independent. If so, each of eight
rows with different data must give the same bits alone and at every position of batches of 2, 3
and 8. A case of the suite is tried with rows on all inputs, on those as long as the first one, and
on each input by itself; the other inputs are constants then.

The category `rows` has models of our own, large enough for the blocks, threads and vectors of
kernels. `models` are the examples and the benchmarks' models, on 1 and on 2 threads; those must be
independent.
"""

import collections
import json
import pathlib
import re
import shutil
import tempfile
import time
import zlib

import onnx

from model_bench import models
from worker import OK, Worker

from . import row_models
from .cases import Case, load_value
from .rows import (
    ROWS,
    Unsuitable,
    cycled_rows,
    difference,
    forms,
    model_for_rows,
    orders,
    permuted_rows,
    save,
    save_model,
)

LIGHT, MODELS, OWN = "light", "models", "rows"
THREADS = (1, 2)
# Models of our own whose eight rows have more elements run less.
LARGE = 50_000
MIXED = "mixed: "
SET = re.compile(r"^\w+: set (\d+): ")
STATUSES = ("equal", "mixed", "unsuitable", "differs")


class Runner:
    """Runs one model with its rows alone and in batches in a `trident worker`."""

    def __init__(self, binary, device, threads, timeout):
        limits = ["--timeout-ms", str(int(timeout * 1000)), "--memory-limit", "0"]
        command = [binary, "worker", "--device", device, "--threads", str(threads), *limits]
        self.worker, self.timeout = Worker(command), timeout
        self.scratch = tempfile.TemporaryDirectory(prefix="batched")
        self.folder = pathlib.Path(self.scratch.name)

    def mixed_rows(self, path):
        """Why rows are not independent; None if they are."""
        status, message = self.worker.rows(path, self.timeout)
        if status == OK:
            return None
        if message.startswith(MIXED):
            return message.removeprefix(MIXED)
        raise Unsuitable(f"{status}: {message}")

    def run(self, path, inputs, outputs, selections):
        """The results of each selection of rows, and the message of the run that failed."""
        sets = []
        for k, selection in enumerate(selections):
            data, out = self.folder / f"in_{k}", self.folder / f"out_{k}"
            shutil.rmtree(out, ignore_errors=True)
            for folder in (data, out):
                folder.mkdir(exist_ok=True)
            for j, value in enumerate(inputs):
                save(value[list(selection)], data / f"input_{j}.pb")
            sets.append((data, out))
        status, message = self.worker.run_sets(path, sets, self.timeout * len(sets))
        done = len(sets)
        if status != OK:
            failed = SET.match(message)
            done = int(failed[1]) if failed else 0
            message = f"{status}: {message}"
        results = [
            [load_value(out / f"out_{i}.pb", info) for i, info in enumerate(outputs)]
            for _, out in sets[:done]
        ]
        return results, message

    def compare(self, path, inputs, outputs, is_large):
        """("equal", "") or ("differs", where)."""
        batches = orders(is_large)
        singles = [(r,) for r in range(ROWS)]
        results, message = self.run(path, inputs, outputs, [*singles, *batches])
        if len(results) < ROWS:
            raise Unsuitable(f"a row alone: {message}")
        alone, batched = results[:ROWS], results[ROWS:]
        for i in range(len(outputs)):
            expected = [row[i] for row in alone]
            for order, result in zip(batches, batched, strict=False):
                found = difference(expected, result[i], order)
                if found:
                    return "differs", f"batch of {len(order)}: output {i}: {found}"
        if len(batched) < len(batches):
            return "differs", f"batch of {len(batches[len(batched)])}: {message}"
        return "equal", ""

    def close(self):
        """End the worker."""
        self.worker.stop()
        self.scratch.cleanup()


def compare_case(runner, key, case, names):
    """The outcome for a case with rows on these inputs."""
    path = runner.folder / "model.onnx"
    save_model(model_for_rows(case, names), path)
    cause = runner.mixed_rows(path)
    if cause is not None:
        return "mixed", cause
    values = [value for name, value in case.sets[0][1] if name in names]
    seed = zlib.crc32(key.encode())
    try:
        rows = [permuted_rows(value, seed + j) for j, value in enumerate(values)]
        return runner.compare(path, rows, case.outputs, is_large=False)
    except Unsuitable:
        rows = [cycled_rows(value) for value in values]
        return runner.compare(path, rows, case.outputs, is_large=False)


def outcomes_of_case(runner, key, case):
    """(form, status, detail) for each choice of inputs with rows."""
    try:
        choices = forms(case)
    except Unsuitable as error:
        yield "", "unsuitable", str(error)
        return
    for names in choices:
        try:
            status, detail = compare_case(runner, key, case, names)
        except Unsuitable as error:
            status, detail = "unsuitable", str(error)
        yield ", ".join(names), status, detail


def outcome_of_own(runner, own):
    """(status, detail) of a model of the category `rows`, which must be independent."""
    model, inputs = own.make()
    path = runner.folder / "model.onnx"
    save_model(model, path)
    is_large = sum(value.size for value in inputs.values()) > LARGE
    return required(runner, path, list(inputs.values()), model.graph.output, is_large)


def outcomes_of_model(runners, name, file):
    """(form, status, detail) of an example or benchmark model, for each number of threads."""
    is_large = name in models.LIGHT
    outputs = list(onnx.load(file, load_external_data=False).graph.output)
    inputs = list(model_inputs(name, file).values())
    for threads, runner in runners.items():
        yield f"{threads} threads", *required(runner, file, inputs, outputs, is_large)


def model_inputs(name, file):
    """{input name: eight rows}; sentences have different lengths."""
    inputs = models.inputs(name, file, ROWS)
    if name == models.MINILM:
        for row, mask in enumerate(inputs["attention_mask"]):
            mask[models.SEQUENCE - 13 * row :] = 0
    return inputs


def required(runner, path, inputs, outputs, is_large):
    """(status, detail) of a model whose rows have to be independent."""
    try:
        cause = runner.mixed_rows(path)
        if cause is not None:
            return "differs", f"not independent: {cause}"
        return runner.compare(path, inputs, outputs, is_large)
    except Unsuitable as error:
        return "differs", str(error)


def selected(pattern, keys):
    """The keys that match the pattern, all without one."""
    return [key for key in keys if not pattern or re.search(pattern, key)]


def outcomes(options, binary, cases, manifest, cache):
    """(key, form, status, detail) of everything that is selected."""
    runners = {n: Runner(binary, options.device, n, options.timeout) for n in THREADS}
    runner = runners[THREADS[-1]]
    # The `light` cases are the benchmarks' models with constant weights, which would hide much.
    known = [key for key in sorted(manifest) if not key.startswith(f"{LIGHT}/")]
    for key in selected(options.filter, known):
        for outcome in outcomes_of_case(runner, key, Case(cases / key)):
            yield key, *outcome
    own = {f"{OWN}/{model.name}": model for model in row_models.all_models()}
    for key in selected(options.filter, own):
        yield key, "", *outcome_of_own(runner, own[key])
    for name in models.NAMES:
        if selected(options.filter, [f"{MODELS}/{name}"]):
            if options.quick and name in models.LIGHT:
                continue
            file = models.path(name, cases, cache)
            for outcome in outcomes_of_model(runners, name, file):
                yield f"{MODELS}/{name}", *outcome
    for runner in runners.values():
        runner.close()


def main(options, binary, cases, manifest, cache):
    """Print what differs, and the tally. Returns the exit status."""
    start, rows = time.monotonic(), []
    for key, form, status, detail in outcomes(options, binary, cases, manifest, cache):
        rows.append({"case": key, "rows": form, "status": status, "detail": detail})
        if status == "differs" or (options.verbose and detail):
            print(f"{key} ({form}): {status}: {detail}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    tally = collections.Counter(row["status"] for row in rows)
    print(f"batches on {options.device}: {len(rows)} models in {time.monotonic() - start:.1f} s")
    print(", ".join(f"{tally[status]} {status}" for status in STATUSES))
    skipped = tally["mixed"] + tally["unsuitable"]
    print(f"{tally['equal']} passed, {tally['differs']} failed, {skipped} skipped")
    return 1 if tally["differs"] else 0
