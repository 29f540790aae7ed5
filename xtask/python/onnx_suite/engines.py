"""Engines the suite can run: the `trident worker`, and ONNX Runtime to check the suite itself."""

import multiprocessing
import os
import shutil
import tempfile

from worker import CRASH, ERR, OK, TIMEOUT, Worker

from .cases import Case, load_value


class TridentEngine:
    """A `trident worker` process; values travel as protobuf files."""

    def __init__(self, binary, device):
        self.worker = Worker([binary, "worker", "--device", device])
        self.scratch = tempfile.TemporaryDirectory(prefix="conformance")

    def run(self, case, timeout):
        """(OK, one list of outputs per data set) or (status, message)."""
        results = []
        out_dir = f"{self.scratch.name}/out"
        for data, _, _ in case.sets:
            shutil.rmtree(out_dir, ignore_errors=True)
            os.makedirs(out_dir)
            status, message = self.worker.run(case.path, data, out_dir, timeout)
            if status != OK:
                return status, message
            paths = [(f"{out_dir}/out_{j}.pb", info) for j, info in enumerate(case.outputs)]
            results.append([load_value(p, info) for p, info in paths if os.path.exists(p)])
        return OK, results

    def close(self):
        self.worker.stop()
        self.scratch.cleanup()


class OnnxRuntimeEngine:
    """ONNX Runtime behind a child process, so that a crash or a hang costs one case."""

    def __init__(self):
        self.process = None

    def run(self, case, timeout):
        """(OK, one list of outputs per data set) or (status, message)."""
        if self.process is None or not self.process.is_alive():
            self.pipe, child = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=serve, args=(child,), daemon=True)
            self.process.start()
            child.close()
        self.pipe.send(case.folder)
        if not self.pipe.poll(timeout):
            self.process.kill()
            self.process.join()
            return TIMEOUT, f"no answer in {timeout:g} s"
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join()
            return CRASH, f"exit status {self.process.exitcode}"

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()


def serve(pipe):
    """Child process: case folders in, (status, results or message) out."""
    from . import onnxruntime_engine

    while True:
        try:
            folder = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((OK, onnxruntime_engine.run(Case(folder))))
        except Exception as error:  # whatever the engine raises is its answer
            pipe.send((ERR, f"{type(error).__name__}: {error}"[:400]))
