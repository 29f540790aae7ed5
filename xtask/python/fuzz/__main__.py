"""Feed mutated models and tensors to `trident worker`.

Seeds are the cases of the ONNX backend suite. Each mutant depends only on --seed and its number.
An answer in time, whether a result or an error, passes; a crash, a panic, no answer, or more than
the memory limit fails, and leaves the files that show it in target/fuzz.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import onnx

from onnx_suite.generate import cached_cases
from worker import CRASH, ERR, OK, TIMEOUT, Worker

from .mutate import mutate

ROOT = pathlib.Path(__file__).resolve().parents[3]
FULL_COUNT = 12_000
TENSOR_EVERY = 6  # of the mutants in a row, the last is a tensor, the others are models
MEMORY = "MEMORY"
MEMORY_LIMIT = 2 << 30
TENSOR_LIMIT = MEMORY_LIMIT // 4  # for the engine's tensors; writing results takes copies
ADDRESS_SPACE = MEMORY_LIMIT + (2 << 30)  # room for stacks and reserved, never touched pages
LARGEST_SEED = 1 << 16


def seeds(cases):
    """(folder, data folder) of each case whose model is small enough to be mutated quickly."""
    manifest = json.loads((cases / "manifest.json").read_text())
    found = []
    for key in sorted(manifest):
        folder = cases / key
        if (folder / "model.onnx").stat().st_size <= LARGEST_SEED:
            found.append((folder, folder / "test_data_set_0"))
    return found


def tensor_type(folder, name):
    """The protobuf type of the file `name`: a tensor, unless the graph says otherwise."""
    graph = onnx.load(folder / "model.onnx").graph
    index = int(name.removeprefix("input_").removesuffix(".pb"))
    kind = graph.input[index].type.WhichOneof("value") if index < len(graph.input) else None
    types = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}
    return types.get(kind, onnx.TensorProto)


class Fuzzer:
    """Writes mutants to a scratch folder and shows them to one worker."""

    def __init__(self, options):
        self.options = options
        self.seeds = seeds(pathlib.Path(options.cases))
        self.with_inputs = [seed for seed in self.seeds if list(seed[1].glob("input_*.pb"))]
        self.scratch = tempfile.TemporaryDirectory(prefix="fuzz")
        command = [os.environ["TRIDENT"], "worker", "--device", options.device]
        command += ["--memory-limit", str(TENSOR_LIMIT)]
        command += ["--timeout-ms", str(int(options.timeout * 800))]
        self.worker = Worker(command, ADDRESS_SPACE)

    def write(self, index):
        """Write mutant `index`; returns (model, data folder, what was changed)."""
        rng = random.Random(f"{self.options.seed}/{index}")
        scratch = pathlib.Path(self.scratch.name)
        if index % TENSOR_EVERY != TENSOR_EVERY - 1:
            (folder, data), (other, _) = rng.choice(self.seeds), rng.choice(self.seeds)
            model = (folder / "model.onnx").read_bytes()
            donor = (other / "model.onnx").read_bytes()
            path = scratch / "model.onnx"
            path.write_bytes(mutate(rng, model, donor, onnx.ModelProto))
            return path, data, folder / "model.onnx"
        folder, data = rng.choice(self.with_inputs)
        changed = rng.choice(sorted(data.glob("input_*.pb")))
        _, other = rng.choice(self.with_inputs)
        mutant = scratch / "data"
        shutil.rmtree(mutant, ignore_errors=True)
        shutil.copytree(data, mutant)
        kind = tensor_type(folder, changed.name)
        donor = (other / "input_0.pb").read_bytes()
        (mutant / changed.name).write_bytes(mutate(rng, changed.read_bytes(), donor, kind))
        return folder / "model.onnx", mutant, changed

    def run(self, index):
        """(index, status, message, seconds) of one mutant."""
        model, data, origin = self.write(index)
        out = pathlib.Path(self.scratch.name) / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        start = time.monotonic()
        status, message = self.worker.run(model, data, out, self.options.timeout)
        seconds = time.monotonic() - start
        if status in (OK, ERR) and self.worker.peak_memory() > MEMORY_LIMIT:
            peak = self.worker.peak_memory() / 2**30
            status, message = MEMORY, f"{peak:.1f} GiB at the peak"
            self.worker.stop()
        if status not in (OK, ERR):
            self.save(index, model, data, f"{status}: {message}\nmutated: {origin}\n")
        return index, status, message, seconds

    def save(self, index, model, data, report):
        """Keep what is needed to show the failure again."""
        target = ROOT / f"target/fuzz/{self.options.seed}-{index}"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        shutil.copy(model, target / "model.onnx")
        shutil.copytree(data, target / "data")
        (target / "report.txt").write_text(report)


def start_process(options):
    """Initialise a process of the pool."""
    global fuzzer
    fuzzer = Fuzzer(options)


def run_one(index):
    return fuzzer.run(index)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="cargo xtask fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="the device trident runs on")
    parser.add_argument(
        "--count",
        type=int,
        default=FULL_COUNT,
        help="mutants in all, a sixth of them tensors (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="500 mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="show the answer to this one mutant")
    parser.add_argument("--timeout", type=float, default=10, help="seconds per mutant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="workers")
    options = parser.parse_args()
    if options.quick:
        options.count = 500
    return options


def main():
    options = parse_arguments()
    options.cases = cached_cases(os.environ["TRIDENT_CACHE"])
    indices = range(options.count) if options.only is None else [options.only]
    counts, slowest, start = collections.Counter(), (0, None), time.monotonic()
    with multiprocessing.Pool(options.jobs, start_process, (options,)) as pool:
        for index, status, message, seconds in pool.imap_unordered(run_one, indices, 8):
            counts[status] += 1
            slowest = max(slowest, (seconds, index))
            if status not in (OK, ERR) or options.only is not None:
                print(f"mutant {index}: {status}: {message}", flush=True)
    seconds = time.monotonic() - start

    answered = counts[OK] + counts[ERR]
    bad = ", ".join(f"{counts[s]} {s}" for s in (CRASH, TIMEOUT, MEMORY))
    print(f"seed {options.seed}, {len(indices)} mutants in {seconds:.0f} s:")
    print(f"{counts[OK]} still ran, {counts[ERR]} were refused, {bad}")
    print(f"slowest answer: {slowest[0]:.1f} s (mutant {slowest[1]})")
    failed = sum(counts.values()) - answered
    if failed:
        print("reproducers: target/fuzz")
    print(f"{answered} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
