"""MLServer with the model `add`, if there is a Python that has it."""

import json
import shutil
import socket
import subprocess
import time

from backend_bench.load import load
from backend_bench.report import rate
from backend_suite import server

from .forms import FORMS

CLIENTS = 32
LEAST = 10  # times its throughput
START = 60  # seconds
MODEL = """
import numpy as np
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Add(MLModel):
    async def predict(self, payload):
        rows = NumpyCodec.decode_input(payload.inputs[0])
        output = NumpyCodec.encode_output("OUTPUT0", rows + np.float32(1))
        return InferenceResponse(model_name=self.name, outputs=[output])
"""
HEAD = f"{'MLServer':14} {'clients':>7}{'req/s: ours':>13}{'mlserver':>10}{'ratio':>8}"


class MlServer:
    """A process of MLServer without workers, which is its fastest form for a short run."""

    def __init__(self, python, folder):
        self.http, self.grpc, metrics = server.free_ports(3)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "add_model.py").write_text(MODEL)
        model = {"name": "add", "implementation": "add_model.Add"}
        (folder / "model-settings.json").write_text(json.dumps(model))
        settings = {
            "host": "127.0.0.1",
            "http_port": self.http,
            "grpc_port": self.grpc,
            "metrics_port": metrics,
            "parallel_workers": 0,
        }
        (folder / "settings.json").write_text(json.dumps(settings))
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [python, "-c", "import mlserver.cli; mlserver.cli.main()", "start", str(folder)],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                preexec_fn=server.die_with_parent,
            )
        end = time.monotonic() + START
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise SystemExit(f"MLServer does not start: {(folder / 'log').read_text()[-600:]}")
            time.sleep(0.2)

    def _is_ready(self):
        try:
            with socket.create_connection(("127.0.0.1", self.http), 1) as one:
                one.sendall(b"GET /v2/models/add/ready HTTP/1.1\r\nHost: x\r\n\r\n")
                one.settimeout(5)
                return b" 200 " in one.recv(100)
        except OSError:
            return False

    def processor_time(self):
        """Seconds of processor time that it has taken."""
        return server.times(self.process.pid)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(options, ours, folder):
    """Rows of the forms that MLServer has: JSON and gRPC."""
    theirs = MlServer(options.mlserver, folder / "mlserver")
    try:
        for form in FORMS:
            if "binary" in form.name:
                continue
            request = form.request(folder)
            turns = {ours: [], theirs: []}
            for each in turns:
                load(each, request, CLIENTS, min(1.0, options.seconds))
            for _ in range(options.rounds):
                for each, told in turns.items():
                    told.append(rate(load(each, request, CLIENTS, options.seconds)))
            rates = [sorted(told)[len(told) // 2] for told in turns.values()]
            yield {"request": form.name, "rates": rates, "ratio": rates[0] / rates[1]}
    finally:
        theirs.stop()


def is_met(row):
    return row["ratio"] >= LEAST


def line(row):
    ours, theirs = row["rates"]
    miss = "" if is_met(row) else "  misses its bar"
    return f"{row['request']:14} {CLIENTS:7}{ours:13.0f}{theirs:10.0f}{row['ratio']:8.1f}{miss}"
