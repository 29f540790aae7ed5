"""Command line of a program, the moments it notes, and the file with its answer.

A program is called as `PROGRAM SAMPLES ANSWER`, and does not know which engine runs its models:
`import onnxruntime` in the packages decides.
"""

import json
import pathlib
import sys
import time


def memory(field):
    """A field of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


class Program:
    """One run: made once the libraries beside the engine are imported, and before the engine is."""

    def __init__(self):
        self.samples, self.answer = map(pathlib.Path, sys.argv[1:3])
        self.libraries = memory("VmRSS")
        self.start = time.perf_counter()

    def loaded(self):
        """Notes that the package is imported, and its models loaded."""
        self.load = time.perf_counter() - self.start

    def finish(self, results):
        """Writes the answer: `results` by the name of the sample, and what the run took."""
        work = time.perf_counter() - self.start - self.load
        import onnxruntime

        session = onnxruntime.InferenceSession
        answer = {
            "results": results,
            "engine": f"{session.__module__}.{session.__qualname__}",
            "load": self.load,
            "work": work,
            "libraries": self.libraries,
            "peak": memory("VmHWM"),
        }
        self.answer.write_text(json.dumps(answer))
