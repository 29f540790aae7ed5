"""Drive a `trident worker`: a child process which runs one model and data set per request line.

    → model.onnx <TAB> in_dir <TAB> out_dir [<TAB> in_dir <TAB> out_dir ...]
    → rows <TAB> model.onnx
    ← OK                        or        ERR stage: message

`in_dir` holds `input_<j>.pb` (in the order of the graph's inputs that are not initializers, then
those that are, which may be left out); the worker writes `out_<j>.pb`. Each file is a
TensorProto, SequenceProto or OptionalProto, as the graph declares. Other lines are ignored.
With several data sets, the model is loaded once, and a message begins with `set <k>: `. `rows` asks
whether the rows of a batch are independent; if not, the stage is `mixed`.
"""

import os
import resource
import select
import subprocess
import sys
import tempfile
import time

OK, ERR, CRASH, TIMEOUT = "OK", "ERR", "CRASH", "TIMEOUT"


class Worker:
    """A worker process that is restarted after it crashed or hung."""

    def __init__(self, command, memory_limit=None):
        """`memory_limit` bounds the process's address space, in bytes."""
        self.command, self.memory_limit, self.process = command, memory_limit, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.memory_limit and sys.platform == "linux":
                resource.setrlimit(resource.RLIMIT_AS, (self.memory_limit, self.memory_limit))

        self.buffer, self.noise = b"", tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.noise,
            bufsize=0,
            preexec_fn=limit,
        )

    def stop(self):
        """End the process and return its exit status."""
        if self.process is None:
            return None
        self.process.kill()
        status = self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.noise):
            file.close()
        self.process = None
        return status

    def run(self, model, in_dir, out_dir, timeout):
        """(OK | ERR | CRASH | TIMEOUT, message) for one data set."""
        return self.run_sets(model, [(in_dir, out_dir)], timeout)

    def run_sets(self, model, sets, timeout):
        """The same for several data sets, pairs of folders, on one load of the model."""
        paths = [model, *(path for pair in sets for path in pair)]
        return self.request([os.path.abspath(path) for path in paths], timeout)

    def rows(self, model, timeout):
        """Whether rows are independent: (OK, "") or (ERR, "mixed: ...")."""
        return self.request(["rows", os.path.abspath(model)], timeout)

    def request(self, parts, timeout):
        """(OK | ERR | CRASH | TIMEOUT, message) for one request."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        try:
            self.process.stdin.write("\t".join(parts).encode() + b"\n")
        except BrokenPipeError:
            return self.crashed()
        end = time.monotonic() + timeout
        while True:
            line = self.read_line(end)
            if line is None:
                self.stop()
                return TIMEOUT, f"no answer in {timeout:g} s"
            if line == b"":
                return self.crashed()
            text = line.decode(errors="replace").strip()
            if text == "OK":
                return OK, ""
            if text.startswith("ERR panic"):  # a worker that catches a panic has still panicked
                return CRASH, text[4:400]
            if text.startswith("ERR"):
                return ERR, text[4:400]

    def crashed(self):
        """Exit status (negative: a signal) and the end of what the process said."""
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        self.noise.seek(0)
        said = self.noise.read()[-300:].decode(errors="replace").strip().replace("\n", " | ")
        return CRASH, f"exit status {self.stop()}: {said}"

    def read_line(self, end):
        """One line of standard output, b"" at its end, None when time runs out."""
        while b"\n" not in self.buffer:
            left = max(0, end - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return b""
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line + b"\n"

    def peak_memory(self):
        """Peak resident memory of the process in bytes; 0 where /proc does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                lines = dict(line.split(":", 1) for line in file)
            return int(lines["VmHWM"].split()[0]) * 1024
        except (OSError, KeyError):
            return 0
