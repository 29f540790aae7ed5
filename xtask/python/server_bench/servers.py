"""Servers to measure: our own, and one that does nothing but HTTP, the limit for all."""

import os
import subprocess

from backend_suite import server
from server_suite.server import Server


class Ours(Server):
    """`trident serve` with all models of a repository."""

    @property
    def http(self):
        """The port of HTTP."""
        return self.port("HTTP")

    @property
    def grpc(self):
        """The port of gRPC."""
        return self.port("gRPC")


class Echo:
    """Answers each request with the bytes of a file, or each call of gRPC with that message."""

    def __init__(self, answer, is_grpc):
        command = [os.environ["TRIDENT_ECHO"], "echo", "--body", str(answer)]
        command += ["--grpc"] if is_grpc else []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=server.die_with_parent,
        )
        self.http = self.grpc = int(self.process.stdout.readline())

    def processor_time(self):
        """Seconds of processor time that it has taken."""
        return server.times(self.process.pid)

    def stop(self):
        self.process.terminate()
        self.process.wait()
