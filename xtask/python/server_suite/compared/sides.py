"""The two servers of a comparison: `trident serve`, and tritonserver with our backend library."""

import os
import pathlib
import shutil
import subprocess

import grpc
from tritonclient.grpc import service_pb2_grpc

from backend_suite import repository
from backend_suite import server as tritonserver

from ..server import Server

ATTEMPTS = 3  # to start a server
CACHES = tritonserver.TRITON / "caches"


class Side:
    """One of the servers, with a repository of its own, started again if it has crashed."""

    has_builtins = False  # backends such as `identity`

    def __init__(self, folder, flags):
        self.folder, self.flags = folder, tuple(flags)
        self.models = repository.Repository(folder / "models")
        self.running, self.channel, self.starts, self.files = None, None, 0, []
        self.prefix = f"/trident-{os.getpid()}-{type(self).__name__.lower()}"  # of shared memory
        self.trial = 1.0  # seconds of the slow model's shortest trial so far
        self.refusal = ""  # why the server does not start

    def start(self):
        """Start the server unless it runs, or does not start with these flags."""
        if self.refusal or (self.running and self.running.process.poll() is None):
            return
        self.stop()
        self.running = self.launched()
        if self.running is None:
            return
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.grpc}")
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel)

    def launched(self):
        """The running server. 2.51 sometimes ends at its start; `refusal` says why none runs."""
        for _ in range(ATTEMPTS):
            self.starts += 1
            try:
                running = self.launch(self.folder / f"{self.starts}.log")
                self.refusal = ""
                return running
            except (AssertionError, tritonserver.Gone) as error:
                self.refusal = str(error)
        return None

    def stop(self):
        if self.channel:
            self.channel.close()
            self.channel = None
        if self.running:
            self.end()
            self.running = None

    def reset(self):
        """Stop the server, and remove all models, which the next sequence makes itself."""
        self.stop()
        shutil.rmtree(self.models.folder)
        self.models.folder.mkdir()

    def close(self):
        """Stop the server, and remove the shared memory that sequences have made."""
        self.stop()
        for file in self.files:
            pathlib.Path(file).unlink(missing_ok=True)

    def ended(self, wait):
        """The exit status of a server that has ended by itself, or does so soon; otherwise None."""
        try:
            return self.running.process.wait(wait)
        except subprocess.TimeoutExpired:
            return None


class Ours(Side):
    """`trident serve`."""

    has_builtins = True

    def __init__(self, trident, folder, flags):
        super().__init__(folder, flags)
        self.trident = trident

    def launch(self, log):
        flags = ("--exit-on-error=false", "--strict-readiness=false", *self.flags)
        return Server(self.trident, self.models.folder, log, flags)

    def end(self):
        self.running.stop()

    http = property(lambda self: self.running.port("HTTP"))
    grpc = property(lambda self: self.running.port("gRPC"))
    metrics = property(lambda self: self.running.port("metrics"))


class Theirs(Side):
    """tritonserver 2.51. Nothing is lost if it is killed at the end, which saves seconds."""

    def __init__(self, backends, folder, flags):
        super().__init__(folder, (f"--cache-directory={CACHES}", *flags))
        self.backends = backends

    def launch(self, log):
        flags = ("--exit-on-error=false", "--strict-readiness=false", *self.flags)
        return tritonserver.Server(self.backends, self.models.folder, log, flags)

    def end(self):
        self.running.process.kill()
        self.running.process.wait()

    http = property(lambda self: self.running.http)
    grpc = property(lambda self: self.running.grpc)
    metrics = property(lambda self: self.running.metrics)


def copy_of_backends(folder, library):
    """A folder of backends with the library under its three names."""
    shutil.rmtree(folder, ignore_errors=True)
    return tritonserver.backends_of_library(folder, library)
