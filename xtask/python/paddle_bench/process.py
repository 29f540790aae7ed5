"""Engines in processes of their own."""

import json
import subprocess
import sys
import tempfile

from paddle_suite import arrays


class Failed(Exception):
    """The engine cannot load or run the model; the message is its own."""


class Process:
    """A model that an engine runs in one way, on a number of threads."""

    def __init__(self, engine, way, model, threads):
        self.engine, self.way = engine, way
        words = [engine, way, str(model), str(threads)]
        self.log = tempfile.TemporaryFile()
        self.child = subprocess.Popen(
            [sys.executable, "-m", "paddle_bench.child", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.child.kill()
        self.child.wait()
        for file in (self.child.stdin, self.child.stdout, self.log):
            file.close()

    def ask(self, **request):
        """The child's answer to a request."""
        try:
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.log.seek(0)
            said = self.log.read()[-300:].decode(errors="replace").split()
            raise Failed(f"exit status {self.child.wait()}: {' '.join(said)}")
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise Failed(answer["error"])
        return answer

    def load(self, inputs):
        """(the times, a list of results) of loading, and of the first run."""
        with tempfile.TemporaryDirectory(prefix="bench") as folder:
            given, taken = f"{folder}/in.npz", f"{folder}/out.npz"
            arrays.write(given, inputs)
            times = self.ask(load=[given, taken])
            return times, list(arrays.read(taken).values())

    def run(self, count):
        return self.ask(run=count)

    def pages(self, name, dims):
        return self.ask(pages=[name, dims])
