"""Measure the server's processor time for a request with our library and with other backends.

Each backend has a server of its own, all of one build. Thirty-two clients send requests without a
pause. In every round each backend gets one turn, in an order that rotates; the figure of a backend
is the median over the rounds. The clients' own time does not count.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import numpy as np

from backend_suite import client, server

from .load import Request, load
from .report import geometric_mean, table
from .subjects import OURS, PEERS, SUBJECTS, build_native, write

ROOT = pathlib.Path(__file__).resolve().parents[3]
WARM_UP = 1.0  # seconds


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench backend", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="one short round")
    models = tuple(dict.fromkeys(subject.model for subject in SUBJECTS))
    parser.add_argument("--models", nargs="+", choices=models, default=models)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of a turn")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 1
    return options


def check_answers(servers, subject):
    """Both backends give the same answer: a wrong answer invalidates the time."""
    answers = {}
    for backend in (OURS, subject.peer):
        http = client.Http(servers[backend].http)
        answers[backend] = http.infer(subject.model, subject.inputs(), binary=subject.binary)
        http.close()
    for name, want in answers[subject.peer].items():
        got = answers[OURS][name]
        np.testing.assert_allclose(got, want, subject.tolerance, subject.tolerance)


def measure(options, servers, subject, scratch):
    """One row of the table."""
    check_answers(servers, subject)
    backends = [OURS, subject.peer]
    turns = {backend: [] for backend in backends}
    request = Request.infer(subject, scratch)
    for backend in backends:
        load(servers[backend], request, options.concurrency, min(WARM_UP, options.seconds))
    for turn in range(options.rounds):
        for backend in backends[:: 1 if turn % 2 == 0 else -1]:
            told = load(servers[backend], request, options.concurrency, options.seconds)
            turns[backend].append(told)
    found = {
        backend: {
            key: statistics.median(told[key] for told in turns[backend])
            for key in turns[backend][0]
        }
        for backend in backends
    }
    ratio = found[OURS]["cpu_us"] / found[subject.peer]["cpu_us"]
    spread = [
        ours["cpu_us"] / peer["cpu_us"] for ours, peer in zip(turns[OURS], turns[subject.peer])
    ]
    return {
        "subject": subject.name,
        "peer": subject.peer,
        "bar": subject.bar,
        "ratio": ratio,
        "ratios": spread,
        "ours": found[OURS],
        "theirs": found[subject.peer],
    }


def main():
    options = parse_arguments()
    subjects = [subject for subject in SUBJECTS if subject.model in options.models]
    folder = ROOT / "target/bench/backend"
    shutil.rmtree(folder, ignore_errors=True)
    backends = server.backends_of_library(
        folder / "backends", pathlib.Path(os.environ["TRIDENT_BACKENDS"])
    )
    build_native(backends)
    rows, servers = [], {}
    with tempfile.TemporaryDirectory(prefix="bench") as scratch:
        try:
            for backend in [OURS, *dict.fromkeys(subject.peer for subject in subjects)]:
                models = write(folder / backend, backend)
                log = folder / f"{backend}.log"
                servers[backend] = server.Server(backends, models.folder, log)
                http = client.Http(servers[backend].http)
                for subject in subjects:
                    if backend in (OURS, subject.peer):
                        http.load(subject.model)
                http.close()
            for subject in subjects:
                rows.append(measure(options, servers, subject, scratch))
                print(table(rows[-1:])[1], flush=True)
        finally:
            for running in servers.values():
                running.stop()
    print("\n".join(["", *table(rows)]))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    above = [row for row in rows if row["ratio"] > row["bar"]]
    for peer in dict.fromkeys(row["peer"] for row in rows):
        ratio = geometric_mean([row["ratio"] for row in rows if row["peer"] == peer])
        print(f"geomean ratio {ratio:.2f} vs {PEERS[peer]}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
