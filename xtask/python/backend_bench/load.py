"""Load on a server: clients in a process of their own that send one request again and again."""

import dataclasses
import json
import os
import pathlib
import subprocess

from backend_suite import client


@dataclasses.dataclass(frozen=True)
class Request:
    """A request whose body is in a file, or a call of gRPC with one message."""

    path: str
    body: pathlib.Path
    headers: tuple = ()
    is_grpc: bool = False

    @classmethod
    def infer(cls, subject, folder):
        """The request of a subject; its body goes into this folder."""
        head, body = client.request(subject.inputs(), binary=subject.binary)
        file = pathlib.Path(folder, f"{subject.name.replace(', ', '-')}.request")
        file.write_bytes(head + body)
        headers = (f"{client.HEADER}: {len(head)}",) if subject.binary else ()
        return cls(f"/v2/models/{subject.model}/infer", file, headers)

    @classmethod
    def call(cls, subject, folder):
        """The same as a call of gRPC."""
        file = pathlib.Path(folder, f"{subject.model}.message")
        message = client.grpc_request(subject.model, subject.inputs())
        file.write_bytes(message.SerializeToString())
        return cls("/inference.GRPCInferenceService/ModelInfer", file, is_grpc=True)


def load(running, request, connections, seconds, rate=None):
    """Send a request for a while: what the clients tell, and the server's µs of a request.

    The clients send `rate` requests a second together, or each one after the other.
    """
    command = [os.environ["TRIDENT_LOAD"], "load"]
    command += ["--port", running.grpc if request.is_grpc else running.http]
    command += ["--grpc"] if request.is_grpc else []
    command += ["--rate", rate] if rate else []
    command += ["--path", request.path, "--body", request.body]
    command += ["--connections", connections, "--seconds", seconds]
    for header in request.headers:
        command += ["--header", header]
    before = running.processor_time()
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=seconds + 120
    )
    spent = running.processor_time() - before
    if done.returncode:
        raise SystemExit(f"{request.path}: {done.stderr.strip()}")
    told = json.loads(done.stdout)
    told["cpu_us"] = spent * 1e6 / told["requests"]
    return told
