"""A replica of Ray Serve: one server, which it starts, watches, reports and ends."""

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trident.ray import keeper, scaling
from trident.ray.library import load
from trident.ray.server import Server, find_program

#: Seconds between two reports to the keeper of Envoy's files.
BEAT = 1.0

#: Seconds that a report may take.
REPORT = 10.0

#: Seconds that Envoy has to notice that a file has changed.
NOTICE = 1.0


@dataclass(frozen=True)
class Plan:
    """How replicas start their servers, and where Envoy's files are."""

    repositories: tuple[str, ...]
    options: tuple[str, ...]
    program: str | None
    threads: int
    endpoints: str
    envoy: str | None
    grace: float

    def command(self, address: str) -> Sequence[str]:
        """The command of a server on free ports of an address."""
        options = [f"--threads={self.threads}", f"--exit-timeout-secs={max(1, round(self.grace))}"]
        for protocol in ("http", "grpc", "metrics"):
            options += [f"--{protocol}-address={address}", f"--{protocol}-port=0"]
        return [find_program(self.program), "serve", *self.repositories, *options, *self.options]


class Replica:
    """A server as a replica. Ray calls its methods; requests do not pass it."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._leaving, self._lock = threading.Event(), threading.Lock()
        context = load("ray.serve").get_replica_context()
        self._application, self._name = context.app_name, context.replica_tag
        self._keeper: Any = None
        address = load("ray.util").get_node_ip_address()
        self._server = Server(plan.command(address), self._leave)
        try:
            while not self._report():
                self._server.check()
                time.sleep(BEAT / 4)
            self._server.check()
        except BaseException:
            self._server.stop(self._plan.grace)
            raise
        threading.Thread(target=self._keep_reporting, daemon=True).start()

    def _report(self) -> bool:
        """Reports the server to the keeper. Returns whether Envoy's files name it."""
        ray = load("ray")
        with self._lock:
            if self._leaving.is_set():
                return True
            if self._keeper is None:
                self._keeper = keeper.find(self._plan.endpoints, self._plan.envoy)
            report = self._keeper.report.remote(self._application, self._name, self._server.places)
            try:
                return ray.get(report, timeout=REPORT)
            except ray.exceptions.RayActorError:  # it is gone: the next report starts another one
                self._keeper = None
                return False

    def _keep_reporting(self) -> None:
        while not self._leaving.wait(BEAT):
            try:
                self._report()
            except Exception as error:  # the keeper is slow, or cannot write: it is asked again
                print(f"Envoy's files are not up to date: {error}", file=sys.stderr, flush=True)

    def _leave(self) -> None:
        """Takes the server out of Envoy's files."""
        ray = load("ray")
        self._leaving.set()
        with self._lock:
            if self._keeper is None:
                return
            actor, self._keeper = self._keeper, None
            try:
                if ray.get(actor.leave.remote(self._name), timeout=REPORT) == 0:
                    keeper.remove(actor)
            except (ray.exceptions.RayError, TimeoutError) as error:
                print(f"Envoy's files still name a server: {error}", file=sys.stderr, flush=True)

    def check_health(self) -> None:
        """Raises, for Ray, unless the server says that it is ready."""
        self._server.check()

    def record_autoscaling_stats(self) -> dict[str, float]:
        """The figures that Ray's policy reads."""
        return {scaling.PENDING: self._server.pending()}

    def places(self) -> dict[str, str]:
        """The server's addresses, by protocol."""
        return self._server.places

    def __call__(self, request: Any) -> Any:
        """Refuses a request that came by Ray's proxy."""
        text = "send requests to Envoy, not to Ray's proxy: see docs/cluster.md"
        return load("starlette.responses").JSONResponse({"error": text}, status_code=421)

    def __del__(self) -> None:
        """Ends the server, after Envoy has stopped to send requests to it."""
        if not hasattr(self, "_server") or self._server.has_ended:
            return
        self._leave()
        time.sleep(NOTICE)
        self._server.stop(self._plan.grace)
