"""Clients of others: tritonclient of two versions, those of kserve and openai, and perf_analyzer.

Clients have processes of their own: packages of theirs define the same messages of protobuf.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
from functools import partial

import grpc

from backend_suite import repository
from checks import Skip, title

from . import reflection
from .models import add_numbers, add_recorded, add_words
from .server import Server

LIMIT = 120  # seconds that the process of a client may take
RECORDED = (
    "simple",
    "simple_int8",
    "simple_string",
    "simple_sequence",
    "simple_dyna_sequence",
    "simple_identity",
    "repeat_int32",
)
# Ways in which perf_analyzer sends requests. H and G stand for the places of HTTP and gRPC.
MEASURED = {
    "HTTP": ("simple", "-u H --concurrency-range 1:2"),
    "HTTP, asynchronous": ("simple", "-u H --async --concurrency-range 8"),
    "HTTP, JSON tensors": ("simple", "-u H --input-tensor-format json --output-tensor-format json"),
    "HTTP, batches of 4": ("simple", "-u H -b 4"),
    "HTTP, request rate": ("simple", "-u H --request-rate-range 300"),
    "HTTP, Poisson rate": (
        "simple",
        "-u H --request-rate-range 300 --request-distribution poisson",
    ),
    "HTTP, intervals of a file": ("simple", "-u H --request-intervals INTERVALS"),
    "HTTP, texts": ("simple_string", "-u H --string-data 7"),
    "HTTP, sequences": (
        "simple_sequence",
        "-u H --sequence-length 5 --sequence-id-range 1000000",
    ),
    "gRPC": ("simple", "-i grpc -u G --concurrency-range 2"),
    "gRPC, asynchronous": ("simple", "-i grpc -u G --async --concurrency-range 8"),
    "gRPC, stream": ("simple", "-i grpc -u G --streaming --concurrency-range 4"),
    "gRPC, compressed": ("simple", "-i grpc -u G --grpc-compression-algorithm gzip"),
    "gRPC, request rate": ("simple", "-i grpc -u G --request-rate-range 300 --async"),
    "gRPC, sequences in a stream": (
        "simple_sequence",
        "-i grpc -u G --streaming --sequence-length 5",
    ),
    "gRPC, oldest sequences in a stream": (
        "simple_dyna_sequence",
        "-i grpc -u G --streaming --sequence-length 5 --concurrency-range 3",
    ),
    "gRPC, decoupled": ("repeat_int32", "-i grpc -u G --streaming --input-data REPEAT"),
}
# All of them name their regions alike.
IN_TURN = {
    "HTTP, shared memory": ("simple", "-u H --shared-memory system"),
    "gRPC, shared memory": ("simple", "-i grpc -u G --shared-memory system"),
    "gRPC, shared memory in a stream": (
        "simple",
        "-i grpc -u G --streaming --shared-memory system",
    ),
}
SHORT = "--measurement-mode count_windows --measurement-request-count 20 -p 100 -s 999 -r 30"


def run(suite):
    folder = suite.folder / "clients"
    models = repository.Repository(folder / "models")
    repository.add_one(models)
    repository.countdown(models, "slow")
    add_recorded(models, *RECORDED)
    add_words(models)
    add_numbers(models)
    other = os.environ.get("TRIDENT_CLIENTS")
    flags = ("--allow-client-shm=true",)
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        programs = [(sys.executable, "triton_clients", "tritonclient 2.73")]
        if other:
            programs += [
                (other, "triton_clients", "tritonclient 2.51"),
                (other, "kserve_clients", "kserve"),
                (other, "openai_clients", "openai"),
            ]
        processes = [partial(client_process, running, folder, *program) for program in programs]
        for process, program in zip([start() for start in processes], programs, strict=True):
            for row in rows(process, folder, program[2]):
                case = f"{program[2]}, {row['case']}"
                if suite.wanted(case):
                    suite.record(case, row["status"], row["reason"], row["seconds"])
        if not other:
            raise Skip("run this by `cargo xtask conformance server`: TRIDENT_CLIENTS is not set")
        places = input_files(folder) | {"H": running.places["HTTP"], "G": running.places["gRPC"]}
        measured = partial(perf_analyzer, other, libraries(folder), places)
        cases = {
            f"perf_analyzer, {case}": partial(measured, *way) for case, way in MEASURED.items()
        }
        turn = threading.Lock()
        for case, way in IN_TURN.items():
            cases[f"perf_analyzer, {case}"] = partial(in_turn, turn, measured, *way)
        suite.check_beside(cases, threads=len(cases))
        running.alive()
    suite.check("no panic in the log", running.no_panic)
    arguments = (suite.trident, models.folder, folder)
    suite.check(title(reflection.check), partial(reflection.check, *arguments, other))
    refused = reflection.refused_without_extras
    suite.check(title(refused), partial(refused, *arguments))


def in_turn(turn, measured, *way):
    with turn:
        measured(*way)


def client_process(running, folder, python, module, name):
    """The process of a client; its output is in files."""
    command = [python, "-m", f"server_suite.{module}", running.places["HTTP"]]
    with (folder / f"{name}.log").open("w") as log, (folder / f"{name}.json").open("w") as out:
        return subprocess.Popen([*command, running.places["gRPC"]], stdout=out, stderr=log)


def rows(process, folder, name):
    """The outcomes of a client's checks, once its process has ended."""
    try:
        status = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        status = f"none after {LIMIT} s"
    found = [json.loads(line) for line in (folder / f"{name}.json").read_text().splitlines()]
    if status or not found:
        log = (folder / f"{name}.log").read_text()[-300:]
        raise AssertionError(f"{name} ends with status {status}: {log}")
    return found


def input_files(folder):
    """Files that perf_analyzer reads, by their names in its options."""
    intervals, repeat = folder / "intervals", folder / "repeat.json"
    intervals.write_text("2000\n5000\n3000\n")  # microseconds
    data = {"IN": [1, 2, 3], "DELAY": [0, 0, 0], "WAIT": [0]}
    repeat.write_text(
        json.dumps({"data": [{k: {"content": v, "shape": [len(v)]} for k, v in data.items()}]})
    )
    return {"INTERVALS": str(intervals), "REPEAT": str(repeat)}


def libraries(folder):
    """A folder of the libraries that perf_analyzer needs, which the server's wheel carries."""
    wheel = pathlib.Path(grpc.__file__).parents[1] / "nvidia_pytriton.libs"
    place = folder / "libraries"
    place.mkdir()
    for name, pattern in (("libb64.so.0d", "libb64-*"), ("libcudart.so.12", "libcudart-*")):
        [library] = wheel.glob(pattern)
        (place / name).symlink_to(library)
    return place


def perf_analyzer(python, libraries, places, model, options):
    """A short measurement, which must find answers and no errors."""
    words = [places.get(word, word) for word in f"{options} {SHORT}".split()]
    ended = subprocess.run(
        [pathlib.Path(python).with_name("perf_analyzer"), "-m", model, *words],
        env=os.environ | {"LD_LIBRARY_PATH": str(libraries)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"status {ended.returncode}: {said[-300:]}"
    rates = [float(rate) for rate in re.findall(r"Throughput: ([\d.]+) infer/sec", said)]
    assert rates and min(rates) > 0, said[-300:]
    assert not re.search("error|failed", said, re.IGNORECASE), said[-300:]
