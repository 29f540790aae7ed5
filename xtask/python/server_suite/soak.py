"""The server at saturation for minutes, while models are loaded, overwritten and unloaded.

No request may fail but those that ask for it, and the memory must stay flat. `--soak MINUTES` runs
this instead of the checks.
"""

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from backend_suite import repository, sequences
from backend_suite.client import Http, Refused

from . import reloads
from .busy import endless
from .clients import libraries
from .models import add_echo, add_recorded
from .server import Server

WARM = 5  # minutes until the memory has to be flat, or half of a shorter run
GROWTH = 1.05
WORKERS = 2
# Load that perf_analyzer makes, on models that stay as they are.
STEADY = (
    ("simple", "-i grpc -u G --streaming --concurrency-range 8"),
    ("simple", "-u H --concurrency-range 8"),
)
CHANGED = "changed"  # a model that is overwritten, but always answers
LEAVING = "leaving"  # a model that is unloaded and loaded


def run(suite):
    folder = suite.folder / "soak"
    models = repository.Repository(folder / "models")
    for name in (CHANGED, LEAVING, "failing"):
        reloads.add(models, name)
    repository.countdown(models, "slow", "dynamic_batching { }")
    sequences.running_sums(models)
    add_echo(models)
    add_recorded(models, "simple", "repeat_int32")
    flags = ("--model-control-mode=explicit", "--load-model=*")
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        seconds = suite.options.soak * 60
        suite.check("soak", lambda: soak(running, models, folder, seconds), limit=seconds + 300)


def soak(running, models, folder, seconds):
    end = time.monotonic() + seconds
    workers = [worker(running, folder, number, seconds) for number in range(WORKERS)]
    steady = [analyzer(running, folder, *load) for load in STEADY]
    changes = Changes(running, models, end)
    thread = threading.Thread(target=changes.run, daemon=True)
    thread.start()
    samples = watch(running, changes, end, [*workers, *filter(None, steady)])
    thread.join(60)
    assert not thread.is_alive(), "loads and unloads do not end"
    assert not changes.wrong, f"{len(changes.wrong)} changes failed: {changes.wrong[:3]}"
    told = [outcome(process, folder, number) for number, process in enumerate(workers)]
    for process, (model, options) in zip(steady, STEADY, strict=True):
        if process is not None:
            assert process.poll() is None, f"perf_analyzer on {model} ({options}) has ended"
            process.kill()
            process.wait()
    total = {key: sum(one["counts"].get(key, 0) for one in told) for key in told[0]["counts"]}
    print(f"soak: {total}, changes {changes.counts}")
    wrong = [line for one in told for line in one["wrong"]]
    assert not wrong, f"{len(wrong)} requests failed: {wrong[:3]}"
    running.no_panic()
    flat(samples)


def worker(running, folder, number, seconds):
    """A process that sends requests and looks at their answers."""
    places = [running.places["HTTP"], running.places["gRPC"]]
    with (folder / f"worker {number}").open("w") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "server_suite.soak_client", *places, str(seconds), str(number)],
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def outcome(process, folder, number):
    process.wait(120)
    text = (folder / f"worker {number}").read_text()
    assert process.returncode == 0, text[-600:]
    return json.loads(text.splitlines()[-1])


def analyzer(running, folder, model, options):
    """Load by perf_analyzer until it is killed; None without its environment."""
    python = os.environ.get("TRIDENT_CLIENTS")
    if not python:
        return None
    place = folder / "libraries"
    if not place.exists():
        libraries(folder)
    words = options.replace("H", running.places["HTTP"]).replace("G", running.places["gRPC"])
    with (folder / "perf_analyzer").open("a") as log:
        return subprocess.Popen(
            [
                pathlib.Path(python).with_name("perf_analyzer"), "-m", model, *words.split(),
                "-p", "10000", "-s", "1", "-r", "1000000",
            ],
            env=os.environ | {"LD_LIBRARY_PATH": str(place)},
            stdout=log,
            stderr=log,
        )  # fmt: skip


class Changes:
    """What happens to models meanwhile."""

    def __init__(self, running, models, end):
        self.running, self.models, self.end = running, models, end
        self.counts, self.wrong = {}, []

    def run(self):
        turn = 0
        kinds = (self.overwrite, self.leave, self.fail, self.send_file, self.cancel)
        while time.monotonic() < self.end:
            kind = kinds[turn % len(kinds)]
            try:
                kind(turn)
                self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
            except Exception as error:  # any failure is one of the server
                self.wrong.append(f"{kind.__name__}: {type(error).__name__}: {error}")
            turn += 1
            time.sleep(0.05)

    def client(self):
        return Http(self.running.port("HTTP"))

    def overwrite(self, turn):
        reloads.add(self.models, CHANGED, 1 + turn % 50)
        self.client().load(CHANGED)

    def leave(self, _):
        client = self.client()
        client.unload(LEAVING)
        client.load(LEAVING)

    def fail(self, _):
        """A load that fails, and leaves the model."""
        file = self.models.folder / "failing/1/model.onnx"
        whole = file.read_bytes()
        reloads.replace(file, whole[:-40])
        refused = reloads.refusal(lambda: self.client().load("failing"))
        assert "is the file complete" in refused.text, refused
        reloads.replace(file, whole)
        self.client().load("failing")
        assert reloads.answer(self.running, "failing") == 1

    def send_file(self, turn):
        reloads.add(self.models, CHANGED, 1 + turn % 50, version=2)
        self.client().load(CHANGED)
        (self.models.folder / CHANGED / "2/model.onnx").unlink()
        (self.models.folder / CHANGED / "2").rmdir()
        self.client().load(CHANGED)

    def cancel(self, _):
        """A run that would last for months, whose client leaves."""
        with contextlib.suppress(Refused), endless(self.running, "slow"):
            pass


def watch(running, changes, end, processes):
    """(seconds, resident bytes, threads, open files) each second."""
    samples, start, next_line = [], time.monotonic(), 60
    while time.monotonic() < end:
        time.sleep(1)
        running.alive()
        for process in processes:
            code = process.poll()
            assert code in (None, 0), f"a client has ended with status {code}: {process.args[:4]}"
        folder = pathlib.Path(f"/proc/{running.process.pid}")
        threads, files = (
            len(list((folder / "task").iterdir())),
            len(list((folder / "fd").iterdir())),
        )
        passed = time.monotonic() - start
        samples.append((passed, running.resident_bytes(), threads, files))
        if passed >= next_line:
            resident = samples[-1][1] / (1 << 20)
            line = f"{passed / 60:4.0f} min: {resident:.1f} MiB, {threads} threads, {files} files"
            print(f"{line}, {sum(changes.counts.values())} changes", flush=True)
            next_line += 60
    return samples


def flat(samples):
    """The memory of the last minute is that after the first minutes."""
    whole = samples[-1][0]
    first = min(WARM * 60, whole / 2)
    spans = ((first, first + min(60, whole / 4)), (whole - min(60, whole / 4), whole))
    for column, name in ((1, "bytes"), (2, "threads"), (3, "files")):
        before, after = (
            statistics.median(row[column] for row in samples if start <= row[0] <= end)
            for start, end in spans
        )
        print(f"soak: {name} {before:.0f}, then {after:.0f}: {after / before:.3f}")
        assert after <= before * GROWTH + (column > 1) * 4, f"{name}: {before} to {after}"
