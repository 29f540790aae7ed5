"""Measure a server's processor time for a request: `trident serve`, the Triton Inference Server
with a backend in C, and a server that does nothing but HTTP.

The model adds 1 to a row of 16 numbers, so that the time is the server's own. Clients send requests
without a pause; then at half the rate of the slower server, for the latency. In every round each
server gets one turn, in an order that rotates; figures are medians over the rounds. The clients'
own time does not count. Two larger models show what a request costs beyond its run.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys

from backend_bench.load import load
from backend_bench.report import geometric_mean, rate
from backend_bench.subjects import NATIVE, OURS, build_native, write
from backend_suite import client, server

from . import mlserver, models
from .forms import ADD, FORMS
from .servers import Echo, Ours

ROOT = pathlib.Path(__file__).resolve().parents[3]
WARM_UP = 1.0  # seconds
ECHO = "echo"
SERVERS = (OURS, NATIVE, ECHO)
LEAST_MEAN, LEAST = 1.8, 1.4  # of the real server's time over ours
MOST = 2.0  # of our time over the echo's
LEAST_RATE = 1.2  # of our throughput over the real server's


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench server", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="of a turn")
    parser.add_argument(
        "--mlserver", metavar="PYTHON", help="a Python with MLServer, to compare with"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 1
    return options


def start(folder, backend):
    """A server with the model; the real one has the backend in C."""
    subjects = [ADD, *models.MODELS] if backend == OURS else [ADD]
    repository = write(folder / backend, backend, subjects)
    log = folder / f"{backend}.log"
    if backend == OURS:
        return Ours(os.environ["TRIDENT"], repository.folder, log)
    backends = folder / "backends"
    build_native(backends)
    running = server.Server(backends, repository.folder, log)
    http = client.Http(running.http)
    http.load("add")
    http.close()
    return running


def measure(options, servers, request, connections, per_second=None):
    """The figures of each of these servers under this load."""
    names = list(servers)
    turns = {name: [] for name in names}
    for name in names:
        load(servers[name], request, connections, min(WARM_UP, options.seconds), per_second)
    for turn in range(options.rounds):
        for at in range(len(names)):
            name = names[(turn + at) % len(names)]
            told = load(servers[name], request, connections, options.seconds, per_second)
            turns[name].append(told)
    median = statistics.median
    return {
        name: {key: median(told[key] for told in told_by) for key in told_by[0]}
        for name, told_by in turns.items()
    }


COLUMNS = (  # the table's titles and widths, after the request and the number of clients
    ("CPU us: ours", 13),
    ("triton", 8),
    ("echo", 7),
    ("triton/ours", 12),
    ("ours/echo", 10),
    ("req/s: ours", 12),
    ("triton", 8),
    ("p50 us: ours", 13),
    ("triton", 8),
    ("p99 us: ours", 13),
    ("triton", 8),
    ("at half load: ours", 19),
    ("triton", 8),
)
HEAD = f"{'request':14} {'clients':>7}" + "".join(f"{title:>{width}}" for title, width in COLUMNS)


def is_met(row):
    """Whether a row meets its bars."""
    return (
        row["ratio"] >= LEAST
        and row["above_echo"] <= MOST
        and row["faster"] >= LEAST_RATE
        and row["half_p99_us"][OURS] <= row["half_p99_us"][NATIVE]
    )


def line(row):
    ours, triton, echo = (row[name] for name in SERVERS)
    figures = (
        *(f"{told['cpu_us']:.1f}" for told in (ours, triton, echo)),
        f"{row['ratio']:.2f}",
        f"{row['above_echo']:.2f}",
        *(f"{rate(told):.0f}" for told in (ours, triton)),
        *(f"{told[key]:.0f}" for key in ("p50_us", "p99_us") for told in (ours, triton)),
        *(f"{row['half_p99_us'][name]:.0f}" for name in (OURS, NATIVE)),
    )
    cells = "".join(f"{text:>{width}}" for text, (_, width) in zip(figures, COLUMNS))
    miss = "" if is_met(row) else "  misses its bar"
    return f"{row['request']:14} {row['clients']:7}{cells}{miss}"


def main():
    options = parse_arguments()
    folder = ROOT / "target/bench/server"
    shutil.rmtree(folder, ignore_errors=True)
    rows, beyond, peers, servers = [], [], [], {}
    try:
        servers = {backend: start(folder, backend) for backend in (OURS, NATIVE)}
        print(HEAD)
        for form in FORMS:
            request = form.request(folder)
            body = folder / "answer"
            body.write_bytes(form.answer(servers[OURS], request))
            servers[ECHO] = Echo(body, request.is_grpc)
            for connections in options.concurrency:
                row = compare(options, servers, request, connections)
                row["request"], row["clients"] = form.name, connections
                rows.append(row)
                print(line(row), flush=True)
            servers.pop(ECHO).stop()
        print(f"\n{models.HEAD}")
        add = min(row[OURS]["cpu_us"] for row in rows if row["request"] == FORMS[1].name)
        for row in models.measure(options, servers[OURS], add, folder):
            beyond.append(row)
            print(models.line(row), flush=True)
        if options.mlserver:
            print(f"\n{mlserver.HEAD}")
            for row in mlserver.measure(options, servers[OURS], folder):
                peers.append(row)
                print(mlserver.line(row), flush=True)
    finally:
        for running in servers.values():
            running.stop()
    if options.json:
        told = {"rows": rows, "models": beyond, "mlserver": peers}
        pathlib.Path(options.json).write_text(json.dumps(told, indent=1))
    mean = geometric_mean([row["ratio"] for row in rows])
    print(f"geomean ratio {mean:.2f} vs tritonserver 2.51")
    met = [*map(is_met, rows), *map(models.is_met, beyond), *map(mlserver.is_met, peers)]
    return 0 if all(met) and mean >= LEAST_MEAN else 1


def compare(options, servers, request, connections):
    """A row: the figures of all servers, and their ratios."""
    row = measure(options, servers, request, connections)
    row["ratio"] = row[NATIVE]["cpu_us"] / row[OURS]["cpu_us"]
    row["above_echo"] = row[OURS]["cpu_us"] / row[ECHO]["cpu_us"]
    row["faster"] = rate(row[OURS]) / rate(row[NATIVE])
    half = min(rate(row[name]) for name in (OURS, NATIVE)) / 2
    both = {name: servers[name] for name in (OURS, NATIVE)}
    told = measure(options, both, request, connections, half)
    row["half_p99_us"] = {name: told[name]["p99_us"] for name in both}
    return row


if __name__ == "__main__":
    sys.exit(main())
